/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfer completion: a producer sends buffers to a circular queue of four slots at a consumer,
 * which has to know when all of a buffer is there, and copies it out. As in the paper packets have
 * 256 bytes, and those of a buffer may overtake each other: they are spread over two rails. Both
 * ways take the same path, with one more word for the counter in the last packet.
 *
 *   flags    the last word of each 256 bytes is a flag with the number of the buffer; the consumer
 *            polls them all
 *   counter  the counter of the slot is the ack address: it is zero when all bytes are there
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "counters/counters.h"
#include "ni_world.h"

enum {
    SLOTS = 4,
    SEGMENT = 256, /* bytes, of which the last 8 are the flag */
    PART = SEGMENT - 8,
    LARGEST = 2000,
    SLOT = (LARGEST / PART + 1) * SEGMENT,
};

static unsigned repetitions;

enum way { BY_FLAGS, BY_COUNTER };

struct transfers {
    _Alignas(COUNTERS_LINE) uint8_t slots[SLOTS][SLOT];
    _Alignas(COUNTERS_LINE) _Atomic uint64_t taken; /* at the producer, stored by the consumer */
    _Alignas(COUNTERS_LINE) struct ni_rkey slots_key, taken_key, counters[SLOTS];
    size_t size;
    enum way way;
    double ns;
    uint64_t parts, on_rails; /* packets of buffers that were spread; over the second rail */
    _Atomic uint64_t wrong;
};

static size_t sent_size(const struct transfers *t)
{
    return t->way == BY_COUNTER ? t->size : (t->size + PART - 1) / PART * SEGMENT;
}

/* What the producer has to send, from a buffer that it has. */
static void fill(const struct transfers *t, uint8_t *to, const uint8_t *from, uint64_t number)
{
    if (t->way == BY_COUNTER) {
        memcpy(to, from, t->size);
        return;
    }
    for (size_t at = 0; at < t->size; at += PART, to += SEGMENT) {
        memcpy(to, from + at, t->size - at < PART ? t->size - at : PART);
        memcpy(to + PART, &number, sizeof(number));
    }
}

static void drain(const struct transfers *t, uint8_t *to, const uint8_t *from)
{
    if (t->way == BY_COUNTER) {
        memcpy(to, from, t->size);
        return;
    }
    for (size_t at = 0; at < t->size; at += PART, from += SEGMENT) {
        memcpy(to + at, from, t->size - at < PART ? t->size - at : PART);
    }
}

static void post(struct ni_world_member *m, struct transfers *t, const uint8_t *from, unsigned slot)
{
    struct ni_remote where = {
        .addr = (uintptr_t)t->slots[slot], .key = t->slots_key.key, .handle = t->slots_key.handle};

    ni_world_must(t->way == BY_FLAGS
                      ? ni_write(m->ni, m->peers[1], from, sent_size(t), &where, NULL)
                      : ni_write_counted(m->ni, m->peers[1], from, sent_size(t), &where,
                                         &t->counters[slot], NULL),
                  "write");
}

static void produce(struct ni_world_member *m, struct transfers *t)
{
    static _Alignas(COUNTERS_LINE) uint8_t buffers[SLOTS][SLOT];
    static uint8_t data[LARGEST];

    ni_world_must(ni_region_memory(m->ni, (void *)&t->taken, sizeof(t->taken), NI_ACCESS_WRITE,
                                   &t->taken_key),
                  "register");
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 7);
    }
    ni_world_meet(m);
    for (uint64_t number = 1; number <= repetitions; number++) {
        unsigned slot = number % SLOTS, looks = 0;

        /* Also says that the buffer may be filled again: what the consumer has taken has left
         * it. */
        while (number - atomic_load_explicit(&t->taken, memory_order_acquire) > SLOTS) {
            if (ni_progress(m->ni) == 0) {
                ni_world_relax(m, looks++);
            }
        }
        memcpy(data, &number, sizeof(number));
        fill(t, buffers[slot], data, number);
        post(m, t, buffers[slot], slot);
    }
    while (atomic_load_explicit(&t->taken, memory_order_acquire) != repetitions) {
        (void)ni_progress(m->ni);
    }
    t->parts = ni_stat_read(m->ni, ni_stat_find("parts_sent"));
    t->on_rails = ni_stat_read(m->ni, ni_stat_find("parts_rails"));
}

static bool flags_are_there(const struct transfers *t, unsigned slot, uint64_t number)
{
    for (size_t at = 0; at < sent_size(t); at += SEGMENT) {
        const uint64_t *flag = (const uint64_t *)(const void *)(t->slots[slot] + at + PART);

        /* Pairs with the stores of the NI, of whichever thread. */
        if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != number) {
            return false;
        }
    }
    return true;
}

static void arrived(void *arg, ni_status status, uint64_t value)
{
    (void)status;
    (void)value;
    ++*(uint64_t *)arg;
}

static void make_counters(struct ni_world_member *m, struct transfers *t, uint64_t *full)
{
    struct ni_counter_setting setting = {.flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD,
                                         .value = -(int64_t)t->size,
                                         .reload = -(int64_t)t->size};

    for (unsigned i = 0; i < SLOTS; i++) {
        struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = arrived, .arg = &full[i]};

        ni_world_must(ni_counter_create(m->ni, 0, &t->counters[i]), "make a counter");
        ni_world_must(ni_counter_set(m->ni, NULL, &t->counters[i], &setting, NULL), "arm it");
        ni_world_must(ni_counter_notify(m->ni, t->counters[i].handle, &ack), "be told");
    }
}

static void consume(struct ni_world_member *m, struct transfers *t)
{
    static uint8_t out[LARGEST];
    uint64_t full[SLOTS] = {0}, begin = 0;
    struct ni_remote taken;

    ni_world_must(
        ni_region_memory(m->ni, t->slots, sizeof(t->slots), NI_ACCESS_WRITE, &t->slots_key),
        "register");
    make_counters(m, t, full);
    ni_world_meet(m);
    taken = (struct ni_remote){
        .addr = (uintptr_t)&t->taken, .key = t->taken_key.key, .handle = t->taken_key.handle};
    for (uint64_t number = 1; number <= repetitions; number++) {
        unsigned slot = number % SLOTS, looks = 0;

        while (t->way == BY_COUNTER ? full[slot] == 0 : !flags_are_there(t, slot, number)) {
            if (ni_progress(m->ni) == 0) {
                ni_world_relax(m, looks++);
            }
        }
        full[slot] = 0;
        drain(t, out, t->slots[slot]);
        if (memcmp(out, &number, sizeof(number)) != 0) {
            atomic_fetch_add(&t->wrong, 1);
        }
        while (ni_store(m->ni, m->peers[0], &taken, number, 8) == NI_AGAIN) {
            (void)ni_progress(m->ni);
        }
        (void)ni_store_flush(m->ni, m->peers[0]);
        if (number == repetitions / 10 + 1) {
            begin = osu_clock(); /* the first are for warming up */
        }
    }
    t->ns = (double)(osu_clock() - begin) / (repetitions - repetitions / 10);
    ni_world_must(ni_store_fence_wait(m->ni, m->peers[0]), "fence");
}

static size_t next_size;
static enum way next_way;

static void transfer_member(struct ni_world_member *m)
{
    struct transfers *t = m->shared;

    if (m->rank == 0) {
        t->size = next_size;
        t->way = next_way;
    }
    ni_world_meet(m);
    if (m->rank == 0) {
        produce(m, t);
    } else {
        consume(m, t);
    }
}

struct transfer_times {
    double ns;
    unsigned packets; /* of each buffer */
};

static void transfer_result(const void *shared, void *arg)
{
    const struct transfers *t = shared;
    struct transfer_times *times = arg;

    times->ns = t->wrong == 0 ? t->ns : -1;
    times->packets = t->parts == 0 ? 1 : (unsigned)(t->parts / repetitions);
    if (t->parts != 0 && (t->parts % repetitions != 0 || t->on_rails == 0)) {
        fprintf(stderr, "ni_counters: %llu packets, %llu of them over the second rail\n",
                (unsigned long long)t->parts, (unsigned long long)t->on_rails);
        times->ns = -1;
    }
}

static struct transfer_times time_transfer(bool processes, size_t size, enum way way)
{
    struct transfer_times times = {.ns = -1};
    const struct ni_world_settings settings = {.program = "ni_counters",
                                               .members = 2,
                                               .processes = processes,
                                               .shared = sizeof(struct transfers),
                                               .result = transfer_result,
                                               .arg = &times};

    next_size = size;
    next_way = way;
    ni_world_run(&settings, transfer_member);
    if (times.ns < 0) {
        fprintf(stderr, "ni_counters: wrong data\n");
        exit(1);
    }
    times.ns = times.ns > 0 ? times.ns : 1;
    return times;
}

static void set(const char *name, const char *value)
{
    char error[256];

    if (ni_param_set(name, value, "ni_counters", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "ni_counters: %s\n", error);
        exit(1);
    }
}

void counters_transfers(bool processes, unsigned count)
{
    static const struct {
        size_t size;
        unsigned flags, counter; /* cycles */
    } paper[] = {{200, 233, 206}, {500, 552, 449}, {1000, 1084, 831}, {2000, 2152, 1620}};

    repetitions = count;
    printf("# Transfer completion, %s, ns for each of %u buffers, in packets of %u bytes over 2 "
           "rails; in the paper cycles\n",
           processes ? "processes" : "threads", repetitions, (unsigned)SEGMENT);
    printf("# %-8s%10s%10s%10s%10s%10s%12s%12s%10s\n", "Size", "flags", "counter", "c/flags",
           "packets f", "c", "paper flags", "paper cnt", "ratio");
    set("rails", "2");
    set("segment_size", "256");
    for (unsigned i = 0; i < sizeof(paper) / sizeof(paper[0]); i++) {
        struct transfer_times flags = time_transfer(processes, paper[i].size, BY_FLAGS);
        struct transfer_times counter = time_transfer(processes, paper[i].size, BY_COUNTER);

        printf("  %-8zu%10.1f%10.1f%10.2f%10u%10u%12u%12u%10.2f\n", paper[i].size, flags.ns,
               counter.ns, counter.ns / flags.ns, flags.packets, counter.packets, paper[i].flags,
               paper[i].counter, (double)paper[i].counter / paper[i].flags);
        fflush(stdout);
    }
    set("rails", "1");
    set("segment_size", "16K");
}
