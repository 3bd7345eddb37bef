/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/block.h"

unsigned ni_match_scan_scalar(const struct ni_match_block *block, unsigned from, uint64_t bits,
                              uint64_t ignore, uint32_t initiator)
{
    for (uint32_t left = block->live >> from << from; left != 0; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctz(left);
        uint32_t other = block->initiator[place];

        if (((block->bits[place] ^ bits) & ~(block->ignore[place] | ignore)) == 0 &&
            (other == initiator || other == UINT32_MAX || initiator == UINT32_MAX)) {
            return place;
        }
    }
    return NI_MATCH_BLOCK;
}

ni_match_scan_fn ni_match_scan_for(enum ni_simd simd)
{
#if defined(__x86_64__)
    if (simd == NI_SIMD_AVX512) {
        return ni_match_scan_avx512;
    }
    if (simd == NI_SIMD_AVX2) {
        return ni_match_scan_avx2;
    }
#else
    (void)simd;
#endif
    return ni_match_scan_scalar;
}
