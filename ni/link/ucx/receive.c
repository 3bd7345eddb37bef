/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/alloc.h"
#include "base/fault_inl.h"
#include "base/log.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/*
 * From active messages to the lane. Nothing in a message is believed: where its lines go is checked
 * against what the sender may fill, and the engine checks the packets as it does those of any lane.
 */

enum {
    CREDIT_PART = 4,   /* of the ring: what is consumed before we say so */
    BULK_PART = 8,     /* of the bulk area */
    BULK_PACKETS = 16, /* of the 64 that a lane may have under way */
};

/* ---- the lane -------------------------------------------------------------------------------- */

static struct ni_ucx_in *ucx_lane_in_new(struct ni_ucx_peer *peer)
{
    struct ni_ucx_in *in = ni_aligned_zero(NI_LINE, sizeof(*in));

    if (in == NULL) {
        return NULL;
    }
    in->ring = ni_aligned_zero(NI_LINE, (size_t)ni_lane_ring_lines(peer->ring) * NI_LINE);
    in->bulk = ni_aligned(NI_LINE, peer->bulk);
    if (in->ring == NULL || in->bulk == NULL) {
        ni_free(in->ring);
        ni_free(in->bulk);
        ni_free(in);
        return NULL;
    }
    ni_lane_rx_init(&in->rx, &in->page, in->ring, peer->ring, in->bulk, peer->bulk);
    in->rx.link_data = peer;
    return in;
}

static bool have_lane(struct ni_ucx_peer *peer)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);

    if (peer->in == NULL) {
        peer->in = ucx_lane_in_new(peer);
        ni_far_unsettle(&peer->link->far);
    }
    if (peer->in == NULL) {
        ni_log_limited(&limit, NI_LOG_ERROR, "ucx: no memory to receive from one more peer");
        ni_ucx_end(peer, NI_ERR_NOMEM);
    }
    return peer->in != NULL;
}

static struct ni_packet *ucx_line_at(const struct ni_ucx_in *in, uint32_t position)
{
    size_t line = position & in->rx.mask;

    return (struct ni_packet *)(void *)(in->ring + line * NI_LINE);
}

static void broken(struct ni_ucx_peer *peer)
{
    ni_stat_add(&peer->link->stats->rx_malformed, 1);
    ni_ucx_end(peer, NI_ERR_PROTOCOL);
}

/* Whether lines may be filled now. False also for those that were: they came twice. */
static bool ucx_lines_are_free(struct ni_ucx_peer *peer, uint32_t position, uint32_t lines)
{
    const struct ni_ucx_in *in = peer->in;
    uint32_t ring = in->rx.mask + 1, offset = position - in->cleared;

    if ((int32_t)offset < 0 && -offset <= ring) {
        return false;
    }
    if (lines == 0 || offset >= ring || lines > ring - offset ||
        (position & in->rx.mask) + (uint64_t)lines > ni_lane_ring_lines(ring)) {
        broken(peer);
        return false;
    }
    return atomic_load_explicit(&ucx_line_at(in, position)->word0, memory_order_relaxed) == 0;
}

static void reach(struct ni_ucx_peer *peer, uint32_t position)
{
    struct ni_ucx_in *in = peer->in;

    if ((int32_t)(position - in->high) > 0) {
        in->high = position;
    }
    ni_ucx_moved(peer);
}

static void fill_lines(struct ni_ucx_peer *peer, uint32_t position, uint32_t lines,
                       const void *data)
{
    memcpy(ucx_line_at(peer->in, position), data, (size_t)lines * NI_LINE);
    peer->link->arrived = true;
    reach(peer, position + lines);
}

static void ucx_on_lines(struct ni_ucx_peer *peer, const struct ni_ucx_head *head, const void *data,
                         size_t len, bool here)
{
    if (!here || len != (size_t)head->lines * NI_LINE) {
        broken(peer);
    } else if (have_lane(peer) && ucx_lines_are_free(peer, head->position, head->lines)) {
        fill_lines(peer, head->position, head->lines, data);
    }
}

void ni_ucx_lost(struct ni_ucx_peer *peer, const struct ni_ucx_head *head)
{
    if (have_lane(peer) && ucx_lines_are_free(peer, head->position, head->lines)) {
        reach(peer, head->position + head->lines);
    }
}

/* ---- bulk payloads --------------------------------------------------------------------------- */

/* From within UCX, so with the lock. */
static void on_fetched(void *request, ucs_status_t status, size_t len, void *arg)
{
    struct ni_ucx_fetch *fetch = arg;
    struct ni_ucx_peer *peer = fetch->peer;

    (void)len; /* more than we asked for never comes, less is a failure */
    peer->fetching &= ~(UINT64_C(1) << (fetch - peer->in->fetches));
    if (status == UCS_OK && !peer->far.down) { /* else nobody reads it any more */
        fill_lines(peer, fetch->position, 1, fetch->line);
    } else if (status != UCS_OK && status != UCS_ERR_CANCELED) {
        ni_ucx_end(peer, NI_ERR_PEER_DEAD);
    }
    if (request != NULL) {
        ni_ucx.ucp_request_free(request);
    }
}

/* The payload is with the sender still. There is room for as many as a lane may have under way;
 * only one that breaks the protocol has more. */
static ucs_status_t fetch_bulk(struct ni_ucx_peer *peer, const struct ni_ucx_bulk *bulk,
                               uint8_t *place, void *desc, size_t len)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.recv_am = on_fetched},
    };
    struct ni_ucx_fetch *fetch;
    ucs_status_ptr_t request;
    unsigned free;

    if (peer->fetching == UINT64_MAX) {
        broken(peer);
        return UCS_OK;
    }
    free = (unsigned)__builtin_ctzll(~peer->fetching);
    fetch = &peer->in->fetches[free];
    fetch->peer = peer;
    fetch->position = bulk->head.position;
    memcpy(fetch->line, bulk->line, sizeof(fetch->line));
    param.user_data = fetch;
    peer->fetching |= UINT64_C(1) << free;
    request = ni_ucx.ucp_am_recv_data_nbx(peer->link->worker, desc, place, len, &param);
    if (request == NULL || UCS_PTR_IS_ERR(request)) {
        on_fetched(NULL, request == NULL ? UCS_OK : UCS_PTR_STATUS(request), len, fetch);
    }
    return UCS_INPROGRESS;
}

static ucs_status_t on_bulk(struct ni_ucx_peer *peer, const struct ni_ucx_bulk *bulk, void *data,
                            size_t len, bool here)
{
    const struct ni_packet *packet = (const struct ni_packet *)(const void *)bulk->line;
    uint64_t word0 = bulk->line[0];
    struct ni_packet_bulk where;
    const uint8_t *payload;
    struct ni_ucx_in *in;

    if (!have_lane(peer) || !ucx_lines_are_free(peer, bulk->head.position, 1)) {
        return UCS_OK;
    }
    in = peer->in;
    memcpy(&where, (const uint8_t *)packet + NI_PACKET_BULK_AT, sizeof(where));
    if (!ni_packet_in_bulk(word0) || len != ni_packet_len(bulk->line[1]) ||
        ni_lane_check(&in->rx, packet, word0, bulk->line[1], &payload) != 1) {
        broken(peer);
        return UCS_OK;
    }
    in->bulk_bytes += (uint32_t)len;
    in->bulk_count++;
    if (!here) {
        return fetch_bulk(peer, bulk, in->bulk + where.offset, data, len);
    }
    if (len != 0) {
        memcpy(in->bulk + where.offset, data, len);
    }
    fill_lines(peer, bulk->head.position, 1, bulk->line);
    return UCS_OK;
}

/* ---- what the engine has consumed ------------------------------------------------------------ */

static bool is_ucx_credit_due(const struct ni_ucx_peer *peer)
{
    const struct ni_ucx_in *in = peer->in;
    uint32_t lines = in->cleared - peer->credited;

    return lines >= (in->rx.mask + 1) / CREDIT_PART ||
           (lines != 0 &&
            (in->bulk_bytes >= in->rx.bulk_size / BULK_PART || in->bulk_count >= BULK_PACKETS));
}

void ni_ucx_credited(struct ni_ucx_peer *peer, uint32_t consumed)
{
    struct ni_ucx_in *in = peer->in;

    peer->credited = consumed;
    if (in != NULL && in->cleared == in->high && peer->fetching == 0) {
        in->bulk_bytes = 0; /* what is being fetched was counted already */
        in->bulk_count = 0;
    }
}

void ni_ucx_wipe(struct ni_ucx_peer *peer)
{
    struct ni_ucx_in *in = peer->in;
    uint32_t to;

    if (in == NULL) {
        return;
    }
    to = atomic_load_explicit(&in->page.consumed, memory_order_acquire); /* L2 of lane.h */
    while (in->cleared != to) {
        atomic_store_explicit(&ucx_line_at(in, in->cleared)->word0, 0, memory_order_relaxed);
        in->cleared++;
    }
}

void ni_ucx_consumed(struct ni_ucx_peer *peer)
{
    ni_ucx_wipe(peer);
    if (peer->in != NULL && is_ucx_credit_due(peer) && peer->their_token != 0 && !peer->said &&
        ni_far_ending(&peer->far) == NI_OK) {
        (void)ni_ucx_tell(peer, NI_UCX_CREDIT, 0, 0, NULL, 0);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void ucx_on_bye(struct ni_ucx_peer *peer, const struct ni_ucx_head *head)
{
    peer->heard = true;
    ni_ucx_moved(peer);
    peer->bye_position = head->position;
    ni_ucx_end(peer, head->lines == NI_UCX_REFUSED  ? NI_ERR_UNREACHABLE
                     : head->lines == NI_UCX_BROKEN ? NI_ERR_PROTOCOL
                                                    : NI_ERR_PEER_CLOSED);
}

/* A message from a peer that we know, and listen to. */
static ucs_status_t on_known(struct ni_ucx_peer *peer, const struct ni_ucx_message *message)
{
    const struct ni_ucx_head *head = &message->bulk.head;

    if (!ni_ucx_credit(peer, head->consumed)) {
        broken(peer);
        return UCS_OK;
    }
    atomic_store_explicit(&peer->wishes, head->wishes, memory_order_relaxed);
    switch (head->type) {
    case NI_UCX_WELCOME:
        ni_ucx_on_welcome(peer, message->here ? message->data : NULL, message->len);
        return UCS_OK;
    case NI_UCX_LINES:
        ucx_on_lines(peer, head, message->data, message->len, message->here);
        return UCS_OK;
    case NI_UCX_BULK:
        if (message->header_len == sizeof(message->bulk)) {
            return on_bulk(peer, &message->bulk, message->data, message->len, message->here);
        }
        break;
    case NI_UCX_CREDIT:
        return UCS_OK;
    case NI_UCX_BYE:
        ucx_on_bye(peer, head);
        return UCS_OK;
    default:
        break;
    }
    broken(peer);
    return UCS_OK;
}

static bool has_packets(uint8_t type)
{
    return type == NI_UCX_LINES || type == NI_UCX_BULK;
}

/* A bye may overtake packets. */
static bool is_listened_to(const struct ni_ucx_peer *peer, uint8_t type)
{
    int ending = ni_far_ending(&peer->far);

    return !peer->far.down &&
           (ending == NI_OK || (ending == NI_ERR_PEER_CLOSED && has_packets(type)));
}

ucs_status_t ni_ucx_take(struct ni_ucx_peer *peer, const struct ni_ucx_message *message)
{
    uint8_t type = message->bulk.head.type;

    if (!is_listened_to(peer, type)) {
        peer->answered = peer->answered || type == NI_UCX_BYE;
        return UCS_OK;
    }
    return on_known(peer, message);
}

ucs_status_t ni_ucx_on_message(void *arg, const void *header, size_t header_len, void *data,
                               size_t len, const ucp_am_recv_param_t *param)
{
    struct ni_ucx_link *link = arg;
    struct ni_ucx_message message = {
        .header_len = header_len,
        .data = data,
        .len = len,
        .here = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0,
    };
    struct ni_ucx_head *head = &message.bulk.head;
    struct ni_ucx_peer *peer;

    if ((header_len != sizeof(message.bulk) && header_len != sizeof(*head)) || header == NULL) {
        ni_ucx_stranger(link, "it is none of ours");
        return UCS_OK;
    }
    memcpy(&message.bulk, header, header_len);
    if (head->magic != NI_UCX_MAGIC || head->version != NI_UCX_VERSION) {
        ni_ucx_stranger(link, "it is of another version, or none of ours");
        return UCS_OK;
    }
    if (head->type == NI_UCX_HELLO) {
        ni_ucx_on_hello(link, head, message.here ? data : NULL, len);
        return UCS_OK;
    }
    peer = ni_ucx_peer_named(link, head->token);
    if (peer == NULL) {
        if (!ni_ucx_was_named(link, head->token)) {
            ni_ucx_stranger(link, "it has no token of ours");
        }
        return UCS_OK;
    }
    peer->met = true;
    return ni_fault_armed() && has_packets(head->type) ? ni_ucx_strike(peer, &message)
                                                       : ni_ucx_take(peer, &message);
}
