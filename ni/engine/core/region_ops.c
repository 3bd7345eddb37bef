/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/assert.h"
#include "engine/core/ni.h"
#include "engine/core/region_ops.h"

static ni_status refuse_write(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                              const struct ni_region_view *region, const uint8_t *payload,
                              uint32_t len)
{
    (void)ni;
    (void)writer;
    (void)handle;
    (void)region;
    (void)payload;
    (void)len;
    return NI_ERR_ACCESS;
}

static ni_status refuse_notify(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                               const struct ni_region_view *region, uint64_t value)
{
    (void)ni;
    (void)writer;
    (void)handle;
    (void)region;
    (void)value;
    return NI_ERR_ACCESS;
}

static bool no_calls(const struct ni_region_view *region)
{
    (void)region;
    return false;
}

static void nothing(struct ni *ni, const struct ni_region_view *region)
{
    (void)ni;
    (void)region;
}

void ni_region_type_register(struct ni *ni, enum ni_region_type type,
                             const struct ni_region_ops *ops)
{
    struct ni_region_ops *row = &ni->region_ops[type];

    NI_ASSERT((unsigned)type < NI_REGION_TYPES);
    *row = (struct ni_region_ops){
        .write = ops->write != NULL ? ops->write : refuse_write,
        .notify = ops->notify != NULL ? ops->notify : refuse_notify,
        .may_call = ops->may_call != NULL ? ops->may_call : no_calls,
        .release = ops->release != NULL ? ops->release : nothing,
        .close = ops->close != NULL ? ops->close : nothing,
        .under_progress_lock = ops->under_progress_lock,
    };
}

void ni_region_ops_init(struct ni *ni)
{
    static const struct ni_region_ops none;

    for (unsigned type = 0; type < NI_REGION_TYPES; type++) {
        ni_region_type_register(ni, (enum ni_region_type)type, &none);
    }
}

const struct ni_region_ops *ni_region_ops_of(const struct ni *ni,
                                             const struct ni_region_view *region)
{
    return &ni->region_ops[(unsigned)region->type % NI_REGION_TYPES];
}
