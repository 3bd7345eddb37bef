/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective accesses: which go by others, and how those are divided into rounds. */
#include "io/collective.h"

#include <stdlib.h>

#include "type/named.h"

enum {
    SHORT_PIECE = 16 << 10, /* bytes: longer pieces go directly */
    LOOKED_AT = 64,         /* pieces of an access whose mean length is taken */
    ALIGN = 1 << 16,        /* of an aggregator's part of the file */
    AT_ONCE = 32 << 20      /* bytes of all windows: the numbers of a round fit into ints */
};

static uint64_t mean_piece(const struct pri_io *io, uint64_t at, uint64_t bytes)
{
    uint64_t seen = 0, pieces = 0;
    while (seen < bytes && pieces < LOOKED_AT) {
        uint64_t length;
        pri_io_run(&io->view, at + seen, bytes - seen, &length);
        seen += length;
        pieces++;
    }
    return pieces == 0 ? 0 : seen / pieces;
}

static struct pri_io_span span_of(const struct pri_io_access *access)
{
    const struct pri_io *io = access->io;
    struct pri_io_span span = {.directly = io->view.external || io->view.converted || io->atomic};
    if (access->bytes > 0) {
        if (!pri_io_in_order(&io->view, access->at, access->bytes)) {
            span.directly = true;
        }
        pri_io_bounds(&io->view, access->at, access->bytes, &span.first, &span.behind);
        span.piece = mean_piece(io, access->at, access->bytes);
    }
    return span;
}

static int by_first(const void *a, const void *b)
{
    const struct pri_io_span *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether the access of some rank begins before that of another one ends. Sorts. */
static bool interleaved(struct pri_io_span *span, int size)
{
    int64_t behind = 0;
    qsort(span, (size_t)size, sizeof(*span), by_first);
    for (int i = 0; i < size; i++) {
        if (span[i].behind == span[i].first) {
            continue;
        }
        if (span[i].first < behind) {
            return true;
        }
        behind = span[i].behind;
    }
    return false;
}

/* The same in all ranks, as the spans and hints are. Also the part of the file that is accessed. */
static bool goes_by_others(const struct pri_io *io, bool write, struct pri_io_span *span,
                           struct pri_io_rounds *rounds)
{
    enum pri_io_choice choice = write ? io->hints.cb_write : io->hints.cb_read;
    int size = io->team->size, some = 0;
    bool are_short = false;
    rounds->first = INT64_MAX;
    rounds->behind = 0;
    for (int i = 0; i < size; i++) {
        if (span[i].directly) {
            return false;
        }
        if (span[i].behind == span[i].first) {
            continue;
        }
        some++;
        are_short = are_short || span[i].piece < SHORT_PIECE;
        rounds->first = span[i].first < rounds->first ? span[i].first : rounds->first;
        rounds->behind = span[i].behind > rounds->behind ? span[i].behind : rounds->behind;
    }
    if (some == 0 || choice == PRI_IO_DISABLE) {
        return false;
    }
    return choice == PRI_IO_ENABLE || (some > 1 && are_short && interleaved(span, size));
}

/* Who aggregates which part of the file. */
static void divide(const struct pri_io *io, struct pri_io_rounds *rounds)
{
    uint64_t bytes = (uint64_t)(rounds->behind - rounds->first);
    rounds->aggregators = io->hints.cb_nodes;
    rounds->part = (bytes + (uint64_t)rounds->aggregators - 1) / (uint64_t)rounds->aggregators;
    rounds->part = (rounds->part + ALIGN - 1) / ALIGN * ALIGN;
    rounds->window =
        io->hints.cb_buffer_size < rounds->part ? io->hints.cb_buffer_size : (size_t)rounds->part;
    if (rounds->window > (size_t)(AT_ONCE / rounds->aggregators)) {
        rounds->window = (size_t)(AT_ONCE / rounds->aggregators);
    }
    rounds->count = (rounds->part + rounds->window - 1) / rounds->window;
}

static int access_all(struct pri_io *io, bool write, int64_t offset, struct pri_io_data data,
                      size_t *done)
{
    struct pri_io_access access = {.io = io, .write = write, .data = data};
    struct pri_io_rounds rounds;
    access.at = (uint64_t)offset * io->view.unit;
    access.bytes = data.count == 0 ? 0 : data.count * pri_io_bytes(&io->view, data.type);

    struct pri_io_span own = span_of(&access);
    int error =
        pri_coll_allgather(io->team, (struct pri_some){&own, sizeof(own), &presto_type_byte},
                           (struct pri_some){io->spans, sizeof(own), &presto_type_byte}, NULL);
    bool by_others = error == 0 && goes_by_others(io, write, io->spans, &rounds);
    *done = 0;
    if (error != 0) {
        return error;
    }
    if (!by_others) {
        return write ? pri_io_write(io, offset, data, done) : pri_io_read(io, offset, data, done);
    }
    divide(io, &rounds);
    error = pri_io_exchange(&access, &rounds);
    *done = access.done;
    return error;
}

int pri_io_read_all(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done)
{
    return access_all(io, false, offset, data, done);
}

int pri_io_write_all(struct pri_io *io, int64_t offset, struct pri_io_data data, size_t *done)
{
    return access_all(io, true, offset, data, done);
}
