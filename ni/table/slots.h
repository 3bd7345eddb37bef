/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TABLE_SLOTS_H
#define NI_TABLE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/region.h>

#include "base/bits.h"
#include "base/compiler.h"
#include "base/cpu.h"

/*
 * Up to 32 address ranges that are all compared with a wanted one at once: the register files of
 * the DNP (APEnet+ 4.4.4) as a structure of arrays.
 *
 *   BVA  virtual address   first[]
 *   BLN  length            end[]; the end and not the length, because it is compared as it is
 *   BFL, BMW               flags and magic word stay in the table's entries, found by handle[]
 *   BM   buffer mask       used, one bit per slot
 *
 * A slot whose bit in `used` is clear may hold anything. AVX2 compares signed numbers only, so a
 * range that crosses 2^63 (none of user space does) has no place here.
 *
 * Not thread-safe.
 */

enum { NI_SLOTS = 32 };

struct ni_slots {
    NI_LINE_ALIGNED int64_t first[NI_SLOTS];
    int64_t end[NI_SLOTS];
    ni_handle handle[NI_SLOTS];
    uint32_t used;
};

/* Whether a range may be kept in a slot and searched for there. False also if it is empty or
 * wraps. */
static inline bool ni_slots_fit(uint64_t begin, uint64_t end)
{
    return (int64_t)begin < (int64_t)end;
}

static inline bool ni_slots_full(const struct ni_slots *slots)
{
    return slots->used == UINT32_MAX;
}

/* Fill the lowest free slot with [begin, end), which must fit, and return its number. Must not be
 * full. O(1). */
static inline unsigned ni_slots_add(struct ni_slots *slots, uint64_t begin, uint64_t end,
                                    ni_handle handle)
{
    unsigned slot = (unsigned)__builtin_ctz(~slots->used);

    slots->first[slot] = (int64_t)begin;
    slots->end[slot] = (int64_t)end;
    slots->handle[slot] = handle;
    slots->used |= 1U << slot;
    return slot;
}

/* O(1). */
static inline void ni_slots_remove(struct ni_slots *slots, unsigned slot)
{
    slots->used &= ~(1U << slot);
}

/* The set of slots that contain [begin, end), one bit each. begin < end as signed numbers. */
typedef uint32_t (*ni_slots_match_fn)(const struct ni_slots *slots, uint64_t begin, uint64_t end);

uint32_t ni_slots_match_scalar(const struct ni_slots *slots, uint64_t begin, uint64_t end);
#if defined(__x86_64__)
uint32_t ni_slots_match_avx2(const struct ni_slots *slots, uint64_t begin, uint64_t end);
uint32_t ni_slots_match_avx512(const struct ni_slots *slots, uint64_t begin, uint64_t end);
#endif

/* The function for a kind of vector code, which the processor must have. Pure. */
ni_slots_match_fn ni_slots_match_for(enum ni_simd simd);

#endif
