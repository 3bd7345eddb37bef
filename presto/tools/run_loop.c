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
        run_guard_reap(job);
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

/* What is waited for, each with what is to be done then. */
struct polls {
    nfds_t used;
    struct pollfd *fd;
    struct seat {
        void (*serve)(struct run_job *job, void *what, short events);
        void *what;
    } * seat;
};

/* A descriptor below 0 is closed, or not to be looked at now: poll would return at once where the
 * other side is gone. It is not in the list, for poll takes no more than the limit of open files.
 */
static void add(struct polls *polls, int fd, int events,
                void (*serve)(struct run_job *job, void *what, short events), void *what)
{
    if (fd >= 0) {
        polls->fd[polls->used] = (struct pollfd){.fd = fd, .events = (short)events};
        polls->seat[polls->used++] = (struct seat){serve, what};
    }
}

static void serve_sink(struct run_job *job, void *what, short events)
{
    (void)what;
    (void)events;
    run_output_write(job);
}

static void serve_out(struct run_job *job, void *what, short events)
{
    struct run_rank *rank = what;

    (void)events;
    run_output_read(job, rank, &rank->out);
}

static void serve_err(struct run_job *job, void *what, short events)
{
    struct run_rank *rank = what;

    (void)events;
    run_output_read(job, rank, &rank->err);
}

static void serve_wire(struct run_job *job, void *what, short events)
{
    struct run_rank *rank = what;

    if (rank->wire >= 0 && (events & ~POLLOUT) != 0) {
        run_wire_read(job, rank);
    }
    if ((events & POLLOUT) != 0) {
        run_wire_write(job, rank);
    }
}

static void serve_guard(struct run_job *job, void *what, short events)
{
    (void)what;
    (void)events;
    run_guard_read(job);
}

static void serve_signals(struct run_job *job, void *what, short events)
{
    (void)events;
    take_signal(job, *(const int *)what);
}

static void serve_link_out(struct run_job *job, void *what, short events)
{
    (void)job;
    (void)events;
    run_link_write(what);
}

static void serve_below(struct run_job *job, void *what, short events)
{
    (void)events;
    if (((struct run_link *)what)->in >= 0) {
        run_up_read(job, what);
    }
}

static void serve_above(struct run_job *job, void *what, short events)
{
    (void)what;
    (void)events;
    run_down_read(job);
}

static void serve_input(struct run_job *job, void *what, short events)
{
    (void)what;
    (void)events;
    if (job->net.parent != NULL) {
        run_input_write(job);
    } else {
        run_input_read(job);
    }
}

static void list_links(struct run_job *job, struct polls *polls)
{
    struct run_net *net = &job->net;

    for (int i = 0; i < net->link_count; i++) {
        struct run_link *link = &net->links[i];

        add(polls, link->in, POLLIN, serve_below, link);
        add(polls, run_link_waits(link) ? link->out : -1, POLLOUT, serve_link_out, link);
    }
    if (net->parent != NULL) {
        add(polls, run_link_waits(net->parent) ? net->parent->out : -1, POLLOUT, serve_link_out,
            net->parent);
        add(polls, net->parent->in, POLLIN, serve_above, NULL);
        add(polls, run_input_waits_for(job), POLLOUT, serve_input, NULL);
    } else {
        add(polls, run_input_fd(job), POLLIN, serve_input, NULL);
    }
}

/* Output first: what a rank said before it ended comes before what we say of that. */
static void list(struct run_job *job, int *signals, struct polls *polls)
{
    polls->used = 0;
    for (int i = 0; i < 2; i++) {
        add(polls, run_output_waits_for(job, i), POLLOUT, serve_sink, NULL);
    }
    for (int i = 0; i < job->options.ranks; i++) {
        struct run_rank *rank = &job->ranks[i];
        const int wanted = run_up_has_room(job) ? POLLIN : 0;

        add(polls, run_output_takes(job, &rank->out) ? rank->out.fd : -1, POLLIN, serve_out, rank);
        add(polls, run_output_takes(job, &rank->err) ? rank->err.fd : -1, POLLIN, serve_err, rank);
        add(polls, wanted != 0 || run_wire_waits(job, rank) ? rank->wire : -1,
            wanted | (run_wire_waits(job, rank) ? POLLOUT : 0), serve_wire, rank);
    }
    list_links(job, polls);
    add(polls, job->guard.fd, POLLIN, serve_guard, NULL);
    add(polls, *signals, POLLIN, serve_signals, signals);
}

static bool open_polls(struct polls *polls, const struct run_job *job)
{
    const size_t most = 9 + 3 * (size_t)job->options.ranks + 2 * (size_t)job->net.link_count;

    *polls = (struct polls){.fd = calloc(most, sizeof(*polls->fd)),
                            .seat = calloc(most, sizeof(*polls->seat))};
    return polls->fd != NULL && polls->seat != NULL;
}

static void close_polls(struct polls *polls)
{
    free(polls->fd);
    free(polls->seat);
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
static void turn(struct run_job *job, int signals, struct polls *polls)
{
    int ready;

    list(job, &signals, polls);
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
                job->hellos, job->options.ranks, job->refused, job->code);
    }
}

int run_loop(struct run_job *job, int signals)
{
    struct polls polls;

    if (!open_polls(&polls, job)) {
        run_say(job, "prestorun: out of memory: start fewer ranks (-n)\n");
        close_polls(&polls);
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
    close_polls(&polls);
    return job->code;
}
