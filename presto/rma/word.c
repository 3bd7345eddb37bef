/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of control blocks, and operations of the NI that are waited for. */
#include "rma/control.h"

int pri_rma_error_of(ni_status status)
{
    switch (status) {
    case NI_OK:
        return PRI_OK;
    case NI_ERR_NOMEM:
        return PRI_ERR_NOMEM;
    case NI_ERR_FORKED:
        return PRI_ERR_FORKED;
    case NI_ERR_REGION:
    case NI_ERR_KEY:
    case NI_ERR_BOUNDS:
        return PRI_RMA_RANGE;
    case NI_ERR_CABLE:
    case NI_ERR_CARD:
    case NI_ERR_UNREACHABLE:
    case NI_ERR_PEER_DEAD:
    case NI_ERR_PEER_CLOSED:
    case NI_ERR_PROTOCOL:
        return PRI_ERR_PEER;
    default:
        return PRI_ERR_INTERN;
    }
}

static void arrived(void *arg, ni_status status, uint64_t value)
{
    struct pri_rma_await *await = arg;

    await->status = status;
    await->value = value;
    /* release, with the acquire in pri_rma_await: after it the memory may be gone */
    atomic_store_explicit(&await->done, true, memory_order_release);
}

struct ni_ack pri_rma_ack(struct pri_rma_await *await)
{
    atomic_init(&await->done, false);
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = arrived, .arg = await};
}

int pri_rma_await(struct pri_rma_target *t, struct pri_rma_await *await)
{
    unsigned spins = 0;

    while (!atomic_load_explicit(&await->done, memory_order_acquire)) {
        pri_relax_for(t->rma->self, &spins, pri_rma_tell_answer, t);
    }
    return pri_rma_error_of(await->status);
}

int pri_rma_fetch(struct pri_rma_target *t, enum ni_atomic_op op, unsigned width, uint64_t operand,
                  uint64_t compare, const struct ni_remote *at, uint64_t *old)
{
    struct pri_rma_await await;
    struct ni_ack ack = pri_rma_ack(&await);
    ni_status status = pri_rma_start_fetch(t, op, width, operand, compare, at, &ack);
    if (status != NI_OK) {
        return pri_rma_error_of(status);
    }
    int error = pri_rma_await(t, &await);
    if (error == 0 && old != NULL) {
        *old = await.value;
    }
    return error;
}

int pri_rma_read(struct pri_rma_target *t, void *to, size_t bytes, const struct ni_remote *from)
{
    struct pri_rma_await await;
    struct ni_ack ack = pri_rma_ack(&await);
    ni_status status = pri_rma_start_read(t, to, bytes, from, &ack);
    return status != NI_OK ? pri_rma_error_of(status) : pri_rma_await(t, &await);
}

static inline _Atomic uint64_t *mapped(const struct pri_rma_target *t, size_t word)
{
    return (_Atomic uint64_t *)((char *)t->control + word);
}

static int by_ni(struct pri_rma_target *t, enum ni_atomic_op op, size_t word, uint64_t value,
                 uint64_t compare, uint64_t *old)
{
    struct ni_remote at = t->control_at;

    at.addr += word;
    return pri_rma_fetch(t, op, sizeof(uint64_t), value, compare, &at, old);
}

int pri_rma_word_add(struct pri_rma_target *t, size_t word, uint64_t value, uint64_t *old)
{
    if (NI_UNLIKELY(t->control == NULL)) {
        return by_ni(t, NI_ATOMIC_ADD, word, value, 0, old);
    }
    /* release, with the acquire of who sees the word raised, and of who raises it next */
    uint64_t before = atomic_fetch_add_explicit(mapped(t, word), value, memory_order_acq_rel);
    if (old != NULL) {
        *old = before;
    }
    return 0;
}

int pri_rma_word_load(struct pri_rma_target *t, size_t word, uint64_t *value)
{
    if (NI_UNLIKELY(t->control == NULL)) {
        return by_ni(t, NI_ATOMIC_ADD, word, 0, 0, value);
    }
    /* acquire, with the release in pri_rma_word_add */
    *value = atomic_load_explicit(mapped(t, word), memory_order_acquire);
    return 0;
}

int pri_rma_word_cswap(struct pri_rma_target *t, size_t word, uint64_t from, uint64_t to,
                       uint64_t *old)
{
    *old = from;
    if (NI_UNLIKELY(t->control == NULL)) {
        return by_ni(t, NI_ATOMIC_CSWAP, word, to, from, old);
    }
    /* acquire, with the release of who had it */
    atomic_compare_exchange_strong_explicit(mapped(t, word), old, to, memory_order_acquire,
                                            memory_order_relaxed);
    return 0;
}

bool pri_rma_lost(const struct pri_rma *rma)
{
    const struct pri_rank *self = rma->self;
    if (NI_LIKELY(atomic_load_explicit(&self->lost, memory_order_relaxed) == 0)) {
        return false;
    }
    for (int i = 0; i < rma->team->size; i++) {
        if (atomic_load_explicit(&self->peers[rma->target[i].peer].down, memory_order_relaxed) !=
            0) {
            return true;
        }
    }
    return false;
}

void pri_rma_let_in(struct pri_rma *rma, bool give)
{
    if (give) {
        pri_look(rma->self);
    } else {
        (void)pri_progress(rma->self);
    }
}
