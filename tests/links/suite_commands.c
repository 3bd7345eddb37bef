/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/targets.c. */
/* Covers: ni/command/region.c ni/command/monitor.c ni/command/serve.c. */
#include "suite_commands.h"

/*
 * Command regions: descriptors composed in any order, with interruptions, by several at once, in
 * many regions; what they may name, and what becomes of those that may not.
 */

enum { ORDERS = 40, REGIONS = 12, LINES = 4, MANY = 300 };

static void check_done(struct ni_command_result result)
{
    CHECK(result.status == NI_OK && result.reason == NI_COMMAND_DONE);
}

/* ---- a first example ------------------------------------------------------------------------- */

/* Send five bytes: the shortest way through all of it. */
static void hello(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 1, 0);
    struct ni_command command = {.line = &region->lines[0]};
    struct ni_descriptor descriptor;
    struct ni_command_result result;

    ni_command_message(&descriptor, CMD_SINK, "hello", 5);
    CHECK(ni_command_begin(&command));
    ni_command_store(&command, 4, descriptor.word[4]); /* "o" */
    ni_command_store(&command, 0, descriptor.word[0]); /* the head */
    ni_command_store(&command, 2, descriptor.word[2]); /* no ack */
    ni_command_store(&command, 1, descriptor.word[1]);
    CHECK(!ni_command_poll(&command, &result));
    ni_command_store(&command, 3, descriptor.word[3]); /* "hell", and it is on its way */
    check_done(cmd_wait(suite, &command));
    suite_until_count(suite, &world->log_count, 1);
    CHECK(world->log_len[0] == 5 && memcmp(world->log[0], "hello", 5) == 0);
}

/* ---- any order ------------------------------------------------------------------------------- */

/* Nothing happens before the last word, whichever that is. */
static void any_order(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 1, 0);
    uint64_t messages = 0;

    for (uint64_t n = 0; n < ORDERS; n++) {
        struct cmd_task task;
        unsigned order[NI_COMMAND_WORDS];

        cmd_task_random(world, &task, n, n);
        cmd_shuffle(&suite->rng, order, task.descriptor.words);
        CHECK(ni_command_begin(&region->command[0]));
        for (unsigned i = 0; i < task.descriptor.words; i++) {
            CHECK(!ni_command_poll(&region->command[0], NULL));
            ni_command_store(&region->command[0], order[i], task.descriptor.word[order[i]]);
            if (i + 2 == task.descriptor.words) {
                cmd_turns(suite);
            }
        }
        check_done(cmd_wait(suite, &region->command[0]));
        messages += task.op == NI_COMMAND_MESSAGE;
        suite_until_count(suite, &world->log_count, messages);
        (void)cmd_task_check(world, &task, messages - (task.op == NI_COMMAND_MESSAGE));
    }
}

/* ---- interruptions --------------------------------------------------------------------------- */

/* Stop after each number of words; others work meanwhile, also in the same region; then somebody
 * else goes on, who knows the line and its mark. */
static void interrupted(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 2, 0);

    for (enum ni_command_op op = NI_COMMAND_WRITE; op <= NI_COMMAND_MESSAGE; op++) {
        for (unsigned stop = 0; stop < NI_COMMAND_COPY_BYTES / 4; stop++) {
            uint64_t before = atomic_load(&world->log_count);
            struct cmd_task task, other;
            struct ni_command successor;

            cmd_task_set(world, &task, op, 0, 20, 1000 + stop);
            cmd_task_set(world, &other, NI_COMMAND_MESSAGE, 1, 48, 2000 + stop);
            CHECK(ni_command_begin(&region->command[0]));
            for (unsigned i = 0; i < stop; i++) {
                ni_command_store(&region->command[0], i, task.descriptor.word[i]);
            }
            check_done(cmd_run(region, 1, &other.descriptor));
            suite_until_count(suite, &world->log_count, before + 1);
            CHECK(!ni_command_poll(&region->command[0], NULL));
            successor = region->command[0];
            for (unsigned i = task.descriptor.words; i-- > stop;) {
                ni_command_store(&successor, i, task.descriptor.word[i]);
            }
            check_done(cmd_wait(suite, &successor));
            suite_until_count(suite, &world->log_count, before + 1 + (op == NI_COMMAND_MESSAGE));
            (void)cmd_task_check(world, &task, before);
        }
    }
}

/* ---- many regions ---------------------------------------------------------------------------- */

struct composing {
    struct cmd_task task;
    unsigned order[NI_COMMAND_WORDS];
    unsigned stored;
    bool begun;
};

/* One word more of some descriptor; true if it was the last. */
static bool store_one(struct cmd_region *region, struct composing *composing, unsigned line)
{
    const struct ni_descriptor *descriptor = &composing->task.descriptor;
    unsigned word = composing->order[composing->stored];

    ni_command_store(&region->command[line], word, descriptor->word[word]);
    return ++composing->stored == descriptor->words;
}

/* Word by word, all at the same time. */
static void many_regions(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct composing *composing = suite_alloc(suite, REGIONS * LINES * sizeof(*composing));
    struct cmd_region *regions[REGIONS];
    uint64_t seed = 0;

    for (unsigned r = 0; r < REGIONS; r++) {
        regions[r] = cmd_region_new(world, LINES, 0);
    }
    for (unsigned ended = 0; ended < MANY;) {
        unsigned at = (unsigned)ni_rng_below(&suite->rng, REGIONS * LINES), line = at % LINES;
        struct cmd_region *region = regions[at / LINES];
        struct composing *it = &composing[at];

        if (!it->begun) {
            cmd_task_random(world, &it->task, at, ++seed);
            cmd_shuffle(&suite->rng, it->order, it->task.descriptor.words);
            it->stored = 0;
            it->begun = true;
            CHECK(ni_command_begin(&region->command[line]));
        } else if (store_one(region, it, line)) {
            check_done(cmd_wait(suite, &region->command[line]));
            it->begun = false;
            ended++;
            if (it->task.op != NI_COMMAND_MESSAGE) {
                (void)cmd_task_check(world, &it->task, 0);
            }
        } else {
            CHECK(!ni_command_poll(&region->command[line], NULL));
        }
    }
    for (unsigned r = 0; r < REGIONS; r += 2) {
        cmd_region_end(regions[r]); /* half composed */
    }
}

/* ---- several composers of one descriptor ----------------------------------------------------- */

struct halves {
    struct cmd_region *region;
    struct ni_descriptor descriptor;
    unsigned first;
};

static void compose_half(struct suite_ni *ni, void *arg)
{
    struct halves *halves = arg;
    unsigned part = ni->index - 2;

    for (unsigned i = part; i < halves->descriptor.words; i += 2) {
        ni_command_store(&halves->region->command[0], i, halves->descriptor.word[i]);
    }
}

/* Two at the same time, where NI 0 looks at it meanwhile. What each wrote before is seen. */
static void two_composers(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct halves *halves = suite_alloc(suite, sizeof(*halves));

    halves->region = cmd_region_new(world, 1, 0);
    for (uint64_t n = 0; n < ORDERS; n++) {
        struct cmd_task task;
        enum ni_command_op op = n % 2 == 0 ? NI_COMMAND_WRITE : NI_COMMAND_READ;

        cmd_task_set(world, &task, op, n, CMD_SLICE, n);
        halves->descriptor = task.descriptor;
        CHECK(ni_command_begin(&halves->region->command[0]));
        suite_begin(suite, 2, compose_half, halves);
        suite_begin(suite, 3, compose_half, halves);
        suite_end(suite, 2);
        suite_end(suite, 3);
        check_done(cmd_wait(suite, &halves->region->command[0]));
        (void)cmd_task_check(world, &task, 0);
    }
}

/* ---- acks ------------------------------------------------------------------------------------ */

static void read_counter(struct suite_ni *ni, void *arg)
{
    struct cmd_world *world = arg;
    int64_t value;

    CHECK(ni_counter_read(ni->ni, world->counter, &value) == NI_OK);
    memcpy(world->local, &value, sizeof(value));
}

static void acks(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 2, 0);
    ni_word *word = (ni_word *)(void *)(world->local + CMD_SLICE);
    struct cmd_task task;
    int64_t value;

    cmd_task_set(world, &task, NI_COMMAND_WRITE, 2, 100, 1);
    ni_command_ack_word(&task.descriptor, word);
    check_done(cmd_run(region, 0, &task.descriptor));
    CHECK(atomic_load(word) == 100);
    cmd_task_set(world, &task, NI_COMMAND_MESSAGE, 2, 17, 2);
    ni_command_ack_word(&task.descriptor, word);
    check_done(cmd_run(region, 0, &task.descriptor));
    CHECK(atomic_load(word) == 17);
    /* What is refused is told to the ack, too. */
    task.descriptor.word[0] = (task.descriptor.word[0] & 0xffff) | 77U << 16;
    CHECK(cmd_run(region, 0, &task.descriptor).reason == NI_COMMAND_BAD_TARGET);
    CHECK(ni_ack_status(atomic_load(word)) == NI_ERR_NOTFOUND);
    for (uint32_t n = 1; n <= 10; n++) {
        cmd_task_set(world, &task, NI_COMMAND_READ, 2, n, n);
        ni_command_ack_counter(&task.descriptor, world->counter);
        check_done(cmd_run(region, n % 2, &task.descriptor));
    }
    suite_call(suite, 0, read_counter, world);
    memcpy(&value, world->local, sizeof(value));
    CHECK(value == 55);
}

static void poke_here(struct suite_ni *ni, void *arg)
{
    struct cmd_region *region = arg;
    uint64_t before = suite_stat(ni, "commands");

    CHECK(ni_command_begin(&region->command[1]));
    ni_command_compose(&region->command[1], &(struct ni_descriptor){.words = 3, .word = {0x1030c}});
    CHECK(ni_command_poke(ni->ni, region->handle) == NI_OK);
    /* The lines are looked at by nobody else. */
    CHECK(suite_stat(ni, "commands") == before + 1);
    CHECK(ni_command_poke(ni->ni, region->world->sink_key.handle + 12345) == NI_ERR_REGION);
    CHECK(ni_command_poke(ni->ni, region->world->local_key.handle) == NI_ERR_REGION);
}

/* A message of no bytes, by one call. */
static void poked(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 2, 0);

    suite_call(suite, 0, poke_here, region);
    check_done(cmd_wait(suite, &region->command[1]));
    suite_until_count(suite, &world->log_count, 1);
    CHECK(world->log_len[0] == 0);
}

/* ---- no room --------------------------------------------------------------------------------- */

static void check_recycled(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(suite_stat(ni, "commands_recycled") > 0);
}

static void pop_some(struct suite_ni *ni, void *arg)
{
    struct cmd_world *world = arg;
    uint64_t number;
    size_t len;

    while (ni_queue_pop(ni->ni, world->body_key.handle, &number, sizeof(number), &len) == NI_OK) {
        /* In order, as a queue region keeps it. */
        CHECK(len == sizeof(number) && number == world->log_count);
        atomic_fetch_add(&world->log_count, 1);
    }
}

struct elsewhere {
    _Atomic uint64_t arrived;
    struct ni_rkey sink;
    struct ni_command_line line;
};

static void count_arrival(void *arg, const struct ni_message_info *message)
{
    CHECK(message->len == 4);
    atomic_fetch_add((_Atomic uint64_t *)arg, 1);
}

static void open_elsewhere(struct suite_ni *ni, void *arg)
{
    struct elsewhere *elsewhere = arg;

    CHECK(ni_region_consumer(ni->ni, count_arrival, &elsewhere->arrived, 0, &elsewhere->sink) ==
          NI_OK);
}

static void send_elsewhere(struct suite_ni *ni, void *arg)
{
    struct elsewhere *elsewhere = arg;
    struct ni_command command = {.line = &elsewhere->line};
    struct ni_descriptor descriptor;
    ni_handle handle;
    uint16_t target;

    CHECK(ni_region_command(ni->ni, &elsewhere->line, 1, 0, &handle) == NI_OK);
    CHECK(ni_command_target(ni->ni, handle, ni->peers[2], &elsewhere->sink, &target) == NI_OK);
    ni_command_message(&descriptor, target, "past", 4);
    CHECK(ni_command_begin(&command));
    ni_command_compose(&command, &descriptor);
}

/* While the job list has one towards NI 1 that finds no room. */
static void reach_other(struct suite *suite)
{
    struct elsewhere *elsewhere = suite_alloc(suite, sizeof(*elsewhere));

    suite_call(suite, 2, open_elsewhere, elsewhere);
    suite_call(suite, 0, send_elsewhere, elsewhere);
    suite_until_count(suite, &elsewhere->arrived, 1);
}

/* Message number *sent, if there is a line for it. */
static bool send_number(struct cmd_region *region, uint64_t *sent)
{
    struct ni_command *command = &region->command[*sent % CMD_LINES];
    struct ni_descriptor descriptor;

    if (!ni_command_begin(command)) {
        return false;
    }
    ni_command_message(&descriptor, CMD_BODY, sent, sizeof(*sent));
    ni_command_start(&descriptor);
    ni_command_compose(command, &descriptor);
    (*sent)++;
    return true;
}

/* A queue of NI 1 that is not read holds up the jobs towards it, and none is lost. Other peers are
 * reached. */
static void no_room(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, CMD_LINES, NI_COMMAND_QUEUE);
    uint64_t sent = 0;

    for (int patience = 0; patience < 200; patience++) {
        if (send_number(region, &sent)) {
            patience = 0;
        } else if (patience == 198) {
            suite_rest(suite);
        } else {
            cmd_turns(suite);
        }
    }
    suite_call(suite, 0, check_recycled, NULL);
    reach_other(suite);
    while (atomic_load(&world->log_count) < sent) {
        suite_call(suite, 1, pop_some, world);
        cmd_turns(suite);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"hello", 2, 0, hello},
        {"any_order", 2, 0, any_order},
        {"interrupted", 2, 0, interrupted},
        {"many_regions", 2, 0, many_regions},
        {"two_composers", 4, SUITE_NEEDS_APART, two_composers},
        {"acks", 2, 0, acks},
        {"poked", 2, 0, poked},
        {"no_room", 3, 0, no_room},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
