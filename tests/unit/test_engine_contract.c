/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/drive/progress.c. */
#include "engine_pair.h"

#include <pthread.h>
#include <unistd.h>

/* What the public headers promise, in the cases that programs seldom reach. */

static const enum ni_fabric_copy ways[] = {NI_FABRIC_SAME_MEMORY, NI_FABRIC_BY_CALL,
                                           NI_FABRIC_BY_PACKETS};

static void no_ack_is_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pair pair;
        struct ni_rkey rkey, counter, queue;
        _Alignas(8) static uint8_t memory[65536], local[65536];
        struct ni_remote remote;
        int64_t value = 0;

        pair_open(&pair, &(struct pair_attr){.copy = ways[i]});
        assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey),
                         NI_OK);
        assert_int_equal(ni_counter_create(pair.b, 0, &counter), NI_OK);
        assert_int_equal(ni_region_queue(pair.b, 8, 8, &queue), NI_OK);
        remote = pair_remote(memory, &rkey);
        memset(memory, 0, sizeof(memory));
        memset(local, 7, sizeof(local));
        assert_int_equal(ni_write(pair.a, pair.ab, local, 8, &remote, NULL), NI_OK);
        assert_int_equal(ni_write(pair.a, pair.ab, local, sizeof(local), &remote, NULL), NI_OK);
        pair_settle(&pair);
        assert_memory_equal(memory, local, sizeof(local));
        assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, NULL), NI_OK);
        assert_int_equal(ni_fetch_op(pair.a, pair.ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, NULL),
                         NI_OK);
        assert_int_equal(ni_enqueue(pair.a, pair.ab, &queue, local, 8, NULL), NI_OK);
        assert_int_equal(ni_counter_add_remote(pair.a, pair.ab, &counter, 5, NULL), NI_OK);
        assert_int_equal(ni_flush(pair.a, pair.ab, NULL), NI_OK);
        assert_int_equal(ni_flush(pair.a, NULL, NULL), NI_OK);
        pair_settle(&pair);
        assert_int_equal(ni_counter_read(pair.b, counter.handle, &value), NI_OK);
        assert_int_equal(value, 5);
        assert_int_equal(ni_counter_notify(pair.b, counter.handle, NULL), NI_ERR_INVALID);
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
}

static void flush_without_peers(void **state)
{
    struct ni_open_attr attr = {0};
    struct ni_fabric *fabric;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni *ni;

    (void)state;
    assert_int_equal(ni_fabric_create(NULL, &fabric), NI_OK);
    attr.fabric = fabric;
    assert_int_equal(ni_open(&attr, &ni), NI_OK);
    assert_int_equal(ni_flush(ni, NULL, NULL), NI_OK);
    assert_int_equal(ni_flush(ni, NULL, &ack), NI_OK);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    ni_close(ni);
    ni_fabric_destroy(fabric);
}

static void words_tell_every_status(void **state)
{
    (void)state;
    for (int status = NI_AGAIN; status >= NI_ERR_CLOSED; status--) {
        if (status != NI_OK) {
            assert_int_equal(ni_ack_status(ni_ack_failure((ni_status)status)), status);
        }
    }
    assert_int_equal(ni_ack_status(0), NI_OK);
    assert_int_equal(ni_ack_status(UINT64_C(1) << 62), NI_OK);
}

/* A full queue tells a word so. */
static void full_queue_tells_a_word(void **state)
{
    struct pair pair;
    struct ni_rkey queue;
    uint64_t item = 1;
    ni_word words[3] = {0, 0, 0};

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    assert_int_equal(ni_region_queue(pair.b, 8, 2, &queue), NI_OK);
    for (int i = 0; i < 3; i++) {
        struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &words[i]};

        assert_int_equal(ni_enqueue(pair.a, pair.ab, &queue, &item, sizeof(item), &ack), NI_OK);
    }
    pair_settle(&pair);
    assert_int_equal(ni_ack_status(words[0]), NI_OK);
    assert_int_equal(ni_ack_status(words[1]), NI_OK);
    assert_int_equal(ni_ack_status(words[2]), NI_AGAIN);
    pair_close(&pair);
}

/* A message that cannot be an item is refused; its sender stays. */
static void wrong_items_are_refused(void **state)
{
    struct pair pair;
    struct ni_rkey fixed, variable;
    uint8_t bytes[300] = {0};
    size_t len;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    assert_int_equal(ni_region_queue(pair.b, 8, 2, &fixed), NI_OK);
    assert_int_equal(ni_region_queue(pair.b, 0, 2, &variable), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, fixed.handle, 0, NULL, 0, bytes, 7), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, variable.handle, 0, NULL, 0, bytes, 300), NI_OK);
    assert_int_equal(ni_message(pair.a, pair.ab, fixed.handle, 0, NULL, 0, bytes, 8), NI_OK);
    pair_settle(&pair);
    assert_int_equal(ni_peer_status(pair.ab), NI_OK);
    assert_int_equal(ni_peer_status(pair.ba), NI_OK);
    assert_int_equal(pair_stat(pair.b, "rx_refused"), 2);
    assert_int_equal(ni_queue_pop(pair.b, fixed.handle, bytes, sizeof(bytes), &len), NI_OK);
    assert_int_equal(len, 8);
    assert_int_equal(ni_queue_pop(pair.b, fixed.handle, bytes, sizeof(bytes), &len), NI_AGAIN);
    pair_close(&pair);
}

/* What ni_message_max says can be sent, with any head, whatever is larger, the ring or the bulk
 * area. */
static void longest_message(void **state)
{
    static const size_t rings[] = {512, 4096, 65536}, bulks[] = {64, 128, 16384, 1 << 17};
    static uint8_t bytes[1 << 18];

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        struct pair_attr attr = {.ring = rings[i % 3], .bulk = bulks[i / 3]};
        struct pair pair;
        struct ni_rkey rkey;
        unsigned got = 0, sent = 0;

        pair_open(&pair, &attr);
        assert_int_equal(ni_region_consumer(pair.b, pair_count, &got, 0, &rkey), NI_OK);
        for (size_t less = 0; less < 200; less++) {
            size_t max = ni_message_max(pair.ab), head = less * 7 % 130;

            if (max < less + head) {
                break;
            }
            assert_int_equal(
                ni_message(pair.a, pair.ab, rkey.handle, 0, bytes, head, bytes, max - less - head),
                NI_OK);
            (void)ni_progress(pair.b);
            (void)ni_progress(pair.a);
            assert_int_equal(got, ++sent);
        }
        assert_true(sent > 50);
        assert_int_equal(ni_message(pair.a, pair.ab, rkey.handle, 0, NULL, 0, bytes,
                                    ni_message_max(pair.ab) + 1),
                         NI_ERR_LIMIT);
        pair_close(&pair);
    }
}

/* Over shared memory the bulk area is as long as the longest message: with a head that is not a
 * multiple of a line it must fit as well. */
static void longest_message_shm(void **state)
{
    struct ni *a, *b;
    struct ni_peer *ab;
    struct ni_rkey rkey;
    unsigned got = 0;
    size_t max;
    uint8_t *bytes;

    (void)state;
    assert_int_equal(ni_open(NULL, &a), NI_OK);
    assert_int_equal(ni_open(NULL, &b), NI_OK);
    ab = pair_connect(a, b);
    assert_int_equal(ni_region_consumer(b, pair_count, &got, 0, &rkey), NI_OK);
    assert_int_equal(ni_message(a, ab, rkey.handle, 0, NULL, 0, "hello", 5), NI_OK);
    max = ni_message_max(ab);
    bytes = calloc(1, max);
    for (unsigned head = 0; head < 130; head += 13) {
        ni_status status = NI_AGAIN;

        for (int i = 0; i < 1000 && status == NI_AGAIN; i++) {
            status = ni_message(a, ab, rkey.handle, 0, bytes, head, bytes, max - head);
            (void)ni_progress(b);
        }
        assert_int_equal(status, NI_OK);
    }
    for (int i = 0; i < 1000; i++) {
        (void)ni_progress(b);
    }
    assert_int_equal(got, 11);
    free(bytes);
    ni_close(a);
    ni_close(b);
}

/* A refused Write moved nothing, and says so on every path. */
static void refused_writes_move_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static uint8_t memory[20000], local[20000];
        struct pair pair;
        struct ni_rkey rkey, counter;
        struct ni_remote wrong;

        pair_open(&pair, &(struct pair_attr){.copy = ways[i]});
        assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey),
                         NI_OK);
        assert_int_equal(ni_counter_create(pair.a, -100, &counter), NI_OK);
        wrong = pair_remote(memory, &rkey);
        wrong.key ^= 1;
        for (size_t len = 0; len <= sizeof(local); len = len * 3 + 1) {
            struct pair_done done = {0};
            struct ni_ack ack = pair_ack(&done);
            struct ni_ack count = {.kind = NI_ACK_COUNTER, .counter = counter.handle};
            int64_t value;

            assert_int_equal(ni_write(pair.a, pair.ab, local, len, &wrong, &ack), NI_OK);
            assert_int_equal(ni_write(pair.a, pair.ab, local, len, &wrong, &count), NI_OK);
            pair_settle(&pair);
            assert_int_equal(done.count, 1);
            assert_int_equal(done.status, NI_ERR_KEY);
            assert_int_equal(done.value, 0);
            assert_int_equal(ni_counter_read(pair.a, counter.handle, &value), NI_OK);
            assert_int_equal(value, -100);
        }
        pair_close(&pair);
    }
}

static void no_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pair pair;
        struct pair_done done = {0};
        struct ni_ack ack = pair_ack(&done);
        struct ni_rkey rkey, queue;
        struct ni_remote remote;
        uint8_t byte = 0;
        unsigned got = 0;

        pair_open(&pair, &(struct pair_attr){.copy = ways[i]});
        assert_int_equal(ni_region_memory(pair.b, &byte, 1, NI_ACCESS_ALL, &rkey), NI_OK);
        assert_int_equal(ni_region_consumer(pair.b, pair_count, &got, 0, &queue), NI_OK);
        remote = pair_remote(&byte + 1, &rkey);
        assert_int_equal(ni_write(pair.a, pair.ab, NULL, 0, &remote, &ack), NI_OK);
        assert_int_equal(ni_read(pair.a, pair.ab, NULL, 0, &remote, &ack), NI_OK);
        assert_int_equal(ni_message(pair.a, pair.ab, queue.handle, 0, NULL, 0, NULL, 0), NI_OK);
        assert_int_equal(ni_enqueue(pair.a, pair.ab, &queue, NULL, 0, &ack), NI_OK);
        pair_settle(&pair);
        assert_int_equal(done.count, 3);
        assert_int_equal(done.status, NI_OK);
        assert_int_equal(done.value, 0);
        assert_int_equal(got, 2);
        pair_close(&pair);
    }
}

static void *send_late(void *arg)
{
    struct pair *pair = arg;

    usleep(20000);
    assert_int_equal(ni_message(pair->b, pair->ba, 0, 0, NULL, 0, NULL, 0), NI_OK);
    return NULL;
}

/* For ever is longer than from now to the end of the clock. */
static void waiting_for_ever(void **state)
{
    struct pair pair;
    pthread_t thread;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    pair_settle(&pair);
    assert_int_equal(pthread_create(&thread, NULL, send_late, &pair), 0);
    assert_true(ni_wait(pair.a, UINT64_MAX) > 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pair_close(&pair);
}

static void a_failed_connect_gives_nothing(void **state)
{
    struct pair pair;
    uint8_t blob[NI_BLOB_MAX];
    size_t len;
    struct ni_peer *peer = NULL;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    len = ni_address(pair.b, blob, sizeof(blob));
    ni_close(pair.b);
    pair.b = NULL;
    assert_int_not_equal(ni_connect(pair.a, blob, len, &peer), NI_OK);
    assert_null(peer);
    ni_close(pair.a);
    ni_fabric_destroy(pair.fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_ack_is_none),
        cmocka_unit_test(flush_without_peers),
        cmocka_unit_test(words_tell_every_status),
        cmocka_unit_test(full_queue_tells_a_word),
        cmocka_unit_test(wrong_items_are_refused),
        cmocka_unit_test(longest_message),
        cmocka_unit_test(longest_message_shm),
        cmocka_unit_test(refused_writes_move_nothing),
        cmocka_unit_test(no_bytes),
        cmocka_unit_test(waiting_for_ever),
        cmocka_unit_test(a_failed_connect_gives_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
