/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/buffer.h"
#include "common/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slots begin on pages, so that alignment does not depend on the place in the window. */
static size_t stride_for(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + OSU_GUARD + page - 1) / page * page;
}

int osu_buffer_open(struct osu_buffer *buffer, const struct osu_run *run, size_t size, int slots)
{
    size_t stride = stride_for(size);
    size_t limit = run->options->memory_limit;
    void *memory = NULL;

    *buffer = (struct osu_buffer){0};
    /* The guard and the rounding are ours, so they do not count against the user's limit. */
    if (size != 0 && (size_t)slots > limit / size) {
        /* The same on all ranks, so one of them tells. */
        if (run->rank == 0)
            fprintf(stderr,
                    "%s: %d buffers of %zu bytes exceed the limit of %zu bytes; lower the largest "
                    "size (-m) or the window (-W), or raise the limit (-M)\n",
                    run->bench->name, slots, size, limit);
        return -1;
    }
    size_t bytes = stride * (size_t)slots;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0) {
        fprintf(stderr,
                "%s: rank %d: no memory for a buffer of %zu bytes; lower the largest size (-m)\n",
                run->bench->name, run->rank, bytes);
        return -1;
    }
    *buffer = (struct osu_buffer){memory, slots > 1 ? stride : 0, slots, bytes};
    return 0;
}

void osu_buffer_touch(struct osu_buffer *buffer, size_t size, int fill)
{
    buffer->stride = buffer->slots > 1 ? stride_for(size) : 0;
    for (int slot = 0; slot < buffer->slots; slot++)
        memset(osu_buffer_slot(buffer, slot), fill, size + OSU_GUARD);
}

void osu_buffer_close(struct osu_buffer *buffer)
{
    free(buffer->base);
    *buffer = (struct osu_buffer){0};
}
