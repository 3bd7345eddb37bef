/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/block.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Four places: one bit for each whose bits match. `loose` are bits that may differ. */
__attribute__((target("avx2"))) static inline uint32_t bits4(const struct ni_match_block *block,
                                                             unsigned place, __m256i bits,
                                                             __m256i loose)
{
    __m256i have = _mm256_load_si256((const __m256i *)&block->bits[place]);
    __m256i ignore = _mm256_load_si256((const __m256i *)&block->ignore[place]);
    __m256i differ =
        _mm256_andnot_si256(_mm256_or_si256(ignore, loose), _mm256_xor_si256(have, bits));
    __m256i equal = _mm256_cmpeq_epi64(differ, _mm256_setzero_si256());

    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << place;
}

/* Eight places: one bit for each whose bits match. */
__attribute__((target("avx2"))) static inline uint32_t bits8(const struct ni_match_block *block,
                                                             unsigned place, uint64_t bits,
                                                             uint64_t ignore)
{
    __m256i wanted = _mm256_set1_epi64x((int64_t)bits);
    __m256i loose = _mm256_set1_epi64x((int64_t)ignore);

    return bits4(block, place, wanted, loose) | bits4(block, place + 4, wanted, loose);
}

/* Eight places: one bit for each whose initiator matches one that is not any. */
__attribute__((target("avx2"))) static inline uint32_t from8(const struct ni_match_block *block,
                                                             unsigned place, uint32_t initiator)
{
    __m256i sender = _mm256_set1_epi32((int32_t)initiator);
    __m256i have = _mm256_load_si256((const __m256i *)&block->initiator[place]);
    __m256i equal = _mm256_or_si256(_mm256_cmpeq_epi32(have, sender),
                                    _mm256_cmpeq_epi32(have, _mm256_set1_epi32(-1)));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << place;
}

__attribute__((target("avx2"))) unsigned ni_match_scan_avx2(const struct ni_match_block *block,
                                                            unsigned from, uint64_t bits,
                                                            uint64_t ignore, uint32_t initiator)
{
    uint32_t who = initiator == UINT32_MAX
                       ? UINT32_MAX
                       : from8(block, 0, initiator) | from8(block, 8, initiator);
    uint32_t what = bits8(block, 0, bits, ignore) | bits8(block, 8, bits, ignore);

    /* The bit behind the last place stands for "none". */
    return (unsigned)__builtin_ctz(((what & who & block->live) >> from << from) |
                                   1U << NI_MATCH_BLOCK);
}

/* The second half only if there is nothing in the first. */
__attribute__((target("avx2"))) unsigned ni_match_scan_front_avx2(
    const struct ni_match_block *block, uint64_t bits, uint32_t initiator)
{
    uint32_t hits = bits8(block, 0, bits, 0) & from8(block, 0, initiator) & block->live;

    if (hits == 0) {
        hits = bits8(block, 8, bits, 0) & from8(block, 8, initiator) & block->live;
    }
    return (unsigned)__builtin_ctz(hits | 1U << NI_MATCH_BLOCK);
}

#endif
