/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/arrive_read.c ni/engine/arrive/arrive_write.c
 * ni/engine/bulk/transfer.c. */
#include <apeni/multipath.h>

#include "base/bits.h"
#include "suite.h"

/*
 * Writes and reads: all sizes over all thresholds at odd alignments, many under way at once in both
 * directions, beside messages, and flushed. Bytes around the target must stay as they are.
 */

enum { MAX = 8 << 20, GUARD = 256, SLOTS = 24, SLOT = 300000, LONG = 1000000 };

/* How far around a long length. Sanitizers look at each byte, and what one byte more changes is
 * seen at the shorter ones. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LONG_AROUND = 0 };
#else
enum { LONG_AROUND = 1 };
#endif

/* ---- sizes ----------------------------------------------------------------------------------- */

struct sizes {
    uint8_t *local;  /* of NI 0 */
    uint8_t *remote; /* of NI 1 */
    struct ni_rkey rkey;
    size_t len, local_at, remote_at;
    uint64_t seed;
    bool is_read;
};

/* Some places, at once: what a slow helper still copies after the completion is missing here. */
static bool is_there(const uint8_t *src, const uint8_t *dst, size_t len)
{
    for (size_t at = len; at > 0; at -= ni_min_u64(at, 4096)) {
        if (src[at - 1] != dst[at - 1]) {
            return false;
        }
    }
    return true;
}

static void transfer_one(struct suite_ni *ni, void *arg)
{
    struct sizes *s = arg;
    struct ni_remote remote = suite_remote(s->remote + s->remote_at, &s->rkey);
    ni_status status = s->is_read ? suite_read(ni, 1, s->local + s->local_at, s->len, &remote)
                                  : suite_write(ni, 1, s->local + s->local_at, s->len, &remote);

    CHECK(status == NI_OK);
    CHECK(is_there(s->local + s->local_at, s->remote + s->remote_at, s->len));
}

/* Whether all bytes have this value. */
static bool all_are(const uint8_t *bytes, size_t len, uint8_t value)
{
    size_t i = 0;

    while (i < len && bytes[i] == value) {
        i++;
    }
    return i == len;
}

static void check_one(struct suite *suite, struct sizes *s)
{
    uint8_t *src = s->is_read ? s->remote + s->remote_at : s->local + s->local_at;
    uint8_t *dst = s->is_read ? s->local + s->local_at : s->remote + s->remote_at;

    s->seed++;
    suite_fill(src, s->len, s->seed);
    memset(dst - GUARD, 0xee, s->len + 2 * (size_t)GUARD);
    suite_call(suite, 0, transfer_one, s);
    CHECK(suite_filled(src, s->len, s->seed));
    CHECK(suite_filled(dst, s->len, s->seed));
    CHECK(all_are(dst - GUARD, GUARD, 0xee));
    CHECK(all_are(dst + s->len, GUARD, 0xee));
}

static void check_size(struct suite *suite, struct sizes *s, size_t len)
{
    static const size_t at[][2] = {{0, 0}, {1, 0}, {0, 3}, {7, 5}, {63, 1}, {32, 33}};
    size_t n = len <= 70000 ? NI_ARRAY_LENGTH(at) : 2;

    for (size_t i = 0; i < n; i++) {
        size_t which = (len + i) % NI_ARRAY_LENGTH(at);

        s->len = len;
        s->local_at = GUARD + at[which][0];
        s->remote_at = GUARD + at[which][1];
        s->is_read = false;
        check_one(suite, s);
        s->is_read = true;
        check_one(suite, s);
    }
}

static void all_sizes(struct suite *suite)
{
    static const size_t near[] = {128,     256,     512,     1024,    2048,   4096,
                                  8192,    16384,   32768,   65536,   131072, 262144,
                                  1 << 20, 4 << 20, MAX - 1, 1000000, 10000,  100000};
    struct sizes *s = suite_alloc(suite, sizeof(*s));

    s->local = suite_alloc(suite, MAX + 4096);
    s->remote = suite_alloc(suite, MAX + 4096);
    s->rkey = suite_region(suite, 1, s->remote, MAX + 4096, NI_ACCESS_ALL);
    for (size_t len = 0; len < 70; len++) {
        check_size(suite, s, len);
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(near); i++) {
        size_t around = near[i] >= LONG ? LONG_AROUND : 1;

        for (size_t len = near[i] - around; len <= near[i] + around; len++) {
            check_size(suite, s, len);
        }
    }
}

/* ---- many at once ---------------------------------------------------------------------------- */

struct slot {
    uint8_t *local, *remote;
    struct ni_rkey rkey;
    unsigned peer;
    size_t len;
    uint64_t seed;
    bool is_read;
    struct suite_done done;
};

struct many {
    struct slot slots[SUITE_NIS][SLOTS];
};

static void start_slot(struct suite_ni *ni, struct slot *slot)
{
    struct ni_remote remote = suite_remote(slot->remote, &slot->rkey);
    struct ni_ack ack = suite_ack(&slot->done);
    ni_status status;

    while ((status = slot->is_read ? ni_read(ni->ni, ni->peers[slot->peer], slot->local, slot->len,
                                             &remote, &ack)
                                   : ni_write(ni->ni, ni->peers[slot->peer], slot->local, slot->len,
                                              &remote, &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

static void start_all(struct suite_ni *ni, void *arg)
{
    struct many *many = arg;

    for (int i = 0; i < SLOTS; i++) {
        start_slot(ni, &many->slots[ni->index][i]);
    }
}

static bool all_done(void *arg)
{
    struct many *many = arg;

    for (int n = 0; n < SUITE_NIS; n++) {
        for (int i = 0; i < SLOTS; i++) {
            if (many->slots[n][i].len != 0 && atomic_load(&many->slots[n][i].done.count) == 0) {
                return false;
            }
        }
    }
    return true;
}

static void prepare_slot(struct suite *suite, unsigned n, struct slot *slot)
{
    slot->peer = (n + 1 + (unsigned)ni_rng_below(&suite->rng, suite->n - 1)) % suite->n;
    slot->len = 1 + (ni_rng_below(&suite->rng, SLOT - 64) >> ni_rng_below(&suite->rng, 14));
    slot->is_read = ni_rng_below(&suite->rng, 2) == 0;
    slot->seed = ni_rng_next(&suite->rng);
    slot->local = (uint8_t *)suite_alloc(suite, SLOT) + ni_rng_below(&suite->rng, 64);
    slot->remote = (uint8_t *)suite_alloc(suite, SLOT) + ni_rng_below(&suite->rng, 64);
    slot->rkey = suite_region(suite, slot->peer, slot->remote, slot->len,
                              slot->is_read ? NI_ACCESS_READ : NI_ACCESS_WRITE);
    suite_fill(slot->is_read ? slot->remote : slot->local, slot->len, slot->seed);
}

/* Transfers of all NIs between all NIs, long and short, complete once and move what they should. */
static void many_at_once(struct suite *suite)
{
    struct many *many = suite_alloc(suite, sizeof(*many));

    for (unsigned n = 0; n < suite->n; n++) {
        for (int i = 0; i < SLOTS; i++) {
            prepare_slot(suite, n, &many->slots[n][i]);
        }
    }
    for (unsigned n = 0; n < suite->n; n++) {
        suite_begin(suite, n, start_all, many);
    }
    for (unsigned n = 0; n < suite->n; n++) {
        suite_end(suite, n);
    }
    suite_until(suite, all_done, many);
    suite_rest(suite);
    for (unsigned n = 0; n < suite->n; n++) {
        for (int i = 0; i < SLOTS; i++) {
            struct slot *slot = &many->slots[n][i];

            CHECK(atomic_load(&slot->done.count) == 1);
            CHECK(atomic_load(&slot->done.status) == NI_OK);
            CHECK(atomic_load(&slot->done.value) == slot->len);
            CHECK(suite_filled(slot->local, slot->len, slot->seed));
            CHECK(suite_filled(slot->remote, slot->len, slot->seed));
        }
    }
}

/* ---- beside messages ------------------------------------------------------------------------- */

struct fair {
    struct slot slot;
    struct ni_rkey queue;
    _Atomic uint64_t received;
    _Atomic uint64_t transfer_was_done; /* when the message came */
};

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct fair *fair = arg;

    CHECK(message->len == 8);
    atomic_store(&fair->transfer_was_done, atomic_load(&fair->slot.done.count));
    atomic_fetch_add(&fair->received, 1);
}

static void open_queue(struct suite_ni *ni, void *arg)
{
    struct fair *fair = arg;

    CHECK(ni_region_consumer(ni->ni, on_message, fair, 0, &fair->queue) == NI_OK);
}

static void start_and_send(struct suite_ni *ni, void *arg)
{
    struct fair *fair = arg;
    uint64_t word = 1;

    start_slot(ni, &fair->slot);
    if (atomic_load(&fair->slot.done.count) == 0) {
        CHECK(suite_message(ni, 1, fair->queue.handle, 0, &word, sizeof(word)) == NI_OK);
        atomic_store(&fair->transfer_was_done, 2); /* sent, to be seen by the consumer */
    } else {
        atomic_store(&fair->received, 1); /* nothing to overtake */
    }
}

/* A message that is sent after a long transfer does not wait for its end. */
static void messages_overtake(struct suite *suite)
{
    for (int is_read = 0; is_read < 2; is_read++) {
        struct fair *fair = suite_alloc(suite, sizeof(*fair));

        fair->slot = (struct slot){.local = suite_alloc(suite, MAX),
                                   .remote = suite_alloc(suite, MAX),
                                   .peer = 1,
                                   .len = MAX,
                                   .is_read = is_read};
        fair->slot.rkey = suite_region(suite, 1, fair->slot.remote, MAX, NI_ACCESS_ALL);
        suite_call(suite, 1, open_queue, fair);
        suite_call(suite, 0, start_and_send, fair);
        suite_until_count(suite, &fair->received, 1);
        CHECK(atomic_load(&fair->transfer_was_done) != 1);
        suite_until_count(suite, &fair->slot.done.count, 1);
    }
}

/* ---- flush ----------------------------------------------------------------------------------- */

struct flush {
    struct slot slots[SUITE_NIS][SLOTS];
    struct suite_done done[SUITE_NIS + 1];
    bool all; /* one flush for all peers */
};

static void start_and_flush(struct suite_ni *ni, void *arg)
{
    struct flush *flush = arg;

    for (int i = 0; i < SLOTS; i++) {
        for (unsigned to = 1; to < ni->suite->n; to++) {
            struct slot *slot = &flush->slots[to][i];
            struct ni_remote remote = suite_remote(slot->remote, &slot->rkey);
            ni_status status;

            while ((status = ni_write(ni->ni, ni->peers[to], slot->local, slot->len, &remote,
                                      NULL)) == NI_AGAIN) {
                suite_turn(ni);
            }
            CHECK(status == NI_OK);
        }
    }
    for (unsigned to = flush->all ? 0 : 1; to < (flush->all ? 1 : ni->suite->n); to++) {
        struct ni_ack ack = suite_ack(&flush->done[to]);

        CHECK(ni_flush(ni->ni, to == 0 ? NULL : ni->peers[to], &ack) == NI_OK);
    }
}

static void run_flush(struct suite *suite, bool all)
{
    struct flush *flush = suite_alloc(suite, sizeof(*flush));

    flush->all = all;
    for (unsigned to = 1; to < suite->n; to++) {
        for (int i = 0; i < SLOTS; i++) {
            struct slot *slot = &flush->slots[to][i];

            prepare_slot(suite, 0, slot);
            slot->peer = to;
            slot->rkey = suite_region(suite, to, slot->remote, slot->len, NI_ACCESS_ALL);
            suite_fill(slot->local, slot->len, slot->seed);
            memset(slot->remote, 0, slot->len);
        }
    }
    suite_call(suite, 0, start_and_flush, flush);
    for (unsigned to = all ? 0 : 1; to < (all ? 1 : suite->n); to++) {
        suite_until_count(suite, &flush->done[to].count, 1);
        CHECK(atomic_load(&flush->done[to].status) == NI_OK);
    }
    for (unsigned to = 1; to < suite->n; to++) {
        for (int i = 0; i < SLOTS; i++) {
            struct slot *slot = &flush->slots[to][i];

            CHECK(suite_filled(slot->remote, slot->len, slot->seed));
        }
    }
    suite_rest(suite);
    for (int i = 0; i <= SUITE_NIS; i++) {
        CHECK(atomic_load(&flush->done[i].count) <= 1);
    }
}

/* Without acks, everything is there when the flush completes. */
static void flush_each(struct suite *suite)
{
    run_flush(suite, false);
}

static void flush_all(struct suite *suite)
{
    run_flush(suite, true);
}

static void flush_nothing_here(struct suite_ni *ni, void *arg)
{
    struct suite_done *done = arg;
    struct ni_ack ack = suite_ack(done);

    CHECK(ni_flush(ni->ni, NULL, &ack) == NI_OK);
    CHECK(ni_flush(ni->ni, ni->peers[1], &ack) == NI_OK);
    CHECK(ni_flush(ni->ni, ni->peers[1], NULL) == NI_OK);
}

static void flush_nothing(struct suite *suite)
{
    struct suite_done *done = suite_alloc(suite, sizeof(*done));

    suite_call(suite, 0, flush_nothing_here, done);
    suite_until_count(suite, &done->count, 2);
}

/* ---- transfers of no bytes, from and to nowhere ---------------------------------------------- */

enum { EMPTY = 3 };

struct empty {
    uint64_t remote;
    struct ni_rkey rkey;
    struct suite_done done;
};

static void start_empty(struct suite_ni *ni, void *arg)
{
    struct empty *empty = arg;
    struct ni_remote where = suite_remote(&empty->remote, &empty->rkey);
    struct ni_ack ack = suite_ack(&empty->done);
    struct ni_peer *peer = ni->peers[1];

    CHECK(ni_read(ni->ni, peer, NULL, 0, &where, &ack) == NI_OK);
    CHECK(ni_write(ni->ni, peer, NULL, 0, &where, &ack) == NI_OK);
    CHECK(ni_write_multipath(ni->ni, peer, NULL, 0, &where, NULL, NULL, &ack,
                             NI_MULTIPATH_COUNTERS) == NI_OK);
}

static void empty_from_nowhere(struct suite *suite)
{
    struct empty *empty = suite_alloc(suite, sizeof(*empty));

    empty->remote = 7;
    empty->rkey = suite_region(suite, 1, &empty->remote, sizeof(empty->remote), NI_ACCESS_ALL);
    suite_call(suite, 0, start_empty, empty);
    suite_until_count(suite, &empty->done.count, EMPTY);
    CHECK(atomic_load(&empty->done.status) == NI_OK);
    CHECK(empty->remote == 7);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"all_sizes", 2, 0, all_sizes},
        {"many_at_once", 2, 0, many_at_once},
        {"many_between_many", 4, 0, many_at_once},
        {"messages_overtake", 2, SUITE_NEEDS_HERE, messages_overtake},
        {"flush_each", 4, 0, flush_each},
        {"flush_all", 4, 0, flush_all},
        {"flush_nothing", 2, 0, flush_nothing},
        {"empty_from_nowhere", 2, 0, empty_from_nowhere},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
