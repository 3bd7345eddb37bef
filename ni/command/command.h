/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_COMMAND_COMMAND_H
#define NI_COMMAND_COMMAND_H

#include <apeni/command.h>
#include <apeni/notify.h>

#include "engine/engine.h"
#include "engine/core/targets.h"

/*
 * Command regions inside. Lines are memory of the owner, in which anything may happen at any time;
 * so a descriptor is copied out of its line once, when it is complete, and only the copy is judged
 * and used. What the NI knows of a line is in a slot of its own.
 *
 *   COMPOSING  the monitor looks at the line's words, from the first that it has not seen
 *   TAKEN      the copy is whole; it waits for a start flag, or in the job list
 *   OUT        the operation is under way; its completion makes the slot COMPOSING again
 *
 * Everything here belongs to the holder of the progress lock. The monitor (monitor.c) calls nobody;
 * serving (serve.c) starts operations, whose acks may call anybody, also to remove the region: so a
 * region is pinned while it is served, and while it has operations out.
 */

enum ni_slot_stage { NI_SLOT_COMPOSING, NI_SLOT_TAKEN, NI_SLOT_OUT };

struct ni_command_region;

struct ni_command_slot;

struct ni_command_job {
    struct ni_list list; /* in commands->jobs */
    struct ni_command_region *region;
    struct ni_command_slot *slot; /* NULL: the next line of a queue */
};

struct ni_command_slot {
    struct ni_command_job job; /* not used in a queue */
    struct ni_command_region *region;
    uint32_t mark;  /* what words of the present descriptor carry */
    uint8_t stage;  /* enum ni_slot_stage */
    uint8_t seen;   /* words, from the first */
    uint8_t wanted; /* words; 0: the head has not been seen */
    uint32_t word[NI_COMMAND_WORDS];
    struct ni_rkey ack_memory; /* ack WORD: the region in which the word is */
};

struct ni_command_region {
    struct ni_list all;        /* in commands->regions */
    struct ni_command_job job; /* NI_COMMAND_QUEUE: listed while lines are released */
    struct ni *ni;
    struct ni_command_line *lines;
    uint32_t count;
    bool queue;
    bool gone;     /* deregistered: the lines are not touched any more */
    uint32_t pins; /* operations out, and a server at work */
    /* NI_COMMAND_QUEUE: from `serve` on, lines released, lines held back, the line looked at
     * next */
    uint32_t serve, released, held, next;
    struct ni_targets targets;
    struct ni_command_slot slots[];
};

struct ni_commands {
    struct ni_list regions;
    struct ni_list jobs; /* struct ni_command_job, those that have waited longest first */
    bool serving;        /* not to be begun again by a callback */
};

/* ---- monitor.c ------------------------------------------------------------------------------- */

/* Post what is complete in a region; returns descriptors. Calls nobody. */
unsigned ni_command_look(struct ni_command_region *region);

/* ---- serve.c --------------------------------------------------------------------------------- */

/* Serve each job of the list until it is done or has found no room; returns descriptors. */
unsigned ni_command_serve(struct ni *ni);

/* ---- judge.c --------------------------------------------------------------------------------- */

/* A descriptor, read and judged. */
struct ni_command_order {
    enum ni_command_op op;
    const struct ni_target *target;
    uint8_t *local;
    uint64_t remote;
    uint32_t len;
    /* Of the owner: NONE, WORD, COUNTER, or CALL for an interrupt; NONE if it was not valid. */
    struct ni_ack ack;
    bool noted, departs; /* WRITE_NOTIFY */
    struct ni_note note;
};

enum ni_command_reason ni_command_judge(struct ni_command_slot *slot,
                                        struct ni_command_order *order);
/* The ack that the slot's descriptor names. */
struct ni_ack ni_command_ack_of(struct ni_command_slot *slot);

/* ---- region.c -------------------------------------------------------------------------------- */

void ni_command_unpin(struct ni_command_region *region);

static inline uint32_t ni_command_size(uint32_t head)
{
    return head & 0xff;
}

static inline bool ni_command_starts(uint32_t head)
{
    return (head & 1U << 14) != 0;
}

static inline uint64_t ni_command_pair(const uint32_t *word)
{
    return word[0] | (uint64_t)word[1] << 32;
}

#endif
