/* SPDX-License-Identifier: BSD-3-Clause */
/* Active epochs: fences, and exposures to some ranks. */
#include <stdlib.h>

#include "rma/control.h"

/* Until a rank that has come as far has raised a word of this one's. */
static int await_signal(struct pri_rma *rma, const _Atomic uint64_t *word)
{
    struct pri_word_wait wait = {0};

    /* acquire, with the release of the other's pri_rma_raise */
    while (atomic_load_explicit(word, memory_order_acquire) < rma->meets) {
        pri_relax_word(rma->self, &wait, pri_rma_tell_meet, rma);
        if (NI_UNLIKELY(pri_rma_lost(rma))) {
            return PRI_ERR_PEER;
        }
    }
    return 0;
}

/* By dissemination, with words instead of messages: when a rank has died the others need not have
 * met equally often, and a message that one of them does not send any more would be waited for. */
static int meet_by_words(struct pri_rma *rma)
{
    int size = rma->team->size, error = 0;

    rma->meets++;
    for (int round = 0; error == 0 && 1 << round < size; round++) {
        struct pri_rma_target *ahead = &rma->target[(rma->team->rank + (1 << round)) % size];
        error = pri_rma_raise(ahead, PRI_RMA_WORD(met) + (size_t)round * sizeof(uint64_t));
        if (error == 0) {
            error = await_signal(rma, &rma->own->met[round]);
        }
    }
    return error;
}

/* All ranks have come here. In one memory rank 0's block counts who has. */
static int meet(struct pri_rma *rma)
{
    struct pri_rma_target *first = &rma->target[0];
    struct pri_word_wait wait = {0};

    if (rma->segment == NULL) {
        return meet_by_words(rma);
    }
    uint64_t wanted = ++rma->meets * (uint64_t)rma->team->size, now;
    int error = pri_rma_word_add(first, PRI_RMA_WORD(arrived), 1, NULL);
    while (error == 0 && (error = pri_rma_word_load(first, PRI_RMA_WORD(arrived), &now)) == 0 &&
           now < wanted) {
        pri_relax_word(rma->self, &wait, pri_rma_tell_meet, rma);
        if (NI_UNLIKELY(pri_rma_lost(rma))) {
            return PRI_ERR_PEER;
        }
    }
    return error;
}

static int drain_all(struct pri_rma *rma)
{
    int error = 0;

    for (int i = 0; i < rma->team->size; i++) {
        int rc = pri_rma_drain(&rma->target[i]);
        pri_rma_updates_end(&rma->target[i], true);
        error = error != 0 ? error : rc;
    }
    return error;
}

static bool passive(const struct pri_rma *rma)
{
    return atomic_load_explicit(&rma->all, memory_order_relaxed) ||
           atomic_load_explicit(&rma->locks, memory_order_relaxed) != 0;
}

int pri_rma_fence(struct pri_rma *rma, bool before, bool after)
{
    if (passive(rma) || rma->started != NULL || rma->exposed) {
        return PRI_RMA_SYNC;
    }
    int error = before ? drain_all(rma) : 0;
    pri_rma_order(rma);
    int rc = meet(rma);
    atomic_store_explicit(&rma->fence, after ? PRI_RMA_FENCED : PRI_RMA_NO_FENCE,
                          memory_order_relaxed);
    return error != 0 ? error : rc;
}

/* A fence whose epoch has not been used was none. */
static bool in_fence(struct pri_rma *rma)
{
    if (atomic_load_explicit(&rma->fence, memory_order_relaxed) == PRI_RMA_FENCE_USED) {
        return true;
    }
    atomic_store_explicit(&rma->fence, PRI_RMA_NO_FENCE, memory_order_relaxed);
    return false;
}

int pri_rma_post(struct pri_rma *rma, const int *ranks, int count)
{
    size_t mine = PRI_RMA_WORD(posted) + (size_t)rma->team->rank * sizeof(uint64_t);
    int error = 0;

    if (rma->exposed || in_fence(rma)) {
        return PRI_RMA_SYNC;
    }
    rma->exposed = true;
    rma->completions += (uint64_t)count;
    for (int i = 0; i < count; i++) {
        int rc = pri_rma_word_add(&rma->target[ranks[i]], mine, 1, NULL);
        error = error != 0 ? error : rc;
    }
    return error;
}

static int await_post(struct pri_rma *rma, int rank)
{
    struct pri_word_wait wait = {0};

    /* acquire, with the release in the other's pri_rma_post */
    while (atomic_load_explicit(&rma->own->posted[rank], memory_order_acquire) <=
           rma->posts[rank]) {
        pri_relax_word(rma->self, &wait, pri_rma_tell_post, &rma->target[rank]);
        if (NI_UNLIKELY(pri_rma_lost(rma))) {
            return PRI_ERR_PEER;
        }
    }
    rma->posts[rank]++;
    return 0;
}

static void end_start(struct pri_rma *rma)
{
    for (int i = 0; i < rma->started_count; i++) {
        atomic_store_explicit(&rma->target[rma->started[i]].access, PRI_RMA_NO_ACCESS,
                              memory_order_relaxed);
    }
    free(rma->started);
    rma->started = NULL;
}

int pri_rma_start(struct pri_rma *rma, const int *ranks, int count)
{
    int error = 0;

    if (rma->started != NULL || passive(rma) || in_fence(rma)) {
        return PRI_RMA_SYNC;
    }
    rma->started = malloc(((size_t)count + 1) * sizeof(int));
    if (rma->started == NULL) {
        return PRI_ERR_NOMEM;
    }
    rma->started_count = 0;
    for (int i = 0; i < count && error == 0; i++) {
        error = await_post(rma, ranks[i]);
        rma->started[rma->started_count++] = ranks[i];
        atomic_store_explicit(&rma->target[ranks[i]].access, PRI_RMA_STARTED, memory_order_relaxed);
    }
    if (error != 0) {
        end_start(rma);
    }
    return error;
}

int pri_rma_complete(struct pri_rma *rma)
{
    int error = 0;

    if (rma->started == NULL) {
        return PRI_RMA_SYNC;
    }
    for (int i = 0; i < rma->started_count; i++) {
        struct pri_rma_target *t = &rma->target[rma->started[i]];
        int rc = pri_rma_drain(t);
        pri_rma_updates_end(t, true);
        error = error != 0 ? error : rc;
        rc = pri_rma_word_add(t, PRI_RMA_WORD(completed), 1, NULL);
        error = error != 0 ? error : rc;
    }
    end_start(rma);
    return error;
}

int pri_rma_wait(struct pri_rma *rma, bool *there)
{
    struct pri_word_wait wait = {0};

    if (!rma->exposed) {
        return PRI_RMA_SYNC;
    }
    if (there != NULL) {
        (void)pri_progress(rma->self);
    }
    /* acquire, with the release in the origins' pri_rma_complete */
    while (atomic_load_explicit(&rma->own->completed, memory_order_acquire) < rma->completions) {
        if (NI_UNLIKELY(pri_rma_lost(rma))) {
            return PRI_ERR_PEER;
        }
        if (there != NULL) {
            *there = false;
            return 0;
        }
        pri_relax_word(rma->self, &wait, pri_rma_tell_completes, rma);
    }
    rma->exposed = false;
    if (there != NULL) {
        *there = true;
    }
    return 0;
}
