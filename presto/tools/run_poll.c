/* SPDX-License-Identifier: BSD-3-Clause */
/* What is waited for, and what is done then. */
#include <poll.h>
#include <stdlib.h>

#include "tools/run.h"

/* A descriptor below 0 is closed, or not to be looked at now: poll would return at once where the
 * other side is gone. It is not in the list, for poll takes no more than the limit of open files.
 */
static void add(struct run_polls *polls, int fd, int events,
                void (*serve)(struct run_job *job, void *what, short events), void *what)
{
    if (fd >= 0) {
        polls->fd[polls->used] = (struct pollfd){.fd = fd, .events = (short)events};
        polls->seat[polls->used++] = (struct run_seat){serve, what};
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
    run_signals_take(job, *(const int *)what);
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

static void list_links(struct run_job *job, struct run_polls *polls)
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

/* For all ranks that there are now. */
static bool make_room(struct run_polls *polls, const struct run_job *job)
{
    const size_t most = 9 + 3 * (size_t)job->options.ranks + 2 * (size_t)job->net.link_count;
    struct pollfd *fd;
    struct run_seat *seat;

    if (most <= polls->room) {
        return true;
    }
    fd = realloc(polls->fd, most * sizeof(*fd));
    polls->fd = fd != NULL ? fd : polls->fd;
    seat = realloc(polls->seat, most * sizeof(*seat));
    polls->seat = seat != NULL ? seat : polls->seat;
    polls->room = fd != NULL && seat != NULL ? most : polls->room;
    return fd != NULL && seat != NULL;
}

/* Ranks for which there is no memory are not looked at until there is. */
static int ranks_listed(struct run_polls *polls, const struct run_job *job)
{
    const size_t others = 9 + 2 * (size_t)job->net.link_count;

    return make_room(polls, job) ? job->options.ranks : (int)((polls->room - others) / 3);
}

/* Output first: what a rank said before it ended comes before what we say of that. */
void run_polls_list(struct run_job *job, int *signals, struct run_polls *polls)
{
    const int ranks = ranks_listed(polls, job);

    polls->used = 0;
    for (int i = 0; i < 2; i++) {
        add(polls, run_output_waits_for(job, i), POLLOUT, serve_sink, NULL);
    }
    for (int i = 0; i < ranks; i++) {
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

bool run_polls_open(struct run_polls *polls, const struct run_job *job)
{
    *polls = (struct run_polls){.room = 0};
    return make_room(polls, job);
}

void run_polls_close(struct run_polls *polls)
{
    free(polls->fd);
    free(polls->seat);
}
