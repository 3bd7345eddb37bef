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
static void stop_all(const struct run_job *job)
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
        return;
    }
    fprintf(stderr, "prestorun: ending the job: signal %d\n", signal);
    if (by_terminal) {
        run_end_signal_others(job, signal);
    }
    run_end_all(job, 128 + signal, by_terminal ? 0 : signal);
}

static void take_signal(struct run_job *job, int signals)
{
    struct signalfd_siginfo info;

    if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return;
    }
    switch (info.ssi_signo) {
    case SIGCHLD:
        run_end_collect(job);
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

/* 1 + 3 for each rank; those that are closed are -1, which poll passes over. */
static nfds_t list(const struct run_job *job, int signals, struct pollfd *polls, bool *open)
{
    nfds_t n = 0;

    *open = false;
    polls[n++] = (struct pollfd){.fd = signals, .events = POLLIN};
    for (int i = 0; i < job->options.ranks; i++) {
        const struct run_rank *rank = &job->ranks[i];

        polls[n++] =
            (struct pollfd){.fd = rank->wire,
                            .events = (short)(POLLIN | (run_wire_waits(job, rank) ? POLLOUT : 0))};
        polls[n++] = (struct pollfd){.fd = rank->out.fd, .events = POLLIN};
        polls[n++] = (struct pollfd){.fd = rank->err.fd, .events = POLLIN};
        *open = *open || rank->out.fd >= 0 || rank->err.fd >= 0;
    }
    return n;
}

/* Output first: what a rank said before it ended comes before what we say of that. */
static void serve(struct run_job *job, int signals, const struct pollfd *polls)
{
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];
        const struct pollfd *its = polls + 1 + 3 * i;

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
    if (polls[0].revents != 0) {
        take_signal(job, signals);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void for_each_stream(struct run_job *job,
                            void (*fn)(struct run_job *job, struct run_rank *rank,
                                       struct run_stream *stream))
{
    for (int i = 0; i < job->options.ranks; i++) {
        fn(job, &job->ranks[i], &job->ranks[i].out);
        fn(job, &job->ranks[i], &job->ranks[i].err);
    }
}

static bool any_partial(const struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (run_output_waits(&job->ranks[i].out) || run_output_waits(&job->ranks[i].err)) {
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
    int ms = job->alive == 0 ? LAST_MS : any_partial(job) ? PARTIAL_MS : -1;

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
            fprintf(stderr, "prestorun: %g s have passed (--timeout); ending the job\n",
                    job->options.timeout);
        }
        run_end_all(job, 124, SIGTERM);
    }
}

/* What ranks have started was told to end with them, and has as much time. */
static bool goes_on(const struct run_job *job, bool open)
{
    return job->alive > 0 || open || (job->over && !job->killed && run_end_left(job));
}

/* ---- loop ------------------------------------------------------------------------------------ */

int run_loop(struct run_job *job, int signals)
{
    struct pollfd *polls = calloc(1 + 3 * (size_t)job->options.ranks, sizeof(*polls));
    bool open = true;

    if (polls == NULL) {
        fputs("prestorun: out of memory: start fewer ranks (-n)\n", stderr);
        run_end_kill(job);
        return 1;
    }
    while (goes_on(job, open)) {
        nfds_t n = list(job, signals, polls, &open);
        int ready = goes_on(job, open) ? poll(polls, n, patience(job)) : 0;

        if (ready > 0) {
            serve(job, signals, polls);
        } else if (ready == 0) {
            for_each_stream(job, run_output_flush);
            open = open && job->alive > 0;
        }
        look_at_clock(job);
    }
    free(polls);
    return job->code;
}
