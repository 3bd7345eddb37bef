/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/slots.h"

uint32_t ni_slots_match_scalar(const struct ni_slots *slots, uint64_t begin, uint64_t end)
{
    int64_t wanted_first = (int64_t)begin;
    int64_t wanted_end = (int64_t)end;
    uint32_t hits = 0;

    /* Only the slots in use: a program has 10 to 20 buffers as a rule (APEnet+ 4.4.4). */
    for (uint32_t left = slots->used; left != 0; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctz(left);

        /* Not &&: without a branch the processor runs ahead through all slots. */
        hits |= (uint32_t)((slots->first[slot] <= wanted_first) & (wanted_end <= slots->end[slot]))
                << slot;
    }
    return hits;
}

ni_slots_match_fn ni_slots_match_for(enum ni_simd simd)
{
#if defined(__x86_64__)
    if (simd == NI_SIMD_AVX512) {
        return ni_slots_match_avx512;
    }
    if (simd == NI_SIMD_AVX2) {
        return ni_slots_match_avx2;
    }
#else
    (void)simd;
#endif
    return ni_slots_match_scalar;
}
