/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/send.c ni/link/shm/receive.c ni/link/shm/receive_end.c ni/link/shm/connect.c.
 */
/* Before there is a lane: slots, their number, their order, and the change to the lane; and what
 * happens when slots or rings are full. */

#include <string.h>
#include <unistd.h>

#include <apeni/fault.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

struct pair {
    struct mock a, b;
    struct ni_peer *to_b; /* of a */
};

static void open_pair_with(struct pair *pair, const struct ni_open_attr *attr)
{
    uint8_t blob[MOCK_BLOB];

    mock_open(&pair->a, 1, attr);
    mock_open(&pair->b, 2, NULL);
    pair->to_b = mock_connect(&pair->a, blob, mock_blob(&pair->b, blob));
}

static void open_pair(struct pair *pair)
{
    open_pair_with(pair, NULL);
}

static void close_pair(struct pair *pair)
{
    mock_close(&pair->a);
    mock_close(&pair->b);
}

static struct ni_peer *from_a(const struct pair *pair)
{
    return pair->b.peers;
}

static void expect(struct pair *pair, uint64_t count)
{
    while (pair->b.received < count) {
        mock_progress(&pair->b);
    }
    for (int i = 0; i < 100; i++) {
        mock_progress(&pair->b);
    }
    CHECK(pair->b.received == count);
}

/* The first shm_ring_after packets use slots, the others the lane. */
static void test_change(const char *after, uint64_t in_slots)
{
    struct pair pair;

    mock_param("shm_ring_after", after);
    open_pair(&pair);
    for (int i = 0; i < 10; i++) {
        mock_send_all(pair.to_b, 16);
    }
    expect(&pair, 10);
    CHECK(from_a(&pair)->in_slots == in_slots);
    CHECK(from_a(&pair)->in_lane == 10 - in_slots);
    CHECK(pair.b.accepted == 1);
    close_pair(&pair);
    mock_param("shm_ring_after", "4");
}

/* An NI that asks for it gets the lane with the first packet, whatever the parameter says. */
static void test_early(void)
{
    const struct ni_open_attr attr = {.flags = NI_LANES_EARLY};
    struct pair pair;

    mock_param("shm_ring_after", "100");
    open_pair_with(&pair, &attr);
    for (int i = 0; i < 10; i++) {
        mock_send_all(pair.to_b, 16);
    }
    expect(&pair, 10);
    CHECK(from_a(&pair)->in_slots == 0);
    CHECK(from_a(&pair)->in_lane == 10);
    close_pair(&pair);
    mock_param("shm_ring_after", "4");
}

/* A packet that no slot holds makes the lane at once. */
static void test_long_first(void)
{
    struct pair pair;

    open_pair(&pair);
    mock_send_all(pair.to_b, 2033);
    mock_send_all(pair.to_b, 16);
    expect(&pair, 2);
    CHECK(from_a(&pair)->in_slots == 0);
    CHECK(from_a(&pair)->in_lane == 2);
    close_pair(&pair);

    open_pair(&pair);
    mock_send_all(pair.to_b, 2032);
    expect(&pair, 1);
    CHECK(from_a(&pair)->in_slots == 1);
    close_pair(&pair);
}

/* Nobody may fill all slots: the share is a quarter. What was refused goes later; order holds. */
static void test_full_slots(void)
{
    struct pair pair;
    unsigned sent = 0;

    mock_param("shm_queue_slots", "16");
    mock_param("shm_ring_after", "1000");
    open_pair(&pair);
    while (mock_send(pair.to_b, 100) == NI_OK) {
        sent++;
    }
    CHECK(sent == 4);
    expect(&pair, 4);
    for (int i = 0; i < 1000; i++) {
        while (mock_send(pair.to_b, 100) == NI_AGAIN) {
            mock_progress(&pair.b);
        }
    }
    expect(&pair, 1004);
    CHECK(from_a(&pair)->in_slots == 1000);
    close_pair(&pair);
    mock_param("shm_queue_slots", "64");
    mock_param("shm_ring_after", "4");
}

/* More slots in use than the doorbell has bits. */
static void test_many_slots(const char *slots, uint64_t in_use)
{
    enum { SENDERS = 12, EACH = 100 };
    struct mock b, a[SENDERS];
    struct ni_peer *to_b[SENDERS];
    uint8_t blob[MOCK_BLOB];
    uint64_t sent = 0;
    size_t len;

    mock_param("shm_queue_slots", slots);
    mock_param("shm_ring_after", "100000");
    mock_open(&b, 100, NULL);
    len = mock_blob(&b, blob);
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_open(&a[i], i, NULL);
        to_b[i] = mock_connect(&a[i], blob, len);
        while (mock_send(to_b[i], 16 + i) == NI_OK) {
            sent++;
        }
    }
    CHECK(sent == in_use);
    for (unsigned i = 0; i < SENDERS * EACH; i++) {
        while (to_b[i % SENDERS]->sent < EACH && mock_send(to_b[i % SENDERS], 500) == NI_AGAIN) {
            mock_progress(&b);
        }
    }
    while (b.received < SENDERS * EACH) {
        mock_progress(&b);
    }
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_close(&a[i]);
    }
    CHECK(ni_stat_get(&b.stats.queue_packets) == SENDERS * EACH);
    mock_close(&b);
    mock_param("shm_queue_slots", "64");
    mock_param("shm_ring_after", "4");
}

/* All slots taken by many senders: the next one waits, and nothing is lost. */
static void test_full_queue(void)
{
    enum { SENDERS = 6 };
    struct mock b, a[SENDERS];
    struct ni_peer *to_b[SENDERS];
    uint8_t blob[MOCK_BLOB];
    size_t len;
    unsigned sent = 0, refused = 0;

    mock_param("shm_queue_slots", "4");
    mock_open(&b, 100, NULL);
    len = mock_blob(&b, blob);
    for (unsigned i = 0; i < SENDERS; i++) {
        ni_status status;

        mock_open(&a[i], i, NULL);
        to_b[i] = mock_connect(&a[i], blob, len);
        status = mock_send(to_b[i], 16);
        CHECK(status == NI_OK || status == NI_AGAIN);
        sent += status == NI_OK;
        refused += status == NI_AGAIN;
    }
    CHECK(sent == 4 && refused == 2);
    for (unsigned n = 0; n < 100; n++) {
        for (unsigned i = 0; i < SENDERS; i++) {
            (void)mock_send(to_b[i], 16 + n);
        }
        mock_progress(&b);
    }
    for (unsigned i = 0; i < SENDERS; i++) {
        while (to_b[i]->sent < 110) {
            if (mock_send(to_b[i], 16) != NI_OK) {
                mock_progress(&b);
            }
        }
        mock_close(&a[i]);
    }
    while (b.received < SENDERS * 110) {
        mock_progress(&b);
    }
    mock_close(&b);
    mock_param("shm_queue_slots", "64");
}

/* A ring whose reader does not read fills up, then goes on. */
static void test_full_ring(const char *size)
{
    struct pair pair;
    uint64_t sent;

    mock_param("shm_ring_size", size);
    mock_param("shm_bulk_size", "64K");
    mock_param("shm_ring_after", "0");
    open_pair(&pair);
    for (int round = 0; round < 50; round++) {
        while (mock_send(pair.to_b, 16 + (uint32_t)(pair.to_b->sent * 97 % 9000) % 3000) == NI_OK) {
        }
        sent = pair.to_b->sent;
        CHECK(sent > pair.b.received);
        CHECK(mock_send(pair.to_b, 1900) == NI_AGAIN || pair.to_b->sent > sent);
        expect(&pair, pair.to_b->sent);
    }
    CHECK(from_a(&pair)->in_bulk > 0 && from_a(&pair)->in_bulk < from_a(&pair)->in_lane);
    close_pair(&pair);
    mock_param("shm_ring_size", "32K");
    mock_param("shm_bulk_size", "0");
    mock_param("shm_ring_after", "4");
}

/* A packet too long for any lane is refused for good, one of the greatest length passes. */
static void test_longest(void)
{
    struct pair pair;
    struct ni_packet *packet;
    uint32_t lines;
    bool in_lane;

    open_pair(&pair);
    lines = (uint32_t)pair.to_b->ep->max_lines;
    CHECK(lines == NI_SHM_RING_FIRST / NI_LINE / 2);
    CHECK(ni_link_shm.reserve(pair.to_b->ep, lines + 1, &packet, &in_lane) == NI_ERR_LIMIT);
    CHECK(ni_link_shm.reserve(pair.to_b->ep, lines, &packet, &in_lane) == NI_OK && in_lane);
    CHECK(pair.to_b->ep->tx.bulk != NULL);
    for (int i = 0; i < 20; i++) {
        pair.to_b->ep->tx.bulk = NULL; /* so that the mock uses the ring */
        while (mock_send(pair.to_b, lines * NI_LINE - NI_PACKET_HEADER) == NI_AGAIN) {
            mock_progress(&pair.b);
        }
    }
    expect(&pair, 20);
    CHECK(from_a(&pair)->in_bulk == 0);
    close_pair(&pair);
}

/* The core may put packets off, again and again. */
static void test_put_off(void)
{
    struct pair pair;

    mock_param("shm_ring_after", "200");
    open_pair(&pair);
    pair.b.again = 2;
    for (int i = 0; i < 300; i++) {
        while (mock_send(pair.to_b, 16 + (uint32_t)i) == NI_AGAIN) {
            mock_progress(&pair.b);
        }
    }
    expect(&pair, 300);
    CHECK(from_a(&pair)->in_slots == 200);
    close_pair(&pair);
    mock_param("shm_ring_after", "4");
}

/* Faults that pretend that everything is full only delay. */
static void test_fault_full(void)
{
    struct pair pair;

    ni_fault_arm_random(NI_FAULT_FULL, 300000, 7);
    open_pair(&pair);
    for (int i = 0; i < 5000; i++) {
        while (mock_send(pair.to_b, 16 + (uint32_t)i % 3000) == NI_AGAIN) {
            mock_progress(&pair.b);
        }
    }
    expect(&pair, 5000);
    CHECK(ni_fault_struck(NI_FAULT_FULL) > 1000);
    ni_fault_reset();
    close_pair(&pair);
}

/* A core that has no room for a lane gets it offered again. */
static void test_lane_refused(void)
{
    struct pair pair;

    open_pair(&pair);
    pair.b.lane_count = MOCK_LANES;
    pair.b.deaf = true;
    for (int i = 0; i < 10; i++) {
        mock_send_all(pair.to_b, 50);
    }
    for (int i = 0; i < 1000; i++) {
        mock_progress(&pair.b);
    }
    CHECK(pair.b.received == 4);
    pair.b.lane_count = 0;
    pair.b.deaf = false;
    expect(&pair, 10);
    close_pair(&pair);
}

/* A handler that polls gets the packets behind its own, each once. */
static void nested(struct mock *mock, struct ni_peer *peer)
{
    (void)peer;
    mock->handler = mock->received < 3 ? nested : NULL;
    mock_progress(mock);
}

static void test_nested(void)
{
    struct pair pair;

    mock_param("shm_ring_after", "8");
    open_pair(&pair);
    for (int i = 0; i < 20; i++) {
        mock_send_all(pair.to_b, 60);
    }
    pair.b.handler = nested;
    expect(&pair, 20);
    CHECK(from_a(&pair)->in_slots == 8);
    close_pair(&pair);
    mock_param("shm_ring_after", "4");
}

int main(void)
{
    ni_log_set_level(NI_LOG_ERROR);
    test_change("0", 0);
    test_change("1", 1);
    test_change("4", 4);
    test_change("100", 10);
    test_early();
    test_long_first();
    test_full_slots();
    test_many_slots("100", 100);
    test_many_slots("4096", 12 * 16);
    test_full_queue();
    test_full_ring("4K");
    test_full_ring("32K");
    test_longest();
    test_put_off();
    test_fault_full();
    test_lane_refused();
    test_nested();
    return 0;
}
