/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "base/random.h"
#include "link/inproc/hooks.h"

/*
 * Covers: core/engine_thread.c core/lock.c drive/thread.c
 *
 * Two NIs, several threads on each, and each thread does whatever a thread may: transfers of all
 * kinds, flushes, counters, regions that come and go, polling and sleeping; callbacks do the same.
 * Checked: messages of one thread arrive in order, each once; bytes are right; each operation
 * completes once; memory is left alone once its region is gone. Then the same with a third NI that
 * goes while everybody talks to it.
 *
 *   engine_threads [STEPS]   of each thread
 */

enum {
    THREADS = 3,
    STEPS = 400,
    SLICE = 48 * 1024, /* of the region that one thread uses */
    REGION = THREADS * SLICE,
    WORK = 40, /* operations that one thread has under way at most */
};

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))

static const char *mode;
static bool direct; /* peers copy without asking: complete transfers before memory goes */
static _Atomic unsigned working; /* threads */
static unsigned steps = STEPS;
static enum ni_placement placement = NI_PLACEMENT_TILE;

static _Noreturn void failed(int line, const char *what)
{
    fprintf(stderr, "engine_threads: line %d: %s (%s)\n", line, what, mode);
    abort();
}

struct worker;

struct side {
    struct ni *ni;
    struct side *other;
    struct ni_peer *peer; /* the other */
    struct ni_peer *doomed;
    struct ni_remote doomed_region;
    struct ni_rkey sink, memory, counter, queue;
    uint8_t *region;
    _Alignas(8) uint64_t shared; /* fetch and add by all */
    struct ni_rkey shared_key;
    _Atomic uint64_t messages_out, messages_in, added, notified, items_out, items_in;
    uint32_t next[THREADS]; /* number expected, by any thread that polls */
    struct worker *workers;
};

struct worker {
    struct side *side;
    unsigned index;
    struct ni_rng rng;
    pthread_t thread;
    uint32_t sent; /* messages */
    _Atomic unsigned started, ended;
    uint8_t *buffer; /* a slice to write from, one to read into */
};

/* Ends at most once: nobody else looks at it. */
struct operation {
    struct worker *worker;
    bool may_fail;
};

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct operation *operation = arg;

    (void)value;
    CHECK(status == NI_OK || operation->may_fail);
    atomic_fetch_add(&operation->worker->ended, 1);
    free(operation); /* a second completion is a use after free */
}

static struct ni_ack start(struct worker *worker, bool may_fail)
{
    struct operation *operation = malloc(sizeof(*operation));

    CHECK(operation != NULL);
    *operation = (struct operation){.worker = worker, .may_fail = may_fail};
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = on_done, .arg = operation};
}

static void started(struct worker *worker, ni_status status, struct ni_ack ack)
{
    if (status == NI_OK) {
        atomic_fetch_add(&worker->started, 1);
    } else {
        CHECK(status == NI_AGAIN || ((struct operation *)ack.arg)->may_fail);
        free(ack.arg);
    }
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;
    struct ni_rkey rkey;
    uint32_t words[2];
    uint8_t byte;

    CHECK(message->len >= sizeof(words) && message->source == side->peer);
    memcpy(words, message->data, sizeof(words));
    CHECK(words[0] < THREADS && words[1] == side->next[words[0]]);
    side->next[words[0]]++;
    atomic_fetch_add(&side->messages_in, 1);
    switch (words[1] % 8) {
    case 0:
        (void)ni_progress(side->ni);
        break;
    case 1:
        CHECK(ni_region_memory(side->ni, &byte, 1, NI_ACCESS_READ, &rkey) == NI_OK);
        CHECK(ni_region_deregister(side->ni, rkey.handle) == NI_OK);
        break;
    case 2:
        (void)ni_message(side->ni, message->source, side->other->queue.handle, 0, NULL, 0, words,
                         7); /* no item: refused there */
        break;
    default:
        break;
    }
}

static void on_zero(void *arg, ni_status status, uint64_t value)
{
    struct side *side = arg;

    CHECK(status == NI_OK && value == 77);
    atomic_fetch_add(&side->notified, 1);
}

/* ---- what a thread does ---------------------------------------------------------------------- */

static void send_message(struct worker *worker)
{
    struct side *side = worker->side;
    uint32_t words[400] = {worker->index, worker->sent};
    size_t len =
        8 + (ni_rng_below(&worker->rng, sizeof(words) - 8) >> ni_rng_below(&worker->rng, 9));
    ni_status status = ni_message(side->ni, side->peer, side->other->sink.handle, 0, words, 8,
                                  (uint8_t *)words + 8, len - 8);

    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status == NI_OK) {
        worker->sent++;
        atomic_fetch_add(&side->messages_out, 1);
    }
}

/* The first thread of each side reads its queue, whatever else it does: a full one holds back what
 * comes behind. */
static void read_queue(struct worker *worker)
{
    struct side *side = worker->side;
    uint64_t item;
    size_t len;

    while (worker->index == 0 &&
           ni_queue_pop(side->ni, side->queue.handle, &item, sizeof(item), &len) == NI_OK) {
        CHECK(len == sizeof(item) && item < THREADS);
        atomic_fetch_add(&side->items_in, 1);
    }
}

static void wait_for_all(struct worker *worker)
{
    while (atomic_load(&worker->ended) != atomic_load(&worker->started)) {
        read_queue(worker);
        if (ni_wait(worker->side->ni, 50) == 0) {
            sched_yield();
        }
    }
}

/* Write and read back; nobody else uses the slice. */
static void copy_there_and_back(struct worker *worker)
{
    struct side *side = worker->side;
    uint64_t len = ni_rng_below(&worker->rng, SLICE) >> ni_rng_below(&worker->rng, 12);
    uint64_t at = worker->index * (uint64_t)SLICE + ni_rng_below(&worker->rng, SLICE - len);
    struct ni_remote remote = {.addr = (uintptr_t)side->other->region + at,
                               .key = side->other->memory.key,
                               .handle = side->other->memory.handle};
    uint8_t *from = worker->buffer, *back = worker->buffer + SLICE;
    struct ni_ack ack;

    wait_for_all(worker);
    for (uint64_t i = 0; i < len; i++) {
        from[i] = (uint8_t)(i * 31 + worker->rng.state[0]);
    }
    ack = start(worker, false);
    started(worker, ni_write(side->ni, side->peer, from, len, &remote, &ack), ack);
    wait_for_all(worker);
    ack = start(worker, false);
    started(worker, ni_read(side->ni, side->peer, back, len, &remote, &ack), ack);
    wait_for_all(worker);
    CHECK(memcmp(from, back, len) == 0);
}

static void add_somewhere(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_remote remote = {.addr = (uintptr_t)&side->other->shared,
                               .key = side->other->shared_key.key,
                               .handle = side->other->shared_key.handle};
    struct ni_ack ack = start(worker, false);
    ni_status status = ni_fetch_op(side->ni, side->peer, NI_ATOMIC_ADD, 8, 1, 0, &remote, &ack);

    started(worker, status, ack);
    if (status == NI_OK) {
        atomic_fetch_add(&side->other->added, 1);
    }
    ack = start(worker, false);
    started(worker, ni_counter_add_remote(side->ni, side->peer, &side->other->counter, 1, &ack),
            ack);
    /* Up and down: each return to zero is told to somebody. */
    CHECK(ni_counter_add(side->ni, side->counter.handle, -1) == NI_OK);
}

static void send_item(struct worker *worker)
{
    struct side *side = worker->side;
    uint64_t item = worker->index;
    ni_status status = ni_message(side->ni, side->peer, side->other->queue.handle, 0, NULL, 0,
                                  &item, sizeof(item));

    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status == NI_OK) {
        atomic_fetch_add(&side->items_out, 1);
    }
}

/* Memory that others write to until the region is gone, and then no more. */
static void register_for_a_while(struct worker *worker)
{
    struct side *side = worker->side;
    size_t len = 1 + ni_rng_below(&worker->rng, 20000);
    uint8_t *memory = malloc(len);
    struct ni_remote remote;
    struct ni_rkey rkey, found;
    struct ni_ack ack;
    ni_status status;

    wait_for_all(worker); /* the buffers are in use */
    CHECK(memory != NULL);
    memset(memory, 1, len);
    CHECK(ni_region_memory(side->ni, memory, len, NI_ACCESS_ALL, &rkey) == NI_OK);
    CHECK(ni_region_search(side->ni, memory, len, &found) == NI_OK);
    CHECK(found.handle == rkey.handle && found.key == rkey.key);
    remote = (struct ni_remote){.addr = (uintptr_t)memory, .key = rkey.key, .handle = rkey.handle};
    /* The other NI's threads would do this; any thread may. */
    ack = start(worker, true);
    status = ni_rng_below(&worker->rng, 2) == 0
                 ? ni_write(side->other->ni, side->other->peer, worker->buffer, len, &remote, &ack)
                 : ni_read(side->other->ni, side->other->peer, worker->buffer + SLICE, len, &remote,
                           &ack);
    started(worker, status, ack);
    for (uint64_t i = ni_rng_below(&worker->rng, 20); i > 0; i--) {
        (void)ni_progress(side->other->ni);
        (void)ni_progress(side->ni);
    }
    if (direct) {
        wait_for_all(worker);
    }
    CHECK(ni_region_deregister(side->ni, rkey.handle) == NI_OK);
    CHECK(ni_region_deregister(side->ni, rkey.handle) == NI_ERR_REGION);
    memset(memory, 2, len);
    for (int i = 0; i < 3; i++) {
        (void)ni_progress(side->other->ni);
        (void)ni_progress(side->ni);
    }
    for (size_t i = 0; i < len; i++) {
        CHECK(memory[i] == 2);
    }
    free(memory);
}

/* Each thread has a place of its own there, behind a word for all. */
static void talk_to_the_doomed(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_remote word = side->doomed_region, place = word;
    unsigned number = worker->index + (side < side->other ? 0 : THREADS);
    struct ni_ack ack = start(worker, true);

    wait_for_all(worker);
    place.addr += SLICE * (1 + (uint64_t)number);
    started(worker, ni_write(side->ni, side->doomed, worker->buffer, SLICE / 2, &place, &ack), ack);
    ack = start(worker, true);
    started(worker, ni_fetch_op(side->ni, side->doomed, NI_ATOMIC_ADD, 8, 1, 0, &word, &ack), ack);
    (void)ni_message(side->ni, side->doomed, 1, 0, NULL, 0, &worker->index, 4);
    (void)ni_message_max(side->doomed);
    (void)ni_peer_status(side->doomed);
}

static void flush(struct worker *worker)
{
    struct side *side = worker->side;
    struct ni_ack ack = start(worker, true);
    struct ni_peer *peer = ni_rng_below(&worker->rng, 2) == 0 ? side->peer : NULL;

    started(worker, ni_flush(side->ni, peer, &ack), ack);
}

static void step(struct worker *worker)
{
    struct side *side = worker->side;
    char text[128];

    switch (ni_rng_below(&worker->rng, 14)) {
    case 0:
        copy_there_and_back(worker);
        break;
    case 1:
        add_somewhere(worker);
        break;
    case 2:
        send_item(worker);
        break;
    case 3:
        register_for_a_while(worker);
        break;
    case 4:
        flush(worker);
        break;
    case 5:
        (void)ni_wait(side->ni, 20);
        break;
    case 6:
        CHECK(ni_peer_describe(side->peer, text, sizeof(text)) > 0);
        CHECK(ni_message_max(side->peer) > 0);
        CHECK(ni_counter_add(side->ni, side->counter.handle, 1) == NI_OK);
        break;
    case 7:
    case 8:
        if (side->doomed != NULL) {
            talk_to_the_doomed(worker);
        }
        break;
    case 9:
    case 10:
        (void)ni_progress(side->ni);
        break;
    default:
        send_message(worker);
    }
    if (atomic_load(&worker->started) - atomic_load(&worker->ended) > WORK) {
        wait_for_all(worker);
    }
}

static void *work(void *arg)
{
    struct worker *worker = arg;

    for (unsigned i = 0; i < steps; i++) {
        step(worker);
        read_queue(worker);
    }
    wait_for_all(worker);
    atomic_fetch_sub(&working, 1);
    while (worker->index == 0 && atomic_load(&working) != 0) {
        read_queue(worker);
        (void)ni_wait(worker->side->ni, 50);
    }
    return NULL;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct ni_peer *connect_to(struct ni *from, const struct ni *to)
{
    uint8_t blob[NI_BLOB_MAX];
    struct ni_peer *peer = NULL;

    CHECK(ni_connect(from, blob, ni_address(to, blob, sizeof(blob)), &peer) == NI_OK);
    return peer;
}

static void open_side(struct side *side, struct side *other, struct ni_fabric *fabric)
{
    struct ni_open_attr attr = {.flags = NI_THREADS, .fabric = fabric, .placement = placement};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_zero, .arg = side, .value = 77};

    *side = (struct side){.other = other};
    side->region = calloc(1, REGION);
    CHECK(side->region != NULL && ni_open(&attr, &side->ni) == NI_OK);
    CHECK(ni_region_consumer(side->ni, on_message, side, 0, &side->sink) == NI_OK);
    CHECK(ni_region_queue(side->ni, 8, 64, &side->queue) == NI_OK);
    CHECK(ni_counter_create(side->ni, 0, &side->counter) == NI_OK);
    CHECK(ni_counter_notify(side->ni, side->counter.handle, &ack) == NI_OK);
    CHECK(ni_region_memory(side->ni, side->region, REGION, NI_ACCESS_ALL, &side->memory) == NI_OK);
    CHECK(ni_region_memory(side->ni, &side->shared, 8, NI_ACCESS_ATOMIC, &side->shared_key) ==
          NI_OK);
}

static void begin(struct side *side)
{
    side->workers = calloc(THREADS, sizeof(*side->workers));
    CHECK(side->workers != NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        struct worker *worker = &side->workers[i];

        *worker = (struct worker){.side = side, .index = i};
        ni_rng_seed(&worker->rng, i + 1);
        worker->buffer = calloc(2, SLICE);
        CHECK(worker->buffer != NULL);
        CHECK(pthread_create(&worker->thread, NULL, work, worker) == 0);
    }
}

static bool all_arrived(struct side *sides)
{
    bool all = true;

    for (int i = 0; i < 2; i++) {
        struct side *side = &sides[i];

        read_queue(&side->workers[0]);
        all &= atomic_load(&side->messages_in) == atomic_load(&side->other->messages_out) &&
               atomic_load(&side->items_in) == atomic_load(&side->other->items_out);
    }
    return all;
}

static void check_side(struct side *side)
{
    CHECK(side->shared == atomic_load(&side->added));
    CHECK(ni_peer_status(side->peer) == NI_OK);
    CHECK(ni_stat_read(side->ni, ni_stat_find("pending_ops")) == 0);
    CHECK(ni_stat_read(side->ni, ni_stat_find("rx_malformed")) == 0);
}

static void free_side(struct side *side)
{
    for (int i = 0; i < THREADS; i++) {
        free(side->workers[i].buffer);
    }
    free(side->workers);
    free(side->region);
}

static void finish(struct side *sides)
{
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < THREADS; i++) {
            CHECK(pthread_join(sides[s].workers[i].thread, NULL) == 0);
        }
    }
    while (!all_arrived(sides)) {
        (void)ni_progress(sides[0].ni);
        (void)ni_progress(sides[1].ni);
    }
    check_side(&sides[0]);
    check_side(&sides[1]);
}

static void run(const char *name, struct ni_fabric *fabric, bool copies, int end_of_the_third)
{
    struct side sides[2];
    struct ni_open_attr attr = {.flags = NI_THREADS, .fabric = fabric, .placement = placement};
    struct ni_rkey rkey;
    struct ni *third = NULL;
    const size_t size = SLICE * (1 + 2 * (size_t)THREADS);
    uint8_t *memory = calloc(1, size);

    mode = name;
    direct = copies;
    CHECK(memory != NULL);
    open_side(&sides[0], &sides[1], fabric);
    open_side(&sides[1], &sides[0], fabric);
    sides[0].peer = connect_to(sides[0].ni, sides[1].ni);
    sides[1].peer = connect_to(sides[1].ni, sides[0].ni);
    if (end_of_the_third != 0) {
        CHECK(ni_open(&attr, &third) == NI_OK);
        CHECK(ni_region_memory(third, memory, size, NI_ACCESS_ALL, &rkey) == NI_OK);
        for (int i = 0; i < 2; i++) {
            sides[i].doomed = connect_to(sides[i].ni, third);
            sides[i].doomed_region = (struct ni_remote){
                .addr = (uintptr_t)memory, .key = rkey.key, .handle = rkey.handle};
        }
    }
    atomic_store(&working, 2 * THREADS);
    begin(&sides[0]);
    begin(&sides[1]);
    if (third != NULL) {
        for (int i = 0; i < 300; i++) {
            (void)ni_progress(third);
        }
        if (end_of_the_third == 2) {
            CHECK(ni_fabric_kill(fabric, 2));
        }
        ni_close(third);
    }
    finish(sides);
    for (int i = 0; third != NULL && i < 2; i++) {
        CHECK(ni_peer_status(sides[i].doomed) ==
              (end_of_the_third == 2 ? NI_ERR_PEER_DEAD : NI_ERR_PEER_CLOSED));
    }
    ni_close(sides[0].ni);
    ni_close(sides[1].ni);
    free_side(&sides[0]);
    free_side(&sides[1]);
    free(memory);
}

static void on_fabric(const char *name, enum ni_fabric_copy copy, int end_of_the_third)
{
    struct ni_fabric_attr attr = {.ring_size = 2048, .bulk_size = 16384};
    struct ni_fabric *fabric;

    CHECK(ni_fabric_create(&attr, &fabric) == NI_OK);
    ni_fabric_set_copy(fabric, copy);
    run(name, fabric, copy != NI_FABRIC_BY_PACKETS, end_of_the_third);
    ni_fabric_destroy(fabric);
}

int main(int argc, char **argv)
{
    char error[256];

    steps = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : STEPS;
    CHECK(ni_param_set("bulk_chunk", "4096", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_param_set("segment_size", "2K", "test", error, sizeof(error)) == NI_OK);
    on_fabric("inproc, packets", NI_FABRIC_BY_PACKETS, 0);
    on_fabric("inproc, both copy", NI_FABRIC_BY_CALL, 0);
    on_fabric("inproc, same memory", NI_FABRIC_SAME_MEMORY, 0);
    on_fabric("inproc, packets, one closes", NI_FABRIC_BY_PACKETS, 1);
    on_fabric("inproc, packets, one dies", NI_FABRIC_BY_PACKETS, 2);
    on_fabric("inproc, both copy, one dies", NI_FABRIC_BY_CALL, 2);
    placement = NI_PLACEMENT_SPLIT;
    on_fabric("inproc, both copy, split, one dies", NI_FABRIC_BY_CALL, 2);
    placement = NI_PLACEMENT_EDGE;
    on_fabric("inproc, packets, edge, one closes", NI_FABRIC_BY_PACKETS, 1);
    placement = NI_PLACEMENT_TILE;
    run("shm", NULL, true, 1);
    placement = NI_PLACEMENT_SPLIT;
    run("shm, split", NULL, true, 1);
    placement = NI_PLACEMENT_TILE;
    CHECK(ni_param_set("shm_copy", "copy", "test", error, sizeof(error)) == NI_OK);
    run("shm, packets", NULL, false, 1);
    return 0;
}
