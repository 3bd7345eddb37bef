/* SPDX-License-Identifier: BSD-3-Clause */
/* Of a bulk area as much is allocated as is used: nothing by a lane whose packets are short, little
 * by a packet at a time, all by a full lane. A sender without memory for more goes on with what
 * there is, or later, and a sender that lies about it is refused. */

#include <sys/mman.h>

#include "base/clock.h"
#include "base/fault_inl.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum {
    BULK = 1 << 20,
    FIRST = 6, /* packets until there is a lane, and in it */
    LONG = 5000,
};

struct pair {
    struct mock from, to;
    struct ni_peer *peer;
    uint64_t sent;
};

static void take_all(struct pair *pair)
{
    while (pair->to.received < pair->sent) {
        mock_progress(&pair->to);
    }
    CHECK(pair->to.received == pair->sent);
}

static uint64_t held(const struct pair *pair)
{
    return ni_stat_get(&pair->to.stats.shm_bytes);
}

/* Send one, whether the receiver looks or not. */
static ni_status send(struct pair *pair, uint32_t len)
{
    ni_status status = mock_send(pair->peer, len);

    pair->sent += status == NI_OK;
    return status;
}

static void open_pair(struct pair *pair)
{
    uint8_t blob[MOCK_BLOB];

    *pair = (struct pair){0};
    mock_open(&pair->from, 1, NULL);
    mock_open(&pair->to, 2, NULL);
    pair->peer = mock_connect(&pair->from, blob, mock_blob(&pair->to, blob));
    for (unsigned i = 0; i < FIRST; i++) {
        CHECK(send(pair, 16) == NI_OK);
        take_all(pair);
    }
    CHECK(pair->peer->ep->tx.lines != NULL && pair->peer->ep->tx.bulk != NULL);
}

static void close_pair(struct pair *pair)
{
    mock_close(&pair->from);
    mock_close(&pair->to);
}

static void test_as_much_as_is_used(void)
{
    struct pair pair;
    uint64_t before;

    mock_param("shm_ring_size", "8K"); /* which does not grow */
    open_pair(&pair);
    before = held(&pair);
    for (unsigned i = 0; i < 3000; i++) {
        CHECK(send(&pair, 16 + i % 2000) == NI_OK);
        take_all(&pair);
    }
    CHECK(held(&pair) == before && pair.peer->ep->tx.bulk_size == 0);
    /* One at a time: they lie in the same lines. */
    for (unsigned i = 0; i < 300; i++) {
        CHECK(send(&pair, LONG) == NI_OK);
        take_all(&pair);
    }
    CHECK(held(&pair) > before && held(&pair) - before <= 16 << 10);
    /* As many as there is room for. */
    for (unsigned i = 0; i < 30; i++) {
        while (send(&pair, (i % 3 + 1) * 10 * LONG) == NI_OK) {
        }
        take_all(&pair);
    }
    CHECK(held(&pair) - before == BULK && pair.peer->ep->tx.bulk_size == BULK);
    close_pair(&pair);
    mock_param("shm_ring_size", "32K");
}

/* What there is goes on being used, and nothing is asked for again. */
static void test_no_more(void)
{
    struct pair pair;
    uint32_t size;

    open_pair(&pair);
    CHECK(send(&pair, LONG) == NI_OK);
    size = pair.peer->ep->tx.bulk_size;
    ni_fault_arm(NI_FAULT_ALLOC, 1, 0);
    while (send(&pair, LONG) == NI_OK) {
    }
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) == 1);
    ni_fault_reset();
    CHECK(pair.peer->ep->tx.bulk_size == size && pair.peer->ep->tx.bulk != NULL);
    CHECK(pair.peer->ep->max_bulk < size);
    take_all(&pair);
    for (unsigned i = 0; i < 1000; i++) {
        while (send(&pair, LONG) == NI_AGAIN) {
            take_all(&pair);
        }
    }
    take_all(&pair);
    CHECK(pair.peer->ep->tx.bulk_size == size && pair.to.peers->in_bulk > 500);
    close_pair(&pair);
}

/* All of its bulk area, without a word to anybody. */
static void takes_all(const struct pair *pair)
{
    struct ni_ep *ep = pair->peer->ep;
    const struct ni_shm_peer *peer = ni_shm_peer_of(ep);
    const struct ni_shm_segment *segment =
        atomic_load_explicit(&peer->segment, memory_order_relaxed);
    uint64_t at = ni_shm_area_at(&segment->geometry, peer->out_area->number) +
                  ni_shm_area_rings(&segment->geometry);

    ep->tx.bulk_size = BULK;
    CHECK(mmap(ep->tx.bulk, BULK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment->fd,
               (off_t)at) == ep->tx.bulk);
}

/* A sender that says nothing of what it uses: the receiver allocates before it reads, and what it
 * cannot have now it reads later. */
static void test_later(void)
{
    struct pair pair;

    open_pair(&pair);
    takes_all(&pair);
    CHECK(send(&pair, LONG) == NI_OK);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    for (unsigned i = 0; i < 100; i++) {
        mock_progress(&pair.to);
    }
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) >= 100 && pair.to.received == FIRST);
    ni_fault_reset();
    take_all(&pair);
    close_pair(&pair);
}

/* It does not wait for ever. */
static void test_never(void)
{
    struct pair pair;

    mock_param("memory_wait_ms", "20");
    open_pair(&pair);
    takes_all(&pair);
    CHECK(send(&pair, LONG) == NI_OK);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (pair.to.peers->downs == 0) {
        mock_progress(&pair.to);
    }
    ni_fault_reset();
    CHECK(pair.to.peers->down == NI_ERR_NOMEM && pair.to.received == FIRST);
    close_pair(&pair);
    mock_param("memory_wait_ms", "10000");
}

/* Beyond the area there is nothing to be had. */
static void test_outside(void)
{
    struct pair pair;
    struct ni_lane_tx *tx;

    open_pair(&pair);
    tx = &pair.peer->ep->tx;
    pair.to.any = true;
    tx->bulk_size = BULK;
    ni_lane_at(tx)->word1 = ni_packet_word1(LONG, 0);
    ni_lane_commit_bulk(tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0), 1,
                        tx->bulk + BULK - LONG + 1, LONG);
    mock_progress(&pair.to);
    CHECK(pair.to.malformed == 1 && pair.to.received == FIRST);
    close_pair(&pair);
}

/* A rail for whose announcement there is no slot yet is there: it is not counted once more. */
static void test_rail_is_counted_once(void)
{
    struct pair pair;
    struct ni_lane_tx rail = {0};
    struct ni_shm_link *to;
    struct ni_ep *ep;
    uint64_t before;

    mock_param("rails", "2");
    open_pair(&pair);
    ep = pair.peer->ep;
    to = (struct ni_shm_link *)(void *)pair.to.link;
    before = ni_shm_file_held(to->segment);
    to->header->lanes_size = before + to->segment->geometry.area_size - to->segment->geometry.blobs;
    ni_fault_arm(NI_FAULT_FULL, 1, 0);
    CHECK(ep->ops->rail(ep, 1, &rail) == NI_AGAIN);
    CHECK(ni_fault_struck(NI_FAULT_FULL) == 1);
    ni_fault_reset();
    CHECK(ni_shm_file_held(to->segment) == before + to->segment->geometry.area_size);
    CHECK(ep->ops->rail(ep, 1, &rail) == NI_OK && rail.lines != NULL);
    mock_progress(&pair.to);
    CHECK(pair.to.lane_count == 2);
    CHECK(ni_shm_file_held(to->segment) == before + to->segment->geometry.area_size);
    close_pair(&pair);
    mock_param("rails", "1");
}

int main(void)
{
    mock_param("shm_bulk_size", "1M");
    test_as_much_as_is_used();
    test_no_more();
    test_later();
    test_never();
    test_outside();
    test_rail_is_counted_once();
    return 0;
}
