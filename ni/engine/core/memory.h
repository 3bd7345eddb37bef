/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_MEMORY_H
#define NI_ENGINE_MEMORY_H

#include <string.h>

#include "engine/core/atomic.h"
#include "engine/core/lock.h"
#include "engine/core/ni.h"
#include "table/table_inl.h"

/*
 * Accesses of peers to memory of ours. Each is judged by the buffer table and made under one hold
 * of the lock of memory, so that nothing touches the memory once its region has been deregistered.
 * Refusals are as ni_table_check has them; counting them is the caller's. `threads` is that of the
 * NI, a constant where that saves instructions.
 */

/* Most bytes that packets carry are one word: no call for those. */
NI_ALWAYS_INLINE void ni_memory_copy(void *to, const void *from, size_t len)
{
    if (len == sizeof(uint64_t)) {
        memcpy(to, from, sizeof(uint64_t));
    } else if (len == sizeof(uint32_t)) {
        memcpy(to, from, sizeof(uint32_t));
    } else if (len != 0) { /* nothing may go nowhere */
        memcpy(to, from, len);
    }
}

/* An item of a queue, of a fixed size, lies in one piece, and most are one or a few words: no call
 * for those. */
NI_ALWAYS_INLINE void ni_item_copy(void *to, const void *from, uint32_t size)
{
    if (size == 32) {
        memcpy(to, from, 32);
    } else if (size == 8) {
        memcpy(to, from, 8);
    } else {
        memcpy(to, from, size);
    }
}

/* Whether the region lets `len` bytes be accessed so. */
NI_ALWAYS_INLINE ni_status ni_memory_judge(const struct ni *ni, const struct ni_remote *where,
                                           uint64_t len, unsigned access)
{
    return ni_table_check(&ni->table, where->handle, where->key, where->addr, len, access, NULL);
}

/* Write `len` bytes at `offset` of the `total` that the whole Write has. */
NI_ALWAYS_INLINE ni_status ni_memory_write(struct ni *ni, const struct ni_remote *where,
                                           uint64_t total, uint64_t offset, const void *from,
                                           uint32_t len, bool threads)
{
    ni_status status;

    ni_lock_take(&ni->memory, threads);
    status = ni_memory_judge(ni, where, total, NI_ACCESS_WRITE);
    if (NI_LIKELY(status == NI_OK)) {
        ni_memory_copy((void *)(uintptr_t)(where->addr + offset), from, len);
    }
    ni_lock_give(&ni->memory, threads);
    return status;
}

/* Read `len` bytes at its beginning. */
NI_ALWAYS_INLINE ni_status ni_memory_read(struct ni *ni, const struct ni_remote *where, void *to,
                                          uint32_t len, bool threads)
{
    ni_status status;

    ni_lock_take(&ni->memory, threads);
    status = ni_memory_judge(ni, where, len, NI_ACCESS_READ);
    if (NI_LIKELY(status == NI_OK)) {
        ni_memory_copy(to, (const void *)(uintptr_t)where->addr, len);
    }
    ni_lock_give(&ni->memory, threads);
    return status;
}

/* Store a word of 1, 2, 4 or 8 bytes, with release; NI_ERR_ALIGN. */
static inline ni_status ni_memory_store(struct ni *ni, const struct ni_remote *where,
                                        uint64_t value, unsigned width)
{
    ni_status status;

    ni_lock_take(&ni->memory, ni->threads);
    status = ni_memory_judge(ni, where, width, NI_ACCESS_WRITE);
    if (status == NI_OK) {
        status = ni_word_store(where->addr, value, width);
    }
    ni_lock_give(&ni->memory, ni->threads);
    return status;
}

/* Apply an atomic operation to a word of 4 or 8 bytes, with operand and compare, each read once, as
 * they may change; NI_ERR_ALIGN. */
NI_ALWAYS_INLINE ni_status ni_memory_combine(struct ni *ni, const struct ni_remote *where,
                                             enum ni_atomic_op op, unsigned width,
                                             const uint64_t operands[2], uint64_t *old,
                                             bool threads)
{
    ni_status status;

    ni_lock_take(&ni->memory, threads);
    status = ni_memory_judge(ni, where, width, NI_ACCESS_ATOMIC);
    if (NI_LIKELY(status == NI_OK) && NI_UNLIKELY((where->addr & (width - 1)) != 0)) {
        status = NI_ERR_ALIGN;
    } else if (NI_LIKELY(status == NI_OK)) {
        *old = ni_atomic_apply((void *)(uintptr_t)where->addr, op, width,
                               __atomic_load_n(&operands[0], __ATOMIC_RELAXED),
                               __atomic_load_n(&operands[1], __ATOMIC_RELAXED));
    }
    ni_lock_give(&ni->memory, threads);
    return status;
}

#endif
