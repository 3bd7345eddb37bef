/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/bulk/copy.c ni/engine/bulk/shared_copy.c. */
#include "engine_pair.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "engine/core/peer.h"

/*
 * Long transfers that both sides copy: bytes are right at the end, and nothing beside them is
 * touched, however many there are at a time, and whichever side's copies fail, and when.
 */

enum {
    ROOM = 1 << 20,
    GUARD = 64,
    MANY = 40, /* more than a lane describes at a time */
    ROUNDS = 24,
    TRANSFERS = 30,
};

static uint8_t byte_of(uint64_t seed, size_t i)
{
    return (uint8_t)(seed + i * 7 + i / 4096 * 3);
}

static void fill(uint8_t *bytes, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        bytes[i] = byte_of(seed, i);
    }
}

static bool all(const uint8_t *bytes, size_t len, uint8_t value)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != value) {
            return false;
        }
    }
    return true;
}

/* One transfer: `here` and `there` have a guard on both sides of the bytes. */
struct transfer {
    uint8_t *here, *there;
    size_t len;
    bool is_read;
    uint64_t seed; /* of the bytes */
    struct pair_done done;
};

static void prepare(struct transfer *t, uint64_t seed)
{
    uint8_t *from = t->is_read ? t->there : t->here, *to = t->is_read ? t->here : t->there;

    memset(to, 0xee, t->len + 2 * (size_t)GUARD);
    memset(from, 0xdd, t->len + 2 * (size_t)GUARD);
    fill(from + GUARD, t->len, seed);
    t->seed = seed;
}

static bool filled(const uint8_t *bytes, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != byte_of(seed, i)) {
            return false;
        }
    }
    return true;
}

/* Both sides hold what was sent: that they are equal would also be true of bytes that went the
 * wrong way. */
static void check(const struct transfer *t)
{
    const uint8_t *to = t->is_read ? t->here : t->there;

    assert_int_equal(t->done.count, 1);
    assert_int_equal(t->done.status, NI_OK);
    assert_int_equal(t->done.value, t->len);
    assert_true(all(to, GUARD, 0xee));
    assert_true(all(to + GUARD + t->len, GUARD, 0xee));
    assert_true(filled(t->here + GUARD, t->len, t->seed));
    assert_true(filled(t->there + GUARD, t->len, t->seed));
}

static void begin(struct transfer *t, struct ni *ni, struct ni_peer *peer,
                  const struct ni_rkey *rkey)
{
    struct ni_remote remote = pair_remote(t->there + GUARD, rkey);
    struct ni_ack ack = pair_ack(&t->done);

    assert_int_equal(t->is_read ? ni_read(ni, peer, t->here + GUARD, t->len, &remote, &ack)
                                : ni_write(ni, peer, t->here + GUARD, t->len, &remote, &ack),
                     NI_OK);
}

/* ---- many at a time, in one process ---------------------------------------------------------- */

static void many_at_a_time(void **state)
{
    uint8_t *here = malloc(MANY * (size_t)ROOM / 8), *there = malloc(MANY * (size_t)ROOM / 8);
    struct ni_rng rng;

    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        static struct transfer transfers[MANY];
        struct ni_rkey rkey;
        struct pair pair;
        unsigned turns = 0;

        pair_set("bulk_chunk", round % 2 == 0 ? "4096" : "0");
        pair_set("patience_us", round % 3 == 0 ? "0" : "10");
        ni_rng_seed(&rng, round);
        pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
        assert_int_equal(
            ni_region_memory(pair.b, there, MANY * (size_t)ROOM / 8, NI_ACCESS_ALL, &rkey), NI_OK);
        assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
        pair_settle(&pair);
        for (int i = 0; i < MANY; i++) {
            transfers[i] =
                (struct transfer){.here = here + (size_t)i * ROOM / 8,
                                  .there = there + (size_t)i * ROOM / 8,
                                  .len = 1 + ni_rng_below(&rng, ROOM / 8 - 2 * GUARD - 1),
                                  .is_read = ni_rng_below(&rng, 2) == 0};
            prepare(&transfers[i], i + round);
            begin(&transfers[i], pair.a, pair.ab, &rkey);
        }
        for (int i = 0; i < MANY; i++) {
            while (transfers[i].done.count == 0) {
                (void)ni_progress(ni_rng_below(&rng, 3) == 0 ? pair.b : pair.a);
                assert_true(++turns < 1000000);
            }
            check(&transfers[i]);
        }
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
    free(here);
    free(there);
}

/* A target that closes clears the lane, claims included, and may do so before we know that it
 * closes. Nobody can say then who has copied what: we copy it all. */
static void claims_that_go(void **state)
{
    uint8_t *here = malloc(ROOM), *there = malloc(ROOM);

    (void)state;
    pair_set("bulk_chunk", "4096");
    pair_set("patience_us", "0");
    for (unsigned after = 0; after < 6; after++) {
        struct transfer transfer = {
            .here = here, .there = there, .len = ROOM / 4, .is_read = after % 2 == 1};
        struct ni_lane_page *page;
        struct ni_rkey rkey;
        struct pair pair;
        unsigned turns = 0;

        pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
        assert_int_equal(ni_region_memory(pair.b, there, ROOM, NI_ACCESS_ALL, &rkey), NI_OK);
        assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
        pair_settle(&pair);
        prepare(&transfer, after);
        begin(&transfer, pair.a, pair.ab, &rkey);
        for (unsigned i = 0; i < after; i++) {
            (void)ni_progress(pair.b);
            (void)ni_progress(pair.a);
        }
        assert_int_equal(transfer.done.count, 0);
        page = pair.ab->ep->tx.page;
        for (unsigned i = 0; i < NI_LANE_SHARED_COPIES; i++) {
            atomic_store_explicit(&page->shared_copies[i].claim, 0, memory_order_relaxed);
        }
        while (transfer.done.count == 0) {
            (void)ni_progress(pair.a);
            assert_true(++turns < 1000000);
        }
        check(&transfer);
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
    free(here);
    free(there);
}

/* The target goes while it is asked, helps, or both. */
static void target_goes(void **state)
{
    uint8_t *here = malloc(ROOM), *there = malloc(ROOM);

    (void)state;
    pair_set("bulk_chunk", "4096");
    for (unsigned round = 0; round < 60; round++) {
        struct transfer transfers[3];
        struct ni_rkey rkey;
        struct pair pair;

        pair_set("patience_us", round % 2 == 0 ? "0" : "1000000");
        pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
        assert_int_equal(ni_region_memory(pair.b, there, ROOM, NI_ACCESS_ALL, &rkey), NI_OK);
        assert_int_equal(ni_message(pair.a, pair.ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
        pair_settle(&pair);
        for (int i = 0; i < 3; i++) {
            transfers[i] = (struct transfer){.here = here + i * ROOM / 4,
                                             .there = there + i * ROOM / 4,
                                             .len = ROOM / 4 - 2 * GUARD,
                                             .is_read = i != 1};
            begin(&transfers[i], pair.a, pair.ab, &rkey);
        }
        for (unsigned i = 0; i < round / 6; i++) {
            (void)ni_progress(pair.b);
            (void)ni_progress(pair.a);
        }
        pair_part(&pair, round / 2 % PAIR_PARTINGS);
        if (round / 2 % PAIR_PARTINGS == 2) { /* who disconnects hears of all at once */
            for (int i = 0; i < 3; i++) {
                assert_int_equal(transfers[i].done.count, 1);
            }
        }
        for (int i = 0; i < 1000; i++) {
            (void)ni_progress(pair.a);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(transfers[i].done.count, 1);
        }
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        ni_close(pair.a);
        ni_close(pair.b);
        ni_fabric_destroy(pair.fabric);
    }
    free(here);
    free(there);
}

/* ---- two processes, of which one's copies fail ----------------------------------------------- */

struct board {
    _Atomic int ready, stop;
    struct ni_rkey rkey;
    uint8_t blob[NI_BLOB_MAX];
    size_t len;
    _Alignas(4096) uint8_t there[2 * ROOM];
};

static struct board *board;

/* The target: the memory, and somebody who polls. */
static _Noreturn void serve(uint64_t fail_at)
{
    struct ni *ni;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a check of the parent fails */
    if (ni_open(NULL, &ni) != NI_OK || ni_region_memory(ni, board->there, sizeof(board->there),
                                                        NI_ACCESS_ALL, &board->rkey) != NI_OK) {
        _exit(1);
    }
    board->len = ni_address(ni, board->blob, sizeof(board->blob));
    if (fail_at != 0) {
        ni_fault_arm(NI_FAULT_SYSCALL, fail_at, 0);
    }
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->stop) == 0) {
        if (ni_progress(ni) == 0) {
            sched_yield();
        }
    }
    ni_close(ni);
    _exit(0);
}

static void transfer_all(struct ni *ni, struct ni_peer *peer, uint8_t *here, struct ni_rng *rng)
{
    for (int i = 0; i < TRANSFERS; i += 2) {
        struct transfer transfers[2];

        for (int k = 0; k < 2; k++) {
            transfers[k] = (struct transfer){
                .here = here + (size_t)k * ROOM,
                .there = board->there + (size_t)k * ROOM,
                .len = 1 + (ni_rng_below(rng, ROOM - 2 * GUARD) >> ni_rng_below(rng, 6)),
                .is_read = ni_rng_below(rng, 2) == 0};
            prepare(&transfers[k], (uint64_t)i + k);
            begin(&transfers[k], ni, peer, &board->rkey);
        }
        while (transfers[0].done.count == 0 || transfers[1].done.count == 0) {
            if (ni_progress(ni) == 0) {
                sched_yield();
            }
        }
        check(&transfers[0]);
        check(&transfers[1]);
    }
}

static void run_round(uint64_t round, uint8_t *here)
{
    /* Connecting asks the kernel twice. */
    uint64_t fail_at = round % 4 == 3 ? 0 : 3 + round / 4 * 3;
    bool target_fails = round % 4 == 1, both_fail = round % 4 == 2;
    struct ni_peer *peer;
    struct ni_rng rng;
    struct ni *ni;
    int status;
    pid_t pid;

    pair_set("bulk_chunk", round % 3 == 0 ? "0" : "8192");
    pair_set("patience_us", round % 2 == 0 ? "0" : "10");
    atomic_store(&board->ready, 0);
    atomic_store(&board->stop, 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        serve(target_fails || both_fail ? fail_at : 0);
    }
    while (atomic_load(&board->ready) == 0) {
        sched_yield();
    }
    assert_int_equal(ni_open(NULL, &ni), NI_OK);
    if (!target_fails && fail_at != 0) {
        ni_fault_arm(NI_FAULT_SYSCALL, fail_at, 0);
    }
    assert_int_equal(ni_connect(ni, board->blob, board->len, &peer), NI_OK);
    ni_rng_seed(&rng, round);
    transfer_all(ni, peer, here, &rng);
    ni_fault_reset();
    assert_int_equal(ni_peer_status(peer), NI_OK);
    atomic_store(&board->stop, 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ni_close(ni);
}

static void copies_that_fail(void **state)
{
    uint8_t *here = malloc(2 * (size_t)ROOM);

    (void)state;
    board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(board != MAP_FAILED);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        run_round(round, here);
    }
    free(here);
    munmap(board, sizeof(*board));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_at_a_time),
        cmocka_unit_test(claims_that_go),
        cmocka_unit_test(target_goes),
        cmocka_unit_test(copies_that_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
