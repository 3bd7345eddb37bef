/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_BUFFER_H
#define OSU_COMMON_BUFFER_H

/*
 * Page-aligned message buffers. A buffer is allocated once for the largest message and reused for
 * all sizes, as a program would do it; it has one slot for each message that must not share its
 * memory with another.
 */

#include "common/bench.h"

struct osu_buffer {
    unsigned char *base; /* page-aligned; owned */
    size_t stride;       /* bytes from slot to slot at the current size; 0 if there is one slot */
    int slots;
    size_t bytes; /* allocated */
    size_t unit;  /* slots begin on multiples of it */
};

/*
 * Allocate for slots messages of up to size bytes and their guards. Memory is not touched yet.
 * Returns 0, or -1 with a message on stderr that names the remedy: more bytes would be needed than
 * the option -M allows, or there is no memory.
 */
int osu_buffer_open(struct osu_buffer *buffer, const struct osu_run *run, size_t size, int slots);

/*
 * The same with slots that begin on cache lines instead of pages: for so many slots that the pages,
 * and not what is measured, would count.
 */
int osu_buffer_open_dense(struct osu_buffer *buffer, const struct osu_run *run, size_t size,
                          int slots);

/* Lay the slots out for messages of size bytes and write each byte once. */
void osu_buffer_touch(struct osu_buffer *buffer, size_t size, int fill);

/* The memory of a slot. A buffer of one slot has the same memory for any number. */
static inline void *osu_buffer_slot(const struct osu_buffer *buffer, int slot)
{
    return buffer->base + (size_t)slot * buffer->stride;
}

/* Free the memory; harmless on a buffer of zeros. */
void osu_buffer_close(struct osu_buffer *buffer);

#endif
