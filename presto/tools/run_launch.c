/* SPDX-License-Identifier: BSD-3-Clause */
/* Agents: how they are started, by hosts that form a tree, and how they end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/run.h"

enum { LAUNCHER_NS = 2000000000, CLOSE_MS = 10000, LOOK_MS = 5 };

/* ---- tree ------------------------------------------------------------------------------------ */

int run_branch(const struct run_options *options, int first, int count, int i, int *count_i)
{
    int rest = count - 1, branches = rest < options->fanout ? rest : options->fanout, size, more;

    if (i >= branches) {
        return 0;
    }
    size = rest / branches;
    more = rest % branches; /* the first ones have one more */
    *count_i = size + (i < more ? 1 : 0);
    return first + 1 + i * size + (i < more ? i : more);
}

int run_branch_size(const struct run_options *options, int host)
{
    int first = 0, count = options->host_count;

    while (first != host) {
        int size = 0, i = 0, next = run_branch(options, first, count, i, &size);

        while (host >= next + size) {
            next = run_branch(options, first, count, ++i, &size);
        }
        first = next;
        count = size;
    }
    return count;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* As one word of a shell's. */
static char *quoted(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+=:,@%";
    char *word = malloc(4 * strlen(text) + 3), *to = word;

    if (word == NULL || text[strspn(text, plain)] == '\0') {
        return word != NULL ? strcpy(word, text) : NULL;
    }
    *to++ = '\'';
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            to = stpcpy(to, "'\\''");
        } else {
            *to++ = *text;
        }
    }
    (void)stpcpy(to, "'");
    return word;
}

/* The child: becomes the launcher, without a terminal that could ask or interrupt it. */
static _Noreturn void become(char **words, const int fds[4], pid_t parent, int trouble)
{
    int error;

    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    (void)setsid();
    (void)dup2(fds[0], STDIN_FILENO);
    (void)dup2(fds[3], STDOUT_FILENO);
    run_signals_reset();
    execvp(words[0], words);
    error = errno;
    (void)!write(trouble, &error, sizeof(error));
    _exit(127);
}

/* 0, or the reason why it cannot be started. */
static int fork_launcher(struct run_link *link, char **words)
{
    int fds[6] = {-1, -1, -1, -1, -1, -1}, error = 0;
    const pid_t self = getpid();
    pid_t pid = -1;

    if (pipe2(fds, O_CLOEXEC) == 0 && pipe2(fds + 2, O_CLOEXEC) == 0 &&
        pipe2(fds + 4, O_CLOEXEC) == 0) {
        pid = fork();
    }
    if (pid == 0) {
        become(words, fds, self, fds[5]);
    }
    error = pid < 0 ? errno : 0;
    for (int i = 0; i < 6; i++) {
        if (fds[i] >= 0 && (pid < 0 || i == 0 || i == 3 || i == 5)) {
            (void)close(fds[i]);
        }
    }
    if (pid < 0) {
        return error;
    }
    if (read(fds[4], &error, sizeof(error)) != (ssize_t)sizeof(error)) {
        error = 0;
    }
    (void)close(fds[4]);
    link->pid = pid;
    link->out = fds[1];
    link->in = fds[2];
    (void)fcntl(link->out, F_SETFL, O_NONBLOCK);
    (void)fcntl(link->in, F_SETFL, O_NONBLOCK);
    return error;
}

/* LAUNCHER... HOST PROGRAM --agent; false: no memory. */
static bool start(struct run_job *job, struct run_link *link)
{
    const struct run_options *options = &job->options;
    size_t n = 0;
    char **words, *program = quoted(options->program);
    int error;

    while (options->launcher[n] != NULL) {
        n++;
    }
    words = calloc(n + 4, sizeof(*words));
    if (words == NULL || program == NULL) {
        free(words);
        free(program);
        return false;
    }
    memcpy(words, options->launcher, n * sizeof(*words));
    words[n] = options->hosts[link->first];
    words[n + 1] = program;
    words[n + 2] = (char[]){"--agent"};
    error = fork_launcher(link, words);
    free(words);
    free(program);
    if (error != 0) {
        char message[RUN_TEXT_MAX + 1];

        (void)snprintf(message, sizeof(message),
                       "host %.100s cannot be started: %.100s: %s (--launcher says what starts it)",
                       options->hosts[link->first], options->launcher[0], strerror(error));
        run_up_lost(job, link, message);
    }
    return true;
}

bool run_launch_all(struct run_job *job)
{
    const int count = run_branch_size(&job->options, job->net.here);
    struct run_net *net = &job->net;
    int size = 0, first;

    while (net->link_count < count &&
           run_branch(&job->options, net->here, count, net->link_count, &size) != 0) {
        net->link_count++;
    }
    net->links = calloc((size_t)net->link_count + 1, sizeof(*net->links));
    for (int i = 0; net->links != NULL && i < net->link_count; i++) {
        net->links[i] = (struct run_link){.in = -1, .out = -1};
    }
    for (int i = 0; net->links != NULL && i < net->link_count; i++) {
        struct run_link *link = &net->links[i];

        first = run_branch(&job->options, net->here, count, i, &size);
        link->first = first;
        link->count = size;
        if (!start(job, link)) {
            return false;
        }
        run_tree_pass_over(job, link->pid);
        run_link_send(link, RUN_FRAME_START, first, net->start, net->start_length);
    }
    return net->links != NULL;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* How what ran the agent has ended. */
static void describe_end(const struct run_link *link, char *text, size_t size)
{
    if (WIFSIGNALED(link->status)) {
        (void)snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(link->status),
                       strsignal(WTERMSIG(link->status)));
    } else {
        (void)snprintf(text, size, "has ended with code %d", WEXITSTATUS(link->status));
    }
}

/* A host that has never answered. */
static void explain_silence(const struct run_job *job, const struct run_link *link, char *message)
{
    const struct run_options *options = &job->options;
    const char *host = options->hosts[link->first], *launcher = options->launcher[0];
    const int code = WIFEXITED(link->status) ? WEXITSTATUS(link->status) : -1;
    char end[80];
    int said;

    describe_end(link, end, sizeof(end));
    if (code == 127 || code == 126) {
        (void)snprintf(message, RUN_TEXT_MAX + 1,
                       "host %.100s: %.150s cannot be run there: install apelink as it is here, or "
                       "say by --prefix where it is",
                       host, options->program);
        return;
    }
    said = snprintf(message, RUN_TEXT_MAX + 1,
                    "host %.100s cannot be reached: %.80s %s; try %.80s %.100s true", host,
                    launcher, end, launcher, host);
    if (job->net.here != 0 && said > 0 && said < RUN_TEXT_MAX) {
        (void)snprintf(message + said, (size_t)(RUN_TEXT_MAX + 1 - said),
                       " on host %s, which starts it (--fanout 4096: this one starts all)",
                       options->hosts[job->net.here]);
    }
}

static void explain(const struct run_job *job, const struct run_link *link, char *message)
{
    const char *host = job->options.hosts[link->first];
    char end[80], excerpt[64];

    if (link->broken) {
        run_link_excerpt(link, excerpt);
        (void)snprintf(message, RUN_TEXT_MAX + 1,
                       "host %.100s says what is no message (\"%s\"): %s", host, excerpt,
                       link->greeted
                           ? "prestorun there is of another version, install that of here"
                           : "commands that are run there have to print nothing of their own, look "
                             "at the files that its shell begins with");
    } else if (link->greeted) {
        describe_end(link, end, sizeof(end));
        (void)snprintf(message, RUN_TEXT_MAX + 1,
                       "host %.100s is lost, and its ranks with it: what ran prestorun there, "
                       "%.100s, %s",
                       host, job->options.launcher[0], end);
    } else {
        explain_silence(job, link, message);
    }
}

/* No more is heard of it; what runs the agent ends, or is made to. */
static void let_go(struct run_link *link, int signal)
{
    run_link_close(link);
    if (link->pid != 0 && signal != 0) {
        (void)kill(link->pid, signal);
    }
    link->kill_at_ns = link->pid != 0 ? ni_now_ns() + LAUNCHER_NS : 0;
}

void run_launch_look(struct run_job *job)
{
    char message[RUN_TEXT_MAX + 1];

    for (int i = 0; i < job->net.link_count; i++) {
        struct run_link *link = &job->net.links[i];

        if (!link->gone && (link->broken || (link->in < 0 && link->pid == 0))) {
            explain(job, link, message);
            let_go(link, SIGTERM);
            run_up_lost(job, link, message);
        } else if (link->in < 0 && link->pid != 0 && link->kill_at_ns == 0) {
            link->kill_at_ns = ni_now_ns() + LAUNCHER_NS;
        } else if (link->pid != 0 && link->kill_at_ns != 0 && ni_now_ns() >= link->kill_at_ns) {
            (void)kill(link->pid, SIGKILL);
            link->kill_at_ns = ni_now_ns() + LAUNCHER_NS;
        }
    }
}

int run_launch_patience(const struct run_job *job)
{
    int ms = -1;

    for (int i = 0; i < job->net.link_count; i++) {
        const struct run_link *link = &job->net.links[i];

        if (link->pid != 0 && link->kill_at_ns != 0) {
            uint64_t now = ni_now_ns();
            int left = link->kill_at_ns > now ? (int)((link->kill_at_ns - now) / 1000000) + 1 : 0;

            ms = ms < 0 || left < ms ? left : ms;
        }
    }
    return ms;
}

void run_launch_ended(struct run_job *job, pid_t pid, int status)
{
    for (int i = 0; i < job->net.link_count; i++) {
        if (job->net.links[i].pid == pid) {
            job->net.links[i].pid = 0;
            job->net.links[i].status = status;
        }
    }
}

void run_launch_drop(struct run_job *job, bool all)
{
    for (int i = 0; i < job->net.link_count; i++) {
        struct run_link *link = &job->net.links[i];

        if (!link->gone && (all || !link->greeted)) {
            let_go(link, SIGTERM);
            run_up_lost(job, link, NULL);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Hear the agents until they have closed, as they do when nothing is left of their hosts' ranks. */
static void await_ends(struct run_job *job, uint64_t until_ns)
{
    for (int i = 0; i < job->net.link_count; i++) {
        struct run_link *link = &job->net.links[i];

        while (link->in >= 0 && !link->broken && ni_now_ns() < until_ns) {
            struct pollfd one = {.fd = link->in, .events = POLLIN};

            run_link_write(link);
            if (poll(&one, 1, LOOK_MS) > 0) {
                run_up_read(job, link);
            }
            if (job->net.parent != NULL) {
                run_link_write(job->net.parent);
            }
        }
    }
}

static void await_launcher(struct run_link *link, uint64_t until_ns)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};

    while (link->pid != 0 && waitpid(link->pid, NULL, WNOHANG) == 0) {
        if (ni_now_ns() >= until_ns) {
            (void)kill(link->pid, SIGKILL);
        }
        (void)nanosleep(&pause, NULL);
    }
    link->pid = 0;
}

void run_launch_close(struct run_job *job)
{
    const uint64_t until_ns = ni_now_ns() + (uint64_t)CLOSE_MS * 1000000;
    struct run_net *net = &job->net;

    run_down_all(job, RUN_FRAME_CLOSE, 0, NULL, 0);
    await_ends(job, until_ns);
    for (int i = 0; net->links != NULL && i < net->link_count; i++) {
        await_launcher(&net->links[i], until_ns);
        run_link_close(&net->links[i]);
    }
    free(net->links);
    net->links = NULL;
    net->link_count = 0;
}
