/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_MATCH_IDS_H
#define NI_MATCH_IDS_H

#include <stdint.h>

#include <apeni/status.h>

#include "match/index.h"

/*
 * Giving out the numbers of nodes. What they are for is in index.h.
 */

/* Make a chunk. NI_ERR_NOMEM: nothing has changed. */
NI_COLD ni_status ni_match_ids_grow(struct ni_match_ids *ids);

/* Give a number to a node that has none. NI_ERR_NOMEM: nothing has changed. */
static inline ni_status ni_match_ids_take(struct ni_match_ids *ids, struct ni_match_node *node)
{
    uint32_t id = ids->free;
    void **where;

    if (NI_LIKELY(id != 0)) {
        where = ni_match_ids_where(ids, id);
        ids->free = (uint32_t)(uintptr_t)*where;
    } else {
        if (NI_UNLIKELY(ids->fresh >= ids->end) && ni_match_ids_grow(ids) != NI_OK) {
            return NI_ERR_NOMEM;
        }
        id = ids->fresh++;
        where = ni_match_ids_where(ids, id);
    }
    *where = node;
    node->id = id;
    return NI_OK;
}

/* Take the number of a node back. */
static inline void ni_match_ids_give(struct ni_match_ids *ids, struct ni_match_node *node)
{
    *ni_match_ids_where(ids, node->id) = (void *)(uintptr_t)ids->free;
    ids->free = ids->given = node->id;
    node->id = 0;
}

#endif
