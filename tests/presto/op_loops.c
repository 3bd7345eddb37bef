/* SPDX-License-Identifier: BSD-3-Clause */
/* Each loop of a predefined operation, with each kind of vector code that this processor has: many
 * elements at once, from any address, give the bits that each element gives by itself, and nothing
 * behind them changes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "type/named.h"
#include "type/op.h"

enum { ELEMENTS = 150, ROUNDS = 40, LARGEST = 32, BEHIND = 64 };

/* How the elements of a kind are drawn. */
enum draw { BITS, TRUTH, FLOATS, DOUBLES };

static const struct kind {
    const char *name;
    enum pri_kind kind;
    size_t size, align;
    enum draw draw;
} kinds[] = {
    {"int8", PRI_KIND_INT8, 1, 1, BITS},
    {"uint8", PRI_KIND_UINT8, 1, 1, BITS},
    {"int16", PRI_KIND_INT16, 2, 2, BITS},
    {"uint16", PRI_KIND_UINT16, 2, 2, BITS},
    {"int32", PRI_KIND_INT32, 4, 4, BITS},
    {"uint32", PRI_KIND_UINT32, 4, 4, BITS},
    {"int64", PRI_KIND_INT64, 8, 8, BITS},
    {"uint64", PRI_KIND_UINT64, 8, 8, BITS},
    {"float", PRI_KIND_FLOAT, 4, 4, FLOATS},
    {"double", PRI_KIND_DOUBLE, 8, 8, DOUBLES},
    {"float complex", PRI_KIND_CFLOAT, 8, 4, FLOATS},
    {"double complex", PRI_KIND_CDOUBLE, 16, 8, DOUBLES},
    {"bool", PRI_KIND_BOOL, 1, 1, TRUTH},
    {"logical", PRI_KIND_LOGICAL, 4, 4, BITS},
    {"byte", PRI_KIND_BYTE, 1, 1, BITS},
    {"2 ints", PRI_KIND_2INT, 8, 4, BITS},
    {"2 floats", PRI_KIND_2FLOAT, 8, 4, FLOATS},
    {"2 doubles", PRI_KIND_2DOUBLE, 16, 8, DOUBLES},
};

static struct ni_rng rng;
static int applied;

static uint64_t next(void)
{
    return ni_rng_next(&rng);
}

/* Small whole numbers among them, so that elements are equal and zero at times, with either
 * sign. */
static double draw_number(void)
{
    double small = (double)(int)(next() % 5) - 2;

    return next() % 2 == 0 ? small : (double)(int64_t)next() / 1e15 * (next() % 2 == 0 ? -0.0 : 1);
}

static void draw(const struct kind *k, uint8_t *to, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        double number = draw_number();
        float shorter = (float)number;

        switch (k->draw) {
        case BITS:
            to[i++] = next() % 4 == 0 ? 0 : (uint8_t)next();
            break;
        case TRUTH:
            to[i++] = (uint8_t)(next() % 2);
            break;
        case FLOATS:
            memcpy(to + i, &shorter, sizeof shorter);
            i += sizeof shorter;
            break;
        case DOUBLES:
            memcpy(to + i, &number, sizeof number);
            i += sizeof number;
            break;
        }
    }
}

static void round_of(const struct kind *k, enum ni_simd simd, enum pri_op_id id)
{
    static _Alignas(64) uint8_t in[ELEMENTS * LARGEST], out[ELEMENTS * LARGEST + BEHIND],
        want[sizeof out];
    pri_op_loop *loop = pri_op_loop_by(simd, id, k->kind);
    pri_op_loop *single = pri_op_loop_by(NI_SIMD_SCALAR, id, k->kind);
    size_t count = next() % (ELEMENTS / 2);
    size_t from = next() % 32 * k->align, to = next() % 32 * k->align;

    draw(k, in + from, count * k->size);
    draw(k, out, sizeof out);
    memcpy(want, out, sizeof out);
    loop(in + from, out + to, count);
    for (size_t i = 0; i < count; i++) {
        single(in + from + i * k->size, want + to + i * k->size, 1);
    }
    for (size_t i = 0; i < sizeof out; i++) {
        if (out[i] != want[i]) {
            fprintf(
                stderr,
                "operation %d, %s, %s: byte %zu of %zu elements from offset %zu is %02x instead of "
                "%02x\n",
                (int)id, k->name, ni_simd_name(simd), i, count, to, out[i], want[i]);
            exit(1);
        }
    }
}

/* Some elements of a type by the operation: each as by itself, and nothing behind them changes. */
static void apply_to(const char *name, struct pri_type *type, const struct pri_op *op)
{
    static _Alignas(64) uint8_t in[1024], was[sizeof in], out[sizeof in], want[sizeof in];
    size_t count = 1 + next() % 4, extent = (size_t)type->extent, end = count * extent;
    unsigned bits = type->kind == PRI_KIND_BOOL ? 1 : 0xff; /* of a byte that it may have */

    if (!pri_op_accepts(op, type)) {
        return;
    }
    applied++;
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(next() & bits);
        was[i] = (uint8_t)(next() & bits);
    }
    memcpy(out, was, sizeof out);
    memcpy(want, was, sizeof want);
    pri_op_apply(op, in, out, count, type);
    for (size_t i = 0; i < count; i++) {
        pri_op_apply(op, in + i * extent, want + i * extent, 1, type);
    }
    if (memcmp(out, want, end) != 0 || memcmp(out + end, was + end, sizeof out - end) != 0) {
        fprintf(stderr, "operation %d: %zu of %s\n", (int)op->id, count, name);
        exit(1);
    }
}

/* Those that leave the bits of one of two as they are, and one on bits: nothing is rounded. */
static void apply_all(void)
{
    static struct pri_op *const ops[] = {&presto_op_bxor, &presto_op_minloc, &presto_op_maxloc};
    struct pri_type *type;

    for (size_t i = 0; (type = pri_type_named(i)) != NULL; i++) {
        struct pri_type *three = pri_type_new_contiguous(3, type);

        for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
            apply_to(type->name, type, ops[k]);
            apply_to("three in a row", three, ops[k]);
        }
        pri_type_release(three);
    }
}

int main(void)
{
    const struct ni_cpu cpu = ni_cpu_probe();
    enum ni_simd best = ni_cpu_choose(&cpu, NI_SIMD_AUTO);
    int loops = 0;

    ni_rng_seed(&rng, 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int id = PRI_OP_MAX; id < PRI_OPS; id++) {
            if (pri_op_loop_of((enum pri_op_id)id, kinds[i].kind) == NULL) {
                continue;
            }
            loops++;
            for (int round = 0; round < ROUNDS; round++) {
                round_of(&kinds[i], NI_SIMD_SCALAR, (enum pri_op_id)id);
                round_of(&kinds[i], best, (enum pri_op_id)id);
            }
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        apply_all();
    }
    printf("%d loops, %d rounds each, scalar and %s; %d times through operations\n", loops, ROUNDS,
           ni_simd_name(best), applied);
    /* 8 kinds of integers alone have 10; 9 pairs have 2, and so in a row */
    return loops < 100 || applied < 9 * 2 * 2 * ROUNDS;
}
