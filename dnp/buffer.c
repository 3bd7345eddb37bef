/* SPDX-License-Identifier: BSD-3-Clause */
/* Registered buffers and their pages. */
#include "dnp/buffer.h"

#include <stdatomic.h>

#include "base/bits.h"
#include "table/table_inl.h"

ni_status dnp_buffers_init(struct dnp_buffers *buffers)
{
    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        ni_status status = ni_table_init(&buffers->table[port]);

        if (status != NI_OK) {
            return status;
        }
    }
    return NI_OK;
}

void dnp_buffers_fini(struct dnp_buffers *buffers)
{
    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        ni_table_fini(&buffers->table[port]);
    }
}

/* Objects of a region. */
enum { PAGES = 0, ON = 1 };

ni_status dnp_buffers_add_switched(struct dnp_buffers *buffers, uint8_t port, uint64_t address,
                                   uint64_t len, unsigned access, const uint64_t *pages,
                                   const uint32_t *on, ni_handle *handle)
{
    struct ni_region_view view = {
        .type = NI_REGION_MEMORY, .access = access, .base = address, .len = len};

    if (port >= DNP_CHANNELS) {
        return NI_ERR_INVALID;
    }
    view.object[PAGES] = (uint64_t)(uintptr_t)pages;
    view.object[ON] = (uint64_t)(uintptr_t)on;
    return ni_table_insert(&buffers->table[port], &view, handle);
}

ni_status dnp_buffers_add(struct dnp_buffers *buffers, uint8_t port, uint64_t address, uint64_t len,
                          unsigned access, const uint64_t *pages, ni_handle *handle)
{
    return dnp_buffers_add_switched(buffers, port, address, len, access, pages, NULL, handle);
}

ni_status dnp_buffers_remove(struct dnp_buffers *buffers, uint8_t port, ni_handle handle)
{
    return port < DNP_CHANNELS ? ni_table_remove(&buffers->table[port], handle) : NI_ERR_REGION;
}

void dnp_buffers_clear(struct dnp_buffers *buffers, uint8_t port)
{
    ni_table_fini(&buffers->table[port]);
    (void)ni_table_init(&buffers->table[port]); /* allocates nothing, and lies where it lay */
}

static bool is_on(const struct ni_region_view *view)
{
    const _Atomic(uint32_t) *on = (const _Atomic(uint32_t) *)(uintptr_t)view->object[ON];

    /* Pairs with the release of who turns it on: what was written into the buffer is there. */
    return on == NULL || atomic_load_explicit(on, memory_order_acquire) != 0;
}

static ni_status find(const struct dnp_buffers *buffers, uint8_t port, uint64_t address,
                      uint64_t len, unsigned access, struct ni_region_view *view)
{
    const struct ni_table *table = &buffers->table[port];
    ni_handle handle = ni_table_find(table, address, len);
    const struct ni_table_entry *entry = handle != 0 ? ni_table_get(table, handle) : NULL;

    if (entry == NULL || !ni_entry_read(entry, handle, view) || !is_on(view)) {
        return NI_ERR_BOUNDS;
    }
    return (access & ~view->access) == 0 ? NI_OK : NI_ERR_ACCESS;
}

ni_status dnp_buffers_check(const struct dnp_buffers *buffers, uint8_t port, uint64_t address,
                            uint64_t len, unsigned access)
{
    struct ni_region_view view;

    return len == 0 ? NI_OK : find(buffers, port, address, len, access, &view);
}

/* The physical address of a byte of a buffer. */
static uint64_t physical(const struct ni_region_view *view, uint64_t address)
{
    const uint64_t *pages = (const uint64_t *)(uintptr_t)view->object[PAGES];
    uint64_t first = ni_align_down(view->base, DNP_PAGE);

    return pages == NULL ? address : pages[(address - first) / DNP_PAGE] + address % DNP_PAGE;
}

ni_status dnp_buffers_translate(const struct dnp_buffers *buffers, struct dnp_dma *dma,
                                uint64_t address, uint32_t len, unsigned access)
{
    struct ni_region_view view;
    ni_status status;
    uint32_t before;

    dma->segment[0].len = dma->segment[1].len = 0;
    dma->segment[0].address = address;
    if (len == 0) {
        return NI_OK;
    }
    status = find(buffers, dma->port, address, len, access, &view);
    if (status != NI_OK) {
        return status;
    }
    before = (uint32_t)ni_min_u64(len, DNP_PAGE - address % DNP_PAGE);
    dma->segment[0].address = physical(&view, address);
    dma->segment[0].len = before;
    if (before < len) {
        dma->segment[1].address = physical(&view, address + before);
        dma->segment[1].len = len - before;
    }
    return NI_OK;
}
