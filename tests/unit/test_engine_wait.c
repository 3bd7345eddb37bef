/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/drive/wait.c. */
#include "engine_pair.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "engine/engine.h"

/* Waiting: who has nothing to do sleeps, and whatever comes wakes it. Counts, no times. */

enum { ROUNDS = 300 };

/* A waiter whose lane is full sleeps, though nobody would wake it, and goes on by itself. */
static void a_full_lane_lets_sleep(void **state)
{
    struct pair pair;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_rkey rkey;
    struct ni_remote remote;
    static uint8_t memory[100000], local[100000];
    uint64_t before;

    (void)state;
    pair_set("spin", "1");
    pair_set("yield",
             "0"); /* its first empty poll sleeps, however long that takes on a busy machine */
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .ring = 512, .bulk = 4096});
    assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(memory, &rkey);
    assert_int_equal(ni_write(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
    while (ni_progress(pair.a) != 0) {
    }
    before = pair_stat(pair.a, "blocks");
    assert_int_equal(ni_wait(pair.a, 20000), 0);
    /* At most as many sleeps of 50 us as fit into the time, not one for each poll. */
    assert_true(pair_stat(pair.a, "blocks") > before);
    assert_true(pair_stat(pair.a, "blocks") < before + 500);
    for (int i = 0; i < 1000 && done.count == 0; i++) {
        (void)ni_progress(pair.b);
        (void)ni_wait(pair.a, 100);
    }
    assert_int_equal(done.count, 1);
    pair_close(&pair);
    pair_set("spin", "0");
    pair_set("yield", "100");
}

/* Others have the cores for longer than a wait lasts. */
static uint64_t yield_ns;

int sched_yield(void)
{
    struct timespec time = {.tv_nsec = (long)yield_ns};

    return yield_ns == 0 ? 0 : nanosleep(&time, NULL);
}

/* Who waits again and again sleeps, although the first yield is longer than the wait. */
static void long_yields_let_sleep(void **state)
{
    struct pair pair;
    uint64_t before;

    (void)state;
    pair_set("spin", "1");
    pair_open(&pair, &(struct pair_attr){0});
    yield_ns = 2000000;
    before = pair_stat(pair.a, "blocks");
    for (int i = 0; i < 10; i++) {
        assert_int_equal(ni_wait(pair.a, 1000), 0);
    }
    yield_ns = 0;
    assert_true(pair_stat(pair.a, "blocks") >= before + 5);
    pair_close(&pair);
    pair_set("spin", "0");
}

/* A packet that its queue cannot take lets nobody sleep, but the core is given away. */
static void a_held_packet_yields(void **state)
{
    struct pair pair;
    struct ni_rkey queue;
    uint64_t item = 0, yields;
    size_t len;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    assert_int_equal(ni_region_queue(pair.b, 8, 1, &queue), NI_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ni_message(pair.a, pair.ab, queue.handle, 0, NULL, 0, &item, 8), NI_OK);
    }
    (void)ni_progress(pair.b);
    (void)ni_progress(pair.b);
    yields = pair_stat(pair.b, "yields");
    ni_relax(pair.b, UINT32_MAX, 1000000);
    assert_int_equal(pair_stat(pair.b, "yields"), yields + 1);
    assert_int_equal(ni_queue_pop(pair.b, queue.handle, &item, sizeof(item), &len), NI_OK);
    assert_true(ni_wait(pair.b, 1000) > 0);
    assert_int_equal(ni_queue_pop(pair.b, queue.handle, &item, sizeof(item), &len), NI_OK);
    pair_close(&pair);
}

struct player {
    struct ni *ni;
    struct ni_peer *peer;
    ni_handle sink;
    unsigned got;
    pthread_t thread;
};

static void on_ball(void *arg, const struct ni_message_info *message)
{
    struct player *player = arg;

    (void)message;
    player->got++;
}

/* Sleeps for up to a minute each time: a lost wake would not go unnoticed. */
static void *play(void *arg)
{
    struct player *player = arg;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        while (player->got < i) {
            (void)ni_wait(player->ni, 60000000);
        }
        while (ni_message(player->ni, player->peer, player->sink, 0, NULL, 0, NULL, 0) ==
               NI_AGAIN) {
            (void)ni_wait(player->ni, 100);
        }
    }
    return NULL;
}

static void play_ball(struct ni *a, struct ni *b)
{
    struct player players[2] = {{.ni = a}, {.ni = b}};
    struct ni_rkey rkeys[2];

    for (int i = 0; i < 2; i++) {
        assert_int_equal(ni_region_consumer(players[i].ni, on_ball, &players[i], 0, &rkeys[i]),
                         NI_OK);
        players[i].peer = pair_connect(players[i].ni, players[1 - i].ni);
    }
    players[0].sink = rkeys[1].handle;
    players[1].sink = rkeys[0].handle;
    players[0].got = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(players[i].thread, NULL), 0);
    }
    assert_true(players[0].got >= ROUNDS);
    assert_int_equal(players[1].got, ROUNDS);
    assert_true(pair_stat(a, "blocks") > 0);
}

/* All wait as if cores were scarce, in short sleeps and in long ones. */
static void sleepers_wake(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ni *a, *b;
        struct pair pair;

        pair_set("spin", "1");
        pair_set("yield", "0");
        pair_set("block_us", i < 2 ? "500" : "20000");
        if (i % 2 == 0) {
            pair_open(&pair, &(struct pair_attr){0});
            play_ball(pair.a, pair.b);
            pair_close(&pair);
        } else {
            assert_int_equal(ni_open(NULL, &a), NI_OK);
            assert_int_equal(ni_open(NULL, &b), NI_OK);
            play_ball(a, b);
            ni_close(a);
            ni_close(b);
        }
    }
    pair_set("spin", "0");
    pair_set("yield", "100");
    pair_set("block_us", "500");
}

static void *wait_much(void *arg)
{
    struct ni *ni = arg;

    for (int i = 0; i < 50; i++) {
        (void)ni_wait(ni, 2000);
    }
    return NULL;
}

/* Several threads wait in one NI, and another one has it do everything. */
static void beside_sleepers(void **state)
{
    static uint8_t memory[300000], local[300000];
    const enum ni_fabric_copy ways[] = {NI_FABRIC_BY_CALL, NI_FABRIC_BY_PACKETS};
    pthread_t threads[3];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pair pair;
        struct ni_rkey rkey;
        struct ni_remote remote;
        ni_word word;
        struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &word};

        pair_open(&pair, &(struct pair_attr){.copy = ways[i], .flags = NI_THREADS});
        assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey),
                         NI_OK);
        remote = pair_remote(memory, &rkey);
        for (int t = 0; t < 3; t++) {
            assert_int_equal(pthread_create(&threads[t], NULL, wait_much, t == 0 ? pair.b : pair.a),
                             0);
        }
        for (int n = 0; n < 20; n++) {
            word = 0;
            memset(local, n, sizeof(local));
            assert_int_equal(ni_write(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
            while (word == 0) {
                (void)ni_wait(pair.a, 1000);
                (void)ni_progress(pair.b);
            }
            assert_int_equal(word, sizeof(local));
            assert_memory_equal(memory, local, sizeof(local));
        }
        for (int t = 0; t < 3; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
        }
        pair_close(&pair);
    }
}

struct crowd {
    struct ni *ni;
    _Atomic unsigned waits; /* ended, of all threads */
    _Atomic bool stop;
};

static void *wait_shortly(void *arg)
{
    struct crowd *crowd = arg;

    while (!atomic_load(&crowd->stop)) {
        (void)ni_wait(crowd->ni, 50);
        (void)atomic_fetch_add(&crowd->waits, 1);
    }
    return NULL;
}

/* A core for each process is none for each of its threads: those that wait give the cores away, in
 * waits too short for as many polls as one thread may make there. */
static void a_crowd_gives_way(void **state)
{
    enum { THREADS = 4, WAITS_MOST = 20000 };
    const struct ni_open_attr attr = {
        .flags = NI_THREADS, .placement = NI_PLACEMENT_TILE, .host_processes = 1, .host_cores = 1};
    struct crowd crowd = {0};
    pthread_t threads[THREADS];

    (void)state;
    for (int yields = 0; yields < 2; yields++) {
        const char *stat = yields ? "yields" : "blocks";

        pair_set("yield", yields ? "100" : "0");
        assert_int_equal(ni_open(&attr, &crowd.ni), NI_OK);
        (void)ni_wait(crowd.ni, 50);
        assert_int_equal(pair_stat(crowd.ni, stat), 0);
        atomic_store(&crowd.stop, false);
        atomic_store(&crowd.waits, 0);
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_create(&threads[t], NULL, wait_shortly, &crowd), 0);
        }
        while (pair_stat(crowd.ni, stat) == 0 && atomic_load(&crowd.waits) < WAITS_MOST) {
            sched_yield();
        }
        atomic_store(&crowd.stop, true);
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
        }
        assert_true(pair_stat(crowd.ni, stat) > 0);
        ni_close(crowd.ni);
    }
    pair_set("yield", "100");
}

/* Sleeps of so many polls that find nothing. */
static uint64_t sleeps(struct ni *ni, unsigned polls)
{
    uint64_t before = pair_stat(ni, "blocks");

    for (unsigned i = 0; i < polls; i++) {
        assert_int_equal(ni_progress_or_sleep(ni), 0);
    }
    return pair_stat(ni, "blocks") - before;
}

/* Who polls in vain sleeps, if the parameter says so, and no longer once something has come. */
static void the_idle_sleep(void **state)
{
    enum { MANY = 1000, FEW = 50 };
    struct pair pair;
    struct ni_rkey queue;
    unsigned got = 0;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    pair_settle(&pair);
    assert_false(ni_may_sleep(pair.b));
    assert_int_equal(sleeps(pair.b, MANY), 0);
    pair_close(&pair);

    pair_set("idle_us", "1");
    for (unsigned flags = 0; flags <= NI_THREADS; flags += NI_THREADS) {
        pair_open(&pair, &(struct pair_attr){.flags = flags});
        pair_settle(&pair);
        assert_true(ni_may_sleep(pair.b));
        assert_int_equal(ni_region_consumer(pair.b, pair_count, &got, 0, &queue), NI_OK);
        assert_int_equal(sleeps(pair.b, FEW), 0);
        assert_true(sleeps(pair.b, MANY) > 0);
        got = 0;
        assert_int_equal(ni_message(pair.a, pair.ab, queue.handle, 0, NULL, 0, "x", 1), NI_OK);
        for (int i = 0; i < MANY && got == 0; i++) {
            (void)ni_progress_or_sleep(pair.b);
        }
        assert_int_equal(got, 1);
        assert_int_equal(sleeps(pair.b, FEW), 0);
        pair_close(&pair);
    }
    pair_set("idle_us", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_lane_lets_sleep), cmocka_unit_test(long_yields_let_sleep),
        cmocka_unit_test(a_held_packet_yields),   cmocka_unit_test(sleepers_wake),
        cmocka_unit_test(beside_sleepers),        cmocka_unit_test(a_crowd_gives_way),
        cmocka_unit_test(the_idle_sleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
