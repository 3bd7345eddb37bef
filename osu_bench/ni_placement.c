/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the engine runs, and what that costs and saves: the placements tile, edge and split, between two processes
 * over shared memory.
 *
 *   reads      latency and bandwidth of one-sided reads, 64 B to 16 KiB (soNUMA-NI, Fig. 6 and 7)
 *   loaded     latency of a small message while a transfer of 64 MiB runs between the same two NIs
 *   computing  time of transfers of 4 MiB towards a process that polls, and one that computes and calls nothing. Where
 *              only the target's calls take packets (tile, over a link that does not copy by the kernel) they wait for
 *              those, which the row then says.
 *
 * What arrived is compared with what was sent. Times mean something only if each process has a core, and each engine
 * thread another.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "letters.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum {
    SMALLEST = 64,
    LARGEST = 16 << 10,
    SIZES = 9,   /* from SMALLEST to LARGEST */
    WINDOW = 32, /* reads under way, for bandwidth */
    LONG = 4 << 20,
    LOAD = 64 << 20,
    PLACEMENTS = 3,
    SPINS = 2000,   /* empty polls before the core is given away: there may be fewer than we need */
    PATIENCE_S = 2, /* for one long transfer towards a process that computes */
};

static const enum ni_placement placements[PLACEMENTS] = {NI_PLACEMENT_TILE, NI_PLACEMENT_EDGE,
                                                         NI_PLACEMENT_SPLIT};
static const char *const names[PLACEMENTS] = {"tile", "edge", "split"};
static const char *const experiments[] = {"reads", "loaded", "computing"};

struct settings {
    const char *experiment; /* NULL: all */
    unsigned rounds;
};

/* What both processes see. */
struct shared {
    _Alignas(4096) uint8_t target[LOAD];
    uint8_t blob[NI_BLOB_MAX];
    size_t blob_len;
    struct ni_rkey rkey, queue, replies;
    atomic_bool ready, stop, compute, computes;
};

/* Both sides have these. */
struct side {
    struct shared *shared;
    struct ni *ni;
    struct ni_peer *peer;
    pid_t child;
    uint8_t *local; /* LOAD bytes */
    _Atomic uint64_t messages, done;
    _Atomic bool failed;
    char where[160];
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "ni_placement: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static void *memory_of(size_t size, int sharing)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "ni_placement: no memory\n");
        exit(1);
    }
    return memory;
}

static void open_side(struct side *side, enum ni_placement placement)
{
    struct ni_open_attr attr = {.flags = NI_THREADS, .host_processes = 2, .placement = placement};

    must(ni_open(&attr, &side->ni), "open an NI");
    (void)ni_placement_describe(side->ni, side->where, sizeof(side->where));
}

/* ---- the target ------------------------------------------------------------------------------------------------ */

static void on_question(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    (void)ni_message(side->ni, message->source, side->shared->replies.handle, 0, NULL, 0,
                     message->data, message->len);
}

static void serve(struct shared *shared, enum ni_placement placement)
{
    struct side side = {.shared = shared};

    open_side(&side, placement);
    must(ni_region_memory(side.ni, shared->target, LOAD, NI_ACCESS_ALL, &shared->rkey),
         "register the target");
    must(ni_region_consumer(side.ni, on_question, &side, 0, &shared->queue), "make a queue");
    shared->blob_len = ni_address(side.ni, shared->blob, sizeof(shared->blob));
    /* Pairs with the load in start_child. */
    atomic_store_explicit(&shared->ready, true, memory_order_release);
    for (unsigned empty = 0; !atomic_load(&shared->stop);) {
        bool computes = atomic_load(&shared->compute);

        atomic_store(&shared->computes, computes);
        if (computes || ni_progress(side.ni) == 0)
            empty++;
        else
            empty = 0;
        if (empty > SPINS)
            sched_yield();
    }
    ni_close(side.ni);
}

static void start_child(struct side *side, enum ni_placement placement)
{
    pid_t parent = getpid();

    fflush(NULL);
    side->child = fork();
    if (side->child < 0) {
        fprintf(stderr, "ni_placement: no second process: %s\n", strerror(errno));
        exit(1);
    }
    if (side->child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            serve(side->shared, placement);
        _exit(0);
    }
    while (!atomic_load_explicit(&side->shared->ready, memory_order_acquire)) {
        if (waitpid(side->child, NULL, WNOHANG) != 0) {
            fprintf(stderr, "ni_placement: the target's process has ended\n");
            exit(1);
        }
        usleep(100);
    }
}

/* Have the target compute, or poll. */
static void have_target(struct side *side, bool compute)
{
    atomic_store(&side->shared->compute, compute);
    while (atomic_load(&side->shared->computes) != compute) {
        (void)ni_progress(side->ni);
        sched_yield();
    }
}

/* ---- our side -------------------------------------------------------------------------------------------------- */

static void on_reply(void *arg, const struct ni_message_info *message)
{
    struct side *side = arg;

    (void)message;
    atomic_fetch_add(&side->messages, 1);
}

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct side *side = arg;

    (void)value;
    if (status != NI_OK)
        atomic_store(&side->failed, true);
    atomic_fetch_add(&side->done, 1);
}

static struct side *start(enum ni_placement placement)
{
    struct side *side = calloc(1, sizeof(*side));

    if (side == NULL)
        exit(1);
    side->shared = memory_of(sizeof(struct shared), MAP_SHARED);
    side->local = memory_of(LOAD, MAP_PRIVATE);
    start_child(side, placement);
    open_side(side, placement);
    must(ni_region_consumer(side->ni, on_reply, side, 0, &side->shared->replies), "make a queue");
    must(ni_connect(side->ni, side->shared->blob, side->shared->blob_len, &side->peer),
         "connect to the target");
    return side;
}

/* Returns whether all ended well. */
static bool stop(struct side *side)
{
    bool good = !atomic_load(&side->failed);
    int status = 0;

    atomic_store(&side->shared->stop, true);
    good = waitpid(side->child, &status, 0) == side->child && status == 0 && good;
    ni_close(side->ni);
    munmap(side->shared, sizeof(*side->shared));
    munmap(side->local, LOAD);
    free(side);
    return good;
}

/* Until so many have come. */
static void await(struct side *side, _Atomic uint64_t *count, uint64_t value)
{
    for (unsigned empty = 0; atomic_load(count) < value;) {
        empty = ni_progress(side->ni) != 0 ? 0 : empty + 1;
        if (empty > SPINS)
            sched_yield();
    }
}

static void transfer(struct side *side, bool read, size_t len)
{
    const struct ni_remote remote = {.addr = (uintptr_t)side->shared->target,
                                     .key = side->shared->rkey.key,
                                     .handle = side->shared->rkey.handle};
    const struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done, .arg = side};
    ni_status status;

    for (;;) {
        status = read ? ni_read(side->ni, side->peer, side->local, len, &remote, &ack)
                      : ni_write(side->ni, side->peer, side->local, len, &remote, &ack);
        if (status != NI_AGAIN)
            break;
        (void)ni_progress(side->ni);
    }
    must(status, read ? "read" : "write");
}

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 4096 + seed);
}

static bool same(const struct side *side, size_t len, const char *what)
{
    if (memcmp(side->local, side->shared->target, len) == 0)
        return true;
    fprintf(stderr, "ni_placement: %s: wrong data\n", what);
    return false;
}

/* ---- reads ----------------------------------------------------------------------------------------------------- */

struct read_times {
    double latency_us[SIZES], bandwidth[SIZES]; /* MB/s */
};

/* One after the other; ns for all. */
static uint64_t read_in_turn(struct side *side, size_t size, unsigned rounds)
{
    uint64_t before = now_ns(), first = atomic_load(&side->done);

    for (unsigned n = 1; n <= rounds; n++) {
        transfer(side, true, size);
        await(side, &side->done, first + n);
    }
    return now_ns() - before;
}

static bool measure_reads(struct side *side, unsigned rounds, struct read_times *times)
{
    /* The other process has to wake up, and the first packets make the lane. */
    (void)read_in_turn(side, SMALLEST, rounds);
    for (unsigned i = 0; i < SIZES; i++) {
        size_t size = (size_t)SMALLEST << i;
        uint64_t before, first;

        fill(side->shared->target, size, i);
        memset(side->local, 0, size);
        times->latency_us[i] = (double)read_in_turn(side, size, rounds) / 1e3 / rounds;
        if (!same(side, size, "a read"))
            return false;
        first = atomic_load(&side->done);
        before = now_ns();
        for (unsigned n = 1; n <= rounds; n++) {
            transfer(side, true, size);
            if (n > WINDOW)
                await(side, &side->done, first + n - WINDOW);
        }
        await(side, &side->done, first + rounds);
        times->bandwidth[i] = (double)size * rounds * 1e3 / (double)(now_ns() - before);
    }
    return true;
}

static bool run_reads(const struct settings *settings)
{
    struct read_times times[PLACEMENTS];

    for (unsigned p = 0; p < PLACEMENTS; p++) {
        struct side *side = start(placements[p]);
        bool good;

        printf("# %s\n", side->where);
        good = measure_reads(side, settings->rounds, &times[p]);
        if (!stop(side) || !good)
            return false;
    }
    printf("# One-sided reads: latency (us) and bandwidth (MB/s), %u of each size\n",
           settings->rounds);
    printf("# %-8s%11s%11s%11s%11s%11s%11s\n", "Size", "tile us", "edge us", "split us",
           "tile MB/s", "edge MB/s", "split MB/s");
    for (unsigned i = 0; i < SIZES; i++) {
        printf("  %-8zu", (size_t)SMALLEST << i);
        for (unsigned p = 0; p < PLACEMENTS; p++)
            printf("%11.3f", times[p].latency_us[i]);
        for (unsigned p = 0; p < PLACEMENTS; p++)
            printf("%11.1f", times[p].bandwidth[i]);
        printf("\n");
    }
    return true;
}

/* us, of one long transfer. */
static double time_long(struct side *side, bool read, size_t len)
{
    uint64_t first = atomic_load(&side->done), before = now_ns();

    transfer(side, read, len);
    await(side, &side->done, first + 1);
    return (double)(now_ns() - before) / 1e3;
}

/* The same towards a process that computes. -1: it was not over in PATIENCE_S, and ended when the target polled again. */
static double time_patiently(struct side *side, bool read, size_t len)
{
    const uint64_t before = now_ns(), end = before + PATIENCE_S * UINT64_C(1000000000);
    uint64_t first = atomic_load(&side->done);

    transfer(side, read, len);
    for (unsigned empty = 0; atomic_load(&side->done) == first && now_ns() < end;) {
        empty = ni_progress(side->ni) != 0 ? 0 : empty + 1;
        if (empty > SPINS)
            sched_yield();
    }
    if (atomic_load(&side->done) != first)
        return (double)(now_ns() - before) / 1e3;
    have_target(side, false);
    await(side, &side->done, first + 1);
    return -1;
}

/* ---- loaded ---------------------------------------------------------------------------------------------------- */

/* Half a round trip of 8 bytes, us. */
static double ping(struct side *side)
{
    uint64_t word = 0, first = atomic_load(&side->messages), before = now_ns();
    ni_status status;

    while ((status = ni_message(side->ni, side->peer, side->shared->queue.handle, 0, NULL, 0, &word,
                                sizeof(word))) == NI_AGAIN)
        (void)ni_progress(side->ni);
    must(status, "send a message");
    await(side, &side->messages, first + 1);
    return (double)(now_ns() - before) / 2e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

static bool run_loaded(const struct settings *settings)
{
    enum { MOST = 1 << 20 };
    double *times = malloc(MOST * sizeof(*times));
    bool good = times != NULL;

    printf("# A message of 8 bytes beside a write of %u MiB: median of half a round trip; time of "
           "the write\n",
           (unsigned)LOAD >> 20);
    printf("# %-10s%14s%14s%10s%12s%18s%12s\n", "Placement", "unloaded us", "loaded us", "ratio",
           "messages", "write alone us", "beside us");
    for (unsigned p = 0; p < PLACEMENTS && good; p++) {
        struct side *side = start(placements[p]);
        uint64_t first, before, beside;
        double unloaded, alone;
        size_t count = 0;

        (void)time_long(side, false, LOAD); /* memory is there, lanes are made */
        alone = time_long(side, false, LOAD);
        for (unsigned i = 0; i < settings->rounds && i < MOST; i++)
            times[i] = ping(side);
        unloaded = median(times, settings->rounds < MOST ? settings->rounds : MOST);
        fill(side->local, LOAD, p);
        first = atomic_load(&side->done);
        before = now_ns();
        transfer(side, false, LOAD);
        do {
            times[count++] = ping(side);
        } while (atomic_load(&side->done) == first && count < MOST);
        await(side, &side->done, first + 1);
        beside = now_ns() - before;
        printf("  %-10s%14.3f%14.3f%10.2f%12zu%18.1f%12.1f\n", names[p], unloaded,
               median(times, count), median(times, count) / unloaded, count, alone,
               (double)beside / 1e3);
        good = same(side, LOAD, "a long write");
        good = stop(side) && good;
    }
    free(times);
    return good;
}

/* ---- computing ------------------------------------------------------------------------------------------------- */

enum { TIMES = 15 };

static double median_long(struct side *side, bool read)
{
    double times[TIMES];

    for (unsigned i = 0; i < TIMES; i++)
        times[i] = time_long(side, read, LONG);
    return median(times, TIMES);
}

/* Towards one that computes; -1: it waits for the target's calls. */
static double median_computing(struct side *side, bool read)
{
    double times[TIMES];

    have_target(side, true);
    for (unsigned i = 0; i < TIMES; i++) {
        times[i] = time_patiently(side, read, LONG);
        if (times[i] < 0)
            return -1;
    }
    have_target(side, false);
    return median(times, TIMES);
}

/* Whether any waited. */
static bool run_long(struct side *side)
{
    bool waited = false;

    for (unsigned read = 0; read < 2; read++) {
        double polls = median_long(side, read != 0);
        double computes = median_computing(side, read != 0);

        if (computes < 0)
            printf("%12.1f%12s%8s", polls, "waits", "-");
        else
            printf("%12.1f%12.1f%8.2f", polls, computes, computes / polls);
        waited = waited || computes < 0;
    }
    printf("\n");
    return waited;
}

static bool run_computing(const struct settings *settings)
{
    bool good = true, waited = false;

    (void)settings;
    printf("# Transfers of %u MiB: median time (us) towards a process that polls, and one that "
           "computes\n",
           (unsigned)LONG >> 20);
    printf("# %-10s%12s%12s%8s%12s%12s%8s\n", "Placement", "write poll", "compute", "ratio",
           "read poll", "compute", "ratio");
    for (unsigned p = 0; p < PLACEMENTS && good; p++) {
        struct side *side = start(placements[p]);

        fill(side->local, LONG, p);
        (void)time_long(side, false, LONG); /* memory is there, lanes are made */
        printf("  %-10s", names[p]);
        waited = run_long(side) || waited;
        good = same(side, LONG, "a long transfer");
        good = stop(side) && good;
    }
    if (waited)
        printf(
            "# waits: not over after %u s, but when the target made calls; its NI needs a thread "
            "for that (placement edge or split)\n",
            (unsigned)PATIENCE_S);
    return good;
}

/* ---- command line ---------------------------------------------------------------------------------------------- */

static int usage(FILE *out)
{
    fprintf(out, "Usage: ni_placement [-e EXPERIMENT] [-n ROUNDS]\n"
                 "Compares the placements tile, edge and split of the engine, over shared memory "
                 "or the links of\n"
                 "APENI_LINKS.\n\n"
                 "  -e EXPERIMENT  reads, loaded or computing (default: all)\n"
                 "  -n ROUNDS      reads of each size, messages (default 2000)\n"
                 "  -h, -v         this text; the version\n");
    return out == stdout ? 0 : 1;
}

static bool is_experiment(const char *name)
{
    for (unsigned i = 0; i < sizeof(experiments) / sizeof(experiments[0]); i++)
        if (strcmp(name, experiments[i]) == 0)
            return true;
    return false;
}

/* -1: go on; otherwise the status to exit with. */
static int parse(int argc, char **argv, struct settings *settings)
{
    char *end;
    unsigned long rounds;
    int option;

    while ((option = next_letter(argc, argv, "e:n:hv")) != -1) {
        switch (option) {
        case 'e':
            settings->experiment = optarg;
            if (is_experiment(optarg))
                break;
            fprintf(stderr, "ni_placement: -e '%s': wanted is reads, loaded or computing\n",
                    optarg);
            return 1;
        case 'n':
            rounds = strtoul(optarg, &end, 10);
            settings->rounds = (unsigned)rounds;
            if (*optarg != '-' && *end == '\0' && rounds >= 1 && rounds <= 10000000)
                break;
            fprintf(stderr, "ni_placement: -n '%s': wanted is a number from 1 to 10000000\n",
                    optarg);
            return 1;
        case 'h':
            return usage(stdout);
        case 'v':
            printf("ni_placement (apelink) %s\n", PACKAGE_VERSION);
            return 0;
        default:
            refuse_letter("ni_placement", argv);
            return 1;
        }
    }
    if (optind == argc)
        return -1;
    fprintf(stderr, "ni_placement: '%s' is not an option\n", argv[optind]);
    return 1;
}

int main(int argc, char **argv)
{
    bool (*const run[])(const struct settings *) = {run_reads, run_loaded, run_computing};
    struct settings settings = {.rounds = 2000};
    int status = parse(argc, argv, &settings);

    if (status >= 0)
        return status;
    for (unsigned i = 0; i < sizeof(run) / sizeof(run[0]); i++) {
        if (settings.experiment != NULL && strcmp(settings.experiment, experiments[i]) != 0)
            continue;
        if (!run[i](&settings))
            return 1;
    }
    return 0;
}
