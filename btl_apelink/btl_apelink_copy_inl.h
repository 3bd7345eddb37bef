/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_BTL_APELINK_COPY_INL_H
#define MCA_BTL_APELINK_COPY_INL_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/*
 * Copies of the hot path. A call of memcpy with a length that the compiler does not know costs more
 * than moving the few words of a small message: those are moved as two overlapping pieces of a
 * known length.
 */

enum {
    MCA_BTL_APELINK_COPY_SMALL = 32,
    MCA_BTL_APELINK_OB1_MATCH = 14, /* bytes of ob1's header of a short message */
};

NI_ALWAYS_INLINE void mca_btl_apelink_copy_small(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size >= 8) {
        if (size > 16) {
            memcpy(to, from, 16);
            memcpy(to + size - 16, from + size - 16, 16);
        } else {
            memcpy(to, from, 8);
            memcpy(to + size - 8, from + size - 8, 8);
        }
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size >= 2) {
        memcpy(to, from, 2);
        memcpy(to + size - 2, from + size - 2, 2);
    } else if (size == 1) {
        *to = *from;
    }
}

NI_ALWAYS_INLINE void mca_btl_apelink_copy(uint8_t *to, const void *from, size_t size)
{
    if (NI_LIKELY(size <= MCA_BTL_APELINK_COPY_SMALL)) {
        mca_btl_apelink_copy_small(to, from, size);
    } else {
        memcpy(to, from, size);
    }
}

NI_ALWAYS_INLINE void mca_btl_apelink_copy_header(uint8_t *to, const void *from, size_t size)
{
    if (NI_LIKELY(size == MCA_BTL_APELINK_OB1_MATCH)) {
        memcpy(to, from, MCA_BTL_APELINK_OB1_MATCH);
    } else {
        mca_btl_apelink_copy(to, from, size);
    }
}

#endif
