/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that is not contiguous, and lists of buffers for it. */
#include "ompi_match/match.h"

#include <stddef.h>
#include <stdlib.h>

OBJ_CLASS_INSTANCE(ompi_match_buffer_t, opal_free_list_item_t, NULL, NULL);

static const size_t class_bytes[OMPI_MATCH_BUFFER_CLASSES] = {256, 2048, 16384, 131072};

/* ---- lists ----------------------------------------------------------------------------------- */

int ompi_match_make_buffers(void)
{
    int rc = OPAL_SUCCESS;

    for (int i = 0; i < OMPI_MATCH_BUFFER_CLASSES; i++) {
        OBJ_CONSTRUCT(&ompi_match.buffers[i], opal_free_list_t);
    }
    for (int i = 0; i < OMPI_MATCH_BUFFER_CLASSES && rc == OPAL_SUCCESS; i++) {
        int more = class_bytes[i] <= 2048 ? 16 : 1; /* at a time */

        rc = opal_free_list_init(
            &ompi_match.buffers[i], sizeof(ompi_match_buffer_t) + class_bytes[i], NI_CACHE_LINE,
            OBJ_CLASS(ompi_match_buffer_t), 0, 0, 0, -1, more, NULL, 0, NULL, NULL, NULL);
    }
    return rc;
}

void ompi_match_free_buffers(void)
{
    for (int i = 0; i < OMPI_MATCH_BUFFER_CLASSES; i++) {
        OBJ_DESTRUCT(&ompi_match.buffers[i]);
    }
}

struct ompi_match_buffer *ompi_match_buffer_get(size_t size)
{
    struct ompi_match_buffer *buffer;

    for (int i = 0; i < OMPI_MATCH_BUFFER_CLASSES; i++) {
        if (size <= class_bytes[i]) {
            opal_free_list_t *list = &ompi_match.buffers[i];

            buffer = (struct ompi_match_buffer *)opal_free_list_get(list);
            if (buffer != NULL) {
                buffer->home = list;
            }
            return buffer;
        }
    }
    if (size > SIZE_MAX - sizeof(*buffer) - NI_CACHE_LINE) {
        return NULL;
    }
    buffer = aligned_alloc(NI_CACHE_LINE, (sizeof(*buffer) + size + NI_CACHE_LINE - 1) &
                                              ~(size_t)(NI_CACHE_LINE - 1));
    if (buffer != NULL) {
        buffer->home = NULL;
    }
    return buffer;
}

void ompi_match_buffer_put(struct ompi_match_buffer *buffer)
{
    if (buffer->home != NULL) {
        opal_free_list_return(buffer->home, &buffer->super);
    } else {
        free(buffer);
    }
}

/* ---- convertors ------------------------------------------------------------------------------ */

struct ompi_match_buffer *ompi_match_pack(struct opal_convertor_t *convertor, size_t size)
{
    struct ompi_match_buffer *buffer = ompi_match_buffer_get(size);
    struct iovec iov;
    uint32_t count = 1;
    size_t packed = size;

    if (buffer == NULL) {
        return NULL;
    }
    iov.iov_base = (IOVBASE_TYPE *)buffer->data;
    iov.iov_len = size;
    if (NI_UNLIKELY(opal_convertor_pack(convertor, &iov, &count, &packed) < 0 || packed != size)) {
        ompi_match_buffer_put(buffer);
        return NULL;
    }
    return buffer;
}

int ompi_match_unpack(struct opal_convertor_t *convertor, const struct ompi_match_buffer *buffer,
                      size_t size)
{
    struct iovec iov = {.iov_base = (IOVBASE_TYPE *)(uintptr_t)buffer->data, .iov_len = size};
    uint32_t count = 1;
    size_t unpacked = size;

    return opal_convertor_unpack(convertor, &iov, &count, &unpacked) < 0 ? OMPI_ERROR
                                                                         : OMPI_SUCCESS;
}
