/* SPDX-License-Identifier: BSD-3-Clause */
/* A card as a whole. */
#include "dnp/card.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"

ni_status dnp_card_init(struct dnp_card *card, uint32_t fifo_size, uint64_t now)
{
    /* The receiving FIFOs, and two of the router. */
    size_t fifos = DNP_LINKS * DNP_VCS + 2;
    struct dnp_word *next;

    card->words = NULL;
    if (!ni_is_pow2(fifo_size) || fifo_size < DNP_FIFO_MIN || fifo_size > DNP_FIFO_MAX) {
        return NI_ERR_INVALID;
    }
    card->words = ni_calloc(fifos * fifo_size, sizeof *card->words);
    if (card->words == NULL) {
        return NI_ERR_NOMEM;
    }
    next = card->words;
    dnp_registers_reset(&card->registers);
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        dnp_link_init(&card->link[i], &card->registers, i, next, fifo_size, now);
        next += (size_t)DNP_VCS * fifo_size;
    }
    dnp_router_init(&card->router, &card->registers, card->link, next, next + fifo_size, fifo_size);
    return NI_OK;
}

void dnp_card_fini(struct dnp_card *card)
{
    free(card->words);
    card->words = NULL;
}

bool dnp_card_step(struct dnp_card *card, uint64_t now)
{
    return dnp_router_step(&card->router, now);
}
