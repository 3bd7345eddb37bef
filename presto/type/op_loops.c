/* SPDX-License-Identifier: BSD-3-Clause */
/* One loop per predefined operation and kind, and the table of them. */
#include <stdatomic.h>

#include "type/op_loops.h"

#include "base/compiler.h"

ORDER_LOOPS(ldouble, long double)
FIELD_LOOPS(ldouble, long double)
LOGIC_LOOPS(ldouble, long double)
FIELD_LOOPS(cldouble, long double _Complex)

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

#define PAIR_ROW(name) [PRI_OP_MINLOC] = minloc_##name, [PRI_OP_MAXLOC] = maxloc_##name

static pri_op_loop *const table[PRI_KINDS][PRI_OPS] = {
    NUMBER_ROWS,
    [PRI_KIND_LDOUBLE] = REAL_ROW(ldouble),
    [PRI_KIND_CLDOUBLE] = {FIELD_ROW(cldouble)},
    [PRI_KIND_FLOAT_INT] = {PAIR_ROW(float_int)},
    [PRI_KIND_DOUBLE_INT] = {PAIR_ROW(double_int)},
    [PRI_KIND_LONG_INT] = {PAIR_ROW(long_int)},
    [PRI_KIND_2INT] = {PAIR_ROW(2int)},
    [PRI_KIND_SHORT_INT] = {PAIR_ROW(short_int)},
    [PRI_KIND_LDOUBLE_INT] = {PAIR_ROW(ldouble_int)},
    [PRI_KIND_2FLOAT] = {PAIR_ROW(2float)},
    [PRI_KIND_2DOUBLE] = {PAIR_ROW(2double)},
};

pri_op_loop *pri_op_loop_by(enum ni_simd simd, enum pri_op_id id, enum pri_kind kind)
{
    if (simd != NI_SIMD_SCALAR && pri_op_loops_avx2[kind][id] != NULL) {
        return pri_op_loops_avx2[kind][id];
    }
    return table[kind][id];
}

pri_op_loop *pri_op_loop_of(enum pri_op_id id, enum pri_kind kind)
{
    static _Atomic int known = NI_SIMD_AUTO; /* the thread that asks first; all find the same */
    int simd = atomic_load_explicit(&known, memory_order_relaxed);

    if (NI_UNLIKELY(simd == NI_SIMD_AUTO)) {
        simd = ni_cpu_simd();
        atomic_store_explicit(&known, simd, memory_order_relaxed);
    }
    return pri_op_loop_by((enum ni_simd)simd, id, kind);
}
