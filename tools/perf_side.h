/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_SIDE_H
#define TOOLS_PERF_SIDE_H

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <apeni/ni.h>
#include <apeni/region.h>
#include <apeni/transfer.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "engine/send/fast.h"
#include "perf.h"

/*
 * A side: one NI, its only peer, the memory that the peer may reach, and two queues with
 * consumers, one for data, one for what the sides have to tell each other.
 *
 * A leader measures, a follower does what the test demands of the other side, in a step function
 * that never waits: the process that polls the follower calls it, be it the follower's own or, over
 * the link inproc, the leader's, between two polls of its own. So one piece of code serves both.
 */

/* What a leader asks of a follower, and what that answers. */
enum perf_what {
    PERF_NOTHING,
    PERF_START,   /* stream both ways: count windows */
    PERF_DONE,    /* they are through */
    PERF_FILL,    /* fill the source with the pattern of seed */
    PERF_SEND,    /* the same, then send it */
    PERF_VERIFY,  /* compare the sink with the pattern of seed */
    PERF_WORD,    /* compare the word with size */
    PERF_VERDICT, /* to these four: done, so many bytes are wrong */
    PERF_REWRITE, /* write the source anew; answered by PERF_DONE */
};

struct perf_control {
    uint32_t what; /* enum perf_what */
    uint32_t seed;
    uint64_t size, count;
};

/* What a side tells the other one before they are connected. */
struct perf_hello {
    uint8_t blob[NI_BLOB_MAX];
    uint64_t blob_len;
    ni_handle data, control; /* queues */
    struct ni_rkey memory;
    uint64_t word, source, sink; /* addresses in it */
};

struct perf_side {
    /* hot */
    struct ni *ni;
    struct ni_peer *peer;
    uint64_t received;  /* data messages */
    uint64_t replied;   /* follower: of these */
    uint64_t issued;    /* transfers or messages of a stream */
    uint64_t completed; /* transfers */
    uint64_t window, size;
    uint64_t host_key; /* set before it is opened: sides with different ones share no memory */
    enum perf_op op;
    uint64_t rounds, rounds_done; /* windows of a stream */
    uint32_t empty;               /* polls in a row that found nothing */
    uint32_t patience;            /* of those, before the core is offered to others */
    bool waits;                   /* perf_setup.waits */
    bool late;                    /* found while waiting: the deadline has passed */
    bool rewrite;                 /* of the cell */
    uint64_t untimed;             /* ns of the rep that do not count */
    struct perf_side *partner;    /* inproc: the other side, ours to poll; else NULL */
    void (*step)(struct perf_side *side);
    uint8_t *source, *sink;
    struct perf_hello theirs;
    struct perf_control todo;   /* follower: asked and not done yet */
    struct perf_control answer; /* leader: what came */

    uint64_t stamp_next; /* --stamps: the next one to be read */

    /* cold */
    _Atomic uint64_t *word; /* the target of atomics */
    uint64_t capacity;      /* bytes of source and of sink */
    uint64_t deadline;      /* ns */
    uint64_t silent_since;  /* ns, while empty is above patience */
    uint64_t ack_value;
    struct perf_hello ours;
    void *memory;
    uint64_t memory_len;
};

typedef void (*perf_step_fn)(struct perf_side *side);

/* ---- perf_side.c ----------------------------------------------------------------------------- */

/* Open an NI over shared memory, or on a fabric; fill side->ours. Fails with a sentence. */
void perf_side_open(struct perf_side *side, struct ni_fabric *fabric, uint64_t capacity,
                    unsigned processes, unsigned cores);
void perf_side_connect(struct perf_side *side, const struct perf_hello *theirs);
void perf_side_close(struct perf_side *side);

/* Counts back to zero, before a cell. */
void perf_side_reset(struct perf_side *side, const struct perf_cell *cell);

/* Nothing has come for a while: offer the core to others, look at the clock and at the peer. */
NI_COLD void perf_rest(struct perf_side *side);

/* Ask a follower, or answer a leader; waits for room. */
void perf_control_send(struct perf_side *side, const struct perf_control *control);
/* Ask and wait for the answer; returns its count. */
uint64_t perf_control_ask(struct perf_side *side, const struct perf_control *control);

/* ---- perf_check.c ---------------------------------------------------------------------------- */

/* Check the transfers of the cell; returns the number of wrong bytes. */
uint64_t perf_check(struct perf_side *side);
/* The follower meanwhile. */
void perf_step_check(struct perf_side *side);

/* ---- polling --------------------------------------------------------------------------------- */

NI_ALWAYS_INLINE void perf_progress(struct perf_side *side)
{
    if (ni_progress(side->ni) != 0) {
        side->empty = 0;
    } else if (NI_UNLIKELY(++side->empty > side->patience)) {
        perf_rest(side);
    }
}

/* What a leader does while it waits. */
NI_ALWAYS_INLINE void perf_poll(struct perf_side *side)
{
    perf_progress(side);
    if (side->partner != NULL) {
        perf_progress(side->partner);
        side->partner->step(side->partner);
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

NI_ALWAYS_INLINE ni_status perf_message_inline(struct perf_side *side, uint32_t size)
{
    struct ni_peer *peer = side->peer;
    uint8_t *place = ni_msg_begin(peer, 0, size);

    if (NI_UNLIKELY(place == NULL)) {
        ni_status status = ni_peer_status(peer);

        return status != NI_OK ? status : NI_AGAIN;
    }
    ni_msg_copy(peer, place, side->source, size);
    ni_msg_commit(peer, side->theirs.data, 0, size);
    return NI_OK;
}

void perf_on_ack(void *arg, ni_status status, uint64_t value);

/* Start one transfer; NI_AGAIN if there is no room. op is a constant where this is called. */
NI_ALWAYS_INLINE ni_status perf_issue(struct perf_side *side, enum perf_op op, uint64_t size)
{
    struct perf_hello *theirs = &side->theirs;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = perf_on_ack, .arg = side};
    struct ni_remote there = {.key = theirs->memory.key, .handle = theirs->memory.handle};

    switch (op) {
    case PERF_MESSAGE:
        return ni_message(side->ni, side->peer, theirs->data, 0, side->source, 0, side->source,
                          size);
    case PERF_INLINE:
        return perf_message_inline(side, (uint32_t)size);
    case PERF_WRITE:
        there.addr = theirs->sink;
        return ni_write(side->ni, side->peer, side->source, size, &there, &ack);
    case PERF_READ:
        there.addr = theirs->source;
        return ni_read(side->ni, side->peer, side->sink, size, &there, &ack);
    default:
        there.addr = theirs->word;
        return ni_fetch_op(side->ni, side->peer, NI_ATOMIC_ADD, (unsigned)size, 1, 0, &there, &ack);
    }
}

NI_COLD _Noreturn void perf_issue_failed(const struct perf_side *side, enum perf_op op,
                                         uint64_t size, ni_status status);

/* The same, waiting for room. For leaders. */
NI_ALWAYS_INLINE void perf_issue_wait(struct perf_side *side, enum perf_op op, uint64_t size)
{
    ni_status status = perf_issue(side, op, size);

    while (NI_UNLIKELY(status != NI_OK)) {
        if (status != NI_AGAIN) {
            perf_issue_failed(side, op, size, status);
        }
        perf_poll(side);
        status = perf_issue(side, op, size);
    }
}

/* The same for steps: false if there is no room now. */
NI_ALWAYS_INLINE bool perf_issue_try(struct perf_side *side, enum perf_op op, uint64_t size)
{
    ni_status status = perf_issue(side, op, size);

    if (NI_UNLIKELY(status != NI_OK && status != NI_AGAIN)) {
        perf_issue_failed(side, op, size, status);
    }
    return status == NI_OK;
}

static inline bool perf_is_message(enum perf_op op)
{
    return op == PERF_MESSAGE || op == PERF_INLINE;
}

/* ---- tests (perf_latency.c, perf_stream.c) --------------------------------------------------- */

/* What two workers share. A cell goes by phases, which both count. */
struct perf_pair {
    /* Phases that the leader has ended (E1, release by the leader, acquire by the follower), and
     * that the follower has begun (B1, release by the follower, acquire by the leader). */
    _Alignas(256) _Atomic uint32_t ended;
    _Alignas(256) _Atomic uint32_t begun;
    /* The line measured: each is written by one of them and polled by the other one; a pair of
     * lines may be fetched together, hence the distance. */
    _Alignas(256) _Atomic uint64_t ping;
    _Alignas(256) _Atomic uint64_t pong;
};

struct perf_test {
    /* Leader: do count iterations, or fewer if the deadline passes; returns how many. */
    uint64_t (*lead)(struct perf_side *side, uint64_t count);
    /* Follower in a process of its own: until the leader has ended the phase. */
    void (*follow)(struct perf_side *side, struct perf_pair *pair, uint32_t phase);
    /* Follower polled by the leader. */
    perf_step_fn step;
    unsigned ways; /* what one iteration moves: 2, there and back; 1, there */
};

const struct perf_test *perf_latency_test(enum perf_op op, bool rewrite);
const struct perf_test *perf_stream_test(bool both_ways);

/* ---- perf_line.c ----------------------------------------------------------------------------- */

/* Measure, while the other process answers; both are pinned. */
void perf_line_measure(struct perf_pair *pair, struct perf_line *line);
void perf_line_answer(struct perf_pair *pair, uint32_t phase);

/* Whether the leader has ended the phase. */
static inline bool perf_ended(struct perf_pair *pair, uint32_t phase)
{
    /* Pairs with E1. */
    return (int32_t)(atomic_load_explicit(&pair->ended, memory_order_acquire) - phase) >= 0;
}

/* A follower's loop; step is a constant where this is called. */
NI_ALWAYS_INLINE void perf_follow(struct perf_side *side, struct perf_pair *pair, uint32_t phase,
                                  perf_step_fn step)
{
    while (!perf_ended(pair, phase)) {
        perf_progress(side);
        step(side);
    }
}

/* ---- perf_stamps.c --------------------------------------------------------------------------- */

/* Of what has arrived since the first, as the second collects it. */
void perf_stamps_skip(struct perf_side *side);
void perf_stamps_collect(struct perf_side *side, struct perf_stamps *result);

#endif
