/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_BITS_H
#define NI_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Arithmetic on powers of two and on addresses. All functions are pure.
 */

/* The object of which ptr points to the named member. */
#define ni_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define NI_ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Whether x is a power of two; 0 is not. */
static inline bool ni_is_pow2(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

/* The largest n with 2^n <= x. x must not be 0. */
static inline unsigned ni_ilog2(uint64_t x)
{
    return 63U - (unsigned)__builtin_clzll(x);
}

/* The smallest power of two that is not below x; 1 for 0. x must not exceed 2^63. */
static inline uint64_t ni_round_up_pow2(uint64_t x)
{
    return x <= 1 ? 1 : (uint64_t)1 << (ni_ilog2(x - 1) + 1);
}

/* x rounded down or up to a multiple of align, a power of two. Rounding up wraps within align of
 * 2^64. */
static inline uint64_t ni_align_down(uint64_t x, uint64_t align)
{
    return x & ~(align - 1);
}

static inline uint64_t ni_align_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) & ~(align - 1);
}

/* The quotient rounded up; does not overflow. divisor must not be 0. */
static inline uint64_t ni_div_up(uint64_t x, uint64_t divisor)
{
    return x / divisor + (x % divisor != 0);
}

/* Whether [offset, offset + length) lies within [0, size), for any values a peer may send. */
static inline bool ni_range_within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

static inline uint64_t ni_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t ni_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
