/* SPDX-License-Identifier: BSD-3-Clause */
#include "dt.h"

/* Collects the offsets of a layout while it is being described. */
static void add(struct dt *t, ptrdiff_t offset, size_t ints)
{
    t->offset = realloc(t->offset, (t->ints + ints) * sizeof *t->offset);
    if (!t->offset) {
        mt_fail("no memory for the layout %s", t->name);
    }
    for (size_t i = 0; i < ints; ++i) {
        t->offset[t->ints++] = offset + (ptrdiff_t)(i * sizeof(int));
    }
}

static const ptrdiff_t I = sizeof(int);

static void plain_int(struct dt *t, int scale)
{
    t->type = MPI_INT;
    (void)scale;
    add(t, 0, 1);
}

static void contiguous(struct dt *t, int scale)
{
    MPI_Type_contiguous(5 * scale, MPI_INT, &t->type);
    add(t, 0, 5 * (size_t)scale);
}

static void vector(struct dt *t, int scale)
{
    MPI_Type_vector(6 * scale, 2, 5, MPI_INT, &t->type);
    for (int b = 0; b < 6 * scale; ++b) {
        add(t, b * 5 * I, 2);
    }
}

/* One int in each cache line. */
static void sparse(struct dt *t, int scale)
{
    MPI_Type_vector(8 * scale, 1, 16, MPI_INT, &t->type);
    for (int b = 0; b < 8 * scale; ++b) {
        add(t, b * 16 * I, 1);
    }
}

/* Blocks that lie backwards: the lower bound is negative. */
static void backwards(struct dt *t, int scale)
{
    MPI_Type_create_hvector(4 * scale, 3, -7 * I, MPI_INT, &t->type);
    for (int b = 0; b < 4 * scale; ++b) {
        add(t, -7 * I * b, 3);
    }
}

static void indexed(struct dt *t, int scale)
{
    int blocks = 7 * scale, at = 3;
    int *lengths = malloc((size_t)blocks * sizeof *lengths);
    int *starts = malloc((size_t)blocks * sizeof *starts);
    uint64_t s = 12;

    if (!lengths || !starts) {
        mt_fail("no memory for the layout %s", t->name);
    }
    for (int b = 0; b < blocks; ++b) {
        lengths[b] = (int)mt_below(&s, 5);
        starts[b] = at;
        at += lengths[b] + (int)mt_below(&s, 9);
        add(t, starts[b] * I, (size_t)lengths[b]);
    }
    MPI_Type_indexed(blocks, lengths, starts, MPI_INT, &t->type);
    free(lengths);
    free(starts);
}

/* Equal blocks in descending order of addresses. */
static void indexed_block(struct dt *t, int scale)
{
    int blocks = 5 * scale;
    int *starts = malloc((size_t)blocks * sizeof *starts);

    if (!starts) {
        mt_fail("no memory for the layout %s", t->name);
    }
    for (int b = 0; b < blocks; ++b) {
        starts[b] = (blocks - b) * 6 - (b % 2);
        add(t, starts[b] * I, 4);
    }
    MPI_Type_create_indexed_block(blocks, 4, starts, MPI_INT, &t->type);
    free(starts);
}

/* A vector, a hole, a single int before the start. */
static void structure(struct dt *t, int scale)
{
    MPI_Datatype inner, types[3];
    int lengths[3] = {1, 2, 1};
    MPI_Aint at[3] = {8, 16 + 12 * I * scale, -12};

    MPI_Type_vector(3 * scale, 2, 4, MPI_INT, &inner);
    types[0] = inner;
    types[1] = types[2] = MPI_INT;
    MPI_Type_create_struct(3, lengths, at, types, &t->type);
    for (int b = 0; b < 3 * scale; ++b) {
        add(t, 8 + b * 4 * I, 2);
    }
    add(t, at[1], 2);
    add(t, at[2], 1);
    MPI_Type_free(&inner);
}

/* Elements that interleave: the extent is smaller than what an element spans. No two ints meet,
 * since their places differ modulo the extent of four ints. */
static void resized_small(struct dt *t, int scale)
{
    int stride = 4 * scale + 1;
    MPI_Datatype inner;

    MPI_Type_vector(4, 1, stride, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 4 * I, &t->type);
    for (int b = 0; b < 4; ++b) {
        add(t, b * stride * I, 1);
    }
    MPI_Type_free(&inner);
}

/* Padding behind each element, and a lower bound before its first byte. */
static void resized_large(struct dt *t, int scale)
{
    MPI_Datatype inner;

    MPI_Type_contiguous(3 * scale, MPI_INT, &inner);
    MPI_Type_create_resized(inner, -8, 3 * scale * I + 20, &t->type);
    add(t, 0, 3 * (size_t)scale);
    MPI_Type_free(&inner);
}

static void subarray(struct dt *t, int scale)
{
    int full[3] = {4 * scale, 5, 6}, sub[3] = {3 * scale, 2, 3}, start[3] = {1, 2, 1};

    MPI_Type_create_subarray(3, full, sub, start, MPI_ORDER_C, MPI_INT, &t->type);
    for (int x = 0; x < sub[0]; ++x) {
        for (int y = 0; y < sub[1]; ++y) {
            add(t, (((x + start[0]) * 5 + y + start[1]) * 6 + start[2]) * I, 3);
        }
    }
}

/* A vector of structs of vectors. */
static void nested(struct dt *t, int scale)
{
    MPI_Datatype pair, element;
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {0, 6 * I};
    MPI_Datatype types[2];

    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
    types[0] = pair;
    types[1] = MPI_INT;
    MPI_Type_create_struct(2, lengths, at, types, &element);
    MPI_Type_create_hvector(3 * scale, 1, 10 * I, element, &t->type);
    for (int b = 0; b < 3 * scale; ++b) {
        add(t, b * 10 * I, 1);
        add(t, b * 10 * I + 3 * I, 1);
        add(t, b * 10 * I + 6 * I, 1);
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&element);
}

static const struct {
    const char *name;
    void (*make)(struct dt *t, int scale);
} kinds[] = {
    {"int", plain_int},
    {"contiguous", contiguous},
    {"vector", vector},
    {"sparse vector", sparse},
    {"backwards", backwards},
    {"indexed", indexed},
    {"indexed block", indexed_block},
    {"struct", structure},
    {"resized down", resized_small},
    {"resized up", resized_large},
    {"subarray", subarray},
    {"nested", nested},
};

int dt_kinds(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

static void span(struct dt *t)
{
    t->low = t->high = t->offset[0];
    for (size_t i = 0; i < t->ints; ++i) {
        if (t->offset[i] < t->low) {
            t->low = t->offset[i];
        }
        if (t->offset[i] + I > t->high) {
            t->high = t->offset[i] + I;
        }
    }
}

void dt_make(struct dt *t, int kind, int scale)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size;

    *t = (struct dt){.name = kinds[kind].name};
    kinds[kind].make(t, scale);
    MPI_Type_commit(&t->type);
    span(t);
    MPI_Type_size(t->type, &size);
    mt_equal(size, (long long)t->ints * I, "size of %s", t->name);
    MPI_Type_get_true_extent(t->type, &true_lb, &true_extent);
    mt_equal(true_lb, t->low, "true lower bound of %s", t->name);
    mt_equal(true_extent, t->high - t->low, "true extent of %s", t->name);
    MPI_Type_get_extent(t->type, &lb, &extent);
    t->extent = extent;
}

void dt_drop(struct dt *t)
{
    if (MPI_INT != t->type) {
        MPI_Type_free(&t->type);
    }
    free(t->offset);
}

void dt_room(struct dt_memory *m, const struct dt *t, int count)
{
    ptrdiff_t reach = count > 0 ? (count - 1) * t->extent : 0;

    m->bytes = (size_t)(t->high - t->low + reach);
    m->base = mt_alloc(m->bytes);
    m->at = m->base - t->low;
}

void dt_unroom(struct dt_memory *m)
{
    mt_free(m->base);
}

void dt_background(struct dt_memory *m, uint64_t seed)
{
    mt_fill(m->base, m->bytes, seed);
}

int dt_value(uint64_t seed, size_t k)
{
    return (int)(((seed + k) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static unsigned char *place(struct dt_memory *m, const struct dt *t, size_t k)
{
    return m->at + (ptrdiff_t)(k / t->ints) * t->extent + t->offset[k % t->ints];
}

void dt_put(struct dt_memory *m, const struct dt *t, int count, uint64_t seed)
{
    for (size_t k = 0; k < t->ints * (size_t)count; ++k) {
        int v = dt_value(seed, k);
        memcpy(place(m, t, k), &v, sizeof v);
    }
}

void dt_check(struct dt_memory *m, const struct dt *t, int count, size_t ints, uint64_t seed,
              uint64_t background, const char *what)
{
    struct dt_memory bg = *m;

    dt_room(&bg, t, count);
    dt_background(&bg, background);
    for (size_t k = 0; k < ints; ++k) {
        int v;
        memcpy(&v, place(m, t, k), sizeof v);
        if (v != dt_value(seed, k)) {
            mt_fail("%s of %d times %s: int %zu of %zu is %d, want %d", what, count, t->name, k,
                    ints, v, dt_value(seed, k));
        }
        memcpy(place(m, t, k), place(&bg, t, k), sizeof v);
    }
    for (size_t i = 0; i < m->bytes; ++i) {
        if (m->base[i] != bg.base[i]) {
            mt_fail("%s of %d times %s: byte %zu of %zu, not part of it, changed to 0x%02x", what,
                    count, t->name, i, m->bytes, m->base[i]);
        }
    }
    dt_unroom(&bg);
    mt_check(true, "%s", what);
}
