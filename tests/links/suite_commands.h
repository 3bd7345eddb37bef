/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_COMMANDS_H
#define TESTS_LINKS_SUITE_COMMANDS_H

#include "base/bits.h"
#include "suite.h"

/*
 * Command regions of NI 0, used towards NI 1. The controller composes: where the NIs have threads
 * or processes of their own, that is another thread or process than the one whose monitor looks.
 */

enum {
    CMD_SLICE = 512,   /* bytes of memory that one task uses */
    CMD_SLICES = 1024, /* of them */
    CMD_LOG = 16384,   /* messages that are remembered */
    CMD_LINES = 64,    /* most of one region */
    CMD_MEMORY = 0,    /* targets: NI 1's memory, */
    CMD_SINK = 1,      /* its queue with a consumer, */
    CMD_SECRET = 2,    /* its memory, with a wrong key, */
    CMD_BODY = 3,      /* and a small queue with a body */
};

struct cmd_world {
    struct suite *suite;
    uint8_t *local, *remote; /* CMD_SLICES slices each, at NI 0 and at NI 1 */
    struct ni_rkey local_key, remote_key, sink_key, body_key;
    ni_handle counter;          /* at NI 0 */
    _Atomic uint64_t log_count; /* messages that arrived at NI 1 */
    uint32_t log_len[CMD_LOG];
    uint8_t log[CMD_LOG][NI_COMMAND_PAYLOAD];
};

struct cmd_region {
    struct cmd_world *world;
    struct ni_command_line *lines;
    size_t count;
    unsigned flags;
    ni_handle handle;
    struct ni_command command[CMD_LINES]; /* as the composer knows them */
};

/* What one descriptor is to do, in its slice of memory. */
struct cmd_task {
    enum ni_command_op op;
    size_t slice;
    uint32_t len;
    uint64_t seed;
    struct ni_descriptor descriptor;
};

struct cmd_world *cmd_world_new(struct suite *suite);
struct cmd_region *cmd_region_new(struct cmd_world *world, size_t count, unsigned flags);
void cmd_region_end(struct cmd_region *region);

/* A task with random operation and length. */
void cmd_task_random(struct cmd_world *world, struct cmd_task *task, size_t slice, uint64_t seed);
void cmd_task_set(struct cmd_world *world, struct cmd_task *task, enum ni_command_op op,
                  size_t slice, uint32_t len, uint64_t seed);
/* That it was done. A message is looked for in the log from `from` on; returns where it is. */
uint64_t cmd_task_check(const struct cmd_world *world, const struct cmd_task *task, uint64_t from);

/* A random order of 0 to n - 1. */
void cmd_shuffle(struct ni_rng *rng, unsigned *order, unsigned n);

/* Let NI 0, and others as they move, look around several times. */
void cmd_turns(struct suite *suite);
/* Wait for the end of a line's descriptor. */
struct ni_command_result cmd_wait(struct suite *suite, const struct ni_command *command);
/* All of it, in order, and its end. */
struct ni_command_result cmd_run(struct cmd_region *region, unsigned line,
                                 const struct ni_descriptor *descriptor);

#endif
