/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command of the user's does: start a switch, ask it, run something on a host. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

#define SWITCH_NAMESPACES (CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC)

int hosts_start(struct hosts_setup *setup, bool stay, pid_t *pid)
{
    int ready[2], status = 0;
    char byte;

    hosts_state_create(setup);
    if (pipe2(ready, O_CLOEXEC) != 0) {
        hosts_die("no pipe: %s", strerror(errno));
    }
    *pid = hosts_fork(SWITCH_NAMESPACES);
    if (*pid == 0) {
        close(ready[0]);
        hosts_switch(setup, stay, ready[1]);
    }
    close(ready[1]);
    close(setup->lock);
    if (read(ready[0], &byte, 1) != 1) {
        kill(*pid, SIGKILL);
        waitpid(*pid, &status, 0);
        hosts_state_remove(setup->folder);
        return HOSTS_EXIT_OWN; /* the switch has said why */
    }
    close(ready[0]);
    return 0;
}

static void put_list(FILE *file, char **list)
{
    size_t count = 0;

    while (list[count] != NULL) {
        count++;
    }
    fprintf(file, "%zu%c", count, '\0');
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s%c", list[i], '\0');
    }
}

/* A file that names the command as hosts_jobs.c reads it. host: for APELINK_HOST. */
static int command_file(char **argv, bool own_environment)
{
    extern char **environ;
    char *none[] = {NULL};
    char folder[4096];
    int fd = memfd_create("command", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "w") : NULL;

    if (file == NULL) {
        hosts_die("no file in memory: %s", strerror(errno));
    }
    fprintf(file, "%s%c", getcwd(folder, sizeof folder) != NULL ? folder : "/", '\0');
    put_list(file, argv);
    put_list(file, own_environment ? none : environ);
    if (fclose(file) != 0) {
        hosts_die("no file in memory: %s", strerror(errno));
    }
    return fd;
}

/* The signals that are for the command, as a descriptor. */
static int catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaddset(&set, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int exit_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Until the command has ended. */
static int attend(int host_socket, const char *host)
{
    int signals = catch_signals(), status;

    for (;;) {
        struct pollfd polled[2] = {{host_socket, POLLIN, 0}, {signals, POLLIN, 0}};
        struct signalfd_siginfo info;

        if (poll(polled, 2, -1) < 0) {
            continue;
        }
        if (polled[1].revents != 0 && read(signals, &info, sizeof info) > 0) {
            unsigned char number = (unsigned char)info.ssi_signo;

            send(host_socket, &number, 1, MSG_NOSIGNAL);
        }
        if (polled[0].revents != 0) {
            if (recv(host_socket, &status, sizeof status, MSG_WAITALL) == (ssize_t)sizeof status) {
                return exit_of(status);
            }
            fprintf(stderr, "apelink-hosts: host %s was killed\n", host);
            return HOSTS_EXIT_OWN;
        }
    }
}

int hosts_exec(const char *folder, const char *host, char **argv, bool own_environment)
{
    int fds[4] = {0, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    int host_socket = hosts_name_ok(host) ? hosts_connect(folder, host) : -1;

    if (host_socket < 0) {
        hosts_die("there is no host \"%s\", or it was killed; apelink-hosts ls lists the hosts",
                  host);
    }
    fds[0] = command_file(argv, own_environment);
    if (!hosts_send_fds(host_socket, fds, 4)) {
        hosts_die("host %s does not take commands: %s", host, strerror(errno));
    }
    return attend(host_socket, host);
}

/* The switch waits only so long for the line of a client, which on a busy machine may be given no
 * core until then: it asks again. The connection, with the line sent. */
static int ask(const char *folder, const char *line)
{
    enum { TRIES = 5 };

    for (int i = 1;; i++) {
        int fd = hosts_connect(folder, "control");

        if (fd < 0) {
            hosts_die("nobody answers in %s: %s; \"apelink-hosts ls\" takes away what is stale",
                      folder, strerror(errno));
        }
        if (send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line)) {
            return fd;
        }
        if (errno != EPIPE || i == TRIES) {
            hosts_die("%s: %s", folder, strerror(errno));
        }
        close(fd);
    }
}

bool hosts_ask(const char *folder, const char *line)
{
    char text[4096];
    bool good = false, first = true;
    ssize_t length;
    int fd = ask(folder, line);

    while ((length = recv(fd, text, sizeof text, 0)) > 0) {
        const char *at = text;

        if (first) {
            good = *at++ == '+';
            length--;
            if (!good) {
                fprintf(stderr, "apelink-hosts: ");
            }
        }
        first = false;
        fwrite(at, 1, (size_t)length, good ? stdout : stderr);
    }
    if (!good) {
        fprintf(stderr, "%s\n", first ? "apelink-hosts: the switch has ended" : "");
    }
    close(fd);
    return good;
}

void hosts_down(const char *folder)
{
    struct ucred owner = {0};
    socklen_t size = sizeof owner;
    struct pollfd ended = {-1, POLLIN, 0};
    int fd = hosts_connect(folder, "control");

    if (fd < 0) {
        return; /* stale: the sweep takes it away */
    }
    /* Of who listens: the switch, by its number in our PID namespace. From one of its hosts there
     * is none, and we end with it. */
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0 && owner.pid > 0) {
        ended.fd = (int)syscall(SYS_pidfd_open, owner.pid, 0);
    }
    if (send(fd, "down\n", 5, MSG_NOSIGNAL) == 5 && ended.fd >= 0) {
        while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
        }
    }
    close(fd);
    hosts_sweep();
}
