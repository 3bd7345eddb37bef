/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs of different basic types: records sent whole, as columns, and into records of another
 * layout with the same signature. Zero-size and degenerate types as well.
 */
#include "mt.h"

enum { TAG = 15 };

struct record {
    char name[3];
    double weight;
    short kind;
    long long id;
    float pos[3];
};

/* Same members in the same order at other places. */
struct spread {
    char pad0[5];
    char name[3];
    char pad1[64];
    double weight;
    char pad2[24];
    short kind;
    long long id;
    float pos[3];
    char pad3[40];
};

static MPI_Datatype describe(const MPI_Aint *at, size_t extent)
{
    static const int lengths[] = {3, 1, 1, 1, 3};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_LONG_LONG, MPI_FLOAT};
    MPI_Datatype raw, type;

    MPI_Type_create_struct(5, lengths, at, types, &raw);
    MPI_Type_create_resized(raw, 0, (MPI_Aint)extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&raw);
    return type;
}

static MPI_Datatype record_type(void)
{
    const MPI_Aint at[] = {offsetof(struct record, name), offsetof(struct record, weight),
                           offsetof(struct record, kind), offsetof(struct record, id),
                           offsetof(struct record, pos)};

    return describe(at, sizeof(struct record));
}

static MPI_Datatype spread_type(void)
{
    const MPI_Aint at[] = {offsetof(struct spread, name), offsetof(struct spread, weight),
                           offsetof(struct spread, kind), offsetof(struct spread, id),
                           offsetof(struct spread, pos)};

    return describe(at, sizeof(struct spread));
}

static void set(struct record *r, int i)
{
    memset(r, 0x5a, sizeof *r);
    r->name[0] = (char)('a' + i % 26);
    r->name[1] = (char)('a' + i / 26 % 26);
    r->name[2] = '!';
    r->weight = i * 0.5;
    r->kind = (short)-i;
    r->id = (long long)i << 33;
    for (int k = 0; k < 3; ++k) {
        r->pos[k] = (float)(i + k);
    }
}

static void same(const char *name, double weight, short kind, long long id, const float *pos, int i)
{
    struct record want;

    set(&want, i);
    mt_check(0 == memcmp(name, want.name, 3) && weight == want.weight && kind == want.kind &&
                 id == want.id && 0 == memcmp(pos, want.pos, sizeof want.pos),
             "record %d: name %.3s weight %g kind %d id %lld pos %g %g %g", i, name, weight, kind,
             id, (double)pos[0], (double)pos[1], (double)pos[2]);
}

static void records(int count)
{
    MPI_Datatype rt = record_type(), st = spread_type();
    struct record *r = mt_alloc((size_t)count * sizeof *r);
    struct spread *s = mt_alloc((size_t)count * sizeof *s);

    for (int i = 0; i < count; ++i) {
        set(&r[i], i);
    }
    memset(s, 0x33, (size_t)count * sizeof *s);
    if (0 == mt_rank) {
        MPI_Send(r, count, rt, 1, TAG, MPI_COMM_WORLD);
        memset(r, 0x44, (size_t)count * sizeof *r);
        MPI_Recv(r, count, rt, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; ++i) {
            same(r[i].name, r[i].weight, r[i].kind, r[i].id, r[i].pos, i);
        }
    } else if (1 == mt_rank) {
        MPI_Recv(s, count, st, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; ++i) {
            same(s[i].name, s[i].weight, s[i].kind, s[i].id, s[i].pos, i);
            mt_check(0x33 == s[i].pad0[4] && 0x33 == s[i].pad1[63] && 0x33 == s[i].pad3[0],
                     "padding of record %d changed", i);
        }
        MPI_Send(s, count, st, 0, TAG, MPI_COMM_WORLD);
    }
    mt_free(r);
    mt_free(s);
    MPI_Type_free(&rt);
    MPI_Type_free(&st);
}

/* One column of an array of records against plain doubles. */
static void column(int count)
{
    struct record *r = mt_alloc((size_t)count * sizeof *r);
    double *d = mt_alloc((size_t)count * sizeof *d);
    MPI_Datatype col;

    MPI_Type_create_hvector(count, 1, sizeof *r, MPI_DOUBLE, &col);
    MPI_Type_commit(&col);
    for (int i = 0; i < count; ++i) {
        set(&r[i], i);
    }
    if (0 == mt_rank) {
        MPI_Send(&r[0].weight, 1, col, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank) {
        MPI_Recv(d, count, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; ++i) {
            mt_check(d[i] == i * 0.5, "weight %d is %g", i, d[i]);
        }
    }
    MPI_Type_free(&col);
    mt_free(r);
    mt_free(d);
}

/* A matrix sent by rows and received by columns. */
static void transposed(int n)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(int);
    int *m = mt_alloc(bytes);
    MPI_Datatype col, cols;

    MPI_Type_vector(n, 1, n, MPI_INT, &col);
    MPI_Type_create_resized(col, 0, sizeof(int), &cols);
    MPI_Type_commit(&cols);
    if (0 == mt_rank) {
        for (int i = 0; i < n * n; ++i) {
            m[i] = i;
        }
        MPI_Send(m, n * n, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank) {
        MPI_Recv(m, n, cols, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n * n; ++i) {
            if (m[i] != i % n * n + i / n) {
                mt_fail("transposed %d x %d: element %d is %d", n, n, i, m[i]);
            }
        }
        mt_check(true, "transposed");
    }
    MPI_Type_free(&col);
    MPI_Type_free(&cols);
    mt_free(m);
}

/* Types without data, and a message of them. */
static void nothing(void)
{
    MPI_Datatype empty, none;
    MPI_Status st;
    int v = 3, count = -1;

    MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
    MPI_Type_commit(&empty);
    MPI_Type_vector(4, 0, 3, MPI_INT, &none);
    MPI_Type_commit(&none);
    if (0 == mt_rank) {
        MPI_Send(&v, 10, empty, 1, TAG, MPI_COMM_WORLD);
        MPI_Send(&v, 1, none, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank) {
        MPI_Recv(&v, 10, empty, 0, TAG, MPI_COMM_WORLD, &st);
        MPI_Recv(&v, 5, MPI_INT, 0, TAG, MPI_COMM_WORLD, &st);
        MPI_Get_count(&st, MPI_INT, &count);
        mt_equal(count, 0, "count of a message without data");
        mt_equal(v, 3, "buffer of a message without data");
    }
    MPI_Type_free(&empty);
    MPI_Type_free(&none);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 2, 50, 100, 1500, 40000};

    mt_init(&argc, &argv);
    mt_need(2);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        records(counts[i]);
        column(counts[i]);
    }
    transposed(3);
    transposed(100);
    transposed(700);
    nothing();
    return mt_finish();
}
