/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers spread over rails (FORTH-PCI III-E): bandwidth of many at a time, and the time until
 * one is complete where it arrives, when its completion is found by counters and when headers are
 * put in order; over 1, 2 and 4 rails.
 *
 *   bandwidth   WINDOW writes at a time, each with an ack
 *   completion  a write with a note, a word that the target polls, and a word back: half of the
 *               time for both sides
 *
 * What arrived is compared with what was sent, and the packets with the number that there must have
 * been.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ni_world.h"

enum { LARGEST = 1 << 20, WINDOW = 8, LINE = 128, WAYS = 2, RAILS_MAX = 8 };

static const enum ni_multipath ways[WAYS] = {NI_MULTIPATH_COUNTERS, NI_MULTIPATH_RESEQUENCE};

static unsigned repetitions;
static size_t next_size;
static enum ni_multipath next_way;

struct side {
    _Alignas(LINE) uint8_t memory[LARGEST]; /* written by the other side */
    _Alignas(LINE) ni_word flag;            /* likewise */
    _Alignas(LINE) uint8_t source[LARGEST];
    _Alignas(LINE) struct ni_rkey rkey;
};

struct result {
    double mb_s, us;
    unsigned rails;
    bool spread; /* each rail has had its share */
};

struct shared {
    struct side sides[2];
    struct result result;
    _Atomic bool ended;
};

struct bench {
    struct ni_world_member *m;
    struct side *mine, *theirs;
    struct ni_peer *peer;
    unsigned under_way;
};

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct bench *bench = arg;

    (void)value;
    ni_world_must(status, "write");
    bench->under_way--;
}

static struct ni_remote there(const struct bench *bench, const void *at)
{
    return (struct ni_remote){.addr = (uintptr_t)at,
                              .key = bench->theirs->rkey.key,
                              .handle = bench->theirs->rkey.handle};
}

/* Some packets, or some time. */
static void move(const struct bench *bench, unsigned *looks)
{
    if (ni_progress(bench->m->ni) == 0) {
        ni_world_relax(bench->m, (*looks)++);
    } else {
        *looks = 0;
    }
}

/* number: of the note; 0: none. */
static void write_one(struct bench *bench, uint64_t number)
{
    struct ni_note note = {
        .region = bench->theirs->rkey, .addr = (uintptr_t)&bench->theirs->flag, .value = number};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = bench};
    struct ni_remote where = there(bench, bench->theirs->memory);

    bench->under_way++;
    ni_world_must(ni_write_multipath(bench->m->ni, bench->peer, bench->mine->source, next_size,
                                     &where, number != 0 ? &note : NULL, NULL, &ack, next_way),
                  "write");
}

static void wait_below(struct bench *bench, unsigned most)
{
    unsigned looks = 0;

    while (bench->under_way > most) {
        move(bench, &looks);
    }
}

static void await_flag(const struct bench *bench, uint64_t number)
{
    unsigned looks = 0;

    /* Pairs with the note, which the NI stores behind the data. */
    while (atomic_load_explicit(&bench->mine->flag, memory_order_acquire) != number) {
        move(bench, &looks);
    }
}

/* Both sides in turn. */
static double time_completion(struct bench *bench)
{
    uint64_t begin = 0;

    for (unsigned i = 1; i <= repetitions + 2; i++) {
        if (i == 3) {
            begin = osu_clock();
        }
        if (bench->m->rank == 0) {
            write_one(bench, i);
        }
        await_flag(bench, i);
        if (bench->m->rank != 0) {
            write_one(bench, i);
        }
        wait_below(bench, 0);
    }
    return (double)(osu_clock() - begin) / repetitions / 2e3;
}

/* MB/s of one side, while the other makes progress. */
static double time_bandwidth(struct bench *bench, struct shared *shared)
{
    uint64_t begin = osu_clock(), ns;
    unsigned looks = 0;

    if (bench->m->rank != 0) {
        while (!atomic_load_explicit(&shared->ended, memory_order_acquire)) {
            move(bench, &looks);
        }
        return 0;
    }
    for (unsigned i = 0; i < repetitions; i++) {
        wait_below(bench, WINDOW - 1);
        write_one(bench, 0);
    }
    wait_below(bench, 0);
    ns = osu_clock() - begin;
    atomic_store_explicit(&shared->ended, true, memory_order_release);
    return 1e3 * (double)next_size * repetitions / (double)(ns + (ns == 0));
}

static void member(struct ni_world_member *m)
{
    struct shared *shared = m->shared;
    struct bench bench = {.m = m,
                          .mine = &shared->sides[m->rank],
                          .theirs = &shared->sides[!m->rank],
                          .peer = m->peers[!m->rank]};
    uint64_t packets[RAILS_MAX];
    double us, mb_s;

    for (size_t i = 0; i < next_size; i++) {
        bench.mine->source[i] = (uint8_t)(i * 7 + i / 4096 + m->rank);
    }
    ni_world_must(
        ni_region_memory(m->ni, bench.mine, sizeof(*bench.mine), NI_ACCESS_ALL, &bench.mine->rkey),
        "register");
    ni_world_meet(m);
    us = time_completion(&bench);
    mb_s = time_bandwidth(&bench, shared);
    ni_world_meet(m);
    if (memcmp(bench.mine->memory, bench.theirs->source, next_size) != 0) {
        ni_world_must(NI_ERR_PROTOCOL, "compare the data");
    }
    if (m->rank == 0) {
        shared->result = (struct result){.mb_s = mb_s, .us = us, .spread = true};
        shared->result.rails = ni_rails(m->ni, bench.peer, packets, RAILS_MAX);
        for (unsigned i = 0; i < shared->result.rails; i++) {
            shared->result.spread = shared->result.spread && packets[i] != 0;
        }
    }
}

static void keep(const void *shared, void *arg)
{
    *(struct result *)arg = ((const struct shared *)shared)->result;
}

static struct result measure(bool processes, unsigned rails, size_t size, enum ni_multipath way)
{
    struct result result = {0};
    const struct ni_world_settings settings = {.program = "ni_multipath",
                                               .members = 2,
                                               .processes = processes,
                                               .shared = sizeof(struct shared),
                                               .result = keep,
                                               .arg = &result};

    next_size = size;
    next_way = way;
    ni_world_run(&settings, member);
    if (result.rails != rails || (rails > 1 && !result.spread)) {
        fprintf(stderr, "ni_multipath: %u rails were used, not %u\n", result.rails, rails);
        exit(1);
    }
    return result;
}

static void set(const char *name, const char *value)
{
    char error[256];

    if (ni_param_set(name, value, "ni_multipath", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "ni_multipath: %s\n", error);
        exit(1);
    }
}

static void run(const struct ni_world_options *options, bool processes)
{
    static const size_t sizes[] = {64 << 10, 256 << 10, LARGEST};

    repetitions = options->count;
    set("shm_copy", "copy"); /* what the kernel copies is in no packet */
    printf("# Transfers in packets over rails, %s: %u of each size\n",
           processes ? "processes" : "threads", repetitions);
    printf("# %-6s%10s%14s%14s%14s%14s\n", "Rails", "Size", "counters MB/s", "reseq MB/s",
           "counters us", "reseq us");
    for (unsigned rails = 1; rails <= 4; rails *= 2) {
        char text[8];

        snprintf(text, sizeof(text), "%u", rails);
        set("rails", text);
        for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct result results[WAYS];

            for (unsigned way = 0; way < WAYS; way++) {
                results[way] = measure(processes, rails, sizes[i], ways[way]);
            }
            printf("  %-6u%10zu%14.1f%14.1f%14.2f%14.2f\n", rails, sizes[i], results[0].mb_s,
                   results[1].mb_s, results[0].us, results[1].us);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    struct ni_world_options options = {.program = "ni_multipath",
                                       .help = "Transfers in packets over 1, 2 and 4 rails: "
                                               "bandwidth, and time until one is complete.\n",
                                       .count = 1000,
                                       .most = 1000000,
                                       .threads = true,
                                       .processes = true};

    return ni_world_main(&options, argc, argv, run);
}
