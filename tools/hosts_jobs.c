/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host's commands. A client sends four descriptors, of a file with the command and of its
 * standard input, output and error; then a byte for each signal that the command shall get. It
 * gets the command's status as of waitpid. Its end of file is a signal, too: SIGHUP.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

enum { JOBS_MAX = 256 };

struct job {
    int client;
    pid_t pid; /* and process group; 0: not started yet */
};

struct jobs {
    unsigned count;
    struct job job[JOBS_MAX];
};

/* The next string of those that end with NUL; NULL: there is none. */
static char *next_string(char **at, char *end)
{
    char *text = *at;
    char *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

    if (stop == NULL) {
        return NULL;
    }
    *at = stop + 1;
    return text;
}

/* A list: how many strings, then these. The result ends with NULL. */
static char **next_list(char **at, char *end)
{
    char *text = next_string(at, end);
    size_t count = text != NULL ? strtoul(text, NULL, 10) : 0;
    char **list = count < (size_t)(end - *at) + 1 ? calloc(count + 1, sizeof *list) : NULL;

    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] = next_string(at, end);
    }
    return list;
}

/* The client's environment, but for what makes this host. */
static void take_environment(char **environment)
{
    extern char **environ;
    static const char *const own[] = {"APELINK_HOSTS",
                                      "APELINK_HOST",
                                      "APELINK_HOSTS_TOOL",
                                      "HOSTNAME",
                                      "TMPDIR",
                                      "PRESTO_LAUNCHER",
                                      "OMPI_MCA_plm_rsh_agent",
                                      "OMPI_MCA_orte_default_hostfile",
                                      "OMPI_MCA_hwloc_base_binding_policy",
                                      "OMPI_ALLOW_RUN_AS_ROOT",
                                      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"};
    const char *values[sizeof own / sizeof *own];

    /* All values first: setenv may put the new variables where the old ones were listed. */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        values[i] = getenv(own[i]);
    }
    environ = environment;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (values[i] != NULL) {
            setenv(own[i], values[i], 1);
        }
    }
}

static _Noreturn void exec_command(char *folder, char **argv, char **environment)
{
    if (environment[0] != NULL) {
        take_environment(environment);
    }
    if (chdir(folder) != 0 && chdir("/") != 0) {
        perror("apelink-hosts: /");
    }
    execvp(argv[0], argv);

    int error = errno;

    fprintf(stderr, "apelink-hosts: cannot start %s: %s\n", argv[0], strerror(error));
    _exit(error == ENOENT ? HOSTS_EXIT_NOT_FOUND : HOSTS_EXIT_CANNOT);
}

/* The child. fds: the file, and what become 0, 1 and 2. */
static _Noreturn void start_command(const int fds[4])
{
    struct stat file;
    sigset_t none;
    char *bytes = MAP_FAILED;

    setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        dup2(fds[i + 1], i);
    }
    if (fstat(fds[0], &file) == 0 && file.st_size > 0) {
        bytes = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[0], 0);
    }
    if (bytes != MAP_FAILED) {
        char *at = bytes, *end = bytes + file.st_size;
        char *folder = next_string(&at, end);
        char **argv = next_list(&at, end);
        char **environment = next_list(&at, end);

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (folder != NULL && argv != NULL && argv[0] != NULL && environment != NULL) {
            exec_command(folder, argv, environment);
        }
    }
    _exit(HOSTS_EXIT_OWN);
}

static void remove_job(struct jobs *jobs, unsigned i)
{
    close(jobs->job[i].client);
    jobs->job[i] = jobs->job[--jobs->count];
}

/* The client has something to say. False: the job was removed. */
static bool hear(struct jobs *jobs, unsigned i)
{
    struct job *job = &jobs->job[i];
    unsigned char number = SIGHUP;

    if (job->pid == 0) {
        int fds[4];

        if (!hosts_receive_fds(job->client, fds, 4)) {
            remove_job(jobs, i);
            return false;
        }
        job->pid = hosts_fork(0);
        if (job->pid == 0) {
            start_command(fds);
        }
        setpgid(job->pid, job->pid); /* here as well, so that no signal comes too early */
        for (int k = 0; k < 4; k++) {
            close(fds[k]);
        }
        return true;
    }

    bool open = recv(job->client, &number, 1, 0) == 1;

    kill(-job->pid, number);
    if (!open) {
        kill(-job->pid, SIGCONT);
        remove_job(jobs, i);
    }
    return open;
}

/* The processes that have ended, orphans among them. */
static void reap(struct jobs *jobs)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (unsigned i = 0; i < jobs->count; i++) {
            if (jobs->job[i].pid == pid) {
                send(jobs->job[i].client, &status, sizeof status, MSG_NOSIGNAL);
                remove_job(jobs, i);
                break;
            }
        }
    }
}

static void admit(struct jobs *jobs, int listener)
{
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    if (client >= 0 && jobs->count == JOBS_MAX) {
        close(client);
    } else if (client >= 0) {
        jobs->job[jobs->count++] = (struct job){client, 0};
    }
}

_Noreturn void hosts_jobs(int listener)
{
    static struct jobs jobs;
    struct pollfd polled[JOBS_MAX + 2];
    sigset_t child;
    int signals;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        unsigned count = jobs.count;
        struct signalfd_siginfo info;

        polled[0] = (struct pollfd){signals, POLLIN, 0};
        polled[1] = (struct pollfd){listener, POLLIN, 0};
        for (unsigned i = 0; i < count; i++) {
            polled[i + 2] = (struct pollfd){jobs.job[i].client, POLLIN, 0};
        }
        if (poll(polled, count + 2, -1) < 0) {
            continue;
        }
        /* Downwards: a job that is removed is replaced by the last one, which was looked at. */
        for (unsigned i = count; i-- > 0;) {
            if (polled[i + 2].revents != 0) {
                hear(&jobs, i);
            }
        }
        if (polled[1].revents != 0) {
            admit(&jobs, listener);
        }
        while (read(signals, &info, sizeof info) > 0) {
        }
        reap(&jobs);
    }
}
