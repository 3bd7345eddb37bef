/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_CLOCK_H
#define NI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Time. ni_now_ns is for intervals of a microsecond and more; ni_cycles, a few nanoseconds cheap,
 * for intervals within one thread that are only compared with each other or converted with
 * ni_cycles_to_ns.
 */

/* Nanoseconds since some moment, the same for all processes of the host; never goes back.
 * Thread-safe. */
static inline uint64_t ni_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Ticks of the core's counter: constant rate on every processor this runs on, but of unknown
 * frequency, and not ordered with the loads and stores around it. Where there is no such counter,
 * nanoseconds. */
static inline uint64_t ni_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return ni_now_ns();
#endif
}

/* The length in nanoseconds of an interval of ni_cycles. The first call measures the rate for
 * about a millisecond; keep it off the data path. Good to about one part in a thousand.
 * Thread-safe. */
double ni_cycles_to_ns(uint64_t cycles);

#endif
