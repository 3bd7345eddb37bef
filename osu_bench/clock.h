/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_BENCH_CLOCK_H
#define OSU_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that nobody sets and all processes of a host share. */
static inline uint64_t osu_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
