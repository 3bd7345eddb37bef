/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "suite_counters.h"
#include "suite_portals.h"

/*
 * Peers by different links at one interface: matching with any source, order from each, counters
 * and their notices across links, long payloads without memory, peers that close and die, and the
 * map.
 */

enum { NIS = 4, SENDERS = NIS - 1, ROUNDS = 48, LONG = 3000, ADDS = 40, WIDE = 200000 };

/* ---- matching from any source ---------------------------------------------------------------- */

struct any {
    struct suite_end *ends[NIS];
    uint8_t *from[NIS]; /* ROUNDS messages of LONG bytes */
    uint8_t *to;        /* as many for each sender */
    unsigned posted;
};

static size_t length_of(unsigned round)
{
    return round % 3 == 0 ? LONG : round % 3 == 1 ? 16 : 200;
}

static void send_to_any(struct suite_ni *ni, void *arg)
{
    struct any *any = arg;

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t *data = any->from[ni->index] + (size_t)round * LONG;

        suite_fill(data, LONG, ni->index * 1000 + round);
        suite_put(ni, any->ends[ni->index], 0, data, length_of(round), 5, ni->index * 1000 + round,
                  false);
        if (round % 8 == 0) {
            suite_turn(ni);
        }
    }
}

/* Half of them are expected; the others wait, whichever way they came. */
static void post_half(struct suite_ni *ni, void *arg)
{
    struct any *any = arg;
    unsigned end = any->posted + SENDERS * ROUNDS / 2;

    for (; any->posted < end; any->posted++) {
        suite_post(ni, any->ends[0], any->to + (size_t)any->posted * LONG, LONG, 5, 0,
                   NI_INITIATOR_ANY, any->posted);
    }
}

/* Who used each entry, whichever of them it found first: a number as suite_put was given it. */
static void collect(const struct any *any, enum ni_event_kind kind, uint64_t *used)
{
    for (uint64_t i = 0; i < suite_count(any->ends[0], kind); i++) {
        const struct ni_event *event = suite_event(any->ends[0], kind, i);
        uintptr_t entry = (uintptr_t)event->user_ptr;

        CHECK(entry < SENDERS * ROUNDS && used[entry] == 0);
        CHECK(event->mlength == length_of((unsigned)(event->hdr_data % 1000)));
        CHECK(suite_filled(any->to + entry * LONG, event->mlength, event->hdr_data));
        used[entry] = event->hdr_data;
    }
}

/* Entries are used in their order, and each sender's messages come in theirs. */
static void check_any(const struct any *any)
{
    uint64_t used[SENDERS * ROUNDS] = {0};
    unsigned next[NIS] = {0};

    collect(any, NI_EVENT_PUT, used);
    collect(any, NI_EVENT_PUT_OVERFLOW, used);
    for (unsigned i = 0; i < SENDERS * ROUNDS; i++) {
        uint64_t sender = used[i] / 1000;

        CHECK(sender >= 1 && sender < NIS && used[i] % 1000 == next[sender]++);
    }
}

static bool all_came(void *arg)
{
    const struct any *any = arg;

    return suite_count(any->ends[0], NI_EVENT_PUT) +
               suite_count(any->ends[0], NI_EVENT_PUT_OVERFLOW) ==
           SENDERS * ROUNDS;
}

static void any_source(struct suite *suite)
{
    struct any *any = suite_alloc(suite, sizeof(*any));

    any->to = suite_alloc(suite, (size_t)SENDERS * ROUNDS * LONG);
    for (unsigned i = 0; i < NIS; i++) {
        any->ends[i] = suite_end_new(suite, i);
        any->from[i] = suite_alloc(suite, (size_t)ROUNDS * LONG);
    }
    suite_call(suite, 0, post_half, any);
    for (unsigned i = 1; i < NIS; i++) {
        suite_begin(suite, i, send_to_any, any);
    }
    for (unsigned i = 1; i < NIS; i++) {
        suite_end(suite, i);
    }
    suite_until_events(suite, any->ends[0], NI_EVENT_PUT, SENDERS * ROUNDS / 2);
    suite_call(suite, 0, post_half, any);
    suite_until(suite, all_came, any);
    check_any(any);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void add_often(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    for (unsigned i = 0; i < ADDS; i++) {
        cnt_post(ni, 0, &world->places[0].counter_key, 1);
    }
}

/* One sum of what comes by all links; who reaches zero is told once. */
static void counted(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -(SENDERS * ADDS), 16);

    for (unsigned i = 1; i < NIS; i++) {
        suite_begin(suite, i, add_often, world);
    }
    for (unsigned i = 1; i < NIS; i++) {
        suite_end(suite, i);
    }
    suite_until_count(suite, &world->places[0].done.count, 1);
    suite_rest(suite);
    CHECK(atomic_load(&world->places[0].done.count) == 1);
}

static void tell_others(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct ni_counter_setting setting = {.flags = NI_COUNTER_NOTICES, .count = 2};

    for (unsigned i = 0; i < 2; i++) {
        setting.notices[i] =
            cnt_notice(NI_AT_PEER, ni->peers[2 + i], &world->places[2 + i].counter_key, SENDERS);
    }
    CHECK(cnt_set(ni, 0, &world->places[0].counter_key, &setting) == NI_OK);
}

static void add_once(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    cnt_post(ni, 0, &world->places[0].counter_key, 1);
}

/* NI 1 names NIs that NI 0 may reach by another link than NI 1 does. */
static void notices(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -SENDERS, 16);

    suite_call(suite, 1, tell_others, world);
    for (unsigned i = 1; i < NIS; i++) {
        suite_call(suite, i, add_once, world);
    }
    suite_until_count(suite, &world->places[2].done.count, 1);
    suite_until_count(suite, &world->places[3].done.count, 1);
    CHECK(atomic_load(&world->places[1].done.count) == 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct wide {
    uint8_t *here, *there[NIS]; /* WIDE bytes each */
    struct ni_rkey keys[NIS];
    uint64_t round, succeeded;
};

/* Whether an operation succeeded; it may have lacked memory. */
static bool succeeded(struct wide *wide, ni_status status)
{
    CHECK(status == NI_OK || status == NI_ERR_NOMEM);
    wide->succeeded += status == NI_OK;
    return status == NI_OK;
}

static void there_and_back(struct suite_ni *ni, void *arg)
{
    struct wide *wide = arg;

    wide->round++;
    for (unsigned i = 1; i < NIS; i++) {
        struct ni_remote remote = suite_remote(wide->there[i], &wide->keys[i]);
        uint64_t seed = wide->round * NIS + i;

        suite_fill(wide->here, WIDE, seed);
        if (!succeeded(wide, suite_write(ni, i, wide->here, WIDE, &remote))) {
            continue;
        }
        CHECK(suite_filled(wide->there[i], WIDE, seed));
        memset(wide->here, 0, WIDE);
        if (succeeded(wide, suite_read(ni, i, wide->here, WIDE, &remote))) {
            CHECK(suite_filled(wide->here, WIDE, seed));
        }
    }
}

/* Of two allocations one fails: operations may fail for it, connections may not, also where the
 * receiver has to ask for long payloads. */
static void without_memory(struct suite *suite)
{
    struct wide *wide = suite_alloc(suite, sizeof(*wide));

    wide->here = suite_alloc(suite, WIDE);
    for (unsigned i = 1; i < NIS; i++) {
        wide->there[i] = suite_alloc(suite, WIDE);
        wide->keys[i] = suite_region(suite, i, wide->there[i], WIDE, NI_ACCESS_ALL);
    }
    suite_call(suite, 0, there_and_back, wide);
    CHECK(wide->succeeded == 2 * SENDERS);
    ni_fault_arm_random(NI_FAULT_ALLOC, 500000, suite->seed);
    for (int i = 0; i < 16; i++) {
        suite_call(suite, 0, there_and_back, wide);
    }
    CHECK(wide->succeeded > 2 * SENDERS);
    ni_fault_reset();
    for (unsigned i = 1; i < NIS; i++) {
        CHECK(atomic_load(&suite->nis[0].downs[i]) == 0);
        CHECK(atomic_load(&suite->nis[i].downs[0]) == 0);
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool is_down(void *arg)
{
    return atomic_load((_Atomic uint32_t *)arg) != 0;
}

/* NI 0 loses NIs 1 and 2, of which one is near and one is far where there are two hosts; NI 3
 * stays. */
static void check_ends(struct suite *suite, struct cnt_world *world, ni_status expected)
{
    for (unsigned i = 1; i <= 2; i++) {
        suite_until(suite, is_down, (void *)&suite->nis[0].downs[i]);
        CHECK(atomic_load(&suite->nis[0].down[i]) == (int)expected);
        CHECK(atomic_load(&suite->nis[0].downs[i]) == 1);
    }
    CHECK(atomic_load(&suite->nis[0].downs[3]) == 0);
    suite_call(suite, 3, add_once, world);
    suite_until_count(suite, &world->places[0].done.count, 1);
}

static void peers_close(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -SENDERS, 16);

    suite_call(suite, 1, add_once, world);
    suite_call(suite, 2, add_once, world);
    suite_close(suite, 1);
    suite_close(suite, 2);
    check_ends(suite, world, NI_ERR_PEER_CLOSED);
}

static void await_two(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    while (cnt_read(ni, &world->places[0].counter_key) != -1) {
        suite_turn(ni);
    }
}

static void peers_die(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -SENDERS, 16);

    suite_call(suite, 1, add_once, world);
    suite_call(suite, 2, add_once, world);
    suite_call(suite, 0, await_two, world);
    suite_kill(suite, 1);
    suite_kill(suite, 2);
    check_ends(suite, world, NI_ERR_PEER_DEAD);
}

/* ---- the map --------------------------------------------------------------------------------- */

/* What NI 0 says of the others, which are on so many hosts with it. */
static void check_first_map(unsigned hosts, const char *far, const char *text)
{
    const char *others = hosts == 2 ? "1, 3" : hosts == SUITE_NIS ? "1-3" : "2-3";
    char expected[128];

    snprintf(expected, sizeof(expected),
             "%s %s (out of reach of the first; long messages go by packets)", far, others);
    CHECK(strstr(text, expected) != NULL);
    if (hosts != SUITE_NIS) {
        snprintf(expected, sizeof(expected),
                 "shm %u (the first link that reaches them; long messages go ",
                 hosts == 2 ? 2U : 1U);
        CHECK(strstr(text, expected) != NULL);
    }
}

static void check_map(struct suite_ni *ni, void *arg)
{
    const struct suite_link *link = ni->suite->link;
    const char *near = link->inproc ? "inproc" : "shm", *far = link->card ? "dev" : "ucx";
    char text[512], self[2] = {(char)('0' + ni->index), '\0'};

    (void)arg;
    for (unsigned i = 0; i < ni->suite->n; i++) {
        if (i != ni->index) {
            CHECK(strcmp(ni_peer_link(ni->peers[i]),
                         suite_is_far(ni->suite, ni->index, i) ? far : near) == 0);
        }
    }
    CHECK(ni_map_describe(ni->peers, ni->suite->n, text, sizeof(text)) > 0);
    CHECK(strstr(text, self) == NULL);
    if (ni->index == 0 && link->hosts != 0) {
        check_first_map(link->hosts, far, text);
    }
    CHECK(ni_map_describe(ni->peers, 0, text, sizeof(text)) == 0 && text[0] == '\0');
    CHECK(ni_map_describe(ni->peers, ni->suite->n, text, 4) >= 4 && strlen(text) == 3);
}

static void map(struct suite *suite)
{
    for (unsigned i = 0; i < suite->n; i++) {
        suite_call(suite, i, check_map, NULL);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"any_source", NIS, SUITE_NEEDS_NOTHING, any_source},
        {"counted", NIS, SUITE_NEEDS_NOTHING, counted},
        {"notices", NIS, SUITE_NEEDS_NOTHING, notices},
        {"without_memory", NIS, SUITE_NEEDS_HERE, without_memory},
        {"peers_close", NIS, SUITE_NEEDS_NOTHING, peers_close},
        {"peers_die", NIS, SUITE_NEEDS_KILL, peers_die},
        {"map", NIS, SUITE_NEEDS_NOTHING, map},
    };

    suite_on_several_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
