/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/slots.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Eight slots: one bit for each that begins early enough. */
__attribute__((target("avx512f"))) static inline uint32_t begin8(const struct ni_slots *slots,
                                                                 unsigned slot,
                                                                 __m512i wanted_first)
{
    __m512i first = _mm512_load_si512(&slots->first[slot]);

    return (uint32_t)_mm512_cmple_epi64_mask(first, wanted_first) << slot;
}

/* And for each that ends late enough. */
__attribute__((target("avx512f"))) static inline uint32_t end8(const struct ni_slots *slots,
                                                               unsigned slot, __m512i wanted_end)
{
    __m512i end = _mm512_load_si512(&slots->end[slot]);

    return (uint32_t)_mm512_cmple_epi64_mask(wanted_end, end) << slot;
}

/* All eight comparisons can begin at once, which a mask handed from one to the next would prevent;
 * written out, because the compiler does not unroll the loop. */
__attribute__((target("avx512f"))) uint32_t ni_slots_match_avx512(const struct ni_slots *slots,
                                                                  uint64_t begin, uint64_t end)
{
    __m512i wanted_first = _mm512_set1_epi64((int64_t)begin);
    __m512i wanted_end = _mm512_set1_epi64((int64_t)end);
    uint32_t begins = (begin8(slots, 0, wanted_first) | begin8(slots, 8, wanted_first)) |
                      (begin8(slots, 16, wanted_first) | begin8(slots, 24, wanted_first));
    uint32_t ends = (end8(slots, 0, wanted_end) | end8(slots, 8, wanted_end)) |
                    (end8(slots, 16, wanted_end) | end8(slots, 24, wanted_end));

    return begins & ends & slots->used;
}

#endif
