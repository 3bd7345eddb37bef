/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting strategies for command regions, after FORTH-PCI, V-D: one-way transfers of growing size,
 * cut into descriptors of 4 KiB at most, as fast as the strategy gives them to the NI.
 *
 *   v1  wait the descriptors of a transfer are written ahead, the start flag of the last one
 *               releases them, and the next transfer begins when that one has completed
 *   v2  queue the lines are a circular queue: each descriptor starts by itself, as soon as its line
 *       is free
 *   v3  batch   the same, but four descriptors at a time: one look for free lines, one start flag
 *
 * The target is another process (shm) or another NI of this one (inproc). What arrived is compared
 * with what was sent.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <apeni/apeni.h>

#include "clock.h"
#include "letters.h"
#include "second.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

const char second_program[] = "ni_commands";

enum {
    LINES = 128,  /* of the queue, as in the paper */
    PIECE = 4096, /* most that a descriptor moves */
    LARGEST = 512 << 10,
    BATCH = 4, /* descriptors of v3 that go together */
    STRATEGIES = 3,
};

_Static_assert(LARGEST / PIECE <= LINES, "v1 writes all descriptors of a transfer ahead");

struct settings {
    const char *link; /* NULL: both */
    unsigned transfers;
    size_t largest;
};

/* What both processes see. */
struct shared {
    _Alignas(128) uint8_t target[LARGEST];
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey rkey;
    atomic_bool ready, stop;
};

struct bench {
    struct shared *shared;
    struct ni_fabric *fabric; /* inproc */
    struct ni *ni, *other;    /* other: inproc, for us to move */
    struct ni_peer *peer;
    pid_t child; /* shm */
    _Alignas(128) uint8_t source[LARGEST];
    _Alignas(128) struct ni_command_line lines[LINES];
    struct ni_command commands[LINES];
    ni_handle region;
    uint16_t target;
    unsigned next;   /* line that is composed next */
    uint64_t posted; /* descriptors */
    bool failed;     /* one of them was given back undone */
};

/* ---- the target ------------------------------------------------------------------------------ */

static void open_target(struct shared *shared, struct ni_fabric *fabric, struct ni **ni)
{
    struct ni_open_attr attr = {.fabric = fabric, .host_processes = 2};

    second_must(ni_open(&attr, ni), "open the target's NI");
    second_must(ni_region_memory(*ni, shared->target, LARGEST, NI_ACCESS_WRITE, &shared->rkey),
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
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed))
        (void)ni_wait(ni, 1000);
    ni_close(ni);
}

/* ---- our side -------------------------------------------------------------------------------- */

static void open_source(struct bench *bench)
{
    struct ni_open_attr attr = {.fabric = bench->fabric, .host_processes = 2};
    struct ni_rkey rkey;

    second_must(ni_open(&attr, &bench->ni), "open an NI");
    second_must(ni_connect(bench->ni, bench->shared->blob, bench->shared->blob_len, &bench->peer),
                "connect to the target");
    second_must(ni_region_memory(bench->ni, bench->source, LARGEST, NI_ACCESS_READ, &rkey),
                "register the source");
    second_must(ni_region_command(bench->ni, bench->lines, LINES, NI_COMMAND_QUEUE, &bench->region),
                "register the lines");
    second_must(ni_command_target(bench->ni, bench->region, bench->peer, &bench->shared->rkey,
                                  &bench->target),
                "name the target");
    for (unsigned i = 0; i < LINES; i++)
        bench->commands[i].line = &bench->lines[i];
}

static struct bench *open_bench(bool inproc)
{
    static const struct ni_fabric_attr defaults;
    struct bench *bench = aligned_alloc(128, sizeof(*bench));

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

/* Returns whether all ended well. */
static bool close_bench(struct bench *bench)
{
    int status = 0;

    atomic_store_explicit(&bench->shared->stop, true, memory_order_relaxed);
    if (bench->child != 0 && waitpid(bench->child, &status, 0) != bench->child)
        status = 1;
    ni_close(bench->ni);
    ni_close(bench->other);
    ni_fabric_destroy(bench->fabric);
    munmap(bench->shared, sizeof(*bench->shared));
    free(bench);
    return status == 0;
}

static void move(struct bench *bench)
{
    if (bench->other != NULL) {
        (void)ni_progress(bench->ni);
        (void)ni_progress(bench->other);
    } else {
        (void)ni_wait(bench->ni, 1000);
    }
}

/* Wait for the end of the descriptor that a line holds, if there is one. */
static void await(struct bench *bench, struct ni_command *command)
{
    struct ni_command_result result;

    while (!ni_command_poll(command, &result))
        move(bench);
    bench->failed = bench->failed || result.status != NI_OK;
}

/* The next descriptor of the queue, whose line is free. */
static void post(struct bench *bench, size_t at, size_t len, bool start)
{
    struct ni_command *command = &bench->commands[bench->next];
    struct ni_descriptor descriptor;

    ni_command_copy(&descriptor, NI_COMMAND_WRITE, bench->target, bench->source + at,
                    (uintptr_t)bench->shared->target + at, (uint32_t)len);
    if (start)
        ni_command_start(&descriptor);
    if (!ni_command_begin(command))
        abort(); /* await has been called */
    ni_command_compose(command, &descriptor);
    bench->next = (bench->next + 1) % LINES;
    bench->posted++;
}

/* The pieces of a transfer, `ahead` at a time. */
static void post_all(struct bench *bench, size_t size, unsigned ahead)
{
    unsigned pieces = (unsigned)((size + PIECE - 1) / PIECE);

    for (unsigned i = 0; i < pieces; i++) {
        size_t at = (size_t)i * PIECE;
        bool last = i + 1 == pieces || (i + 1) % ahead == 0;

        if (i % ahead == 0) {
            /* Lines are given back in any order: all that are wanted have to be. */
            for (unsigned n = 0; n < ahead && i + n < pieces; n++)
                await(bench, &bench->commands[(bench->next + n) % LINES]);
        }
        post(bench, at, size - at < PIECE ? size - at : PIECE, last);
    }
}

static void await_all(struct bench *bench)
{
    for (unsigned i = 0; i < LINES; i++)
        await(bench, &bench->commands[i]);
}

static void transfer(struct bench *bench, unsigned strategy, size_t size)
{
    if (strategy == 0) {
        post_all(bench, size, LINES);
        second_must(ni_command_poke(bench->ni, bench->region), "ring the doorbell");
        await(bench, &bench->commands[(bench->next + LINES - 1) % LINES]);
    } else {
        post_all(bench, size, strategy == 1 ? 1 : BATCH);
    }
}

/* Transfers of one size; returns ns for each, or 0 if something is wrong. */
static double measure(struct bench *bench, unsigned strategy, size_t size, unsigned transfers)
{
    uint64_t before;
    double ns;

    for (size_t i = 0; i < size; i++)
        bench->source[i] = (uint8_t)(i * 7 + i / PIECE + strategy * 31 + size);
    memset(bench->shared->target, 0, size);
    transfer(bench, strategy, size);
    await_all(bench);
    before = osu_clock();
    for (unsigned n = 0; n < transfers; n++)
        transfer(bench, strategy, size);
    await_all(bench);
    ns = (double)(osu_clock() - before) / transfers;
    if (memcmp(bench->source, bench->shared->target, size) != 0 || bench->failed) {
        fprintf(stderr, "ni_commands: v%u, %zu bytes: wrong data, or a descriptor failed\n",
                strategy + 1, size);
        return 0;
    }
    return ns > 0 ? ns : 1;
}

/* The target's process has to wake up, and the first transfers make the lane: that is nobody's
 * strategy. */
static bool warm_up(struct bench *bench, unsigned transfers)
{
    return measure(bench, STRATEGIES - 1, 64, transfers) > 0 &&
           measure(bench, STRATEGIES - 1, PIECE, transfers) > 0;
}

static bool count_is_right(const struct bench *bench)
{
    uint64_t taken = ni_stat_read(bench->ni, ni_stat_find("commands"));

    if (taken == bench->posted)
        return true;
    fprintf(stderr, "ni_commands: %llu descriptors posted, %llu taken\n",
            (unsigned long long)bench->posted, (unsigned long long)taken);
    return false;
}

static bool run(const struct settings *settings, bool inproc)
{
    struct bench *bench = open_bench(inproc);
    bool good = warm_up(bench, settings->transfers);

    printf("# Posting strategies over %s: %u transfers of each size, descriptors of %u bytes\n",
           inproc ? "inproc" : "shm", settings->transfers, (unsigned)PIECE);
    printf("# v1: wait for each transfer; v2: queue; v3: batches of %u\n", (unsigned)BATCH);
    printf("# FORTH-PCI V-D: v1 up to 632 MB/s; v2 6.2 us for each long transfer, v3 3 %% less\n");
    printf("# %-8s%12s%12s%12s%12s%12s%12s\n", "Size", "v1 MB/s", "v2 MB/s", "v3 MB/s", "v1 us",
           "v2 us", "v3 us");
    for (size_t size = 64; good && size <= settings->largest; size *= 2) {
        double ns[STRATEGIES];

        for (unsigned s = 0; s < STRATEGIES; s++) {
            ns[s] = measure(bench, s, size, settings->transfers);
            good = good && ns[s] > 0;
        }
        if (good)
            printf("  %-8zu%12.1f%12.1f%12.1f%12.3f%12.3f%12.3f\n", size,
                   1e3 * (double)size / ns[0], 1e3 * (double)size / ns[1],
                   1e3 * (double)size / ns[2], ns[0] / 1e3, ns[1] / 1e3, ns[2] / 1e3);
        fflush(stdout);
    }
    good = good && count_is_right(bench);
    return close_bench(bench) && good;
}

/* ---- options --------------------------------------------------------------------------------- */

static void print_help(void)
{
    printf("Usage: ni_commands [options]\n"
           "Transfers of growing size by three ways to post their descriptors: MB/s, and us for "
           "each transfer.\n\n"
           "Options:\n"
           "  -l LINK   inproc or shm (default: both)\n"
           "  -n COUNT  transfers of each size, 1 to 10000000 (default 1000)\n"
           "  -m BYTES  largest size, 64 to %d (default that)\n"
           "  -h        this text\n"
           "  -v        name and version\n\n"
           "Exit status: 0; 1 for a wrong option, wrong data, or a link that does not work here.\n",
           LARGEST);
}

static bool parse(char letter, const char *text, unsigned long low, unsigned long high,
                  unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && *text != '-' && *out >= low && *out <= high)
        return true;
    fprintf(stderr, "ni_commands: -%c '%s': wanted is a number from %lu to %lu\n", letter, text,
            low, high);
    return false;
}

/* Returns 0 to go on, 1 to end well, -1 to end badly. */
static int parse_one(struct settings *settings, int letter, char **argv)
{
    unsigned long value;

    switch (letter) {
    case 'h':
        print_help();
        return 1;
    case 'v':
        printf("ni_commands (apelink) %s\n", PACKAGE_VERSION);
        return 1;
    case 'l':
        settings->link = optarg;
        if (strcmp(optarg, "inproc") == 0 || strcmp(optarg, "shm") == 0)
            return 0;
        fprintf(stderr, "ni_commands: -l '%s': wanted is inproc or shm\n", optarg);
        return -1;
    case 'n':
        if (!parse('n', optarg, 1, 10000000, &value))
            return -1;
        settings->transfers = (unsigned)value;
        return 0;
    case 'm':
        if (!parse('m', optarg, 64, LARGEST, &value))
            return -1;
        settings->largest = value;
        return 0;
    default:
        refuse_letter("ni_commands", argv);
        return -1;
    }
}

static int parse_all(struct settings *settings, int argc, char **argv)
{
    int letter, result = 0;

    while (result == 0 && (letter = next_letter(argc, argv, "l:n:m:hv")) != -1)
        result = parse_one(settings, letter, argv);
    if (result == 0 && optind < argc) {
        fprintf(stderr, "ni_commands: '%s' is not an option; try -h\n", argv[optind]);
        return -1;
    }
    return result;
}

int main(int argc, char **argv)
{
    struct settings settings = {.transfers = 1000, .largest = LARGEST};
    int parsed = parse_all(&settings, argc, argv);

    if (parsed != 0)
        return parsed < 0;
    for (unsigned inproc = 0; inproc < 2; inproc++) {
        if ((settings.link == NULL || strcmp(settings.link, inproc ? "inproc" : "shm") == 0) &&
            !run(&settings, inproc != 0))
            return 1;
    }
    return 0;
}
