/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a card does for a program that writes command packets itself, without the NI: the test
 * programs of APEnet+ 3.1.3.2 and 3.1.3.3, from memory of the host to such memory. One process has
 * both ends, on one card (loop-back) or on two, and spins.
 *
 *   read  PUTs along an axis without cables: the card reads their payload and drops the packets in
 *         its router (Table 12's "host mem read")
 *   put   as many PUTs as the window allows, until the last has its event (Table 12, Figure 31)
 *   us    one PUT or GET at a time, until its event (Figure 32)
 *   histogram  of the times of single PUTs (Figure 27, in microseconds instead of cycles)
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <apeni/status.h>

#include "base/bits.h"
#include "base/clock.h"
#include "driver/word.h"
#include "perf_cards.h"

enum {
    BUCKETS = 20,           /* powers of two of a microsecond */
    HISTOGRAM = 3,          /* sizes */
    STREAM_BYTES = 4 << 20, /* of a repetition of long messages */
    REGISTERED = 1 << 20,   /* what is registered */
};
#define LIMIT_NS (60 * (uint64_t)1000000000)

/* ---- operations ------------------------------------------------------------------------------ */

enum what { PUT, GET, DROP };

static bool post(struct perf_cards *bench, enum what what, uint64_t at, uint64_t len)
{
    uint64_t source = (uintptr_t)bench->source + at, target = (uintptr_t)bench->target + at;
    const uint16_t *to = what == DROP ? bench->nowhere : bench->to->at;
    struct apelink_command command = {
        .header = {.operation = what == GET ? APELINK_GET : APELINK_PUT,
                   .address = what == GET ? source : target,
                   .port = (uint8_t)bench->to->client.port,
                   .to = {to[0], to[1], to[2]},
                   .len = what == GET ? APELINK_WORD : (uint16_t)len},
        .address = what == GET ? target : source,
        .len = (uint32_t)len,
        .tag = what == PUT ? APELINK_COMP_NONE : APELINK_COMP_EQ,
    };
    uint8_t bytes[APELINK_COMMAND_SIZE];

    apelink_command_pack(&command, bytes);
    return apelink_client_post(&bench->card[0].client, bytes);
}

static bool is_magic(struct apelink_word word, struct apelink_word magic)
{
    return word.lo == magic.lo && word.hi == magic.hi;
}

/* Take an event of what was posted, if there is one. */
static bool take(struct perf_cards *bench, enum what what)
{
    struct apelink_client *client = what == PUT ? &bench->to->client : &bench->card[0].client;
    uint8_t event[APELINK_EVENT_SIZE];
    struct apelink_word second;
    int code;

    if (!apelink_client_event(client, event)) {
        return false;
    }
    second = apelink_word_from(event + APELINK_WORD);
    if (is_magic(second, APELINK_TX0_MAGIC) || is_magic(second, APELINK_TX1_MAGIC) ||
        is_magic(second, APELINK_NIOS_MAGIC)) {
        code = apelink_cmd1_unpack(apelink_word_from(event)).code;
        if (code != 0) {
            perf_fail("the card refuses an operation: %s", ni_status_text((ni_status)-code));
        }
    }
    return true;
}

static void wait_a_little(uint64_t begun)
{
    if (ni_now_ns() - begun > LIMIT_NS) {
        perf_fail("no event has come for a minute: is the card at work, and the cable up? "
                  "apeni-info --board says so");
    }
    (void)sched_yield(); /* the card may need this processor */
}

/* A message of len bytes, in packets, `count` times, with up to `window` packets under way. */
static void stream(struct perf_cards *bench, enum what what, uint64_t len, uint64_t count,
                   uint64_t window)
{
    uint64_t of_one = (len + APELINK_PAYLOAD_MAX - 1) / APELINK_PAYLOAD_MAX;
    uint64_t all = count * of_one, sent = 0, came = 0, begun = ni_now_ns();

    while (came < all) {
        bool works = false;

        while (sent < all && sent - came < window) {
            uint64_t at = sent % of_one * APELINK_PAYLOAD_MAX;

            if (!post(bench, what, at, ni_min_u64(len - at, APELINK_PAYLOAD_MAX))) {
                break;
            }
            sent++;
            works = true;
        }
        while (take(bench, what)) {
            came++;
            works = true;
        }
        if (!works) {
            wait_a_little(begun);
        }
    }
}

/* One message alone, in nanoseconds. */
static uint64_t one(struct perf_cards *bench, enum what what, uint64_t len, uint64_t window)
{
    uint64_t begun = ni_now_ns();

    if (what == GET) {
        (void)post(bench, what, 0, len);
        while (!take(bench, what)) {
            wait_a_little(begun);
        }
    } else {
        stream(bench, what, len, 1, window);
    }
    return ni_now_ns() - begun;
}

/* ---- measures -------------------------------------------------------------------------------- */

static uint64_t iterations_of(const struct perf_options *options, uint64_t len)
{
    return options->iterations != 0 ? options->iterations
                                    : ni_min_u64(1000, 16 + STREAM_BYTES / len);
}

static double bandwidth(struct perf_cards *bench, enum what what, uint64_t len,
                        const struct perf_options *options)
{
    uint64_t count = iterations_of(options, len), begun;
    double values[PERF_REPS_MAX];

    for (uint64_t rep = 0; rep < options->reps; rep++) {
        begun = ni_now_ns();
        stream(bench, what, len, count, options->window);
        values[rep] = (double)(len * count) * 1000 / (double)(ni_now_ns() - begun);
    }
    return perf_median(values, options->reps);
}

static double latency(struct perf_cards *bench, enum what what, uint64_t len,
                      const struct perf_options *options)
{
    uint64_t count = iterations_of(options, len) / 4 + 1;
    double values[PERF_REPS_MAX];

    for (uint64_t rep = 0; rep < options->reps; rep++) {
        uint64_t sum = 0;

        for (uint64_t i = 0; i < count; i++) {
            sum += one(bench, what, len, options->window);
        }
        values[rep] = (double)sum / (double)count / 1000;
    }
    return perf_median(values, options->reps);
}

static void print_row(struct perf_cards *bench, uint64_t len, const struct perf_options *options)
{
    printf("%10" PRIu64, len);
    if (bench->can_drop) {
        printf(" %12.2f", bandwidth(bench, DROP, len, options));
    } else {
        printf(" %12s", "-");
    }
    printf(" %12.2f", bandwidth(bench, PUT, len, options));
    printf(" %12.2f", latency(bench, PUT, len, options));
    printf(" %12.2f\n", latency(bench, GET, len, options));
    if (memcmp(bench->source, bench->target, len) != 0) {
        perf_fail("wrong bytes have arrived");
    }
    memset(bench->target, 0, len);
}

static void print_histogram(struct perf_cards *bench, const struct perf_options *options)
{
    static const uint64_t sizes[HISTOGRAM] = {8, 512, APELINK_PAYLOAD_MAX};
    uint64_t bucket[BUCKETS][HISTOGRAM] = {{0}}, most = options->sizes[options->size_count - 1];
    unsigned last = 0;

    printf("\nPUTs by the time until their event\n   below us");
    for (unsigned i = 0; i < HISTOGRAM; i++) {
        uint64_t len = ni_min_u64(sizes[i], most),
                 count = options->reps * iterations_of(options, len);

        printf(" %8" PRIu64 " B", len);
        for (uint64_t n = 0; n < count; n++) {
            uint64_t us = one(bench, PUT, len, options->window) / 1000;
            unsigned at = us == 0 ? 0 : ni_ilog2(us) + 1;

            at = at < BUCKETS ? at : BUCKETS - 1;
            bucket[at][i]++;
            last = at > last ? at : last;
        }
    }
    printf("\n");
    for (unsigned at = 0; at <= last; at++) {
        printf("%11u", 1U << at);
        for (unsigned i = 0; i < HISTOGRAM; i++) {
            printf(" %10" PRIu64, bucket[at][i]);
        }
        printf("\n");
    }
}

/* Register and deregister 1 MiB: of memory that is new each time, or of the same again. */
static double registration(struct perf_cards *bench, const struct perf_options *options, bool again)
{
    struct apelink_client *client = &bench->card[0].client;
    double values[PERF_REPS_MAX * 8];
    void *memory = NULL;
    uint32_t handle;
    size_t count = options->reps * 8;

    for (size_t i = 0; i < count + again; i++) {
        uint64_t begun;

        if (memory == NULL) {
            memory = perf_card_map(REGISTERED, MAP_PRIVATE);
        }
        begun = ni_now_ns();
        perf_card_check(
            apelink_client_register(client, memory, REGISTERED, APELINK_ACCESS_READ, &handle),
            "memory cannot be registered", options->devices);
        perf_card_check(apelink_client_deregister(client, handle), "it cannot be given back",
                        options->devices);
        values[again && i > 0 ? i - 1 : i] = (double)(ni_now_ns() - begun) / 1000;
        if (!again) {
            munmap(memory, REGISTERED);
            memory = NULL;
        }
    }
    if (memory != NULL) {
        munmap(memory, REGISTERED);
    }
    return perf_median(values, count);
}

int perf_board(const struct perf_options *options)
{
    struct perf_cards bench = {.can_drop = false};
    const uint16_t *at = bench.card[0].at, *to;
    double fresh, again;
    bool cache;

    perf_cards_open(&bench, options);
    to = bench.to->at;
    cache = (bench.card[0].client.features.features & APELINK_FEATURE_PIN_CACHE) != 0;
    printf("The card at %u %u %u to %s %u %u %u, %s; window %" PRIu64 " packets, median of %" PRIu64
           "\n%s%10s %12s %12s %12s %12s\n",
           at[0], at[1], at[2], bench.to == &bench.card[0] ? "itself," : "that at", to[0], to[1],
           to[2],
           (bench.card[0].client.features.features & APELINK_FEATURE_KERNEL) != 0
               ? "by the kernel module"
               : "by a process",
           options->window, options->reps,
           bench.can_drop ? ""
                          : "the torus has no axis without cables, so that reading alone is not "
                            "measured\n",
           "bytes", "read, MB/s", "PUT, MB/s", "PUT, us", "GET, us");
    for (int i = 0; i < options->size_count; i++) {
        print_row(&bench, options->sizes[i], options);
    }
    print_histogram(&bench, options);
    fresh = registration(&bench, options, false);
    again = registration(&bench, options, true);
    printf(
        "\nRegister and deregister 1 MiB: %.2f us of new memory, %.2f us of the same again, %.3f "
        "of it; %s\n",
        fresh, again, again / fresh,
        cache ? "the driver has a pin-down cache"
              : "a process pins no memory, so that there is no cache");
    perf_cards_close(&bench);
    perf_end_output();
    return PERF_EXIT_GOOD;
}
