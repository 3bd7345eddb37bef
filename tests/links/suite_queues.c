/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/arrive_queue.c ni/engine/object/queue/queue.c. */
#include "base/bits.h"
#include "suite_queues.h"

/*
 * Queues with a body: items of each size and of variable length, full queues that refuse or hold
 * back, and many writers.
 * Covers: ni/engine/bulk/write_object.c
 */

enum { ITEM_MAX = 4096, CAPACITY = 8 };

struct queue {
    struct ni_rkey rkey;
    size_t item, capacity;
    /* what a pop gave */
    ni_status status;
    uint8_t data[ITEM_MAX];
    size_t size, len;
    /* what is sent */
    uint8_t out[ITEM_MAX];
    size_t out_len;
    struct suite_done done;
    uint32_t accepted[SUITE_NIS];
};

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    CHECK(ni_region_queue(ni->ni, queue->item, queue->capacity, &queue->rkey) == NI_OK);
}

static void pop_here(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    queue->len = 0;
    queue->status = ni_queue_pop(ni->ni, queue->rkey.handle, queue->data, queue->size, &queue->len);
}

static ni_status pop(struct suite *suite, struct queue *queue, size_t size)
{
    queue->size = size;
    suite_call(suite, 1, pop_here, queue);
    return queue->status;
}

static struct queue *new_queue(struct suite *suite, size_t item, size_t capacity)
{
    struct queue *queue = suite_alloc(suite, sizeof(*queue));

    queue->item = item;
    queue->capacity = capacity;
    suite_call(suite, 1, open_queue, queue);
    CHECK(pop(suite, queue, ITEM_MAX) == NI_AGAIN);
    return queue;
}

/* Enqueue queue->out and wait for the verdict. */
static void enqueue_here(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;
    struct ni_ack ack = suite_ack(&queue->done);
    ni_status status;

    atomic_store(&queue->done.count, 0);
    while ((status = ni_enqueue(ni->ni, ni->peers[1], &queue->rkey, queue->out, queue->out_len,
                                &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
    while (atomic_load(&queue->done.count) == 0) {
        suite_turn(ni);
    }
}

static ni_status enqueue(struct suite *suite, struct queue *queue, size_t len, uint64_t seed)
{
    queue->out_len = len;
    suite_fill(queue->out, len, seed);
    suite_call(suite, 0, enqueue_here, queue);
    return (ni_status)atomic_load(&queue->done.status);
}

static void check_pop(struct suite *suite, struct queue *queue, size_t len, uint64_t seed)
{
    CHECK(pop(suite, queue, ITEM_MAX) == NI_OK);
    CHECK(queue->len == len);
    CHECK(suite_filled(queue->data, len, seed));
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Fill it, be refused, empty it, several times over its end. */
static void fixed_items(struct suite *suite)
{
    for (size_t item = 4; item <= 64; item *= 2) {
        struct queue *queue = new_queue(suite, item, CAPACITY - 1); /* rounded up */

        for (uint64_t round = 0; round < 5; round++) {
            uint64_t n = round % 2 == 0 ? CAPACITY : CAPACITY - 3;

            for (uint64_t i = 0; i < n; i++) {
                CHECK(enqueue(suite, queue, item, item + 10 * round + i) == NI_OK);
                CHECK(atomic_load(&queue->done.value) == item);
            }
            if (n == CAPACITY) {
                CHECK(enqueue(suite, queue, item, 99) == NI_AGAIN);
            }
            CHECK(enqueue(suite, queue, item - 1, 99) == NI_ERR_BOUNDS);
            CHECK(enqueue(suite, queue, item + 1, 99) == NI_ERR_BOUNDS);
            CHECK(enqueue(suite, queue, 0, 99) == NI_ERR_BOUNDS);
            CHECK(pop(suite, queue, item - 1) == NI_ERR_TRUNCATED);
            CHECK(queue->len == item);
            for (uint64_t i = 0; i < n; i++) {
                check_pop(suite, queue, item, item + 10 * round + i);
            }
            CHECK(pop(suite, queue, ITEM_MAX) == NI_AGAIN);
        }
    }
}

static void variable_items(struct suite *suite)
{
    struct queue *queue = new_queue(suite, 0, 32); /* 2 KiB */
    size_t first = 0, last = 0, used = 0;
    size_t lens[256];

    for (int step = 0; step < 600; step++) {
        size_t len = (ni_rng_below(&suite->rng, 900)) >> ni_rng_below(&suite->rng, 6);
        size_t units = ni_div_up(len + sizeof(uint32_t), 64);

        if (ni_rng_below(&suite->rng, 2) == 0) {
            ni_status status = enqueue(suite, queue, len, last);

            CHECK(status == (used + units <= 32 ? NI_OK : NI_AGAIN));
            if (status == NI_OK) {
                lens[last++ % 256] = len;
                used += units;
            }
        } else if (first < last) {
            len = lens[first % 256];
            if (len > 0) {
                CHECK(pop(suite, queue, len - 1) == NI_ERR_TRUNCATED && queue->len == len);
            }
            check_pop(suite, queue, len, first++);
            used -= ni_div_up(len + sizeof(uint32_t), 64);
        } else {
            CHECK(pop(suite, queue, ITEM_MAX) == NI_AGAIN);
        }
    }
    CHECK(last > 50);
    /* Longer than the queue will ever have room for. */
    CHECK(enqueue(suite, queue, 2048, 1) == NI_ERR_BOUNDS);
}

static void bad_queues_here(struct suite_ni *ni, void *arg)
{
    static const size_t bad[][2] = {{1, 8}, {3, 8}, {5, 8},        {65, 8},           {128, 8},
                                    {8, 0}, {0, 0}, {8, SIZE_MAX}, {0, SIZE_MAX / 64}};
    struct ni_rkey rkey;
    size_t len;
    uint8_t item[64];

    (void)arg;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(bad); i++) {
        CHECK(ni_region_queue(ni->ni, bad[i][0], bad[i][1], &rkey) == NI_ERR_INVALID);
    }
    CHECK(ni_queue_pop(ni->ni, 0, item, sizeof(item), &len) == NI_ERR_REGION);
    CHECK(ni_region_memory(ni->ni, item, sizeof(item), NI_ACCESS_ALL, &rkey) == NI_OK);
    CHECK(ni_queue_pop(ni->ni, rkey.handle, item, sizeof(item), &len) == NI_ERR_REGION);
    CHECK(ni_region_deregister(ni->ni, rkey.handle) == NI_OK);
}

static void bad_queues(struct suite *suite)
{
    suite_call(suite, 0, bad_queues_here, NULL);
}

/* ---- holding back ---------------------------------------------------------------------------- */

struct held {
    struct queue *queue;
    _Atomic uint64_t sent;
    uint32_t messages;
};

static void send_numbers(struct suite_ni *ni, void *arg)
{
    struct held *held = arg;

    while (atomic_load(&held->sent) < held->messages) {
        uint64_t number = atomic_load(&held->sent);
        ni_status status = ni_message(ni->ni, ni->peers[1], held->queue->rkey.handle, 0, &number,
                                      sizeof(number), NULL, 0);

        CHECK(status == NI_OK || status == NI_AGAIN);
        if (status == NI_AGAIN) {
            return;
        }
        atomic_fetch_add(&held->sent, 1);
    }
}

/* Messages have no ack: a full queue holds their sender back, and none is lost. */
static void full_queue_holds_back(struct suite *suite)
{
    struct held *held = suite_alloc(suite, sizeof(*held));
    uint64_t popped = 0, before = UINT64_MAX;

    held->queue = new_queue(suite, 8, CAPACITY);
    held->messages = 1500;
    while (popped < held->messages) {
        suite_call(suite, 0, send_numbers, held);
        if (atomic_load(&held->sent) == before) {
            suite_rest(suite); /* everything is full: it stays so until we pop */
        }
        before = atomic_load(&held->sent);
        while (pop(suite, held->queue, 8) == NI_OK) {
            CHECK(memcmp(held->queue->data, &popped, sizeof(popped)) == 0);
            popped++;
        }
    }
    CHECK(pop(suite, held->queue, 8) == NI_AGAIN);
}

/* The one that is held back does not hold back others. */
static void send_to_other(struct suite_ni *ni, void *arg)
{
    struct held *held = arg;
    uint64_t number = 1;

    if (ni->index == 2) {
        CHECK(suite_message(ni, 1, held[1].queue->rkey.handle, 0, &number, sizeof(number)) ==
              NI_OK);
        return;
    }
    for (int i = 0; i < 100; i++) {
        send_numbers(ni, &held[0]);
        suite_turn(ni);
    }
}

static void only_the_sender_waits(struct suite *suite)
{
    struct held *held = suite_alloc(suite, 2 * sizeof(*held));

    held[0].queue = new_queue(suite, 8, CAPACITY);
    held[1].queue = new_queue(suite, 8, CAPACITY);
    held[0].messages = 1000;
    suite_call(suite, 0, send_to_other, held);
    CHECK(atomic_load(&held[0].sent) > CAPACITY);
    suite_call(suite, 2, send_to_other, held);
    while (pop(suite, held[1].queue, 8) != NI_OK) {
        suite_rest(suite);
    }
}

/* ---- pushing back ---------------------------------------------------------------------------- */

struct pushed {
    struct queue *queue;
    struct suite_done done[CAPACITY + 2];
    bool with_ack;
};

static void open_pushing(struct suite_ni *ni, void *arg)
{
    struct pushed *pushed = arg;

    CHECK(ni_region_single_queue(ni->ni, 8, CAPACITY, pushed->with_ack ? NI_QUEUE_PUSH_BACK : 0,
                                 &pushed->queue->rkey) == NI_OK);
}

static void enqueue_all(struct suite_ni *ni, void *arg)
{
    struct pushed *pushed = arg;

    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(pushed->done); i++) {
        struct ni_ack ack = suite_ack(&pushed->done[i]);

        while (ni_enqueue(ni->ni, ni->peers[1], &pushed->queue->rkey, &i, sizeof(i),
                          pushed->with_ack ? &ack : NULL) == NI_AGAIN) {
            suite_turn(ni);
        }
    }
}

static void no_ack_yet(struct suite_ni *ni, void *arg)
{
    struct pushed *pushed = arg;

    CHECK(atomic_load(&pushed->done[CAPACITY].count) == 0);
    CHECK(suite_stat(ni, "queue_held") > 0 && suite_stat(ni, "queue_refused") == 0);
}

/* Items wait and none is refused: because the queue says so, or because there is no ack to refuse
 * to. */
static void pushes_back(struct suite *suite)
{
    for (unsigned with_ack = 0; with_ack < 2; with_ack++) {
        struct pushed *pushed = suite_alloc(suite, sizeof(*pushed));

        pushed->queue = suite_alloc(suite, sizeof(*pushed->queue));
        pushed->with_ack = with_ack != 0;
        suite_call(suite, 1, open_pushing, pushed);
        suite_call(suite, 0, enqueue_all, pushed);
        suite_rest(suite);
        suite_call(suite, 1, no_ack_yet, pushed);
        for (uint64_t i = 0; i < NI_ARRAY_LENGTH(pushed->done);) {
            if (pop(suite, pushed->queue, 8) != NI_OK) {
                suite_rest(suite);
                continue;
            }
            CHECK(memcmp(pushed->queue->data, &i, sizeof(i)) == 0);
            i++;
        }
        for (unsigned i = 0; with_ack && i < NI_ARRAY_LENGTH(pushed->done); i++) {
            suite_until_count(suite, &pushed->done[i].count, 1);
            CHECK(atomic_load(&pushed->done[i].status) == NI_OK);
        }
    }
}

/* ---- many writers ---------------------------------------------------------------------------- */

struct numbered {
    uint32_t writer, number;
};

static void write_many(struct suite_ni *ni, void *arg)
{
    struct queue *queue = arg;

    for (uint32_t i = 0; i < 200; i++) {
        struct numbered item = {.writer = ni->index, .number = queue->accepted[ni->index]};
        struct suite_done done = {0};
        struct ni_ack ack = suite_ack(&done);
        ni_status status;

        while ((status = ni_enqueue(ni->ni, ni->peers[1], &queue->rkey, &item, sizeof(item),
                                    &ack)) == NI_AGAIN) {
            suite_turn(ni);
        }
        CHECK(status == NI_OK);
        while (atomic_load(&done.count) == 0) {
            suite_turn(ni);
        }
        status = (ni_status)atomic_load(&done.status);
        CHECK(status == NI_OK || status == NI_AGAIN);
        queue->accepted[ni->index] += status == NI_OK;
    }
}

/* What was accepted is there, once, in the order of its writer; nothing else is. */
static void many_writers(struct suite *suite)
{
    struct queue *queue = new_queue(suite, 8, 256);
    uint32_t popped[SUITE_NIS] = {0};

    for (unsigned i = 0; i < suite->n; i++) {
        if (i != 1) {
            suite_begin(suite, i, write_many, queue);
        }
    }
    for (unsigned i = 0; i < suite->n; i++) {
        if (i != 1) {
            suite_end(suite, i);
        }
    }
    while (pop(suite, queue, 8) == NI_OK) {
        struct numbered item;

        memcpy(&item, queue->data, sizeof(item));
        CHECK(item.writer < suite->n && item.number == popped[item.writer]);
        popped[item.writer]++;
    }
    for (unsigned i = 0; i < suite->n; i++) {
        CHECK(popped[i] == queue->accepted[i]);
    }
    CHECK(popped[0] + popped[2] + popped[3] == 256);
}

/* ---- going away ------------------------------------------------------------------------------ */

static void deregister_here(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_deregister(ni->ni, ((struct queue *)arg)->rkey.handle) == NI_OK);
}

/* With items in it and writers that do not know: they are refused from then on. */
static void deregistered(struct suite *suite)
{
    struct queue *queue = new_queue(suite, 16, CAPACITY);

    CHECK(enqueue(suite, queue, 16, 1) == NI_OK);
    CHECK(enqueue(suite, queue, 16, 2) == NI_OK);
    suite_call(suite, 1, deregister_here, queue);
    CHECK(enqueue(suite, queue, 16, 3) == NI_ERR_REGION);
    CHECK(pop(suite, queue, 16) == NI_ERR_REGION);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"fixed_items", 2, 0, fixed_items},
        {"variable_items", 2, 0, variable_items},
        {"bad_queues", 2, 0, bad_queues},
        {"full_queue_holds_back", 2, 0, full_queue_holds_back},
        {"only_the_sender_waits", 3, 0, only_the_sender_waits},
        {"pushes_back", 2, 0, pushes_back},
        {"many_writers", 4, 0, many_writers},
        {"deregistered", 2, 0, deregistered},
        {"items_by_message", 2, 0, queues_items_by_message},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
