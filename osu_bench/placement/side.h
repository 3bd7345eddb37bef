/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_PLACEMENT_SIDE_H
#define OSU_PLACEMENT_SIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <apeni/apeni.h>

/*
 * Two processes with an NI each, of the same placement: ours, and a target that polls, answers
 * questions and computes when it is told to.
 */

enum { LONG = 4 << 20, LOAD = 64 << 20 };

/* What both processes see. */
struct shared {
    _Alignas(4096) uint8_t target[LOAD];
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey rkey, queue, replies;
    atomic_bool ready, stop, compute, computes;
};

/* Both sides have these. */
struct side {
    struct shared *shared;
    struct ni *ni;
    struct ni_peer *peer;
    pid_t child;
    enum ni_placement placement;
    uint8_t *local; /* LOAD bytes */
    _Atomic uint64_t messages, done;
    _Atomic bool failed;
    char where[160];
};

/* What fails here ends the program with a sentence. */
struct side *side_start(enum ni_placement placement);
/* Returns whether all ended well. */
bool side_stop(struct side *side);

/* Have the target compute, or poll. */
void side_have_target(struct side *side, bool compute);

/* Start a transfer of the first len bytes; side->done counts those that are over. */
void side_transfer(struct side *side, bool read, size_t len);
/* Ask the target a question of 8 bytes; side->messages counts the answers. */
void side_ask(struct side *side);
/* One more NI of this process, of the same placement, and the target as its peer. */
void side_open_ni(const struct side *side, struct ni **ni, struct ni_peer **peer);
/* Some progress, for who waits; *empty counts polls in vain. */
void side_move(struct ni *ni, unsigned *empty);
/* Make progress until so many have come. */
void side_await(struct side *side, const _Atomic uint64_t *count, uint64_t value);
/* The same, but no longer than until `end` (osu_clock); whether they have come. */
bool side_await_until(struct side *side, const _Atomic uint64_t *count, uint64_t value,
                      uint64_t end);

/* Whether both have the same; says so if not. */
bool side_same(const struct side *side, size_t len, const char *what);

#endif
