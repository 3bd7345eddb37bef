/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_CORE_CONTEXTS_H
#define PRESTO_CORE_CONTEXTS_H

#include "core/ranks.h"

/* What communicators are made of, and what becomes of them when ranks die. Part of core.h. */

/* ---- contexts -------------------------------------------------------------------------------- */

/*
 * A communicator's context is a number that no other communicator of the job has: one rank, which
 * leads it, takes the number and tells the others. It is even; context | PRI_COLL is the same
 * communicator's plane for collectives, which cannot meet its point-to-point messages.
 *
 * To make communicators with one exchange: each rank takes a context, all exchange theirs, each new
 * communicator gets its first rank's, and all others give theirs back.
 */
enum {
    PRI_COLL = 1,
    PRI_CONTEXT_RANK_SHIFT = 18, /* above it: the rank that leads the communicator */
    PRI_KIND_BITS = 5, /* the lowest of a tag in that plane: the operation's kind, by its class in
                          record/names.h; above them its number */
    PRI_KIND_PERSISTENT = 31, /* the kind of persistent operations, with numbers of their own */
};

/* That of all ranks of the job. */
static inline uint32_t pri_context_world(const struct pri_rank *self)
{
    return (uint32_t)self->first << PRI_CONTEXT_RANK_SHIFT;
}

/* Take an unused context. PRI_ERR_LIMIT: this rank leads 2^17 already. Thread-safe. */
int pri_context_take(struct pri_rank *self, uint32_t *context);
/* Which ranks of the job have the context, which is asked when one of them dies: a receive from any
 * source fails when one of its context has. The list is copied; NULL: the job's. Until it is
 * called all ranks of the job have it. 0 or PRI_ERR_NOMEM. Thread-safe. */
int pri_context_members(struct pri_rank *self, uint32_t context, const int *ranks, int size);
/* This rank begins no more operations in it. Before pri_context_give, if that is called at all.
 * Thread-safe. */
void pri_context_close(struct pri_rank *self, uint32_t context);
/* The communicator is gone: drop what nobody has received of both planes, and if this rank took it,
 * it may be used again. Thread-safe. */
void pri_context_give(struct pri_rank *self, uint32_t context);

/* ---- deaths: what User-Level Failure Mitigation is built on ---------------------------------- */

/* 0: the rank lives, or has left in good order. Else the number of its death, from 1, in the order
 * in which this rank has heard of them. Thread-safe. */
int pri_death(const struct pri_rank *self, int rank);

/* Deaths up to this number are known to the program that uses the context: they end no receives
 * from any source in it any more. 0 or PRI_ERR_NOMEM. Thread-safe. */
int pri_context_acknowledge(struct pri_rank *self, uint32_t context, int death);
/* The greatest number that it was called with, or 0. */
int pri_context_acknowledged(struct pri_rank *self, uint32_t context);

/* Revoke the context, in all ranks that have it: what is under way in it ends, and what is begun
 * from now on fails, with PRI_ERR_REVOKED, or sends as if they had been received; pri_agree goes
 * on. Each rank that hears of it tells the others, so that all hear of it if one does that lives.
 * For good: the number is not used again. 0 or PRI_ERR_NOMEM: it is not revoked. Thread-safe. */
int pri_context_revoke(struct pri_rank *self, uint32_t context);
bool pri_context_revoked(struct pri_rank *self, uint32_t context);

/* What the ranks of a context agree on. The bits are of ranks by their place in the context, 64 in
 * each word; PRI_VOTE_WORDS(size) of failed, then as many of acknowledged. */
struct pri_vote {
    int32_t flag;     /* the result: the bits that are set in all that were given */
    uint32_t context; /* not 0 where one is wanted, of all ranks or none; the result: a new one that
                         nobody has, and 0 if there was none */
    int32_t decided;  /* of agree.c */
    int32_t error;    /* the result: why there was no context */
    uint64_t failed[];
};
#define PRI_VOTE_WORDS(size) (((size_t)(size) + 63) / 64)
#define PRI_VOTE_BYTES(size) (sizeof(struct pri_vote) + 2 * 8 * PRI_VOTE_WORDS(size))

/* Agree, also if ranks die meanwhile, and if the context has been revoked: all ranks of the context
 * that live call it, in the same order, and get the same. vote is set to the result: in failed, all
 * that are known by one of them to have died or left; in acknowledged, those that all had
 * acknowledged. 0 or PRI_ERR_NOMEM, PRI_ERR_FORKED: others may wait for this rank until it has
 * ended. */
int pri_agree(struct pri_rank *self, uint32_t context, struct pri_vote *vote);

#endif
