/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/life/fork.c. */
#include "engine_pair.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/send/fast.h"

/* A forked child may call everything and gets nowhere; its parent notices nothing, however the
 * child ends. */

enum { FORKS = 40, LIMIT_S = 20, WORDS = 8 };

struct world {
    struct ni *a, *b;
    struct ni_peer *ab, *ba;
    struct ni_rkey sink, queue, counter, memory, stores;
    uint64_t sent;
    uint32_t stored;           /* lines that a has stored to b */
    _Atomic uint64_t received; /* b's messages, in order */
    _Atomic bool stop;
    _Alignas(8) uint64_t word;
    _Alignas(64) uint64_t line[WORDS]; /* b's */
};

static void in_order(void *arg, const struct ni_message_info *message)
{
    struct world *world = arg;
    uint64_t number;

    memcpy(&number, message->data, sizeof(number));
    if (number != atomic_load(&world->received)) {
        abort();
    }
    atomic_fetch_add(&world->received, 1);
}

static void open_world(struct world *world, unsigned flags, enum ni_placement placement)
{
    struct ni_open_attr attr = {.flags = flags, .placement = placement};

    *world = (struct world){0};
    assert_int_equal(ni_open(&attr, &world->a), NI_OK);
    assert_int_equal(ni_open(&attr, &world->b), NI_OK);
    world->ab = pair_connect(world->a, world->b);
    world->ba = pair_connect(world->b, world->a);
    world->ab->ep->same_memory = false; /* stores go in lines, as between processes */
    assert_int_equal(ni_region_consumer(world->b, in_order, world, 0, &world->sink), NI_OK);
    assert_int_equal(ni_region_queue(world->a, 8, 8, &world->queue), NI_OK);
    assert_int_equal(ni_counter_create(world->a, 0, &world->counter), NI_OK);
    assert_int_equal(ni_region_memory(world->a, &world->word, 8, NI_ACCESS_ALL, &world->memory),
                     NI_OK);
    assert_int_equal(
        ni_region_memory(world->b, world->line, sizeof(world->line), NI_ACCESS_ALL, &world->stores),
        NI_OK);
}

static uint64_t stored_word(const struct world *world, unsigned i)
{
    return (uint64_t)world->stored << 8 | i;
}

static ni_status store_word(struct world *world, unsigned i)
{
    struct ni_remote remote = pair_remote(&world->line[i], &world->stores);

    return ni_store(world->a, world->ab, &remote, stored_word(world, i), sizeof(uint64_t));
}

/* The half of a line: the rest may be stored behind a fork. */
static void open_line(struct world *world)
{
    world->stored++;
    for (unsigned i = 0; i < WORDS / 2; i++) {
        assert_int_equal(store_word(world, i), NI_OK);
    }
}

static void finish_line(struct world *world)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);

    for (unsigned i = WORDS / 2; i < WORDS; i++) {
        assert_int_equal(store_word(world, i), NI_OK);
    }
    assert_int_equal(ni_store_fence(world->a, world->ab, &ack), NI_OK);
    while (!pair_is_done(&done)) {
        (void)ni_wait(world->a, 10);
        (void)ni_wait(world->b, 10);
    }
    assert_int_equal(done.status, NI_OK);
    for (unsigned i = 0; i < WORDS; i++) {
        assert_true(world->line[i] == stored_word(world, i));
    }
}

static void send_some(struct world *world)
{
    for (int i = 0; i < 30; i++) {
        ni_status status;

        while ((status = ni_message(world->a, world->ab, world->sink.handle, 0, NULL, 0,
                                    &world->sent, sizeof(world->sent))) == NI_AGAIN) {
            (void)ni_progress(world->b);
        }
        assert_int_equal(status, NI_OK);
        world->sent++;
    }
}

#define EXPECT(call, status)                                      \
    if ((call) != (status)) {                                     \
        fprintf(stderr, "child: line %d: %s\n", __LINE__, #call); \
        _exit(1);                                                 \
    }

/* Everything that a child may try. */
static void misbehave(struct world *world)
{
    struct ni_remote remote = pair_remote(&world->word, &world->memory);
    uint8_t blob[NI_BLOB_MAX], *place;
    size_t len = ni_address(world->b, blob, sizeof(blob));
    struct ni_peer *peer;
    struct ni_rkey rkey;
    int64_t value = 0;

    alarm(LIMIT_S);
    for (unsigned i = WORDS / 2; i < WORDS; i++) {
        EXPECT(store_word(world, i), NI_ERR_FORKED);
    }
    EXPECT(ni_store_flush(world->a, world->ab), NI_ERR_FORKED);
    for (int i = 0; i < 100; i++) {
        EXPECT(ni_message(world->a, world->ab, world->sink.handle, 0, NULL, 0, &i, sizeof(i)),
               NI_ERR_FORKED);
    }
    place = ni_msg_begin(world->ab, 8, 0);
    EXPECT(place, NULL);
    EXPECT(ni_write(world->a, world->ab, &value, 8, &remote, NULL), NI_ERR_FORKED);
    EXPECT(ni_read(world->a, world->ab, &value, 8, &remote, NULL), NI_ERR_FORKED);
    EXPECT(ni_fetch_op(world->a, world->ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, NULL), NI_ERR_FORKED);
    EXPECT(ni_enqueue(world->a, world->ab, &world->queue, &value, 8, NULL), NI_ERR_FORKED);
    EXPECT(ni_flush(world->a, NULL, NULL), NI_ERR_FORKED);
    EXPECT(ni_connect(world->a, blob, len, &peer), NI_ERR_FORKED);
    EXPECT(ni_reachable(world->a, blob, len, NULL, 0), false);
    EXPECT(ni_region_memory(world->a, &value, 8, NI_ACCESS_ALL, &rkey), NI_ERR_FORKED);
    EXPECT(ni_region_deregister(world->a, world->queue.handle), NI_ERR_FORKED);
    EXPECT(ni_region_search(world->a, &world->word, 8, &rkey), NI_ERR_FORKED);
    EXPECT(ni_queue_pop(world->a, world->queue.handle, &value, 8, &len), NI_ERR_FORKED);
    EXPECT(ni_counter_create(world->a, 1, &rkey), NI_ERR_FORKED);
    EXPECT(ni_counter_add(world->a, world->counter.handle, 1), NI_ERR_FORKED);
    EXPECT(ni_counter_read(world->a, world->counter.handle, &value), NI_ERR_FORKED);
    EXPECT(ni_progress(world->a), 0);
    EXPECT(ni_wait(world->a, 1000000), 0);
    ni_disconnect(world->a, world->ab);
    ni_close(world->a);
    ni_close(world->b);
}

static void end_child(int how)
{
    switch (how % 3) {
    case 0:
        _exit(0);
    case 1:
        fflush(NULL);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    default:
        alarm(0);
        raise(SIGKILL);
    }
}

static void fork_one(struct world *world, int how)
{
    int status;
    pid_t pid;

    open_line(world);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        misbehave(world);
        end_child(how);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    finish_line(world);
    send_some(world);
    assert_true(WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
    send_some(world);
}

static void close_world(struct world *world)
{
    assert_int_equal(ni_peer_status(world->ab), NI_OK);
    assert_int_equal(ni_peer_status(world->ba), NI_OK);
    assert_true(atomic_load(&world->received) == world->sent);
    ni_close(world->a);
    ni_close(world->b);
}

static void one_thread(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, 0, NI_PLACEMENT_TILE);
    send_some(&world);
    for (int i = 0; i < 6; i++) {
        fork_one(&world, i);
    }
    while (atomic_load(&world.received) != world.sent) {
        (void)ni_progress(world.b);
    }
    close_world(&world);
}

static void beside_engines(enum ni_placement placement, unsigned flags)
{
    struct world world;

    open_world(&world, flags, placement);
    send_some(&world);
    for (int i = 0; i < 9; i++) {
        fork_one(&world, i);
    }
    while (atomic_load(&world.received) != world.sent) {
        (void)ni_wait(world.b, 100);
    }
    close_world(&world);
}

/* The child has no engine thread, the parent's goes on. */
static void beside_an_engine(void **state)
{
    (void)state;
    beside_engines(NI_PLACEMENT_EDGE, NI_THREADS);
    beside_engines(NI_PLACEMENT_EDGE, 0);
    beside_engines(NI_PLACEMENT_SPLIT, 0);
}

/* Polls, and so has the progress lock and locks at any time. */
static void *poll_both(void *arg)
{
    struct world *world = arg;

    while (!atomic_load(&world->stop)) {
        (void)ni_progress(world->a);
        (void)ni_progress(world->b);
        (void)ni_message(world->b, world->ba, 1, 0, NULL, 0, NULL, 0);
        (void)ni_wait(world->b, 10);
    }
    return NULL;
}

static void beside_threads(void **state)
{
    struct world world;
    pthread_t threads[2];

    (void)state;
    open_world(&world, NI_THREADS, NI_PLACEMENT_TILE);
    send_some(&world);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, poll_both, &world), 0);
    }
    for (int i = 0; i < FORKS; i++) {
        fork_one(&world, i);
    }
    while (atomic_load(&world.received) != world.sent) {
        (void)ni_wait(world.b, 100);
    }
    atomic_store(&world.stop, true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread),
        cmocka_unit_test(beside_an_engine),
        cmocka_unit_test(beside_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
