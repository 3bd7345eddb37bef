/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_REGION_OPS_H
#define NI_ENGINE_REGION_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/region.h>

#include "table/table.h"

/*
 * What a region of a type does. Each type is at home in one folder, which registers a row of these
 * with the NI: nobody else has to know it. What a row leaves out refuses, or does nothing, so that
 * no member of ni->region_ops is NULL.
 *
 * Bytes for memory, and messages and items for queues, are what packets are mostly about: arrive/
 * knows those two by itself, and asks here for all else.
 */
struct ni_region_ops {
    /* A Write of these bytes, whole, by one who knows the key. Its status is told to the writer;
     * NI_AGAIN: not now, the packet stays. The progress lock is ours. */
    ni_status (*write)(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                       const struct ni_region_view *region, const uint8_t *payload, uint32_t len);
    /* The word of a notification, likewise. */
    ni_status (*notify)(struct ni *ni, struct ni_peer *writer, ni_handle handle,
                        const struct ni_region_view *region, uint64_t value);
    /* Whether one of the two may call the program. */
    bool (*may_call)(const struct ni_region_view *region);
    /* It has left the table: free what it is. The NI's lock is held. */
    void (*release)(struct ni *ni, const struct ni_region_view *region);
    /* After that: tell those who wait for it. No lock is held but the progress lock, if that is
     * the type's. */
    void (*close)(struct ni *ni, const struct ni_region_view *region);
    /* Used by the holder of the progress lock alone. */
    bool under_progress_lock;
};

enum { NI_REGION_TYPES = 16 };

/* Rows that do nothing, for all types. The NI opens. */
void ni_region_ops_init(struct ni *ni);
/* The row of a type, below NI_REGION_TYPES; once, before the first region of it. */
void ni_region_type_register(struct ni *ni, enum ni_region_type type,
                             const struct ni_region_ops *ops);
/* The row of what the table says is there. */
const struct ni_region_ops *ni_region_ops_of(const struct ni *ni,
                                             const struct ni_region_view *region);

#endif
