/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/ni.h"
#include "suite_portals.h"

/*
 * Long puts whose initiator calls nothing once it has started them, whatever the link and the
 * placement. Some run where NIs move by themselves; with placement tile that is what the thread of
 * thread.h is for.
 */

enum { LEN = 1 << 20, SHORT = 200, PUTS = 4, ROUNDS = 6, BITS = 5 };

struct world {
    uint8_t *from, *to; /* PUTS pieces of LEN bytes, of NI 0 and of NI 1 */
    struct suite_end *ends[2];
    unsigned round;
    _Atomic bool stop;
    _Atomic bool begun;
    struct ni_rkey queue; /* with a consumer, at NI 0 */
};

static struct world *make_world(struct suite *suite)
{
    struct world *world = suite_alloc(suite, sizeof(*world));

    world->from = suite_alloc(suite, (size_t)PUTS * LEN);
    world->to = suite_alloc(suite, (size_t)PUTS * LEN);
    world->ends[0] = suite_end_new(suite, 0);
    world->ends[1] = suite_end_new(suite, 1);
    return world;
}

static size_t length_of(unsigned i)
{
    return i % 2 == 0 ? LEN : SHORT;
}

static uint64_t seed_of(const struct world *world, unsigned i)
{
    return world->round * 100 + i;
}

static void post(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    memset(world->to, 0, (size_t)PUTS * LEN);
    for (unsigned i = 0; i < PUTS; i++) {
        suite_post(ni, world->ends[1], world->to + (size_t)i * LEN, LEN, BITS, 0, NI_INITIATOR_ANY,
                   i);
    }
}

static void put_all(struct suite_ni *ni, struct world *world)
{
    for (unsigned i = 0; i < PUTS; i++) {
        uint8_t *data = world->from + (size_t)i * LEN;

        suite_fill(data, length_of(i), seed_of(world, i));
        suite_put(ni, world->ends[0], 1, data, length_of(i), BITS, i, i < 2);
    }
}

/* Anything but a call of the NI. */
static void compute(struct world *world)
{
    atomic_store(&world->begun, true);
    while (!atomic_load(&world->stop)) {
        sched_yield();
    }
}

static void put_and_compute(struct suite_ni *ni, void *arg)
{
    put_all(ni, arg);
    compute(arg);
}

static bool has_begun(void *arg)
{
    return atomic_load(&((struct world *)arg)->begun);
}

static void stop_computing(struct suite *suite, struct world *world)
{
    atomic_store(&world->stop, true);
    suite_end(suite, 0);
    atomic_store(&world->stop, false);
    atomic_store(&world->begun, false);
}

static void check_round(struct suite *suite, struct world *world)
{
    uint64_t before = (uint64_t)world->round * PUTS;

    suite_until_events(suite, world->ends[1], NI_EVENT_PUT, before + PUTS);
    for (unsigned i = 0; i < PUTS; i++) {
        CHECK(suite_filled(world->to + (size_t)i * LEN, length_of(i), seed_of(world, i)));
    }
}

/* ---- the initiator computes ------------------------------------------------------------------ */

static void initiator_computes(struct suite *suite)
{
    struct world *world = make_world(suite);
    bool quiet = (suite->link->flags & NI_THREADS) == 0;

    for (; world->round < ROUNDS; world->round++) {
        uint64_t acks = (uint64_t)world->round * 2;

        suite_call(suite, 1, post, world);
        suite_begin(suite, 0, put_and_compute, world);
        suite_until(suite, has_begun, world);
        check_round(suite, world);
        /* Its events are its own calls'. */
        CHECK(!quiet || suite_count(world->ends[0], NI_EVENT_ACK) == acks);
        stop_computing(suite, world);
        suite_until_events(suite, world->ends[0], NI_EVENT_ACK, acks + 2);
        suite_until_events(suite, world->ends[0], NI_EVENT_SEND,
                           (uint64_t)(world->round + 1) * PUTS);
    }
}

/* ---- the initiator polls --------------------------------------------------------------------- */

/* Says so, and so no put needs asynchronous progress and no lock taken for a thread. */
static void put_attended(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    world->ends[0]->md.options |= NI_MD_ATTENDED;
    put_all(ni, world);
    CHECK(atomic_load(&ni->ni->drive.async_puts) == 0);
}

static void initiator_polls(struct suite *suite)
{
    struct world *world = make_world(suite);

    suite_call(suite, 1, post, world);
    suite_call(suite, 0, put_attended, world);
    check_round(suite, world);
    suite_until_events(suite, world->ends[0], NI_EVENT_ACK, 2);
    suite_until_events(suite, world->ends[0], NI_EVENT_SEND, PUTS);
}

/* ---- the initiator calls other things -------------------------------------------------------- */

/* Several long puts after calls of all kinds, none of which makes progress. */
static void put_and_call(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;
    struct ni_rkey rkey;
    char text[200];

    put_all(ni, world);
    atomic_store(&world->begun, true);
    while (!atomic_load(&world->stop)) {
        CHECK(ni_region_memory(ni->ni, world->from, LEN, NI_ACCESS_READ, &rkey) == NI_OK);
        CHECK(ni_region_deregister(ni->ni, rkey.handle) == NI_OK);
        CHECK(ni_peer_describe(ni->peers[1], text, sizeof(text)) > 0);
        suite_post(ni, world->ends[0], world->from, LEN, BITS, 0, NI_INITIATOR_ANY, 0);
        CHECK(ni_me_unlink(ni->ni, world->ends[0]->last) == NI_OK);
        sched_yield();
    }
}

static void initiator_calls_other_things(struct suite *suite)
{
    struct world *world = make_world(suite);

    suite_call(suite, 1, post, world);
    suite_begin(suite, 0, put_and_call, world);
    suite_until(suite, has_begun, world);
    check_round(suite, world);
    stop_computing(suite, world);
    suite_until_events(suite, world->ends[0], NI_EVENT_ACK, 2);
}

/* ---- started in a callback ------------------------------------------------------------------- */

static struct world *the_world; /* of NI 0, where that lives */

static void put_in_callback(void *arg, const struct ni_message_info *message)
{
    (void)message;
    put_all(arg, the_world);
    atomic_store(&the_world->begun, true);
}

static void make_queue(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    the_world = world;
    CHECK(ni_region_consumer(ni->ni, put_in_callback, ni, 0, &world->queue) == NI_OK);
}

static void poll_until_begun(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    while (!atomic_load(&world->begun)) {
        (void)ni_progress(ni->ni);
        sched_yield();
    }
    compute(world);
}

static void tell_to_begin(struct suite_ni *ni, void *arg)
{
    struct world *world = arg;

    CHECK(suite_message(ni, 0, world->queue.handle, 0, "x", 1) == NI_OK);
}

static void callback_starts_them(struct suite *suite)
{
    struct world *world = make_world(suite);

    suite_call(suite, 0, make_queue, world);
    suite_call(suite, 1, post, world);
    suite_begin(suite, 0, poll_until_begun, world);
    suite_call(suite, 1, tell_to_begin, world);
    check_round(suite, world);
    stop_computing(suite, world);
    suite_until_events(suite, world->ends[0], NI_EVENT_ACK, 2);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* What is never matched is under way when its initiator closes, after it has been away for a
 * while. */
static void initiator_closes(struct suite *suite)
{
    struct world *world = make_world(suite);

    suite_begin(suite, 0, put_and_compute, world);
    suite_until(suite, has_begun, world);
    suite_rest(suite);
    stop_computing(suite, world);
    suite_close(suite, 0);
    CHECK(suite_count(world->ends[0], NI_EVENT_ACK) == 2);
    for (uint64_t i = 0; i < 2; i++) {
        CHECK(suite_event(world->ends[0], NI_EVENT_ACK, i)->ni_fail_type == NI_NI_UNDELIVERABLE);
    }
}

static void target_dies(struct suite *suite)
{
    struct world *world = make_world(suite);
    bool quiet = (suite->link->flags & NI_THREADS) == 0;

    suite_begin(suite, 0, put_and_compute, world);
    suite_until(suite, has_begun, world);
    suite_kill(suite, 1);
    suite_rest(suite);
    CHECK(!quiet || suite_count(world->ends[0], NI_EVENT_ACK) == 0);
    stop_computing(suite, world);
    suite_until_events(suite, world->ends[0], NI_EVENT_ACK, 2);
    CHECK(suite_event(world->ends[0], NI_EVENT_ACK, 0)->ni_fail_type == NI_NI_UNDELIVERABLE);
}

/* ---- forks ----------------------------------------------------------------------------------- */

static void fork_once(struct suite_ni *ni)
{
    int status = 1;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        _exit(ni_progress(ni->ni) == 0 ? 0 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void put_and_fork(struct suite_ni *ni, void *arg)
{
    put_all(ni, arg);
    fork_once(ni);
    compute(arg);
}

static void initiator_forks(struct suite *suite)
{
    struct world *world = make_world(suite);

    for (; world->round < 2; world->round++) {
        suite_call(suite, 1, post, world);
        suite_begin(suite, 0, put_and_fork, world);
        suite_until(suite, has_begun, world);
        check_round(suite, world);
        stop_computing(suite, world);
        suite_until_events(suite, world->ends[0], NI_EVENT_ACK, (uint64_t)(world->round + 1) * 2);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"initiator_computes", 2, SUITE_NEEDS_APART, initiator_computes},
        {"initiator_polls", 2, 0, initiator_polls},
        {"initiator_calls_other_things", 2, SUITE_NEEDS_APART, initiator_calls_other_things},
        {"callback_starts_them", 2, SUITE_NEEDS_APART, callback_starts_them},
        {"initiator_closes", 2, SUITE_NEEDS_APART, initiator_closes},
        {"target_dies", 2, SUITE_NEEDS_APART | SUITE_NEEDS_KILL, target_dies},
        {"initiator_forks", 2, SUITE_NEEDS_APART, initiator_forks},
    };

    suite_beside_engines();
    suite_between_hosts();
    suite_on_several_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
