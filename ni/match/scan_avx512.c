/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/block.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Eight places: one bit for each whose bits do not match. `loose` are the bits that may differ. */
__attribute__((target("avx512f"))) static inline __mmask8 misses8(
    const struct ni_match_block *block, unsigned place, __m512i bits, __m512i loose)
{
    __m512i have = _mm512_load_si512(&block->bits[place]);
    __m512i differ = _mm512_andnot_si512(loose, _mm512_xor_si512(have, bits));

    return _mm512_test_epi64_mask(differ, differ);
}

/* A row: one bit for each place whose initiator is this one or any. */
__attribute__((target("avx512f"))) static inline uint32_t from16(const struct ni_match_block *block,
                                                                 unsigned row, __m512i sender)
{
    __m512i have = _mm512_load_si512(&block->initiator[row]);

    return (uint32_t)_mm512_cmpeq_epi32_mask(have, sender) |
           (uint32_t)_mm512_cmpeq_epi32_mask(have, _mm512_set1_epi32(-1));
}

/* A row: one bit for each place whose bits do not match. */
__attribute__((target("avx512f"))) static inline uint32_t misses16(
    const struct ni_match_block *block, unsigned row, __m512i bits, __m512i loose)
{
    __m512i low = _mm512_or_si512(_mm512_load_si512(&block->ignore[row]), loose);
    __m512i high = _mm512_or_si512(_mm512_load_si512(&block->ignore[row + 8]), loose);

    return _mm512_kunpackb(misses8(block, row + 8, bits, high), misses8(block, row, bits, low));
}

__attribute__((target("avx512f"))) unsigned ni_match_scan_avx512(const struct ni_match_block *block,
                                                                 unsigned from, uint64_t bits,
                                                                 uint64_t ignore,
                                                                 uint32_t initiator)
{
    __m512i wanted = _mm512_set1_epi64((int64_t)bits);
    __m512i loose = _mm512_set1_epi64((int64_t)ignore);
    __m512i sender = _mm512_set1_epi32((int32_t)initiator);
    uint32_t all = initiator == UINT32_MAX ? UINT32_MAX : 0;
    uint64_t left = ni_match_block_left(block, from);

    for (unsigned row = ni_match_row_first(block, left); row < block->end; row += NI_MATCH_ROW) {
        uint32_t who = from16(block, row, sender) | all;
        uint32_t hits = ~misses16(block, row, wanted, loose) & who & ni_match_row_left(left, row);

        if (hits != 0) {
            return row + (unsigned)__builtin_ctz(hits);
        }
    }
    return NI_MATCH_BLOCK;
}

__attribute__((target("avx512f"))) unsigned ni_match_scan_front_avx512(
    const struct ni_match_block *block, uint64_t bits, uint32_t initiator)
{
    __m512i wanted = _mm512_set1_epi64((int64_t)bits);
    __m512i sender = _mm512_set1_epi32((int32_t)initiator);
    __m512i loose = _mm512_setzero_si512();

    for (unsigned row = ni_match_row_first(block, block->live); row < block->end;
         row += NI_MATCH_ROW) {
        uint32_t hits = ~misses16(block, row, wanted, loose) & from16(block, row, sender) &
                        ni_match_row_left(block->live, row);

        if (hits != 0) {
            return row + (unsigned)__builtin_ctz(hits);
        }
    }
    return NI_MATCH_BLOCK;
}

#endif
