/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_PRIVATE_H
#define PRI_COLL_PRIVATE_H

/* Between the files of this folder. */

#include "coll/sched.h"
#include "coll/state.h"
#include "record/names.h"

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

/* Whether data of others is missing for good after this error: a rank of the job has died, memory
 * of a message cannot be accessed, or there was none to move it. */
static inline bool pri_poisons(int error)
{
    return error == PRI_ERR_PEER || error == PRI_ERR_MEMORY || error == PRI_ERR_NOMEM;
}

/* Such an error: what is sent from now on in this operation says so instead of the sender's name,
 * so that a rank that gets it knows that the data is not what it should be, and tells others in
 * turn. */
int pri_poison(const struct pri_rank *self, int error);

/* A message without an error of its own whose sender, whose name is `source`, knew of one: the
 * error. */
int pri_poisoned(struct pri_rank *self, int source);

static inline bool pri_team_revoked(const struct pri_team *team)
{
    return NI_UNLIKELY(atomic_load_explicit(&team->self->revoked, memory_order_relaxed) != 0) &&
           pri_context_revoked(team->self, team->context);
}

/* How a message of an operation, which is complete, has ended. */
static inline int pri_message_error(struct pri_request *request)
{
    int error = request->status.error;

    return NI_LIKELY(error != PRI_OK || !request->is_recv || request->status.source >= 0)
               ? error
               : pri_poisoned(request->rank, request->status.source);
}

static inline int pri_message_end(struct pri_request *request)
{
    (void)pri_wait(request);
    return pri_message_error(request);
}

/* An operation begins, of this class in record/names.h. The kind is part of its tag. */
static inline void pri_coll_kind(struct pri_team *team, uint32_t kind,
                                 const struct pri_request *request)
{
    team->kind = request == NULL    ? kind
                 : team->persistent ? PRI_KIND_PERSISTENT
                                    : RECORD_CLASS_NONBLOCKING;
}

/* The tag of the operation of now, which is the next one's no more; tags of the collective plane
 * are never negative. */
static inline int pri_coll_tag(struct pri_team *team)
{
    return (int)((team->next_tag++ << PRI_KIND_BITS | team->kind) & 0x7fffffff);
}

/* Parts of schedules, which other operations have a use for as well. */

/* data of rank root to all; bytes is its size, the same in all ranks. */
void pri_write_bcast(struct pri_sched *s, struct pri_data data, size_t bytes, int root);
void pri_write_bcast_chain(struct pri_sched *s, struct pri_data data, size_t bytes, int root);

/* in of all ranks is reduced, in the order of ranks, to out of rank root. in may be PRI_IN_PLACE
 * there. */
void pri_write_reduce_tree(struct pri_sched *s, const void *in, void *out, size_t count, int root);
void pri_write_reduce_chain(struct pri_sched *s, const void *in, void *out, size_t count, int root);

/* The same to out of all ranks, exchanging all of it log2(size) times. in may be PRI_IN_PLACE
 * everywhere. */
void pri_write_allreduce_doubling(struct pri_sched *s, const void *in, void *out, size_t count);

/* Blocking, short and contiguous: without a schedule. */
enum { PRI_FAST_BYTES = 1024 };
int pri_fast_barrier(struct pri_team *team);

/* counters.c: a barrier that prepares for later ones by counters; such a one; at the end of the
 * rank. Once a rank has died each ends with PRI_ERR_PEER. */
enum { PRI_BARRIERS_BEFORE = 4 }; /* by messages: most teams need none, or one */
int pri_counters_open(struct pri_team *team);
int pri_counters_barrier(struct pri_team *team);
void pri_counters_free_all(struct pri_counters *list);

int pri_fast_bcast(struct pri_team *team, void *buf, size_t bytes, int root);
int pri_fast_allreduce(struct pri_team *team, const void *in, void *out, size_t count, size_t bytes,
                       struct pri_type *type, struct pri_op *op);

#endif
