/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/op.h"

#include <limits.h>
#include <stdlib.h>

#define PREDEFINED(symbol, which) \
    struct pri_op presto_op_##symbol = {.id = which, .commutative = true}
PREDEFINED(max, PRI_OP_MAX);
PREDEFINED(min, PRI_OP_MIN);
PREDEFINED(sum, PRI_OP_SUM);
PREDEFINED(prod, PRI_OP_PROD);
PREDEFINED(land, PRI_OP_LAND);
PREDEFINED(band, PRI_OP_BAND);
PREDEFINED(lor, PRI_OP_LOR);
PREDEFINED(bor, PRI_OP_BOR);
PREDEFINED(lxor, PRI_OP_LXOR);
PREDEFINED(bxor, PRI_OP_BXOR);
PREDEFINED(minloc, PRI_OP_MINLOC);
PREDEFINED(maxloc, PRI_OP_MAXLOC);
PREDEFINED(replace, PRI_OP_REPLACE);
PREDEFINED(no_op, PRI_OP_NO_OP);

struct pri_op *pri_op_new(pri_op_fn *user, pri_op_large_fn *large, bool commutative)
{
    struct pri_op *op = malloc(sizeof(*op));
    if (op == NULL) {
        return NULL;
    }
    *op = (struct pri_op){
        .id = PRI_OP_USER, .commutative = commutative, .user = user, .large = large};
    atomic_init(&op->refs, 1);
    return op;
}

void pri_op_retain(struct pri_op *op)
{
    if (op->id == PRI_OP_USER) {
        atomic_fetch_add_explicit(&op->refs, 1, memory_order_relaxed);
    }
}

void pri_op_release(struct pri_op *op)
{
    /* Each release pairs with the acquire of the last one, which frees. */
    if (op->id == PRI_OP_USER &&
        atomic_fetch_sub_explicit(&op->refs, 1, memory_order_acq_rel) == 1) {
        free(op);
    }
}

bool pri_op_accepts(const struct pri_op *op, const struct pri_type *type)
{
    if (op->id == PRI_OP_USER) {
        return true;
    }
    bool plain = type->predefined || type->contiguous;
    return plain && pri_op_loop_of(op->id, type->kind) != NULL;
}

typedef void pri_op_fortran(void *in, void *inout, int *count, int *type);
typedef void pri_op_fortran_large(void *in, void *inout, long long *count, int *type);

/* The application's function counts in ints. */
static void apply_user(const struct pri_op *op, const char *in, char *inout, size_t count,
                       struct pri_type *type)
{
    while (count > 0) {
        int n = count > INT_MAX ? INT_MAX : (int)count;
        struct pri_type *handle = type;
        int len = n;
        if (op->number != NULL) {
            int number = op->number(type);
            ((pri_op_fortran *)op->user)((void *)in, inout, &len, &number);
        } else {
            op->user((void *)in, inout, &len, &handle);
        }
        in += n * type->extent;
        inout += n * type->extent;
        count -= (size_t)n;
    }
}

static void apply_user_large(const struct pri_op *op, const void *in, void *inout, size_t count,
                             struct pri_type *type)
{
    long long len = (long long)count;
    if (op->number != NULL) {
        int number = op->number(type);
        ((pri_op_fortran_large *)op->large)((void *)in, inout, &len, &number);
    } else {
        op->large((void *)in, inout, &len, &type);
    }
}

void pri_op_apply(const struct pri_op *op, const void *in, void *inout, size_t count,
                  struct pri_type *type)
{
    if (op->large != NULL) {
        apply_user_large(op, in, inout, count, type);
        return;
    }
    if (op->id == PRI_OP_USER) {
        apply_user(op, in, inout, count, type);
        return;
    }
    /* A plain repetition has more elements of its kind, which a pair counts as one. */
    bool pair = type->kind >= PRI_KIND_FLOAT_INT;
    size_t each = pair ? type->elements / 2 : type->elements;
    const char *from = (const char *)in + type->true_lb;
    pri_op_loop_of(op->id, type->kind)(from, (char *)inout + type->true_lb, count * each);
}
