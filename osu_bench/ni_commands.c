/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posting strategies for command regions, after FORTH-PCI, V-D: one-way transfers of growing size,
 * cut into descriptors of 4 KiB at most, as fast as the strategy gives them to the NI.
 *
 *   v1  the descriptors of a transfer are written ahead, the start flag of the last one releases
 *       them, and the next transfer begins when that one has departed
 *   v2  the lines are a circular queue: each descriptor has a start flag, and is written as soon as
 *       a look finds its line free
 *   v3  the same with one look for each four descriptors
 *
 * As in the paper a line is given back at departure (its local notification), and time ends when
 * the last one has departed. MB are MiB there, and the time is that of one descriptor, which
 * moves 4 KiB at most: so both are here.
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
    STRATEGIES = 3,
};

/* Descriptors for which there is one look for free lines; v1: those of a transfer. */
static const unsigned per_look[STRATEGIES] = {LINES, 1, 4};

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
    unsigned next; /* line that is composed next */
    struct counts {
        uint64_t posted, starts, looks; /* descriptors, start flags, looks for free lines */
    } counts[STRATEGIES];
    bool failed; /* a descriptor was given back undone */
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
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        (void)ni_wait(ni, 1000);
    }
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
    for (unsigned i = 0; i < LINES; i++) {
        bench->commands[i].line = &bench->lines[i];
    }
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

    while (!ni_command_poll(command, &result)) {
        move(bench);
    }
    bench->failed = bench->failed || result.status != NI_OK;
}

/* The next descriptor of the queue. */
static void post(struct bench *bench, size_t at, size_t len, bool start)
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

static unsigned pieces_of(size_t size)
{
    return (unsigned)((size + PIECE - 1) / PIECE);
}

static void transfer(struct bench *bench, unsigned strategy, size_t size)
{
    struct counts *counts = &bench->counts[strategy];
    unsigned pieces = pieces_of(size), ahead = per_look[strategy];

    for (unsigned i = 0; i < pieces; i++) {
        size_t at = (size_t)i * PIECE;
        bool start = strategy != 0 || i + 1 == pieces;

        if (i % ahead == 0) {
            /* Lines depart in order: where the last one is free the others are, too. */
            unsigned wanted = pieces - i < ahead ? pieces - i : ahead;

            await(bench, &bench->commands[(bench->next + wanted - 1) % LINES]);
            counts->looks++;
        }
        post(bench, at, size - at < PIECE ? size - at : PIECE, start);
        counts->starts += start;
        counts->posted++;
    }
    if (strategy == 0) {
        second_must(ni_command_poke(bench->ni, bench->region), "ring the doorbell");
        await(bench, &bench->commands[(bench->next + LINES - 1) % LINES]);
    }
}

static void await_all(struct bench *bench)
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
static void await_arrival(struct bench *bench)
{
    bool arrived = false;
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_flushed, .arg = &arrived};

    second_must(ni_flush(bench->ni, bench->peer, &ack), "flush");
    while (!arrived) {
        move(bench);
    }
}

/* Transfers of one size; returns ns for each, or 0 if something is wrong. */
static double measure(struct bench *bench, unsigned strategy, size_t size, unsigned transfers)
{
    uint64_t before;
    double ns;

    for (size_t i = 0; i < size; i++) {
        bench->source[i] = (uint8_t)(i * 7 + i / PIECE + strategy * 31 + size);
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

/* The target's process has to wake up, and the first transfers make the lane: that is nobody's
 * strategy. */
static bool warm_up(struct bench *bench, unsigned transfers)
{
    return measure(bench, STRATEGIES - 1, 64, transfers) > 0 &&
           measure(bench, STRATEGIES - 1, PIECE, transfers) > 0;
}

static bool count_is_right(const struct bench *bench, uint64_t skipped)
{
    uint64_t taken = ni_stat_read(bench->ni, ni_stat_find("commands")) - skipped, posted = 0;

    for (unsigned s = 0; s < STRATEGIES; s++) {
        const struct counts *counts = &bench->counts[s];

        printf("# v%u: %llu descriptors, %llu start flags, %llu looks for free lines\n", s + 1,
               (unsigned long long)counts->posted, (unsigned long long)counts->starts,
               (unsigned long long)counts->looks);
        posted += counts->posted;
    }
    if (taken == posted) {
        return true;
    }
    fprintf(stderr, "ni_commands: %llu descriptors posted, %llu taken\n",
            (unsigned long long)posted, (unsigned long long)taken);
    return false;
}

static void print_head(bool inproc, unsigned transfers)
{
    printf("# Posting strategies over %s: %u transfers of each size, descriptors of %u bytes\n",
           inproc ? "inproc" : "shm", transfers, (unsigned)PIECE);
    printf("# v1: wait for departure of each transfer; v2: a look for each descriptor; v3: one for "
           "%u\n",
           per_look[STRATEGIES - 1]);
    printf("# us/d: for each descriptor\n");
    printf("# FORTH-PCI V-D: v1 up to 632 MiB/s; v2 6.2 us for each descriptor of long transfers, "
           "v3 3 %% less\n");
    printf("# %-8s%12s%12s%12s%12s%12s%12s%10s\n", "Size", "v1 MiB/s", "v2 MiB/s", "v3 MiB/s",
           "v1 us/d", "v2 us/d", "v3 us/d", "v3/v2");
}

static void print_row(size_t size, const double *ns)
{
    printf("  %-8zu", size);
    for (unsigned s = 0; s < STRATEGIES; s++) {
        printf("%12.1f", (double)size / ns[s] * 1e9 / (1 << 20));
    }
    for (unsigned s = 0; s < STRATEGIES; s++) {
        printf("%12.4f", ns[s] / 1e3 / pieces_of(size));
    }
    printf("%10.2f\n", ns[2] / ns[1]);
    fflush(stdout);
}

static bool run(const struct settings *settings, bool inproc)
{
    struct bench *bench = open_bench(inproc);
    bool good = warm_up(bench, settings->transfers);
    uint64_t skipped; /* descriptors of the warm-up */

    memset(bench->counts, 0, sizeof(bench->counts));
    skipped = ni_stat_read(bench->ni, ni_stat_find("commands"));
    print_head(inproc, settings->transfers);
    for (size_t size = 64; good && size <= settings->largest; size *= 2) {
        double ns[STRATEGIES];

        for (unsigned s = 0; s < STRATEGIES; s++) {
            ns[s] = measure(bench, s, size, settings->transfers);
            good = good && ns[s] > 0;
        }
        if (good) {
            print_row(size, ns);
        }
    }
    good = good && count_is_right(bench, skipped);
    return close_bench(bench) && good;
}

/* ---- options --------------------------------------------------------------------------------- */

static void print_help(void)
{
    printf("Usage: ni_commands [options]\n"
           "Transfers of growing size by three ways to post their descriptors: MiB/s, and us for "
           "each descriptor.\n\n"
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
    if (errno == 0 && end != text && *end == '\0' && *text != '-' && *out >= low && *out <= high) {
        return true;
    }
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
        if (strcmp(optarg, "inproc") == 0 || strcmp(optarg, "shm") == 0) {
            return 0;
        }
        fprintf(stderr, "ni_commands: -l '%s': wanted is inproc or shm\n", optarg);
        return -1;
    case 'n':
        if (!parse('n', optarg, 1, 10000000, &value)) {
            return -1;
        }
        settings->transfers = (unsigned)value;
        return 0;
    case 'm':
        if (!parse('m', optarg, 64, LARGEST, &value)) {
            return -1;
        }
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

    while (result == 0 && (letter = next_letter(argc, argv, "l:n:m:hv")) != -1) {
        result = parse_one(settings, letter, argv);
    }
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

    if (parsed != 0) {
        return parsed < 0;
    }
    for (unsigned inproc = 0; inproc < 2; inproc++) {
        if ((settings.link == NULL || strcmp(settings.link, inproc ? "inproc" : "shm") == 0) &&
            !run(&settings, inproc != 0)) {
            return 1;
        }
    }
    return 0;
}
