/* SPDX-License-Identifier: BSD-3-Clause */
#include "inproc_mock.h"

#include "base/bits.h"

struct content {
    uint32_t sender, number;
};

/* ---- the core's side of the contract ------------------------------------------------------- */

static struct ni_peer *get(struct mock *mock, const void *blob, size_t len)
{
    struct ni_peer *peer = mock->peers;

    while (peer != NULL && (peer->blob_len != len || memcmp(peer->blob, blob, len) != 0)) {
        peer = peer->next;
    }
    if (peer == NULL) {
        CHECK(len <= sizeof(peer->blob));
        peer = calloc(1, sizeof(*peer));
        CHECK(peer != NULL);
        peer->mock = mock;
        memcpy(peer->blob, blob, len);
        peer->blob_len = len;
        peer->next = mock->peers;
        mock->peers = peer;
    }
    return peer;
}

static struct ni_peer *on_accept(void *core, struct ni_link *link, const void *blob, size_t len)
{
    struct mock *mock = core;

    CHECK(link == mock->link);
    return mock->refuse ? NULL : get(mock, blob, len);
}

static ni_status on_lane_add(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    if (mock->fail_adds > 0) {
        mock->fail_adds--;
        return NI_ERR_NOMEM;
    }
    if (mock->lane_count == mock->lane_capacity) {
        mock->lane_capacity = mock->lane_capacity == 0 ? MOCK_LANES : 2 * mock->lane_capacity;
        mock->lanes = realloc(mock->lanes, mock->lane_capacity * sizeof(struct ni_lane_rx *));
        CHECK(mock->lanes != NULL);
    }
    mock->lanes[mock->lane_count++] = lane;
    return NI_OK;
}

static void on_lane_remove(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    for (unsigned i = 0; i < mock->lane_count; i++) {
        if (mock->lanes[i] == lane) {
            mock->lanes[i] = mock->lanes[--mock->lane_count];
            return;
        }
    }
    CHECK(!"a lane is removed that was never added");
}

static ni_status take(struct ni_peer *peer, uint64_t word1, const uint8_t *payload)
{
    struct mock *mock = peer->mock;
    struct content content;
    uint32_t len = ni_packet_len(word1);

    CHECK(len >= sizeof(content));
    memcpy(&content, payload, sizeof(content));
    CHECK(content.number == peer->received);
    for (uint32_t i = sizeof(content); i < len; i++) {
        CHECK(payload[i] == (uint8_t)(content.number + i));
    }
    peer->received++;
    if (mock->traced < MOCK_TRACE) {
        mock->trace[mock->traced++] = content.sender << 16 | content.number;
    }
    return NI_OK;
}

static ni_status on_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet,
                            size_t room)
{
    struct mock *mock = core;
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);

    CHECK(room >= NI_LINE);
    if (mock->deaf || (mock->again != 0 && ++mock->deliveries % mock->again == 0)) {
        return NI_AGAIN;
    }
    if (ni_packet_head(word0) < NI_PACKET_HEADER || ni_packet_in_bulk(word0) ||
        ni_packet_head(word0) + (uint64_t)ni_packet_len(packet->word1) > room) {
        return NI_ERR_PROTOCOL;
    }
    mock->delivered++;
    return take(peer, packet->word1, (const uint8_t *)packet + ni_packet_head(word0));
}

static void on_peer_down(void *core, struct ni_peer *peer, ni_status status)
{
    CHECK(peer->mock == core);
    CHECK(status < 0);
    peer->down = status;
    peer->downs++;
    if (peer->ep != NULL) { /* as the engine does: the sender asks the link */
        peer->ep->tx.limit = peer->ep->tx.head;
        peer->ep->tx.lines = NULL;
    }
}

static const struct ni_core_ops core_ops = {
    .accept = on_accept,
    .lane_add = on_lane_add,
    .lane_remove = on_lane_remove,
    .deliver = on_deliver,
    .peer_down = on_peer_down,
};

/* ---- what tests call ----------------------------------------------------------------------- */

ni_status mock_open(struct mock *mock, struct ni_fabric *fabric, uint32_t id)
{
    struct ni_open_attr open = {.fabric = fabric};
    struct ni_link_attr attr = {.core_ops = &core_ops,
                                .core = mock,
                                .open = &open,
                                .address = id + 1000,
                                .stats = &mock->stats};

    *mock = (struct mock){.id = id};
    return ni_link_inproc.open(&attr, &mock->link);
}

void mock_close(struct mock *mock)
{
    struct ni_peer *peer, *next;

    for (peer = mock->peers; peer != NULL; peer = peer->next) {
        if (peer->ep != NULL) {
            ni_link_inproc.disconnect(peer->ep);
        }
    }
    ni_link_inproc.close(mock->link);
    CHECK(mock->lane_count == 0);
    for (peer = mock->peers; peer != NULL; peer = next) {
        next = peer->next;
        free(peer);
    }
    free(mock->lanes);
}

struct ni_peer *mock_connect_blob(struct mock *mock, const void *blob, size_t len,
                                  ni_status *status)
{
    struct ni_peer *peer = get(mock, blob, len);

    *status = peer->down;
    if (peer->down == NI_OK && peer->ep == NULL) {
        *status = ni_link_inproc.connect(mock->link, blob, len, peer, &peer->ep);
    }
    return *status == NI_OK ? peer : NULL;
}

struct ni_peer *mock_connect(struct mock *mock, struct mock *to, ni_status *status)
{
    uint8_t blob[64];
    size_t len = ni_link_inproc.blob(to->link, blob, sizeof(blob));

    return mock_connect_blob(mock, blob, len, status);
}

struct ni_peer *mock_find(struct mock *mock, struct mock *other)
{
    uint8_t blob[64];
    size_t len = ni_link_inproc.blob(other->link, blob, sizeof(blob));
    struct ni_peer *peer = mock->peers;

    while (peer != NULL && memcmp(peer->blob, blob, len) != 0) {
        peer = peer->next;
    }
    return peer;
}

static void fill(struct ni_peer *peer, uint8_t *payload, uint32_t len)
{
    struct content content = {.sender = peer->mock->id, .number = peer->sent};

    memcpy(payload, &content, sizeof(content));
    for (uint32_t i = sizeof(content); i < len; i++) {
        payload[i] = (uint8_t)(content.number + i);
    }
}

/* The place of a packet: in the lane, or where the link says. */
static ni_status reserve(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet)
{
    bool in_lane = true;
    ni_status status;

    if (ni_lane_room(&ep->tx, lines)) {
        *packet = ni_lane_at(&ep->tx);
        return NI_OK;
    }
    status = ep->ops->reserve(ep, lines, packet, &in_lane);
    CHECK(status != NI_OK || (in_lane && *packet == ni_lane_at(&ep->tx)));
    return status;
}

ni_status mock_send(struct ni_peer *peer, uint32_t len)
{
    struct ni_ep *ep = peer->ep;
    uint32_t lines = ni_packet_lines(NI_PACKET_HEADER, len);
    bool in_bulk = lines > ep->max_lines;
    struct ni_packet *packet;
    uint8_t *payload;
    ni_status status = reserve(ep, in_bulk ? 1 : lines, &packet);
    uint64_t word0 = ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0);

    if (status != NI_OK) {
        return status;
    }
    payload = (uint8_t *)packet + NI_PACKET_HEADER;
    if (in_bulk) {
        payload = ni_lane_bulk_reserve(&ep->tx, len, 8);
        if (payload == NULL) {
            return NI_AGAIN;
        }
    }
    fill(peer, payload, len);
    packet->word1 = ni_packet_word1(len, 0);
    peer->sent++;
    if (in_bulk) {
        ni_lane_commit_bulk(&ep->tx, word0, 1, payload, len);
    } else {
        ni_lane_commit(&ep->tx, word0, lines);
    }
    if (atomic_load_explicit(ep->unpolled, memory_order_relaxed) != 0) {
        ep->ops->wake(ep);
    }
    return NI_OK;
}

static unsigned poll(struct mock *mock, struct ni_lane_rx *lane)
{
    const struct ni_packet *packet;
    const uint8_t *payload;
    uint64_t word0;
    unsigned events = 0;

    while ((packet = ni_lane_peek(lane, &word0)) != NULL) {
        uint32_t lines = ni_lane_check(lane, packet, word0, packet->word1, &payload);

        CHECK(lines != 0);
        CHECK(take(lane->peer, packet->word1, payload) == NI_OK);
        ni_lane_advance(lane, lines);
        mock->in_lanes++;
        events++;
    }
    ni_lane_publish(lane);
    return events;
}

unsigned mock_progress(struct mock *mock)
{
    unsigned events = ni_link_inproc.progress(mock->link);

    for (unsigned i = 0; i < mock->lane_count && !mock->deaf; i++) {
        events += poll(mock, mock->lanes[i]);
    }
    return events;
}
