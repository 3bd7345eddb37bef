/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/block.h"

unsigned ni_match_scan_scalar(const struct ni_match_block *block, unsigned from, uint64_t bits,
                              uint64_t ignore, uint32_t initiator)
{
    for (uint64_t left = block->live >> from << from; left != 0; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);
        uint32_t other = block->initiator[place];

        if (((block->bits[place] ^ bits) & ~(block->ignore[place] | ignore)) == 0 &&
            (other == initiator || other == UINT32_MAX || initiator == UINT32_MAX)) {
            return place;
        }
    }
    return NI_MATCH_BLOCK;
}

unsigned ni_match_scan_front_scalar(const struct ni_match_block *block, uint64_t bits,
                                    uint32_t initiator)
{
    for (uint64_t left = block->live; left != 0; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);

        if (((block->bits[place] ^ bits) & ~block->ignore[place]) == 0 &&
            (block->initiator[place] == initiator || block->initiator[place] == UINT32_MAX)) {
            return place;
        }
    }
    return NI_MATCH_BLOCK;
}

struct ni_match_scan ni_match_scan_for(enum ni_simd simd)
{
#if defined(__x86_64__)
    if (simd == NI_SIMD_AVX512) {
        return (struct ni_match_scan){ni_match_scan_avx512, ni_match_scan_front_avx512};
    }
    if (simd == NI_SIMD_AVX2) {
        return (struct ni_match_scan){ni_match_scan_avx2, ni_match_scan_front_avx2};
    }
#else
    (void)simd;
#endif
    return (struct ni_match_scan){ni_match_scan_scalar, ni_match_scan_front_scalar};
}
