/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_HANG_H
#define PRESTO_CORE_HANG_H

/*
 * Waits that last. A thread that waits sleeps for moments when nothing has come for a while, and
 * asks here between two of them how long it has been. What it waits for is told once: with
 * PRESTO_HANG_S=seconds in any wait, and in any case of what a rank cannot leave the job without
 * while all ranks leave it. Nobody can call anything any more then: if nothing moves for
 * PRESTO_FINALIZE_S seconds the job is ended.
 *
 * Only time in which the process runs and nothing moves counts: no payload, no message, no
 * operation of the network interface, whichever thread they are of.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pri_rank;

/* Says in words, as behind "it waits for", what a wait is for. The object is the waiter's. */
typedef void (*pri_tell_fn)(const void *object, char *text, size_t size);

/* Of a rank: what the environment says, read when it starts. */
struct pri_hang {
    unsigned tell_s;      /* from when on any wait is told; 0: never */
    unsigned end_s;       /* from when on a rank that cannot leave ends the job; 0: never */
    _Atomic bool leaving; /* all ranks leave, and this one waits for what it has begun before */
    _Atomic bool watched; /* a wait that lasts has to look */
};

/* Flags in a waiter's count of empty polls. */
#define PRI_SPINS_LASTS    (1U << 31) /* it has looked: what follows is of the same wait */
#define PRI_SPINS_ASKS     (1U << 30) /* set by the waiter: what it asks others for moves, in vain */
#define PRI_SPINS_RECORDED (1U << 29) /* its begin has been recorded */
#define PRI_SPINS_COUNT    (PRI_SPINS_RECORDED - 1)

/* False: a value makes no sense, which has been said. */
bool pri_hang_read(struct pri_rank *self);
/* All ranks leave the job, and until `leaving` is false again this one waits for its own. */
void pri_hang_leaving(struct pri_rank *self, bool leaving);
/* The function of the interface that this thread is in, such as MPI_Recv; empty if it is not known.
 * It takes tens of microseconds. */
void pri_hang_function(char *text, size_t size);
/* Between two rests of a wait of a rank that is watched. tell may be NULL. */
void pri_hang_look(struct pri_rank *self, unsigned *spins, pri_tell_fn tell, const void *object);

#endif
