/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive epochs: locks, and flushing. */
#include "rma/control.h"

/* Accesses begin: a fence that nobody has used is no epoch. */
static int end_fence(struct pri_rma *rma)
{
    if (atomic_load_explicit(&rma->fence, memory_order_relaxed) == PRI_RMA_FENCE_USED) {
        return PRI_RMA_SYNC;
    }
    atomic_store_explicit(&rma->fence, PRI_RMA_NO_FENCE, memory_order_relaxed);
    return 0;
}

static int lock(struct pri_rma_target *t, bool exclusive, bool check)
{
    unsigned none = PRI_RMA_NO_ACCESS;
    int error = 0;

    if (!atomic_compare_exchange_strong_explicit(&t->access, &none, PRI_RMA_LOCKING,
                                                 memory_order_acquire, memory_order_relaxed)) {
        return PRI_RMA_SYNC;
    }
    if (check) {
        error = pri_rma_enter(t, exclusive);
    }
    unsigned access = error != 0 ? PRI_RMA_NO_ACCESS
                      : !check   ? PRI_RMA_LOCKED_UNCHECKED
                                 : (exclusive ? PRI_RMA_LOCKED_EXCLUSIVELY : PRI_RMA_LOCKED);
    /* release, with the acquire above and in unlock */
    atomic_store_explicit(&t->access, access, memory_order_release);
    return error;
}

static int unlock(struct pri_rma_target *t)
{
    unsigned access = atomic_load_explicit(&t->access, memory_order_acquire);
    int error = pri_rma_drain(t), rc = 0;

    pri_rma_updates_end(t, true);
    if (access != PRI_RMA_LOCKED_UNCHECKED) {
        rc = pri_rma_leave(t, access == PRI_RMA_LOCKED_EXCLUSIVELY);
    }
    atomic_store_explicit(&t->access, PRI_RMA_NO_ACCESS, memory_order_release);
    return error != 0 ? error : rc;
}

static bool all_locked(const struct pri_rma *rma)
{
    return atomic_load_explicit(&rma->all, memory_order_relaxed);
}

int pri_rma_lock(struct pri_rma *rma, int target, bool exclusive, bool check)
{
    int error = all_locked(rma) || rma->started != NULL ? PRI_RMA_SYNC : end_fence(rma);

    if (error == 0) {
        error = lock(&rma->target[target], exclusive, check);
    }
    if (error == 0) {
        atomic_fetch_add_explicit(&rma->locks, 1, memory_order_relaxed);
    }
    return error;
}

static bool is_locked(const struct pri_rma_target *t)
{
    unsigned access = atomic_load_explicit(&t->access, memory_order_relaxed);
    return access >= PRI_RMA_LOCKED && access < PRI_RMA_LOCKING;
}

int pri_rma_unlock(struct pri_rma *rma, int target)
{
    if (all_locked(rma) || !is_locked(&rma->target[target])) {
        return PRI_RMA_SYNC;
    }
    int error = unlock(&rma->target[target]);
    pri_rma_order(rma);
    atomic_fetch_sub_explicit(&rma->locks, 1, memory_order_relaxed);
    return error;
}

int pri_rma_lock_all(struct pri_rma *rma, bool check)
{
    if (all_locked(rma) || rma->started != NULL ||
        atomic_load_explicit(&rma->locks, memory_order_relaxed) != 0) {
        return PRI_RMA_SYNC;
    }
    int error = end_fence(rma), done = 0;
    /* All ranks in the same order, so that nobody waits in a circle with an exclusive lock. */
    for (; error == 0 && done < rma->team->size; done++) {
        error = lock(&rma->target[done], false, check);
    }
    if (error == 0) {
        atomic_store_explicit(&rma->all, true, memory_order_relaxed);
    }
    for (int i = 0; error != 0 && i < done - 1; i++) {
        (void)unlock(&rma->target[i]);
    }
    return error;
}

int pri_rma_unlock_all(struct pri_rma *rma)
{
    int error = 0;

    if (!all_locked(rma)) {
        return PRI_RMA_SYNC;
    }
    for (int i = 0; i < rma->team->size; i++) {
        int rc = unlock(&rma->target[i]);
        error = error != 0 ? error : rc;
    }
    pri_rma_order(rma);
    atomic_store_explicit(&rma->all, false, memory_order_relaxed);
    return error;
}

static int flush(struct pri_rma_target *t)
{
    int error = pri_rma_drain(t);

    /* Other threads may be about to update words. */
    if (NI_LIKELY(!t->rma->self->threads)) {
        pri_rma_updates_end(t, false);
    }
    return error;
}

int pri_rma_flush(struct pri_rma *rma, int target)
{
    int error = 0;

    if (target >= 0) {
        if (!is_locked(&rma->target[target])) {
            return PRI_RMA_SYNC;
        }
        error = flush(&rma->target[target]);
    } else {
        if (!all_locked(rma) && atomic_load_explicit(&rma->locks, memory_order_relaxed) == 0) {
            return PRI_RMA_SYNC;
        }
        for (int i = 0; i < rma->team->size; i++) {
            int rc = flush(&rma->target[i]);
            error = error != 0 ? error : rc;
        }
    }
    pri_rma_order(rma);
    return error;
}

void pri_rma_sync(struct pri_rma *rma)
{
    pri_rma_order(rma);
    (void)pri_progress(rma->self);
}

int pri_rma_accumulate_lock(struct pri_rma_target *t)
{
    uint64_t holder, me = (uint64_t)t->rma->team->rank + 1;
    struct pri_word_wait wait = {.spins = pri_rma_spins(t)};
    int error;

    while ((error = pri_rma_word_cswap(t, PRI_RMA_WORD(accumulator), 0, me, &holder)) == 0 &&
           holder != 0) {
        pri_relax_word(t->rma->self, &wait, pri_rma_tell_lock, t);
        if (NI_UNLIKELY(pri_rma_lost(t->rma))) {
            return PRI_ERR_PEER;
        }
    }
    return error;
}

void pri_rma_accumulate_unlock(struct pri_rma_target *t)
{
    (void)pri_rma_word_add(t, PRI_RMA_WORD(accumulator), -((uint64_t)t->rma->team->rank + 1), NULL);
}
