/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/run.h"

/* What a rank inherits: its ends of socket and pipes. */
struct ends {
    int wire, out, err;
};

/* ---- the rank's side ------------------------------------------------------------------------- */

static void set_number(const char *name, long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", value);
    (void)setenv(name, text, 1);
}

/* False: said why. */
static bool set_environment(const struct run_job *job, const struct run_rank *rank,
                            const struct ends *ends)
{
    const struct run_app *app = rank->app;

    if (app->directory >= 0) {
        char *name = NULL;

        if (fchdir(app->directory) != 0 || (name = getcwd(NULL, 0)) == NULL) {
            fprintf(stderr, "prestorun: rank %d cannot begin in its --wdir: %s\n", rank->number,
                    strerror(errno));
            return false;
        }
        (void)setenv("PWD", name, 1);
        free(name);
    }
    for (size_t i = 0; i < app->variable_count; i++) {
        (void)putenv((char *)app->variables[i]);
    }
    (void)unsetenv("PRESTO_THREADS"); /* ranks are processes here */
    (void)setenv("PRESTO_KEY", job->key, 1);
    set_number("PRESTO_FD", ends->wire);
    set_number("PRESTO_SIZE", job->options.ranks);
    set_number("PRESTO_RANK", rank->number);
    set_number("PRESTO_APPNUM", app->number);
    if (job->options.verbose) {
        (void)setenv("PRESTO_STATS", "1", 1);
    }
    return true;
}

static void set_streams(const struct run_options *options, int number, const struct ends *ends)
{
    if (number != options->reader) {
        int null = open("/dev/null", O_RDONLY);

        if (null > 0) {
            (void)dup2(null, STDIN_FILENO);
            (void)close(null);
        }
    }
    (void)dup2(ends->out, STDOUT_FILENO);
    (void)dup2(options->merge ? ends->out : ends->err, STDERR_FILENO);
    (void)close(ends->out);
    (void)close(ends->err);
}

static void bind_rank(enum run_bind what, int number)
{
    cpu_set_t allowed, chosen;

    if (what != RUN_BIND_NONE && sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        run_bind_choose(what, RUN_BIND_FOLDER, &allowed, number, &chosen);
        (void)sched_setaffinity(0, sizeof(chosen), &chosen);
    }
}

static _Noreturn void be_rank(const struct run_job *job, const struct run_rank *rank,
                              const struct ends *ends, pid_t parent)
{
    char **command = rank->app->command;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1); /* it had died before that */
    }
    set_streams(&job->options, rank->number, ends);
    (void)fcntl(ends->wire, F_SETFD, 0);
    bind_rank(job->options.bind, rank->number);
    run_signals_reset();
    if (set_environment(job, rank, ends)) {
        execvp(command[0], command);
        fprintf(stderr, "prestorun: rank %d cannot run %s: %s\n", rank->number, command[0],
                strerror(errno));
    }
    _exit(127);
}

/* ---- our side -------------------------------------------------------------------------------- */

static void close_all(const int *fds, int n)
{
    for (int i = 0; i < n; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
}

/* All close when a program is executed: a rank keeps none of another's. */
static bool open_ends(struct run_rank *rank, struct ends *ends)
{
    int fds[6] = {-1, -1, -1, -1, -1, -1};

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0 ||
        pipe2(fds + 2, O_CLOEXEC) != 0 || pipe2(fds + 4, O_CLOEXEC) != 0) {
        close_all(fds, 6);
        return false;
    }
    rank->wire = fds[0];
    rank->out.fd = fds[2];
    rank->err.fd = fds[4];
    *ends = (struct ends){.wire = fds[1], .out = fds[3], .err = fds[5]};
    (void)fcntl(rank->out.fd, F_SETFL, O_NONBLOCK);
    (void)fcntl(rank->err.fd, F_SETFL, O_NONBLOCK);
    return true;
}

static bool spawn(struct run_job *job, struct run_rank *rank)
{
    const pid_t parent = getpid();
    struct ends ends;
    pid_t pid;

    if (!open_ends(rank, &ends)) {
        return false;
    }
    pid = fork();
    if (pid == 0) {
        be_rank(job, rank, &ends, parent);
    }
    close_all((const int[]){ends.wire, ends.out, ends.err}, 3);
    if (pid < 0) {
        return false;
    }
    rank->pid = rank->was = pid;
    job->alive++;
    if (job->options.verbose) {
        run_say(job, "prestorun: rank %d is pid %d\n", rank->number, (int)pid);
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void make_key(struct run_job *job)
{
    uint64_t key = (uint64_t)getpid() << 32 ^ ni_now_ns();

    (void)!getrandom(&key, sizeof(key), GRND_NONBLOCK);
    snprintf(job->key, sizeof(job->key), "%016llx", (unsigned long long)(key | 1));
}

/* Ranks need one for each other. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Whether so many descriptors can be had at once: by having them. *missing: how many cannot, for
 * the reason in errno. */
static bool can_have(int count, int *missing)
{
    int got = 0, fd = 0, error;
    int *fds = calloc((size_t)count, sizeof(*fds));

    if (fds == NULL) {
        run_no_memory();
    }
    while (got < count && (fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0) {
        fds[got++] = fd;
    }
    error = errno;
    close_all(fds, got);
    free(fds);
    errno = error;
    *missing = count - got;
    return got == count;
}

/* Three for each rank; while one is started its ends of them, and /dev/null. Looked at before any
 * is started, so that no rank begins what cannot go on. False: said why. */
static bool have_descriptors(struct run_job *job)
{
    const int count = 3 * job->options.ranks + 4;
    struct rlimit limit;
    int missing;

    if (job->options.ranks <= 200 && can_have(count, &missing)) {
        return true;
    }
    raise_limit();
    if (can_have(count, &missing)) {
        return true;
    }
    if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        run_say(job, "prestorun: no files can be opened for %d ranks: %s; start fewer (-n)\n",
                job->options.ranks, strerror(errno));
        return false;
    }
    run_say(job,
            "prestorun: %d ranks need %llu open files, and the limit is %llu: raise it (ulimit -n "
            "%llu, as root if the hard limit is lower), or start fewer ranks (-n)\n",
            job->options.ranks, (unsigned long long)limit.rlim_cur + (unsigned)missing,
            (unsigned long long)limit.rlim_cur,
            (unsigned long long)limit.rlim_cur + (unsigned)missing);
    return false;
}

bool run_spawn_all(struct run_job *job)
{
    make_key(job);
    if (!have_descriptors(job)) {
        return false;
    }
    for (int i = 0; i < job->options.ranks; i++) {
        if (!spawn(job, &job->ranks[i])) {
            run_say(job, "prestorun: rank %d of %d cannot be started: %s\n", i, job->options.ranks,
                    strerror(errno));
            return false;
        }
    }
    return true;
}
