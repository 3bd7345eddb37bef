/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_OP_H
#define PRI_OP_H

/* Operations that reductions and accumulates apply, element by element: inout[i] = in[i] op
 * inout[i]. */

#include "base/cpu.h"
#include "type/type.h"

enum pri_op_id {
    PRI_OP_USER,
    PRI_OP_MAX,
    PRI_OP_MIN,
    PRI_OP_SUM,
    PRI_OP_PROD,
    PRI_OP_LAND,
    PRI_OP_BAND,
    PRI_OP_LOR,
    PRI_OP_BOR,
    PRI_OP_LXOR,
    PRI_OP_BXOR,
    PRI_OP_MINLOC,
    PRI_OP_MAXLOC,
    PRI_OP_REPLACE, /* inout[i] = in[i]; accumulates only */
    PRI_OP_NO_OP,   /* nothing; fetching accumulates only */
    PRI_OPS
};

/* What an application's operation is called with. */
typedef void pri_op_fn(void *in, void *inout, int *count, struct pri_type **type);
typedef void pri_op_large_fn(void *in, void *inout, long long *count, struct pri_type **type);

struct pri_op {
    enum pri_op_id id;
    bool commutative;
    pri_op_fn *user; /* of PRI_OP_USER: one of these two */
    pri_op_large_fn *large;
    /* How a function in Fortran knows a datatype, of which it is given the number; NULL: it is in
     * C. */
    int (*number)(struct pri_type *type);
    atomic_uint refs; /* not counted in predefined operations */
};

/* Applies a predefined operation to `count` elements of one kind. The areas are aligned as the kind
 * wants it and do not overlap. */
typedef void pri_op_loop(const void *in, void *inout, size_t count);

/* The loop of a predefined operation for a kind; NULL if there is none (an error of class
 * "operation"). */
pri_op_loop *pri_op_loop_of(enum pri_op_id id, enum pri_kind kind);

/* The same for a given kind of vector code, which the processor must have. */
pri_op_loop *pri_op_loop_by(enum ni_simd simd, enum pri_op_id id, enum pri_kind kind);

/* Those that need AVX2; NULL where it would not help. */
extern pri_op_loop *const pri_op_loops_avx2[PRI_KINDS][PRI_OPS];

/* Whether reductions take this operation with this type: an application's operation takes any, a
 * predefined one the predefined types that have a meaning for it (and types that are plain
 * repetitions of one). */
bool pri_op_accepts(const struct pri_op *op, const struct pri_type *type);

/* inout[i] = in[i] op inout[i] for `count` elements; the operation accepts the type. An
 * application's function is called with at most INT_MAX elements at a time, unless it counts in
 * more than ints. */
void pri_op_apply(const struct pri_op *op, const void *in, void *inout, size_t count,
                  struct pri_type *type);

/* A new operation with one reference; NULL when memory is short. */
struct pri_op *pri_op_new(pri_op_fn *user, pri_op_large_fn *large, bool commutative);

/* One more and one less user. */
void pri_op_retain(struct pri_op *op);
void pri_op_release(struct pri_op *op);

#pragma GCC visibility push(default)
extern struct pri_op presto_op_max, presto_op_min, presto_op_sum, presto_op_prod, presto_op_land,
    presto_op_band, presto_op_lor, presto_op_bor, presto_op_lxor, presto_op_bxor, presto_op_minloc,
    presto_op_maxloc, presto_op_replace, presto_op_no_op;
#pragma GCC visibility pop

#endif
