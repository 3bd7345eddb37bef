/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite_stores.h"

/* Remote stores and loads: what is combined, the order, fences; and a random trace beside a
 * model. Covers: ni/engine/object/store/load.c ni/engine/object/store/stores.c */

enum { STEPS = 3000, AREAS = 2 };

/* ---- what is combined ------------------------------------------------------------------------ */

static void combine_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    uint64_t packets = suite_stat(ni, "store_packets"), stores = suite_stat(ni, "stores");
    uint64_t wanted = 0;

    for (unsigned i = 0; i < 16; i++) { /* a whole line leaves by itself */
        suite_store(ni, world, 1, 64 + 4 * i, i, 4);
    }
    wanted += 1;
    for (unsigned i = 0; i < 8; i++) { /* over the end of one */
        suite_store(ni, world, 1, 160 + 8 * i, i, 8);
    }
    wanted += 1;
    suite_store(ni, world, 1, 232, 1, 8); /* not the next */
    wanted += 1;
    suite_store(ni, world, 1, 232, 2, 8); /* the same again is not combined: each is seen */
    wanted += 1;
    suite_store(ni, world, 1, 240, 3, 1); /* of all widths */
    suite_store(ni, world, 1, 241, 4, 1);
    suite_store(ni, world, 1, 242, 5, 2);
    suite_store(ni, world, 1, 244, 6, 4);
    CHECK(ni_store_flush(ni->ni, ni->peers[1]) == NI_OK);
    wanted += 1;
    CHECK(ni_store_flush(ni->ni, NULL) == NI_OK);
    CHECK(suite_stat(ni, "stores") == stores + 30);
    CHECK(suite_stat(ni, "store_packets") == packets + (suite_stores_packets(ni) ? wanted : 0));
    CHECK(suite_stores_packets(ni) || ni_store_outstanding(ni->ni, ni->peers[1]) == 0);
    CHECK(suite_fence(ni, 1) == NI_OK && ni_store_outstanding(ni->ni, ni->peers[1]) == 0);
    suite_store(ni, world, 1, 256, 7, 8);
    CHECK(ni_store_outstanding(ni->ni, ni->peers[1]) == (suite_stores_packets(ni) ? 8U : 0U));
    while (ni_store_outstanding(ni->ni, ni->peers[1]) != 0) {
        suite_turn(ni); /* progress sends it */
    }
}

static void check_combined(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    uint64_t words[SUITE_STORES / 8];
    uint32_t half;

    memcpy(words, world->memory[ni->index], sizeof(words));
    for (unsigned i = 0; i < 8; i++) {
        memcpy(&half, world->memory[ni->index] + 64 + 8 * i + 4, sizeof(half));
        CHECK(half == 2 * i + 1 && words[20 + i] == i);
    }
    CHECK(words[29] == 2 && words[30] == UINT64_C(0x0000000600050403) && words[32] == 7);
    CHECK(words[7] == 0 && words[16] == 0 && words[28] == 0 && words[31] == 0);
}

static void combine(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 0, combine_here, world);
    suite_call(suite, 1, check_combined, world);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* What was stored before the message is there when it is. */
static void see(void *arg, const struct ni_message_info *message)
{
    struct suite_stores *world = arg;
    uint64_t number, word;

    memcpy(&number, message->data, sizeof(number));
    memcpy(&word, world->memory[1] + 8 * number, sizeof(word));
    CHECK(word == number);
    atomic_fetch_add(&world->messages, 1);
}

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    CHECK(ni_region_consumer(ni->ni, see, world, 0, &world->queue) == NI_OK);
}

static void store_and_tell(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    for (uint64_t n = 1; n <= 300; n++) {
        suite_store(ni, world, 1, 8 * n, n, 8);
        CHECK(suite_message(ni, 1, world->queue.handle, 0, &n, sizeof(n)) == NI_OK);
    }
}

static void order(struct suite *suite)
{
    struct suite_stores *world = suite_stores_world(suite);

    suite_call(suite, 1, open_queue, world);
    suite_call(suite, 0, store_and_tell, world);
    suite_until_count(suite, &world->messages, 300);
}

/* Loads, reads, atomics and writes come after stores. */
static void mixed_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    for (uint64_t n = 0; n < 100; n++) {
        struct ni_remote where = suite_stores_place(world, 1, 512 + 8 * (n % 16));
        uint64_t word = 0, old = 0;

        suite_store(ni, world, 1, 512 + 8 * (n % 16), n, 8);
        switch (n % 4) {
        case 0:
            CHECK(suite_load(ni, world, 1, 512 + 8 * (n % 16), 8) == n);
            break;
        case 1:
            CHECK(suite_read(ni, 1, &word, sizeof(word), &where) == NI_OK && word == n);
            break;
        case 2:
            CHECK(suite_fetch_op(ni, 1, NI_ATOMIC_ADD, 8, 1000, 0, &where, &old) == NI_OK);
            CHECK(old == n && suite_load(ni, world, 1, 512 + 8 * (n % 16), 8) == n + 1000);
            break;
        default:
            word = n + 5000;
            CHECK(suite_write(ni, 1, &word, sizeof(word), &where) == NI_OK);
            CHECK(suite_load(ni, world, 1, 512 + 8 * (n % 16), 4) == n + 5000);
        }
    }
}

static void mixed(struct suite *suite)
{
    suite_call(suite, 0, mixed_here, suite_stores_world(suite));
}

/* ---- a random trace -------------------------------------------------------------------------- */

struct trace {
    struct suite_stores *world;
    uint8_t *model[SUITE_NIS];
};

/* Mostly going on where the last one ended, now and then not. */
static size_t next_place(struct ni_rng *rng, size_t last, unsigned width)
{
    size_t at = ni_rng_below(rng, 8) != 0 ? last : ni_rng_below(rng, SUITE_STORES);

    at = ni_align_up(at, width);
    return at + width <= SUITE_STORES ? at : 0;
}

static void one_step(struct suite_ni *ni, struct trace *trace, size_t *last)
{
    struct ni_rng *rng = &ni->suite->rng;
    unsigned to = 1 + (unsigned)ni_rng_below(rng, AREAS), width = 1U << ni_rng_below(rng, 4);
    size_t at = next_place(rng, last[to], width);
    uint64_t value = ni_rng_next(rng), is;

    switch (ni_rng_below(rng, 40)) {
    case 0:
        (void)ni_store_flush(ni->ni, ni_rng_below(rng, 2) ? ni->peers[to] : NULL);
        break;
    case 1:
        CHECK(suite_fence(ni, to) == NI_OK);
        break;
    case 2:
        is = suite_load(ni, trace->world, to, at, width);
        CHECK(memcmp(&is, trace->model[to] + at, width) == 0);
        break;
    case 3:
        suite_turn(ni);
        break;
    default:
        suite_store(ni, trace->world, to, at, value, width);
        memcpy(trace->model[to] + at, &value, width);
        last[to] = at + width;
    }
}

static void run_trace(struct suite_ni *ni, void *arg)
{
    struct trace *trace = arg;
    size_t last[SUITE_NIS] = {0};

    for (unsigned i = 0; i < STEPS; i++) {
        one_step(ni, trace, last);
    }
    CHECK(suite_fence(ni, SUITE_NIS) == NI_OK);
}

static void check_trace(struct suite_ni *ni, void *arg)
{
    struct trace *trace = arg;

    CHECK(memcmp(trace->world->memory[ni->index], trace->model[ni->index], SUITE_STORES) == 0);
}

static void random_trace(struct suite *suite)
{
    struct trace *trace = suite_alloc(suite, sizeof(*trace));

    trace->world = suite_stores_world(suite);
    for (unsigned i = 0; i < suite->n; i++) {
        trace->model[i] = suite_alloc(suite, SUITE_STORES);
    }
    suite_call(suite, 0, run_trace, trace);
    suite_call(suite, 1, check_trace, trace);
    suite_call(suite, 2, check_trace, trace);
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* Fences in a row, with stores going on: each ends, in order. */
static void count_in_order(void *arg, ni_status status, uint64_t value)
{
    _Atomic uint64_t *count = arg;

    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add(count, 1);
}

static void fences_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;
    _Atomic uint64_t count = 0;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = count_in_order, .arg = (void *)&count};
    unsigned fences = 0;

    CHECK(suite_fence(ni, 1) == NI_OK); /* of nothing */
    CHECK(ni_store_fence(ni->ni, ni->peers[1], NULL) == NI_OK);
    while (atomic_load(&count) < 50) {
        for (unsigned i = 0; i < 4; i++) {
            suite_store(ni, world, 1, 8 * (fences % 64), fences, 8);
        }
        if (fences < 50) {
            CHECK(ni_store_fence(ni->ni, ni->peers[1], &ack) == NI_OK);
            fences++;
        }
        suite_turn(ni);
    }
    CHECK(ni_store_fence(ni->ni, NULL, &ack) == NI_OK);
    while (atomic_load(&count) < 51) {
        suite_turn(ni);
    }
    CHECK(suite_load(ni, world, 1, 8, 8) == 1);
}

static void fences(struct suite *suite)
{
    suite_call(suite, 0, fences_here, suite_stores_world(suite));
}

/* Blocking calls, where the peers move by themselves. */
static void blocking_here(struct suite_ni *ni, void *arg)
{
    struct suite_stores *world = arg;

    for (uint64_t n = 0; n < 50; n++) {
        struct ni_remote where = suite_stores_place(world, 1, 8 * n);
        uint64_t value = 0;

        suite_store(ni, world, 1, 8 * n, n + 7, 8);
        CHECK(ni_load(ni->ni, ni->peers[1], &where, 8, &value) == NI_OK && value == n + 7);
        suite_store(ni, world, 2, 8 * n, n + 8, 8);
        CHECK(ni_store_fence_wait(ni->ni, n % 2 ? ni->peers[2] : NULL) == NI_OK);
        CHECK(ni_store_outstanding(ni->ni, ni->peers[2]) == 0);
    }
}

static void blocking(struct suite *suite)
{
    suite_call(suite, 0, blocking_here, suite_stores_world(suite));
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"combine", 2, SUITE_NEEDS_NOTHING, combine},
        {"order", 2, SUITE_NEEDS_NOTHING, order},
        {"mixed", 2, SUITE_NEEDS_NOTHING, mixed},
        {"random", 1 + AREAS, SUITE_NEEDS_NOTHING, random_trace},
        {"fences", 2, SUITE_NEEDS_NOTHING, fences},
        {"blocking", 3, SUITE_NEEDS_APART, blocking},
    };

    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), 2);
}
