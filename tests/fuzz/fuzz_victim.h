/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FUZZ_FUZZ_VICTIM_H
#define TESTS_FUZZ_FUZZ_VICTIM_H

#include <apeni/apeni.h>

#include "fuzz_input.h"

/*
 * What a hostile peer finds at the interface that it writes to: memory with guards around, of which
 * only the region may change, a consumer that looks at every byte, and operations that complete
 * once each.
 */

enum { VICTIM_REGION = 256, VICTIM_GUARD = 64, VICTIM_MEMORY = VICTIM_REGION + 2 * VICTIM_GUARD };

struct victim {
    struct ni *ni;
    uint8_t *memory; /* guard, region, guard */
    struct ni_rkey region, consumer;
    uint8_t target[128]; /* of what it reads */
    unsigned started, completed;
    uint64_t seen; /* sum of all bytes of messages */
};

static inline void victim_consume(void *arg, const struct ni_message_info *message)
{
    struct victim *victim = arg;

    /* Every byte must be readable: AddressSanitizer tells. */
    for (uint32_t i = 0; i < message->len; i++) {
        victim->seen += ((const uint8_t *)message->data)[i];
    }
}

static inline void victim_done(void *arg, ni_status status, uint64_t value)
{
    struct victim *victim = arg;

    (void)status;
    (void)value;
    victim->completed++;
    must(victim->completed <= victim->started, "an operation completed twice");
}

/* Give an interface its memory and its consumer. */
static inline void victim_init(struct victim *victim, struct ni *ni)
{
    *victim = (struct victim){.ni = ni, .memory = malloc(VICTIM_MEMORY)};
    must(victim->memory != NULL, "memory");
    memset(victim->memory, 0x5a, VICTIM_MEMORY);
    must(ni_region_memory(ni, victim->memory + VICTIM_GUARD, VICTIM_REGION, NI_ACCESS_ALL,
                          &victim->region) == NI_OK &&
             ni_region_consumer(ni, victim_consume, victim, 0, &victim->consumer) == NI_OK,
         "regions");
}

/* Somewhere in the memory, guards included. */
static inline uint64_t victim_somewhere(const struct victim *victim, uint64_t at)
{
    return (uintptr_t)victim->memory + at % VICTIM_MEMORY;
}

enum victim_op { VICTIM_READS, VICTIM_WRITES, VICTIM_FETCHES };

/* Start an operation of the victim, so that there is something to answer. */
static inline void victim_start(struct victim *victim, struct ni_peer *peer, enum victim_op op)
{
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = victim_done, .arg = victim};
    const struct ni_remote where = {.addr = 4096, .key = 1, .handle = 1};
    ni_status status;

    victim->started++;
    switch (op) {
    case VICTIM_READS:
        status = ni_read(victim->ni, peer, victim->target, sizeof(victim->target), &where, &ack);
        break;
    case VICTIM_WRITES:
        status = ni_write(victim->ni, peer, victim->memory, VICTIM_REGION, &where, &ack);
        break;
    default:
        status = ni_fetch_op(victim->ni, peer, NI_ATOMIC_ADD, 8, 1, 0, &where, &ack);
    }
    victim->started -= status != NI_OK;
}

static inline void victim_check_guards(const struct victim *victim)
{
    for (unsigned i = 0; i < VICTIM_GUARD; i++) {
        must(victim->memory[i] == 0x5a && victim->memory[VICTIM_GUARD + VICTIM_REGION + i] == 0x5a,
             "guard overwritten");
    }
}

/* Once the interface is closed. */
static inline void victim_fini(struct victim *victim)
{
    must(victim->completed == victim->started, "an operation never completed");
    free(victim->memory);
}

#endif
