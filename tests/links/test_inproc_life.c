/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/inproc/fabric.c ni/link/inproc/port.c ni/link/inproc/settle.c
 * ni/link/inproc/wait.c. */
#include <apeni/fault.h>
#include <apeni/log.h>

#include "inproc_mock.h"

/*
 * NIs on a fabric come, meet, go and die. Without the engine.
 */

enum { PATIENCE = 2000 };

static struct ni_fabric *new_fabric(void)
{
    struct ni_fabric *fabric;

    CHECK(ni_fabric_create(NULL, &fabric) == NI_OK);
    return fabric;
}

static void progress_both(struct mock *a, struct mock *b)
{
    for (int i = 0; i < 8; i++) {
        (void)mock_progress(a);
        (void)mock_progress(b);
    }
}

static ni_status reach(struct mock *mock, const void *blob, size_t len)
{
    char reason[128] = "";
    ni_status status = ni_link_inproc.reach(mock->link, blob, len, reason, sizeof(reason));

    CHECK((status == NI_OK) == (reason[0] == '\0'));
    return status;
}

static void addresses(void)
{
    struct ni_fabric *fabric = new_fabric(), *other = new_fabric();
    struct mock a, b, c;
    uint8_t blob[64];
    size_t len;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    CHECK(mock_open(&c, other, 2) == NI_OK);
    len = ni_link_inproc.blob(b.link, blob, sizeof(blob));
    CHECK(len > 0);
    CHECK(ni_link_inproc.blob(b.link, blob, len - 1) == 0);
    CHECK(reach(&a, blob, len) == NI_OK);
    CHECK(reach(&b, blob, len) == NI_OK);
    CHECK(reach(&c, blob, len) == NI_ERR_UNREACHABLE);
    CHECK(reach(&a, blob, len - 1) == NI_ERR_PROTOCOL);
    CHECK(reach(&a, blob, 0) == NI_ERR_PROTOCOL);
    for (size_t i = 0; i < len; i++) {
        blob[i] ^= 0x40;
        CHECK(reach(&a, blob, len) != NI_OK);
        blob[i] ^= 0x40;
    }
    mock_close(&b);
    CHECK(reach(&a, blob, len) == NI_ERR_UNREACHABLE);
    CHECK(mock_connect(&a, &a, &status) != NULL);
    mock_close(&a);
    mock_close(&c);
    ni_fabric_destroy(fabric);
    ni_fabric_destroy(other);
}

/* Packets are there as soon as they were committed, in lanes, in order. */
static void packets_are_visible_at_once(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *peer;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    peer = mock_connect(&a, &b, &status);
    CHECK(peer != NULL);
    CHECK(mock_progress(&b) == 0);
    for (uint32_t i = 0; i < 3000; i++) {
        static const uint32_t lens[] = {8, 48, 49, 300, 1900, 8000, 16000};

        CHECK(mock_send(peer, lens[i % 7]) == NI_OK);
        CHECK(mock_progress(&b) == 1U + (i == 0));
        CHECK(mock_progress(&b) == 0);
    }
    CHECK(b.in_lanes == 3000 && b.delivered == 0);
    CHECK(mock_find(&b, &a)->received == 3000);
    mock_close(&a);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

static void full_lane_holds_back(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *peer;
    ni_status status;
    uint32_t sent = 0;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    peer = mock_connect(&a, &b, &status);
    for (int round = 0; round < 10; round++) {
        while ((status = mock_send(peer, 40)) == NI_OK) {
            sent++;
        }
        CHECK(status == NI_AGAIN);
        (void)mock_progress(&b);
        CHECK(b.in_lanes == sent);
    }
    CHECK(sent == 10 * 63);
    CHECK(mock_send(peer, 40) == NI_OK); /* now the sender knows of its room */
    ni_fault_arm(NI_FAULT_FULL, 1, 0);
    CHECK(mock_send(peer, 40) == NI_AGAIN);
    CHECK(mock_send(peer, 40) == NI_OK);
    ni_fault_reset();
    mock_close(&a);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* What was sent before a close arrives; then the peer is down, said once. */
static void close_comes_after_packets(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_b, *to_a;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    to_b = mock_connect(&a, &b, &status);
    to_a = mock_connect(&b, &a, &status);
    for (int i = 0; i < 50; i++) {
        CHECK(mock_send(to_b, 8) == NI_OK);
    }
    mock_close(&a);
    CHECK(mock_send(to_a, 8) == NI_ERR_PEER_CLOSED);
    progress_both(&b, &b);
    CHECK(to_a->received == 50);
    CHECK(to_a->down == NI_ERR_PEER_CLOSED && to_a->downs == 1);
    CHECK(mock_send(to_a, 8) == NI_ERR_PEER_CLOSED);
    CHECK(b.lane_count == 0);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* A peer to which nothing was ever sent, and which sent, is reported too. */
static void sender_without_endpoint_goes(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *from_a;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    (void)mock_progress(&b);
    from_a = mock_find(&b, &a);
    CHECK(from_a != NULL && from_a->ep == NULL && from_a->received == 1);
    mock_close(&a);
    progress_both(&b, &b);
    CHECK(from_a->down == NI_ERR_PEER_CLOSED && from_a->downs == 1);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* Connected, nothing exchanged. */
static void silent_peer_goes(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_a;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    to_a = mock_connect(&b, &a, &status);
    mock_close(&a);
    progress_both(&b, &b);
    CHECK(to_a->down == NI_ERR_PEER_CLOSED && to_a->downs == 1);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* Closed before the receiver took the lane from its inbox. */
static void lane_of_the_gone_is_read(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    ni_status status;
    struct ni_peer *from_a;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    mock_close(&a);
    progress_both(&b, &b);
    from_a = b.peers;
    CHECK(from_a != NULL && from_a->received == 1 && from_a->down == NI_ERR_PEER_CLOSED);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

static void death(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_b, *to_a;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    to_b = mock_connect(&a, &b, &status);
    to_a = mock_connect(&b, &a, &status);
    CHECK(mock_send(to_b, 8) == NI_OK);
    CHECK(mock_send(to_a, 8) == NI_OK);
    progress_both(&a, &b);
    CHECK(mock_send(to_b, 8) == NI_OK);
    CHECK(ni_fabric_kill(fabric, 0));
    CHECK(!ni_fabric_kill(fabric, 0));
    CHECK(!ni_fabric_kill(fabric, 7));
    progress_both(&b, &b);
    CHECK(to_a->received == 2);
    CHECK(mock_send(to_a, 8) == NI_ERR_PEER_DEAD);
    CHECK(to_a->down == NI_ERR_PEER_DEAD && to_a->downs == 1);
    mock_close(&a);
    progress_both(&b, &b);
    CHECK(to_a->down == NI_ERR_PEER_DEAD && to_a->downs == 1);
    CHECK(mock_connect(&b, &b, &status) != NULL);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* A receiver that takes nothing must hear of the sender's end all the same. */
static void held_back_sender_goes(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_a;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    to_a = mock_connect(&b, &a, &status);
    b.deaf = true;
    mock_close(&a);
    for (int i = 0; i < PATIENCE && to_a->down == NI_OK; i++) {
        (void)mock_progress(&b);
    }
    CHECK(to_a->down == NI_ERR_PEER_CLOSED);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

static void refusal(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_b;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    b.refuse = true;
    to_b = mock_connect(&a, &b, &status);
    CHECK(mock_send(to_b, 8) == NI_OK);
    progress_both(&b, &a);
    CHECK(to_b->down == NI_ERR_UNREACHABLE && to_b->downs == 1);
    CHECK(mock_send(to_b, 8) == NI_ERR_UNREACHABLE);
    mock_close(&a);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

static void lane_add_fails_for_a_while(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    b.fail_adds = 3;
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    progress_both(&b, &b);
    CHECK(b.in_lanes == 1);
    mock_close(&a);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* Impossible credits: the sender reports the receiver. */
static void impossible_credits(void)
{
    struct ni_fabric *fabric = new_fabric();
    struct mock a, b;
    struct ni_peer *to_b;
    ni_status status;

    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    to_b = mock_connect(&a, &b, &status);
    CHECK(mock_send(to_b, 8) == NI_OK);
    atomic_store_explicit(&to_b->ep->tx.page->consumed, 77, memory_order_relaxed);
    while ((status = mock_send(to_b, 8)) == NI_OK) {
    }
    CHECK(status == NI_ERR_PROTOCOL);
    (void)mock_progress(&a);
    CHECK(to_b->down == NI_ERR_PROTOCOL && to_b->downs == 1);
    mock_close(&a);
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

/* Each allocation fails once: an error or a delay, never a crash or a leak. */
static void allocations_fail(void)
{
    for (uint64_t nth = 1; nth < 40; nth++) {
        struct ni_fabric *fabric = NULL;
        struct mock a, b;
        struct ni_peer *to_b;
        ni_status status;

        ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
        status = ni_fabric_create(NULL, &fabric);
        if (status != NI_OK) {
            CHECK(status == NI_ERR_NOMEM);
            CHECK(ni_fabric_create(NULL, &fabric) == NI_OK);
        }
        while ((status = mock_open(&a, fabric, 0)) != NI_OK) {
            CHECK(status == NI_ERR_NOMEM);
        }
        while ((status = mock_open(&b, fabric, 1)) != NI_OK) {
            CHECK(status == NI_ERR_NOMEM);
        }
        while ((to_b = mock_connect(&a, &b, &status)) == NULL) {
            CHECK(status == NI_ERR_NOMEM);
        }
        while ((status = mock_send(to_b, 8)) != NI_OK) {
            CHECK(status == NI_AGAIN);
        }
        progress_both(&b, &a);
        CHECK(b.in_lanes + b.delivered == 1);
        mock_close(&a);
        mock_close(&b);
        ni_fabric_destroy(fabric);
        ni_fault_reset();
    }
}

static unsigned messages;

static void count_message(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    CHECK(level == NI_LOG_ERROR && text[0] != '\0');
    messages++;
}

static void mistakes_are_reported(void)
{
    struct ni_fabric_attr attrs[] = {
        {.ring_size = 100}, {.ring_size = 2 << 20}, {.bulk_size = 63}, {.bulk_size = 1 << 30}};
    struct ni_fabric *fabric = NULL;
    struct mock a;

    ni_log_set_sink(count_message, NULL);
    for (size_t i = 0; i < 4; i++) {
        CHECK(ni_fabric_create(&attrs[i], &fabric) == NI_ERR_INVALID);
    }
    CHECK(messages == 4);
    CHECK(mock_open(&a, NULL, 0) == NI_ERR_INVALID);
    CHECK(messages == 5);
    fabric = new_fabric();
    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    ni_fabric_destroy(fabric); /* refused: still in use */
    CHECK(messages == 6);
    mock_close(&a);
    ni_fabric_destroy(fabric);
    ni_fabric_destroy(NULL);
    CHECK(messages == 6);
    ni_log_set_sink(NULL, NULL);
}

int main(void)
{
    addresses();
    packets_are_visible_at_once();
    full_lane_holds_back();
    close_comes_after_packets();
    sender_without_endpoint_goes();
    silent_peer_goes();
    lane_of_the_gone_is_read();
    death();
    held_back_sender_goes();
    refusal();
    lane_add_fails_for_a_while();
    impossible_credits();
    allocations_fail();
    mistakes_are_reported();
    return 0;
}
