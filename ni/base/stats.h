/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_STATS_H
#define NI_BASE_STATS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/stats.h>

#include "base/compiler.h"

/*
 * The statistics of one NI: a field per row of stats.def.
 *
 * One writer at a time (the thread in the engine, or the thread that holds its lock), any number of
 * readers. So an update is a relaxed load and a relaxed store, which compile to a plain add in
 * memory: a locked instruction would cost the data path some 20 cycles to defend against a second
 * writer that does not exist. Being atomic, the fields are never read half written, and a thread
 * that only reads (a tool, MPI_T) is no data race. No order with anything else is promised.
 */

typedef _Atomic uint64_t ni_stat_t;

struct ni_stats {
#define NI_STAT_ROW(field, kind, unit, help) ni_stat_t field;
#include "base/stats.def"
#undef NI_STAT_ROW
} __attribute__((aligned(NI_CACHE_LINE)));

static inline void ni_stat_add(ni_stat_t *stat, uint64_t n)
{
    uint64_t value = atomic_load_explicit(stat, memory_order_relaxed);

    atomic_store_explicit(stat, value + n, memory_order_relaxed);
}

/* For NI_STAT_LEVEL. */
static inline void ni_stat_sub(ni_stat_t *stat, uint64_t n)
{
    ni_stat_add(stat, -n);
}

/* For NI_STAT_LEVEL whose value is known elsewhere. */
static inline void ni_stat_set(ni_stat_t *stat, uint64_t value)
{
    atomic_store_explicit(stat, value, memory_order_relaxed);
}

/* For NI_STAT_HIGHWATER: keep the larger value. */
static inline void ni_stat_max(ni_stat_t *stat, uint64_t value)
{
    if (value > atomic_load_explicit(stat, memory_order_relaxed)) {
        atomic_store_explicit(stat, value, memory_order_relaxed);
    }
}

static inline uint64_t ni_stat_get(const ni_stat_t *stat)
{
    return atomic_load_explicit(stat, memory_order_relaxed);
}

/* All to 0. Only while there is no writer. */
void ni_stats_init(struct ni_stats *stats);

/* The value of statistic number index, in the order of stats.def; 0 for an index out of range.
 * Thread-safe. */
uint64_t ni_stats_value(const struct ni_stats *stats, size_t index);

#endif
