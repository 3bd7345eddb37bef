/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/command/judge.c. */
#include <apeni/fault.h>

#include "suite_commands.h"

/*
 * Command regions when something is wrong: descriptors that are malformed or name what is not their
 * owner's, wild stores, regions and peers that go away, and memory that runs out.
 */

enum { WILD = 3000, ALLOCATIONS = 200 };

static void expect(struct cmd_region *region, const struct ni_descriptor *descriptor,
                   enum ni_command_reason reason, ni_status status)
{
    struct ni_command_result result = cmd_run(region, 0, descriptor);

    CHECK(result.reason == reason && result.status == status);
}

static struct ni_descriptor copy_of(const struct cmd_world *world, enum ni_command_op op,
                                    uint16_t target, const void *local, uint32_t len)
{
    struct ni_descriptor descriptor;

    ni_command_copy(&descriptor, op, target, local, (uintptr_t)world->remote, len);
    return descriptor;
}

/* Each bit of the head, and each range that is not the owner's. */
static void malformed(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 1, 0);
    const struct ni_descriptor good = copy_of(world, NI_COMMAND_WRITE, CMD_MEMORY, world->local, 8);
    struct ni_descriptor bad = good;

    for (uint32_t size = 0; size < 256; size++) {
        bad.word[0] = (good.word[0] & ~UINT32_C(0xff)) | size;
        bad.words = size >= 12 && size <= 4 * NI_COMMAND_WORDS ? (size + 3) / 4 : 1;
        for (unsigned i = good.words; i < bad.words; i++) {
            bad.word[i] = 0;
        }
        if (size != NI_COMMAND_COPY_BYTES) {
            expect(region, &bad, NI_COMMAND_BAD_SIZE, NI_ERR_INVALID);
        }
    }
    for (uint32_t op = 0; op < 16; op++) {
        bad = good;
        bad.word[0] = (good.word[0] & ~UINT32_C(0xf00)) | op << 8;
        if (op == 0 || op > NI_COMMAND_WRITE_NOTIFY) {
            expect(region, &bad, NI_COMMAND_BAD_HEAD, NI_ERR_INVALID);
        }
    }
    bad = good;
    bad.word[0] |= 1U << 15;
    expect(region, &bad, NI_COMMAND_BAD_HEAD, NI_ERR_INVALID);
    bad = good;
    bad.word[0] |= 3U << 12; /* an interrupt, but there is none of this handle */
    bad.word[1] = 99999;
    expect(region, &bad, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    bad = good;
    bad.word[0] = (good.word[0] & ~UINT32_C(0xf00)) | NI_COMMAND_WRITE_NOTIFY << 8;
    expect(region, &bad, NI_COMMAND_BAD_SIZE, NI_ERR_INVALID);
    bad = good;
    bad.word[0] |= UINT32_C(0xffff) << 16;
    expect(region, &bad, NI_COMMAND_BAD_TARGET, NI_ERR_NOTFOUND);
    bad = good;
    bad.word[1] = 8; /* no ack, but an address */
    expect(region, &bad, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    ni_command_start(&bad);
    bad.word[1] = 0;
    expect(region, &bad, NI_COMMAND_DONE, NI_OK); /* means nothing here */
    CHECK(strlen(ni_command_reason_text(NI_COMMAND_BAD_ACK)) > 10);
    CHECK(ni_command_reason_text((enum ni_command_reason)99) != NULL);
}

static void protected(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 1, 0);
    size_t size = (size_t)CMD_SLICE * CMD_SLICES;
    uint8_t *mine = suite_alloc(suite, 4096);
    struct ni_descriptor it;

    it = copy_of(world, NI_COMMAND_WRITE, CMD_MEMORY, mine, 8);
    expect(region, &it, NI_COMMAND_BAD_LOCAL, NI_ERR_BOUNDS); /* not registered */
    (void)suite_region(suite, 0, mine, 4096, NI_ACCESS_READ);
    expect(region, &it, NI_COMMAND_DONE, NI_OK);
    it = copy_of(world, NI_COMMAND_READ, CMD_MEMORY, mine, 8);
    expect(region, &it, NI_COMMAND_BAD_LOCAL, NI_ERR_BOUNDS); /* to be read only */
    it = copy_of(world, NI_COMMAND_READ, CMD_MEMORY, world->local + size - 4, 8);
    expect(region, &it, NI_COMMAND_BAD_LOCAL, NI_ERR_BOUNDS);
    it = copy_of(world, NI_COMMAND_WRITE, CMD_MEMORY, world->local, UINT32_MAX);
    expect(region, &it, NI_COMMAND_BAD_LOCAL, NI_ERR_BOUNDS);
    it = copy_of(world, NI_COMMAND_WRITE, CMD_MEMORY, NULL, 0);
    expect(region, &it, NI_COMMAND_DONE, NI_OK);
    ni_command_ack_word(&it, (ni_word *)(void *)mine);
    expect(region, &it, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    ni_command_ack_word(&it, (ni_word *)(void *)(world->local + 4));
    expect(region, &it, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    it = copy_of(world, NI_COMMAND_WRITE, CMD_MEMORY, NULL, 0);
    ni_command_ack_counter(&it, world->local_key.handle);
    expect(region, &it, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    /* What only the other side can judge. */
    it = copy_of(world, NI_COMMAND_WRITE, CMD_SECRET, world->local, 8);
    expect(region, &it, NI_COMMAND_FAILED, NI_ERR_KEY);
    it = copy_of(world, NI_COMMAND_READ, CMD_SECRET, world->local, 8);
    expect(region, &it, NI_COMMAND_FAILED, NI_ERR_KEY);
    ni_command_copy(&it, NI_COMMAND_WRITE, CMD_MEMORY, world->local,
                    (uintptr_t)world->remote + size - 7, 8);
    expect(region, &it, NI_COMMAND_FAILED, NI_ERR_BOUNDS);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void misuse(struct suite_ni *ni, void *arg)
{
    struct cmd_region *region = arg;
    const struct ni_rkey *rkey = &region->world->sink_key;
    uint8_t *lines = (uint8_t *)region->lines;
    struct ni_command_line *odd = (struct ni_command_line *)(void *)(lines + 64);
    ni_handle handle;
    uint16_t target;

    CHECK(ni_region_command(ni->ni, NULL, 1, 0, &handle) == NI_ERR_INVALID);
    CHECK(ni_region_command(ni->ni, region->lines, 0, 0, &handle) == NI_ERR_INVALID);
    CHECK(ni_region_command(ni->ni, region->lines, NI_COMMAND_LINES + 1, 0, &handle) ==
          NI_ERR_INVALID);
    CHECK(ni_region_command(ni->ni, region->lines, 1, 2, &handle) == NI_ERR_INVALID);
    CHECK(ni_region_command(ni->ni, odd, 1, 0, &handle) == NI_ERR_INVALID);
    CHECK(ni_command_target(ni->ni, region->handle, NULL, rkey, &target) == NI_ERR_INVALID);
    CHECK(ni_command_target(ni->ni, 77, ni->peers[1], rkey, &target) == NI_ERR_REGION);
    for (uint16_t n = 4; n < 100; n++) {
        CHECK(ni_command_target(ni->ni, region->handle, ni->peers[1], rkey, &target) == NI_OK);
        CHECK(target == n);
    }
    CHECK(ni_command_untarget(ni->ni, region->handle, 100) == NI_ERR_NOTFOUND);
    CHECK(ni_command_untarget(ni->ni, 77, 0) == NI_ERR_REGION);
    CHECK(ni_command_untarget(ni->ni, region->handle, 99) == NI_OK);
    CHECK(ni_command_untarget(ni->ni, region->handle, 99) == NI_ERR_NOTFOUND);
}

static void from_outside(struct suite_ni *ni, void *arg)
{
    struct cmd_region *region = arg;
    struct ni_rkey rkey = {.handle = region->handle, .key = 1};
    struct ni_remote remote = suite_remote(region->lines, &rkey);
    uint64_t word = UINT64_C(1) << 32;

    CHECK(suite_write(ni, 0, &word, sizeof(word), &remote) == NI_ERR_KEY);
    CHECK(suite_read(ni, 0, &word, sizeof(word), &remote) == NI_ERR_KEY);
}

static void arguments(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *region = cmd_region_new(world, 2, 0);
    struct ni_descriptor it;

    suite_call(suite, 0, misuse, region);
    suite_call(suite, 1, from_outside, region);
    ni_command_message(&it, 98, "x", 1);
    expect(region, &it, NI_COMMAND_DONE, NI_OK);
    ni_command_message(&it, 99, "x", 1);
    expect(region, &it, NI_COMMAND_BAD_TARGET, NI_ERR_NOTFOUND);
}

/* ---- wild stores ----------------------------------------------------------------------------- */

static void store_wildly(struct suite *suite, struct cmd_region *region, uint32_t mark)
{
    struct ni_rng *rng = &suite->rng;
    uint64_t value = ni_rng_next(rng);
    unsigned word = (unsigned)ni_rng_below(rng, NI_COMMAND_WORDS + 1);
    struct ni_command_line *line = &region->lines[ni_rng_below(rng, region->count)];

    if (ni_rng_below(rng, 2) == 0) {
        value = (uint32_t)value & ni_rng_next(rng); /* few bits, mark to come */
    }
    if (ni_rng_below(rng, 4) != 0) {
        value = (uint64_t)mark << 32 | (uint32_t)value;
    }
    if (word == 0 && ni_rng_below(rng, 2) == 0) {
        value = (uint64_t)mark << 32 | ni_command_head((enum ni_command_op)(value >> 3 & 3),
                                                       NI_COMMAND_COPY_BYTES, value & 3);
    }
    ni_command_publish(word < NI_COMMAND_WORDS ? &line->word[word] : &line->state, value);
}

/* A program that has gone mad harms its own lines, and what it may write to. */
static void wild_stores(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    struct cmd_region *mad[2] = {cmd_region_new(world, 3, 0),
                                 cmd_region_new(world, 3, NI_COMMAND_QUEUE)};
    struct cmd_region *sane = cmd_region_new(world, 1, 0);
    struct cmd_task task;

    for (unsigned n = 0; n < WILD; n++) {
        /* Marks move on as descriptors are refused. */
        store_wildly(suite, mad[n % 2], 1 + (uint32_t)ni_rng_below(&suite->rng, 1 + n / 50));
        if (n % 500 == 0) {
            cmd_task_set(world, &task, NI_COMMAND_READ, 9, 100, n);
            expect(sane, &task.descriptor, NI_COMMAND_DONE, NI_OK);
            (void)cmd_task_check(world, &task, 0);
        }
    }
    cmd_region_end(mad[0]);
}

/* ---- going away ------------------------------------------------------------------------------ */

struct going {
    struct cmd_region *region;
    ni_word *word;
    struct ni_rkey rkey; /* what goes, while the descriptor of this line is out */
    unsigned line;
    _Atomic uint64_t called;
    ni_handle counter;
};

static void goes_while_out(struct suite_ni *ni, void *arg)
{
    struct going *going = arg;

    CHECK(ni_command_poke(ni->ni, going->region->handle) == NI_OK);
    CHECK(!ni_command_poll(&going->region->command[going->line], NULL));
    CHECK(ni_region_deregister(ni->ni, going->rkey.handle) == NI_OK);
}

/* The word of an ack is not the owner's any more when the ack comes: it is not written. */
static void ack_too_late(struct suite *suite)
{
    struct going *going = suite_alloc(suite, sizeof(*going));
    struct cmd_region *region = cmd_region_new(cmd_world_new(suite), 2, 0);
    struct ni_descriptor it;

    going->region = region;
    going->word = suite_alloc(suite, 4096);
    going->rkey = suite_region(suite, 0, going->word, 4096, NI_ACCESS_ALL);
    ni_command_message(&it, CMD_SINK, "late", 4);
    ni_command_ack_word(&it, going->word);
    CHECK(ni_command_begin(&region->command[0]));
    ni_command_compose(&region->command[0], &it);
    suite_call(suite, 0, goes_while_out, going);
    CHECK(cmd_wait(suite, &region->command[0]).status == NI_OK);
    CHECK(atomic_load(going->word) == 0);
    /* And a region goes while its operation is out: its lines are left alone. */
    ni_command_message(&it, CMD_SINK, "late", 4);
    ni_command_ack_counter(&it, region->world->counter);
    CHECK(ni_command_begin(&region->command[1]));
    ni_command_compose(&region->command[1], &it);
    going->rkey.handle = region->handle;
    going->line = 1;
    suite_call(suite, 0, goes_while_out, going);
    suite_until_count(suite, &region->world->log_count, 2);
    suite_rest(suite);
    CHECK(!ni_command_poll(&region->command[1], NULL));
}

static void remove_region(void *arg, ni_status status, uint64_t value)
{
    struct going *going = arg;

    (void)value;
    CHECK(status == NI_OK);
    CHECK(ni_region_deregister(going->region->world->suite->nis[0].ni, going->region->handle) ==
          NI_OK);
    atomic_fetch_add(&going->called, 1);
}

static void open_trap(struct suite_ni *ni, void *arg)
{
    struct going *going = arg;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = remove_region, .arg = going};
    struct ni_rkey rkey;

    CHECK(ni_counter_create(ni->ni, -8, &rkey) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, rkey.handle, &ack) == NI_OK);
    going->counter = rkey.handle;
}

/* The ack of a descriptor removes its own region, with others in the job list. */
static void removed_by_its_ack(struct suite *suite)
{
    for (unsigned flags = 0; flags <= NI_COMMAND_QUEUE; flags++) {
        struct going *going = suite_alloc(suite, sizeof(*going));
        struct cmd_region *region = cmd_region_new(cmd_world_new(suite), 3, flags);

        going->region = region;
        suite_call(suite, 0, open_trap, going);
        for (unsigned i = 3; i-- > 0;) {
            struct ni_descriptor it =
                copy_of(region->world, NI_COMMAND_WRITE, CMD_MEMORY, region->world->local, 8);

            ni_command_ack_counter(&it, going->counter);
            ni_command_start(&it);
            CHECK(ni_command_begin(&region->command[i]));
            ni_command_compose(&region->command[i], &it);
        }
        suite_until_count(suite, &going->called, 1);
        suite_rest(suite);
        CHECK(atomic_load(&going->called) == 1);
    }
}

static void dead_peer(struct suite *suite)
{
    struct cmd_region *region = cmd_region_new(cmd_world_new(suite), 1, 0);
    struct ni_command_result result = {NI_OK, NI_COMMAND_DONE};

    suite_kill(suite, 1);
    while (result.status == NI_OK) {
        struct ni_descriptor it =
            copy_of(region->world, NI_COMMAND_READ, CMD_MEMORY, region->world->local, 8);

        result = cmd_run(region, 0, &it);
    }
    CHECK(result.status == NI_ERR_PEER_DEAD && result.reason == NI_COMMAND_FAILED);
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* One life with the nth allocation failing; returns whether any was left to fail. */
static bool live(struct cmd_world *world, uint64_t nth)
{
    struct suite_ni *ni = &world->suite->nis[0];
    struct ni_command_line *line = suite_alloc(world->suite, sizeof(*line));
    struct ni_command command = {.line = line};
    struct ni_descriptor it;
    struct ni_command_result result;
    ni_handle handle;
    uint16_t target = 0;
    bool struck;

    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    if (ni_region_command(ni->ni, line, 1, 0, &handle) == NI_OK) {
        if (ni_command_target(ni->ni, handle, ni->peers[1], &world->sink_key, &target) == NI_OK) {
            ni_command_message(&it, target, "abc", 3);
            ni_command_ack_counter(&it, world->counter);
            CHECK(ni_command_begin(&command));
            ni_command_compose(&command, &it);
            result = cmd_wait(world->suite, &command);
            CHECK(result.status == NI_OK || result.status == NI_ERR_NOMEM);
        }
        CHECK(ni_region_deregister(ni->ni, handle) == NI_OK);
    }
    struck = ni_fault_struck(NI_FAULT_ALLOC) != 0;
    ni_fault_reset();
    return struck;
}

static void no_memory(struct suite *suite)
{
    struct cmd_world *world = cmd_world_new(suite);
    uint64_t nth = 1;

    while (live(world, nth)) {
        CHECK(++nth < ALLOCATIONS);
    }
    CHECK(nth > 3);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"malformed", 2, 0, malformed},
        {"protected", 2, 0, protected},
        {"arguments", 2, 0, arguments},
        {"wild_stores", 2, 0, wild_stores},
        {"ack_too_late", 2, SUITE_NEEDS_HERE, ack_too_late},
        {"removed_by_its_ack", 2, 0, removed_by_its_ack},
        {"dead_peer", 2, SUITE_NEEDS_KILL, dead_peer},
        {"no_memory", 2, SUITE_NEEDS_HERE, no_memory},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
