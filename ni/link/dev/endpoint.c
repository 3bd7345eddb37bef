/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "link/dev/dev.h"
#include "link/lane_inl.h"

/*
 * Towards one peer. What the card reaches for it is made with the first packet, so that a peer that
 * is never sent to costs a struct.
 */

enum {
    RING_PAYLOAD = (NI_DEV_RUN - 2) * NI_LINE, /* what leaves in one PUT */
    MAX_PART = 4,                              /* the longest bulk payload: this part of the area */
};

/* The caller that commits tells us: what the engine does for peers that sleep. */
static const _Atomic uint32_t always = 1;

/* ---- the struct ------------------------------------------------------------------------------ */

uint32_t ni_dev_index(const struct ni_dev_link *link, uint32_t place, uint32_t port)
{
    uint32_t x = place & 0x3ff, y = place >> 10 & 0x3ff, z = place >> 20;
    const uint32_t *size = link->size;

    if (x >= size[0] || y >= size[1] || z >= size[2] || port >= NI_DEV_PORTS) {
        return UINT32_MAX;
    }
    return ((z * size[1] + y) * size[0] + x) * NI_DEV_PORTS + port;
}

static struct ni_dev_peer **at(struct ni_dev_link *link, const struct ni_dev_blob *blob)
{
    return &link->at[ni_dev_index(link, blob->place, blob->port)];
}

static struct ni_dev_peer *peer_new(struct ni_dev_link *link, const struct ni_dev_blob *blob)
{
    struct ni_dev_peer *peer = ni_aligned_zero(NI_LINE, sizeof(*peer));

    if (peer == NULL) {
        return NULL;
    }
    peer->ep.ops = &ni_link_dev;
    peer->ep.link = &link->far.base;
    peer->ep.sleeping = &always;
    peer->ep.unpolled = &always;
    peer->ep.wishes = &peer->wishes;
    peer->ep.max_lines = NI_DEV_RUN;
    peer->ep.ring_payload = RING_PAYLOAD;
    peer->ep.max_bulk = link->blob.bulk / MAX_PART;
    peer->ep.segment = link->config->dev_segment_size;
    peer->link = link;
    peer->blob = *blob;
    ni_list_init(&peer->far.list);
    ni_list_init(&peer->moved);
    ni_list_push_back(&link->far.peers, &peer->far.list);
    link->peer_count++;
    peer->serial = ++link->connections;
    link->met[ni_dev_index(link, blob->place, blob->port)] = true;
    peer->next_at = *at(link, blob);
    *at(link, blob) = peer;
    return peer;
}

struct ni_dev_peer *ni_dev_peer_get(struct ni_dev_link *link, const struct ni_dev_blob *blob)
{
    for (NI_LIST_EACH(node, &link->far.peers)) {
        struct ni_dev_peer *peer = ni_container_of(node, struct ni_dev_peer, far.list);

        if (peer->blob.key == blob->key) {
            return peer;
        }
    }
    return peer_new(link, blob);
}

void ni_dev_peer_free(struct ni_dev_peer *peer)
{
    struct ni_dev_peer **where = at(peer->link, &peer->blob);

    while (*where != peer) {
        where = &(*where)->next_at;
    }
    *where = peer->next_at;
    ni_list_remove(&peer->far.list);
    ni_list_remove(&peer->moved);
    ni_dev_peer_unmap(peer);
    ni_free(peer);
}

/* ---- connect, disconnect --------------------------------------------------------------------- */

static ni_status hold_endpoint(struct ni_dev_peer *peer, struct ni_peer *core)
{
    ni_status status = ni_far_hold(&peer->far, &peer->ep, core);

    if (status == NI_OK && peer->link->config->dev_early) {
        (void)ni_dev_greet(peer);
    }
    return status;
}

ni_status ni_dev_connect(struct ni_link *base, const void *bytes, size_t len, struct ni_peer *core,
                         struct ni_ep **connected)
{
    struct ni_dev_link *link = ni_dev_link_of(base);
    struct ni_dev_blob blob;
    struct ni_dev_peer *peer;
    ni_status status;
    char reason[160] = "";

    pthread_mutex_lock(&link->far.lock);
    (void)ni_dev_card_there(link);
    status = ni_dev_blob_check(link, bytes, len, &blob, reason, sizeof(reason));
    if (status != NI_OK) {
        ni_log(NI_LOG_ERROR, "dev: a peer cannot be connected: %s", reason);
    } else {
        peer = ni_dev_peer_get(link, &blob);
        status = peer == NULL ? NI_ERR_NOMEM : hold_endpoint(peer, core);
    }
    if (status == NI_OK) {
        *connected = &peer->ep;
    }
    pthread_mutex_unlock(&link->far.lock);
    return status;
}

void ni_dev_disconnect(struct ni_ep *ep)
{
    struct ni_dev_peer *peer = ni_dev_peer_of(ep);

    ni_far_leave(&peer->link->far, &peer->far, ep);
}

void ni_dev_lose(struct ni_ep *ep, ni_status status)
{
    struct ni_dev_peer *peer = ni_dev_peer_of(ep);

    pthread_mutex_lock(&peer->link->far.lock);
    ni_dev_end(peer, status);
    pthread_mutex_unlock(&peer->link->far.lock);
}

/* ---- packets out ----------------------------------------------------------------------------- */

/* No packet is taken before each knows the other, as in ucx/endpoint.c. */
static ni_status get_lane(struct ni_dev_peer *peer)
{
    const struct ni_dev_blob *ours = &peer->link->blob;
    ni_status status;

    pthread_mutex_lock(&peer->link->far.lock);
    status = ni_dev_greet(peer);
    if (status == NI_OK && !peer->known) {
        status = NI_AGAIN;
    }
    if (status == NI_OK) {
        ni_lane_tx_init(&peer->ep.tx, &peer->out_page, ni_dev_out_ring(peer), ours->ring,
                        ni_dev_out_bulk(peer), ours->bulk, peer->payload_map);
    }
    pthread_mutex_unlock(&peer->link->far.lock);
    return status;
}

ni_status ni_dev_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet, bool *in_lane)
{
    struct ni_dev_peer *peer = ni_dev_peer_of(ep);
    struct ni_lane_tx *tx = &ep->tx;
    ni_status status = ni_far_ending(&peer->far);

    if (status == NI_OK && tx->lines == NULL) {
        status = get_lane(peer);
    } else if (status == NI_OK && tx->limit - tx->head > lines) {
        return NI_AGAIN; /* there is room, but the engine was told otherwise: a fault */
    }
    if (status != NI_OK) {
        return status;
    }
    (void)ni_lane_refresh(tx); /* credits were checked when they came */
    if (tx->limit - tx->head <= lines) {
        return NI_AGAIN;
    }
    *packet = ni_lane_at(tx);
    *in_lane = true;
    return NI_OK;
}

void ni_dev_wake(struct ni_ep *ep)
{
    struct ni_dev_peer *peer = ni_dev_peer_of(ep);

    pthread_mutex_lock(&peer->link->far.lock);
    ni_dev_moved(peer);
    if (peer->committed == peer->acked) {
        ni_dev_touch(peer);
    }
    peer->committed = ep->tx.head;
    ni_dev_wipe(peer);
    ni_dev_pump(peer);
    pthread_mutex_unlock(&peer->link->far.lock);
}

/* ---- for people ------------------------------------------------------------------------------ */

int ni_dev_describe(const struct ni_ep *ep, char *text, size_t size)
{
    const struct ni_dev_peer *peer = ni_container_of(ep, const struct ni_dev_peer, ep);
    uint32_t place = peer->blob.place;
    const char *state = peer->known     ? "connected"
                        : peer->greeted ? "has been greeted and has not answered yet"
                                        : "connected at first use";

    return snprintf(text, size, "dev: the card at %u %u %u, port %u; long: by GETs; %s",
                    place & 0x3ff, place >> 10 & 0x3ff, place >> 20, peer->blob.port, state);
}
