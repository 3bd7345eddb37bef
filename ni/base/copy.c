/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/copy.h"

#include <stdint.h>
#include <string.h>

#include "base/bits.h"
#include "base/compiler.h"

#if defined(__x86_64__)
#include <emmintrin.h>

/* Whole lines, dst aligned: each line is filled by four stores in a row and leaves in one piece. */
static void stream_lines(uint8_t *dst, const uint8_t *src, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)src);
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(src + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(src + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(src + 48));

        _mm_stream_si128((__m128i *)(void *)dst, a);
        _mm_stream_si128((__m128i *)(void *)(dst + 16), b);
        _mm_stream_si128((__m128i *)(void *)(dst + 32), c);
        _mm_stream_si128((__m128i *)(void *)(dst + 48), d);
        src += NI_CACHE_LINE;
        dst += NI_CACHE_LINE;
    }
    _mm_sfence();
}
#else
static void stream_lines(uint8_t *dst, const uint8_t *src, size_t lines)
{
    memcpy(dst, src, lines * NI_CACHE_LINE);
}
#endif

void ni_copy_past_caches(void *dst, const void *src, size_t len)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
    size_t head = (size_t)ni_min_u64(-(uintptr_t)to % NI_CACHE_LINE, len);
    size_t lines = (len - head) / NI_CACHE_LINE;
    size_t done = head + lines * NI_CACHE_LINE;

    memcpy(to, from, head);
    stream_lines(to + head, from + head, lines);
    memcpy(to + done, from + done, len - done);
}
