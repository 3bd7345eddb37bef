/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting processes, and small helpers for those that set up a host. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

pid_t hosts_fork(int namespaces)
{
    fflush(NULL);
    /* The C library's fork takes no namespaces, and unshare would move us too. We have one
     * thread. */
    long pid = syscall(SYS_clone, (unsigned long)namespaces | SIGCHLD, NULL, NULL, NULL, NULL);

    if (pid < 0) {
        hosts_die("cannot make namespaces: %s; the kernel, the container or a limit in "
                  "/proc/sys/user/max_*_namespaces does not allow them%s",
                  strerror(errno),
                  errno == EPERM ? ": run this with sudo, or as root of a "
                                   "container that was started with --privileged"
                                 : "");
    }
    return (pid_t)pid;
}

/* The child of hosts_ip. */
static _Noreturn void exec_ip(const int ends[2])
{
    static const char *const places[] = {"ip", "/sbin/ip", "/usr/sbin/ip"};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        execlp(places[i], "ip", "-batch", "-", (char *)NULL);
    }
    fprintf(stderr, "apelink-hosts: cannot start \"ip\": %s; install it (Debian: iproute2)\n",
            strerror(errno));
    _exit(HOSTS_EXIT_NOT_FOUND);
}

bool hosts_ip(const char *script)
{
    int ends[2], status = -1;
    size_t length = strlen(script);

    if (pipe(ends) != 0) {
        return false;
    }

    pid_t pid = hosts_fork(0);

    if (pid == 0) {
        exec_ip(ends);
    }
    close(ends[0]);
    /* The script fits into a pipe, so that this does not wait for ip. */
    bool sent = write(ends[1], script, length) == (ssize_t)length;
    close(ends[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!sent || status != 0) {
        fprintf(stderr, "apelink-hosts: this failed, given to \"ip -batch -\":\n%s", script);
    }
    return sent && status == 0;
}

void hosts_write_file(const char *path, const char *format, ...)
{
    va_list arguments;
    FILE *file = fopen(path, "we");
    int printed = -1;

    if (file != NULL) {
        va_start(arguments, format);
        printed = vfprintf(file, format, arguments);
        va_end(arguments);
        printed = fclose(file) == 0 ? printed : -1;
    }
    if (printed < 0) {
        hosts_die("cannot write %s: %s", path, strerror(errno));
    }
}
