/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include <apeni/fault.h>

#include "engine/engine.h"

/*
 * Each allocation fails in turn, alone or with all behind it: nothing crashes, nothing leaks
 * (AddressSanitizer tells), and each operation that was accepted completes once.
 */

enum { LONG = 20000, REGIONS = 40, MESSAGES = 30, MANY = 300 };

struct run {
    struct ni_fabric *fabric;
    struct ni *a, *b;
    struct ni_peer *ab, *ba;
    unsigned accepted, completed, failed, got;
    _Alignas(8) uint8_t memory[LONG];
    uint8_t local[LONG];
};

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct run *run = arg;

    (void)value;
    run->completed++;
    run->failed += status != NI_OK;
}

static void started(struct run *run, ni_status status)
{
    assert_true(status == NI_OK || status < 0 || status == NI_AGAIN);
    run->accepted += status == NI_OK;
}

static bool connect_both(struct run *run)
{
    uint8_t blob[NI_BLOB_MAX];

    return ni_connect(run->a, blob, ni_address(run->b, blob, sizeof(blob)), &run->ab) == NI_OK &&
           ni_connect(run->b, blob, ni_address(run->a, blob, sizeof(blob)), &run->ba) == NI_OK;
}

static void move(struct run *run)
{
    for (int i = 0; i < 30; i++) {
        (void)ni_progress(run->a);
        (void)ni_progress(run->b);
    }
}

/* Everything that may allocate. */
static void use(struct run *run)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = run};
    struct ni_rkey memory = {0}, queue = {0}, counter = {0}, sink = {0}, many[REGIONS];
    struct ni_remote remote;
    unsigned made = 0;

    (void)ni_region_queue(run->b, 0, 100, &queue);
    (void)ni_counter_create(run->b, 0, &counter);
    (void)ni_region_consumer(run->b, pair_count, &run->got, 0, &sink);
    while (made < REGIONS &&
           ni_region_memory(run->b, run->memory, LONG, NI_ACCESS_ALL, &many[made]) == NI_OK) {
        memory = many[made++];
    }
    remote = pair_remote(run->memory, &memory);
    for (int i = 0; i < MESSAGES; i++) {
        (void)ni_message(run->a, run->ab, sink.handle, 0, NULL, 0, run->local, 100);
        started(run, ni_write(run->a, run->ab, run->local, 8, &remote, &ack));
        started(run, ni_fetch_op(run->a, run->ab, NI_ATOMIC_ADD, 4, 1, 0, &remote, &ack));
    }
    started(run, ni_write(run->a, run->ab, run->local, LONG, &remote, &ack));
    started(run, ni_read(run->a, run->ab, run->local, LONG, &remote, &ack));
    started(run, ni_flush(run->a, NULL, &ack));
    /* Acks wait for room, as the other side reads nothing. */
    for (int i = 0; i < 10; i++) {
        (void)ni_progress(run->b);
    }
    move(run);
    started(run, ni_enqueue(run->a, run->ab, &queue, run->local, 50, &ack));
    started(run, ni_counter_add_remote(run->a, run->ab, &counter, 3, &ack));
    move(run);
    for (unsigned i = 0; i < made; i++) {
        (void)ni_region_deregister(run->b, many[i].handle);
    }
    started(run, ni_read(run->a, run->ab, run->local, 10, &remote, &ack));
    move(run);
}

/* The whole life, as far as it goes. */
static void live(struct run *run, enum ni_fabric_copy copy, bool shm)
{
    struct ni_fabric_attr fabric = {.ring_size = 512, .bulk_size = 4096};
    struct ni_open_attr open = {0};

    if (!shm && ni_fabric_create(&fabric, &run->fabric) != NI_OK) {
        return;
    }
    if (!shm) {
        ni_fabric_set_copy(run->fabric, copy);
        open.fabric = run->fabric;
    }
    if (ni_open(&open, &run->a) == NI_OK && ni_open(&open, &run->b) == NI_OK && connect_both(run)) {
        use(run);
    }
}

static void end(struct run *run)
{
    if (run->a != NULL && run->b != NULL) {
        for (int i = 0; i < 20; i++) {
            move(run);
        }
    }
    ni_close(run->a);
    ni_close(run->b);
    if (run->fabric != NULL) {
        ni_fabric_destroy(run->fabric);
    }
    assert_int_equal(run->completed, run->accepted);
}

/* How many allocations there are when none fails. */
static uint64_t count(enum ni_fabric_copy copy, bool shm)
{
    struct run *run = calloc(1, sizeof(*run));
    uint64_t asked;

    ni_fault_arm(NI_FAULT_ALLOC, UINT64_MAX, 0);
    live(run, copy, shm);
    asked = ni_fault_asked(NI_FAULT_ALLOC);
    ni_fault_reset();
    assert_int_equal(run->accepted, 2 * MESSAGES + 6);
    end(run);
    assert_int_equal(run->failed, 1); /* the read of what was deregistered */
    free(run);
    return asked;
}

static void sweep(enum ni_fabric_copy copy, bool shm)
{
    uint64_t asked = count(copy, shm);

    assert_true(asked > 20);
    for (uint64_t nth = 1; nth <= asked + 1; nth++) {
        for (uint64_t every = 0; every < 2; every++) {
            struct run *run = calloc(1, sizeof(*run));

            ni_fault_arm(NI_FAULT_ALLOC, nth, every);
            live(run, copy, shm);
            ni_fault_reset();
            end(run);
            free(run);
        }
    }
}

static void quiet(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
}

/* A shortage that passes: requests wait until there is memory for their answers. (Over shared
 * memory: the link inproc takes no packets during it.) */
static void a_shortage_passes(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = run};
    struct ni_rkey rkey;
    struct ni_remote remote;
    char error[256];
    uint64_t sum;

    (void)state;
    assert_int_equal(ni_param_set("shm_ring_size", "4K", "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_param_set("shm_copy", "copy", "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_open(NULL, &run->a), NI_OK);
    assert_int_equal(ni_open(NULL, &run->b), NI_OK);
    assert_true(connect_both(run));
    assert_int_equal(ni_region_memory(run->b, run->memory, LONG, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(run->memory, &rkey);
    for (int i = 0; i < 20; i++) {
        started(run, ni_write(run->a, run->ab, run->local, 8, &remote, &ack));
        move(run);
    }
    for (int i = 0; i < MANY; i++) {
        started(run, ni_fetch_op(run->a, run->ab, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack));
    }
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    for (int i = 0; i < 100; i++) {
        (void)ni_progress(run->b);
        (void)ni_send_progress(run->a); /* and takes no answers */
    }
    assert_true(ni_fault_struck(NI_FAULT_ALLOC) > 0);
    ni_fault_reset();
    for (int i = 0; i < 100; i++) {
        move(run);
    }
    assert_int_equal(ni_peer_status(run->ab), NI_OK);
    assert_int_equal(ni_peer_status(run->ba), NI_OK);
    assert_int_equal(run->accepted, 20 + MANY);
    assert_int_equal(run->completed, run->accepted);
    assert_int_equal(run->failed, 0);
    memcpy(&sum, run->memory, sizeof(sum));
    assert_int_equal(sum, MANY); /* each applied once */
    end(run);
    free(run);
    assert_int_equal(ni_param_set("shm_ring_size", "32K", "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_param_set("shm_copy", "auto", "test", error, sizeof(error)), NI_OK);
}

static void same_memory(void **state)
{
    (void)state;
    sweep(NI_FABRIC_SAME_MEMORY, false);
}

static void by_call(void **state)
{
    (void)state;
    sweep(NI_FABRIC_BY_CALL, false);
}

static void by_packets(void **state)
{
    (void)state;
    sweep(NI_FABRIC_BY_PACKETS, false);
}

static void shared_memory(void **state)
{
    (void)state;
    sweep(NI_FABRIC_SAME_MEMORY, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shortage_passes), cmocka_unit_test(same_memory),
        cmocka_unit_test(by_call),           cmocka_unit_test(by_packets),
        cmocka_unit_test(shared_memory),
    };

    ni_log_set_sink(quiet, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
