/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_ALLOC_H
#define NI_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/compiler.h"
#include "base/fault_inl.h"

/*
 * The only way in which the core allocates: each call is a fault point, so a test can fail the Nth
 * allocation and watch what is left behind. All return NULL when out of memory, and the result
 * goes to ni_free. Thread-safe.
 *
 * What cannot be done for want of memory says NI_ERR_NOMEM, not NI_AGAIN: that may last for ever.
 */

/* How long something has waited for memory. All 0: it does not. */
struct ni_memory_wait {
    uint64_t since, last; /* ns */
    uint64_t what;
};

/* It was tried in vain once more; `what` tells it from what waited before it. Whether that has been
 * so for longer than most_ms. What was not tried for a second has not waited. */
NI_COLD bool ni_memory_wait_over(struct ni_memory_wait *wait, uint64_t what, uint64_t most_ms);

static inline void *ni_malloc(size_t size)
{
    return ni_fault(NI_FAULT_ALLOC) ? NULL : malloc(size);
}

/* Zeroed; also NULL if count * size overflows, which calloc itself promises but sanitizers
 * report. */
static inline void *ni_calloc(size_t count, size_t size)
{
    size_t total;

    if (ni_fault(NI_FAULT_ALLOC) || __builtin_mul_overflow(count, size, &total)) {
        return NULL;
    }
    return calloc(1, total);
}

/* On failure the old block is still there. */
static inline void *ni_realloc(void *old, size_t size)
{
    return ni_fault(NI_FAULT_ALLOC) ? NULL : realloc(old, size);
}

/* Not zeroed; align is a power of two. The block occupies whole units of align, so that nothing
 * else shares its last cache line. */
static inline void *ni_aligned(size_t align, size_t size)
{
    size_t whole = (size_t)ni_align_up(size, align);

    if (ni_fault(NI_FAULT_ALLOC) || whole < size) {
        return NULL;
    }
    return aligned_alloc(align, whole);
}

/* Zeroed ni_aligned. */
static inline void *ni_aligned_zero(size_t align, size_t size)
{
    void *block = ni_aligned(align, size);

    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

static inline char *ni_strdup(const char *text)
{
    return ni_fault(NI_FAULT_ALLOC) ? NULL : strdup(text);
}

/* NULL is allowed. */
static inline void ni_free(void *block)
{
    free(block);
}

#endif
