/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/*
 * Towards one peer. Endpoint of UCX and lane are made with the first packet, so that a peer that is
 * never sent to costs a struct.
 */

enum {
    INDEX_BITS = 16,
    RING_PAYLOAD = 8192, /* several leave in one message */
    MAX_PART = 4,        /* the longest bulk payload: this part of the area, see struct ni_ucx_in */
};

/* The caller that commits tells us: what the engine does for peers that sleep. */
static const _Atomic uint32_t always = 1;

/* ---- names ----------------------------------------------------------------------------------- */

/* The first free one, or one more; NI_UCX_PEERS without memory. */
static uint32_t free_name(struct ni_ucx_link *link)
{
    uint32_t index = 0, capacity;
    struct ni_ucx_name *names;

    while (index < link->name_count && link->names[index].peer != NULL) {
        index++;
    }
    if (index < link->name_capacity || index == NI_UCX_PEERS) {
        return index;
    }
    capacity = index == 0 ? 8 : 2 * index;
    names = ni_realloc(link->names, capacity * sizeof(*names));
    if (names == NULL) {
        return NI_UCX_PEERS;
    }
    link->names = names;
    link->name_capacity = capacity;
    return index;
}

static bool name_peer(struct ni_ucx_link *link, struct ni_ucx_peer *peer)
{
    uint32_t index = free_name(link);

    if (index == NI_UCX_PEERS) {
        return false;
    }
    link->name_count += index == link->name_count;
    peer->token = ni_random_key() << INDEX_BITS | index;
    peer->token |= (uint64_t)1 << 63; /* never 0 */
    link->names[index] = (struct ni_ucx_name){.token = peer->token, .peer = peer};
    return true;
}

static const struct ni_ucx_name *find_ucx_name(const struct ni_ucx_link *link, uint64_t token)
{
    uint64_t index = token & (NI_UCX_PEERS - 1);

    return index < link->name_count && link->names[index].token == token ? &link->names[index]
                                                                         : NULL;
}

struct ni_ucx_peer *ni_ucx_peer_named(const struct ni_ucx_link *link, uint64_t token)
{
    const struct ni_ucx_name *name = find_ucx_name(link, token);

    return name != NULL ? name->peer : NULL;
}

bool ni_ucx_was_named(const struct ni_ucx_link *link, uint64_t token)
{
    const struct ni_ucx_name *name = find_ucx_name(link, token);

    return name != NULL && name->peer == NULL;
}

/* ---- the struct ------------------------------------------------------------------------------ */

static struct ni_ucx_peer *ucx_peer_new(struct ni_ucx_link *link, const struct ni_ucx_blob *blob,
                                        size_t len)
{
    struct ni_ucx_peer *peer = ni_aligned_zero(NI_LINE, sizeof(*peer));

    if (peer == NULL || !name_peer(link, peer)) {
        ni_free(peer);
        return NULL;
    }
    peer->ep.ops = &ni_link_ucx;
    peer->ep.link = &link->far.base;
    peer->ep.sleeping = &always;
    peer->ep.unpolled = &always;
    peer->ep.wishes = &peer->wishes;
    peer->ep.max_lines = ni_lane_max_lines(ni_ucx_ring_lines(link->config));
    peer->ep.ring_payload = RING_PAYLOAD;
    peer->ep.max_bulk = ni_ucx_bulk_size(link->config) / MAX_PART;
    peer->ep.segment = link->config->ucx_segment_size;
    peer->link = link;
    peer->blob = *blob;
    peer->blob_len = len;
    ni_list_init(&peer->far.list);
    ni_list_init(&peer->moved);
    ni_list_push_back(&link->far.peers, &peer->far.list);
    return peer;
}

struct ni_ucx_peer *ni_ucx_peer_get(struct ni_ucx_link *link, const struct ni_ucx_blob *blob,
                                    size_t len)
{
    for (NI_LIST_EACH(node, &link->far.peers)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, far.list);

        if (peer->blob.key == blob->key) {
            return peer;
        }
    }
    return ucx_peer_new(link, blob, len);
}

static void free_lanes(struct ni_ucx_peer *peer)
{
    if (peer->out != NULL) {
        ni_free(peer->out->ring);
        ni_free(peer->out->bulk);
        ni_free(peer->out->payload_map);
        ni_free(peer->out);
    }
    if (peer->in != NULL) {
        ni_free(peer->in->ring);
        ni_free(peer->in->bulk);
        ni_free(peer->in);
    }
}

void ni_ucx_peer_free(struct ni_ucx_peer *peer)
{
    ni_list_remove(&peer->far.list);
    peer->link->names[peer->token & (NI_UCX_PEERS - 1)].peer = NULL;
    free_lanes(peer);
    ni_free(peer);
}

/* ---- the endpoint of UCX --------------------------------------------------------------------- */

/* From within UCX, so with the lock. */
static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    struct ni_ucx_peer *peer = arg;

    (void)ep;
    ni_log(NI_LOG_DEBUG, "ucx: the connection to a peer has ended: %s",
           ni_ucx.ucs_status_string(status));
    /* Of one that never answered we do not know whether it ever was. */
    ni_ucx_end(peer, peer->their_token != 0 ? NI_ERR_PEER_DEAD : NI_ERR_UNREACHABLE);
}

ni_status ni_ucx_peer_open(struct ni_ucx_peer *peer)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)peer->blob.address,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = on_error, .arg = peer},
    };
    ucs_status_t status;

    if (peer->ucp != NULL) {
        return NI_OK;
    }
    if (!ni_ucx_may_connect(peer->link)) {
        ni_ucx_end(peer, NI_ERR_UNREACHABLE);
        return NI_ERR_UNREACHABLE;
    }
    status = ni_ucx.ucp_ep_create(peer->link->worker, &params, &peer->ucp);
    if (status != UCS_OK) {
        static struct ni_log_limit limit = NI_LOG_LIMIT(4);

        peer->ucp = NULL;
        ni_log_limited(&limit, NI_LOG_ERROR,
                       "a peer on another host cannot be reached: UCX says \"%s\"; see whether the "
                       "environment variables UCX_TLS and UCX_NET_DEVICES name the same network on "
                       "both hosts",
                       ni_ucx.ucs_status_string(status));
        ni_ucx_end(peer, NI_ERR_UNREACHABLE);
        return NI_ERR_UNREACHABLE;
    }
    return NI_OK;
}

/* ---- connect, disconnect --------------------------------------------------------------------- */

static ni_status ucx_endpoint_hold(struct ni_ucx_peer *peer, struct ni_peer *core)
{
    ni_status status = ni_far_hold(&peer->far, &peer->ep, core);

    if (status == NI_OK && peer->link->config->ucx_early) {
        (void)ni_ucx_greet(peer);
    }
    return status;
}

ni_status ni_ucx_connect(struct ni_link *base, const void *bytes, size_t len, struct ni_peer *core,
                         struct ni_ep **connected)
{
    struct ni_ucx_link *link = ni_ucx_link_of(base);
    struct ni_ucx_blob blob;
    struct ni_ucx_peer *peer;
    ni_status status = ni_ucx_blob_check(link, bytes, len, &blob, NULL, 0);

    if (status != NI_OK) {
        return status;
    }
    pthread_mutex_lock(&link->far.lock);
    peer = ni_ucx_peer_get(link, &blob, len);
    status = peer == NULL ? NI_ERR_NOMEM : ucx_endpoint_hold(peer, core);
    pthread_mutex_unlock(&link->far.lock);
    if (status == NI_OK) {
        *connected = &peer->ep;
    }
    return status;
}

void ni_ucx_disconnect(struct ni_ep *ep)
{
    struct ni_ucx_peer *peer = ni_ucx_peer_of(ep);

    ni_far_leave(&peer->link->far, &peer->far, ep);
}

void ni_ucx_lose(struct ni_ep *ep, ni_status status)
{
    struct ni_ucx_peer *peer = ni_ucx_peer_of(ep);

    pthread_mutex_lock(&peer->link->far.lock);
    ni_ucx_end(peer, status);
    pthread_mutex_unlock(&peer->link->far.lock);
}

/* ---- packets out ----------------------------------------------------------------------------- */

static struct ni_ucx_out *ucx_lane_new(uint32_t lines, uint32_t bulk)
{
    struct ni_ucx_out *out = ni_aligned_zero(NI_LINE, sizeof(*out));

    if (out == NULL) {
        return NULL;
    }
    out->ring = ni_aligned_zero(NI_LINE, (size_t)ni_lane_ring_lines(lines) * NI_LINE);
    out->bulk = ni_aligned(NI_LINE, bulk);
    out->payload_map = ni_calloc(lines, 1);
    if (out->ring == NULL || out->bulk == NULL || out->payload_map == NULL) {
        ni_free(out->ring);
        ni_free(out->bulk);
        ni_free(out->payload_map);
        ni_free(out);
        return NULL;
    }
    return out;
}

/* Whether both know each other, and the first that we said is on its way: it waits until there is a
 * connection. */
static bool is_connected(struct ni_ucx_peer *peer)
{
    ni_ucx_sent(peer);
    return peer->their_token != 0 && peer->slot_tail != 0;
}

/* No packet is taken before. A peer that is told that one is under way may wait for what follows
 * from it without calling us again, as who starts processes and waits for all of them does; and a
 * connection is not made without being polled. */
static ni_status ucx_lane_make(struct ni_ucx_peer *peer)
{
    const struct ni_config *config = peer->link->config;
    uint32_t lines = ni_ucx_ring_lines(config);
    uint32_t bulk = ni_ucx_bulk_size(config);
    ni_status status = ni_ucx_greet(peer);

    if (status != NI_OK || !is_connected(peer)) {
        return status != NI_OK ? status : NI_AGAIN;
    }
    peer->out = ucx_lane_new(lines, bulk);
    if (peer->out == NULL) {
        return NI_AGAIN;
    }
    ni_lane_tx_init(&peer->ep.tx, &peer->out->page, peer->out->ring, lines, peer->out->bulk, bulk,
                    peer->out->payload_map);
    return NI_OK;
}

static ni_status ucx_lane_get(struct ni_ucx_peer *peer)
{
    ni_status status;

    pthread_mutex_lock(&peer->link->far.lock);
    status = ucx_lane_make(peer);
    pthread_mutex_unlock(&peer->link->far.lock);
    return status;
}

ni_status ni_ucx_reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet, bool *in_lane)
{
    struct ni_ucx_peer *peer = ni_ucx_peer_of(ep);
    struct ni_lane_tx *tx = &ep->tx;
    int ending = ni_far_ending(&peer->far);
    ni_status status = (ni_status)ending;

    if (status == NI_OK && peer->out == NULL) {
        status = ucx_lane_get(peer);
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

void ni_ucx_wake(struct ni_ep *ep)
{
    struct ni_ucx_peer *peer = ni_ucx_peer_of(ep);
    uint32_t before;

    pthread_mutex_lock(&peer->link->far.lock);
    ni_ucx_moved(peer);
    before = peer->out->committed;
    peer->out->committed = ep->tx.head;
    if (!ni_ucx_gather(peer, before)) {
        ni_ucx_wipe(peer);
        ni_ucx_pump(peer);
        ni_ucx_left(peer);
    }
    pthread_mutex_unlock(&peer->link->far.lock);
}

/* ---- for people ------------------------------------------------------------------------------ */

int ni_ucx_describe(const struct ni_ep *ep, char *text, size_t size)
{
    const struct ni_ucx_peer *peer = ni_container_of(ep, const struct ni_ucx_peer, ep);
    const char *state = peer->their_token != 0 ? "connected"
                        : peer->ucp != NULL    ? "has been greeted and has not answered yet"
                                               : "connected at first use";

    return snprintf(text, size, "ucx: another host, active messages; long: by packets; %s", state);
}
