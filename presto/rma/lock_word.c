/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a target: one word that says who is in, `lock`, and a line for those who have looked
 * at it in vain too often, `queued` and `served`.
 *
 * A rank that finds the word free takes it, whether others wait or not: where ranks outnumber
 * processors, the next in a line is most likely not running, and a lock that only it may have
 * stands still until it is. Who has lost PATIENCE takes a place in the line and is counted in the
 * word; then only the first of the line may take it. So each is overtaken a limited number of times
 * by those who are in no line, and never by one behind.
 */
#include "rma/control.h"

enum {
    PATIENCE = 256,        /* looks in vain before a place in the line is taken */
    PATIENCE_CROWDED = 16, /* where each of them lets others run */
};

/* Parts of the word. */
#define WRITER  (UINT64_C(1) << 63)
#define IN_LINE (UINT64_C(1) << 32)
#define READER  UINT64_C(1)

#define READERS (IN_LINE - 1)
#define LINE    (WRITER - IN_LINE)

static bool is_open(uint64_t word, bool exclusive)
{
    return (word & WRITER) == 0 && (!exclusive || (word & READERS) == 0);
}

/* Have the word, which was `seen`, count us as well; *in: it does. gone: what leaves the line. */
static int take(struct pri_rma_target *t, uint64_t seen, bool exclusive, uint64_t gone, bool *in)
{
    uint64_t mine = exclusive ? WRITER : READER, old;
    int error = pri_rma_word_cswap(t, PRI_RMA_WORD(lock), seen, seen + mine - gone, &old);

    *in = error == 0 && old == seen;
    return error;
}

static int look_and_take(struct pri_rma_target *t, bool exclusive, bool first, bool *in)
{
    uint64_t seen;
    int error = pri_rma_word_load(t, PRI_RMA_WORD(lock), &seen);

    *in = false;
    if (error == 0 && is_open(seen, exclusive) && (first || (seen & LINE) == 0)) {
        error = take(t, seen, exclusive, first ? IN_LINE : 0, in);
    }
    return error;
}

/* After a look in vain. */
static int pause_for(struct pri_rma_target *t, struct pri_word_wait *wait)
{
    pri_relax_word(t->rma->self, wait, pri_rma_tell_lock, t);
    return NI_UNLIKELY(pri_rma_lost(t->rma)) ? PRI_ERR_PEER : 0;
}

static int stand_in_line(struct pri_rma_target *t, bool exclusive, struct pri_word_wait *wait)
{
    uint64_t place, served;
    bool in = false;
    int error = pri_rma_word_add(t, PRI_RMA_WORD(lock), IN_LINE, NULL);

    if (error == 0) {
        error = pri_rma_word_add(t, PRI_RMA_WORD(queued), 1, &place);
    }
    while (error == 0 && (error = pri_rma_word_load(t, PRI_RMA_WORD(served), &served)) == 0 &&
           served != place) {
        error = pause_for(t, wait);
    }
    while (error == 0 && (error = look_and_take(t, exclusive, true, &in)) == 0 && !in) {
        error = pause_for(t, wait);
    }
    return error != 0 ? error : pri_rma_word_add(t, PRI_RMA_WORD(served), 1, NULL);
}

int pri_rma_enter(struct pri_rma_target *t, bool exclusive)
{
    struct pri_word_wait wait = {.spins = pri_rma_spins(t)};
    unsigned patience = t->rma->self->crowded ? PATIENCE_CROWDED : PATIENCE;
    bool in;
    int error = take(t, 0, exclusive, 0, &in); /* most likely it is free */

    while (error == 0 && !in && patience-- != 0) {
        error = pause_for(t, &wait);
        if (error == 0) {
            error = look_and_take(t, exclusive, false, &in);
        }
    }
    return error != 0 || in ? error : stand_in_line(t, exclusive, &wait);
}

int pri_rma_leave(struct pri_rma_target *t, bool exclusive)
{
    return pri_rma_word_add(t, PRI_RMA_WORD(lock),
                            exclusive ? (uint64_t)0 - WRITER : (uint64_t)0 - READER, NULL);
}
