/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/run.h"

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
static bool open_ends(struct run_rank *rank, struct run_ends *ends)
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
    *ends = (struct run_ends){.wire = fds[1], .out = fds[3], .err = fds[5]};
    (void)fcntl(rank->out.fd, F_SETFL, O_NONBLOCK);
    (void)fcntl(rank->err.fd, F_SETFL, O_NONBLOCK);
    return true;
}

static bool spawn(struct run_job *job, struct run_rank *rank)
{
    struct run_ends ends;
    pid_t pid;

    if (!open_ends(rank, &ends)) {
        return false;
    }
    pid = run_guard_spawn(job, rank->number, &ends);
    close_all((const int[]){ends.wire, ends.out, ends.err}, 3);
    if (pid < 0) {
        return false;
    }
    rank->pid = pid;
    job->alive++;
    run_end_begun(job, rank, pid);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

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

static int ranks_here(const struct run_job *job)
{
    int count = 0;

    for (int i = 0; i < job->options.ranks; i++) {
        count += job->ranks[i].host == job->net.here;
    }
    return count;
}

/* The guard's and the pipe that ends, two for each agent, three for each rank; while one is started
 * its ends of them, and /dev/null.
 * Looked at before any is started, so that no rank begins what cannot go on. False: said why. */
static bool have_descriptors(struct run_job *job)
{
    const int ranks = ranks_here(job), count = 3 * ranks + 2 * job->net.link_count + 10;
    struct rlimit limit;
    int missing;

    if (ranks <= 200 && can_have(count, &missing)) {
        return true;
    }
    raise_limit();
    if (can_have(count, &missing)) {
        return true;
    }
    if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        run_say(job, "prestorun: no files can be opened for %d ranks: %s; start fewer (-n)\n",
                ranks, strerror(errno));
        return false;
    }
    run_say(job,
            "prestorun: %d ranks need %llu open files, and the limit is %llu: raise it (ulimit -n "
            "%llu, as root if the hard limit is lower), or start fewer ranks (-n)\n",
            ranks, (unsigned long long)limit.rlim_cur + (unsigned)missing,
            (unsigned long long)limit.rlim_cur,
            (unsigned long long)limit.rlim_cur + (unsigned)missing);
    return false;
}

static bool start_all(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].host == job->net.here && !spawn(job, &job->ranks[i])) {
            run_say(job, "prestorun: rank %d of %d cannot be started: %s\n", i, job->options.ranks,
                    strerror(errno));
            return false;
        }
    }
    return true;
}

bool run_spawn_ask(struct run_job *job, struct run_rank *rank)
{
    struct run_ends ends;
    bool well = open_ends(rank, &ends);

    if (!well && errno == EMFILE) {
        raise_limit();
        well = open_ends(rank, &ends);
    }
    if (well) {
        well = run_guard_ask(job, rank->number, &ends);
        close_all((const int[]){ends.wire, ends.out, ends.err}, 3);
    }
    return well;
}

bool run_spawn_all(struct run_job *job)
{
    bool well =
        have_descriptors(job) && run_guard_open(job) && run_launch_all(job) && start_all(job);

    run_guard_watch(job);
    return well;
}
