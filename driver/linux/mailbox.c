/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Requests to the card. */
#include <linux/io.h>
#include <linux/string.h>

#include "apelink.h"

static bool answered(const struct apelink_card *card, u32 posted)
{
    /* Pairs with the card's release: the answer is there. */
    return smp_load_acquire(&card->bar->answered) == posted;
}

static int ask_locked(struct apelink_card *card, struct apelink_bar_request *request)
{
    struct apelink_bar *bar = card->bar;
    u32 posted = bar->posted + 1;

    if (apelink_card_gone(card)) {
        return -ENODEV;
    }
    memcpy(&bar->request, request, sizeof *request);
    /* Pairs with the card's acquire: the request is there. */
    smp_store_release(&bar->posted, posted);
    writel(0, card->ring);
    wait_event(card->answered, answered(card, posted) || apelink_card_gone(card));
    if (!answered(card, posted)) {
        return -ENODEV;
    }
    memcpy(request, &bar->request, sizeof *request);
    barrier(); /* what is judged is what was copied, whatever the card writes there now */
    return request->status <= 0 && request->status >= -MAX_ERRNO ? request->status : -EPROTO;
}

int apelink_ask(struct apelink_card *card, struct apelink_bar_request *request)
{
    int status;

    mutex_lock(&card->mailbox);
    status = ask_locked(card, request);
    mutex_unlock(&card->mailbox);
    return status;
}

void apelink_ask_no_more(struct apelink_card *card, const char *why)
{
    unsigned int port;

    mutex_lock(&card->mailbox); /* nobody opens one in between */
    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        struct apelink_bar_request request = {.operation = APELINK_BAR_CLOSE, .port = port};

        (void)ask_locked(card, &request); /* ENXIO: nobody has it */
    }
    apelink_card_lose(card, why);
    mutex_unlock(&card->mailbox);
}
