/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/*
 * The peer is lost in the middle of a long transfer, of each kind and at either end: it is killed,
 * or executes another program. The other side hears of it once, as a failure of what was under
 * way, has its memory for itself again, and goes on with others. No byte is the other program's, or
 * comes to be.
 */

enum { LENGTH = 24 << 20, PAGE = 4096, ROUNDS = 100, SHORT = 5000 };

enum kind { WRITE, READ, PUT, PUT_KEPT, GET };

struct lost {
    enum kind kind;
    unsigned victim; /* NI 0 starts the transfer, NI 1 is its target */
    bool execs;
    struct suite_end *ends[2];
    uint8_t *source, *dest;
    uint8_t *small; /* for who is left, and NI 2 */
    struct suite_done done;
    struct ni_rkey region; /* of what is at the target */
    struct ni_rkey other;  /* of NI 2 */
};

static bool is_portal(const struct lost *lost)
{
    return lost->kind >= PUT;
}

/* Where an event of the target tells of the transfer. */
static enum ni_event_kind at_target(const struct lost *lost)
{
    return lost->kind == GET        ? NI_EVENT_GET
           : lost->kind == PUT_KEPT ? NI_EVENT_PUT_OVERFLOW
                                    : NI_EVENT_PUT;
}

/* ---- the transfer ---------------------------------------------------------------------------- */

static void post(struct suite_ni *ni, void *arg)
{
    struct lost *lost = arg;
    const struct ni_me me = {
        .start = lost->kind == GET ? lost->source : lost->dest,
        .length = LENGTH,
        .match_id = NI_INITIATOR_ANY,
        .options = NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE |
                   (lost->kind == GET ? (unsigned)NI_ME_OP_GET : (unsigned)NI_ME_OP_PUT),
    };

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

static void begin(struct suite_ni *ni, void *arg)
{
    struct lost *lost = arg;
    struct ni_remote where =
        suite_remote(lost->kind == READ ? lost->source : lost->dest, &lost->region);
    struct ni_ack ack = suite_ack(&lost->done);

    switch (lost->kind) {
    case WRITE:
        CHECK(ni_write(ni->ni, ni->peers[1], lost->source, LENGTH, &where, &ack) == NI_OK);
        break;
    case READ:
        CHECK(ni_read(ni->ni, ni->peers[1], lost->dest, LENGTH, &where, &ack) == NI_OK);
        break;
    case GET:
        CHECK(ni_get(ni->ni, &lost->ends[0]->md, (uintptr_t)lost->dest, LENGTH, ni->peers[1], 0, 0,
                     0, NULL) == NI_OK);
        break;
    default:
        suite_put(ni, lost->ends[0], 1, lost->source, LENGTH, 0, 0, true);
        break;
    }
}

static void start(struct suite *suite, struct lost *lost)
{
    memset(lost->dest, 0, LENGTH);
    if (lost->kind == PUT || lost->kind == GET) {
        suite_call(suite, 1, post, lost);
    }
    suite_call(suite, 0, begin, lost);
    if (lost->kind == PUT_KEPT) {
        suite_until_kept(suite, 1, 1);
        suite_call(suite, 1, post, lost);
    }
}

/* Transfers that have ended at their initiator. */
static uint64_t ended(const struct lost *lost)
{
    return !is_portal(lost)
               ? atomic_load(&lost->done.count)
               : suite_count(lost->ends[0], lost->kind == GET ? NI_EVENT_REPLY : NI_EVENT_ACK);
}

static bool has_arrived(const struct lost *lost, size_t at)
{
    return __atomic_load_n((const uint64_t *)(const void *)(lost->dest + at), __ATOMIC_RELAXED) !=
           0;
}

static bool has_begun(void *arg)
{
    return has_arrived(arg, 0);
}

/* ---- who is left ----------------------------------------------------------------------------- */

static bool is_down(void *arg)
{
    return atomic_load((_Atomic uint32_t *)arg) != 0;
}

struct wait {
    struct lost *lost;
    uint64_t count;
};

static bool is_over(void *arg)
{
    const struct wait *wait = arg;

    return ended(wait->lost) >= wait->count;
}

/* Number `count` of the transfers, cut off, at NI 0: it failed, unless everything is there. */
static void check_initiator(struct suite *suite, struct lost *lost, uint64_t count, bool whole)
{
    struct wait *wait = suite_alloc(suite, sizeof(*wait));
    bool failed;

    *wait = (struct wait){.lost = lost, .count = count};
    suite_until(suite, is_over, wait);
    if (lost->kind == PUT || lost->kind == PUT_KEPT) {
        suite_until_events(suite, lost->ends[0], NI_EVENT_SEND, count);
    }
    suite_rest(suite);
    CHECK(ended(lost) == count);
    if (is_portal(lost)) {
        enum ni_event_kind kind = lost->kind == GET ? NI_EVENT_REPLY : NI_EVENT_ACK;
        enum ni_ni_fail fail = suite_event(lost->ends[0], kind, count - 1)->ni_fail_type;

        CHECK(fail == NI_NI_OK || fail == NI_NI_UNDELIVERABLE);
        CHECK(kind != NI_EVENT_ACK || suite_count(lost->ends[0], NI_EVENT_SEND) == count);
        failed = fail != NI_NI_OK;
    } else {
        int status = atomic_load(&lost->done.status);

        CHECK(status == NI_OK || status == NI_ERR_PEER_DEAD);
        failed = status != NI_OK;
    }
    CHECK(failed || whole);
}

/* At NI 1. A get or a read takes nothing from it; into an entry somebody wanted something. */
static void check_target(struct suite *suite, struct lost *lost, uint64_t count, bool whole)
{
    const struct ni_event *event;

    if (lost->kind != PUT && lost->kind != PUT_KEPT) {
        return;
    }
    suite_until_events(suite, lost->ends[1], at_target(lost), count);
    suite_rest(suite);
    CHECK(suite_count(lost->ends[1], at_target(lost)) == count);
    event = suite_event(lost->ends[1], at_target(lost), count - 1);
    CHECK(event->ni_fail_type == NI_NI_UNDELIVERABLE || (event->ni_fail_type == NI_NI_OK && whole));
}

static void deregister(struct suite_ni *ni, void *arg)
{
    struct lost *lost = arg;

    CHECK(ni_region_deregister(ni->ni, lost->region.handle) == NI_OK);
}

static void go_on(struct suite_ni *ni, void *arg)
{
    struct lost *lost = arg;
    struct ni_remote where = suite_remote(lost->small + PAGE * 2, &lost->other);

    CHECK(suite_stat(ni, "pending_ops") == 0);
    CHECK(suite_write(ni, 2, lost->small, SHORT, &where) == NI_OK);
}

/* Its memory is its own: what it writes there stays. */
static void check_left(struct suite *suite, struct lost *lost)
{
    unsigned left = 1 - lost->victim;
    bool receives = (lost->kind == READ || lost->kind == GET) == (left == 0);

    if (receives) {
        memset(lost->dest, 0xee, LENGTH);
    }
    if (!is_portal(lost) && left == 1) {
        suite_call(suite, 1, deregister, lost);
    }
    suite_call(suite, left, go_on, lost);
    CHECK(memcmp(lost->small, lost->small + PAGE * 2, SHORT) == 0);
    suite_rest(suite);
    for (size_t at = 0; receives && at < LENGTH; at += PAGE) {
        CHECK(lost->dest[at] == 0xee);
    }
    CHECK(atomic_load(&suite->nis[left].downs[lost->victim]) == 1);
    CHECK(atomic_load(&suite->nis[left].down[lost->victim]) == NI_ERR_PEER_DEAD);
    CHECK(atomic_load(&suite->nis[left].downs[2]) == 0);
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Stop the victim in the middle. False: the transfer was too fast, and has ended. */
static bool catch_it(struct suite *suite, struct lost *lost, uint64_t count)
{
    struct wait *wait = suite_alloc(suite, sizeof(*wait));

    start(suite, lost);
    suite_until(suite, has_begun, lost);
    if (suite->link->mode != SUITE_PROCESSES) {
        return true;
    }
    suite_freeze(suite, lost->victim, true);
    if (!has_arrived(lost, LENGTH / 2)) { /* more is missing than sockets hold */
        return true;
    }
    suite_freeze(suite, lost->victim, false);
    *wait = (struct wait){.lost = lost, .count = count};
    suite_until(suite, is_over, wait);
    CHECK(memcmp(lost->dest, lost->source, LENGTH) == 0);
    return false;
}

/* It is stopped, or has ended its part. Nothing of the transfer moves before it is another program.
 */
static void become_another(struct suite *suite, struct lost *lost)
{
    suite_freeze(suite, 1 - lost->victim, true);
    suite_exec(suite, lost->victim);
    suite_freeze(suite, 1 - lost->victim, false);
}

static void run(struct suite *suite, enum kind kind, unsigned victim, bool execs)
{
    struct lost *lost = suite_alloc(suite, sizeof(*lost));
    unsigned left = 1 - victim;
    uint64_t count = 1;
    bool whole;

    *lost = (struct lost){.kind = kind, .victim = victim, .execs = execs};
    lost->ends[0] = suite_end_new(suite, 0);
    lost->ends[1] = suite_end_new(suite, 1);
    lost->source = suite_alloc(suite, LENGTH);
    lost->dest = suite_alloc(suite, LENGTH);
    lost->small = suite_alloc(suite, (size_t)4 * PAGE);
    suite_fill(lost->source, LENGTH, suite->seed);
    suite_fill(lost->small, SHORT, 1);
    lost->region =
        suite_region(suite, 1, kind == READ ? lost->source : lost->dest, LENGTH, NI_ACCESS_ALL);
    lost->other = suite_region(suite, 2, lost->small + PAGE * 2, SHORT, NI_ACCESS_ALL);
    while (!catch_it(suite, lost, count)) {
        CHECK(++count < ROUNDS);
    }
    if (execs) {
        become_another(suite, lost);
    } else {
        suite_kill(suite, victim);
    }
    suite_until(suite, is_down, (void *)&suite->nis[left].downs[victim]);
    suite_rest(suite);
    whole = memcmp(lost->dest, lost->source, LENGTH) == 0;
    CHECK(!whole || !suite_is_far(suite, 0, 1));
    if (left == 0) {
        check_initiator(suite, lost, count, whole);
    } else {
        check_target(suite, lost, count, whole);
    }
    check_left(suite, lost);
    if (execs) {
        suite_exec_end(suite, victim);
    }
}

#define CASES(name, kind)                                   \
    static void name##_target_dies(struct suite *suite)     \
    {                                                       \
        run(suite, kind, 1, false);                         \
    }                                                       \
    static void name##_initiator_dies(struct suite *suite)  \
    {                                                       \
        run(suite, kind, 0, false);                         \
    }                                                       \
    static void name##_target_execs(struct suite *suite)    \
    {                                                       \
        run(suite, kind, 1, true);                          \
    }                                                       \
    static void name##_initiator_execs(struct suite *suite) \
    {                                                       \
        run(suite, kind, 0, true);                          \
    }

CASES(write, WRITE)
CASES(read, READ)
CASES(put, PUT)
CASES(put_kept, PUT_KEPT)
CASES(get, GET)

static const struct suite_case cases[] = {
    {"write_target_dies", 3, SUITE_NEEDS_KILL, write_target_dies},
    {"write_initiator_dies", 3, SUITE_NEEDS_KILL, write_initiator_dies},
    {"read_target_dies", 3, SUITE_NEEDS_KILL, read_target_dies},
    {"read_initiator_dies", 3, SUITE_NEEDS_KILL, read_initiator_dies},
    {"put_target_dies", 3, SUITE_NEEDS_KILL, put_target_dies},
    {"put_initiator_dies", 3, SUITE_NEEDS_KILL, put_initiator_dies},
    {"put_kept_target_dies", 3, SUITE_NEEDS_KILL, put_kept_target_dies},
    {"put_kept_initiator_dies", 3, SUITE_NEEDS_KILL, put_kept_initiator_dies},
    {"get_target_dies", 3, SUITE_NEEDS_KILL, get_target_dies},
    {"get_initiator_dies", 3, SUITE_NEEDS_KILL, get_initiator_dies},
    {"write_target_execs", 3, SUITE_NEEDS_EXEC, write_target_execs},
    {"write_initiator_execs", 3, SUITE_NEEDS_EXEC, write_initiator_execs},
    {"read_target_execs", 3, SUITE_NEEDS_EXEC, read_target_execs},
    {"read_initiator_execs", 3, SUITE_NEEDS_EXEC, read_initiator_execs},
    {"put_target_execs", 3, SUITE_NEEDS_EXEC, put_target_execs},
    {"put_initiator_execs", 3, SUITE_NEEDS_EXEC, put_initiator_execs},
    {"put_kept_target_execs", 3, SUITE_NEEDS_EXEC, put_kept_target_execs},
    {"put_kept_initiator_execs", 3, SUITE_NEEDS_EXEC, put_kept_initiator_execs},
    {"get_target_execs", 3, SUITE_NEEDS_EXEC, get_target_execs},
    {"get_initiator_execs", 3, SUITE_NEEDS_EXEC, get_initiator_execs},
};

int main(int argc, char **argv)
{
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
