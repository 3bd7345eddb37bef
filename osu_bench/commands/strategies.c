/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands/strategies.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <apeni/apeni.h>

#include "clock.h"
#include "second.h"

enum { LINES = 128 /* of the queue, as in the paper */ };

const char second_program[] = "ni_commands";

const unsigned commands_per_look[COMMANDS_STRATEGIES] = {LINES, 1, 4};

_Static_assert(COMMANDS_LARGEST / COMMANDS_PIECE <= LINES,
               "v1 writes all descriptors of a transfer ahead");

/* What both processes see. */
struct shared {
    _Alignas(128) uint8_t target[COMMANDS_LARGEST];
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey rkey;
    atomic_bool ready, stop;
};

struct commands {
    struct shared *shared;
    struct ni_fabric *fabric; /* inproc */
    struct ni *ni, *other;    /* other: inproc, for us to move */
    struct ni_peer *peer;
    pid_t child; /* shm */
    _Alignas(128) uint8_t source[COMMANDS_LARGEST];
    _Alignas(128) struct ni_command_line lines[LINES];
    struct ni_command commands[LINES];
    ni_handle region;
    uint16_t target;
    unsigned next; /* line that is composed next */
    struct commands_counts counts[COMMANDS_STRATEGIES];
    uint64_t warmed; /* descriptors that warmed up */
    bool failed;     /* a descriptor was given back undone */
};

/* ---- the target ------------------------------------------------------------------------------ */

static void open_target(struct shared *shared, struct ni_fabric *fabric, struct ni **ni)
{
    struct ni_open_attr attr = {.fabric = fabric, .host_processes = 2};

    second_must(ni_open(&attr, ni), "open the target's NI");
    second_must(
        ni_region_memory(*ni, shared->target, COMMANDS_LARGEST, NI_ACCESS_WRITE, &shared->rkey),
        "register the target");
    shared->blob_len = ni_address(*ni, shared->blob, sizeof(shared->blob));
    /* Pairs with the load in second_start. */
    atomic_store_explicit(&shared->ready, true, memory_order_release);
}

static void serve(void *arg)
{
    struct shared *shared = arg;
    struct ni *ni;

    open_target(shared, NULL, &ni);
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        (void)ni_wait(ni, 1000);
    }
    ni_close(ni);
}

/* ---- our side -------------------------------------------------------------------------------- */

static void open_source(struct commands *bench)
{
    struct ni_open_attr attr = {.fabric = bench->fabric, .host_processes = 2};
    struct ni_rkey rkey;

    second_must(ni_open(&attr, &bench->ni), "open an NI");
    second_must(ni_connect(bench->ni, bench->shared->blob, bench->shared->blob_len, &bench->peer),
                "connect to the target");
    second_must(ni_region_memory(bench->ni, bench->source, COMMANDS_LARGEST, NI_ACCESS_READ, &rkey),
                "register the source");
    second_must(ni_region_command(bench->ni, bench->lines, LINES, NI_COMMAND_QUEUE, &bench->region),
                "register the lines");
    second_must(ni_command_target(bench->ni, bench->region, bench->peer, &bench->shared->rkey,
                                  &bench->target),
                "name the target");
    for (unsigned i = 0; i < LINES; i++) {
        bench->commands[i].line = &bench->lines[i];
    }
}

struct commands *commands_open(bool inproc)
{
    static const struct ni_fabric_attr defaults;
    struct commands *bench = aligned_alloc(128, sizeof(*bench));

    if (bench == NULL) {
        fprintf(stderr, "ni_commands: no memory\n");
        exit(1);
    }
    memset(bench, 0, sizeof(*bench));
    bench->shared = second_memory(sizeof(*bench->shared), MAP_SHARED);
    if (inproc) {
        second_must(ni_fabric_create(&defaults, &bench->fabric), "make a fabric");
        open_target(bench->shared, bench->fabric, &bench->other);
    } else {
        bench->child = second_start(serve, bench->shared, &bench->shared->ready);
    }
    open_source(bench);
    return bench;
}

bool commands_close(struct commands *bench)
{
    int status = 0;

    atomic_store_explicit(&bench->shared->stop, true, memory_order_relaxed);
    if (bench->child != 0 && waitpid(bench->child, &status, 0) != bench->child) {
        status = 1;
    }
    ni_close(bench->ni);
    ni_close(bench->other);
    ni_fabric_destroy(bench->fabric);
    munmap(bench->shared, sizeof(*bench->shared));
    free(bench);
    return status == 0;
}

static void move(struct commands *bench)
{
    if (bench->other != NULL) {
        (void)ni_progress(bench->ni);
        (void)ni_progress(bench->other);
    } else {
        (void)ni_wait(bench->ni, 1000);
    }
}

/* Wait for the end of the descriptor that a line holds, if there is one. */
static void await(struct commands *bench, struct ni_command *command)
{
    struct ni_command_result result;

    while (!ni_command_poll(command, &result)) {
        move(bench);
    }
    bench->failed = bench->failed || result.status != NI_OK;
}

/* The next descriptor of the queue. */
static void post(struct commands *bench, size_t at, size_t len, bool start)
{
    struct ni_command *command = &bench->commands[bench->next];
    struct ni_descriptor descriptor;

    ni_command_copy(&descriptor, NI_COMMAND_WRITE, bench->target, bench->source + at,
                    (uintptr_t)bench->shared->target + at, (uint32_t)len);
    ni_command_departed(&descriptor);
    if (start) {
        ni_command_start(&descriptor);
    }
    while (!ni_command_begin(command)) {
        move(bench);
    }
    ni_command_compose(command, &descriptor);
    bench->next = (bench->next + 1) % LINES;
}

unsigned commands_pieces(size_t size)
{
    return (unsigned)((size + COMMANDS_PIECE - 1) / COMMANDS_PIECE);
}

static void transfer(struct commands *bench, unsigned strategy, size_t size)
{
    struct commands_counts *counts = &bench->counts[strategy];
    unsigned pieces = commands_pieces(size), ahead = commands_per_look[strategy];

    for (unsigned i = 0; i < pieces; i++) {
        size_t at = (size_t)i * COMMANDS_PIECE;
        bool start = strategy != 0 || i + 1 == pieces;

        if (i % ahead == 0) {
            /* Lines depart in order: where the last one is free the others are, too. */
            unsigned wanted = pieces - i < ahead ? pieces - i : ahead;

            await(bench, &bench->commands[(bench->next + wanted - 1) % LINES]);
            counts->looks++;
        }
        post(bench, at, size - at < COMMANDS_PIECE ? size - at : COMMANDS_PIECE, start);
        counts->starts += start;
        counts->posted++;
    }
    if (strategy == 0) {
        second_must(ni_command_poke(bench->ni, bench->region), "ring the doorbell");
        await(bench, &bench->commands[(bench->next + LINES - 1) % LINES]);
    }
}

static void await_all(struct commands *bench)
{
    for (unsigned i = 0; i < LINES; i++) {
        await(bench, &bench->commands[i]);
    }
}

static void on_flushed(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    second_must(status, "flush");
    *(bool *)arg = true;
}

/* What has departed may still be on its way. */
static void await_arrival(struct commands *bench)
{
    bool arrived = false;
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_flushed, .arg = &arrived};

    second_must(ni_flush(bench->ni, bench->peer, &ack), "flush");
    while (!arrived) {
        move(bench);
    }
}

double commands_measure(struct commands *bench, unsigned strategy, size_t size, unsigned transfers)
{
    uint64_t before;
    double ns;

    for (size_t i = 0; i < size; i++) {
        bench->source[i] = (uint8_t)(i * 7 + i / COMMANDS_PIECE + strategy * 31 + size);
    }
    memset(bench->shared->target, 0, size);
    transfer(bench, strategy, size);
    await_all(bench);
    await_arrival(bench);
    before = osu_clock();
    for (unsigned n = 0; n < transfers; n++) {
        transfer(bench, strategy, size);
    }
    await_all(bench);
    ns = (double)(osu_clock() - before) / transfers;
    await_arrival(bench);
    if (memcmp(bench->source, bench->shared->target, size) != 0 || bench->failed) {
        fprintf(stderr, "ni_commands: v%u, %zu bytes: wrong data, or a descriptor failed\n",
                strategy + 1, size);
        return 0;
    }
    return ns > 0 ? ns : 1;
}

static uint64_t descriptors(const struct commands *bench)
{
    return ni_stat_read(bench->ni, ni_stat_find("commands"));
}

bool commands_warm_up(struct commands *bench, unsigned transfers)
{
    bool good = commands_measure(bench, COMMANDS_STRATEGIES - 1, 64, transfers) > 0 &&
                commands_measure(bench, COMMANDS_STRATEGIES - 1, COMMANDS_PIECE, transfers) > 0;

    memset(bench->counts, 0, sizeof(bench->counts));
    bench->warmed = descriptors(bench);
    return good;
}

const struct commands_counts *commands_counts(const struct commands *bench, unsigned strategy)
{
    return &bench->counts[strategy];
}

uint64_t commands_taken(const struct commands *bench)
{
    return descriptors(bench) - bench->warmed;
}
