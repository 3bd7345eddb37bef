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

    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}

/* Eight places: one bit for each whose bits match. */
__attribute__((target("avx2"))) static inline uint32_t bits8(const struct ni_match_block *block,
                                                             unsigned place, __m256i bits,
                                                             __m256i loose)
{
    return bits4(block, place, bits, loose) | bits4(block, place + 4, bits, loose) << 4;
}

/* Eight places: one bit for each whose initiator matches one that is not any. */
__attribute__((target("avx2"))) static inline uint32_t from8(const struct ni_match_block *block,
                                                             unsigned place, __m256i sender)
{
    __m256i have = _mm256_load_si256((const __m256i *)&block->initiator[place]);
    __m256i equal = _mm256_or_si256(_mm256_cmpeq_epi32(have, sender),
                                    _mm256_cmpeq_epi32(have, _mm256_set1_epi32(-1)));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

__attribute__((target("avx2"))) unsigned ni_match_scan_avx2(const struct ni_match_block *block,
                                                            unsigned from, uint64_t bits,
                                                            uint64_t ignore, uint32_t initiator)
{
    __m256i wanted = _mm256_set1_epi64x((int64_t)bits);
    __m256i loose = _mm256_set1_epi64x((int64_t)ignore);
    __m256i sender = _mm256_set1_epi32((int32_t)initiator);
    uint32_t all = initiator == UINT32_MAX ? UINT32_MAX : 0;
    uint64_t left = ni_match_block_left(block, from);

    for (unsigned row = ni_match_row_first(block, left); row < block->end; row += NI_MATCH_ROW) {
        uint32_t who = from8(block, row, sender) | from8(block, row + 8, sender) << 8 | all;
        uint32_t what = bits8(block, row, wanted, loose) | bits8(block, row + 8, wanted, loose)
                                                               << 8;
        uint32_t hits = who & what & ni_match_row_left(left, row);

        if (hits != 0) {
            return row + (unsigned)__builtin_ctz(hits);
        }
    }
    return NI_MATCH_BLOCK;
}

/* The second half of a row only if there is nothing in the first. */
__attribute__((target("avx2"))) unsigned ni_match_scan_front_avx2(
    const struct ni_match_block *block, uint64_t bits, uint32_t initiator)
{
    __m256i wanted = _mm256_set1_epi64x((int64_t)bits);
    __m256i loose = _mm256_setzero_si256();
    __m256i sender = _mm256_set1_epi32((int32_t)initiator);

    for (unsigned half = ni_match_row_first(block, block->live); half < block->end;
         half += NI_MATCH_ROW / 2) {
        uint32_t hits = bits8(block, half, wanted, loose) & from8(block, half, sender) &
                        (uint32_t)(block->live >> half);

        if (hits != 0) {
            return half + (unsigned)__builtin_ctz(hits);
        }
    }
    return NI_MATCH_BLOCK;
}

#endif
