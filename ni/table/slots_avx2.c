/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/slots.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Four slots: one bit for each that does not contain the wanted range. */
__attribute__((target("avx2"))) static inline uint32_t misses4(const struct ni_slots *slots,
                                                               unsigned slot, __m256i wanted_first,
                                                               __m256i wanted_end)
{
    __m256i first = _mm256_load_si256((const __m256i *)&slots->first[slot]);
    __m256i end = _mm256_load_si256((const __m256i *)&slots->end[slot]);
    __m256i miss = _mm256_or_si256(_mm256_cmpgt_epi64(first, wanted_first),
                                   _mm256_cmpgt_epi64(wanted_end, end));

    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(miss)) << slot;
}

__attribute__((target("avx2"))) uint32_t ni_slots_match_avx2(const struct ni_slots *slots,
                                                             uint64_t begin, uint64_t end)
{
    __m256i wanted_first = _mm256_set1_epi64x((int64_t)begin);
    __m256i wanted_end = _mm256_set1_epi64x((int64_t)end);
    uint32_t misses = 0;

    for (unsigned slot = 0; slot < NI_SLOTS; slot += 4) {
        misses |= misses4(slots, slot, wanted_first, wanted_end);
    }
    return ~misses & slots->used;
}

#endif
