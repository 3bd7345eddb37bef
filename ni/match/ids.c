/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/ids.h"

#include "base/alloc.h"
#include "base/bits.h"

void ni_match_ids_init(struct ni_match_ids *ids)
{
    *ids = (struct ni_match_ids){.fresh = 1};
}

void ni_match_ids_fini(struct ni_match_ids *ids)
{
    for (unsigned i = 0; i < NI_MATCH_ID_CHUNKS; i++) {
        ni_free(ids->chunk[i]);
    }
    ni_match_ids_init(ids);
}

ni_status ni_match_ids_grow(struct ni_match_ids *ids)
{
    uint64_t shifted = (uint64_t)ids->end + NI_MATCH_ID_CHUNK0;
    unsigned chunk = ni_ilog2(shifted) - NI_MATCH_ID_CHUNK0_BITS;

    if (chunk >= NI_MATCH_ID_CHUNKS) {
        return NI_ERR_NOMEM;
    }
    ids->chunk[chunk] = ni_malloc(shifted * sizeof(void *));
    if (ids->chunk[chunk] == NULL) {
        return NI_ERR_NOMEM;
    }
    ids->end += (uint32_t)shifted;
    return NI_OK;
}
