/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FORTH-CC Fig. 7: latency of remote stores, messages, RDMA writes, remote loads and RDMA reads,
 * over sizes.
 *
 *   store    words of up to 8 bytes, combined into lines; one way
 *   message  to a queue with a consumer; one way
 *   write    ni_write without an ack address; one way
 *   load     words of up to 8 bytes, all asked for at once; there and back
 *   read     ni_read; there and back
 *   line     a word of shared memory, by plain stores; one way: what no transfer can beat
 *
 * One way is half of a ping-pong: each side waits for the last word of what the other one sends.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ni_world.h"
#include "stores/paper.h"

enum { LARGEST = 512, LINE = 128, LOADS = LARGEST / 8 };

static unsigned repetitions;
static size_t next_size;
static enum way next_way;

struct side {
    _Alignas(LINE) uint8_t memory[LARGEST]; /* written by the other side */
    _Alignas(LINE) _Atomic uint64_t line;
    _Alignas(LINE) struct ni_rkey memory_key, queue_key;
};

struct shared {
    struct side sides[2];
    size_t size;
    enum way way;
    double ns;
};

struct bench {
    struct ni_world_member *m;
    struct shared *shared;
    struct side *mine, *theirs;
    struct ni_peer *peer;
    uint64_t heard; /* number of the last message */
    size_t size;
    enum way way;
};

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct bench *bench = arg;
    uint32_t number;

    memcpy(&number, (const uint8_t *)message->data + message->len - sizeof(number), sizeof(number));
    bench->heard = number;
}

static struct ni_remote there(const struct bench *bench, size_t at)
{
    return (struct ni_remote){.addr = (uintptr_t)bench->theirs->memory + at,
                              .key = bench->theirs->memory_key.key,
                              .handle = bench->theirs->memory_key.handle};
}

/* ---- one way --------------------------------------------------------------------------------- */

static ni_status store(const struct bench *bench, uint32_t number)
{
    unsigned width = bench->size < 8 ? 4 : 8;
    ni_status status = NI_OK;

    for (size_t at = 0; at < bench->size && status == NI_OK; at += width) {
        struct ni_remote where = there(bench, at);
        uint64_t value = width == 8 ? (uint64_t)number << 32 : number;

        do {
            status = ni_store(bench->m->ni, bench->peer, &where, value, width);
        } while (status == NI_AGAIN && ni_progress(bench->m->ni) < UINT32_MAX);
    }
    return status == NI_OK ? ni_store_flush(bench->m->ni, bench->peer) : status;
}

static void send_one(const struct bench *bench, uint32_t number)
{
    static _Thread_local uint8_t data[LARGEST];
    struct ni_remote where = there(bench, 0);
    ni_status status = NI_OK;

    memcpy(data + bench->size - sizeof(number), &number, sizeof(number));
    switch (bench->way) {
    case STORE:
        status = store(bench, number);
        break;
    case MESSAGE:
        do {
            status = ni_message(bench->m->ni, bench->peer, bench->theirs->queue_key.handle, 0, NULL,
                                0, data, bench->size);
        } while (status == NI_AGAIN && ni_progress(bench->m->ni) < UINT32_MAX);
        break;
    case WRITE:
        status = ni_write(bench->m->ni, bench->peer, data, bench->size, &where, NULL);
        break;
    default:
        atomic_store_explicit(&bench->theirs->line, number, memory_order_release);
    }
    if (status != NI_AGAIN) {
        ni_world_must(status, "send");
    }
}

static bool has_come(const struct bench *bench, uint32_t number)
{
    const void *last = bench->mine->memory + bench->size - sizeof(number);

    if (bench->way == RAW) {
        return atomic_load_explicit(&bench->mine->line, memory_order_acquire) == number;
    }
    if (bench->way == MESSAGE) {
        return bench->heard == number;
    }
    /* Pairs with the stores of what moves the data: this NI, or the peer's where memory is
     * one. */
    return __atomic_load_n((const uint32_t *)last, __ATOMIC_ACQUIRE) == number;
}

static void await_one(const struct bench *bench, uint32_t number)
{
    unsigned looks = 0;

    while (!has_come(bench, number)) {
        if (bench->way == RAW) {
            ni_world_relax(bench->m, looks++);
        } else if (ni_progress(bench->m->ni) == 0) {
            ni_world_relax(bench->m, looks++);
        }
    }
}

static void play(const struct bench *bench, uint32_t first, uint32_t count)
{
    for (uint32_t number = first; number < first + count; number++) {
        if (bench->m->rank == 0) {
            send_one(bench, number);
            await_one(bench, number);
        } else {
            await_one(bench, number);
            send_one(bench, number);
        }
    }
}

/* ---- there and back -------------------------------------------------------------------------- */

static void load(const struct bench *bench)
{
    struct ni_loading loading[LOADS];
    unsigned width = bench->size < 8 ? 4 : 8, count = 0;

    for (size_t at = 0; at < bench->size; at += width, count++) {
        struct ni_remote where = there(bench, at);
        ni_status status;

        while ((status = ni_load_start(bench->m->ni, bench->peer, &where, width,
                                       &loading[count])) == NI_AGAIN) {
            (void)ni_progress(bench->m->ni);
        }
        ni_world_must(status, "load");
    }
    for (unsigned i = 0, looks = 0; i < count;) {
        ni_status status = ni_load_test(&loading[i]);

        if (status == NI_OK) {
            i++;
        } else if (status != NI_INPROGRESS) {
            ni_world_must(status, "load");
        } else if (ni_progress(bench->m->ni) == 0) {
            ni_world_relax(bench->m, looks++);
        }
    }
}

static void on_read(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    ni_world_must(status, "read");
    *(bool *)arg = true;
}

static void read_one(const struct bench *bench)
{
    uint8_t data[LARGEST];
    bool done = false;
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_read, .arg = &done};
    struct ni_remote where = there(bench, 0);
    unsigned looks = 0;
    ni_status status;

    while ((status = ni_read(bench->m->ni, bench->peer, data, bench->size, &where, &ack)) ==
           NI_AGAIN) {
        (void)ni_progress(bench->m->ni);
    }
    ni_world_must(status, "read");
    while (!done) {
        if (ni_progress(bench->m->ni) == 0) {
            ni_world_relax(bench->m, looks++);
        }
    }
}

/* The other side does nothing but make progress, until our last word. */
static void ask(struct bench *bench, uint32_t count, uint64_t end)
{
    unsigned looks = 0;

    if (bench->m->rank == 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (bench->way == LOAD) {
                load(bench);
            } else {
                read_one(bench);
            }
        }
        atomic_store_explicit(&bench->theirs->line, end, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&bench->mine->line, memory_order_acquire) != end) {
        if (ni_progress(bench->m->ni) == 0) {
            ni_world_relax(bench->m, looks++);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static double measure(struct bench *bench)
{
    uint32_t warmup = repetitions / 10 + 1;
    bool asks = bench->way == LOAD || bench->way == READ;
    uint64_t begin;

    if (asks) {
        ask(bench, warmup, 1);
    } else {
        play(bench, 1, warmup);
    }
    begin = osu_clock();
    if (asks) {
        ask(bench, repetitions, 2);
    } else {
        play(bench, warmup + 1, repetitions);
    }
    return (double)(osu_clock() - begin) / repetitions / (asks ? 1 : 2);
}

static void member(struct ni_world_member *m)
{
    struct shared *shared = m->shared;
    struct bench bench = {.m = m,
                          .shared = shared,
                          .mine = &shared->sides[m->rank],
                          .theirs = &shared->sides[!m->rank],
                          .peer = m->peers[!m->rank],
                          .size = next_size,
                          .way = next_way};
    double ns;

    ni_world_must(ni_region_memory(m->ni, bench.mine->memory, LARGEST, NI_ACCESS_ALL,
                                   &bench.mine->memory_key),
                  "register");
    ni_world_must(ni_region_consumer(m->ni, on_message, &bench, 0, &bench.mine->queue_key),
                  "make a queue");
    ni_world_meet(m);
    ns = measure(&bench);
    if (m->rank == 0) {
        shared->ns = ns;
    }
}

static void keep(const void *shared, void *arg)
{
    *(double *)arg = ((const struct shared *)shared)->ns;
}

static double time_one(bool processes, enum way way, size_t size)
{
    double ns = 0;
    const struct ni_world_settings settings = {.program = "ni_stores",
                                               .members = 2,
                                               .processes = processes,
                                               .shared = sizeof(struct shared),
                                               .result = keep,
                                               .arg = &ns};

    next_way = way;
    next_size = size;
    ni_world_run(&settings, member);
    return ns > 0 ? ns : 0.1;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const char *const names[] = {"store", "message", "write", "load", "read"};
static const size_t sizes[] = {4, 8, 16, 32, 48, 64, 128, 256, 512};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void print_head(const char *first, const char *second)
{
    printf("# %-6s", "Size");
    for (unsigned way = STORE; way <= READ; way++) {
        printf("%9s%9s", names[way], first);
    }
    if (second != NULL) {
        for (unsigned way = STORE; way <= READ; way++) {
            printf("%9s", second);
        }
    }
    printf("\n");
}

/* Both over a write of 4 bytes, by which clocks and cycles are out of the comparison. */
static void print_ratios(double ns[][READ + 1])
{
    double unit = ns[0][WRITE], paper_unit = paper_cycles(WRITE, sizes[0]);

    printf("# Over a write of %zu bytes: ours, and the paper's\n", sizes[0]);
    print_head("paper", NULL);
    for (unsigned i = 0; i < SIZES; i++) {
        printf("  %-6zu", sizes[i]);
        for (unsigned way = STORE; way <= READ; way++) {
            unsigned cycles = paper_cycles((enum way)way, sizes[i]);

            printf(" %8.2f", ns[i][way] / unit);
            if (cycles != 0) {
                printf("%9.2f", cycles / paper_unit);
            } else {
                printf("%9s", "-");
            }
        }
        printf("\n");
    }
}

static void run(const struct ni_world_options *options, bool processes)
{
    double line, ns[SIZES][READ + 1];

    repetitions = options->count;
    line = time_one(processes, RAW, 8);
    printf("# Latency, %s, ns, and in multiples of a line's way (%.1f ns); in the paper cycles\n",
           processes ? "processes" : "threads", line);
    print_head("lines", "cycles");
    for (unsigned i = 0; i < SIZES; i++) {
        printf("  %-6zu", sizes[i]);
        for (unsigned way = STORE; way <= READ; way++) {
            ns[i][way] = time_one(processes, (enum way)way, sizes[i]);
            printf(" %8.1f %8.2f", ns[i][way], ns[i][way] / line);
        }
        for (unsigned way = STORE; way <= READ; way++) {
            unsigned cycles = paper_cycles((enum way)way, sizes[i]);

            if (cycles != 0) {
                printf("%9u", cycles);
            } else {
                printf("%9s", "-");
            }
        }
        printf("\n");
        fflush(stdout);
    }
    print_ratios(ns);
}

int main(int argc, char **argv)
{
    struct ni_world_options options = {
        .program = "ni_stores",
        .help = "Latency of remote stores, messages, writes, remote loads and reads, over sizes.\n",
        .count = 10000,
        .most = 10000000,
        .threads = true,
        .processes = true};

    return ni_world_main(&options, argc, argv, run);
}
