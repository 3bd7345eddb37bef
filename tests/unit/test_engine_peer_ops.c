/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/peer_ops.h, ni/engine/drive/peer_down.c. */
#include "engine_pair.h"

#include "engine/engine.h"

/* What each folder is told of a peer's end: once each, from the highest folder to the lowest when
 * it goes down and is freed, the other way round when its operations are completed. */

enum { CALLS_MAX = 64 };

static char calls[CALLS_MAX];

static void note(char call, unsigned folder)
{
    size_t len = strlen(calls);

    assert_true(len + 3 < CALLS_MAX);
    calls[len] = call;
    calls[len + 1] = (char)('0' + folder);
}

#define ROW(folder)                                                       \
    static void down_##folder(struct ni_peer *peer)                       \
    {                                                                     \
        assert_int_not_equal(ni_peer_state(peer), NI_OK);                 \
        note('d', folder);                                                \
    }                                                                     \
    static void complete_##folder(struct ni_peer *peer, ni_status status) \
    {                                                                     \
        (void)peer;                                                       \
        note(status == NI_ERR_CANCELED ? 'x' : 'c', folder);              \
    }                                                                     \
    static void settle_##folder(struct ni_peer *peer)                     \
    {                                                                     \
        (void)peer;                                                       \
        note('s', folder);                                                \
    }                                                                     \
    static void free_##folder(struct ni_peer *peer)                       \
    {                                                                     \
        assert_null(peer->ep);                                            \
        note('f', folder);                                                \
    }                                                                     \
    static const struct ni_peer_ops ops_##folder = {                      \
        .down = down_##folder,                                            \
        .complete = complete_##folder,                                    \
        .settle = settle_##folder,                                        \
        .free = free_##folder,                                            \
    };

ROW(3)
ROW(5)

static void each_folder_is_told(void **state)
{
    struct pair pair;
    const struct pair_attr attr = {.copy = NI_FABRIC_BY_PACKETS};

    (void)state;
    memset(calls, 0, sizeof(calls));
    pair_open(&pair, &attr);
    for (unsigned folder = 0; folder < NI_FOLDER_DRIVE; folder++) {
        assert_non_null(pair.a->core.peer_ops[folder]);
    }
    ni_peer_ops_register(pair.a, (enum ni_folder)3, &ops_3);
    ni_peer_ops_register(pair.a, (enum ni_folder)5, &ops_5);
    ni_disconnect(pair.a, pair.ab);
    assert_string_equal(calls, "x3x5");
    ni_close(pair.a);
    assert_string_equal(calls, "x3x5d5d3s3s5c3c5f5f3");
    ni_close(pair.b);
    ni_fabric_destroy(pair.fabric);
}

/* ---- what a program forgets ------------------------------------------------------------------ */

struct forgetting {
    struct ni *ni;
    unsigned told;
};

static void on_down_forget(void *arg, struct ni_peer *peer, ni_status status)
{
    struct forgetting *forgetting = arg;

    assert_int_not_equal(status, NI_OK);
    forgetting->told++;
    ni_forget(forgetting->ni, peer);
    (void)ni_progress(forgetting->ni);
    assert_int_equal(ni_peer_status(peer), status); /* not before this returns */
}

/* B, whom a hears and who hears a. */
static struct ni *meet(const struct ni_open_attr *open, struct ni *a, struct ni_peer **ab)
{
    struct ni_rkey to_a, to_b;
    struct ni_peer *ba;
    unsigned heard = 0;
    struct ni *b;

    assert_int_equal(ni_open(open, &b), NI_OK);
    *ab = pair_connect(a, b);
    ba = pair_connect(b, a);
    assert_int_equal(ni_region_consumer(a, pair_count, &heard, 0, &to_a), NI_OK);
    assert_int_equal(ni_region_consumer(b, pair_count, &heard, 0, &to_b), NI_OK);
    for (int i = 0; i < 200 || heard < 400; i++) {
        if (i < 200) {
            assert_int_equal(ni_message(a, *ab, to_b.handle, 0, NULL, 0, &i, sizeof(i)), NI_OK);
            assert_int_equal(ni_message(b, ba, to_a.handle, 0, NULL, 0, &i, sizeof(i)), NI_OK);
        }
        (void)ni_progress(a);
        (void)ni_progress(b);
    }
    assert_int_equal(ni_region_deregister(a, to_a.handle), NI_OK);
    return b;
}

static void wait_for_peers(struct ni *ni, uint64_t peers)
{
    for (int i = 0; i < 1000 && pair_stat(ni, "peers") != peers; i++) {
        (void)ni_wait(ni, 10000);
    }
    assert_int_equal(pair_stat(ni, "peers"), peers);
}

static void wait_until_down(struct ni *ni, struct ni_peer *peer)
{
    for (int i = 0; i < 1000 && ni_peer_status(peer) == NI_OK; i++) {
        (void)ni_wait(ni, 10000);
    }
    assert_int_equal(ni_peer_status(peer), NI_ERR_PEER_CLOSED);
}

/* Before it goes, when it has gone, and when a callback tells of it. */
static void forget_in_any_order(const struct ni_open_attr *open)
{
    struct forgetting forgetting;
    struct ni_peer *ab;
    struct ni *a, *b;

    assert_int_equal(ni_open(open, &a), NI_OK);
    forgetting = (struct forgetting){.ni = a};
    for (int i = 0; i < 9; i++) {
        ni_on_peer_down(a, i % 3 == 2 ? on_down_forget : NULL, &forgetting);
        b = meet(open, a, &ab);
        if (i % 3 == 0) {
            ni_forget(a, ab);
            assert_int_equal(ni_peer_status(ab), NI_OK);
        }
        ni_close(b);
        if (i % 3 == 1) {
            wait_until_down(a, ab);
            ni_forget(a, ab);
        }
        wait_for_peers(a, 0);
    }
    assert_int_equal(forgetting.told, 3);
    ni_close(a);
}

static void forgotten_is_freed(void **state)
{
    struct ni_fabric_attr attr = {0};
    struct ni_open_attr open = {0};

    (void)state;
    for (unsigned flags = 0; flags <= NI_THREADS; flags += NI_THREADS) {
        open = (struct ni_open_attr){.flags = flags};
        forget_in_any_order(&open);
        assert_int_equal(ni_fabric_create(&attr, &open.fabric), NI_OK);
        forget_in_any_order(&open);
        ni_fabric_destroy(open.fabric);
    }
}

/* Who is connected still, or again, or named by what outlives operations. */
static void others_stay(void **state)
{
    const struct ni_open_attr open = {0};
    struct ni_peer *connected, *again, *named, *disconnected;
    struct ni *a, *b[4];
    struct ni_rkey queue;

    (void)state;
    assert_int_equal(ni_open(&open, &a), NI_OK);
    b[0] = meet(&open, a, &connected);
    b[1] = meet(&open, a, &again);
    b[2] = meet(&open, a, &named);
    b[3] = meet(&open, a, &disconnected);
    assert_ptr_equal(pair_connect(a, b[0]), connected);
    ni_forget(a, connected);
    ni_forget(a, again);
    assert_ptr_equal(pair_connect(a, b[1]), again);
    assert_int_equal(ni_region_queue(b[2], 64, 8, &queue), NI_OK);
    assert_int_equal(ni_queue_name(a, 1, named, &queue, NI_ACCESS_WRITE, 0), NI_OK);
    ni_forget(a, named);
    ni_disconnect(a, disconnected);
    for (int i = 0; i < 4; i++) {
        ni_close(b[i]);
    }
    wait_until_down(a, connected);
    wait_until_down(a, again);
    wait_until_down(a, named);
    wait_until_down(a, disconnected);
    ni_forget(a, connected);
    wait_for_peers(a, 3);
    ni_forget(a, again);
    wait_for_peers(a, 2);
    assert_int_equal(ni_peer_status(named), NI_ERR_PEER_CLOSED);
    assert_int_equal(ni_peer_status(disconnected), NI_ERR_PEER_CLOSED);
    ni_close(a);
}

static void on_event(void *arg, const struct ni_event *event)
{
    (void)arg;
    (void)event;
}

static void open_portals(struct ni *ni)
{
    struct ni_eq *eq;
    uint32_t pt;

    assert_int_equal(ni_portals_open(ni, NULL, NULL), NI_OK);
    assert_int_equal(ni_eq_alloc_handler(ni, on_event, NULL, &eq), NI_OK);
    assert_int_equal(ni_pt_alloc(ni, NI_PT_UNEXPECTED, eq, 0, &pt), NI_OK);
}

/* It has sent what nobody has taken yet: waiting, and claimed. */
static void messages_keep_it(void **state)
{
    const struct ni_open_attr open = {0};
    const struct ni_me any = {.length = SIZE_MAX,
                              .ignore_bits = UINT64_MAX,
                              .match_id = NI_INITIATOR_ANY,
                              .options = NI_ME_OP_PUT};
    const struct ni_md md = {.start = calls, .length = sizeof(calls)};
    struct ni_peer *ab, *ac;
    struct ni *a, *b, *c;
    struct ni_event event;

    (void)state;
    assert_int_equal(ni_open(&open, &a), NI_OK);
    open_portals(a);
    b = meet(&open, a, &ab);
    open_portals(b);
    assert_int_equal(ni_put(b, &md, 0, 8, NI_NO_ACK_REQ, pair_connect(b, a), 0, 1, 0, NULL, 0),
                     NI_OK);
    ni_close(b);
    wait_until_down(a, ab);
    for (int i = 0; i < 2; i++) {
        ni_forget(a, ab);
        assert_int_equal(pair_stat(a, "peers"), 1);
        if (i == 0) {
            assert_int_equal(ni_me_probe(a, 0, &any, NI_SEARCH_DELETE, &event), NI_OK);
        }
    }
    assert_int_equal(ni_unexpected_drop(a, event.unexpected), NI_OK);
    c = meet(&open, a, &ac);
    ni_forget(a, ac);
    assert_int_equal(pair_stat(a, "peers"), 1);
    ni_close(c);
    wait_for_peers(a, 0);
    ni_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_folder_is_told), cmocka_unit_test(forgotten_is_freed),
        cmocka_unit_test(others_stay), cmocka_unit_test(messages_keep_it)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
