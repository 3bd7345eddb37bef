/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/describe.c. */
/* Covers: ni/engine/core/peer.c. */
#include "engine_pair.h"

#include <dirent.h>

#include "engine/engine.h"
#include "link/shm/layout.h"

/* What the engine keeps for a peer: its endpoint, probes, what was sent. */

enum { LEN = 3000, POLLS = 40000 };

static uint8_t there[LEN], here[LEN];

/* ---- endpoints of peers that are down -------------------------------------------------------- */

static unsigned descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

struct down {
    struct ni *ni;
    struct ni_remote remote;
    unsigned count, refused;
};

/* A program that is told may try to go on, and may poll. */
static void on_down(void *arg, struct ni_peer *peer, ni_status status)
{
    struct down *down = arg;

    down->count++;
    (void)ni_progress(down->ni);
    down->refused += ni_write(down->ni, peer, here, 8, &down->remote, NULL) == status;
    down->refused +=
        ni_fetch_op(down->ni, peer, NI_ATOMIC_ADD, 8, 1, 0, &down->remote, NULL) == status;
}

static void on_done_poll(void *arg, ni_status status, uint64_t value)
{
    struct down *down = arg;

    (void)value;
    down->refused += status == NI_ERR_PEER_CLOSED;
    (void)ni_progress(down->ni);
}

static void gives_back(bool shm, unsigned flags)
{
    struct ni_open_attr open = {.flags = flags};
    struct down down = {0};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done_poll, .arg = &down};
    struct ni_fabric_attr attr = {0};
    struct ni_fabric *fabric = NULL;
    struct ni_rkey rkey;
    struct ni_peer *ab;
    struct ni *a, *b;
    char text[200];
    unsigned before;

    if (!shm) {
        assert_int_equal(ni_fabric_create(&attr, &fabric), NI_OK);
        ni_fabric_set_copy(fabric, NI_FABRIC_BY_PACKETS);
        open.fabric = fabric;
    }
    assert_int_equal(ni_open(&open, &a), NI_OK);
    before = descriptors();
    assert_int_equal(ni_open(&open, &b), NI_OK);
    ab = pair_connect(a, b);
    assert_int_equal(ni_region_memory(b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
    down = (struct down){.ni = a, .remote = pair_remote(there, &rkey)};
    ni_on_peer_down(a, on_down, &down);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ni_fetch_op(a, ab, NI_ATOMIC_ADD, 8, 1, 0, &down.remote, &ack), NI_OK);
    }
    ni_close(b);
    for (int i = 0; i < 1000 && (down.count == 0 || ab->ep != NULL); i++) {
        (void)ni_wait(a, 10000);
    }
    assert_int_equal(down.count, 1);
    assert_int_equal(down.refused, 5);
    assert_null(ab->ep);
    assert_int_equal(ni_peer_status(ab), NI_ERR_PEER_CLOSED);
    assert_true(ni_peer_describe(ab, text, sizeof(text)) > 0);
    assert_int_equal(ni_message(a, ab, 1, 0, here, 8, NULL, 0), NI_ERR_PEER_CLOSED);
    assert_int_equal(ni_read(a, ab, here, LEN, &down.remote, NULL), NI_ERR_PEER_CLOSED);
    assert_int_equal(ni_flush(a, ab, NULL), NI_OK);
    assert_int_equal(descriptors(), before);
    ni_disconnect(a, ab);
    ni_close(a);
    if (!shm) {
        ni_fabric_destroy(fabric);
    }
}

static void a_down_peer_gives_back(void **state)
{
    (void)state;
    gives_back(false, 0);
    gives_back(false, NI_THREADS);
    gives_back(true, 0);
    gives_back(true, NI_THREADS);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* Have a poll for as long as a probe may take; the packets that it sends meanwhile. */
static uint32_t probes(struct pair *pair)
{
    uint32_t head = pair->ab->ep->tx.head;

    for (int i = 0; i < POLLS; i++) {
        (void)ni_progress(pair->a);
    }
    return pair->ab->ep->tx.head - head;
}

/* The echo of the first probe finds no room; later ones do. */
static void a_lost_echo(void **state)
{
    struct pair pair;
    struct ni_rkey rkey;
    unsigned got = 0;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .ring = 1024});
    assert_int_equal(ni_region_consumer(pair.a, pair_count, &got, 0, &rkey), NI_OK);
    assert_int_equal(ni_message(pair.b, pair.ba, rkey.handle, 0, here, 8, NULL, 0), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, here, 8, NULL, 0), NI_OK);
    pair_settle(&pair);
    assert_int_equal(probes(&pair), 1);
    while (ni_message(pair.b, pair.ba, rkey.handle, 0, here, 8, NULL, 0) == NI_OK) {
    }
    (void)ni_progress(pair.b);
    (void)ni_progress(pair.a);
    assert_true(got > 1);
    /* While it is not read there is one. */
    assert_int_equal(probes(&pair), 1);
    assert_int_equal(probes(&pair), 0);
    (void)ni_progress(pair.b);
    got = 0;
    assert_int_equal(ni_progress(pair.a), 1); /* the echo */
    assert_int_equal(got, 0);
    pair_close(&pair);
}

/* What b has not taken it is busy with before it comes to a probe. */
static void no_probe_behind_others(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, here, 8, NULL, 0), NI_OK);
    pair_settle(&pair);
    assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, here, 8, NULL, 0), NI_OK);
    assert_int_equal(probes(&pair), 0);
    (void)ni_progress(pair.b);
    assert_int_equal(probes(&pair), 1);
    pair_close(&pair);
}

/* An echo says nothing if the peer was sending when it was asked. (Nor does one that takes long, so
 * that a slow build sees less here than others.) */
static void an_echo_behind_others(void **state)
{
    struct pair pair;
    struct ni_rkey rkey;
    unsigned got = 0;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_consumer(pair.a, pair_count, &got, 0, &rkey), NI_OK);
    assert_int_equal(ni_message(pair.b, pair.ba, rkey.handle, 0, here, 8, NULL, 0), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, here, 8, NULL, 0), NI_OK);
    pair_settle(&pair);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(probes(&pair), 1);
        assert_int_equal(ni_message(pair.b, pair.ba, rkey.handle, 0, here, 8, NULL, 0), NI_OK);
        (void)ni_progress(pair.b);
        (void)ni_progress(pair.a);
    }
    assert_int_equal(got, 4);
    assert_int_equal(atomic_load(&pair.ab->send.line_ns), 0);
    pair_close(&pair);
}

/* ---- a lane without what was promised -------------------------------------------------------- */

static const struct ni_link_ops *real_ops;

static ni_status reserve_without_bulk(struct ni_ep *ep, uint32_t lines, struct ni_packet **packet,
                                      bool *in_lane)
{
    ni_status status = real_ops->reserve(ep, lines, packet, in_lane);

    ep->tx.bulk = NULL;
    ep->tx.bulk_size = 0;
    ep->max_bulk = 0;
    return status;
}

static void a_lane_without_bulk(void **state)
{
    struct pair pair;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_link_ops ops;
    struct ni_remote remote;
    struct ni_rkey rkey;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_memory(pair.b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(there, &rkey);
    memset(here, 0x5a, LEN);
    real_ops = pair.ab->ep->ops;
    ops = *real_ops;
    ops.reserve = reserve_without_bulk;
    pair.ab->ep->ops = &ops;
    assert_int_equal(ni_write(pair.a, pair.ab, here, LEN, &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(there, here, LEN);
    pair_close(&pair);
}

/* The longest message finds room in an empty lane, wherever its lines begin. */
static void the_longest_message(void **state)
{
    static uint8_t bytes[1 << 17];
    struct pair pair;
    struct ni_rkey rkey;
    unsigned got = 0;
    size_t max;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .bulk = 1 << 16});
    assert_int_equal(ni_region_consumer(pair.b, pair_count, &got, 0, &rkey), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, rkey.handle, 0, here, 8, NULL, 0), NI_OK);
    pair_settle(&pair);
    max = ni_message_max(pair.ab);
    assert_in_range(max, 1000, sizeof(bytes));
    for (unsigned head = 0; head <= 64; head++) {
        assert_int_equal(ni_message(pair.a, pair.ab, rkey.handle, 0, here, head, bytes, max - head),
                         NI_OK);
        assert_int_equal(
            ni_message(pair.a, pair.ab, rkey.handle, 0, here, head, bytes, max + 1 - head),
            NI_ERR_LIMIT);
        pair_settle(&pair);
        assert_int_equal(got, head + 2);
    }
    pair_close(&pair);
}

/* ---- what was sent --------------------------------------------------------------------------- */

/* In the end the sender has counted what the receiver has. */
static void sent_is_counted(void **state)
{
    struct pair pair;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey, queue;
    unsigned got = 0;

    (void)state;
    for (unsigned flags = 0; flags <= NI_THREADS; flags += NI_THREADS) {
        pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .flags = flags});
        assert_int_equal(ni_region_memory(pair.b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
        assert_int_equal(ni_region_consumer(pair.b, pair_count, &got, 0, &queue), NI_OK);
        remote = pair_remote(there, &rkey);
        for (size_t len = 0; len < LEN; len += 100) {
            assert_int_equal(ni_message(pair.a, pair.ab, queue.handle, 0, here, len, here, len / 2),
                             NI_OK);
            assert_int_equal(ni_write(pair.a, pair.ab, here, len, &remote, &ack), NI_OK);
            assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_OR, 8, 1, 0, &remote, &ack),
                             NI_OK);
            pair_settle(&pair);
        }
        for (int i = 0; i < 2 * POLLS; i++) {
            (void)ni_progress(pair.a);
            (void)ni_progress(pair.b);
        }
        assert_int_equal(done.count, 2 * LEN / 100);
        assert_true(pair_stat(pair.a, "tx_bytes") > (uint64_t)LEN * LEN / 100);
        assert_int_equal(pair_stat(pair.a, "tx_packets"), pair_stat(pair.b, "rx_packets"));
        assert_int_equal(pair_stat(pair.a, "tx_bytes"), pair_stat(pair.b, "rx_bytes"));
        assert_int_equal(pair_stat(pair.b, "tx_packets"), pair_stat(pair.a, "rx_packets"));
        assert_int_equal(pair_stat(pair.b, "tx_bytes"), pair_stat(pair.a, "rx_bytes"));
        done.count = 0;
        pair_close(&pair);
    }
}

/* ---- for people ------------------------------------------------------------------------------ */

/* Of the receiver, from the sender's first lane until it has left. */
static void memory_is_counted(void **state)
{
    uint64_t least, most = 0;
    struct ni_rkey queue;
    struct ni_peer *ab;
    struct ni *a, *b;
    unsigned got = 0;

    (void)state;
    assert_int_equal(ni_open(NULL, &a), NI_OK);
    assert_int_equal(ni_open(NULL, &b), NI_OK);
    ab = pair_connect(a, b);
    least = pair_stat(b, "shm_bytes");
    assert_true(least > 0);
    assert_int_equal(ni_region_consumer(b, pair_count, &got, 0, &queue), NI_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ni_message(a, ab, queue.handle, 0, here, 8, NULL, 0), NI_OK);
        (void)ni_progress(b);
    }
    assert_int_equal(pair_stat(b, "rings"), 1);
    most = pair_stat(b, "shm_bytes");
    assert_true(most >= least + NI_SHM_RING_FIRST);
    ni_close(a);
    for (int i = 0; i < 2000 && pair_stat(b, "shm_bytes") == most; i++) {
        (void)ni_wait(b, 10000);
    }
    assert_true(pair_stat(b, "shm_bytes") < least + NI_SHM_RING_FIRST);
    ni_close(b);
}

/* However short the messages are that go round it and fill it. */
static void full_ring_grows(void **state)
{
    struct ni_rkey queue;
    struct ni_peer *ab;
    struct ni *a, *b;
    unsigned got = 0, sent = 0;

    (void)state;
    assert_int_equal(ni_open(NULL, &a), NI_OK);
    assert_int_equal(ni_open(NULL, &b), NI_OK);
    ab = pair_connect(a, b);
    assert_int_equal(ni_region_consumer(b, pair_count, &got, 0, &queue), NI_OK);
    for (int round = 0; round < 20; round++) {
        while (ni_message(a, ab, queue.handle, 0, NULL, 0, here, 8) == NI_OK) {
            sent++;
        }
        while (got < sent) {
            (void)ni_progress(b);
        }
    }
    assert_int_equal(pair_stat(b, "rings_grown"), 1);
    assert_int_equal(got, sent);
    ni_close(a);
    ni_close(b);
}

static void expect_map(struct ni_peer *peer, const char *expected)
{
    struct ni_peer *peers[] = {NULL, peer};
    char text[200];

    assert_int_equal(ni_map_describe(peers, 2, text, sizeof(text)), strlen(expected));
    assert_string_equal(text, expected);
}

/* Also of a peer that is gone. */
static void the_map_tells_why(void **state)
{
    const char *expected = "shm 1 (the only link; long messages go by plain copies within the "
                           "process)";
    struct ni_peer *ab;
    struct ni *a, *b;

    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        pair_set("shm_copy", copy ? "copy" : "auto");
        assert_int_equal(ni_open(NULL, &a), NI_OK);
        assert_int_equal(ni_open(NULL, &b), NI_OK);
        ab = pair_connect(a, b);
        if (copy) {
            expected = "shm 1 (the only link; long messages go through shared memory, because "
                       "process_vm_readv is excluded by the parameter shm_copy)";
        }
        expect_map(ab, expected);
        ni_close(b);
        for (int i = 0; i < 1000 && ab->ep != NULL; i++) {
            (void)ni_wait(a, 10000);
        }
        assert_null(ab->ep);
        expect_map(ab, expected);
        ni_close(a);
    }
    pair_set("shm_copy", "auto");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_down_peer_gives_back), cmocka_unit_test(a_lost_echo),
        cmocka_unit_test(no_probe_behind_others), cmocka_unit_test(an_echo_behind_others),
        cmocka_unit_test(the_longest_message),    cmocka_unit_test(a_lane_without_bulk),
        cmocka_unit_test(sent_is_counted),        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(full_ring_grows),        cmocka_unit_test(the_map_tells_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
