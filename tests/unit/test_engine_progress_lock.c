/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Covers: core/progress_lock.c core/deferred.c life/connect.c
 *
 * Calls that must not wait for the progress lock: a thread that has it is in a callback, and waits
 * there for a lock that the caller holds. Here the callback waits until the caller is through.
 */

enum { PATIENCE_S = 20, CONNECTS = 200, CONNECTS_SHM = 16, CONNECTORS = 3, ENOUGH = 100000 };

struct keeper {
    struct ni *ni;
    pthread_t thread;
    sem_t inside, through;
    _Atomic bool stop;
    bool waited_in_vain;
};

static bool wait_for(sem_t *what)
{
    struct timespec until;
    int error;

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += PATIENCE_S;
    do {
        error = sem_timedwait(what, &until);
    } while (error != 0 && errno == EINTR);
    return error == 0;
}

static void keep(void *arg, const struct ni_message_info *message)
{
    struct keeper *keeper = arg;

    (void)message;
    sem_post(&keeper->inside);
    keeper->waited_in_vain = !wait_for(&keeper->through);
}

static void *poll_until_stopped(void *arg)
{
    struct keeper *keeper = arg;

    while (!atomic_load_explicit(&keeper->stop, memory_order_relaxed)) {
        (void)ni_progress(keeper->ni);
    }
    return NULL;
}

/* From here to keeper_end another thread has a's turn, in a callback. */
static void keeper_begin(struct keeper *keeper, struct pair *pair)
{
    struct ni_rkey rkey;

    *keeper = (struct keeper){.ni = pair->a};
    sem_init(&keeper->inside, 0, 0);
    sem_init(&keeper->through, 0, 0);
    assert_int_equal(ni_region_consumer(pair->a, keep, keeper, 0, &rkey), NI_OK);
    assert_int_equal(pthread_create(&keeper->thread, NULL, poll_until_stopped, keeper), 0);
    assert_int_equal(ni_message(pair->b, pair->ba, rkey.handle, 0, NULL, 0, "keep", 4), NI_OK);
    while (sem_trywait(&keeper->inside) != 0) {
        (void)ni_progress(pair->b);
    }
}

static void keeper_end(struct keeper *keeper)
{
    sem_post(&keeper->through);
    atomic_store_explicit(&keeper->stop, true, memory_order_relaxed);
    assert_int_equal(pthread_join(keeper->thread, NULL), 0);
    assert_false(keeper->waited_in_vain);
    sem_destroy(&keeper->inside);
    sem_destroy(&keeper->through);
}

static void open_threads(struct pair *pair)
{
    pair_open(pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .flags = NI_THREADS});
}

/* ---- connect --------------------------------------------------------------------------------- */

static void connect_beside(bool shm)
{
    struct ni_open_attr open = {.flags = NI_THREADS};
    struct keeper keeper;
    struct pair pair;
    struct ni *c;

    if (shm) {
        assert_int_equal(ni_open(&open, &pair.a), NI_OK);
        assert_int_equal(ni_open(&open, &pair.b), NI_OK);
        pair.ab = pair_connect(pair.a, pair.b);
        pair.ba = pair_connect(pair.b, pair.a);
    } else {
        open_threads(&pair);
        open.fabric = pair.fabric;
    }
    assert_int_equal(ni_open(&open, &c), NI_OK);
    keeper_begin(&keeper, &pair);
    assert_int_equal(ni_peer_status(pair_connect(pair.a, c)), NI_OK); /* a new one */
    assert_ptr_equal(pair_connect(pair.a, pair.b), pair.ab);          /* and one that there is */
    keeper_end(&keeper);
    ni_close(c);
    ni_close(pair.a);
    ni_close(pair.b);
    if (!shm) {
        ni_fabric_destroy(pair.fabric);
    }
}

static void connects_beside_a_callback(void **state)
{
    (void)state;
    connect_beside(false);
    connect_beside(true);
}

/* The address of an NI whose process has ended. */
static size_t dead_address(uint8_t *blob, size_t size)
{
    int ends[2];
    ssize_t len;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ni *ni;

        len = ni_open(NULL, &ni) == NI_OK ? (ssize_t)ni_address(ni, blob, size) : 0;
        _exit(write(ends[1], blob, (size_t)len) == len ? 0 : 1);
    }
    len = read(ends[0], blob, size);
    assert_true(len > 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    close(ends[1]);
    return (size_t)len;
}

static void on_down(void *arg, struct ni_peer *peer, ni_status status)
{
    unsigned *downs = arg;

    (void)peer;
    *downs += status == NI_ERR_PEER_DEAD;
}

/* The dead one is told of when the progress lock can be had, and once. */
static void connects_to_a_dead_one(void **state)
{
    struct ni_open_attr open = {.flags = NI_THREADS};
    uint8_t blob[NI_BLOB_MAX];
    size_t len = dead_address(blob, sizeof(blob));
    struct ni_peer *dead = NULL;
    struct keeper keeper;
    struct pair pair;
    unsigned downs = 0;

    (void)state;
    assert_int_equal(ni_open(&open, &pair.a), NI_OK);
    assert_int_equal(ni_open(&open, &pair.b), NI_OK);
    pair.ba = pair_connect(pair.b, pair.a);
    ni_on_peer_down(pair.a, on_down, &downs);
    keeper_begin(&keeper, &pair);
    assert_int_equal(ni_connect(pair.a, blob, len, &dead), NI_ERR_PEER_DEAD);
    assert_non_null(dead);
    assert_int_equal(ni_message(pair.a, dead, 1, 0, NULL, 0, "x", 1), NI_ERR_PEER_DEAD);
    keeper_end(&keeper);
    for (int i = 0; i < ENOUGH && downs == 0; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(downs, 1);
    assert_int_equal(ni_peer_status(dead), NI_ERR_PEER_DEAD);
    assert_int_equal(ni_connect(pair.a, blob, len, &dead), NI_ERR_PEER_DEAD);
    assert_int_equal(downs, 1);
    ni_close(pair.a);
    ni_close(pair.b);
}

struct connector {
    pthread_t thread;
    struct ni *from;
    struct ni **to;
    unsigned count;
    struct ni_peer *peers[CONNECTS];
};

static void *connect_all(void *arg)
{
    struct connector *connector = arg;

    for (unsigned i = 0; i < connector->count; i++) {
        connector->peers[i] = pair_connect(connector->from, connector->to[i]);
        (void)ni_message(connector->from, connector->peers[i], 1, 0, NULL, 0, "x", 1);
    }
    return NULL;
}

/* Several threads connect to those that connect to us and send at the same time: one peer each. */
static void connect_at_once(struct ni_fabric *fabric, unsigned count)
{
    struct connector connectors[CONNECTORS];
    struct ni *others[CONNECTS], *ni;
    struct ni_open_attr open = {.fabric = fabric};

    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(ni_open(&open, &others[i]), NI_OK);
    }
    open.flags = NI_THREADS;
    assert_int_equal(ni_open(&open, &ni), NI_OK);
    for (unsigned i = 0; i < count; i++) {
        struct ni_peer *peer = pair_connect(others[i], ni);

        assert_int_equal(ni_message(others[i], peer, 1, 0, NULL, 0, "x", 1), NI_OK);
    }
    for (int t = 0; t < CONNECTORS; t++) {
        connectors[t].from = ni;
        connectors[t].to = others;
        connectors[t].count = count;
        assert_int_equal(pthread_create(&connectors[t].thread, NULL, connect_all, &connectors[t]),
                         0);
    }
    for (int i = 0; i < 1000; i++) {
        (void)ni_progress(ni);
    }
    for (int t = 0; t < CONNECTORS; t++) {
        assert_int_equal(pthread_join(connectors[t].thread, NULL), 0);
        assert_memory_equal(connectors[t].peers, connectors[0].peers,
                            count * sizeof(connectors[0].peers[0]));
    }
    for (unsigned i = 0; i < count; i++) {
        ni_close(others[i]);
    }
    ni_close(ni);
}

static void threads_connect_at_once(void **state)
{
    struct ni_fabric_attr attr = {0};
    struct ni_fabric *fabric;

    (void)state;
    assert_int_equal(ni_fabric_create(&attr, &fabric), NI_OK);
    connect_at_once(fabric, CONNECTS);
    ni_fabric_destroy(fabric);
    connect_at_once(NULL, CONNECTS_SHM);
}

/* ---- leave ----------------------------------------------------------------------------------- */

static void on_gone(void *arg)
{
    _Atomic unsigned *gone = arg;

    (void)atomic_fetch_add_explicit(gone, 1, memory_order_relaxed);
}

/* A write that stays under way: b does not poll. */
static void begin_write(struct pair *pair, const struct ni_ack *ack)
{
    static uint8_t there[64], here[64];
    struct ni_rkey rkey;
    struct ni_remote remote;

    assert_int_equal(ni_region_memory(pair->b, there, sizeof(there), NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(there, &rkey);
    assert_int_equal(ni_write(pair->a, pair->ab, here, sizeof(here), &remote, ack), NI_OK);
}

static void leaves_beside_a_callback(void **state)
{
    _Atomic unsigned gone = 0;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct keeper keeper;
    struct pair pair;

    (void)state;
    open_threads(&pair);
    keeper_begin(&keeper, &pair);
    begin_write(&pair, &ack);
    assert_int_equal(ni_leave(pair.a, pair.ab, on_gone, &gone), NI_OK);
    assert_int_equal(atomic_load_explicit(&gone, memory_order_relaxed), 0);
    assert_int_equal(done.count, 0);
    keeper_end(&keeper);
    for (int i = 0; i < ENOUGH && atomic_load_explicit(&gone, memory_order_relaxed) == 0; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(atomic_load_explicit(&gone, memory_order_relaxed), 1);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_ERR_CANCELED);
    pair_close(&pair);
}

/* It is the second of two who connected: nothing is canceled for the first. */
static void leaves_at_once(void **state)
{
    _Atomic unsigned gone = 0;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct pair pair;

    (void)state;
    for (unsigned flags = 0; flags <= NI_THREADS; flags += NI_THREADS) {
        done.count = 0;
        atomic_store_explicit(&gone, 0, memory_order_relaxed);
        pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .flags = flags});
        assert_ptr_equal(pair_connect(pair.a, pair.b), pair.ab);
        begin_write(&pair, &ack);
        assert_int_equal(ni_leave(pair.a, pair.ab, on_gone, &gone), NI_OK);
        assert_int_equal(atomic_load_explicit(&gone, memory_order_relaxed), 1);
        assert_int_equal(done.count, 0);
        assert_int_equal(ni_leave(pair.a, pair.ab, NULL, NULL), NI_OK);
        assert_int_equal(done.count, 1);
        assert_int_equal(done.status, NI_ERR_CANCELED);
        pair_close(&pair);
    }
}

struct nested {
    struct pair pair;
    _Atomic unsigned gone;
    unsigned gone_inside;
    sem_t inside, asked;
};

static void poll_inside(void *arg, const struct ni_message_info *message)
{
    struct nested *nested = arg;

    (void)message;
    sem_post(&nested->inside);
    assert_true(wait_for(&nested->asked));
    for (int i = 0; i < 100; i++) {
        (void)ni_progress(nested->pair.a);
    }
    nested->gone_inside = atomic_load_explicit(&nested->gone, memory_order_relaxed);
}

static void *leave_beside(void *arg)
{
    struct nested *nested = arg;

    assert_true(wait_for(&nested->inside));
    assert_int_equal(ni_leave(nested->pair.a, nested->pair.ab, on_gone, &nested->gone), NI_OK);
    sem_post(&nested->asked);
    return NULL;
}

/* A callback that polls may be one of the operations' that end: what it uses is there until it
 * returns. */
static void a_callback_that_polls_comes_first(void **state)
{
    struct nested nested = {.gone = 0};
    struct ni_rkey rkey;
    pthread_t thread;

    (void)state;
    open_threads(&nested.pair);
    sem_init(&nested.inside, 0, 0);
    sem_init(&nested.asked, 0, 0);
    assert_int_equal(ni_region_consumer(nested.pair.a, poll_inside, &nested, 0, &rkey), NI_OK);
    assert_int_equal(pthread_create(&thread, NULL, leave_beside, &nested), 0);
    assert_int_equal(ni_message(nested.pair.b, nested.pair.ba, rkey.handle, 0, NULL, 0, "x", 1),
                     NI_OK);
    pair_settle(&nested.pair);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(nested.gone_inside, 0);
    assert_int_equal(atomic_load_explicit(&nested.gone, memory_order_relaxed), 1);
    sem_destroy(&nested.inside);
    sem_destroy(&nested.asked);
    pair_close(&nested.pair);
}

static void on_closed(void *arg, const struct ni_message_info *message)
{
    struct nested *nested = arg;

    (void)message;
    sem_post(&nested->inside);
    assert_true(wait_for(&nested->asked));
}

static void *poll_once(void *arg)
{
    struct nested *nested = arg;

    for (int i = 0; i < ENOUGH && ni_progress(nested->pair.a) == 0; i++) {
    }
    return NULL;
}

/* Nobody polls after it: ni_close does the rest. */
static void leaves_and_closes(void **state)
{
    struct nested nested = {.gone = 0};
    struct ni_rkey rkey;
    pthread_t thread;

    (void)state;
    open_threads(&nested.pair);
    sem_init(&nested.inside, 0, 0);
    sem_init(&nested.asked, 0, 0);
    assert_int_equal(ni_region_consumer(nested.pair.a, on_closed, &nested, 0, &rkey), NI_OK);
    assert_int_equal(ni_message(nested.pair.b, nested.pair.ba, rkey.handle, 0, NULL, 0, "x", 1),
                     NI_OK);
    assert_int_equal(pthread_create(&thread, NULL, poll_once, &nested), 0);
    assert_true(wait_for(&nested.inside));
    assert_int_equal(ni_leave(nested.pair.a, nested.pair.ab, on_gone, &nested.gone), NI_OK);
    sem_post(&nested.asked);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pair_close(&nested.pair);
    assert_int_equal(atomic_load_explicit(&nested.gone, memory_order_relaxed), 1);
    sem_destroy(&nested.inside);
    sem_destroy(&nested.asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connects_to_a_dead_one), /* forks: before there are threads */
        cmocka_unit_test(connects_beside_a_callback),
        cmocka_unit_test(threads_connect_at_once),
        cmocka_unit_test(leaves_beside_a_callback),
        cmocka_unit_test(leaves_at_once),
        cmocka_unit_test(a_callback_that_polls_comes_first),
        cmocka_unit_test(leaves_and_closes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
