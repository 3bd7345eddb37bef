/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_PRIVATE_H
#define PRI_COLL_PRIVATE_H

/* Between the files of this folder. */

#include "coll/sched.h"
#include "coll/state.h"

/* Back to the pool, with all that the schedule holds let go. */
void pri_sched_put(struct pri_sched *s);

/* Room for the widest round's messages. False: no memory. */
bool pri_sched_room_for_active(struct pri_sched *s);

/* Ranks counted from another one: rank `root` becomes 0. */
static inline int pri_turned(const struct pri_team *team, int rank, int root)
{
    return rank >= root ? rank - root : rank - root + team->size;
}

static inline int pri_unturned(const struct pri_team *team, int turned, int root)
{
    return turned + root < team->size ? turned + root : turned + root - team->size;
}

/* Where part i of n begins when `count` things are dealt out as evenly as possible. */
static inline size_t pri_share(size_t count, int n, int i)
{
    return count / (size_t)n * (size_t)i + count % (size_t)n * (size_t)i / (size_t)n;
}

/* Parts of schedules, which other operations have a use for as well. */

/* data of rank root to all; bytes is its size, the same in all ranks. */
void pri_write_bcast(struct pri_sched *s, struct pri_data data, size_t bytes, int root);
void pri_write_bcast_chain(struct pri_sched *s, struct pri_data data, size_t bytes, int root);

/* in of all ranks is reduced, in the order of ranks, to out of rank root. in may be PRI_IN_PLACE there. */
void pri_write_reduce_tree(struct pri_sched *s, const void *in, void *out, size_t count, int root);
void pri_write_reduce_chain(struct pri_sched *s, const void *in, void *out, size_t count, int root);

/* The same to out of all ranks, exchanging all of it log2(size) times. in may be PRI_IN_PLACE everywhere. */
void pri_write_allreduce_doubling(struct pri_sched *s, const void *in, void *out, size_t count);

/* Blocking, short and contiguous: without a schedule. */
enum { PRI_FAST_BYTES = 1024 };
int pri_fast_barrier(struct pri_team *team);
int pri_fast_bcast(struct pri_team *team, void *buf, size_t bytes, int root);
int pri_fast_allreduce(struct pri_team *team, const void *in, void *out, size_t count, size_t bytes,
                       struct pri_type *type, struct pri_op *op);

#endif
