/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory in which a process receives is one pool: what one lane does not use another gets that
 * needs it, soon after it was refused more; a lane that has stopped sending asks for nothing. By
 * the sums of what the senders have, in any order of growing, giving back and being refused.
 * Covers: ni/link/shm/grow.c ni/link/shm/shrink.c */
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum {
    RING = 64 << 10,
    BULK = 256 << 10,
    SMALL = NI_SHM_RING_FIRST,
    SENDERS = 4,
    BEGIN = 6,     /* packets until there is a lane, and in it */
    PATIENCE = 11, /* times that a ring is full, at most, before it grows */
    LONG = 60000,
    KEEP_S = 3600, /* so that only the reviews of this test find anything quiet */
    REVIEWS = 16,  /* in that time */
    SEEDS = 3,
    STEPS = 4000,
};

static struct mock to;
static struct mock from[SENDERS];
static struct ni_peer *peer[SENDERS];
static uint64_t sent, least, now;

static struct ni_lane_tx *tx_of(unsigned sender)
{
    return &peer[sender]->ep->tx;
}

static uint32_t ring_of(unsigned sender)
{
    return (tx_of(sender)->mask + 1) * NI_LINE;
}

static const struct ni_shm_segment *segment(void)
{
    return ((struct ni_shm_link *)(void *)to.link)->segment;
}

static uint64_t wanted(void)
{
    return atomic_load_explicit(&segment()->header->wanted, memory_order_relaxed);
}

static void take_all(void)
{
    while (to.received < sent) {
        mock_progress(&to);
    }
}

static bool send(unsigned sender, uint32_t len)
{
    bool done = mock_send(peer[sender], len) == NI_OK;

    sent += done;
    return done;
}

/* As much as finds room, so often. */
static void fill(unsigned sender, uint32_t len, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        while (send(sender, len)) {
        }
        take_all();
    }
}

static void review(unsigned sender)
{
    ni_link_shm.review(peer[sender]->ep, now);
}

static void open_all(unsigned senders)
{
    uint8_t blob[MOCK_BLOB];

    sent = 0;
    mock_open(&to, 100, NULL);
    for (unsigned i = 0; i < senders; i++) {
        mock_open(&from[i], i + 1, NULL);
        peer[i] = mock_connect(&from[i], blob, mock_blob(&to, blob));
        for (unsigned k = 0; k < BEGIN; k++) {
            CHECK(send(i, 16));
            take_all();
        }
        CHECK(tx_of(i)->lines != NULL && ring_of(i) == SMALL);
        mock_progress(&from[i]); /* its own review, the only one */
    }
    least = ni_shm_file_held(segment());
    now = ni_now_ns();
}

static void close_all(unsigned senders)
{
    for (unsigned i = 0; i < senders; i++) {
        mock_close(&from[i]);
    }
    mock_close(&to);
}

static void next_review(unsigned senders)
{
    now += KEEP_S * UINT64_C(1000000000) / REVIEWS;
    for (unsigned i = 0; i < senders; i++) {
        review(i);
    }
}

static bool has_all(unsigned sender)
{
    return ring_of(sender) == RING && tx_of(sender)->bulk_size == BULK;
}

/* Have one sender alone send all the while; how many reviews it takes until it has all. */
static unsigned reviews_until_all(unsigned sender, unsigned senders)
{
    for (unsigned reviews = 0; reviews < 3 * REVIEWS; reviews++) {
        fill(sender, 16, PATIENCE);
        fill(sender, LONG, 3);
        if (has_all(sender)) {
            return reviews;
        }
        next_review(senders);
    }
    return UINT32_MAX;
}

static void test_what_is_wanted_is_handed_on(void)
{
    uint64_t before;
    unsigned reviews = 0;

    open_all(2);
    CHECK(reviews_until_all(0, 2) == 0);
    fill(1, LONG, 1);
    CHECK(tx_of(1)->bulk_size < BULK && wanted() != 0);
    CHECK(reviews_until_all(1, 2) <= REVIEWS / 2);
    CHECK(ring_of(0) == SMALL && tx_of(0)->bulk_size == 0);
    /* Nobody has wanted it for long: it stays for all of the time. */
    for (unsigned i = 0; i <= REVIEWS; i++) {
        CHECK(send(1, LONG));
        take_all();
        next_review(2);
    }
    CHECK(has_all(1));
    before = wanted();
    while (has_all(1)) {
        next_review(2);
        reviews++;
    }
    CHECK(reviews >= REVIEWS - 1 && wanted() == before);
    close_all(2);
}

/* What was refused long ago is no reason, and who has stopped sending does not ask again. */
static void test_who_is_quiet_wants_nothing(void)
{
    uint64_t before;

    open_all(3);
    CHECK(reviews_until_all(0, 3) == 0);
    fill(1, LONG, 1);
    CHECK(wanted() != 0 && tx_of(1)->bulk_most < BULK);
    for (unsigned i = 0; i < 2 * REVIEWS; i++) {
        CHECK(send(0, LONG));
        fill(0, 16, 1);
        next_review(3);
    }
    before = wanted();
    for (unsigned i = 0; i < REVIEWS / 2; i++) {
        next_review(3);
    }
    CHECK(wanted() == before && tx_of(0)->bulk_size != 0);
    close_all(3);
}

/* What the senders think that they have. */
static uint64_t had(unsigned senders)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < senders; i++) {
        const struct ni_shm_peer *shm = ni_shm_peer_of(peer[i]->ep);

        sum += tx_of(i)->bulk_size;
        sum += ring_of(i) == RING || shm->out_quiet.leaving ? RING : 0;
    }
    return sum;
}

static void step(struct ni_rng *rng, uint64_t busy)
{
    unsigned sender = (unsigned)ni_rng_below(rng, SENDERS);

    switch (ni_rng_below(rng, 8)) {
    case 0:
        now += ni_rng_below(rng, KEEP_S * UINT64_C(1000000000) / REVIEWS);
        review(sender);
        break;
    case 1:
        take_all();
        break;
    case 2:
        mock_progress(&to);
        break;
    default:
        sender = (busy >> sender & 1) != 0 ? sender : 0;
        for (uint64_t i = ni_rng_below(rng, 40); i != 0; i--) {
            (void)send(sender,
                       16 + (uint32_t)ni_rng_below(rng, UINT64_C(1) << ni_rng_below(rng, 16)));
        }
        break;
    }
}

static void test_model(void)
{
    struct ni_rng rng = {0};
    uint64_t most = ni_config_get()->shm_lanes_size;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t busy = 0, refused;

        ni_rng_seed(&rng, seed);
        open_all(SENDERS);
        for (unsigned i = 0; i < STEPS; i++) {
            busy = i % 200 == 0 ? ni_rng_below(&rng, 1 << SENDERS) : busy;
            step(&rng, busy);
            CHECK(ni_shm_file_held(segment()) == least + had(SENDERS));
            CHECK(ni_shm_file_held(segment()) <= segment()->geometry.blobs + most);
        }
        take_all();
        refused = wanted();
        CHECK(refused != 0);
        /* The only sender gets all that there is to be had. */
        for (unsigned i = 0; i < SENDERS; i++) {
            CHECK(reviews_until_all((unsigned)(seed + i) % SENDERS, SENDERS) <= REVIEWS / 2);
        }
        CHECK(to.malformed == 0);
        close_all(SENDERS);
    }
}

int main(void)
{
    mock_param("far_ns", "0"); /* credits take long */
    mock_param("shm_ring_size", "64K");
    mock_param("shm_bulk_size", "256K");
    mock_param("shm_keep_ms", "3600000");
    mock_param("shm_lanes_size", "400K");
    test_what_is_wanted_is_handed_on();
    test_who_is_quiet_wants_nothing();
    test_model();
    return 0;
}
