/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/fault.h>

#include "base/bits.h"
#include "suite.h"

/*
 * A random trace over rails against a naive reference: everybody writes to everybody, in both ways
 * of completion, reads back, and says what it does in messages. The reference knows what each place
 * holds once its last transfer is over, and, of those that were resequenced, in which order the
 * target heard of them and of messages.
 */

enum { NIS = 3, PLACES = 6, PLACE = 9000, STEPS = 60, SEEDS = 4 };

/* A place in a target's memory, which one initiator uses, for one transfer at a time. */
struct slot {
    struct suite_done done, departed;
    bool busy, is_read, ordered;
    uint32_t len;
    uint64_t seed; /* of what it holds, up to len */
};

/* What one initiator does to one target. */
struct pairing {
    struct slot slots[PLACES];
    uint64_t said;          /* values announced, from 1, by messages and ordered notes */
    uint64_t noted;         /* notes of counted transfers */
    _Atomic uint64_t heard; /* the target's: the last of the former */
    _Atomic uint64_t counted;
};

struct party {
    uint8_t *memory; /* NIS * PLACES * PLACE */
    uint8_t *local;  /* the same, as initiator */
    struct ni_rkey region, ordered, counted;
    struct pairing to[NIS];
    struct ni_rng rng;
    uint64_t stamp;
};

static uint8_t *place_of(uint8_t *memory, unsigned peer, unsigned slot)
{
    return memory + ((size_t)peer * PLACES + slot) * PLACE;
}

/* Values say who sent them. */
static uint64_t value_of(unsigned from, uint64_t n)
{
    return (uint64_t)from << 32 | n;
}

static struct party *all; /* the case's, at the same address everywhere */

static uint64_t take_value(const struct ni_message_info *message, unsigned *from)
{
    uint64_t value;

    CHECK(message->len == sizeof(value));
    memcpy(&value, message->data, sizeof(value));
    *from = (unsigned)(value >> 32);
    CHECK(*from < NIS);
    return (uint32_t)value;
}

/* Announcements of one initiator come in the order in which it made them. */
static void hear(void *arg, const struct ni_message_info *message)
{
    struct suite_ni *ni = arg;
    unsigned from;
    uint64_t n = take_value(message, &from);
    struct pairing *pairing = &all[from].to[ni->index];

    CHECK(n == atomic_load(&pairing->heard) + 1);
    atomic_store(&pairing->heard, n);
}

/* Those of counted transfers come once. */
static void hear_counted(void *arg, const struct ni_message_info *message)
{
    struct suite_ni *ni = arg;
    unsigned from;

    (void)take_value(message, &from);
    atomic_fetch_add(&all[from].to[ni->index].counted, 1);
}

static void open_party(struct suite_ni *ni, void *arg)
{
    struct party *party = (struct party *)arg + ni->index;

    all = arg;
    CHECK(ni_region_memory(ni->ni, party->memory, (size_t)NIS * PLACES * PLACE, NI_ACCESS_ALL,
                           &party->region) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, hear, ni, 0, &party->ordered) == NI_OK);
    CHECK(ni_region_consumer(ni->ni, hear_counted, ni, 0, &party->counted) == NI_OK);
}

static struct party *open_parties(struct suite *suite)
{
    struct party *parties = suite_alloc(suite, NIS * sizeof(*parties));

    all = parties;
    for (unsigned i = 0; i < NIS; i++) {
        parties[i].memory = suite_alloc(suite, (size_t)NIS * PLACES * PLACE);
        parties[i].local = suite_alloc(suite, (size_t)NIS * PLACES * PLACE);
        ni_rng_seed(&parties[i].rng, suite->seed * NIS + i);
        suite_call(suite, i, open_party, parties);
    }
    return parties;
}

/* ---- one initiator's steps ------------------------------------------------------------------- */

/* An earlier transfer at this place is over: is it what it should be? */
static bool settle(struct party *party, unsigned to, unsigned s)
{
    struct slot *slot = &party->to[to].slots[s];

    if (!slot->busy) {
        return true;
    }
    if (atomic_load(&slot->done.count) == 0) {
        return false;
    }
    CHECK(atomic_load(&slot->done.count) == 1 && atomic_load(&slot->done.status) == NI_OK);
    CHECK(atomic_load(&slot->done.value) == slot->len);
    if (slot->is_read) {
        CHECK(suite_filled(place_of(party->local, to, s), slot->len, slot->seed));
    } else {
        CHECK(atomic_load(&slot->departed.count) == 1);
    }
    slot->busy = false;
    return true;
}

/* Announcements are made in one order only if what was announced before has left. */
static bool ordered_have_left(const struct party *party, unsigned to)
{
    for (unsigned s = 0; s < PLACES; s++) {
        const struct slot *slot = &party->to[to].slots[s];

        if (slot->busy && slot->ordered && atomic_load(&slot->departed.count) == 0) {
            return false;
        }
    }
    return true;
}

static struct ni_remote remote_of(const struct party *parties, unsigned self, unsigned to,
                                  unsigned s)
{
    return suite_remote(place_of(parties[to].memory, self, s), &parties[to].region);
}

static void start_write(struct suite_ni *ni, struct party *parties, unsigned to, unsigned s)
{
    struct party *party = &parties[ni->index];
    struct pairing *pairing = &party->to[to];
    struct slot *slot = &pairing->slots[s];
    struct ni_remote where = remote_of(parties, ni->index, to, s);
    struct ni_ack departed = suite_ack(&slot->departed), done = suite_ack(&slot->done);
    struct ni_note note;

    slot->ordered = ni_rng_below(&party->rng, 2) != 0;
    slot->len = (uint32_t)ni_rng_below(&party->rng, PLACE + 1);
    slot->seed = value_of(ni->index, ++party->stamp);
    slot->is_read = false;
    slot->busy = true;
    atomic_store(&slot->departed.count, 0);
    atomic_store(&slot->done.count, 0);
    suite_fill(place_of(party->local, to, s), slot->len, slot->seed);
    note = slot->ordered ? (struct ni_note){.region = parties[to].ordered,
                                            .value = value_of(ni->index, ++pairing->said)}
                         : (struct ni_note){.region = parties[to].counted,
                                            .value = value_of(ni->index, ++pairing->noted)};
    CHECK(ni_write_multipath(ni->ni, ni->peers[to], place_of(party->local, to, s), slot->len,
                             &where, &note, &departed, &done,
                             slot->ordered ? NI_MULTIPATH_RESEQUENCE : NI_MULTIPATH_COUNTERS) ==
          NI_OK);
}

/* Of what a Write before has left there. */
static void start_read(struct suite_ni *ni, struct party *parties, unsigned to, unsigned s)
{
    struct party *party = &parties[ni->index];
    struct slot *slot = &party->to[to].slots[s];
    struct ni_remote where = remote_of(parties, ni->index, to, s);
    struct ni_ack done = suite_ack(&slot->done);

    slot->is_read = true;
    slot->ordered = false;
    slot->busy = true;
    atomic_store(&slot->done.count, 0);
    memset(place_of(party->local, to, s), 0, PLACE);
    CHECK(ni_read(ni->ni, ni->peers[to], place_of(party->local, to, s), slot->len, &where, &done) ==
          NI_OK);
}

static void step(struct suite_ni *ni, struct party *parties)
{
    struct party *party = &parties[ni->index];
    unsigned to = (ni->index + 1 + (unsigned)ni_rng_below(&party->rng, NIS - 1)) % NIS;
    unsigned s = (unsigned)ni_rng_below(&party->rng, PLACES);
    uint64_t what = ni_rng_below(&party->rng, 8), value;

    if (!ordered_have_left(party, to) || !settle(party, to, s)) {
        suite_turn(ni);
        return;
    }
    if (what < 4) {
        start_write(ni, parties, to, s);
    } else if (what < 6) {
        start_read(ni, parties, to, s);
    } else {
        value = value_of(ni->index, ++party->to[to].said);
        CHECK(suite_message(ni, to, parties[to].ordered.handle, 0, &value, sizeof(value)) == NI_OK);
    }
}

static void burst(struct suite_ni *ni, void *arg)
{
    for (unsigned i = 0; i < STEPS; i++) {
        step(ni, arg);
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

struct finished {
    struct party *parties;
    _Atomic bool all;
};

static void settle_all(struct suite_ni *ni, void *arg)
{
    struct finished *finished = arg;

    for (unsigned to = 0; to < NIS; to++) {
        for (unsigned s = 0; s < PLACES; s++) {
            if (!settle(&finished->parties[ni->index], to, s)) {
                atomic_store(&finished->all, false);
            }
        }
    }
}

static void check(struct suite *suite, struct party *parties)
{
    for (unsigned i = 0; i < NIS; i++) {
        for (unsigned to = 0; to < NIS; to++) {
            struct pairing *pairing = &parties[i].to[to];

            suite_until_count(suite, &pairing->heard, pairing->said);
            suite_until_count(suite, &pairing->counted, pairing->noted);
            for (unsigned s = 0; s < PLACES; s++) {
                CHECK(pairing->slots[s].len == 0 ||
                      suite_filled(place_of(parties[to].memory, i, s), pairing->slots[s].len,
                                   pairing->slots[s].seed));
            }
        }
    }
    suite_rest(suite);
    for (unsigned i = 0; i < NIS * NIS; i++) {
        const struct pairing *pairing = &parties[i / NIS].to[i % NIS];

        CHECK(atomic_load(&pairing->heard) == pairing->said);
        CHECK(atomic_load(&pairing->counted) == pairing->noted);
    }
}

static void finish(struct suite *suite, struct party *parties)
{
    struct finished *finished = suite_alloc(suite, sizeof(*finished));

    finished->parties = parties;
    do {
        atomic_store(&finished->all, true);
        for (unsigned i = 0; i < NIS; i++) {
            suite_call(suite, i, settle_all, finished);
        }
        suite_rest(suite);
    } while (!atomic_load(&finished->all));
    check(suite, parties);
}

static void run(struct suite *suite, struct party *parties)
{
    for (unsigned i = 0; i < NIS; i++) {
        suite_begin(suite, i, burst, parties);
    }
    for (unsigned i = 0; i < NIS; i++) {
        suite_end(suite, i);
    }
}

static void trace(struct suite *suite)
{
    struct party *parties = open_parties(suite);

    run(suite, parties);
    run(suite, parties);
    finish(suite, parties);
}

/* Rails that are late, against each other, and repeat; rings that claim to be full. */
static void trace_with_faults(struct suite *suite)
{
    struct party *parties = open_parties(suite);

    ni_fault_arm_random(NI_FAULT_FULL, 50000, suite->seed);
    if (suite->link->inproc) {
        ni_fault_arm_random(NI_FAULT_DELAY, 50000, suite->seed);
        ni_fault_arm_random(NI_FAULT_DUP, 50000, suite->seed);
    }
    run(suite, parties);
    run(suite, parties);
    ni_fault_reset();
    finish(suite, parties);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"trace", NIS, 0, trace},
        {"trace_with_faults", NIS, SUITE_NEEDS_HERE, trace_with_faults},
    };

    suite_beside_engines();
    suite_over_rails("3", "64");
    return suite_main_seeds(argc, argv, cases, NI_ARRAY_LENGTH(cases), SEEDS);
}
