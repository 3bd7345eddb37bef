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

/* All places: one bit for each whose initiator is this one or any. */
__attribute__((target("avx512f"))) static inline uint32_t from16(const struct ni_match_block *block,
                                                                 uint32_t initiator)
{
    __m512i have = _mm512_load_si512(block->initiator);

    return (uint32_t)_mm512_cmpeq_epi32_mask(have, _mm512_set1_epi32((int32_t)initiator)) |
           (uint32_t)_mm512_cmpeq_epi32_mask(have, _mm512_set1_epi32(-1));
}

__attribute__((target("avx512f"))) unsigned ni_match_scan_avx512(const struct ni_match_block *block,
                                                                 unsigned from, uint64_t bits,
                                                                 uint64_t ignore,
                                                                 uint32_t initiator)
{
    __m512i wanted = _mm512_set1_epi64((int64_t)bits);
    __m512i loose = _mm512_set1_epi64((int64_t)ignore);
    __m512i low = _mm512_or_si512(_mm512_load_si512(&block->ignore[0]), loose);
    __m512i high = _mm512_or_si512(_mm512_load_si512(&block->ignore[8]), loose);
    uint32_t who = from16(block, initiator) | (initiator == UINT32_MAX ? UINT32_MAX : 0);
    uint32_t misses =
        _mm512_kunpackb(misses8(block, 8, wanted, high), misses8(block, 0, wanted, low));

    /* The bit behind the last place stands for "none". */
    return (unsigned)__builtin_ctz(((~misses & who & block->live) >> from << from) |
                                   1U << NI_MATCH_BLOCK);
}

__attribute__((target("avx512f"))) unsigned ni_match_scan_front_avx512(
    const struct ni_match_block *block, uint64_t bits, uint32_t initiator)
{
    __m512i wanted = _mm512_set1_epi64((int64_t)bits);
    __m512i low = _mm512_load_si512(&block->ignore[0]);
    __m512i high = _mm512_load_si512(&block->ignore[8]);
    uint32_t misses =
        _mm512_kunpackb(misses8(block, 8, wanted, high), misses8(block, 0, wanted, low));

    return (unsigned)__builtin_ctz((~misses & from16(block, initiator) & block->live) |
                                   1U << NI_MATCH_BLOCK);
}

#endif
