/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_FIFO_H
#define DNP_FIFO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "driver/word.h"

/*
 * A ring of words in which packets become visible as a whole. Positions count modulo 2^32:
 *
 *      taken            ready             filled
 *        | whole packets  | part of a packet | free
 *
 * The memory belongs to the user: a power of two of words. Not thread-safe.
 */
struct dnp_fifo {
    struct apelink_word *word;
    uint32_t size;
    uint32_t taken;
    uint32_t ready;
    uint32_t filled;
};

static inline void dnp_fifo_init(struct dnp_fifo *fifo, struct apelink_word *words, uint32_t size)
{
    *fifo = (struct dnp_fifo){.word = words, .size = size};
}

/* Words of whole packets. */
static inline uint32_t dnp_fifo_ready(const struct dnp_fifo *fifo)
{
    return fifo->ready - fifo->taken;
}

/* Words that take room, those of a packet that is not whole too. */
static inline uint32_t dnp_fifo_held(const struct dnp_fifo *fifo)
{
    return fifo->filled - fifo->taken;
}

static inline uint32_t dnp_fifo_room(const struct dnp_fifo *fifo)
{
    return fifo->size - dnp_fifo_held(fifo);
}

/* Add a word, for which there must be room. */
static inline void dnp_fifo_put(struct dnp_fifo *fifo, struct apelink_word word)
{
    NI_ASSERT(dnp_fifo_room(fifo) > 0);
    fifo->word[fifo->filled++ & (fifo->size - 1)] = word;
}

/* Add n words, for which there must be room. */
static inline void dnp_fifo_put_run(struct dnp_fifo *fifo, const struct apelink_word *words,
                                    uint32_t n)
{
    uint32_t at = fifo->filled & (fifo->size - 1);
    uint32_t first = (uint32_t)ni_min_u64(n, fifo->size - at);

    NI_ASSERT(dnp_fifo_room(fifo) >= n);
    memcpy(fifo->word + at, words, first * sizeof *words);
    memcpy(fifo->word, words + first, (n - first) * sizeof *words);
    fifo->filled += n;
}

/* Where the next words go, as many as lie one behind the other, up to n. Returns how many; they
 * are there once they are added. */
static inline uint32_t dnp_fifo_space(const struct dnp_fifo *fifo, uint32_t n,
                                      struct apelink_word **words)
{
    uint32_t at = fifo->filled & (fifo->size - 1);

    *words = fifo->word + at;
    return (uint32_t)ni_min_u64(ni_min_u64(n, dnp_fifo_room(fifo)), fifo->size - at);
}

static inline void dnp_fifo_added(struct dnp_fifo *fifo, uint32_t n)
{
    NI_ASSERT(dnp_fifo_room(fifo) >= n);
    fifo->filled += n;
}

/* The packet that was added is whole; or is to be forgotten. */
static inline void dnp_fifo_commit(struct dnp_fifo *fifo)
{
    fifo->ready = fifo->filled;
}

static inline void dnp_fifo_cancel(struct dnp_fifo *fifo)
{
    fifo->filled = fifo->ready;
}

/* The word behind the first `index` ones; it must be ready. */
static inline struct apelink_word dnp_fifo_peek(const struct dnp_fifo *fifo, uint32_t index)
{
    NI_ASSERT(index < dnp_fifo_ready(fifo));
    return fifo->word[(fifo->taken + index) & (fifo->size - 1)];
}

static inline struct apelink_word dnp_fifo_take(struct dnp_fifo *fifo)
{
    struct apelink_word word = dnp_fifo_peek(fifo, 0);

    fifo->taken++;
    return word;
}

/* The words that lie one behind the other from the first on, up to n, which must be ready. Returns
 * how many they are. */
static inline uint32_t dnp_fifo_run(const struct dnp_fifo *fifo, uint32_t n,
                                    const struct apelink_word **words)
{
    uint32_t at = fifo->taken & (fifo->size - 1);

    NI_ASSERT(n <= dnp_fifo_ready(fifo));
    *words = fifo->word + at;
    return (uint32_t)ni_min_u64(n, fifo->size - at);
}

static inline void dnp_fifo_skip(struct dnp_fifo *fifo, uint32_t words)
{
    NI_ASSERT(words <= dnp_fifo_ready(fifo));
    fifo->taken += words;
}

#endif
