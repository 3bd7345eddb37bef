/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/op.c. */
#include "engine_pair.h"

#include "engine/engine.h"
#include "engine/send/fast.h"

/* Each operation completes once, whatever is given up, by whom, and when. */

enum { LONG = 200000, WRITES = 60 };

static uint8_t memory[LONG], local[LONG];

static void fill(uint8_t *bytes, uint8_t first)
{
    for (size_t i = 0; i < LONG; i++) {
        bytes[i] = (uint8_t)(first + i * 7 + i / 251);
    }
}

static struct ni_remote region(struct ni *ni, void *at, size_t len)
{
    struct ni_rkey rkey;

    assert_int_equal(ni_region_memory(ni, at, len, NI_ACCESS_ALL, &rkey), NI_OK);
    return pair_remote(at, &rkey);
}

/* ---- flush --------------------------------------------------------------------------------- */

/* A flush of all peers waits for the others when one of them goes. */
static void flush_outlives_a_peer(void **state)
{
    struct pair pair;
    struct pair_done read = {0}, flush = {0};
    struct ni_ack read_ack = pair_ack(&read), flush_ack = pair_ack(&flush);
    struct ni_open_attr open = {0};
    struct ni_remote remote;
    struct ni_peer *ac;
    struct ni *c;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    open.fabric = pair.fabric;
    assert_int_equal(ni_open(&open, &c), NI_OK);
    ac = pair_connect(pair.a, c);
    remote = region(c, memory, LONG);
    assert_int_equal(ni_read(pair.a, ac, local, LONG, &remote, &read_ack), NI_OK);
    assert_int_equal(ni_flush(pair.a, NULL, &flush_ack), NI_OK);
    ni_close(pair.b);
    for (int i = 0; i < 100; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(ni_peer_status(pair.ab), NI_ERR_PEER_CLOSED);
    assert_int_equal(flush.count, 0);
    for (int i = 0; i < 1000; i++) {
        (void)ni_progress(c);
        (void)ni_progress(pair.a);
    }
    assert_int_equal(read.count, 1);
    assert_int_equal(flush.count, 1);
    assert_int_equal(flush.status, NI_OK);
    ni_close(c);
    ni_close(pair.a);
    ni_fabric_destroy(pair.fabric);
}

/* It tells whether something has failed; each peer's concerns itself only. */
static void flush_tells_of_failures(void **state)
{
    struct pair pair;
    struct pair_done to_b = {0}, to_c = {0}, all = {0};
    struct ni_ack ack = pair_ack(&to_b);
    struct ni_open_attr open = {0};
    struct ni_remote good, bad;
    struct ni_peer *ac;
    struct ni *c;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    open.fabric = pair.fabric;
    assert_int_equal(ni_open(&open, &c), NI_OK);
    ac = pair_connect(pair.a, c);
    good = region(c, memory, LONG);
    bad = region(pair.b, memory, LONG);
    bad.key ^= 4;
    assert_int_equal(ni_write(pair.a, pair.ab, local, 10, &bad, NULL), NI_OK);
    assert_int_equal(ni_write(pair.a, ac, local, 10, &good, NULL), NI_OK);
    assert_int_equal(ni_flush(pair.a, pair.ab, &ack), NI_OK);
    ack = pair_ack(&to_c);
    assert_int_equal(ni_flush(pair.a, ac, &ack), NI_OK);
    ack = pair_ack(&all);
    assert_int_equal(ni_flush(pair.a, NULL, &ack), NI_OK);
    (void)ni_progress(pair.b);
    (void)ni_progress(pair.b);
    for (int i = 0; i < 10; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(to_b.count, 1);
    assert_int_equal(to_b.status, NI_ERR_KEY);
    assert_int_equal(to_c.count + all.count, 0);
    for (int i = 0; i < 10; i++) {
        (void)ni_progress(c);
        (void)ni_progress(pair.a);
    }
    assert_int_equal(to_c.count, 1);
    assert_int_equal(to_c.status, NI_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.status, NI_ERR_KEY);
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    ni_close(c);
    pair_close(&pair);
}

struct giver {
    struct ni *ni;
    struct ni_peer *peer;
    struct pair_done done;
};

static void give_up(void *arg, ni_status status, uint64_t value)
{
    struct giver *giver = arg;

    pair_on_done(&giver->done, status, value);
    ni_disconnect(giver->ni, giver->peer);
}

/* The peer is given up by the callback of the operation that a flush waited for last. */
static void give_up_before_the_flush(void **state)
{
    struct pair pair;
    struct giver giver = {0};
    struct pair_done first = {0}, second = {0};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = give_up, .arg = &giver};
    struct ni_remote remote;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    remote = region(pair.b, memory, LONG);
    giver.ni = pair.a;
    giver.peer = pair.ab;
    assert_int_equal(ni_read(pair.a, pair.ab, local, 10, &remote, &ack), NI_OK);
    ack = pair_ack(&first);
    assert_int_equal(ni_flush(pair.a, pair.ab, &ack), NI_OK);
    ack = pair_ack(&second);
    assert_int_equal(ni_flush(pair.a, NULL, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(giver.done.count, 1);
    assert_int_equal(first.count, 1);
    assert_int_equal(second.count, 1);
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    pair_close(&pair);
}

/* ---- ni_disconnect ------------------------------------------------------------------------- */

/* Who gives a peer up still answers what it asked before. */
static void given_up_but_answered(void **state)
{
    struct pair pair;
    struct pair_done writes = {0}, read = {0};
    struct ni_ack ack = pair_ack(&writes);
    struct ni_remote remote;

    (void)state;
    fill(memory, 3);
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .ring = 512, .bulk = 64});
    remote = region(pair.b, memory, LONG);
    for (int i = 0; i < WRITES; i++) {
        assert_int_equal(ni_write(pair.a, pair.ab, memory, 10, &remote, &ack), NI_OK);
    }
    ack = pair_ack(&read);
    assert_int_equal(ni_read(pair.a, pair.ab, local, LONG, &remote, &ack), NI_OK);
    /* The acks do not fit into the lane, the answer even less. */
    for (int i = 0; i < 200; i++) {
        (void)ni_progress(pair.b);
        (void)ni_send_progress(pair.a);
    }
    assert_int_equal(writes.count, 0);
    ni_disconnect(pair.b, pair.ba);
    for (int i = 0; i < 10000 && read.count == 0; i++) {
        pair_settle(&pair);
    }
    assert_int_equal(writes.count, WRITES);
    assert_int_equal(writes.status, NI_OK);
    assert_int_equal(read.count, 1);
    assert_int_equal(read.status, NI_OK);
    assert_memory_equal(memory, local, LONG);
    pair_close(&pair);
}

struct again {
    struct ni *ni;
    struct ni_peer *peer;
    struct ni_remote remote;
    unsigned count, accepted;
    ni_status status;
};

/* Tries once more whatever fails. */
static void try_again(void *arg, ni_status status, uint64_t value)
{
    struct again *again = arg;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = try_again, .arg = again};
    struct ni_peer *peer = NULL;
    struct ni_rkey rkey;
    uint8_t blob[NI_BLOB_MAX] = {0};

    (void)value;
    again->count++;
    again->status = status;
    if (status != NI_OK) {
        again->accepted +=
            ni_read(again->ni, again->peer, local, LONG, &again->remote, &ack) == NI_OK;
        (void)ni_message(again->ni, again->peer, 1, 0, NULL, 0, NULL, 0);
        (void)ni_progress(again->ni);
        (void)ni_connect(again->ni, blob, ni_address(again->ni, blob, sizeof(blob)), &peer);
        if (ni_region_memory(again->ni, memory, LONG, NI_ACCESS_READ, &rkey) == NI_OK) {
            assert_int_equal(ni_region_deregister(again->ni, rkey.handle), NI_OK);
        }
    }
}

static void giving_up_ends(void **state)
{
    struct pair pair;
    struct again again = {0};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = try_again, .arg = &again};

    (void)state;
    fill(memory, 9);
    memset(local, 0, LONG);
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    again = (struct again){.ni = pair.a, .peer = pair.ab, .remote = region(pair.b, memory, LONG)};
    assert_int_equal(ni_read(pair.a, pair.ab, local, LONG, &again.remote, &ack), NI_OK);
    ni_disconnect(pair.a, pair.ab);
    assert_int_equal(again.count, 1);
    assert_int_equal(again.status, NI_ERR_CANCELED);
    assert_int_equal(again.accepted, 1);
    for (int i = 0; i < 100 && again.count < 2; i++) {
        pair_settle(&pair);
    }
    assert_int_equal(again.count, 2);
    assert_int_equal(again.status, NI_OK);
    assert_memory_equal(memory, local, LONG);
    ni_disconnect(pair.a, pair.ab); /* once too often: nothing happens */
    pair_close(&pair);
}

/* Answers and acks that come after their operation was given up name nothing. */
static void late_answers(void **state)
{
    struct pair pair;
    struct pair_done done[4] = {{0}};
    struct ni_remote remote;
    struct ni_ack acks[4];

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    remote = region(pair.b, memory, LONG);
    for (int i = 0; i < 4; i++) {
        acks[i] = pair_ack(&done[i]);
    }
    assert_int_equal(ni_write(pair.a, pair.ab, local, LONG, &remote, &acks[0]), NI_OK);
    assert_int_equal(ni_read(pair.a, pair.ab, local, LONG, &remote, &acks[1]), NI_OK);
    assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &acks[2]),
                     NI_OK);
    assert_int_equal(ni_write(pair.a, pair.ab, local, 1, &remote, &acks[3]), NI_OK);
    (void)ni_progress(pair.b);
    ni_disconnect(pair.a, pair.ab);
    memset(local, 0x5a, LONG);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(done[i].count, 1);
        assert_int_equal(done[i].status, NI_ERR_CANCELED);
    }
    pair_settle(&pair);
    assert_int_equal(ni_peer_status(pair.ab), NI_OK);
    assert_int_equal(ni_peer_status(pair.ba), NI_OK);
    for (size_t i = 0; i < LONG; i++) {
        assert_int_equal(local[i], 0x5a);
    }
    assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
    /* And the peer can be used again. */
    assert_ptr_equal(pair_connect(pair.a, pair.b), pair.ab);
    assert_int_equal(ni_write(pair.a, pair.ab, local, 1, &remote, &acks[3]), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done[3].count, 2);
    assert_int_equal(done[3].status, NI_OK);
    pair_close(&pair);
}

/* ---- ni_close ------------------------------------------------------------------------------ */

static void closing_completes_all(void **state)
{
    (void)state;
    for (int copy = NI_FABRIC_BY_CALL; copy <= NI_FABRIC_BY_PACKETS; copy++) {
        for (unsigned flags = 0; flags <= NI_THREADS; flags++) {
            struct pair pair;
            struct again again[3] = {{0}};
            struct pair_done flush[2] = {{0}};
            struct ni_ack ack;

            pair_open(&pair,
                      &(struct pair_attr){.copy = (enum ni_fabric_copy)copy, .flags = flags});
            for (int i = 0; i < 3; i++) {
                again[i] = (struct again){
                    .ni = pair.a, .peer = pair.ab, .remote = region(pair.b, memory, LONG)};
                ack = (struct ni_ack){.kind = NI_ACK_CALL, .fn = try_again, .arg = &again[i]};
                assert_int_equal(
                    i == 0   ? ni_read(pair.a, pair.ab, local, LONG, &again[i].remote, &ack)
                    : i == 1 ? ni_write(pair.a, pair.ab, local, LONG, &again[i].remote, &ack)
                             : ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 4, 1, 0,
                                           &again[i].remote, &ack),
                    NI_OK);
            }
            ack = pair_ack(&flush[0]);
            assert_int_equal(ni_flush(pair.a, pair.ab, &ack), NI_OK);
            ack = pair_ack(&flush[1]);
            assert_int_equal(ni_flush(pair.a, NULL, &ack), NI_OK);
            ni_close(pair.a);
            for (int i = 0; i < 3; i++) {
                assert_int_equal(again[i].count, 1);
                /* What another one's callback has moved by polling is done. */
                assert_true(again[i].status == NI_ERR_CLOSED ||
                            (i != 0 && again[i].status == NI_OK));
                assert_int_equal(again[i].accepted, 0);
            }
            for (int i = 0; i < 2; i++) {
                assert_int_equal(flush[i].count, 1);
                assert_int_equal(flush[i].status, NI_ERR_CLOSED);
            }
            ni_close(pair.b);
            ni_fabric_destroy(pair.fabric);
        }
    }
}

/* ---- peers that break the protocol --------------------------------------------------------- */

/* A packet that means nothing: its sender must learn that nobody listens to it any more, also if
 * we have never sent anything to it; where memory is shared, and why. */
static void the_broken_peer_learns_it(struct ni *a, struct ni *b, struct ni_peer *ab,
                                      ni_status learned)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_rkey rkey;
    struct ni_remote remote;
    struct ni_lane_tx *tx;

    assert_int_equal(ni_region_memory(b, memory, LONG, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(memory, &rkey);
    for (int i = 0; i < 20; i++) { /* until there is a lane */
        assert_int_equal(ni_message(a, ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
        (void)ni_progress(b);
    }
    tx = &ab->ep->tx;
    ni_lane_at(tx)->word1 = 0;
    ni_lane_commit(tx, ni_packet_word0(0, 0, NI_PACKET_HEADER, 0), 1);
    assert_int_equal(ni_fetch_op(a, ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack), NI_OK);
    for (int i = 0; i < 2000 && done.count == 0; i++) {
        (void)ni_progress(b);
        (void)ni_progress(a);
    }
    assert_int_equal(pair_stat(b, "rx_malformed"), 1);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, learned);
    assert_int_equal(ni_peer_status(ab), learned);
}

static void broken_inproc(void **state)
{
    struct pair pair;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    the_broken_peer_learns_it(pair.a, pair.b, pair.ab, NI_ERR_PEER_CLOSED);
    assert_int_equal(ni_peer_status(pair.ba), NI_ERR_PROTOCOL);
    pair_close(&pair);
}

static void broken_shm(void **state)
{
    struct ni *a, *b;

    (void)state;
    assert_int_equal(ni_open(NULL, &a), NI_OK);
    assert_int_equal(ni_open(NULL, &b), NI_OK);
    the_broken_peer_learns_it(a, b, pair_connect(a, b), NI_ERR_PROTOCOL);
    ni_close(a);
    ni_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_outlives_a_peer),
        cmocka_unit_test(flush_tells_of_failures),
        cmocka_unit_test(give_up_before_the_flush),
        cmocka_unit_test(given_up_but_answered),
        cmocka_unit_test(giving_up_ends),
        cmocka_unit_test(late_answers),
        cmocka_unit_test(closing_completes_all),
        cmocka_unit_test(broken_inproc),
        cmocka_unit_test(broken_shm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
