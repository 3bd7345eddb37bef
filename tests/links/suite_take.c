/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/take.c. */
#include "suite_portals.h"

/* Receiving without an entry: ni_me_take beside entries, from several peers, and what it must not
 * take. */

enum {
    RECEIVER = 1,
    SENDERS = 2,
    MESSAGES = 400, /* of each sender */
    MOST = 40000,
    SHIFTS = 64,
    WARM = 100, /* messages before a lane is sure to be there */
    CALLS = 17, /* one of which takes what can be taken */
    GUARD = 0xee
};

struct take {
    struct suite_end *ends[SENDERS + 1];
    uint8_t *from;    /* MOST + SHIFTS random bytes */
    uint8_t *to;      /* MOST + 1 */
    unsigned lengths; /* that messages have */
    _Atomic uint64_t taken;
};

static struct take *start(struct suite *suite)
{
    struct take *take = suite_alloc(suite, sizeof(*take));

    for (unsigned i = 0; i < suite->n; i++) {
        take->ends[i] = suite_end_new(suite, i);
    }
    take->from = suite_alloc(suite, MOST + SHIFTS);
    take->to = suite_alloc(suite, MOST + 1);
    suite_fill(take->from, MOST + SHIFTS, suite->seed);
    return take;
}

/* Whether it can be used here; where it cannot it always returns false. */
static bool works(const struct suite *suite)
{
    const struct suite_link *link = suite->link;

    return !link->seeded && !link->far && (link->flags & NI_THREADS) == 0 &&
           link->placement == NI_PLACEMENT_DEFAULT;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* All but the last go in one packet, those above 2048 by the bulk area. */
static const size_t lengths[] = {8, 0, 8, 32, 33, 8, 64, 1024, 1, 2048, 2049, 4096, MOST};
enum { SHORT = 9, ALL = sizeof(lengths) / sizeof(lengths[0]) };

static size_t length_of(const struct take *take, unsigned i)
{
    return lengths[i % take->lengths];
}

static const uint8_t *bytes_of(const struct take *take, unsigned i)
{
    return take->from + i % SHIFTS;
}

static uint64_t bits_of(unsigned sender, unsigned i)
{
    return (uint64_t)sender << 32 | i;
}

static void check_data(const struct take *take, unsigned i, size_t length)
{
    CHECK(length == 0 || memcmp(take->to, bytes_of(take, i), length) == 0);
    CHECK(take->to[length] == GUARD);
}

static uint64_t events(const struct take *take)
{
    return suite_count(take->ends[RECEIVER], NI_EVENT_PUT) +
           suite_count(take->ends[RECEIVER], NI_EVENT_PUT_OVERFLOW);
}

/* By an entry. */
static void receive_usually(struct suite_ni *ni, struct take *take, unsigned sender, unsigned i)
{
    uint64_t before = events(take);

    suite_post(ni, take->ends[RECEIVER], take->to, MOST, bits_of(sender, i), 0,
               ni_peer_initiator(ni->peers[sender]), i);
    while (events(take) == before) {
        suite_turn(ni);
    }
    CHECK(events(take) == before + 1);
}

/* Twice: one call in some returns false in any case. */
static bool takes(struct take *take, struct ni_peer *source, uint64_t bits, unsigned looks,
                  struct ni_taken *taken)
{
    return ni_me_take(source, 0, bits, 0, take->to, MOST, looks, taken) ||
           ni_me_take(source, 0, bits, 0, take->to, MOST, looks, taken);
}

/* Message i of a sender, in one way or the other. */
static void receive(struct suite_ni *ni, struct take *take, unsigned sender, unsigned i)
{
    uint64_t before = events(take);
    size_t length = length_of(take, i);
    struct ni_taken taken;

    memset(take->to, GUARD, length + 1);
    if (!takes(take, ni->peers[sender], bits_of(sender, i), 1 + i % 3, &taken)) {
        CHECK(events(take) == before && take->to[0] == GUARD);
        receive_usually(ni, take, sender, i);
    } else {
        CHECK(events(take) == before);
        CHECK(taken.match_bits == bits_of(sender, i) && taken.hdr_data == i);
        CHECK(taken.rlength == length && taken.mlength == length && length != MOST);
        atomic_fetch_add_explicit(&take->taken, 1, memory_order_relaxed);
    }
    check_data(take, i, length);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void send_all(struct suite_ni *ni, void *arg)
{
    struct take *take = arg;

    for (unsigned i = 0; i < MESSAGES; i++) {
        suite_put(ni, take->ends[ni->index], RECEIVER, bytes_of(take, i), length_of(take, i),
                  bits_of(ni->index, i), i, false);
    }
}

static void receive_all(struct suite_ni *ni, void *arg)
{
    struct take *take = arg;
    unsigned next[SENDERS + 1] = {0};
    struct ni_rng rng;

    ni_rng_seed(&rng, ni->suite->seed);
    while (next[0] < MESSAGES || next[2] < MESSAGES) {
        unsigned sender = ni_rng_next(&rng) % 2 == 0 ? 0 : 2;

        sender = next[sender] < MESSAGES ? sender : 2 - sender;
        receive(ni, take, sender, next[sender]++);
    }
}

static void run(struct suite *suite, unsigned kinds)
{
    struct take *take = start(suite);

    take->lengths = kinds;
    suite_begin(suite, 0, send_all, take);
    suite_begin(suite, 2, send_all, take);
    suite_begin(suite, RECEIVER, receive_all, take);
    for (unsigned i = 0; i < 3; i++) {
        suite_end(suite, i);
    }
    CHECK(works(suite) || suite->link->far || take->taken == 0);
    suite_rest(suite);
}

static void streams(struct suite *suite)
{
    run(suite, ALL);
}

/* No others come between, so that more are taken. */
static void short_ones(struct suite *suite)
{
    run(suite, SHORT);
}

/* One message is in the lane, and nobody has looked. */
static void send_one(struct suite *suite, struct take *take, size_t length, uint64_t bits)
{
    struct suite_ni *ni = &suite->nis[0];

    suite_put(ni, take->ends[0], RECEIVER, take->from, length, bits, 7, false);
}

/* Whether a message of a sender is taken: with the calls that there have to be, but no progress. */
static bool takes_of(struct suite *suite, struct take *take, uint32_t index, uint64_t bits,
                     uint64_t ignore, size_t room, struct ni_taken *taken)
{
    struct ni_peer *source = suite->nis[RECEIVER].peers[0];
    bool done = false;

    memset(take->to, GUARD, MOST + 1);
    for (unsigned i = 0; i < CALLS && !done; i++) {
        done = ni_me_take(source, index, bits, ignore, take->to, room, 2, taken);
    }
    CHECK(done || take->to[0] == GUARD);
    return done;
}

/* What does not match, or may match something else, stays where it is. */
static void others(struct suite *suite)
{
    struct take *take = start(suite);
    struct suite_ni *ni = &suite->nis[RECEIVER];
    struct suite_end *end = take->ends[RECEIVER];
    struct ni_taken taken;
    uint64_t before;

    for (unsigned i = 0; i < WARM; i++) {
        send_one(suite, take, 8, bits_of(0, i));
        receive_usually(ni, take, 0, i);
    }
    suite_rest(suite); /* nothing of the engine's is in the lane */
    before = events(take);
    CHECK(!takes_of(suite, take, 0, 5, 0, 8, &taken));
    send_one(suite, take, 8, 5);
    CHECK(!takes_of(suite, take, 0, 6, 0, 8, &taken));
    CHECK(!takes_of(suite, take, 0, 5 | 1U << 8, 0xff, 8, &taken));
    CHECK(!takes_of(suite, take, 1, 5, 0, 8, &taken) &&
          !takes_of(suite, take, 256, 5, 0, 8, &taken));
    if (works(suite)) {
        CHECK(takes_of(suite, take, 0, 6, 0xff, 8, &taken));
        CHECK(taken.match_bits == 5 && taken.hdr_data == 7 && taken.mlength == 8);
        check_data(take, 0, 8);
        for (unsigned i = 0; i < WARM; i++) {
            size_t length = lengths[i % (ALL - 1)], room = i < WARM / 2 ? MOST : length / 2;
            size_t fits = length < room ? length : room;

            send_one(suite, take, length, i);
            CHECK(takes_of(suite, take, 0, i, 0, room, &taken));
            CHECK(taken.match_bits == i && taken.rlength == length && taken.mlength == fits);
            check_data(take, 0, fits);
        }
    } else {
        receive_usually(ni, take, 0, 5);
        before++;
    }
    CHECK(events(take) == before);

    /* Beside an entry, whatever it is for; it is in use still. */
    suite_post(ni, end, take->to, 8, 99, 0, NI_INITIATOR_ANY, 0);
    send_one(suite, take, 8, 5);
    CHECK(!takes_of(suite, take, 0, 5, 0, 8, &taken));
    send_one(suite, take, 8, 99);
    suite_until_events(suite, end, NI_EVENT_PUT, suite_count(end, NI_EVENT_PUT) + 1);

    /* The first message is kept now: the next one does not overtake it. */
    suite_until_kept(suite, RECEIVER, 1);
    send_one(suite, take, 8, 5);
    CHECK(!takes_of(suite, take, 0, 5, 0, 8, &taken));
    receive_usually(ni, take, 0, 5);
    receive_usually(ni, take, 0, 5);

    /* With an acknowledgement. */
    suite_put(&suite->nis[0], take->ends[0], RECEIVER, take->from, 8, 5, 7, true);
    CHECK(!takes_of(suite, take, 0, 5, 0, 8, &taken));
    receive_usually(ni, take, 0, 5);
    suite_until_events(suite, take->ends[0], NI_EVENT_ACK, 1);
    suite_rest(suite);
    suite_close(suite, RECEIVER); /* while the lane is in use */
}

static const struct suite_case cases[] = {
    {"streams", 3, SUITE_NEEDS_NOTHING, streams},
    {"short", 3, SUITE_NEEDS_NOTHING, short_ones},
    {"others", 2, SUITE_NEEDS_HERE, others},
};

int main(int argc, char **argv)
{
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
