/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/later.c. */
#include <sched.h>

#include "suite_portals.h"

/*
 * Covers: drive/thread.c drive/back.c drive/front.c drive/async_progress.c bulk/unlocked_copy.c
 *
 * Engine threads: transfers go on while the program calls nothing. What the other suites check runs
 * with engine threads as well (suite_links.c).
 */

enum { LEN = 4 << 20, BITS = 5, NUMBER = 3 /* of a queue */ };

struct world {
    uint8_t *here, *there; /* LEN bytes, of NI 0 and NI 1 */
    struct ni_rkey rkey;   /* of there */
    struct suite_end *ends[2];
    _Atomic bool stop;
    _Atomic bool begun;
    ni_word word;
    _Atomic uint64_t messages;
    struct ni_rkey queue; /* with a consumer, at NI 1 */
    ni_handle name;       /* what it is sent to by: its handle, or a number */
};

static struct world *make_world(struct suite *suite)
{
    struct world *world = suite_alloc(suite, sizeof(*world));

    world->here = suite_alloc(suite, LEN);
    world->there = suite_alloc(suite, LEN);
    world->rkey = suite_region(suite, 1, world->there, LEN, NI_ACCESS_ALL);
    world->ends[0] = suite_end_new(suite, 0);
    world->ends[1] = suite_end_new(suite, 1);
    return world;
}

/* Anything but a call of the NI. */
static void compute(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    (void)ni;
    atomic_store(&world->begun, true);
    while (!atomic_load(&world->stop)) {
        sched_yield();
    }
}

static bool has_begun(void *arg)
{
    return atomic_load(&((struct world *)arg)->begun);
}

static void start_computing(struct suite *suite, unsigned i, struct world *world)
{
    suite_begin(suite, i, compute, world);
    suite_until(suite, has_begun, world);
}

static void stop_computing(struct suite *suite, unsigned i, struct world *world)
{
    atomic_store(&world->stop, true);
    suite_end(suite, i);
    atomic_store(&world->stop, false);
    atomic_store(&world->begun, false);
}

/* ---- where it runs --------------------------------------------------------------------------- */

static void check_placement(struct suite_ni *ni, void *arg)
{
    static const char *const names[] = {
        [NI_PLACEMENT_TILE] = "tile", [NI_PLACEMENT_EDGE] = "edge", [NI_PLACEMENT_SPLIT] = "split"};
    enum ni_placement expected = ni->suite->link->placement;
    char text[256], few[4];
    int len = ni_placement_describe(ni->ni, text, sizeof(text));

    (void)arg;
    expected = expected == NI_PLACEMENT_DEFAULT ? NI_PLACEMENT_TILE : expected;
    CHECK(ni_placement(ni->ni) == expected);
    CHECK(len > 0 && (size_t)len < sizeof(text));
    CHECK(strncmp(text, names[expected], strlen(names[expected])) == 0);
    CHECK(ni_placement_describe(ni->ni, few, sizeof(few)) == len && strlen(few) == 3);
}

static void says_where_it_runs(struct suite *suite)
{
    suite_call(suite, 0, check_placement, NULL);
    suite_call(suite, 1, check_placement, NULL);
}

/* ---- the target computes --------------------------------------------------------------------- */

static void write_and_read(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_remote remote = suite_remote(world->there, &world->rkey);

    suite_fill(world->here, LEN, 1);
    CHECK(suite_write(ni, 1, world->here, LEN, &remote) == NI_OK);
    memset(world->here, 0, LEN);
    CHECK(suite_read(ni, 1, world->here, LEN, &remote) == NI_OK);
    CHECK(suite_filled(world->here, LEN, 1));
}

static void target_of_transfers_computes(struct suite *suite)
{
    struct world *world = make_world(suite);

    start_computing(suite, 1, world);
    suite_call(suite, 0, write_and_read, world);
    stop_computing(suite, 1, world);
    CHECK(suite_filled(world->there, LEN, 1));
}

static void post(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    suite_post(ni, world->ends[1], world->there, LEN, BITS, 0, NI_INITIATOR_ANY, 1);
}

static void put(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    suite_fill(world->here, LEN, 2);
    suite_put(ni, world->ends[0], 1, world->here, LEN, BITS, 2, true);
}

/* It is matched and moved while the target computes; the target learns of it when it calls. */
static void target_of_a_put_computes(struct suite *suite)
{
    struct world *world = make_world(suite);
    bool quiet = (suite->link->flags & NI_THREADS) == 0;

    suite_call(suite, 1, post, world);
    start_computing(suite, 1, world);
    suite_call(suite, 0, put, world);
    suite_until_events(suite, world->ends[0], NI_EVENT_ACK, 1);
    CHECK(suite_event(world->ends[0], NI_EVENT_ACK, 0)->ni_fail_type == NI_NI_OK);
    CHECK(!quiet || suite_count(world->ends[1], NI_EVENT_PUT) == 0);
    stop_computing(suite, 1, world);
    suite_until_events(suite, world->ends[1], NI_EVENT_PUT, 1);
    CHECK(suite_event(world->ends[1], NI_EVENT_PUT, 0)->mlength == LEN);
    CHECK(suite_filled(world->there, LEN, 2));
}

/* ---- both compute ---------------------------------------------------------------------------- */

static bool is_written(const struct world *world)
{
    /* Pairs with the release of the thread that delivers the ack. */
    return atomic_load_explicit(&world->word, memory_order_acquire) != 0;
}

static void write_and_compute(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_remote remote = suite_remote(world->there, &world->rkey);
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &world->word};

    suite_fill(world->here, LEN, 3);
    CHECK(ni_write(ni->ni, ni->peers[1], world->here, LEN, &remote, &ack) == NI_OK);
    atomic_store(&world->begun, true);
    while (!is_written(world)) {
        sched_yield();
    }
}

static void both_compute(struct suite *suite)
{
    struct world *world = make_world(suite);

    start_computing(suite, 1, world);
    suite_call(suite, 0, write_and_compute, world);
    CHECK(atomic_load_explicit(&world->word, memory_order_acquire) == LEN);
    stop_computing(suite, 1, world);
    CHECK(suite_filled(world->there, LEN, 3));
}

/* The word is written in any case. */
static void target_dies_while_we_compute(struct suite *suite)
{
    struct world *world = make_world(suite);
    uint64_t word;

    suite_begin(suite, 0, write_and_compute, world);
    suite_until(suite, has_begun, world);
    suite_kill(suite, 1);
    suite_end(suite, 0);
    word = atomic_load_explicit(&world->word, memory_order_acquire);
    CHECK(word == LEN || word == ni_ack_failure(NI_ERR_PEER_DEAD));
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct world *world = arg;

    CHECK(message->len == sizeof(uint64_t));
    atomic_fetch_add(&world->messages, 1);
}

static void make_queue(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    CHECK(ni_region_consumer(ni->ni, on_message, world, 0, &world->queue) == NI_OK);
    CHECK(ni_queue_name(ni->ni, NUMBER, NULL, &world->queue, NI_ACCESS_WRITE, 0) == NI_OK);
}

static void send_messages(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    for (uint64_t i = 0; i < 20; i++) {
        CHECK(suite_message(ni, 1, world->name, 0, &i, sizeof(i)) == NI_OK);
    }
}

/* Without NI_THREADS no callback runs but in calls of the program. */
static void check_callbacks(struct suite *suite, bool by_number)
{
    struct world *world = make_world(suite);
    bool quiet = (suite->link->flags & NI_THREADS) == 0;

    suite_call(suite, 1, make_queue, world);
    world->name = by_number ? ni_queue_handle(NUMBER) : world->queue.handle;
    start_computing(suite, 1, world);
    suite_call(suite, 0, send_messages, world);
    if (quiet) {
        suite_rest(suite);
        CHECK(atomic_load(&world->messages) == 0);
    } else {
        suite_until_count(suite, &world->messages, 20);
    }
    stop_computing(suite, 1, world);
    suite_until_count(suite, &world->messages, 20);
}

static void callbacks_are_the_callers(struct suite *suite)
{
    check_callbacks(suite, false);
}

static void callbacks_by_number_are_the_callers(struct suite *suite)
{
    check_callbacks(suite, true);
}

/* ---- waiting in callbacks -------------------------------------------------------------------- */

static struct world *the_world; /* of NI 0, where that lives */

/* The engine thread does not get the progress lock meanwhile. (A read in packets would have no
 * room: what the lane carries is given back when its callback returns.) */
static void write_in_callback(void *arg, const struct ni_message_info *message)
{
    struct suite_ni *ni = arg;
    struct world *world = the_world;
    struct ni_remote remote = suite_remote(world->there, &world->rkey);

    (void)message;
    suite_fill(world->here, LEN, 4);
    CHECK(suite_write(ni, 1, world->here, LEN, &remote) == NI_OK);
    atomic_fetch_add(&world->messages, 1);
}

static void make_waiting_queue(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    the_world = world;
    CHECK(ni_region_consumer(ni->ni, write_in_callback, ni, 0, &world->queue) == NI_OK);
}

static void send_to_first(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    CHECK(suite_message(ni, 0, world->queue.handle, 0, "x", 1) == NI_OK);
}

static void callback_waits_for_a_transfer(struct suite *suite)
{
    struct world *world = make_world(suite);

    suite_call(suite, 0, make_waiting_queue, world);
    suite_call(suite, 1, send_to_first, world);
    suite_until_count(suite, &world->messages, 1);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"says_where_it_runs", 2, SUITE_NEEDS_NOTHING, says_where_it_runs},
        {"target_of_transfers_computes", 2, SUITE_NEEDS_ENGINE, target_of_transfers_computes},
        {"target_of_a_put_computes", 2, SUITE_NEEDS_ENGINE, target_of_a_put_computes},
        {"both_compute", 2, SUITE_NEEDS_ENGINE, both_compute},
        {"target_dies_while_we_compute", 2, SUITE_NEEDS_ENGINE | SUITE_NEEDS_KILL,
         target_dies_while_we_compute},
        {"callbacks_are_the_callers", 2, SUITE_NEEDS_ENGINE, callbacks_are_the_callers},
        {"callbacks_by_number_are_the_callers", 2, SUITE_NEEDS_ENGINE,
         callbacks_by_number_are_the_callers},
        {"callback_waits_for_a_transfer", 2, SUITE_NEEDS_APART, callback_waits_for_a_transfer},
    };

    suite_beside_engines();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
