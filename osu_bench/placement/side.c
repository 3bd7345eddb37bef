/* SPDX-License-Identifier: BSD-3-Clause */
#include "placement/side.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "clock.h"
#include "second.h"

enum {
    SPINS = 2000 /* empty polls before the core is given away: there may be fewer than we need */
};

static void open_side(struct side *side)
{
    struct ni_open_attr attr = {
        .flags = NI_THREADS, .host_processes = 2, .placement = side->placement};

    second_must(ni_open(&attr, &side->ni), "open an NI");
    (void)ni_placement_describe(side->ni, side->where, sizeof(side->where));
}

/* ---- the target ------------------------------------------------------------------------------ */

static void on_question(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    (void)ni_message(side->ni, message->source, side->shared->replies.handle, 0, NULL, 0,
                     message->data, message->len);
}

static void serve(void *arg)
{
    const struct side *first = arg;
    struct shared *shared = first->shared;
    struct side side = {.shared = shared, .placement = first->placement};

    open_side(&side);
    second_must(ni_region_memory(side.ni, shared->target, LOAD, NI_ACCESS_ALL, &shared->rkey),
                "register the target");
    second_must(ni_region_consumer(side.ni, on_question, &side, 0, &shared->queue), "make a queue");
    shared->blob_len = ni_address(side.ni, shared->blob, sizeof(shared->blob));
    /* Pairs with the load in second_start. */
    atomic_store_explicit(&shared->ready, true, memory_order_release);
    for (unsigned empty = 0; !atomic_load(&shared->stop);) {
        bool computes = atomic_load(&shared->compute);

        atomic_store(&shared->computes, computes);
        if (computes || ni_progress(side.ni) == 0) {
            empty++;
        } else {
            empty = 0;
        }
        if (empty > SPINS) {
            sched_yield();
        }
    }
    ni_close(side.ni);
}

void side_have_target(struct side *side, bool compute)
{
    atomic_store(&side->shared->compute, compute);
    while (atomic_load(&side->shared->computes) != compute) {
        (void)ni_progress(side->ni);
        sched_yield();
    }
}

/* ---- our side -------------------------------------------------------------------------------- */

static void on_reply(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    (void)message;
    atomic_fetch_add(&side->messages, 1);
}

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct side *side = arg;

    (void)value;
    if (status != NI_OK) {
        atomic_store(&side->failed, true);
    }
    atomic_fetch_add(&side->done, 1);
}

struct side *side_start(enum ni_placement placement)
{
    struct side *side = calloc(1, sizeof(*side));

    if (side == NULL) {
        fprintf(stderr, "ni_placement: no memory\n");
        exit(1);
    }
    side->placement = placement;
    side->shared = second_memory(sizeof(struct shared), MAP_SHARED);
    side->child = second_start(serve, side, &side->shared->ready);
    side->local = second_memory(LOAD, MAP_PRIVATE);
    open_side(side);
    second_must(ni_region_consumer(side->ni, on_reply, side, 0, &side->shared->replies),
                "make a queue");
    second_must(ni_connect(side->ni, side->shared->blob, side->shared->blob_len, &side->peer),
                "connect to the target");
    return side;
}

bool side_stop(struct side *side)
{
    bool good = !atomic_load(&side->failed);
    int status = 0;

    atomic_store(&side->shared->stop, true);
    good = waitpid(side->child, &status, 0) == side->child && status == 0 && good;
    ni_close(side->ni);
    munmap(side->shared, sizeof(*side->shared));
    munmap(side->local, LOAD);
    free(side);
    return good;
}

void side_transfer(struct side *side, bool read, size_t len)
{
    const struct ni_remote remote = {.addr = (uintptr_t)side->shared->target,
                                     .key = side->shared->rkey.key,
                                     .handle = side->shared->rkey.handle};
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = side};
    ni_status status;

    for (;;) {
        status = read ? ni_read(side->ni, side->peer, side->local, len, &remote, &ack)
                      : ni_write(side->ni, side->peer, side->local, len, &remote, &ack);
        if (status != NI_AGAIN) {
            break;
        }
        (void)ni_progress(side->ni);
    }
    second_must(status, read ? "read" : "write");
}

void side_ask(struct side *side)
{
    uint64_t word = 0;
    ni_status status;

    while ((status = ni_message(side->ni, side->peer, side->shared->queue.handle, 0, NULL, 0, &word,
                                sizeof(word))) == NI_AGAIN) {
        (void)ni_progress(side->ni);
    }
    second_must(status, "send a message");
}

void side_open_ni(const struct side *side, struct ni **ni, struct ni_peer **peer)
{
    struct side more = {.placement = side->placement};

    open_side(&more);
    second_must(ni_connect(more.ni, side->shared->blob, side->shared->blob_len, peer),
                "connect another NI to the target");
    *ni = more.ni;
}

void side_move(struct ni *ni, unsigned *empty)
{
    *empty = ni_progress(ni) != 0 ? 0 : *empty + 1;
    if (*empty > SPINS) {
        sched_yield();
    }
}

void side_await(struct side *side, const _Atomic uint64_t *count, uint64_t value)
{
    for (unsigned empty = 0; atomic_load(count) < value;) {
        empty = ni_progress(side->ni) != 0 ? 0 : empty + 1;
        if (empty > SPINS) {
            sched_yield();
        }
    }
}

bool side_await_until(struct side *side, const _Atomic uint64_t *count, uint64_t value,
                      uint64_t end)
{
    for (unsigned empty = 0; atomic_load(count) < value && osu_clock() < end;) {
        empty = ni_progress(side->ni) != 0 ? 0 : empty + 1;
        if (empty > SPINS) {
            sched_yield();
        }
    }
    return atomic_load(count) >= value;
}

bool side_same(const struct side *side, size_t len, const char *what)
{
    if (memcmp(side->local, side->shared->target, len) == 0) {
        return true;
    }
    fprintf(stderr, "ni_placement: %s: wrong data\n", what);
    return false;
}
