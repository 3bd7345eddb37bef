/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/slots.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Eight slots: one bit for each that contains the wanted range. */
__attribute__((target("avx512f"))) static inline uint32_t hits8(const struct ni_slots *slots,
                                                                unsigned slot, __m512i wanted_first,
                                                                __m512i wanted_end)
{
    __m512i first = _mm512_load_si512(&slots->first[slot]);
    __m512i end = _mm512_load_si512(&slots->end[slot]);
    __mmask8 hits = _mm512_cmple_epi64_mask(first, wanted_first);

    return (uint32_t)_mm512_mask_cmple_epi64_mask(hits, wanted_end, end) << slot;
}

__attribute__((target("avx512f"))) uint32_t ni_slots_match_avx512(const struct ni_slots *slots,
                                                                  uint64_t begin, uint64_t end)
{
    __m512i wanted_first = _mm512_set1_epi64(ni_slots_signed(begin));
    __m512i wanted_end = _mm512_set1_epi64(ni_slots_signed(end));
    uint32_t hits = 0;

    for (unsigned slot = 0; slot < NI_SLOTS; slot += 8) {
        hits |= hits8(slots, slot, wanted_first, wanted_end);
    }
    return hits & slots->used;
}

#endif
