/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/rcache_impl.h"

#include "base/alloc.h"

static ni_status region_reg(void *ni, void *base, size_t len, unsigned access, void **registration)
{
    struct ni_rkey *rkey = ni_malloc(sizeof(*rkey));
    ni_status status = NI_ERR_NOMEM;

    if (rkey == NULL) {
        return NI_ERR_NOMEM;
    }
    status = ni_region_memory(ni, base, len, access, rkey);
    if (status != NI_OK) {
        ni_free(rkey);
        return status;
    }
    *registration = rkey;
    return NI_OK;
}

static void region_dereg(void *ni, void *registration)
{
    struct ni_rkey *rkey = registration;

    /* A region that is gone already, as after a fork, needs nothing more. */
    (void)ni_region_deregister(ni, rkey->handle);
    ni_free(rkey);
}

const struct ni_rcache_ops ni_rcache_region_ops = {.reg = region_reg, .dereg = region_dereg};
