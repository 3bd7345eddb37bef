/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of a target are updated one by one, by any number of ranks at a time, or in long runs,
 * which one rank fetches, updates and puts back. One word of the target's, `updaters`, keeps these
 * apart: it counts the ranks that update single words, from the first of an epoch to the epoch's
 * end, and has a bit for the one that has a run under way. A run never waits for single words, it
 * goes as such instead; single words wait for a run, which needs nobody's progress.
 *
 * Only where the words are not reached directly by all, and control blocks are mapped.
 */
#include "rma/control.h"

/* Parts of the word. */
#define RUN    (UINT64_C(1) << 63)
#define WANTED (UINT64_C(1) << 62) /* a run has found others; they leave at their next flush */
#define RANKS  (WANTED - 1)

bool pri_rma_has_runs(const struct pri_rma *rma)
{
    return rma->registers && rma->segment != NULL &&
           (rma->flavor == PRI_RMA_CREATE || rma->flavor == PRI_RMA_DYNAMIC);
}

static int pause_for(struct pri_rma_target *t, struct pri_word_wait *wait)
{
    pri_relax_word(t->rma->self, wait, pri_rma_tell_lock, t);
    return NI_UNLIKELY(pri_rma_lost(t->rma)) ? PRI_ERR_PEER : 0;
}

int pri_rma_updates_count(struct pri_rma_target *t)
{
    struct pri_word_wait wait = {0};
    uint64_t seen = 0;
    int error;

    while ((error = pri_rma_word_add(t, PRI_RMA_WORD(updaters), 1, &seen)) == 0 &&
           (seen & RUN) != 0) {
        (void)pri_rma_word_add(t, PRI_RMA_WORD(updaters), (uint64_t)0 - 1, NULL);
        while (error == 0 && (seen & RUN) != 0) {
            error = pause_for(t, &wait);
            (void)pri_rma_word_load(t, PRI_RMA_WORD(updaters), &seen);
        }
        if (error != 0) {
            return error;
        }
    }
    /* Another thread of this rank may have been faster. */
    if (atomic_exchange_explicit(&t->updates, PRI_RMA_COUNTED, memory_order_relaxed) ==
        PRI_RMA_COUNTED) {
        (void)pri_rma_word_add(t, PRI_RMA_WORD(updaters), (uint64_t)0 - 1, NULL);
    }
    return 0;
}

void pri_rma_updates_forget(struct pri_rma_target *t)
{
    if (atomic_exchange_explicit(&t->updates, PRI_RMA_NOT_COUNTED, memory_order_relaxed) ==
        PRI_RMA_COUNTED) {
        (void)pri_rma_word_add(t, PRI_RMA_WORD(updaters), (uint64_t)0 - 1, NULL);
    }
}

bool pri_rma_run_wanted(struct pri_rma_target *t)
{
    uint64_t seen = 0;

    (void)pri_rma_word_load(t, PRI_RMA_WORD(updaters), &seen);
    return (seen & WANTED) != 0;
}

/* What this rank has under way ends, and with it that it is counted. False: other threads of it may
 * rely on that. */
static bool step_back(struct pri_rma_target *t)
{
    unsigned spins = 0;

    if (atomic_load_explicit(&t->updates, memory_order_relaxed) != PRI_RMA_COUNTED) {
        return true;
    }
    if (t->rma->self->threads) {
        return false;
    }
    /* acquire, with the releases where operations end */
    while (atomic_load_explicit(&t->pending, memory_order_acquire) != 0) {
        pri_relax_for(t->rma->self, &spins, pri_rma_tell_pending, t);
    }
    pri_rma_updates_forget(t);
    return true;
}

int pri_rma_run_begin(struct pri_rma_target *t, bool *begun)
{
    struct pri_word_wait wait = {0};
    uint64_t expected = 0, seen;
    int error = 0;

    *begun = false;
    if (!step_back(t)) {
        return 0;
    }
    while (error == 0 && !*begun) {
        error = pri_rma_word_cswap(t, PRI_RMA_WORD(updaters), expected, RUN, &seen);
        *begun = error == 0 && seen == expected;
        if (*begun || error != 0) {
            break;
        }
        if ((seen & RUN) != 0) {
            error = pause_for(t, &wait);
        } else if ((seen & RANKS) != 0) {
            /* If the word changes meanwhile the next run says it. */
            return pri_rma_word_cswap(t, PRI_RMA_WORD(updaters), seen, seen | WANTED, &seen);
        }
        expected = seen & WANTED;
    }
    return error;
}

void pri_rma_run_end(struct pri_rma_target *t)
{
    (void)pri_rma_word_add(t, PRI_RMA_WORD(updaters), RUN, NULL); /* the bit's carry is lost */
}
