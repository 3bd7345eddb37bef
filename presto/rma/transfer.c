/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the NI that nobody waits for one by one. */
#include <stdlib.h>

#include "rma/control.h"
#include "type/named.h"

void pri_rma_request_done(struct pri_rma *rma, struct pri_request *request, int error)
{
    if (request == NULL) {
        return;
    }
    pri_request_null(rma->self, request);
    request->status.error = error;
}

struct pri_rma_op *pri_rma_op_begin(struct pri_rma_target *t, struct pri_request *request,
                                    size_t packed)
{
    struct pri_rma_op *op = calloc(1, sizeof(*op));

    if (op != NULL && packed > 0 && (op->packed = malloc(packed)) == NULL) {
        free(op);
        op = NULL;
    }
    if (op == NULL) {
        return NULL;
    }
    op->t = t;
    op->request = request;
    atomic_init(&op->left, 1);
    if (request != NULL) {
        pri_request_null(t->rma->self, request);
        atomic_store_explicit(&request->state, PRI_REQ_PENDING, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&t->pending, 1, memory_order_relaxed);
    return op;
}

void pri_rma_op_more(struct pri_rma_op *op)
{
    atomic_fetch_add_explicit(&op->left, 1, memory_order_relaxed);
}

static void note(_Atomic int *place, int error)
{
    int none = 0;

    if (NI_UNLIKELY(error != 0)) {
        atomic_compare_exchange_strong_explicit(place, &none, error, memory_order_relaxed,
                                                memory_order_relaxed);
    }
}

void pri_rma_op_done(struct pri_rma_op *op, ni_status status)
{
    struct pri_rma_target *t = op->t;

    note(&op->error, pri_rma_error_of(status));
    /* Pairs with itself: the last one sees what the others have brought. */
    if (atomic_fetch_sub_explicit(&op->left, 1, memory_order_acq_rel) != 1) {
        return;
    }
    int error = atomic_load_explicit(&op->error, memory_order_relaxed);
    if (op->packed != NULL && op->into.type != NULL) {
        if (error == 0) {
            pri_type_unpack(op->into.type, op->into.count, op->into.buf, 0, op->packed,
                            op->into.count * op->into.type->size);
        }
        pri_type_release(op->into.type);
    }
    if (op->request != NULL) {
        op->request->status.error = error;
        pri_request_complete(op->request);
    } else {
        note(&t->error, error);
    }
    free(op->packed);
    free(op->old);
    free(op);
    /* release, with the acquire in pri_rma_drain */
    atomic_fetch_sub_explicit(&t->pending, 1, memory_order_release);
}

static void part_done(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    pri_rma_op_done(arg, status);
}

struct ni_ack pri_rma_op_ack(struct pri_rma_op *op)
{
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = part_done, .arg = op};
}

/* Writes and reads to a target, and parts of one operation, of which no more are under way: what
 * waits in the NI for room costs memory. */
enum { MOST_UNDER_WAY = 256 };

static inline void wait_for_room(struct pri_rma_target *t, const _Atomic unsigned *under_way)
{
    unsigned spins = 0;

    /* Relaxed: only how many there are matters. */
    while (NI_UNLIKELY(atomic_load_explicit(under_way, memory_order_relaxed) > MOST_UNDER_WAY)) {
        pri_relax(t->rma->self, &spins);
    }
}

ni_status pri_rma_start_write(struct pri_rma_target *t, const void *from, size_t bytes,
                              const struct ni_remote *to, const struct ni_ack *ack)
{
    struct pri_rank *self = t->rma->self;
    unsigned spins = 0;
    ni_status status;

    while ((status = ni_write(self->ni, t->ni, from, bytes, to, ack)) == NI_AGAIN) {
        pri_relax(self, &spins);
    }
    return status;
}

ni_status pri_rma_start_read(struct pri_rma_target *t, void *to, size_t bytes,
                             const struct ni_remote *from, const struct ni_ack *ack)
{
    struct pri_rank *self = t->rma->self;
    unsigned spins = 0;
    ni_status status;

    while ((status = ni_read(self->ni, t->ni, to, bytes, from, ack)) == NI_AGAIN) {
        pri_relax(self, &spins);
    }
    return status;
}

ni_status pri_rma_start_fetch(struct pri_rma_target *t, enum ni_atomic_op op, unsigned width,
                              uint64_t operand, uint64_t compare, const struct ni_remote *at,
                              const struct ni_ack *ack)
{
    struct pri_rank *self = t->rma->self;
    unsigned spins = 0;
    ni_status status;

    while ((status = ni_fetch_op(self->ni, t->ni, op, width, operand, compare, at, ack)) ==
           NI_AGAIN) {
        pri_relax(self, &spins);
    }
    return status;
}

/* A single block goes without an operation: its completion counts at the target alone. */
static void block_done(void *arg, ni_status status, uint64_t value)
{
    struct pri_rma_target *t = arg;

    (void)value;
    note(&t->error, pri_rma_error_of(status));
    /* release, with the acquire in pri_rma_drain */
    atomic_fetch_sub_explicit(&t->pending, 1, memory_order_release);
}

int pri_rma_raise(struct pri_rma_target *t, size_t word)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = block_done, .arg = t};
    struct ni_remote there = t->control_at;

    if (t->control != NULL) {
        return pri_rma_word_add(t, word, 1, NULL);
    }
    there.addr += word;
    atomic_fetch_add_explicit(&t->pending, 1, memory_order_relaxed);
    ni_status status = pri_rma_start_fetch(t, NI_ATOMIC_ADD, sizeof(uint64_t), 1, 0, &there, &ack);
    if (NI_UNLIKELY(status != NI_OK)) {
        atomic_fetch_sub_explicit(&t->pending, 1, memory_order_relaxed);
    }
    return pri_rma_error_of(status);
}

static int move_block(const struct pri_rma_place *place, void *here, size_t bytes, ptrdiff_t behind,
                      bool put)
{
    struct pri_rma_target *t = place->t;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = block_done, .arg = t};
    struct ni_remote there = place->remote;

    there.addr += (uint64_t)behind;
    wait_for_room(t, &t->pending);
    atomic_fetch_add_explicit(&t->pending, 1, memory_order_relaxed);
    ni_status status = put ? pri_rma_start_write(t, here, bytes, &there, &ack)
                           : pri_rma_start_read(t, here, bytes, &there, &ack);
    if (NI_UNLIKELY(status != NI_OK)) {
        atomic_fetch_sub_explicit(&t->pending, 1, memory_order_relaxed);
    }
    return pri_rma_error_of(status);
}

/* The blocks of an operation, one after the other. */
struct stream {
    struct pri_rma_op *op;
    const struct pri_rma_place *place;
    char *here;
    bool put;
};

static int move_part(void *arg, ptrdiff_t disp, size_t bytes)
{
    struct stream *s = arg;
    struct ni_ack ack = pri_rma_op_ack(s->op);
    struct ni_remote there = s->place->remote;

    there.addr += (uint64_t)disp;
    wait_for_room(s->op->t, &s->op->left);
    pri_rma_op_more(s->op);
    ni_status status = s->put ? pri_rma_start_write(s->op->t, s->here, bytes, &there, &ack)
                              : pri_rma_start_read(s->op->t, s->here, bytes, &there, &ack);
    if (status != NI_OK) {
        pri_rma_op_done(s->op, status);
    }
    s->here += bytes;
    return status != NI_OK ? pri_rma_error_of(status) : 0;
}

/* By the NI, with a request or in several blocks. */
static NI_NOINLINE int move_by_parts(struct pri_rma_place *place, struct pri_rma_data here,
                                     const struct pri_rma_at *there, bool put,
                                     struct pri_request *request)
{
    size_t bytes = here.count * here.type->size;
    bool pack = !here.type->contiguous;
    struct pri_rma_op *op = pri_rma_op_begin(place->t, request, pack ? bytes : 0);

    if (op == NULL) {
        return PRI_ERR_NOMEM;
    }
    struct stream s = {op, place, pack ? op->packed : (char *)here.buf + here.type->true_lb, put};
    if (pack && put) {
        pri_type_pack(here.type, here.count, here.buf, 0, op->packed, bytes);
    } else if (pack) {
        op->into = here;
        pri_type_retain(here.type);
    }
    /* A failure is told by the request, or by the thread that completes the operation. */
    (void)pri_rma_walk(place, there, move_part, &s);
    pri_rma_op_done(op, NI_OK);
    return 0;
}

static int move_direct(const struct pri_rma_place *place, struct pri_rma_data here,
                       const struct pri_rma_at *there, bool put)
{
    void *target = (void *)place->local;

    if (NI_LIKELY(here.type->contiguous && there->type->contiguous)) {
        void *a = (char *)target + there->type->true_lb, *b = (char *)here.buf + here.type->true_lb;
        size_t bytes = here.count * here.type->size;
        if (bytes == sizeof(uint64_t)) {
            __builtin_memcpy(put ? a : b, put ? b : a, sizeof(uint64_t));
        } else {
            __builtin_memmove(put ? a : b, put ? b : a, bytes);
        }
    } else if (put) {
        pri_type_copy(target, there->count, there->type, here.buf, here.count, here.type);
    } else {
        pri_type_copy(here.buf, here.count, here.type, target, there->count, there->type);
    }
    return 0;
}

static inline int move(struct pri_rma *rma, struct pri_rma_data here,
                       const struct pri_rma_at *there, bool put, struct pri_request *request)
{
    struct pri_rma_place place;
    int error = pri_rma_locate(rma, there, request != NULL, &place);

    if (NI_UNLIKELY(error != 0)) {
        return error;
    }
    size_t bytes = here.count * here.type->size;
    if (NI_UNLIKELY(bytes != there->count * there->type->size)) {
        return PRI_ERR_TRUNCATE;
    }
    if (NI_LIKELY(place.t->direct) || bytes == 0) {
        if (bytes > 0) {
            move_direct(&place, here, there, put);
        }
        pri_rma_request_done(rma, request, 0);
        return 0;
    }
    if (NI_UNLIKELY(request != NULL || place.pieces || !here.type->contiguous ||
                    !there->type->contiguous)) {
        return move_by_parts(&place, here, there, put, request);
    }
    return move_block(&place, (char *)here.buf + here.type->true_lb, bytes, there->type->true_lb,
                      put);
}

int pri_rma_put(struct pri_rma *rma, struct pri_rma_data from, struct pri_rma_at to,
                struct pri_request *request)
{
    return move(rma, from, &to, true, request);
}

int pri_rma_get(struct pri_rma *rma, struct pri_rma_data to, struct pri_rma_at from,
                struct pri_request *request)
{
    return move(rma, to, &from, false, request);
}

int pri_rma_copy(struct pri_rma_place *place, void *packed, const struct pri_rma_at *there,
                 bool put)
{
    struct pri_rma_data here = {packed, there->count * there->type->size, &presto_type_byte};
    struct pri_request request;

    if (place->t->direct) {
        return move_direct(place, here, there, put);
    }
    int error = move_by_parts(place, here, there, put, &request);
    return error != 0 ? error : pri_wait(&request);
}

int pri_rma_drain(struct pri_rma_target *t)
{
    unsigned spins = 0;

    /* acquire, with the releases where operations end */
    while (atomic_load_explicit(&t->pending, memory_order_acquire) != 0) {
        pri_relax_for(t->rma->self, &spins, pri_rma_tell_pending, t);
    }
    if (NI_LIKELY(atomic_load_explicit(&t->error, memory_order_relaxed) == 0)) {
        return 0;
    }
    return atomic_exchange_explicit(&t->error, 0, memory_order_relaxed);
}
