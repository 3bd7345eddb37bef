/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/buffer.h"
#include "common/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_LINE 64

static size_t stride_for(size_t size, size_t unit)
{
    return (size + OSU_GUARD + unit - 1) / unit * unit;
}

static int open_buffer(struct osu_buffer *buffer, const struct osu_run *run, size_t size, int slots,
                       size_t unit)
{
    size_t stride = stride_for(size, unit);
    size_t limit = run->options->memory_limit;
    void *memory = NULL;

    *buffer = (struct osu_buffer){0};
    /* The guard and the rounding are ours, so they do not count against the user's limit. */
    if (size != 0 && (size_t)slots > limit / size) {
        /* The same on all ranks, so one of them tells. */
        if (run->rank == 0) {
            fprintf(stderr,
                    "%s: %d buffers of %zu bytes exceed the limit of %zu bytes; lower the largest "
                    "size (-m) or the %s, or raise the limit (-M)\n",
                    run->bench->name, slots, size, limit,
                    run->bench->by_depth ? "largest depth (-d)" : "window (-W)");
        }
        return -1;
    }
    size_t bytes = stride * (size_t)slots;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0) {
        fprintf(stderr,
                "%s: rank %d: no memory for a buffer of %zu bytes; lower the largest size (-m)\n",
                run->bench->name, run->rank, bytes);
        return -1;
    }
    *buffer = (struct osu_buffer){memory, slots > 1 ? stride : 0, slots, bytes, unit};
    return 0;
}

/* Slots begin on pages, so that alignment does not depend on the place in the window. */
int osu_buffer_open(struct osu_buffer *buffer, const struct osu_run *run, size_t size, int slots)
{
    return open_buffer(buffer, run, size, slots, (size_t)sysconf(_SC_PAGESIZE));
}

int osu_buffer_open_dense(struct osu_buffer *buffer, const struct osu_run *run, size_t size,
                          int slots)
{
    return open_buffer(buffer, run, size, slots, CACHE_LINE);
}

void osu_buffer_touch(struct osu_buffer *buffer, size_t size, int fill)
{
    buffer->stride = buffer->slots > 1 ? stride_for(size, buffer->unit) : 0;
    for (int slot = 0; slot < buffer->slots; slot++) {
        memset(osu_buffer_slot(buffer, slot), fill, size + OSU_GUARD);
    }
}

void osu_buffer_close(struct osu_buffer *buffer)
{
    free(buffer->base);
    *buffer = (struct osu_buffer){0};
}
