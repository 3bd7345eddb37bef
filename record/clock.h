/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

/* The time stamp counter: the same on all processors of a host, at a constant rate. */
static inline uint64_t pml_hooks_stamp(void)
{
    return __rdtsc();
}

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t pml_hooks_clock(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
