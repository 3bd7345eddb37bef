/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting: for something to come, and for time to pass. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "tools/run.h"

enum {
    PARTIAL_MS = 100, /* a line that does not end is shown after so long: it may be a question */
    LAST_MS = 200, /* what keeps a pipe open after all ranks have ended is not waited for longer */
};

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

/* Whether no rank is left that could print something. */
static bool is_last(const struct run_job *job)
{
    return job->alive == 0 && (job->net.parent == NULL || job->net.last);
}

static int patience(const struct run_job *job)
{
    uint64_t now = ni_now_ns();
    bool last = is_last(job) && !run_output_waits(job) && !job->net.empty;
    int ms = last ? LAST_MS : any_partial(job) ? PARTIAL_MS : -1, links;

    ms = sooner(ms, job->give_up_at_ns, now);
    ms = sooner(ms, job->net.abandon_at_ns, now);
    ms = sooner(sooner(ms, job->kill_at_ns, now), job->timeout_at_ns, now);
    links = run_launch_patience(job);
    return links >= 0 && (ms < 0 || links < ms) ? links : ms;
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
    if (job->net.abandon_at_ns != 0 && now >= job->net.abandon_at_ns) {
        job->net.abandon_at_ns = 0;
        run_launch_drop(job, true);
    }
    run_launch_look(job);
}

/* ---- loop ------------------------------------------------------------------------------------ */

static bool any_open(const struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        if (job->ranks[i].out.fd != -1 || job->ranks[i].err.fd != -1) {
            return true;
        }
    }
    return false;
}

/* Of what ranks have left on other hosts. */
static bool any_host_left(const struct run_job *job)
{
    for (int i = 1; i < job->options.host_count; i++) {
        if (!job->net.hosts[i].empty && !job->net.hosts[i].lost) {
            return true;
        }
    }
    return false;
}

/* What ranks have started was told to end with them, and has as much time. */
static bool has_time(const struct run_job *job)
{
    return job->over && !job->killed && run_tree_left(job);
}

/* An agent is told to end
 * by the end of its host above. */
static bool goes_on(const struct run_job *job)
{
    if (job->net.parent != NULL) {
        return job->net.parent->in >= 0 && !job->net.closing;
    }
    return job->alive > 0 || any_open(job) || has_time(job) ||
           (job->over && !job->killed && any_host_left(job));
}

/* What keeps a pipe open is not waited for any longer. */
static void close_streams(struct run_job *job)
{
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];

        for (int k = 0; k < 2; k++) {
            struct run_stream *stream = k == 0 ? &rank->out : &rank->err;

            if (stream->fd >= 0) {
                run_output_end(job, rank, stream);
            }
        }
    }
}

/* Wait for something and deal with it. */
static void turn(struct run_job *job, int signals, struct run_polls *polls)
{
    int ready;

    run_polls_list(job, &signals, polls);
    ready = poll(polls->fd, polls->used, patience(job));
    for (nfds_t i = 0; ready > 0 && i < polls->used; i++) {
        if (polls->fd[i].revents != 0) {
            polls->seat[i].serve(job, polls->seat[i].what, polls->fd[i].revents);
        }
    }
    if (ready == 0) {
        flush_all_partial(job);
        if (is_last(job) && !run_output_waits(job) && !has_time(job)) {
            close_streams(job);
        }
    }
    look_at_clock(job);
    if (job->net.parent == NULL) {
        run_down_turn(job);
    } else if (job->alive == 0 && !any_open(job) && !run_tree_left(job)) {
        run_up_empty(job);
    }
}

static void tell_end(struct run_job *job)
{
    if (job->options.verbose) {
        run_say(job, "prestorun: %d of %d ranks joined, %u messages refused, exit status %d\n",
                job->hellos, job->opened, job->refused, job->code);
    }
}

int run_loop(struct run_job *job, int signals)
{
    struct run_polls polls;

    if (!run_polls_open(&polls, job)) {
        run_say(job, "prestorun: out of memory: start fewer ranks (-n)\n");
        run_polls_close(&polls);
        run_guard_close(job);
        run_launch_close(job);
        return 1;
    }
    while (goes_on(job)) {
        turn(job, signals, &polls);
    }
    run_guard_close(job);
    run_launch_close(job);
    if (job->net.parent == NULL) {
        tell_end(job);
    }
    while (job->net.parent == NULL && run_output_waits(job)) {
        turn(job, signals, &polls);
    }
    run_polls_close(&polls);
    return job->code;
}
