/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_CLOCK_H
#define RECORD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t record_clock(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The processor's counter, the same on all processors of a host, at a constant rate; nanoseconds
 * where there is none. */
static inline uint64_t record_stamp(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return record_clock();
#endif
}

/* Both clocks of the same moment: that of some tries between whose stamps least passed, as the
 * thread may lose its processor between two readings. */
static inline void record_read_clocks(uint64_t *clock, uint64_t *stamp)
{
    uint64_t least = UINT64_MAX;

    *clock = *stamp = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t before = record_stamp(), found = record_clock(), took = record_stamp() - before;

        if (took < least) {
            least = took;
            *clock = found;
            *stamp = before + took / 2;
        }
    }
}

#endif
