/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "link/dev/dev.h"

/*
 * GETs: payloads of lines that have come, and looks at peers. A card bears a number of them, so few
 * are under way at once; the last ones are for looks. Cards answer in order: where they are slower
 * than what is asked of them nothing would come in time any more. So after a payload that did not
 * half as many are asked for at once, and with each that does one more.
 */

enum {
    LOOKS = 2,
    INDEX_BITS = 4,
};
_Static_assert(NI_DEV_GETS <= 1 << INDEX_BITS, "a number has an index");

#define LATE_NS                                                                       \
    UINT64_C(4000000000) /* more than a card waits for an answer, as the board has it \
                          */

/* ---- ask ------------------------------------------------------------------------------------- */

static bool ask(struct ni_dev_peer *peer, struct ni_dev_fetch *fetch, void *to, uint64_t from,
                uint32_t len)
{
    struct ni_dev_link *link = peer->link;
    uint32_t most = fetch != NULL ? link->payloads_most : NI_DEV_GETS, index = 0;
    struct ni_dev_get *get;

    if (link->gets_used >= most) {
        return false;
    }
    while (link->gets[index].used) {
        index++;
    }
    get = &link->gets[index];
    if (!ni_dev_get(peer, to, from, len, link->serial << INDEX_BITS | index)) {
        return false;
    }
    *get = (struct ni_dev_get){.peer = peer,
                               .fetch = fetch,
                               .number = link->serial << INDEX_BITS | index,
                               .since_ns = link->now_ns,
                               .used = true};
    link->serial++;
    link->gets_used++;
    peer->gets++;
    return true;
}

/* Once bye was said, our memory goes when a look has come back: it must not overtake what is to be
 * said before. */
static bool is_early(const struct ni_dev_peer *peer)
{
    return peer->said && (peer->dirty || peer->sent != peer->committed);
}

static void look(struct ni_dev_peer *peer)
{
    uint64_t from = peer->known ? peer->state : peer->blob.identity;

    if (is_early(peer)) {
        return;
    }
    if (ask(peer, NULL, &peer->in->asked, from, sizeof(peer->in->asked))) {
        peer->look = NI_DEV_LOOKING;
        peer->looked_ns = peer->link->now_ns;
    }
}

/* Payloads of whom nothing is read any more, or whose card may be out of reach, take no room from
 * those of others. */
static bool is_fetched(const struct ni_dev_peer *peer)
{
    ni_status ending = ni_far_ending(&peer->far);

    return !peer->far.down && !peer->doubted && (ending == NI_OK || ending == NI_ERR_PEER_CLOSED);
}

void ni_dev_fetch(struct ni_dev_peer *peer)
{
    if (!ni_dev_answers(peer)) {
        return;
    }
    if (peer->look == NI_DEV_LOOK_WANTED) {
        look(peer);
    }
    while (is_fetched(peer) && peer->fetch_next != peer->fetch_head) {
        struct ni_dev_fetch *fetch = &peer->fetches[peer->fetch_next % NI_LANE_BULK_RECORDS];

        if (!fetch->asked && !fetch->there) {
            if (!ask(peer, fetch, ni_dev_in_bulk(peer) + fetch->offset, peer->bulk + fetch->offset,
                     fetch->len)) {
                return;
            }
            fetch->asked = true;
        }
        peer->fetch_next++;
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Its memory is not there: the process has ended, or given it up. */
static void refused(struct ni_dev_peer *peer)
{
    peer->refused = true;
    ni_dev_end(peer, NI_ERR_PEER_DEAD);
}

static void adapt(struct ni_dev_link *link, bool came)
{
    if (!came) {
        link->payloads_most = (link->payloads_most + 1) / 2;
    } else if (link->payloads_most < NI_DEV_GETS - LOOKS) {
        link->payloads_most++;
    }
}

static void on_fetch(struct ni_dev_peer *peer, struct ni_dev_fetch *fetch, bool came)
{
    uint32_t index = (uint32_t)(fetch - peer->fetches);
    uint32_t number = peer->fetch_tail + (index - peer->fetch_tail) % NI_LANE_BULK_RECORDS;

    fetch->asked = false;
    fetch->there = came;
    ni_dev_moved(peer);
    adapt(peer->link, came);
    if (came) {
        peer->silent_ns = 0;
        ni_dev_fetched(peer);
        return;
    }
    ni_stat_add(&peer->link->stats->dev_repeats, 1);
    peer->doubted = true;
    if (peer->look == NI_DEV_NO_LOOK) {
        peer->look = NI_DEV_LOOK_WANTED;
    }
    if (ni_dev_before(number, peer->fetch_next)) {
        peer->fetch_next = number;
    }
}

static void on_look(struct ni_dev_peer *peer, bool came)
{
    struct ni_dev_state state;

    peer->look = NI_DEV_NO_LOOK;
    if (came) {
        memcpy(&state, &peer->in->asked, sizeof(state));
        ni_dev_looked(peer, &state);
    } else {
        ni_dev_looked(peer, NULL);
    }
}

void ni_dev_on_get(struct ni_dev_link *link, uint32_t number, unsigned code)
{
    uint32_t index = number & ((1U << INDEX_BITS) - 1);
    struct ni_dev_get *get = &link->gets[index % NI_DEV_GETS];
    struct ni_dev_peer *peer = get->peer;

    if (!get->used || get->number != number) {
        return;
    }
    get->used = false;
    link->gets_used--;
    peer->gets--;
    if (code == (unsigned)-NI_ERR_ACCESS) {
        refused(peer);
    } else if (code != 0 && code != (unsigned)-NI_ERR_TIMEOUT && code != (unsigned)-NI_ERR_LIMIT) {
        ni_dev_end(peer, NI_ERR_CARD); /* our own memory is not what it was */
        peer->refused = true;
    } else if (get->fetch != NULL) {
        on_fetch(peer, get->fetch, code == 0);
    } else if (code == (unsigned)-NI_ERR_LIMIT) {
        peer->look = NI_DEV_LOOK_WANTED;
        ni_dev_moved(peer);
    } else {
        on_look(peer, code == 0);
    }
}

void ni_dev_lost_gets(struct ni_dev_link *link)
{
    for (uint32_t i = 0; i < NI_DEV_GETS; i++) {
        const struct ni_dev_get *get = &link->gets[i];

        if (get->used && get->since_ns <= link->lost_ns && link->now_ns - get->since_ns > LATE_NS) {
            ni_dev_on_get(link, get->number, (unsigned)-NI_ERR_TIMEOUT);
        }
    }
}
