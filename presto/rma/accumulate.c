/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates: what is checked first, and which of two ways they go. */
#include <stdlib.h>

#include "rma/control.h"
#include "type/named.h"

const struct pri_type *pri_rma_basic(enum pri_kind kind)
{
    const struct pri_type *type = NULL;

    for (size_t i = 0; (type = pri_type_named(i)) != NULL; i++) {
        if (type->kind == kind) {
            return type;
        }
    }
    return NULL;
}

/* One and the same basic type on both sides, and as many of them. */
static int check_side(const struct pri_rma_data *data, const struct pri_rma_at *to, size_t bytes)
{
    if (data->count * data->type->size != bytes) {
        return PRI_ERR_TRUNCATE;
    }
    return bytes == 0 || data->type->kind == to->type->kind ? 0 : PRI_RMA_TYPE;
}

static int check(const struct pri_rma_data *from, const struct pri_rma_data *result,
                 const struct pri_rma_at *to, enum pri_op_id op, size_t bytes)
{
    enum pri_kind kind = (enum pri_kind)to->type->kind;

    if (bytes > 0 && kind == PRI_KIND_NONE) {
        return PRI_RMA_TYPE;
    }
    int error = op == PRI_OP_NO_OP ? 0 : check_side(from, to, bytes);
    if (error == 0 && result->type != NULL) {
        error = check_side(result, to, bytes);
    }
    if (error != 0 || op == PRI_OP_REPLACE || op == PRI_OP_NO_OP || bytes == 0) {
        return error;
    }
    return op != PRI_OP_USER && pri_op_loop_of(op, kind) != NULL ? 0 : PRI_ERR_OP;
}

/* Bytes of a basic element. A pair has two of them, which go together. */
static size_t unit_of(const struct pri_type *type)
{
    return type->kind < PRI_KIND_FLOAT_INT ? type->unit
                                           : pri_rma_basic((enum pri_kind)type->kind)->size;
}

/* One aligned word here: nothing else needs to be known. */
static inline bool is_word(const struct pri_rma_place *place, const struct pri_rma_data *from,
                           const struct pri_rma_at *to)
{
    return place->t->direct && from->type == to->type && from->count == 1 && to->count == 1 &&
           to->type->predefined && to->type->kind >= PRI_KIND_INT32 &&
           to->type->kind <= PRI_KIND_UINT64 && place->local % to->type->size == 0;
}

static void store(void *to, uint64_t value, size_t width)
{
    if (width == sizeof(uint32_t)) {
        __builtin_memcpy(to, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    } else {
        __builtin_memcpy(to, &value, sizeof(uint64_t));
    }
}

static int run(struct pri_rma_update *u, const struct pri_rma_data *from)
{
    void *packed = NULL;

    if (u->op == PRI_OP_NO_OP) {
        u->from = NULL;
    } else if (from->type->contiguous) {
        u->from = (char *)from->buf + from->type->true_lb;
    } else {
        packed = malloc(u->bytes);
        if (packed == NULL) {
            return PRI_ERR_NOMEM;
        }
        pri_type_pack(from->type, from->count, from->buf, 0, packed, u->bytes);
        u->from = packed;
        u->goes = true;
    }
    int error = pri_rma_is_words(u) ? pri_rma_words(u) : pri_rma_locked(u, NULL);
    free(packed);
    return error;
}

int pri_rma_accumulate(struct pri_rma *rma, struct pri_rma_data from, struct pri_rma_data result,
                       struct pri_rma_at to, const struct pri_op *op, struct pri_request *request)
{
    struct pri_rma_place place;
    size_t bytes = to.count * to.type->size;
    int error = pri_rma_locate(rma, &to, request != NULL, &place);

    if (NI_LIKELY(error == 0)) {
        error = check(&from, &result, &to, op->id, bytes);
    }
    if (NI_UNLIKELY(error != 0)) {
        return error;
    }
    enum pri_kind kind = (enum pri_kind)to.type->kind;
    if (NI_LIKELY(is_word(&place, &from, &to) && (result.type == NULL || result.type == to.type))) {
        error = pri_rma_updates_begin(place.t);
        if (NI_UNLIKELY(error != 0)) {
            return error;
        }
        uint64_t old = pri_rma_cpu(place.local, bytes, op->id, kind, from.buf);
        if (result.type != NULL) {
            store(result.buf, old, bytes);
        }
    } else if (bytes > 0) {
        struct pri_rma_update u = {.place = &place,
                                   .at = &to,
                                   .op = op->id,
                                   .kind = kind,
                                   .unit = unit_of(to.type),
                                   .bytes = bytes,
                                   .result = result,
                                   .request = request};
        return run(&u, &from);
    }
    pri_rma_request_done(rma, request, 0);
    return 0;
}

/* Integers, logical values and bytes. */
static bool comparable(enum pri_kind kind)
{
    return (kind >= PRI_KIND_INT8 && kind <= PRI_KIND_UINT64) ||
           (kind >= PRI_KIND_BOOL && kind <= PRI_KIND_BYTE);
}

int pri_rma_compare_and_swap(struct pri_rma *rma, const void *from, const void *compare,
                             void *result, struct pri_rma_at to)
{
    struct pri_rma_place place;
    int error = pri_rma_locate(rma, &to, false, &place);

    if (NI_UNLIKELY(error != 0)) {
        return error;
    }
    if (!to.type->predefined || !comparable((enum pri_kind)to.type->kind)) {
        return PRI_RMA_TYPE;
    }
    struct pri_rma_update u = {.place = &place,
                               .at = &to,
                               .op = PRI_OP_REPLACE,
                               .kind = (enum pri_kind)to.type->kind,
                               .unit = to.type->size,
                               .bytes = to.type->size,
                               .from = from,
                               .result = {result, 1, to.type}};
    return pri_rma_is_words(&u) ? pri_rma_word_swap(&u, compare) : pri_rma_locked(&u, compare);
}
