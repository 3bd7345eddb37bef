/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_counters.h"

/* Settings and notifications of counters that are refused. */

/* ---- settings that are refused --------------------------------------------------------------- */

static void set_badly(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct ni_rkey counter = world->places[1].counter_key;
    const struct ni_notice notice =
        cnt_notice(NI_AT_SENDER, NULL, &world->places[0].counter_key, 1);
    struct ni_counter_setting setting = {.flags = NI_COUNTER_VALUE | NI_COUNTER_ADD};

    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = 16;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = NI_COUNTER_NOTICES;
    setting.count = NI_COUNTER_NOTIFICATIONS + 1;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.count = 1;
    setting.notices[0] = notice;
    setting.notices[0].width = 3;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.notices[0].width = 8;
    setting.notices[0].at = NI_AT_PEER;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.notices[0].at = (enum ni_notice_at)3;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.flags = 0;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_INVALID);
    setting.count = 0;
    CHECK(ni_counter_set(ni->ni, ni->peers[1], &counter, NULL, NULL) == NI_ERR_INVALID);
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_OK);
    CHECK(cnt_set(ni, 0, &world->places[0].counter_key, &setting) == NI_OK);
    counter.key++;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_KEY);
    counter.handle ^= 1 << 20;
    CHECK(cnt_set(ni, 1, &counter, &setting) == NI_ERR_REGION);
    CHECK(cnt_set(ni, 0, &counter, &setting) == NI_ERR_REGION);
    /* A queue gets it as an item, which does not fit. */
    CHECK(cnt_set(ni, 1, &world->places[1].queue_key, &setting) == NI_ERR_BOUNDS);
}

/* NI 2 is opened again, and known to NI 0 only. */
static void name_stranger(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    const struct suite_ni *stranger = &ni->suite->nis[2];
    struct ni_counter_setting setting = {.flags = NI_COUNTER_NOTICES, .count = 1};
    struct ni_peer *peer;

    CHECK(ni_connect(ni->ni, stranger->blob, stranger->blob_len, &peer) == NI_OK);
    setting.notices[0] = cnt_notice(NI_AT_PEER, peer, &world->places[2].counter_key, 1);
    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_ERR_NOTFOUND);
    /* Nothing of it was done. */
    cnt_post(ni, 1, &world->places[1].counter_key, 1);
}

static void refused(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, 16);

    suite_call(suite, 0, set_badly, world);
    suite_close(suite, 2);
    suite_open(suite, 2);
    suite_call(suite, 0, name_stranger, world);
    suite_until_count(suite, &world->places[1].done.count, 1);
}

/* ---- notifications that are refused ---------------------------------------------------------- */

static void never(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    (void)message;
    CHECK(!"a notification for a consumer");
}

static void open_consumer(struct suite_ni *ni, void *arg)
{
    CHECK(ni_region_consumer(ni->ni, never, NULL, 0, arg) == NI_OK);
}

/* Wrong keys, a place outside, one that is not aligned, an item that does not fit, a consumer. */
static void tell_badly(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct cnt_place *places = world->places;
    const struct ni_rkey *consumer = (const struct ni_rkey *)(void *)places[2].memory;
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
        .count = 4,
        .value = -1,
        .reload = -1,
        .notices = {cnt_notice(NI_AT_COUNTER, NULL, &places[1].memory_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, &places[1].memory_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, &places[1].queue_key, 1),
                    cnt_notice(NI_AT_COUNTER, NULL, consumer, 1)}};

    setting.notices[0].where.addr = (uintptr_t)places[1].memory + CNT_MEMORY - 4;
    setting.notices[1].where.addr = (uintptr_t)places[1].memory + 4;
    setting.notices[2].width = 4;
    CHECK(cnt_set(ni, 1, &places[1].counter_key, &setting) == NI_OK);
    cnt_post(ni, 1, &places[1].counter_key, 1);
    setting.notices[0].where.addr = (uintptr_t)places[1].memory;
    setting.notices[0].where.key++;
    setting.notices[1] = cnt_notice(NI_AT_SENDER, NULL, &places[0].counter_key, 1);
    setting.notices[1].where.key++;
    setting.notices[2] = cnt_notice(NI_AT_COUNTER, NULL, &places[1].counter_key, 1);
    setting.notices[2].width = 4;
    setting.notices[3].where.handle ^= 1 << 20;
    CHECK(cnt_set(ni, 1, &places[1].counter_key, &setting) == NI_OK);
    cnt_post(ni, 1, &places[1].counter_key, 1);
    while (suite_stat(ni, "rx_refused") != 1) {
        suite_turn(ni);
    }
}

static void check_refused(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    while (suite_stat(ni, "rx_refused") < 7) {
        suite_turn(ni);
    }
    CHECK(suite_stat(ni, "rx_refused") == 7);
    for (unsigned i = 0; i < CNT_MEMORY; i++) {
        CHECK(world->places[1].memory[i] == 0);
    }
    CHECK(cnt_read(ni, &world->places[1].counter_key) == -1);
}

static void refused_notices(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, 16);

    suite_call(suite, 1, open_consumer, world->places[2].memory);
    suite_call(suite, 0, tell_badly, world);
    suite_call(suite, 1, check_refused, world);
    CHECK(atomic_load(&world->places[0].done.count) == 0);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"refused", 3, SUITE_NEEDS_NOTHING, refused},
        {"refused_notices", 3, SUITE_NEEDS_NOTHING, refused_notices},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
