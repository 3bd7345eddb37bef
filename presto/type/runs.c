/* SPDX-License-Identifier: BSD-3-Clause */
/* Where single bytes of data lie, for code that goes through data piece by piece. */
#include "type/loops.h"

void pri_type_run(const struct pri_type *type, size_t offset, ptrdiff_t *at, size_t *length)
{
    if (type->contiguous) {
        *at = type->true_lb + (ptrdiff_t)offset;
        *length = SIZE_MAX - offset;
        return;
    }
    const struct pri_loop *part = type->part;
    size_t parts = type->parts, byte = offset % type->size;
    *at = (ptrdiff_t)(offset / type->size) * type->extent;
    for (;;) {
        const struct pri_loop *loop = &part[pri_loop_at(part, parts, byte)];
        byte -= loop->at;
        size_t i = byte / loop->size;
        byte %= loop->size;
        *at += loop->disp + (ptrdiff_t)i * loop->stride;
        if (loop->body == NULL) {
            *at += (ptrdiff_t)byte;
            *length = loop->size - byte;
            if (loop->stride == (ptrdiff_t)loop->size) {
                *length += (loop->count - i - 1) * loop->size;
            }
            return;
        }
        part = loop->body;
        parts = loop->parts;
    }
}

/* Whether the data of a list is in the order of its places, where what follows may begin so many
 * bytes before what it follows ends; *low and *high become where it begins and ends. */
static bool list_ascends(const struct pri_loop *part, size_t parts, ptrdiff_t overlap,
                         ptrdiff_t *low, ptrdiff_t *high)
{
    for (size_t i = 0; i < parts; i++) {
        const struct pri_loop *loop = &part[i];
        ptrdiff_t first = 0, last = (ptrdiff_t)loop->size;
        if (loop->body != NULL && !list_ascends(loop->body, loop->parts, overlap, &first, &last)) {
            return false;
        }
        if (loop->count > 1 && loop->stride < last - first - overlap) {
            return false;
        }
        first += loop->disp;
        last += loop->disp + (ptrdiff_t)(loop->count - 1) * loop->stride;
        if (i > 0 && first < *high - overlap) {
            return false;
        }
        *low = i == 0 ? first : *low;
        *high = last;
    }
    return true;
}

enum pri_type_order pri_type_order(const struct pri_type *type)
{
    ptrdiff_t low = 0, high = 0;
    if (type->size == 0 || type->extent <= 0 || type->true_lb < 0) {
        return PRI_UNORDERED;
    }
    if (type->contiguous) {
        return PRI_ORDERED;
    }
    if (list_ascends(type->part, type->parts, 0, &low, &high)) {
        return high - low <= type->extent ? PRI_ORDERED : PRI_ORDERED_ONCE;
    }
    return list_ascends(type->part, type->parts, (ptrdiff_t)type->unit, &low, &high)
               ? PRI_OVERLAPPING
               : PRI_UNORDERED;
}
