/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_commands.h"

/*
 * Command regions that are queues: batches written ahead and released by one store. And random work
 * in regions of both kinds, step by step against a naive model.
 */

enum { BATCH = 10, ROUNDS = 20, REGIONS = 6, STEPS = 2000, QUEUE_LINES = 7, SEEDS = 2 };

static void check_done(struct ni_command_result result)
{
    CHECK(result.status == NI_OK && result.reason == NI_COMMAND_DONE);
}

/* Message number `number`, so that its order can be seen. */
static void set_number(struct ni_descriptor *descriptor, uint64_t number, bool start)
{
    ni_command_message(descriptor, CMD_SINK, &number, sizeof(number));
    if (start) {
        ni_command_start(descriptor);
    }
}

static uint64_t number_at(const struct cmd_world *world, uint64_t at)
{
    uint64_t number;

    CHECK(at < atomic_load(&world->log_count) && world->log_len[at] == sizeof(number));
    memcpy(&number, world->log[at], sizeof(number));
    return number;
}

/* All words of a batch in random order but one, which then releases all. Batches go round the
 * queue, whose number of lines they do not divide. */
static void one_store_releases(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, BATCH + 3, NI_COMMAND_QUEUE);

    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct ni_descriptor batch[BATCH];
        struct ni_command *command[BATCH];
        unsigned order[BATCH * NI_COMMAND_WORDS], words, n = 0;

        for (unsigned i = 0; i < BATCH; i++) {
            command[i] = &region->command[(round * BATCH + i) % region->count];
            set_number(&batch[i], round * BATCH + i, i + 1 == BATCH);
            CHECK(ni_command_begin(command[i]));
        }
        words = batch[0].words;
        cmd_shuffle(&suite->rng, order, BATCH * words);
        for (; n + 1 < BATCH * words; n++) {
            ni_command_store(command[order[n] / words], order[n] % words,
                             batch[order[n] / words].word[order[n] % words]);
        }
        cmd_turns(suite);
        CHECK(atomic_load(&world->log_count) == round * BATCH);
        for (unsigned i = 0; i < BATCH; i++) {
            CHECK(!ni_command_poll(command[i], NULL));
        }
        ni_command_store(command[order[n] / words], order[n] % words,
                         batch[order[n] / words].word[order[n] % words]);
        suite_until_count(suite, &world->log_count, (round + 1) * BATCH);
        for (unsigned i = 0; i < BATCH; i++) {
            check_done(cmd_wait(suite, command[i]));
            CHECK(number_at(world, round * BATCH + i) == round * BATCH + i);
        }
    }
}

/* Malformed ones among others: each is given back with its reason, in its place, and the batch goes
 * on without it. */
static void bad_in_batch(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 4, NI_COMMAND_QUEUE);
    struct ni_descriptor descriptor;

    for (unsigned i = 0; i < 4; i++) {
        CHECK(ni_command_begin(&region->command[i]));
    }
    for (unsigned i = 4; i-- > 0;) {
        set_number(&descriptor, i, i == 3);
        if (i == 1) {
            descriptor.word[0] &= ~UINT32_C(0xff); /* size 0: complete at once */
        } else if (i == 2) {
            descriptor.word[0] |= UINT32_C(0xffff) << 16;
        }
        ni_command_compose(&region->command[i], &descriptor);
        CHECK(!ni_command_poll(&region->command[i], NULL));
    }
    check_done(cmd_wait(suite, &region->command[3]));
    check_done(cmd_wait(suite, &region->command[0]));
    CHECK(cmd_wait(suite, &region->command[1]).reason == NI_COMMAND_BAD_SIZE);
    CHECK(cmd_wait(suite, &region->command[2]).reason == NI_COMMAND_BAD_TARGET);
    suite_until_count(suite, &world->log_count, 2);
    CHECK(number_at(world, 0) == 0 && number_at(world, 1) == 3);
}

/* A batch as long as the queue, and no start flag: it waits until the region goes. */
static void full_without_start(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 5, NI_COMMAND_QUEUE);

    for (unsigned i = 0; i < 5; i++) {
        struct ni_descriptor descriptor;

        set_number(&descriptor, i, false);
        CHECK(ni_command_begin(&region->command[i]));
        ni_command_compose(&region->command[i], &descriptor);
    }
    suite_rest(suite);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(!ni_command_poll(&region->command[i], NULL));
    }
    cmd_region_end(region);
    cmd_turns(suite);
    CHECK(atomic_load(&world->log_count) == 0);
}

/* ---- in a callback --------------------------------------------------------------------------- */

struct answer {
    struct cmd_region *region;
    struct ni_rkey questions;
};

/* Answers by a descriptor; the monitor does not look by itself in here. */
static void on_question(void *arg, const struct ni_message_info *question)
{
    struct answer *answer = arg;
    struct cmd_region *region = answer->region;
    struct ni_descriptor descriptor;
    uint64_t number;

    CHECK(question->len == sizeof(number));
    memcpy(&number, question->data, sizeof(number));
    set_number(&descriptor, number, true);
    CHECK(ni_command_begin(&region->command[number % region->count]));
    ni_command_compose(&region->command[number % region->count], &descriptor);
    CHECK(ni_command_poke(region->world->suite->nis[0].ni, region->handle) == NI_OK);
}

static void open_questions(struct suite_ni *ni, void *arg)
{
    struct answer *answer = arg;

    CHECK(ni_region_consumer(ni->ni, on_question, answer, 0, &answer->questions) == NI_OK);
}

static void ask(struct suite_ni *ni, void *arg)
{
    const struct answer *answer = arg;

    for (uint64_t number = 0; number < CMD_LINES; number++) {
        CHECK(suite_message(ni, 0, answer->questions.handle, 0, &number, sizeof(number)) == NI_OK);
    }
}

static void in_callbacks(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct answer *answer = suite_alloc(suite, sizeof(*answer));

    answer->region = cmd_region_new(world, CMD_LINES, NI_COMMAND_QUEUE);
    suite_call(suite, 0, open_questions, answer);
    suite_call(suite, 1, ask, answer);
    suite_until_count(suite, &world->log_count, CMD_LINES);
    for (uint64_t number = 0; number < CMD_LINES; number++) {
        CHECK(number_at(world, number) == number);
    }
}

/* ---- against a model ------------------------------------------------------------------------- */

/* A line as a reader of command.h would write it down: which words were stored. */
struct model_line {
    enum { FREE, COMPOSING, RELEASED } state;
    bool whole, start;
    unsigned order[NI_COMMAND_WORDS], stored;
    struct cmd_task task;
};

struct model {
    struct cmd_region *region;
    struct model_line lines[QUEUE_LINES];
    size_t count;
    size_t next_begun; /* queue: the line that is begun next */
    size_t next_start; /* queue: the first that was not released */
    uint64_t last;     /* queue: place in the log of its last message, and 1 */
};

/* Which descriptors start now? Asked anew after each word, of all lines. */
static void update(struct model *model)
{
    if ((model->region->flags & NI_COMMAND_QUEUE) == 0) {
        for (size_t i = 0; i < model->count; i++) {
            if (model->lines[i].state == COMPOSING && model->lines[i].whole) {
                model->lines[i].state = RELEASED;
            }
        }
        return;
    }
    for (size_t n = 0; n < model->count; n++) {
        struct model_line *line = &model->lines[(model->next_start + n) % model->count];

        if (line->state != COMPOSING || !line->whole) {
            return;
        }
        if (line->start) {
            for (size_t i = 0; i <= n; i++) {
                model->lines[(model->next_start + i) % model->count].state = RELEASED;
            }
            model->next_start = (model->next_start + n + 1) % model->count;
            n = (size_t)-1; /* look again, from there */
        }
    }
}

static void begin_line(struct model *model, size_t i, size_t slice, uint64_t seed)
{
    struct cmd_world *world = model->region->world;
    struct model_line *line = &model->lines[i];

    cmd_task_random(world, &line->task, slice, seed);
    /* The last line of a queue that is left has to start, or nothing ever would. */
    line->start =
        ni_rng_below(&world->suite->rng, 3) == 0 || (i + 1) % model->count == model->next_start;
    if (line->start) {
        ni_command_start(&line->task.descriptor);
    }
    cmd_shuffle(&world->suite->rng, line->order, line->task.descriptor.words);
    line->stored = 0;
    line->whole = false;
    line->state = COMPOSING;
    CHECK(ni_command_begin(&model->region->command[i]));
}

static void step(struct model *model, size_t base, uint64_t seed)
{
    struct ni_rng *rng = &model->region->world->suite->rng;
    size_t i = ni_rng_below(rng, model->count);
    struct model_line *line;
    unsigned word;

    if (model->lines[i].state == FREE && (model->region->flags & NI_COMMAND_QUEUE) != 0) {
        /* The lines of a queue are used in their order, or composed in another. */
        i = model->next_begun;
        model->next_begun = (i + 1) % model->count;
        CHECK(model->lines[i].state == FREE);
    }
    line = &model->lines[i];
    if (line->state == FREE) {
        begin_line(model, i, base + i, seed);
    } else if (line->state == COMPOSING && !line->whole) {
        word = line->order[line->stored++];
        ni_command_store(&model->region->command[i], word, line->task.descriptor.word[word]);
        line->whole = line->stored == line->task.descriptor.words;
        update(model);
    }
}

/* Everything that the model has released comes to its end; nothing else does. */
static void settle(struct model *model, uint64_t *messages)
{
    struct suite *suite = model->region->world->suite;

    for (size_t i = 0; i < model->count; i++) {
        const struct model_line *line = &model->lines[i];

        if (line->state == RELEASED) {
            check_done(cmd_wait(suite, &model->region->command[i]));
            *messages += line->task.op == NI_COMMAND_MESSAGE;
        }
    }
}

/* And was done; in a queue in order, from the line behind the newest one. */
static void check(struct model *model)
{
    bool queue = (model->region->flags & NI_COMMAND_QUEUE) != 0;

    for (size_t n = 0; n < model->count; n++) {
        size_t i = ((queue ? model->next_start : 0) + n) % model->count;
        struct model_line *line = &model->lines[i];

        if (line->state == COMPOSING) {
            CHECK(!ni_command_poll(&model->region->command[i], NULL));
        } else if (line->state == RELEASED) {
            uint64_t at =
                cmd_task_check(model->region->world, &line->task, queue ? model->last : 0);

            model->last = line->task.op == NI_COMMAND_MESSAGE ? at + 1 : model->last;
            line->state = FREE;
        }
    }
}

static void random_work(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct model *models = suite_alloc(suite, REGIONS * sizeof(*models));
    uint64_t messages = 0, seed = suite->seed << 32;

    for (size_t r = 0; r < REGIONS; r++) {
        models[r].count = 1 + ni_rng_below(&suite->rng, QUEUE_LINES);
        models[r].region =
            cmd_region_new(world, models[r].count, r % 2 == 0 ? NI_COMMAND_QUEUE : 0);
    }
    for (unsigned n = 0; n < STEPS; n++) {
        size_t r = ni_rng_below(&suite->rng, REGIONS);

        step(&models[r], r * QUEUE_LINES, ++seed);
        if (ni_rng_below(&suite->rng, 40) != 0) {
            continue;
        }
        for (r = 0; r < REGIONS; r++) {
            settle(&models[r], &messages);
        }
        suite_until_count(suite, &world->log_count, messages);
        for (r = 0; r < REGIONS; r++) {
            check(&models[r]);
        }
    }
    CHECK(messages > 20);
    for (size_t r = 0; r < REGIONS; r++) {
        cmd_region_end(models[r].region);
    }
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"one_store_releases", 2, 0, one_store_releases},
        {"bad_in_batch", 2, 0, bad_in_batch},
        {"full_without_start", 2, 0, full_without_start},
        {"in_callbacks", 2, 0, in_callbacks},
        {"random_work", 2, 0, random_work},
    };

    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), SEEDS);
}
