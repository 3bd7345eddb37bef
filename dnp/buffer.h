/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BUFFER_H
#define DNP_BUFFER_H

#include <stdint.h>

#include <apeni/region.h>

#include "dnp/dma.h"
#include "dnp/limits.h"
#include "table/table.h"

/*
 * Registered buffers (APEnet+ 4.3) and their translation to physical addresses (3.1.2.1): a buffer
 * table, that of the NI, for each process id, since processes use the same virtual addresses for
 * different memory. Not thread-safe.
 */
struct dnp_buffers {
    struct ni_table table[DNP_CHANNELS];
};

/* NI_ERR_INVALID as from ni_table_init. */
ni_status dnp_buffers_init(struct dnp_buffers *buffers);
void dnp_buffers_fini(struct dnp_buffers *buffers);

/*
 * Register len bytes at a virtual address of a process. access: what other cards may do, of
 * NI_ACCESS_READ and NI_ACCESS_WRITE. pages: the physical address of each page of DNP_PAGE bytes
 * that the buffer touches, which has to stay until it is removed; NULL: physical addresses are the
 * virtual ones. Errors of ni_table_add; NI_ERR_INVALID also for a port beyond DNP_CHANNELS.
 */
ni_status dnp_buffers_add(struct dnp_buffers *buffers, uint8_t port, uint64_t address, uint64_t len,
                          unsigned access, const uint64_t *pages, ni_handle *handle);

/* The same, of a buffer that is as good as removed whenever *on is 0. Others may write that; NULL:
 * it always is there. */
ni_status dnp_buffers_add_switched(struct dnp_buffers *buffers, uint8_t port, uint64_t address,
                                   uint64_t len, unsigned access, const uint64_t *pages,
                                   const uint32_t *on, ni_handle *handle);

/* NI_ERR_REGION: there is no such buffer. */
ni_status dnp_buffers_remove(struct dnp_buffers *buffers, uint8_t port, ni_handle handle);

/* Remove all of a process. */
void dnp_buffers_clear(struct dnp_buffers *buffers, uint8_t port);

/*
 * Fill the segments of a transfer of len <= APELINK_PAYLOAD_MAX bytes at a virtual address of
 * dma->port. NI_ERR_BOUNDS: no buffer has all of them. NI_ERR_ACCESS: the oldest one that has does
 * not allow this access (0: the process's own). Transfers of 0 bytes need no buffer.
 */
ni_status dnp_buffers_translate(const struct dnp_buffers *buffers, struct dnp_dma *dma,
                                uint64_t address, uint32_t len, unsigned access);

/* The same judgement of any number of bytes; an ni_status as above. */
ni_status dnp_buffers_check(const struct dnp_buffers *buffers, uint8_t port, uint64_t address,
                            uint64_t len, unsigned access);

#endif
