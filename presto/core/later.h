/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_LATER_H
#define PRESTO_CORE_LATER_H

#include "core/core.h"
#include "core/wire_up.h"

/*
 * Ranks that come later, and those of other jobs under the same launcher. Their numbers are unique,
 * so that they are named as all others are, once they are known: pri_peers_know. All of it needs a
 * launcher that serves it, prestorun on one host.
 */

/* NULL: it is served; else why not, and what to do. */
const char *pri_later_lacks(const struct pri_rank *self);

/* The key that ranks under the same launcher have, and no others. */
uint64_t pri_later_key(const struct pri_rank *self);

/* Whom messages may be sent to from now on, by their numbers. 0; PRI_ERR_PEER: one of them has
 * left; PRI_ERR_NOMEM, PRI_ERR_START. Thread-safe. */
int pri_peers_know(struct pri_rank *self, const int *ranks, int size);

/* Ranks of other jobs that have left or died are forgotten by progress, since others may get their
 * numbers, but not those that groups have: one more has these, or one less. Nor is any while a call
 * is between these two. All thread-safe. */
void pri_peers_hold(struct pri_rank *self, const int *ranks, int size, int groups);
void pri_peers_meet(struct pri_rank *self);
void pri_peers_met(struct pri_rank *self);

/* What the launcher says. */
struct pri_answer {
    struct pri_wire_answer what;
    uint32_t length; /* of what was asked for */
    char bytes[2048];
};

/* One of the commands that are to be started: its number, its ranks, where they begin. */
struct pri_command {
    int number, ranks;
    const char *folder;
    const char *program;
    char *const *arguments; /* NULL at the end; or NULL */
};

/* Have them started, and wait until all ranks have joined the job that they are. An error of the
 * core, or answer->what says what has become of it. Thread-safe. */
int pri_spawn(struct pri_rank *self, const struct pri_command *commands, int count,
              struct pri_answer *answer);

/* Names that ranks under the same launcher know: with a value, until they are withdrawn or the rank
 * has left; of the kinds 'p' (ports) and 's' (services). Likewise. */
int pri_name_publish(struct pri_rank *self, char kind, const char *name, const char *value,
                     struct pri_answer *answer);
int pri_name_withdraw(struct pri_rank *self, char kind, const char *name,
                      struct pri_answer *answer);
int pri_name_look_up(struct pri_rank *self, char kind, const char *name, struct pri_answer *answer);
/* The same by who then asks the owner, and says when that has answered, or has left. Until then
 * pri_name_withdraw says how many are asking (answer->what.number), and is to be called anew. */
int pri_name_knock(struct pri_rank *self, char kind, const char *name, struct pri_answer *answer);
int pri_name_answered(struct pri_rank *self, char kind, const char *name);

/* A context with ranks of other jobs: all of its ranks leave together, as all of a job do, unless
 * they have closed it before. 0 or PRI_ERR_NOMEM. Thread-safe. */
int pri_meet_with(struct pri_rank *self, uint32_t context, int size);
void pri_meet_without(struct pri_rank *self, uint32_t context);

#endif
