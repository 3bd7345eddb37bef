/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_PLACEMENT_MEASURE_H
#define OSU_PLACEMENT_MEASURE_H

#include "placement/side.h"

/* The experiments, each at one placement. Those that return false have said why. */

enum {
    SMALLEST = 64,
    LARGEST = 16 << 10,
    SIZES = 9, /* from SMALLEST to LARGEST */
    INITIATORS_MAX = 64,
    PATIENCE_S = 2, /* for one long transfer towards a process that computes */
};

/* One-sided reads, by size: latency for one initiator, bandwidth of all together. */
struct read_times {
    double latency_us[SIZES], bandwidth[SIZES]; /* MB/s */
};

/* Through queue pairs, one for each initiator, whose requests are unrolled into reads of so many
 * bytes; 0: not. initiators: up to INITIATORS_MAX; rounds: of each size, by all together. */
bool measure_reads(struct side *side, uint32_t unroll, unsigned initiators, unsigned rounds,
                   struct read_times *times);

/* A message of 8 bytes, half a round trip, alone and beside a write of LOAD bytes. */
struct loaded_times {
    double unloaded_us, loaded_us;
    size_t messages;            /* beside it */
    double alone_us, beside_us; /* the write */
};

bool measure_loaded(struct side *side, unsigned rounds, unsigned seed, struct loaded_times *times);

/* Transfers of LONG bytes towards a process that polls, and one that computes. */
struct long_times {
    double polls_us, computes_us; /* the latter < 0: they wait for the target's calls */
};

bool measure_computing(struct side *side, unsigned seed, struct long_times *writes,
                       struct long_times *reads);

#endif
