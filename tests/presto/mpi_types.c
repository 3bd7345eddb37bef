/* SPDX-License-Identifier: BSD-3-Clause */
/* Random datatypes against a list of their bytes, which is worked out by the definitions of MPI and
 * nothing else: sizes, bounds, and packing and unpacking that is cut anywhere. */
#include "type/named.h"
#include "type/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 3000, ROUNDS = 600, ELEMENTS = 3 };

/* A type and where each byte of its data is, in the order in which it travels. */
struct model {
    struct pri_type *type;
    ptrdiff_t lb, ub;
    int n;
    ptrdiff_t byte[MOST_BYTES];
};

static uint64_t state = 1;

static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(int n)
{
    return (int)(next() % (uint64_t)n);
}

static void check(bool ok, const char *what, long long got, long long want)
{
    if (ok) {
        return;
    }
    fprintf(stderr, "%s: %lld instead of %lld (state %llu)\n", what, got, want,
            (unsigned long long)state);
    exit(1);
}

static void equal(const char *what, long long got, long long want)
{
    check(got == want, what, got, want);
}

static void begin(struct model *m)
{
    m->n = 0;
    m->lb = PTRDIFF_MAX;
    m->ub = PTRDIFF_MIN;
}

/* Adds `length` elements of another model at a place. */
static void add(struct model *m, ptrdiff_t at, int length, const struct model *old)
{
    ptrdiff_t extent = old->ub - old->lb;
    for (int i = 0; i < length; i++, at += extent) {
        m->lb = m->lb < at + old->lb ? m->lb : at + old->lb;
        m->ub = m->ub > at + old->ub ? m->ub : at + old->ub;
        for (int b = 0; b < old->n; b++) {
            m->byte[m->n++] = at + old->byte[b];
        }
    }
}

/* A basic type: of bytes or of shorts, so that no bound is rounded up. */
static void basic(struct model *m)
{
    m->type = &presto_type_byte;
    m->lb = 0;
    m->ub = 1;
    m->n = 1;
    m->byte[0] = 0;
}

static void vector(struct model *m, const struct model *old)
{
    int count = 1 + below(4), length = 1 + below(3), stride = below(9) - 2;
    ptrdiff_t extent = old->ub - old->lb;
    bool bytes = below(2);
    ptrdiff_t by = bytes ? stride + below(5) : stride * extent;
    m->type = bytes ? pri_type_new_hvector(count, length, by, old->type)
                    : pri_type_new_vector(count, length, stride, old->type);
    for (int i = 0; i < count; i++) {
        add(m, i * by, length, old);
    }
}

static void indexed(struct model *m, const struct model *old)
{
    int count = 1 + below(4);
    long long length[4], disp[4];
    ptrdiff_t extent = old->ub - old->lb, bytes[4];
    bool h = below(2);
    for (int i = 0; i < count; i++) {
        length[i] = below(3) + (i == 0);
        disp[i] = below(3) == 0 && i > 0 ? disp[i - 1] + length[i - 1] : below(12) - 3;
        bytes[i] = h ? disp[i] : disp[i] * extent;
        add(m, bytes[i], (int)length[i], old);
    }
    m->type = h ? pri_type_new_hindexed(count, length, bytes, old->type)
                : pri_type_new_indexed(count, length, disp, old->type);
}

static void structure(struct model *m, const struct model *old)
{
    struct model one;
    basic(&one);
    long long length[3] = {1 + below(2), below(3), 1};
    ptrdiff_t disp[3] = {below(20), below(30) - 10, below(40)};
    struct pri_type *type[3] = {old->type, one.type, old->type};
    add(m, disp[0], (int)length[0], old);
    add(m, disp[1], (int)length[1], &one);
    add(m, disp[2], (int)length[2], old);
    m->type = pri_type_new_struct(3, length, disp, type);
}

static void resized(struct model *m, const struct model *old)
{
    add(m, 0, 1, old);
    m->lb = below(5) - 2;
    m->ub = m->lb + below(20);
    m->type = pri_type_new_resized(old->type, m->lb, m->ub - m->lb);
}

static void subarray(struct model *m, const struct model *old)
{
    long long size[2] = {2 + below(2), 2 + below(3)}, sub[2], start[2];
    ptrdiff_t extent = old->ub - old->lb;
    bool fortran = below(2);
    for (int i = 0; i < 2; i++) {
        sub[i] = 1 + below((int)size[i] - 1);
        start[i] = below((int)(size[i] - sub[i]) + 1);
    }
    int slow = fortran ? 1 : 0, fast = 1 - slow;
    for (int i = 0; i < sub[slow]; i++) {
        for (int j = 0; j < sub[fast]; j++) {
            add(m, ((start[slow] + i) * size[fast] + start[fast] + j) * extent, 1, old);
        }
    }
    m->lb = 0;
    m->ub = size[0] * size[1] * extent;
    m->type = pri_type_new_subarray(2, size, sub, start, fortran, old->type);
}

/* Whether a next level can have more elements of this one without growing out of the model; marks
 * of bounds are sticky, which the model knows only of the type as a whole, so resized types end a
 * tree. */
static bool may_grow(const struct model *m)
{
    return m->n > 0 && m->n * 12 < MOST_BYTES;
}

static void make(struct model *m)
{
    static void (*const kind[])(struct model *, const struct model *) = {vector, indexed,
                                                                         structure};
    static void (*const last[])(struct model *, const struct model *) = {resized, subarray};
    struct model old;
    basic(m);
    for (int depth = below(4); depth >= 0 && may_grow(m); depth--) {
        old = *m;
        begin(m);
        (depth == 0 && below(2) ? last[below(2)] : kind[below(3)])(m, &old);
        pri_type_release(old.type);
        check(m->type != NULL, "a type", 0, 1);
    }
}

/* The bytes of several elements, one by one. */
static void expect(const struct model *m, const char *base, char *out)
{
    ptrdiff_t extent = m->ub - m->lb;
    for (int e = 0; e < ELEMENTS; e++) {
        for (int b = 0; b < m->n; b++) {
            *out++ = base[e * extent + m->byte[b]];
        }
    }
}

static void check_bounds(const struct model *m)
{
    equal("size", (long long)m->type->size, m->n);
    equal("lower bound", m->type->lb, m->lb);
    equal("extent", m->type->extent, m->ub - m->lb);
    equal("elements", (long long)pri_type_elements(m->type, (size_t)m->n * 2),
          m->n > 0 ? 2 * m->n : 0);
    ptrdiff_t low = PTRDIFF_MAX, high = PTRDIFF_MIN;
    for (int b = 0; b < m->n; b++) {
        low = m->byte[b] < low ? m->byte[b] : low;
        high = m->byte[b] + 1 > high ? m->byte[b] + 1 : high;
    }
    if (m->n > 0) {
        equal("true lower bound", m->type->true_lb, low);
        equal("true extent", m->type->true_extent, high - low);
    }
}

/* All at once, and in pieces of any size. */
static void check_pack(const struct model *m, const char *base)
{
    size_t total = (size_t)(ELEMENTS * m->n);
    char *want = malloc(total + 1), *got = malloc(total + 1);
    expect(m, base, want);
    equal("packed", (long long)pri_type_pack(m->type, ELEMENTS, base, 0, got, total + 9),
          (long long)total);
    check(memcmp(want, got, total) == 0, "packed bytes", 1, 0);
    memset(got, 0, total);
    for (size_t done = 0; done < total;) {
        size_t n = 1 + (size_t)below(m->n + 5), left = total - done;
        size_t did = pri_type_pack(m->type, ELEMENTS, base, done, got + done, n);
        equal("a piece", (long long)did, (long long)(n < left ? n : left));
        done += did;
    }
    check(memcmp(want, got, total) == 0, "packed pieces", 1, 0);
    equal("behind the end", (long long)pri_type_pack(m->type, ELEMENTS, base, total, got, 1), 0);
    free(want);
    free(got);
}

/* What is unpacked in pieces is where the model says, and nothing else has changed. Overlapping
 * types are left out: which of two bytes wins is not defined. */
static void check_unpack(const struct model *m, char *memory, char *copy, size_t room,
                         size_t origin)
{
    ptrdiff_t extent = m->ub - m->lb;
    size_t total = (size_t)(ELEMENTS * m->n), k = 0;
    char *in = malloc(total + 1);
    memset(memory, 0, room);
    memset(copy, 0, room);
    for (int e = 0; e < ELEMENTS; e++) {
        for (int b = 0; b < m->n; b++) {
            char *to = &copy[origin + (size_t)(e * extent + m->byte[b])];
            if (*to != 0) {
                free(in);
                return;
            }
            in[k] = (char)(1 + next() % 200);
            *to = in[k++];
        }
    }
    for (size_t done = 0; done < total;) {
        done += pri_type_unpack(m->type, ELEMENTS, memory + origin, done, in + done,
                                1 + (size_t)below(m->n + 5));
    }
    check(memcmp(memory, copy, room) == 0, "unpacked bytes", 1, 0);
    memset(memory, 0, room);
    equal("copied",
          (long long)pri_type_copy(memory + origin, ELEMENTS, m->type, copy + origin, ELEMENTS,
                                   m->type),
          (long long)total);
    check(memcmp(memory, copy, room) == 0, "copied bytes", 1, 0);
    free(in);
}

/* The same bytes by a type that is a million blocks: its loops must stay few. */
static void check_compact(void)
{
    struct pri_type *vector_type = pri_type_new_vector(1000000, 2, 5, &presto_type_int);
    struct pri_type *nested = pri_type_new_hvector(1000, 3, 40000000, vector_type);
    equal("loops of a vector", (long long)vector_type->parts, 1);
    equal("loops of a vector of vectors", (long long)nested->parts, 1);
    pri_type_release(vector_type);
    equal("size", (long long)nested->size, 3000LL * 8000000);
    pri_type_release(nested);
}

int main(void)
{
    static char memory[1 << 20], copy[1 << 20];
    check_compact();
    for (int round = 0; round < ROUNDS; round++) {
        struct model m;
        make(&m);
        ptrdiff_t gap;
        size_t span = pri_type_span(m.type, ELEMENTS, &gap);
        if (m.n > 0 && span + 64 < sizeof(memory)) {
            size_t origin = (size_t)(32 - gap);
            check_bounds(&m);
            for (size_t i = 0; i < span + 64; i++) {
                memory[i] = (char)next();
            }
            check_pack(&m, memory + origin);
            check_unpack(&m, memory, copy, span + 64, origin);
        }
        pri_type_release(m.type);
    }
    printf("%d types\n", ROUNDS);
    return 0;
}
