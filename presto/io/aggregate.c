/* SPDX-License-Identifier: BSD-3-Clause */
/* What an aggregator does in a round of a two-phase access. */
#include "io/exchange.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 64 << 10 }; /* bytes between pieces that are read, too, rather than read twice */

static int by_place(const void *a, const void *b)
{
    const struct pri_io_item *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

void pri_io_sort_items(struct pri_io_exchange *x)
{
    char *data = x->received;
    for (size_t i = 0; i < x->asked_count; i++) {
        x->item[i] = (struct pri_io_item){x->asked[i].place, x->asked[i].length, data};
        data += x->asked[i].length;
    }
    qsort(x->item, x->asked_count, sizeof(*x->item), by_place);
}

/* Items from *i on that follow each other with at most `gap` bytes between; moves *i behind them.
 * Returns where they end. */
static int64_t next_extent(const struct pri_io_exchange *x, size_t *i, int64_t gap)
{
    int64_t behind = x->item[*i].place;
    for (; *i < x->asked_count && x->item[*i].place <= behind + gap; (*i)++) {
        int64_t end = x->item[*i].place + (int64_t)x->item[*i].length;
        behind = end > behind ? end : behind;
    }
    return behind;
}

int pri_io_write_window(struct pri_io_exchange *x)
{
    int error = 0;
    for (size_t i = 0; i < x->asked_count && error == 0;) {
        size_t begin = i, moved;
        int64_t first = x->item[i].place, behind = next_extent(x, &i, 0);
        for (size_t k = begin; k < i; k++) {
            memcpy(x->window + (x->item[k].place - x->low), x->item[k].data, x->item[k].length);
        }
        error = pri_io_piece(x->access->io, true, first, x->window + (first - x->low),
                             (size_t)(behind - first), &moved);
    }
    return error;
}

int pri_io_read_window(struct pri_io_exchange *x, int64_t *end)
{
    int64_t gap = x->access->io->hints.ds_read == PRI_IO_DISABLE ? 0 : GAP;
    int error = 0;
    *end = INT64_MAX;
    for (size_t i = 0; i < x->asked_count && error == 0 && *end == INT64_MAX;) {
        size_t got;
        int64_t first = x->item[i].place, behind = next_extent(x, &i, gap);
        error = pri_io_piece(x->access->io, false, first, x->window + (first - x->low),
                             (size_t)(behind - first), &got);
        if ((int64_t)got < behind - first) {
            *end = first + (int64_t)got;
        }
    }
    return error;
}

void pri_io_fill_replies(struct pri_io_exchange *x, int64_t end)
{
    const struct pri_io_range *piece = x->asked;
    char *to = x->received;
    for (int i = 0; i < x->team->size; i++) {
        x->reply_out[i] = 0;
        for (uint64_t k = 0; k < x->in[i].pieces; k++, piece++) {
            int64_t there = end - piece->place;
            uint64_t n = there <= 0                        ? 0
                         : (uint64_t)there < piece->length ? (uint64_t)there
                                                           : piece->length;
            memcpy(to, x->window + (piece->place - x->low), n);
            to += n;
            x->reply_out[i] += n;
        }
    }
}
