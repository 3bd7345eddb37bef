/* SPDX-License-Identifier: BSD-3-Clause */
/* One loop per predefined operation and kind, plain enough for the compiler to vectorise, and the table of them. */
#include "type/op.h"

#include <complex.h>
#include <string.h>
#include <wchar.h>

/* A loop over elements of one C type: `a` is the incoming element, `b` the one that it goes into. */
#define LOOP(op, name, ctype, expression)                              \
    static void op##_##name(const void *in, void *inout, size_t count) \
    {                                                                  \
        const ctype *x = in;                                           \
        ctype *y = inout;                                              \
        for (size_t i = 0; i < count; i++) {                           \
            ctype a = x[i], b = y[i];                                  \
            y[i] = (ctype)(expression);                                \
        }                                                              \
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
ORDER_LOOPS(ldouble, long double)
FIELD_LOOPS(ldouble, long double)
LOGIC_LOOPS(ldouble, long double)
FIELD_LOOPS(cfloat, float _Complex)
FIELD_LOOPS(cdouble, double _Complex)
FIELD_LOOPS(cldouble, long double _Complex)
LOGIC_LOOPS(truth, bool)
BIT_LOOPS(truth, bool)

/* Of equal values the smaller index is kept. */
#define PAIR_LOOP(op, name, value, index, better)                      \
    static void op##_##name(const void *in, void *inout, size_t count) \
    {                                                                  \
        struct {                                                       \
            value v;                                                   \
            index i;                                                   \
        } const *x = in;                                               \
        struct {                                                       \
            value v;                                                   \
            index i;                                                   \
        } *y = inout;                                                  \
        for (size_t i = 0; i < count; i++) {                           \
            bool equal = x[i].v == y[i].v;                             \
            if (x[i].v better y[i].v || (equal && x[i].i < y[i].i)) {  \
                y[i].v = x[i].v;                                       \
                y[i].i = x[i].i;                                       \
            }                                                          \
        }                                                              \
    }

#define PAIR_LOOPS(name, value, index)       \
    PAIR_LOOP(minloc, name, value, index, <) \
    PAIR_LOOP(maxloc, name, value, index, >)

PAIR_LOOPS(float_int, float, int)
PAIR_LOOPS(double_int, double, int)
PAIR_LOOPS(long_int, long, int)
PAIR_LOOPS(2int, int, int)
PAIR_LOOPS(short_int, short, int)
PAIR_LOOPS(ldouble_int, long double, int)
PAIR_LOOPS(2float, float, float)
PAIR_LOOPS(2double, double, double)

#define ORDER_ROW(name) [PRI_OP_MAX] = max_##name, [PRI_OP_MIN] = min_##name
#define FIELD_ROW(name) [PRI_OP_SUM] = sum_##name, [PRI_OP_PROD] = prod_##name
#define LOGIC_ROW(name) \
    [PRI_OP_LAND] = land_##name, [PRI_OP_LOR] = lor_##name, [PRI_OP_LXOR] = lxor_##name
#define BIT_ROW(name) \
    [PRI_OP_BAND] = band_##name, [PRI_OP_BOR] = bor_##name, [PRI_OP_BXOR] = bxor_##name
#define PAIR_ROW(name) [PRI_OP_MINLOC] = minloc_##name, [PRI_OP_MAXLOC] = maxloc_##name
#define INT_ROW(s, u)                                        \
    {                                                        \
        ORDER_ROW(s), FIELD_ROW(u), LOGIC_ROW(s), BIT_ROW(u) \
    }
#define REAL_ROW(name)                                    \
    {                                                     \
        ORDER_ROW(name), FIELD_ROW(name), LOGIC_ROW(name) \
    }

static pri_op_loop *const table[PRI_KINDS][PRI_OPS] = {
    [PRI_KIND_INT8] = INT_ROW(int8, uint8),
    [PRI_KIND_UINT8] = INT_ROW(uint8, uint8),
    [PRI_KIND_INT16] = INT_ROW(int16, uint16),
    [PRI_KIND_UINT16] = INT_ROW(uint16, uint16),
    [PRI_KIND_INT32] = INT_ROW(int32, uint32),
    [PRI_KIND_UINT32] = INT_ROW(uint32, uint32),
    [PRI_KIND_INT64] = INT_ROW(int64, uint64),
    [PRI_KIND_UINT64] = INT_ROW(uint64, uint64),
    [PRI_KIND_FLOAT] = REAL_ROW(float),
    [PRI_KIND_DOUBLE] = REAL_ROW(double),
    [PRI_KIND_LDOUBLE] = REAL_ROW(ldouble),
    [PRI_KIND_CFLOAT] = {FIELD_ROW(cfloat)},
    [PRI_KIND_CDOUBLE] = {FIELD_ROW(cdouble)},
    [PRI_KIND_CLDOUBLE] = {FIELD_ROW(cldouble)},
    [PRI_KIND_BOOL] = {LOGIC_ROW(truth), BIT_ROW(truth)},
    [PRI_KIND_LOGICAL] = {LOGIC_ROW(int32)},
    [PRI_KIND_BYTE] = {BIT_ROW(uint8)},
    [PRI_KIND_FLOAT_INT] = {PAIR_ROW(float_int)},
    [PRI_KIND_DOUBLE_INT] = {PAIR_ROW(double_int)},
    [PRI_KIND_LONG_INT] = {PAIR_ROW(long_int)},
    [PRI_KIND_2INT] = {PAIR_ROW(2int)},
    [PRI_KIND_SHORT_INT] = {PAIR_ROW(short_int)},
    [PRI_KIND_LDOUBLE_INT] = {PAIR_ROW(ldouble_int)},
    [PRI_KIND_2FLOAT] = {PAIR_ROW(2float)},
    [PRI_KIND_2DOUBLE] = {PAIR_ROW(2double)},
};

pri_op_loop *pri_op_loop_of(enum pri_op_id id, enum pri_kind kind)
{
    return table[kind][id];
}
