/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMANDS_STRATEGIES_H
#define OSU_COMMANDS_STRATEGIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Transfers through a command region to a target, by each of the strategies of ni_commands.c. */

enum {
    COMMANDS_PIECE = 4096, /* most that a descriptor moves */
    COMMANDS_LARGEST = 512 << 10,
    COMMANDS_STRATEGIES = 3,
};

/* Descriptors for which there is one look for free lines; v1: those of a transfer. */
extern const unsigned commands_per_look[COMMANDS_STRATEGIES];

/* What a strategy has done so far. */
struct commands_counts {
    uint64_t posted, starts, looks; /* descriptors, start flags, looks for free lines */
};

struct commands;

/* NIs that are connected, over inproc or shm. */
struct commands *commands_open(bool inproc);
/* Returns whether all ended well. */
bool commands_close(struct commands *bench);

/* Transfers of one size; returns ns for each, or 0 if something is wrong. */
double commands_measure(struct commands *bench, unsigned strategy, size_t size, unsigned transfers);
/* The target's process has to wake up, and the first transfers make the lane: that is nobody's
 * strategy, and is not counted. */
bool commands_warm_up(struct commands *bench, unsigned transfers);

/* Descriptors of a transfer. */
unsigned commands_pieces(size_t size);
const struct commands_counts *commands_counts(const struct commands *bench, unsigned strategy);
/* Descriptors that the NI has taken. */
uint64_t commands_taken(const struct commands *bench);

#endif
