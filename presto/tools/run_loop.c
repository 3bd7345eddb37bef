/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting: for signals, what ranks say, what they print, and for time to pass. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/run.h"

enum {
    PARTIAL_MS = 100, /* a line that does not end is shown after so long: it may be a question */
    LAST_MS = 200, /* what keeps a pipe open after all ranks have ended is not waited for longer */
};

/* ---- signals --------------------------------------------------------------------------------- */

/* Stopped from outside: the ranks stop, too. From the terminal they are. */
static void stop_all(struct run_job *job)
{
    run_end_signal(job, SIGSTOP);
    (void)raise(SIGSTOP);
    run_end_signal(job, SIGCONT);
}

/* From a terminal the ranks have it already: one that counts how often it is interrupted shall see
 * one. */
static void end_by(struct run_job *job, int signal, bool by_terminal)
{
    if (job->over) {
        run_end_kill(job); /* asked twice */
        job->give_up_at_ns = ni_now_ns();
        return;
    }
    run_say(job, "prestorun: ending the job: signal %d\n", signal);
    if (by_terminal) {
        run_end_signal_others(job, signal);
    }
    run_end_soon(job, 128 + signal, by_terminal ? 0 : signal);
}

static void take_signal(struct run_job *job, int signals)
{
    struct signalfd_siginfo info;

    if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return;
    }
    switch (info.ssi_signo) {
    case SIGCHLD:
        run_guard_reap();
        break;
    case SIGINT:
    case SIGQUIT:
        end_by(job, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
        break;
    case SIGTERM:
    case SIGHUP:
        end_by(job, (int)info.ssi_signo, false);
        break;
    case SIGTSTP:
        stop_all(job);
        break;
    default:
        run_end_signal(job, (int)info.ssi_signo);
    }
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static struct pollfd readable(const struct run_job *job, const struct run_stream *stream)
{
    return (struct pollfd){.fd = run_output_takes(job, stream) ? stream->fd : -1, .events = POLLIN};
}

enum { SINKS = 2, RANKS = 4 }; /* where these begin; 3 for each rank */

/* Closed ones are -1, which poll passes over, and so are those that are not to be read now: poll
 * would return at once where the other side is gone. Those behind the last open one are left out:
 * poll takes no more than the limit of open files, which may have kept ranks from being started. */
static nfds_t list(const struct run_job *job, int signals, struct pollfd *polls)
{
    nfds_t n = 0, used;

    polls[n++] = (struct pollfd){.fd = signals, .events = POLLIN};
    polls[n++] = (struct pollfd){.fd = job->guard.fd, .events = POLLIN};
    for (int i = 0; i < 2; i++) {
        polls[n++] = (struct pollfd){.fd = run_output_waits_for(job, i), .events = POLLOUT};
    }
    for (int i = 0; i < job->options.ranks; i++) {
        const struct run_rank *rank = &job->ranks[i];

        polls[n++] =
            (struct pollfd){.fd = rank->wire,
                            .events = (short)(POLLIN | (run_wire_waits(job, rank) ? POLLOUT : 0))};
        polls[n++] = readable(job, &rank->out);
        polls[n++] = readable(job, &rank->err);
    }
    for (used = n; polls[used - 1].fd < 0; used--) {
        continue;
    }
    return used;
}

/* Output first: what a rank said before it ended comes before what we say of that. */
static void serve(struct run_job *job, int signals, const struct pollfd *polls)
{
    if (polls[SINKS].revents != 0 || polls[SINKS + 1].revents != 0) {
        run_output_write(job);
    }
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];
        const struct pollfd *its = polls + RANKS + 3 * i;

        if (rank->out.fd >= 0 && its[1].revents != 0) {
            run_output_read(job, rank, &rank->out);
        }
        if (rank->err.fd >= 0 && its[2].revents != 0) {
            run_output_read(job, rank, &rank->err);
        }
        if (rank->wire >= 0 && (its[0].revents & ~POLLOUT) != 0) {
            run_wire_read(job, rank);
        }
        if ((its[0].revents & POLLOUT) != 0) {
            run_wire_write(job, rank);
        }
    }
    if (polls[1].revents != 0) {
        run_guard_read(job);
    }
    if (polls[0].revents != 0) {
        take_signal(job, signals);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void flush_partial(struct run_job *job, struct run_rank *rank, struct run_stream *stream)
{
    if (run_output_is_partial(job, stream)) {
        run_output_flush(job, rank, stream);
    }
}

static void flush_all_partial(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        flush_partial(job, &job->ranks[i], &job->ranks[i].out);
        flush_partial(job, &job->ranks[i], &job->ranks[i].err);
    }
}

static bool any_partial(const struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (run_output_is_partial(job, &job->ranks[i].out) ||
            run_output_is_partial(job, &job->ranks[i].err)) {
            return true;
        }
    }
    return false;
}

static int sooner(int ms, uint64_t at_ns, uint64_t now_ns)
{
    uint64_t left;

    if (at_ns == 0) {
        return ms;
    }
    left = at_ns > now_ns ? (at_ns - now_ns) / 1000000 + 1 : 0;
    return ms < 0 || left < (uint64_t)ms ? (int)left : ms;
}

static int patience(const struct run_job *job)
{
    uint64_t now = ni_now_ns();
    bool last = job->alive == 0 && !run_output_waits(job);
    int ms = last ? LAST_MS : any_partial(job) ? PARTIAL_MS : -1;

    ms = sooner(ms, job->give_up_at_ns, now);
    return sooner(sooner(ms, job->kill_at_ns, now), job->timeout_at_ns, now);
}

static void look_at_clock(struct run_job *job)
{
    uint64_t now = ni_now_ns();

    if (job->kill_at_ns != 0 && now >= job->kill_at_ns) {
        run_end_kill(job);
    }
    if (job->timeout_at_ns != 0 && now >= job->timeout_at_ns) {
        job->timeout_at_ns = 0;
        if (!job->over) {
            run_say(job, "prestorun: %g s have passed (--timeout); ending the job\n",
                    job->options.timeout);
        }
        run_end_soon(job, 124, SIGTERM);
    }
    if (job->give_up_at_ns != 0 && now >= job->give_up_at_ns) {
        job->give_up_at_ns = 0;
        run_output_give_up(job);
    }
}

/* What ranks have started was told to end with them, and has as much time. */
static bool goes_on(const struct run_job *job, bool open)
{
    return job->alive > 0 || open || (job->over && !job->killed && run_tree_left(job));
}

/* ---- loop ------------------------------------------------------------------------------------ */

static bool any_open(const struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].out.fd >= 0 || job->ranks[i].err.fd >= 0) {
            return true;
        }
    }
    return false;
}

/* Wait for something and deal with it; whether more output of ranks may come. */
static bool turn(struct run_job *job, int signals, struct pollfd *polls)
{
    nfds_t n = list(job, signals, polls);
    int ready = poll(polls, n, patience(job));
    bool waited = false; /* for the last output, in vain */

    if (ready > 0) {
        serve(job, signals, polls);
    } else if (ready == 0) {
        flush_all_partial(job);
        waited = job->alive == 0 && !run_output_waits(job);
    }
    look_at_clock(job);
    return !waited && any_open(job);
}

static void tell_end(struct run_job *job)
{
    if (job->options.verbose) {
        run_say(job, "prestorun: %d of %d ranks joined, %u messages refused, exit status %d\n",
                job->hellos, job->options.ranks, job->refused, job->code);
    }
}

int run_loop(struct run_job *job, int signals)
{
    struct pollfd *polls = calloc(RANKS + 3 * (size_t)job->options.ranks, sizeof(*polls));
    bool open = true;

    if (polls == NULL) {
        run_say(job, "prestorun: out of memory: start fewer ranks (-n)\n");
        run_guard_close(job);
        return 1;
    }
    while (goes_on(job, open)) {
        open = turn(job, signals, polls);
    }
    run_guard_close(job);
    tell_end(job);
    while (run_output_waits(job)) {
        (void)turn(job, signals, polls);
    }
    free(polls);
    return job->code;
}
