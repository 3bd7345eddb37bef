/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_NATIVE_NATIVE_H
#define PRESTO_NATIVE_NATIVE_H

#include <pthread.h>
#include <stdlib.h>

#include "coll/coll.h"
#include "core/core.h"
#include "presto.h"

/* What the files of the native interface share. */

struct pr_mgr {
    struct pri_rank *rank;
    uint32_t context;
    int self, size;
    int *world;           /* [size]: ranks in the job; NULL: rank i is the job's rank i */
    struct pr_mgr *next;  /* of the same rank: pr_state.managers */
    struct pri_team team; /* the same ranks, for collectives */
};

/* A request. */
struct pr_req {
    struct pri_request request;
    struct pr_req *next; /* while it is free */
};

/* What a rank has of the native interface: in its PRI_USER_NATIVE. */
struct pr_state {
    struct pr_mgr world;
    struct pr_mgr *managers; /* made by pr_split */
    pthread_mutex_t lock;    /* over these */
    struct pr_req *free;     /* none with threads: malloc has a list for each */
};

static inline struct pr_state *pr_state_of(const struct pri_rank *rank)
{
    return rank->user[PRI_USER_NATIVE];
}

/* ---- requests -------------------------------------------------------------------------------- */

/* NULL: no memory. */
static inline struct pr_req *pr_req_new(struct pri_rank *rank)
{
    struct pr_state *state = pr_state_of(rank);
    struct pr_req *req = state->free;

    if (NI_UNLIKELY(req == NULL)) {
        return malloc(sizeof(*req));
    }
    state->free = req->next;
    return req;
}

static inline void pr_req_delete(struct pri_rank *rank, struct pr_req *req)
{
    struct pr_state *state = pr_state_of(rank);

    if (NI_UNLIKELY(rank->threads)) {
        free(req);
        return;
    }
    req->next = state->free;
    state->free = req;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static inline int pr_to_world(const struct pr_mgr *m, int rank)
{
    return NI_LIKELY(m->world == NULL) ? rank : m->world[rank];
}

/* The core's name for a destination. 0 or an error. */
static inline int pr_target(const struct pr_mgr *m, pr_rank_t dest, int tag, struct pri_where *to)
{
    if (NI_UNLIKELY(m == NULL)) {
        return PR_ERR_COMM;
    }
    if (NI_UNLIKELY((unsigned)dest >= (unsigned)m->size)) {
        return PR_ERR_RANK;
    }
    if (NI_UNLIKELY(tag < 0)) {
        return PR_ERR_TAG;
    }
    *to = (struct pri_where){
        .peer = pr_to_world(m, dest), .as = m->self, .tag = tag, .context = m->context};
    return PR_OK;
}

/* The same for a source, with wildcards. */
static inline int pr_source(const struct pr_mgr *m, pr_rank_t src, int tag, struct pri_where *from)
{
    int peer = PRI_ANY_SOURCE;

    if (NI_UNLIKELY(m == NULL)) {
        return PR_ERR_COMM;
    }
    if (NI_LIKELY((unsigned)src < (unsigned)m->size)) {
        peer = pr_to_world(m, src);
    } else if (src != PR_ANY_SOURCE) {
        return PR_ERR_RANK;
    }
    if (NI_UNLIKELY(tag < PR_ANY_TAG)) {
        return PR_ERR_TAG;
    }
    *from = (struct pri_where){.peer = peer, .tag = tag, .context = m->context};
    return PR_OK;
}

/* A buffer of so many bytes. */
static inline int pr_buffer_check(const void *buf, size_t bytes)
{
    return NI_LIKELY(buf != NULL || bytes == 0) ? PR_OK : PR_ERR_BUFFER;
}

/* Words as bytes. */
static inline int pr_bytes(size_t nwords, size_t *bytes)
{
    *bytes = nwords * sizeof(pr_word_t);
    return NI_LIKELY(nwords <= PTRDIFF_MAX / sizeof(pr_word_t)) ? PR_OK : PR_ERR_COUNT;
}

#endif
