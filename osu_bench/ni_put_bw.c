/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bandwidth tests of APEnet+ 3.1.3.3, by queue pairs. Each keeps the work queue full of writes
 * (RDMA PUT) of one size to a single buffer, and the target counts an event for each: a note behind
 * the data adds to a counter, which at the last one tells that all have arrived.
 *
 *   loop-back   an NI writes to itself: one process does both sides' work
 *   two nodes   an NI writes to that of another process
 *
 * What arrived is compared with what was sent.
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

const char second_program[] = "ni_put_bw";

enum { RING = 128, SMALLEST = 32, LARGEST = 4 << 20, DEPTH = 64 };

struct settings {
    unsigned writes;
    size_t largest;
};

/* What both processes see. */
struct shared {
    _Alignas(128) uint8_t target[LARGEST];
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey memory, counter;
    _Atomic uint64_t arrived; /* rounds of which all have */
    atomic_bool ready, stop;
};

struct bench {
    struct shared *shared;
    struct ni *ni;
    pid_t child;
    struct ni_qp qp;
    uint16_t memory, counter; /* targets */
    uint64_t rounds;
    _Alignas(128) uint8_t source[LARGEST];
    struct ni_qp_request requests[RING];
    struct ni_qp_completion completions[RING];
    struct ni_qp_ends ends;
};

/* ---- the target ------------------------------------------------------------------------------ */

static void on_all(void *arg, ni_status status, uint64_t value)
{
    struct shared *shared = arg;

    (void)status;
    (void)value;
    /* Pairs with the acquire load in run_round. */
    atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_release);
}

static void open_target(struct shared *shared, struct ni *ni)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_all, .arg = shared};

    second_must(ni_region_memory(ni, shared->target, LARGEST, NI_ACCESS_WRITE, &shared->memory),
                "register the target");
    second_must(ni_counter_create(ni, 0, &shared->counter), "make a counter");
    second_must(ni_counter_notify(ni, shared->counter.handle, &ack), "have it notify");
    shared->blob_len = ni_address(ni, shared->blob, sizeof(shared->blob));
    /* Pairs with the load in second_start. */
    atomic_store_explicit(&shared->ready, true, memory_order_release);
}

static void serve(void *arg)
{
    struct shared *shared = arg;
    struct ni_open_attr attr = {.host_processes = 2};
    struct ni *ni;

    second_must(ni_open(&attr, &ni), "open the target's NI");
    open_target(shared, ni);
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        (void)ni_wait(ni, 1000);
    }
    ni_close(ni);
}

/* ---- our side -------------------------------------------------------------------------------- */

static void open_source(struct bench *bench)
{
    struct shared *shared = bench->shared;
    struct ni_qp_attr attr = {.requests = bench->requests,
                              .request_count = RING,
                              .completions = bench->completions,
                              .completion_count = RING,
                              .ends = &bench->ends};
    struct ni_peer *peer;
    struct ni_rkey rkey;
    ni_handle handle;

    second_must(ni_connect(bench->ni, shared->blob, shared->blob_len, &peer), "connect");
    second_must(ni_region_memory(bench->ni, bench->source, LARGEST, NI_ACCESS_READ, &rkey),
                "register");
    second_must(ni_qp_create(bench->ni, &attr, &handle), "make a queue pair");
    second_must(ni_qp_target(bench->ni, handle, peer, &shared->memory, &bench->memory),
                "name a target");
    second_must(ni_qp_target(bench->ni, handle, peer, &shared->counter, &bench->counter),
                "name another");
    ni_qp_open(&bench->qp, &attr);
}

static struct bench *open_bench(bool two_nodes)
{
    struct ni_open_attr attr = {.host_processes = two_nodes ? 2 : 1};
    struct bench *bench = aligned_alloc(128, sizeof(*bench));

    if (bench == NULL) {
        fprintf(stderr, "ni_put_bw: no memory\n");
        exit(1);
    }
    memset((void *)bench, 0, sizeof(*bench));
    bench->shared = second_memory(sizeof(*bench->shared), MAP_SHARED);
    if (two_nodes) {
        bench->child = second_start(serve, bench->shared, &bench->shared->ready);
    }
    second_must(ni_open(&attr, &bench->ni), "open an NI");
    if (!two_nodes) {
        open_target(bench->shared, bench->ni);
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
    munmap(bench->shared, sizeof(*bench->shared));
    free(bench);
    return status == 0;
}

/* Two processes may have to share a core. */
static void move(struct bench *bench)
{
    if (bench->child != 0) {
        (void)ni_wait(bench->ni, 1000);
    } else {
        (void)ni_progress(bench->ni);
    }
}

static void poll_all(struct bench *bench, unsigned *completed)
{
    struct ni_qp_result result;

    move(bench);
    while (ni_qp_poll(&bench->qp, &result)) {
        second_must(result.status, ni_qp_reason_text(result.reason));
        (*completed)++;
    }
}

/* Each write adds 1 to the counter, the first one as well what arms it: it is zero at the last. */
static void run_round(struct bench *bench, size_t size, unsigned writes)
{
    struct ni_qp_work work = {.op = NI_QP_WRITE,
                              .flags = NI_QP_NOTE,
                              .target = bench->memory,
                              .note_target = bench->counter,
                              .len = (uint32_t)size,
                              .local = bench->source,
                              .remote = (uintptr_t)bench->shared->target};
    unsigned posted = 0, completed = 0;

    bench->rounds++;
    while (completed < writes) {
        while (posted < writes && posted - completed < DEPTH) {
            work.compare = posted == 0 ? 1 - (uint64_t)writes : 1;
            if (!ni_qp_post(&bench->qp, &work)) {
                break;
            }
            posted++;
        }
        poll_all(bench, &completed);
    }
    while (atomic_load_explicit(&bench->shared->arrived, memory_order_acquire) < bench->rounds) {
        move(bench);
    }
}

/* MB/s, or 0 if something is wrong. */
static double measure(struct bench *bench, size_t size, unsigned writes)
{
    uint64_t before;
    double ns;

    for (size_t i = 0; i < size; i++) {
        bench->source[i] = (uint8_t)(i * 7 + i / 4096 + size);
    }
    memset(bench->shared->target, 0, size);
    run_round(bench, size, 2);
    before = osu_clock();
    run_round(bench, size, writes);
    ns = (double)(osu_clock() - before);
    if (memcmp(bench->source, bench->shared->target, size) != 0) {
        fprintf(stderr, "ni_put_bw: %zu bytes: wrong data\n", size);
        return 0;
    }
    return 1e3 * (double)size * writes / (ns > 0 ? ns : 1);
}

static bool run(const struct settings *settings)
{
    struct bench *bench[2] = {open_bench(true), NULL};
    bool good;

    bench[1] = open_bench(false);
    /* The other process has to wake up, and the first writes make the lane. */
    good = measure(bench[0], SMALLEST, settings->writes) > 0 &&
           measure(bench[1], SMALLEST, settings->writes) > 0;
    printf("# Writes through a queue pair, %u of each size (fewer of long ones)\n",
           settings->writes);
    printf(
        "# APEnet+ 3.1.3.3, peaks: loop-back 1200 MB/s (Table 12), two nodes 1200 MB/s (Fig. 31), "
        "host to host\n");
    printf("# %-10s %16s %16s\n", "Size", "loop-back MB/s", "two nodes MB/s");
    for (size_t size = SMALLEST; good && size <= settings->largest; size *= 2) {
        unsigned writes = size <= 65536 ? settings->writes
                                        : (unsigned)(settings->writes * UINT64_C(65536) / size) + 2;
        double two = measure(bench[0], size, writes), loop = measure(bench[1], size, writes);

        good = two > 0 && loop > 0;
        if (good) {
            printf("  %-10zu %16.1f %16.1f\n", size, loop, two);
        }
        fflush(stdout);
    }
    good = close_bench(bench[1]) && good;
    return close_bench(bench[0]) && good;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool parse(char letter, const char *text, unsigned long low, unsigned long high,
                  unsigned long *out)
{
    char *end;

    errno = 0;
    *out = strtoul(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && *text != '-' && *out >= low && *out <= high) {
        return true;
    }
    fprintf(stderr, "ni_put_bw: -%c '%s': wanted is a number from %lu to %lu\n", letter, text, low,
            high);
    return false;
}

static void print_help(void)
{
    printf(
        "Usage: ni_put_bw [options]\n"
        "Bandwidth of writes of growing size, to the NI itself and to that of another process.\n\n"
        "Options:\n"
        "  -n COUNT  writes of each size, 2 to 10000000 (default 1000)\n"
        "  -m BYTES  largest size, %d to %d (default that)\n"
        "  -h        this text\n"
        "  -v        name and version\n\n"
        "Exit status: 0; 1 for a wrong option, wrong data, or a link that does not work here.\n",
        SMALLEST, LARGEST);
}

int main(int argc, char **argv)
{
    struct settings settings = {.writes = 1000, .largest = LARGEST};
    unsigned long value;
    int letter;

    while ((letter = next_letter(argc, argv, "n:m:hv")) != -1) {
        if (letter == 'h') {
            print_help();
            return 0;
        }
        if (letter == 'v') {
            printf("ni_put_bw (apelink) %s\n", PACKAGE_VERSION);
            return 0;
        }
        if (letter == 'n' && parse('n', optarg, 2, 10000000, &value)) {
            settings.writes = (unsigned)value;
        } else if (letter == 'm' && parse('m', optarg, SMALLEST, LARGEST, &value)) {
            settings.largest = value;
        } else {
            if (letter == '?') {
                refuse_letter("ni_put_bw", argv);
            }
            return 1;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ni_put_bw: '%s' is not an option; try -h\n", argv[optind]);
        return 1;
    }
    return run(&settings) ? 0 : 1;
}
