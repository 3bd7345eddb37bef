/* SPDX-License-Identifier: BSD-3-Clause */
#include "qp/pair.h"

/* The front of the pipeline (soNUMA-NI 4.2: request generation, front end): the head of a work
 * queue. */

/* By what is known of the owner. One who says that he has read more than there is gets nothing: the
 * difference is large then. */
static bool has_completion_room(const struct ni_qpair *pair)
{
    uint32_t count = pair->attr.completion_count;

    return pair->out < count && pair->completed - pair->polled < count - pair->out;
}

/* Whether one more completion finds room behind those that are to come. */
static bool can_complete(struct ni_qpair *pair)
{
    if (has_completion_room(pair)) {
        return true;
    }
    pair->polled =
        ni_qp_load(&pair->attr.ends->polled); /* Q4: those entries may be written again */
    return has_completion_room(pair);
}

bool ni_qp_take(struct ni_qpair *pair)
{
    uint32_t count = pair->attr.request_count;
    const ni_word *word = pair->attr.requests[pair->taken & (count - 1)].word;
    uint64_t head = ni_qp_load(&word[0]); /* Q2 */
    struct ni_qp_flight *flight = pair->free;

    if (NI_LIKELY((head & 1) != ni_qp_toggle(pair->taken, count))) {
        return false;
    }
    if (!can_complete(pair)) {
        ni_stat_add(&pair->ni->stats.qp_held, !pair->held);
        pair->held = true;
        return false;
    }
    pair->held = false;
    pair->free = flight->next;
    pair->out++;
    *flight = (struct ni_qp_flight){.pair = pair, .issuing = true};
    flight->word[0] = head;
    for (unsigned i = 1; i < NI_QP_WORDS; i++) {
        flight->word[i] = ni_qp_load(&word[i]);
    }
    if ((ni_qp_load(&word[NI_QP_WORDS]) | ni_qp_load(&word[NI_QP_WORDS + 1])) != 0) {
        flight->word[0] &= ~(uint64_t)0xfe; /* no operation has bits there */
    }
    pair->taken++;
    pair->current = flight;
    ni_stat_add(&pair->ni->stats.qp_requests, 1);
    return true;
}
