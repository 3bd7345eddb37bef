/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between an element's memory and the stream of its data, from any byte on. */
#include "type/loops.h"

#include <string.h>

/* Where the copy is: `skip` bytes of data are still to be passed over, then `left` bytes move. */
struct cursor {
    size_t skip, left;
    char *stream;
    bool unpack;
};

/* Addresses are computed as numbers: buffers may begin at 0 (MPI_BOTTOM), and blocks before
 * them. */
static inline char *at(char *memory, ptrdiff_t by)
{
    return (char *)((uintptr_t)memory + (uintptr_t)by);
}

static inline void move(struct cursor *c, char *memory, size_t bytes)
{
    if (c->unpack) {
        memcpy(memory, c->stream, bytes);
    } else {
        memcpy(c->stream, memory, bytes);
    }
    c->stream += bytes;
    c->left -= bytes;
}

/* Blocks of a size that is known when this is compiled. */
static inline void move_equal(struct cursor *c, char *memory, ptrdiff_t stride, size_t count,
                              size_t size)
{
    for (size_t i = 0; i < count; i++, memory = at(memory, stride)) {
        move(c, memory, size);
    }
}

/* Whole blocks. */
static void move_blocks(struct cursor *c, char *memory, ptrdiff_t stride, size_t count, size_t size)
{
    switch (size) {
    case 4:
        move_equal(c, memory, stride, count, 4);
        break;
    case 8:
        move_equal(c, memory, stride, count, 8);
        break;
    case 16:
        move_equal(c, memory, stride, count, 16);
        break;
    default:
        move_equal(c, memory, stride, count, size);
    }
}

/* The end of a block whose first `skip` bytes are passed over, as far as the copy goes. */
static void move_tail(struct cursor *c, char *memory, size_t size)
{
    size_t bytes = size - c->skip < c->left ? size - c->skip : c->left;
    memory = at(memory, (ptrdiff_t)c->skip);
    c->skip = 0;
    move(c, memory, bytes);
}

static void run_blocks(const struct pri_loop *loop, char *memory, size_t i, struct cursor *c)
{
    if (c->skip > 0) {
        move_tail(c, at(memory, (ptrdiff_t)i++ * loop->stride), loop->size);
    }
    size_t whole = c->left / loop->size;
    if (whole > loop->count - i) {
        whole = loop->count - i;
    }
    move_blocks(c, at(memory, (ptrdiff_t)i * loop->stride), loop->stride, whole, loop->size);
    i += whole;
    if (i < loop->count && c->left > 0) {
        move_tail(c, at(memory, (ptrdiff_t)i * loop->stride), loop->size);
    }
}

static void run_list(const struct pri_loop *part, size_t parts, char *memory, struct cursor *c);

/* One loop; `skip` lies within its data. */
static void run_loop(const struct pri_loop *loop, char *memory, struct cursor *c)
{
    size_t i = 0;
    memory = at(memory, loop->disp);
    if (c->skip > 0) {
        i = c->skip / loop->size;
        c->skip %= loop->size;
    }
    if (loop->body == NULL) {
        run_blocks(loop, memory, i, c);
        return;
    }
    for (; i < loop->count && c->left > 0; i++) {
        run_list(loop->body, loop->parts, at(memory, (ptrdiff_t)i * loop->stride), c);
    }
}

static void run_list(const struct pri_loop *part, size_t parts, char *memory, struct cursor *c)
{
    size_t i = 0;
    if (c->skip > 0) {
        i = pri_loop_at(part, parts, c->skip);
        c->skip -= part[i].at;
    }
    for (; i < parts && c->left > 0; i++) {
        run_loop(&part[i], memory, c);
    }
}

static size_t run(const struct pri_type *type, size_t count, char *memory, size_t offset,
                  char *stream, size_t bytes, bool unpack)
{
    size_t total = count * type->size;
    if (offset >= total) {
        return 0;
    }
    if (bytes > total - offset) {
        bytes = total - offset;
    }
    struct cursor c = {offset, bytes, stream, unpack};
    if (type->contiguous) {
        c.skip = 0;
        move(&c, at(memory, type->true_lb + (ptrdiff_t)offset), bytes);
        return bytes;
    }
    struct pri_loop all = {.stride = type->extent,
                           .count = count,
                           .size = type->size,
                           .body = type->part,
                           .parts = type->parts};
    run_loop(&all, memory, &c);
    return bytes;
}

size_t pri_type_pack(const struct pri_type *type, size_t count, const void *buf, size_t offset,
                     void *out, size_t bytes)
{
    return run(type, count, (char *)buf, offset, out, bytes, false);
}

size_t pri_type_unpack(const struct pri_type *type, size_t count, void *buf, size_t offset,
                       const void *in, size_t bytes)
{
    return run(type, count, buf, offset, (char *)in, bytes, true);
}

/* Both have holes: the data goes by way of a small piece of memory. */
static size_t copy_by_pieces(void *to, size_t to_count, const struct pri_type *to_type,
                             const void *from, size_t from_count, const struct pri_type *from_type)
{
    char piece[4096];
    size_t done = 0;
    for (;;) {
        size_t n = pri_type_pack(from_type, from_count, from, done, piece, sizeof(piece));
        size_t m = pri_type_unpack(to_type, to_count, to, done, piece, n);
        done += m;
        if (n < sizeof(piece) || m < n) {
            return done;
        }
    }
}

size_t pri_type_copy(void *to, size_t to_count, const struct pri_type *to_type, const void *from,
                     size_t from_count, const struct pri_type *from_type)
{
    if (to_type->contiguous) {
        return pri_type_pack(from_type, from_count, from, 0, at(to, to_type->true_lb),
                             to_count * to_type->size);
    }
    if (from_type->contiguous) {
        return pri_type_unpack(to_type, to_count, to, 0, at((char *)from, from_type->true_lb),
                               from_count * from_type->size);
    }
    return copy_by_pieces(to, to_count, to_type, from, from_count, from_type);
}
