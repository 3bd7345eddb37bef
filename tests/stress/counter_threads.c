/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/random.h"
#include "link/inproc/hooks.h"

/*
 * Two NIs with several threads on each: additions, settings, counted writes, thresholds, remote
 * stores, loads and fences, all at the same time, and a barrier of all threads in between. Checked:
 * no addition is lost, each threshold starts its operation once, a fence is followed by what was
 * stored before it, nobody leaves a barrier before all have come.
 *
 *   counter_threads [ROUNDS]
 */

enum {
    THREADS = 3, /* on each NI */
    ROUNDS = 5,
    STEPS = 40,   /* between two barriers */
    WORDS = 2048, /* of a slice: for stores; then for deferred writes; then for counted ones */
    DEFERRED = WORDS + 8 * 256,
    SLICE = 96 * 1024,
    MEMBERS = 2 * THREADS,
};

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static const char *mode;
static unsigned rounds = ROUNDS;
static _Atomic uint64_t entered, left;

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "counter_threads: line %d: %s (%s)\n", line, what, mode);
    abort();
}

struct side {
    struct ni *ni;
    struct ni_peer *peer; /* the other */
    struct ni_rkey memory, sum, ring;
    uint8_t *bytes; /* THREADS slices, written by the threads of the other side */
    _Atomic int64_t added;
    _Atomic uint64_t fired, deferred, done;
};

struct worker {
    struct side *here, *there;
    unsigned index, member;
    struct ni_rng rng;
    struct ni_barrier *barrier;
    size_t
        counted; /* bytes of the slice that were written to: each is once, nobody waits for them */
    uint64_t words[2]; /* from which deferred writes come */
    pthread_t thread;
};

static void count(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add((_Atomic uint64_t *)arg, 1);
}

static struct ni_remote place(const struct worker *worker, size_t at)
{
    const struct side *there = worker->there;

    return (struct ni_remote){.addr = (uintptr_t)there->bytes + worker->index * SLICE + at,
                              .key = there->memory.key,
                              .handle = there->memory.handle};
}

static void fence(const struct worker *worker)
{
    CHECK(ni_store_fence_wait(worker->here->ni, worker->here->peer) == NI_OK);
}

/* A few words, then one of them back. */
static void store_and_load(struct worker *worker)
{
    struct ni *ni = worker->here->ni;
    unsigned words = 1 + (unsigned)ni_rng_below(&worker->rng, 20);
    size_t at = 8 * ni_rng_below(&worker->rng, 200);
    uint64_t value = ni_rng_next(&worker->rng), loaded;

    for (unsigned i = 0; i < words; i++) {
        struct ni_remote where = place(worker, at + 8 * i);
        ni_status status;

        while ((status = ni_store(ni, worker->here->peer, &where, value + i, 8)) == NI_AGAIN) {
            (void)ni_progress(ni);
        }
        CHECK(status == NI_OK);
    }
    if (ni_rng_below(&worker->rng, 2) == 0) {
        fence(worker);
    }
    unsigned which = (unsigned)ni_rng_below(&worker->rng, words);
    struct ni_remote where = place(worker, at + 8 * which);

    CHECK(ni_load(ni, worker->here->peer, &where, 8, &loaded) == NI_OK && loaded == value + which);
}

static void add(struct worker *worker)
{
    struct side *there = worker->there;
    int64_t value = (int64_t)ni_rng_below(&worker->rng, 9) - 4;
    struct ni_counter_setting setting = {.flags = NI_COUNTER_ADD, .value = value};
    ni_status status;

    switch (ni_rng_below(&worker->rng, 3)) {
    case 0:
        status = ni_counter_post(worker->here->ni, worker->here->peer, &there->sum, value);
        break;
    case 1:
        status = ni_counter_set(worker->here->ni, worker->here->peer, &there->sum, &setting, NULL);
        break;
    default:
        there = worker->here;
        status = ni_counter_add(there->ni, there->sum.handle, value);
    }
    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status == NI_OK) {
        atomic_fetch_add(&there->added, value);
    }
}

static void write_counted(struct worker *worker)
{
    struct ni_remote where = place(worker, DEFERRED + worker->counted);
    uint8_t bytes[300];
    size_t len = 1 + ni_rng_below(&worker->rng, sizeof(bytes));
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = count, .arg = &worker->here->done};
    uint64_t before = atomic_load(&worker->here->done);
    ni_status status;

    if (DEFERRED + worker->counted + len > SLICE) {
        return;
    }
    worker->counted += len;
    memset(bytes, (int)len, sizeof(bytes));
    status = ni_write_counted(worker->here->ni, worker->here->peer, bytes, len, &where,
                              &worker->there->sum, &ack);
    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status == NI_OK) {
        atomic_fetch_add(&worker->there->added, (int64_t)len);
    }
    /* The buffer is wanted until then; others count there, too. */
    while (status == NI_OK && atomic_load(&worker->here->done) == before) {
        (void)ni_progress(worker->here->ni);
    }
}

/* The ring goes round with each addition: it fires, and is armed again. */
static void turn_ring(struct worker *worker)
{
    CHECK(ni_counter_post(worker->here->ni, worker->here->peer, &worker->there->ring, 1) == NI_OK);
}

static void defer(struct worker *worker, unsigned round)
{
    struct ni_deferred deferred = {
        .op = NI_DEFERRED_WRITE,
        .peer = worker->here->peer,
        .src = worker->words,
        .len = 8,
        .where = place(worker, WORDS + 8 * (round % 256)),
        .ack = {.kind = NI_ACK_CALL, .fn = count, .arg = &worker->here->deferred}};

    /* Reached already, or by one of the next additions to the ring. */
    CHECK(ni_counter_trigger(worker->here->ni, worker->here->ring.handle, -1 + (worker->index == 0),
                             &deferred) == NI_OK);
}

static void meet(struct worker *worker, unsigned round)
{
    atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed);
    CHECK(ni_barrier_enter(worker->barrier) == NI_OK);
    CHECK(ni_barrier_wait(worker->barrier) == NI_OK);
    CHECK(atomic_load_explicit(&entered, memory_order_relaxed) >= (uint64_t)MEMBERS * (round + 1));
}

/* What a member has to pass on may wait for room still: who has passed makes progress until all
 * have. */
static void leave(const struct worker *worker)
{
    atomic_fetch_add_explicit(&left, 1, memory_order_relaxed);
    while (atomic_load_explicit(&left, memory_order_relaxed) != MEMBERS) {
        (void)ni_wait(worker->here->ni, 10);
    }
}

static void *work(void *arg)
{
    struct worker *worker = arg;

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned step = 0; step < STEPS; step++) {
            switch (ni_rng_below(&worker->rng, 8)) {
            case 0:
                turn_ring(worker);
                break;
            case 1:
                write_counted(worker);
                break;
            case 2:
            case 3:
                store_and_load(worker);
                break;
            case 4:
                (void)ni_wait(worker->here->ni, 10);
                break;
            default:
                add(worker);
            }
        }
        if (worker->index < 2) {
            defer(worker, round);
        }
        turn_ring(worker);
        meet(worker, round);
    }
    leave(worker);
    return NULL;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void open_side(struct side *side, struct ni_fabric *fabric)
{
    struct ni_open_attr attr = {.flags = NI_THREADS, .fabric = fabric, .host_processes = 2};
    struct ni_counter_setting ring = {.flags = NI_COUNTER_RELOAD, .reload = -1};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = count, .arg = &side->fired};

    side->bytes = aligned_alloc(64, THREADS * SLICE);
    CHECK(side->bytes != NULL && ni_open(&attr, &side->ni) == NI_OK);
    memset(side->bytes, 0, THREADS * SLICE);
    CHECK(ni_region_memory(side->ni, side->bytes, THREADS * SLICE, NI_ACCESS_ALL, &side->memory) ==
          NI_OK);
    CHECK(ni_counter_create(side->ni, 0, &side->sum) == NI_OK);
    CHECK(ni_counter_create(side->ni, -1, &side->ring) == NI_OK);
    CHECK(ni_counter_set(side->ni, NULL, &side->ring, &ring, NULL) == NI_OK);
    CHECK(ni_counter_notify(side->ni, side->ring.handle, &ack) == NI_OK);
}

static void connect_sides(struct side *side, const struct side *other)
{
    uint8_t blob[NI_BLOB_MAX];

    CHECK(ni_connect(side->ni, blob, ni_address(other->ni, blob, sizeof(blob)), &side->peer) ==
          NI_OK);
}

static void join(struct worker *workers, unsigned arity)
{
    struct ni_barrier_address addresses[MEMBERS];

    for (unsigned i = 0; i < MEMBERS; i++) {
        CHECK(ni_barrier_create(workers[i].here->ni, MEMBERS, i, arity, &workers[i].barrier,
                                &addresses[i]) == NI_OK);
    }
    for (unsigned i = 0; i < MEMBERS; i++) {
        struct ni_peer *peers[MEMBERS];

        for (unsigned n = 0; n < MEMBERS; n++) {
            peers[n] = workers[n].here != workers[i].here ? workers[i].here->peer : NULL;
        }
        CHECK(ni_barrier_connect(workers[i].barrier, peers, addresses) == NI_OK);
    }
}

static void check_side(const struct side *side, struct ni *other)
{
    int64_t value = 0;

    CHECK(ni_counter_add(side->ni, side->ring.handle, 1) == NI_OK); /* for those that came last */
    do {
        (void)ni_progress(side->ni);
        (void)ni_progress(other);
        CHECK(ni_counter_read(side->ni, side->sum.handle, &value) == NI_OK);
    } while (value != atomic_load(&side->added) ||
             atomic_load(&side->deferred) != (uint64_t)2 * rounds);
}

static void run(const char *name, struct ni_fabric *fabric, unsigned arity)
{
    struct side sides[2];
    struct worker workers[MEMBERS];

    mode = name;
    atomic_store(&entered, 0);
    atomic_store(&left, 0);
    memset(sides, 0, sizeof(sides));
    memset(workers, 0, sizeof(workers));
    open_side(&sides[0], fabric);
    open_side(&sides[1], fabric);
    connect_sides(&sides[0], &sides[1]);
    connect_sides(&sides[1], &sides[0]);
    for (unsigned i = 0; i < MEMBERS; i++) {
        workers[i].here = &sides[i % 2];
        workers[i].there = &sides[(i + 1) % 2];
        workers[i].index = i / 2;
        ni_rng_seed(&workers[i].rng, i + 1);
    }
    join(workers, arity);
    for (unsigned i = 0; i < MEMBERS; i++) {
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < MEMBERS; i++) {
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
    }
    check_side(&sides[0], sides[1].ni);
    check_side(&sides[1], sides[0].ni);
    for (unsigned i = 0; i < MEMBERS; i++) {
        ni_barrier_free(workers[i].barrier);
    }
    for (unsigned i = 0; i < 2; i++) {
        CHECK(atomic_load(&sides[i].fired) >= (uint64_t)THREADS * rounds);
        ni_close(sides[i].ni);
        free(sides[i].bytes);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"inproc", "inproc by packets", "shm"};

    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : ROUNDS;
    for (unsigned i = 0; i < 3; i++) {
        struct ni_fabric_attr attr = {.no_direct_copy = i == 1};
        struct ni_fabric *fabric = NULL;

        CHECK(i == 2 || ni_fabric_create(&attr, &fabric) == NI_OK);
        run(names[i], fabric, i == 1 ? 2 : 0);
        ni_fabric_destroy(fabric);
    }
    return 0;
}
