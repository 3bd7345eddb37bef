/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/object/counter/counter.c ni/engine/object/counter/counter_notify.c. */
#include "suite_counters.h"

/*
 * Counters that are set from elsewhere: notifications to every kind of region of every NI, reuse,
 * what comes early, trees deep and in a ring, queues that are full; and a random trace beside a
 * model. Covers: ni/engine/send/store_word.c
 */

enum {
    SESSIONS = 10,
    DEEP = 300,
    CROWD = NI_COUNTER_NOTIFICATIONS,
    FIRINGS = 30,
    COUNTERS = 6,
    STEPS = 400
};

/* An order that is acknowledged behind all that was sent. */
static void ask_through(struct suite_ni *ni, void *arg)
{
    const struct ni_counter_setting nothing = {.flags = 0};
    struct cnt_world *world = arg;

    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &nothing) == NI_OK);
}

/* ---- a session, set by one, added to by all, known to all ------------------------------------ */

static void arm(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct cnt_place *places = world->places;
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
        .count = 4,
        .value = -30,
        .reload = -30,
        .notices = {cnt_notice(NI_AT_COUNTER, NULL, &places[1].memory_key, 11),
                    cnt_notice(NI_AT_SENDER, NULL, &places[0].counter_key, 1),
                    cnt_notice(NI_AT_PEER, ni->peers[2], &places[2].queue_key, 33),
                    cnt_notice(NI_AT_PEER, ni->peers[2], &places[2].memory_key, UINT64_MAX - 44)}};

    setting.notices[0].where.addr = (uintptr_t)places[1].memory;
    setting.notices[3].where.addr = (uintptr_t)places[2].memory + 4;
    setting.notices[3].width = 4;
    CHECK(cnt_set(ni, 1, &places[1].counter_key, &setting) == NI_OK);
}

static void add_ten(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    for (int i = 0; i < 4; i++) {
        cnt_post(ni, 1, &world->places[1].counter_key, i + 1);
    }
}

/* An engine thread may be writing it. */
static uint32_t word_of(const uint8_t *memory)
{
    return __atomic_load_n((const uint32_t *)(const void *)memory, __ATOMIC_ACQUIRE);
}

static void await_words(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    uint8_t *memory = world->places[ni->index].memory;

    if (ni->index == 2) {
        CHECK(cnt_pop(ni, world) == 33);
        while (word_of(memory + 4) != UINT32_MAX - 44) {
            suite_turn(ni);
        }
        CHECK(word_of(memory) == 0 && word_of(memory + 8) == 0);
    } else {
        while (word_of(memory) != 11) {
            suite_turn(ni);
        }
        CHECK(cnt_read(ni, &world->places[1].counter_key) == -30);
    }
    memset(memory, 0, 16);
}

static void sessions(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, -1, CNT_QUEUE);
    struct cnt_place *first = &world->places[0];

    suite_call(suite, 0, arm, world);
    for (uint64_t n = 1; n <= SESSIONS; n++) {
        for (unsigned i = 0; i < 3; i++) {
            suite_begin(suite, i, add_ten, world);
        }
        for (unsigned i = 0; i < 3; i++) {
            suite_end(suite, i);
        }
        suite_call(suite, 1, await_words, world);
        suite_call(suite, 2, await_words, world);
        if (n == 1) {
            suite_until_count(suite, &first->done.count, 1);
        }
    }
    suite_rest(suite);
    CHECK(atomic_load(&first->done.count) == 1); /* it was not armed again */
    CHECK(atomic_load(&world->places[1].done.count) == 0);
}

/* ---- what comes before the setting ----------------------------------------------------------- */

static void add_early(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    for (int i = 0; i < 10; i++) {
        cnt_post(ni, 1, &world->places[1].counter_key, 64);
    }
}

static void await_early(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;

    while (cnt_read(ni, &world->places[1].counter_key) != 640) {
        suite_turn(ni);
    }
}

static void arm_late(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_ADD | NI_COUNTER_NOTICES,
        .count = 1,
        .value = -640,
        .notices = {cnt_notice(NI_AT_SENDER, NULL, &world->places[0].queue_key, 7)}};

    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_OK);
    CHECK(cnt_pop(ni, world) == 7);
    /* To be set to zero is not to become zero. */
    setting.flags = NI_COUNTER_VALUE;
    setting.count = 0;
    setting.value = 0;
    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_OK);
    setting.flags = NI_COUNTER_ADD;
    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_OK);
}

static void check_empty(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    uint64_t item;
    size_t len;

    CHECK(ni_queue_pop(ni->ni, world->places[ni->index].queue_key.handle, &item, sizeof(item),
                       &len) == NI_AGAIN);
}

static void early(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, 0, CNT_QUEUE);

    suite_call(suite, 0, add_early, world);
    suite_call(suite, 1, await_early, world);
    suite_call(suite, 0, arm_late, world);
    suite_call(suite, 0, ask_through, world);
    suite_call(suite, 0, check_empty, world);
}

/* ---- trees ----------------------------------------------------------------------------------- */

struct deep {
    struct cnt_world *world;
    struct ni_rkey counters[DEEP];
    bool ring;
};

/* Each tells the next; the last one the sender, or the first. */
static void build(struct suite_ni *ni, void *arg)
{
    struct deep *deep = arg;

    for (unsigned i = 0; i < DEEP; i++) {
        CHECK(ni_counter_create(ni->ni, -1, &deep->counters[i]) == NI_OK);
    }
    for (unsigned i = 0; i < DEEP; i++) {
        struct ni_counter_setting setting = {
            .flags = NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
            .count = 1,
            .reload = -1,
            .notices = {cnt_notice(NI_AT_COUNTER, NULL, &deep->counters[(i + 1) % DEEP], 1)}};

        if (i + 1 == DEEP && !deep->ring) {
            setting.notices[0] =
                cnt_notice(NI_AT_PEER, ni->peers[0], &deep->world->places[0].counter_key, 1);
        }
        CHECK(cnt_set(ni, ni->index, &deep->counters[i], &setting) == NI_OK);
    }
}

static void start_deep(struct suite_ni *ni, void *arg)
{
    struct deep *deep = arg;

    cnt_post(ni, 1, &deep->counters[0], 1);
}

static void break_ring(struct suite_ni *ni, void *arg)
{
    struct deep *deep = arg;

    CHECK(suite_stat(ni, "counters_fired") > 0);
    CHECK(ni_region_deregister(ni->ni, deep->counters[DEEP / 2].handle) == NI_OK);
}

static void deep(struct suite *suite)
{
    struct deep *deep = suite_alloc(suite, sizeof(*deep));

    deep->world = cnt_world_new(suite, -5, CNT_QUEUE);
    suite_call(suite, 1, build, deep);
    for (int i = 0; i < 5; i++) {
        suite_call(suite, 0, start_deep, deep);
    }
    suite_until_count(suite, &deep->world->places[0].done.count, 1);
}

/* One that never ends holds up nobody. */
static void ring(struct suite *suite)
{
    struct deep *deep = suite_alloc(suite, sizeof(*deep));

    deep->world = cnt_world_new(suite, -5, CNT_QUEUE);
    deep->ring = true;
    suite_call(suite, 1, build, deep);
    suite_call(suite, 0, start_deep, deep);
    suite_call(suite, 0, ask_through, deep->world);
    suite_call(suite, 1, break_ring, deep);
    suite_call(suite, 0, ask_through, deep->world);
}

/* A ring in which each tells several: what follows from one addition multiplies. */
static void build_crowd(struct suite_ni *ni, void *arg)
{
    struct deep *deep = arg;

    for (unsigned i = 0; i < CROWD; i++) {
        CHECK(ni_counter_create(ni->ni, -1, &deep->counters[i]) == NI_OK);
    }
    for (unsigned i = 0; i < CROWD; i++) {
        struct ni_counter_setting setting = {
            .flags = NI_COUNTER_RELOAD | NI_COUNTER_NOTICES, .count = CROWD, .reload = -1};

        for (unsigned n = 0; n < CROWD; n++) {
            setting.notices[n] = cnt_notice(NI_AT_COUNTER, NULL, &deep->counters[n], 1);
        }
        CHECK(cnt_set(ni, ni->index, &deep->counters[i], &setting) == NI_OK);
    }
}

static void crowd_is_lost(struct suite_ni *ni, void *arg)
{
    (void)arg;
    while (suite_stat(ni, "notifications_lost") == 0) {
        suite_turn(ni);
    }
}

static void break_crowd(struct suite_ni *ni, void *arg)
{
    struct deep *deep = arg;

    for (unsigned i = 0; i < CROWD; i++) {
        CHECK(ni_region_deregister(ni->ni, deep->counters[i].handle) == NI_OK);
    }
}

/* Nor does it take all memory: what is too much is lost, and says so. */
static void crowd(struct suite *suite)
{
    struct deep *deep = suite_alloc(suite, sizeof(*deep));

    deep->world = cnt_world_new(suite, -5, CNT_QUEUE);
    suite_call(suite, 1, build_crowd, deep);
    suite_call(suite, 0, start_deep, deep);
    suite_call(suite, 1, crowd_is_lost, deep);
    suite_call(suite, 0, ask_through, deep->world);
    suite_call(suite, 1, break_crowd, deep);
    suite_call(suite, 0, ask_through, deep->world);
}

/* ---- queues that are full -------------------------------------------------------------------- */

static void arm_full(struct suite_ni *ni, void *arg)
{
    struct cnt_world *world = arg;
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
        .count = 2,
        .value = -1,
        .reload = -1,
        .notices = {cnt_notice(NI_AT_COUNTER, NULL, &world->places[1].queue_key, 1),
                    cnt_notice(NI_AT_PEER, ni->peers[2], &world->places[2].queue_key, 2)}};

    CHECK(cnt_set(ni, 1, &world->places[1].counter_key, &setting) == NI_OK);
    for (int i = 0; i < FIRINGS; i++) {
        cnt_post(ni, 1, &world->places[1].counter_key, 1);
    }
}

static void pop_all(struct suite_ni *ni, void *arg)
{
    for (int i = 0; i < FIRINGS; i++) {
        CHECK(cnt_pop(ni, arg) == ni->index);
    }
}

static void full(struct suite *suite)
{
    struct cnt_world *world = cnt_world_new(suite, 0, 4);

    suite_call(suite, 0, arm_full, world);
    suite_rest(suite);
    suite_call(suite, 1, pop_all, world);
    suite_call(suite, 2, pop_all, world);
    suite_call(suite, 0, ask_through, world);
    suite_call(suite, 1, check_empty, world);
    suite_call(suite, 2, check_empty, world);
}

/* ---- a random trace -------------------------------------------------------------------------- */

/* Counter i may tell the queue, and counters behind it. */
struct model {
    int64_t value, reload;
    unsigned items;         /* told to the queue, each time */
    int64_t adds[COUNTERS]; /* told to others, 0: nothing */
};

struct trace {
    struct cnt_world *world;
    struct ni_rkey counters[COUNTERS];
    struct model model[COUNTERS];
    uint64_t expected[CNT_QUEUE];
    unsigned count;
};

static void make_counters(struct suite_ni *ni, void *arg)
{
    struct trace *trace = arg;

    for (unsigned i = 0; i < COUNTERS; i++) {
        CHECK(ni_counter_create(ni->ni, 0, &trace->counters[i]) == NI_OK);
    }
}

/* What follows from an addition, told in full before what follows from that. */
static void model_add(struct trace *trace, unsigned which, int64_t add)
{
    int64_t adds[COUNTERS] = {0};

    adds[which] = add;
    for (unsigned i = which; i < COUNTERS; i++) {
        struct model *model = &trace->model[i];

        model->value += adds[i];
        if (adds[i] == 0 || model->value != 0) {
            continue;
        }
        model->value = model->reload;
        for (unsigned n = 0; n < model->items; n++) {
            trace->expected[trace->count++] = 100 * i + n;
        }
        for (unsigned n = i + 1; n < COUNTERS; n++) {
            adds[n] += model->adds[n];
        }
    }
}

static int64_t small(struct ni_rng *rng)
{
    return (int64_t)ni_rng_below(rng, 5) - 2;
}

/* One counter tells at most one other one: then the order of what follows is plain. */
static void set_random(struct suite_ni *ni, struct trace *trace, unsigned which)
{
    struct ni_rng *rng = &ni->suite->rng;
    struct model *model = &trace->model[which];
    unsigned other = which + 1 + (unsigned)ni_rng_below(rng, COUNTERS);
    struct ni_counter_setting setting = {
        .flags = (unsigned)ni_rng_below(rng, 16), .value = small(rng), .reload = small(rng)};

    if ((setting.flags & 3) == 3) {
        setting.flags &= ~(unsigned)NI_COUNTER_ADD;
    }
    if ((setting.flags & NI_COUNTER_NOTICES) != 0) {
        memset(model->adds, 0, sizeof(model->adds));
        model->items = (unsigned)ni_rng_below(rng, 3);
        for (unsigned n = 0; n < model->items; n++) {
            setting.notices[setting.count++] = cnt_notice(
                NI_AT_COUNTER, NULL, &trace->world->places[1].queue_key, 100 * which + n);
        }
        if (other < COUNTERS) {
            model->adds[other] = small(rng);
            setting.notices[setting.count++] = cnt_notice(
                NI_AT_COUNTER, NULL, &trace->counters[other], (uint64_t)model->adds[other]);
        }
    }
    if ((setting.flags & NI_COUNTER_RELOAD) != 0) {
        model->reload = setting.reload;
    }
    if ((setting.flags & NI_COUNTER_VALUE) != 0) {
        model->value = setting.value;
    }
    CHECK(cnt_set(ni, 1, &trace->counters[which], &setting) == NI_OK);
    if ((setting.flags & NI_COUNTER_ADD) != 0) {
        model_add(trace, which, setting.value);
    }
}

static void run_trace(struct suite_ni *ni, void *arg)
{
    struct trace *trace = arg;
    struct ni_rng *rng = &ni->suite->rng;

    for (unsigned i = 0; i < STEPS && trace->count < CNT_QUEUE / 2; i++) {
        unsigned which = (unsigned)ni_rng_below(rng, COUNTERS);

        if (ni_rng_below(rng, 3) == 0) {
            set_random(ni, trace, which);
        } else {
            int64_t add = small(rng);

            cnt_post(ni, 1, &trace->counters[which], add);
            model_add(trace, which, add);
        }
    }
}

static void check_trace(struct suite_ni *ni, void *arg)
{
    struct trace *trace = arg;

    for (unsigned i = 0; i < trace->count; i++) {
        CHECK(cnt_pop(ni, trace->world) == trace->expected[i]);
    }
    check_empty(ni, trace->world);
    for (unsigned i = 0; i < COUNTERS; i++) {
        CHECK(cnt_read(ni, &trace->counters[i]) == trace->model[i].value);
    }
}

static void random_trace(struct suite *suite)
{
    struct trace *trace = suite_alloc(suite, sizeof(*trace));

    trace->world = cnt_world_new(suite, 0, CNT_QUEUE);
    suite_call(suite, 1, make_counters, trace);
    suite_call(suite, 0, run_trace, trace);
    suite_call(suite, 0, ask_through, trace->world);
    suite_call(suite, 1, check_trace, trace);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"sessions", 3, SUITE_NEEDS_NOTHING, sessions},   {"early", 2, SUITE_NEEDS_NOTHING, early},
        {"deep", 2, SUITE_NEEDS_NOTHING, deep},           {"ring", 2, SUITE_NEEDS_NOTHING, ring},
        {"crowd", 2, SUITE_NEEDS_NOTHING, crowd},         {"full", 3, SUITE_NEEDS_NOTHING, full},
        {"random", 2, SUITE_NEEDS_NOTHING, random_trace},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
