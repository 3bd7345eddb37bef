/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers for short-lived data: lists of what was given back, by size. */
#include <stdlib.h>

#include "core/rank.h"

/* Before the data. */
struct pri_buffer {
    struct pri_buffer *next;
    unsigned class; /* PRI_BUFFER_CLASSES: longer than any */
    NI_LINE_ALIGNED uint8_t data[];
};

static const size_t class_bytes[PRI_BUFFER_CLASSES] = {256, 4096, 32768, 131072};

static unsigned class_of(size_t bytes)
{
    unsigned class = 0;

    while (class < PRI_BUFFER_CLASSES && bytes > class_bytes[class]) {
        class ++;
    }
    return class;
}

static struct pri_buffer *fresh(unsigned class, size_t bytes)
{
    size_t size = class < PRI_BUFFER_CLASSES ? class_bytes[class] : bytes;
    struct pri_buffer *buffer;

    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (sizeof(*buffer) + size + NI_CACHE_LINE - 1) & ~(size_t)(NI_CACHE_LINE - 1);
    buffer = aligned_alloc(NI_CACHE_LINE, size);
    if (buffer != NULL) {
        buffer->class = class;
    }
    return buffer;
}

void *pri_buffer_get(struct pri_rank *self, size_t bytes)
{
    unsigned class = class_of(bytes);
    struct pri_buffer *buffer = NULL;

    if (class < PRI_BUFFER_CLASSES) {
        pri_lock(self);
        buffer = self->cold->buffers[class];
        if (buffer != NULL) {
            self->cold->buffers[class] = buffer->next;
        }
        pri_unlock(self);
    }
    if (buffer == NULL) {
        buffer = fresh(class, bytes);
    }
    return buffer == NULL ? NULL : buffer->data;
}

void pri_buffer_put(struct pri_rank *self, void *data)
{
    struct pri_buffer *buffer;

    if (data == NULL) {
        return;
    }
    buffer = ni_container_of(data, struct pri_buffer, data);
    if (buffer->class == PRI_BUFFER_CLASSES) {
        free(buffer);
        return;
    }
    pri_lock(self);
    buffer->next = self->cold->buffers[buffer->class];
    self->cold->buffers[buffer->class] = buffer;
    pri_unlock(self);
}

void pri_buffers_free(struct pri_rank *self)
{
    for (unsigned i = 0; i < PRI_BUFFER_CLASSES; i++) {
        while (self->cold->buffers[i] != NULL) {
            struct pri_buffer *buffer = self->cold->buffers[i];

            self->cold->buffers[i] = buffer->next;
            free(buffer);
        }
    }
}
