/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: core/launch_pmi2.c core/launch_pmi2_text.c */
/*
 * A launcher with PMI-2: pmi2_launcher [--hosts MAPPING] [--deny COMMAND] [--job ID] [--old] N
 * PROGRAM... starts N processes on this host as one job, answers their commands, and ends the job
 * when a process fails or aborts. It keeps to what launchers may be expected to store (keys of 63
 * characters, values of 1023). MAPPING is told as PMI_process_mapping. --deny: the answer to
 * COMMAND is an error. --job: processes have to say of which job they are, as Slurm wants it.
 * --old: it has PMI-1 alone. The exit status is that of the first process that failed, 128 + N for
 * signal N; 99: a command was not as it should be.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, COMMAND_MAX = 8192, KEY_MAX = 64, VALUE_MAX = 1024 };

struct process {
    pid_t pid;
    int fd; /* -1: none, or closed */
    bool greeted, fenced;
};

static struct entry {
    struct entry *next;
    char key[KEY_MAX], value[VALUE_MAX];
} * entries, *fresh; /* which a fence has published; which not yet */

static struct process process[MOST];
static int count, alive, failure;
static const char *mapping, *denied = "", *job;
static bool old;

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "pmi2_launcher: %s: %s\n", what, why);
    for (int i = 0; i < count; i++) {
        if (process[i].pid > 0) {
            (void)kill(process[i].pid, SIGKILL);
        }
    }
    exit(99);
}

/* The first failure counts; all others are ended. */
static void fail(int code)
{
    if (failure != 0) {
        return;
    }
    failure = code;
    for (int i = 0; i < count; i++) {
        if (process[i].pid > 0) {
            (void)kill(process[i].pid, SIGKILL);
        }
    }
}

static bool read_all(int fd, char *to, size_t length)
{
    while (length > 0) {
        ssize_t n = read(fd, to, length);
        if (n <= 0) {
            return false;
        }
        to += n;
        length -= (size_t)n;
    }
    return true;
}

/* A semicolon is doubled in a value that nobody asked for: the client has to undo that. */
static void answer(const struct process *p, const char *name, const char *rest)
{
    char text[6 + COMMAND_MAX];
    const int code = strcmp(denied, name) == 0;
    int n = snprintf(text, sizeof(text), "      cmd=%s-response;note=a;;rc=9;;b;rc=%d;%s", name,
                     code, rest);
    char length[16];
    (void)snprintf(length, sizeof(length), "%-6d", n - 6);
    memcpy(text, length, 6);
    (void)!write(p->fd, text, (size_t)n); /* who has died is seen by that */
}

/* The value of a key in a command, cut out of it. */
static char *value_of(char *command, const char *key)
{
    static char copy[COMMAND_MAX];
    const size_t length = strlen(key);
    for (char *at = command; at != NULL && *at != '\0'; at = strchr(at, ';'), at += at != NULL) {
        if (strncmp(at, key, length) == 0 && at[length] == '=') {
            (void)snprintf(copy, sizeof(copy), "%s", at + length + 1);
            copy[strcspn(copy, ";")] = '\0';
            return copy;
        }
    }
    give_up(command, key);
}

static void put(char *command)
{
    struct entry *e = calloc(1, sizeof(*e));
    if (e == NULL || strlen(value_of(command, "key")) >= KEY_MAX) {
        give_up("kvs-put", "the key is too long");
    }
    (void)snprintf(e->key, KEY_MAX, "%s", value_of(command, "key"));
    if (strlen(value_of(command, "value")) >= VALUE_MAX) {
        give_up("kvs-put", "the value is too long");
    }
    (void)snprintf(e->value, VALUE_MAX, "%s", value_of(command, "value"));
    e->next = fresh;
    fresh = e;
}

static void get(const struct process *p, char *command)
{
    char rest[VALUE_MAX + 32] = "found=FALSE;";
    const char *key = value_of(command, "key");
    for (struct entry *e = entries; e != NULL; e = e->next) {
        if (strcmp(e->key, key) == 0) {
            (void)snprintf(rest, sizeof(rest), "found=TRUE;value=%s;", e->value);
        }
    }
    answer(p, "kvs-get", rest);
}

/* What was put until now is there when all have come. */
static void fence(struct process *p)
{
    int there = 0;
    p->fenced = true;
    for (int i = 0; i < count; i++) {
        there += process[i].fenced;
    }
    if (there < count) {
        return;
    }
    while (fresh != NULL) {
        struct entry *e = fresh;
        fresh = e->next;
        e->next = entries;
        entries = e;
    }
    for (int i = 0; i < count; i++) {
        process[i].fenced = false;
        answer(&process[i], "kvs-fence", "");
    }
}

static void greet(struct process *p)
{
    char line[256], reply[256];
    size_t n = 0;
    while (n + 1 < sizeof(line) && read_all(p->fd, line + n, 1) && line[n] != '\n') {
        n++;
    }
    line[n] = '\0';
    if (n == 0) { /* it has ended without a word */
        (void)close(p->fd);
        p->fd = -1;
        return;
    }
    if (strcmp(line, "cmd=init pmi_version=2 pmi_subversion=0") != 0) {
        give_up("the first line", line);
    }
    int length = snprintf(reply, sizeof(reply),
                          "cmd=response_to_init pmi_version=%d pmi_subversion=%d rc=%d\n",
                          old ? 1 : 2, old ? 1 : 0, old ? -1 : 0);
    (void)!write(p->fd, reply, (size_t)length);
    p->greeted = true;
}

static void serve(struct process *p, char *command)
{
    char rest[COMMAND_MAX / 2]; /* a mapping is longer than values of keys may be */
    const char *name = value_of(command, "cmd");
    if (strcmp(name, "fullinit") == 0) {
        if (job != NULL && strcmp(value_of(command, "pmijobid"), job) != 0) {
            give_up("another job", command);
        }
        (void)snprintf(rest, sizeof(rest),
                       "pmi-version=2;pmi-subversion=0;rank=%s;size=%d;appnum=0;",
                       value_of(command, "pmirank"), count);
        answer(p, "fullinit", rest);
    } else if (strcmp(name, "job-getid") == 0) {
        (void)snprintf(rest, sizeof(rest), "jobid=pmi2_launcher.%ld;", (long)getpid());
        answer(p, "job-getid", rest);
    } else if (strcmp(name, "info-getjobattr") == 0) {
        (void)snprintf(rest, sizeof(rest),
                       mapping == NULL ? "found=FALSE;" : "found=TRUE;value=%s;", mapping);
        answer(p, "info-getjobattr", rest);
    } else if (strcmp(name, "kvs-put") == 0) {
        put(command);
        answer(p, "kvs-put", "");
    } else if (strcmp(name, "kvs-get") == 0) {
        get(p, command);
    } else if (strcmp(name, "kvs-fence") == 0) {
        fence(p);
    } else if (strcmp(name, "finalize") == 0) {
        answer(p, "finalize", "");
    } else if (strcmp(name, "abort") == 0) {
        fprintf(stderr, "pmi2_launcher: a rank aborts: %s\n", value_of(command, "msg"));
        fail(1);
    } else {
        give_up("an unknown command", command);
    }
}

static void on_input(struct process *p)
{
    char command[COMMAND_MAX], length[7] = "";
    if (!p->greeted) {
        greet(p);
        return;
    }
    if (!read_all(p->fd, length, 6)) {
        (void)close(p->fd);
        p->fd = -1;
        return;
    }
    const long n = strtol(length, NULL, 10);
    if (n < 1 || n >= COMMAND_MAX || !read_all(p->fd, command, (size_t)n)) {
        give_up("a command of so many characters", length);
    }
    command[n] = '\0';
    serve(p, command);
}

static void start_process(int rank, char **command)
{
    int pair[2];
    char text[32];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        give_up("socketpair", strerror(errno));
    }
    process[rank].fd = pair[0];
    process[rank].pid = fork();
    if (process[rank].pid == 0) {
        for (int i = 0; i <= rank; i++) {
            (void)close(process[i].fd);
        }
        (void)snprintf(text, sizeof(text), "%d", pair[1]);
        (void)setenv("PMI_FD", text, 1);
        (void)snprintf(text, sizeof(text), "%d", rank);
        (void)setenv("PMI_RANK", text, 1);
        (void)snprintf(text, sizeof(text), "%d", count);
        (void)setenv("PMI_SIZE", text, 1);
        if (job != NULL) {
            (void)setenv("PMI_JOBID", job, 1);
        }
        (void)signal(SIGPIPE, SIG_DFL);
        (void)execvp(command[0], command);
        _exit(127);
    }
    (void)close(pair[1]);
    alive++;
}

/* Those that have closed their descriptor, so that all commands of theirs have been read. */
static void reap(void)
{
    for (int i = 0; i < count; i++) {
        int status;
        if (process[i].fd >= 0 || process[i].pid == 0 ||
            waitpid(process[i].pid, &status, WNOHANG) != process[i].pid) {
            continue;
        }
        process[i].pid = 0;
        alive--;
        if (WIFSIGNALED(status)) {
            fail(128 + WTERMSIG(status));
        } else if (WEXITSTATUS(status) != 0) {
            fail(WEXITSTATUS(status));
        }
    }
}

int main(int argc, char **argv)
{
    for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) {
        if (strcmp(argv[1], "--old") == 0) {
            old = true;
            continue;
        }
        *(strcmp(argv[1], "--hosts") == 0 ? &mapping
          : strcmp(argv[1], "--job") == 0 ? &job
                                          : &denied) = argv[2];
        argc--;
        argv++;
    }
    count = argc > 2 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "usage: pmi2_launcher [OPTION...] N PROGRAM [ARGUMENT...], N 1 to %d\n",
                MOST);
        return 99;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    for (int rank = 0; rank < count; rank++) {
        start_process(rank, argv + 2);
    }
    while (alive > 0) {
        struct pollfd poll_for[MOST];
        for (int i = 0; i < count; i++) {
            poll_for[i] = (struct pollfd){.fd = process[i].fd, .events = POLLIN};
        }
        (void)poll(poll_for, (nfds_t)count, 50);
        for (int i = 0; i < count; i++) {
            if (poll_for[i].revents != 0 && process[i].fd >= 0) {
                on_input(&process[i]);
            }
        }
        reap();
    }
    return failure;
}
