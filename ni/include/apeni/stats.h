/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_STATS_H
#define APENI_STATS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Event counters of an NI for people and tools ("statistics", to tell them from COUNTER regions,
 * which are a primitive of the network). Each is declared once, in ni/base/stats.def: name, kind,
 * unit, help.
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

struct ni;

enum ni_stat_kind {
    NI_STAT_COUNT,     /* only grows */
    NI_STAT_LEVEL,     /* current value */
    NI_STAT_HIGHWATER, /* maximum so far */
};

struct ni_stat_info {
    const char *name;
    enum ni_stat_kind kind;
    const char *unit; /* "packets", "bytes", ... */
    const char *help;
};

extern const struct ni_stat_info ni_stat_infos[];
extern const size_t ni_stat_count;

/* The value of statistic number index (0 to ni_stat_count - 1; beyond that 0) of an open NI.
 * Thread-safe until ni_close; a value may be slightly old: in an NI for one thread, packets sent
 * are counted when it polls and nothing is there, and packets received at the end of a pass over
 * their lane, 32 of them at most. So where an engine thread takes them, memory or a queue may show
 * that one has come before rx_packets does. */
uint64_t ni_stat_read(const struct ni *ni, size_t index);

/* The index of a statistic by name, or ni_stat_count. Thread-safe. */
size_t ni_stat_find(const char *name);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
