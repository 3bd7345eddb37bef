/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of predefined operations over plain numbers, for the file that includes this: once for
 * any processor, once with LOOP_TARGET for some. They are plain enough for the compiler to
 * vectorise, which gcc does at -O3 only, since the counts are not known. What they compute is the
 * same bit by bit: each element is by itself.
 */
#include "type/op.h"

#include <complex.h>
#include <stdbool.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#ifndef LOOP_TARGET
#define LOOP_TARGET
#endif

/* A loop over elements of one C type: `a` is the incoming element, `b` the one that it goes
 * into. */
#define LOOP(op, name, ctype, expression)                                          \
    LOOP_TARGET static void op##_##name(const void *in, void *inout, size_t count) \
    {                                                                              \
        const ctype *restrict x = in;                                              \
        ctype *restrict y = inout;                                                 \
        for (size_t i = 0; i < count; i++) {                                       \
            ctype a = x[i], b = y[i];                                              \
            y[i] = (ctype)(expression);                                            \
        }                                                                          \
    }

#define ORDER_LOOPS(name, ctype)          \
    LOOP(max, name, ctype, a > b ? a : b) \
    LOOP(min, name, ctype, a < b ? a : b)

#define FIELD_LOOPS(name, ctype)  \
    LOOP(sum, name, ctype, a + b) \
    LOOP(prod, name, ctype, a *b)

#define LOGIC_LOOPS(name, ctype)   \
    LOOP(land, name, ctype, a &&b) \
    LOOP(lor, name, ctype, a || b) \
    LOOP(lxor, name, ctype, !a != !b)

#define BIT_LOOPS(name, ctype)    \
    LOOP(band, name, ctype, a &b) \
    LOOP(bor, name, ctype, a | b) \
    LOOP(bxor, name, ctype, a ^ b)

/* Sums of signed integers wrap as those of unsigned ones do: they are computed as such. */
#define INTEGER_LOOPS(width)                             \
    ORDER_LOOPS(int##width, int##width##_t)              \
    LOGIC_LOOPS(int##width, int##width##_t)              \
    ORDER_LOOPS(uint##width, uint##width##_t)            \
    LOGIC_LOOPS(uint##width, uint##width##_t)            \
    LOOP(sum, uint##width, uint##width##_t, a + b)       \
    LOOP(prod, uint##width, uint##width##_t, 1u * a * b) \
    BIT_LOOPS(uint##width, uint##width##_t)

INTEGER_LOOPS(8)
INTEGER_LOOPS(16)
INTEGER_LOOPS(32)
INTEGER_LOOPS(64)
ORDER_LOOPS(float, float)
FIELD_LOOPS(float, float)
LOGIC_LOOPS(float, float)
ORDER_LOOPS(double, double)
FIELD_LOOPS(double, double)
LOGIC_LOOPS(double, double)
FIELD_LOOPS(cfloat, float _Complex)
FIELD_LOOPS(cdouble, double _Complex)
LOGIC_LOOPS(truth, bool)
BIT_LOOPS(truth, bool)

#define ORDER_ROW(name) [PRI_OP_MAX] = max_##name, [PRI_OP_MIN] = min_##name
#define FIELD_ROW(name) [PRI_OP_SUM] = sum_##name, [PRI_OP_PROD] = prod_##name
#define LOGIC_ROW(name) \
    [PRI_OP_LAND] = land_##name, [PRI_OP_LOR] = lor_##name, [PRI_OP_LXOR] = lxor_##name
#define BIT_ROW(name) \
    [PRI_OP_BAND] = band_##name, [PRI_OP_BOR] = bor_##name, [PRI_OP_BXOR] = bxor_##name
#define INT_ROW(s, u)                                        \
    {                                                        \
        ORDER_ROW(s), FIELD_ROW(u), LOGIC_ROW(s), BIT_ROW(u) \
    }
#define REAL_ROW(name)                                    \
    {                                                     \
        ORDER_ROW(name), FIELD_ROW(name), LOGIC_ROW(name) \
    }

/* clang-format off */
#define NUMBER_ROWS                             \
    [PRI_KIND_INT8] = INT_ROW(int8, uint8),     \
    [PRI_KIND_UINT8] = INT_ROW(uint8, uint8),   \
    [PRI_KIND_INT16] = INT_ROW(int16, uint16),  \
    [PRI_KIND_UINT16] = INT_ROW(uint16, uint16),\
    [PRI_KIND_INT32] = INT_ROW(int32, uint32),  \
    [PRI_KIND_UINT32] = INT_ROW(uint32, uint32),\
    [PRI_KIND_INT64] = INT_ROW(int64, uint64),  \
    [PRI_KIND_UINT64] = INT_ROW(uint64, uint64),\
    [PRI_KIND_FLOAT] = REAL_ROW(float),         \
    [PRI_KIND_DOUBLE] = REAL_ROW(double),       \
    [PRI_KIND_CFLOAT] = {FIELD_ROW(cfloat)},    \
    [PRI_KIND_CDOUBLE] = {FIELD_ROW(cdouble)},  \
    [PRI_KIND_BOOL] = {LOGIC_ROW(truth), BIT_ROW(truth)}, \
    [PRI_KIND_LOGICAL] = {LOGIC_ROW(int32)},    \
    [PRI_KIND_BYTE] = {BIT_ROW(uint8)}
/* clang-format on */
