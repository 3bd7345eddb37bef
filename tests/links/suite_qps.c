/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/qp/life.c ni/qp/serve.c ni/qp/take.c. */
#include "suite_qps.h"

/*
 * Queue pairs: requests of every kind and size, whole and unrolled, alone and in batches, silent
 * and fenced; full queues on either side; many pairs at once, against a naive model.
 */

enum { PAIRS = 6, STEPS = 400, SLOTS = 24, LONG = 100000 };

static void check_done(struct ni_qp_result result, uint64_t value)
{
    CHECK(result.status == NI_OK && result.reason == NI_QP_DONE && result.value == value);
}

/* ---- a first example ------------------------------------------------------------------------- */

/* Read five bytes: the shortest way through all of it. */
static void hello(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 0);
    struct ni_qp_work work = {.op = NI_QP_READ,
                              .target = QP_MEMORY,
                              .cookie = 77,
                              .len = 5,
                              .local = world->local,
                              .remote = (uintptr_t)world->remote};
    struct ni_qp_result result;

    memcpy(world->remote, "hello", 5);
    CHECK(!ni_qp_poll(&pair->qp, &result));
    CHECK(ni_qp_post(&pair->qp, &work));
    result = qp_next(pair);
    check_done(result, 5);
    CHECK(result.cookie == 77 && memcmp(world->local, "hello", 5) == 0);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void sizes(struct suite *suite)
{
    static const uint32_t lens[] = {0, 1, 7, 64, 65, 1000, 4096, LONG};
    static const uint32_t unrolls[] = {0, 64, 256, 65536};
    struct qp_world *world = qp_world_new(suite);

    for (unsigned u = 0; u < NI_ARRAY_LENGTH(unrolls); u++) {
        struct qp_pair *pair = qp_pair_new(world, 4, 4, unrolls[u]);

        for (unsigned i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
            for (enum ni_qp_op op = NI_QP_READ; op <= NI_QP_WRITE; op++) {
                struct ni_qp_work work = qp_copy(world, op, 3, lens[i], 100 * u + i + 1);

                check_done(qp_run(pair, &work), lens[i]);
                CHECK(qp_copied(world, &work, 3));
            }
        }
        qp_pair_end(pair);
    }
}

/* Units end at lines of the target, and neither side's bytes beyond the range are touched. */
static void unrolled(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 64);
    uint8_t *local = world->local + 1000;
    struct ni_qp_work work = {
        .op = NI_QP_READ, .len = 300, .local = local, .remote = (uintptr_t)world->remote + 30};
    uint64_t before = qp_stat(pair, "qp_units");

    suite_fill(world->remote, QP_SLICE, 9);
    memset(world->local, 0x5a, QP_SLICE);
    check_done(qp_run(pair, &work), 300);
    CHECK(memcmp(local, world->remote + 30, 300) == 0);
    CHECK(local[-1] == 0x5a && local[300] == 0x5a);
    /* 34 bytes, four lines, 10 bytes */
    CHECK(qp_stat(pair, "qp_units") - before == 6);
    work.local = world->local;
    work.remote = (uintptr_t)world->remote;
    work.len = 64 * 20;
    before = qp_stat(pair, "qp_units");
    check_done(qp_run(pair, &work), 64 * 20);
    CHECK(qp_stat(pair, "qp_units") - before == 20);
}

static void atomics(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 4, 8, 64);
    struct ni_qp_work add = {.op = NI_QP_ATOMIC,
                             .len = 8,
                             .atomic = NI_ATOMIC_ADD,
                             .operand = 5,
                             .remote = (uintptr_t)world->remote};
    struct ni_qp_work swap = {.op = NI_QP_ATOMIC,
                              .len = 4,
                              .atomic = NI_ATOMIC_CSWAP,
                              .operand = 0x11,
                              .compare = 105,
                              .remote = (uintptr_t)world->remote};
    uint64_t old = 100, now;

    memcpy(world->remote, &old, sizeof(old));
    check_done(qp_run(pair, &add), 100);
    check_done(qp_run(pair, &swap), 105);
    check_done(qp_run(pair, &swap), 0x11);
    memcpy(&now, world->remote, sizeof(now));
    CHECK(now == 0x11);
}

/* ---- full queues ----------------------------------------------------------------------------- */

/* Nobody polls: as many complete as the completion queue holds, the rest waits, first in the NI's
 * way, then in the work queue, then with the owner. Then all come, each once, in the order of
 * beginning, as no two are under way at one time. */
static void full(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 8, 2, 0);
    struct ni_qp_work nop = {.op = NI_QP_NOP};
    uint64_t held = qp_stat(pair, "qp_held");
    uint32_t next = 0;

    while (nop.cookie < 10) {
        qp_post(pair, &nop);
        nop.cookie++;
    }
    suite_rest(suite);
    CHECK(!ni_qp_post(&pair->qp, &nop));
    CHECK(qp_stat(pair, "qp_held") > held);
    for (; next < 24; next++) {
        struct ni_qp_result result = qp_next(pair);

        check_done(result, 0);
        CHECK(result.cookie == next);
        if (nop.cookie < 24) {
            qp_post(pair, &nop);
            nop.cookie++;
        }
    }
    suite_rest(suite);
    CHECK(!ni_qp_poll(&pair->qp, &pair->result));
}

/* ---- batches, fences, silence ---------------------------------------------------------------- */

/* Nothing is taken before the first entry is there; and a cluster of silent writes is told of once,
 * by what comes behind its fence. */
static void clusters(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 16, 8, 256);

    for (uint32_t round = 0; round < 2; round++) {
        struct ni_qp_work work[6];
        uint64_t requests = qp_stat(pair, "qp_requests");
        struct ni_qp_result result;

        for (uint32_t i = 0; i < 5; i++) {
            work[i] = qp_copy(world, NI_QP_WRITE, i, 3000, 10 * round + i + 1);
            work[i].flags = NI_QP_SILENT;
        }
        work[5] = (struct ni_qp_work){.op = NI_QP_NOP, .flags = NI_QP_FENCE, .cookie = round};
        while (ni_qp_room(&pair->qp, 6) < 6) {
            suite_rest(suite);
        }
        for (uint32_t i = 6; i-- > 1;) {
            ni_qp_put(&pair->qp, pair->qp.posted + i, &work[i]);
        }
        suite_rest(suite);
        CHECK(qp_stat(pair, "qp_requests") == requests);
        ni_qp_put(&pair->qp, pair->qp.posted, &work[0]);
        pair->qp.posted += 6;
        result = qp_next(pair);
        check_done(result, 0);
        CHECK(result.cookie == round);
        for (uint32_t i = 0; i < 5; i++) {
            CHECK(qp_copied(world, &work[i], i));
        }
        CHECK(!ni_qp_poll(&pair->qp, &result));
    }
}

/* What follows a fence sees what came before: a read of what was written. */
static void fenced(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 4, 4, 64);

    for (uint32_t i = 0; i < 20; i++) {
        struct ni_qp_work work[2] = {qp_copy(world, NI_QP_WRITE, 0, 2000, i + 1),
                                     qp_copy(world, NI_QP_WRITE, 0, 2000, i + 1)};

        work[0].flags = NI_QP_SILENT;
        work[1].op = NI_QP_READ;
        work[1].flags = NI_QP_FENCE;
        work[1].local = world->local + QP_SLICE;
        CHECK(ni_qp_post_batch(&pair->qp, work, 2));
        check_done(qp_next(pair), 2000);
        CHECK(suite_filled(world->local + QP_SLICE, 2000, i + 1));
    }
}

/* ---- notification ---------------------------------------------------------------------------- */

static bool is_there(void *arg)
{
    struct qp_world *world = arg;
    ni_word *flag = (ni_word *)(void *)(world->remote + (size_t)QP_SLICE * 200);

    return atomic_load_explicit(flag, memory_order_acquire) == 4711;
}

/* A note behind the data tells the target; a departure gives the source back. */
static void notified(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 4, 4, 64);
    ni_word *flag = (ni_word *)(void *)(world->remote + (size_t)QP_SLICE * 200);

    for (uint32_t flags = NI_QP_NOTE; flags <= (NI_QP_NOTE | NI_QP_DEPARTED); flags += 8) {
        for (uint32_t len = 1; len < 20000; len = 5 * len + 3) {
            struct ni_qp_work work = qp_copy(world, NI_QP_WRITE, 2, len, len + flags);

            work.flags = flags;
            work.operand = (uintptr_t)flag;
            work.compare = 4711;
            atomic_store(flag, 0);
            check_done(qp_run(pair, &work), len);
            memset(world->local + 2 * QP_SLICE, 0xff, (flags & NI_QP_DEPARTED) != 0 ? len : 0);
            suite_until(suite, is_there, world);
            CHECK(qp_copied(world, &work, 2));
        }
    }
}

/* ---- at random, against a model -------------------------------------------------------------- */

/* A slot is a slice of memory, or a word for atomics, that one request at a time uses. */
struct slot {
    bool busy;
    struct ni_qp_work work;
    uint64_t word; /* what the model says is there */
};

struct traced {
    struct qp_pair *pair;
    struct slot *slots; /* SLOTS of them */
    size_t first;       /* slice */
};

static struct ni_qp_work random_work(struct qp_world *world, struct traced *traced, size_t slot)
{
    struct ni_rng *rng = &world->suite->rng;
    uint32_t cookie = (uint32_t)ni_rng_next(rng) | 1;
    enum ni_qp_op op = (enum ni_qp_op)(1 + ni_rng_below(rng, 4));
    struct ni_qp_work work;

    if (op == NI_QP_READ || op == NI_QP_WRITE) {
        work = qp_copy(world, op, traced->first + slot, (uint32_t)ni_rng_below(rng, QP_SLICE - 8),
                       cookie);
    } else {
        work = (struct ni_qp_work){.op = op};
    }
    if (op == NI_QP_ATOMIC) {
        work.len = 8;
        work.atomic = NI_ATOMIC_ADD;
        work.operand = ni_rng_below(rng, 1000);
        /* The last word of the slice, which copies leave alone. */
        work.remote = (uintptr_t)world->remote + (traced->first + slot + 1) * QP_SLICE - 8;
    }
    work.flags = ni_rng_below(rng, 8) == 0 ? NI_QP_FENCE : 0;
    work.cookie = (uint32_t)slot | cookie << 8;
    return work;
}

/* Data was filled by the cookie before the slot came into it. */
static void check_slot(struct qp_world *world, struct traced *traced, struct ni_qp_result result)
{
    struct slot *slot = &traced->slots[result.cookie & 0xff];
    size_t slice = traced->first + (result.cookie & 0xff);
    const uint8_t *from = (slot->work.op == NI_QP_WRITE ? world->local : world->remote);
    const uint8_t *to = (slot->work.op == NI_QP_WRITE ? world->remote : world->local);

    CHECK((result.cookie & 0xff) < SLOTS && slot->busy && result.cookie == slot->work.cookie);
    slot->busy = false;
    if (slot->work.op == NI_QP_ATOMIC) {
        check_done(result, slot->word);
        slot->word += slot->work.operand;
    } else {
        check_done(result, slot->work.len);
        CHECK(memcmp(from + slice * QP_SLICE, to + slice * QP_SLICE, slot->work.len) == 0);
    }
}

static void trace_step(struct qp_world *world, struct traced *traced)
{
    struct ni_rng *rng = &world->suite->rng;
    size_t slot = (size_t)ni_rng_below(rng, SLOTS);
    struct ni_qp_result result;

    if (ni_rng_below(rng, 3) != 0) {
        if (!traced->slots[slot].busy && ni_qp_room(&traced->pair->qp, 1) != 0) {
            traced->slots[slot].work = random_work(world, traced, slot);
            traced->slots[slot].busy = true;
            CHECK(ni_qp_post(&traced->pair->qp, &traced->slots[slot].work));
        }
    } else if (ni_qp_poll(&traced->pair->qp, &result)) {
        check_slot(world, traced, result);
    }
}

static void drain(struct qp_world *world, struct traced *traced)
{
    for (size_t i = 0; i < SLOTS; i++) {
        while (traced->slots[i].busy) {
            check_slot(world, traced, qp_next(traced->pair));
        }
    }
    CHECK(!ni_qp_poll(&traced->pair->qp, &traced->pair->result));
}

static void turn_once(struct suite_ni *ni, void *arg)
{
    (void)arg;
    suite_turn(ni);
}

/* Pairs with rings of different sizes share the NI. */
static void at_random(struct suite *suite)
{
    static const uint32_t rings[PAIRS][3] = {{2, 2, 0},    {4, 2, 64},  {8, 32, 128},
                                             {2, 16, 512}, {16, 4, 64}, {64, 64, 4096}};
    struct qp_world *world = qp_world_new(suite);
    struct traced traced[PAIRS];

    for (unsigned i = 0; i < PAIRS; i++) {
        traced[i].pair = qp_pair_new(world, rings[i][0], rings[i][1], rings[i][2]);
        traced[i].slots = suite_alloc(suite, SLOTS * sizeof(struct slot));
        traced[i].first = (size_t)i * SLOTS;
    }
    for (unsigned step = 0; step < STEPS; step++) {
        trace_step(world, &traced[ni_rng_below(&suite->rng, PAIRS)]);
        if (step % 16 == 0 && suite->link->mode == SUITE_HERE) {
            suite_call(suite, 0, turn_once, NULL);
        }
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        drain(world, &traced[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"hello", 2, 0, hello},     {"sizes", 2, 0, sizes},       {"unrolled", 2, 0, unrolled},
        {"atomics", 2, 0, atomics}, {"full", 2, 0, full},         {"clusters", 2, 0, clusters},
        {"fenced", 2, 0, fenced},   {"notified", 2, 0, notified}, {"at_random", 2, 0, at_random},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
