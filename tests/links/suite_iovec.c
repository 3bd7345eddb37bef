/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/iovec.c ni/portals/iovec_request.c. */
#include "suite_portals.h"

/* I/O vectors on either side, with pieces of all lengths, none included. */

enum { PIECES = 40, ROOM = 400000 };

struct vectors {
    struct suite_end *ends[2];
    struct ni_iovec from[PIECES], to[PIECES], back[PIECES];
    uint8_t *source, *sink; /* both with gaps between the pieces */
    uint64_t sum[2];        /* bytes in pieces */
    uint8_t *flat[2];       /* room for them */
    uint64_t length, at, offset;
    bool kept;    /* the message comes before the entry */
    bool claimed; /* and is claimed and received, there is no entry */
    unsigned options;
};

/* Cut memory into pieces, `scale` bytes in the mean. */
static uint64_t cut(struct ni_iovec *iovec, uint8_t *memory, unsigned scale, unsigned seed)
{
    uint64_t place = 0, sum = 0;

    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t len = (uint64_t)(i * 7919 + seed * 31) % (2 * scale);

        len = (i + seed) % 5 == 0 ? 0 : len;
        iovec[i] = (struct ni_iovec){memory + place, len};
        place += len + i % 3;
        sum += len;
    }
    CHECK(place < ROOM);
    return sum;
}

static uint8_t *byte_at(const struct ni_iovec *iovec, uint64_t offset)
{
    for (unsigned i = 0; i < PIECES; offset -= iovec[i++].iov_len) {
        if (offset < iovec[i].iov_len) {
            return (uint8_t *)iovec[i].iov_base + offset;
        }
    }
    return NULL;
}

static struct vectors *new_vectors(struct suite *suite, unsigned ends, unsigned scale)
{
    struct vectors *vectors = suite_alloc(suite, sizeof(*vectors));

    for (unsigned i = 0; i < ends; i++) {
        vectors->ends[i] = suite_end_new(suite, i);
    }
    vectors->source = suite_alloc(suite, ROOM);
    vectors->sink = suite_alloc(suite, ROOM);
    vectors->flat[0] = suite_alloc(suite, ROOM);
    vectors->flat[1] = suite_alloc(suite, ROOM);
    suite_fill(vectors->source, ROOM, 8);
    vectors->sum[0] = cut(vectors->from, vectors->source, scale, 1);
    vectors->sum[1] = cut(vectors->to, vectors->sink, scale, 3);
    return vectors;
}

static void post(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    const struct ni_me me = {.start = vectors->to,
                             .length = PIECES,
                             .match_bits = 1,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_IOVEC |
                                        NI_ME_EVENT_UNLINK_DISABLE | vectors->options};

    memset(vectors->sink, 0, ROOM);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)1, NULL) == NI_OK);
}

/* The message that is kept. A vector that is refused leaves it claimed. */
static void claim(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    struct ni_me me = {.match_bits = 1, .match_id = NI_INITIATOR_ANY};
    struct ni_event event;

    memset(vectors->sink, 0, ROOM);
    CHECK(ni_me_probe(ni->ni, 0, &me, NI_SEARCH_DELETE, &event) == NI_OK);
    me.options = NI_ME_OP_PUT | NI_ME_IOVEC | vectors->options;
    me.start = vectors->to;
    me.length = UINT64_MAX;
    CHECK(ni_unexpected_receive(ni->ni, event.unexpected, &me, NULL) == NI_PTL_ARG_INVALID);
    me.length = PIECES;
    CHECK(ni_unexpected_receive(ni->ni, event.unexpected, &me, (void *)1) == NI_OK);
    CHECK(ni_unexpected_receive(ni->ni, event.unexpected, &me, NULL) == NI_PTL_ARG_INVALID);
}

static void put(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    struct suite_end *end = vectors->ends[0];
    const struct ni_md md = {
        .start = vectors->from, .length = PIECES, .options = NI_MD_IOVEC, .eq = end->eq};

    CHECK(ni_put(ni->ni, &md, vectors->at, vectors->length, NI_ACK_REQ,
                 end->self ? NULL : ni->peers[1], 0, 1, vectors->offset, NULL, 5) == NI_OK);
}

/* The bytes of all pieces, which are cleared if `clear`. */
static void flatten(const struct ni_iovec *iovec, uint8_t *flat, bool clear)
{
    for (unsigned i = 0; i < PIECES; flat += iovec[i++].iov_len) {
        memcpy(flat, iovec[i].iov_base, iovec[i].iov_len);
        if (clear) {
            memset(iovec[i].iov_base, 0, iovec[i].iov_len);
        }
    }
}

static bool all_zero(const uint8_t *bytes, uint64_t length)
{
    return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* What the pieces hold must be the message, what is beside it and between them nothing. */
static void check(const struct vectors *vectors, uint64_t moved)
{
    uint64_t end = vectors->offset + moved;

    flatten(vectors->from, vectors->flat[0], false);
    flatten(vectors->to, vectors->flat[1], true);
    CHECK(memcmp(vectors->flat[0] + vectors->at, vectors->flat[1] + vectors->offset, moved) == 0);
    CHECK(all_zero(vectors->flat[1], vectors->offset));
    CHECK(all_zero(vectors->flat[1] + end, vectors->sum[1] - end));
    CHECK(all_zero(vectors->sink, ROOM));
}

/* Number n of its kind. */
static void transfer(struct suite *suite, struct vectors *vectors, unsigned n)
{
    unsigned target = vectors->ends[0]->self ? 0 : 1;
    struct suite_end *end = vectors->ends[target];
    enum ni_event_kind kind = vectors->kept ? NI_EVENT_PUT_OVERFLOW : NI_EVENT_PUT;
    uint64_t seen = suite_count(end, kind), left = vectors->sum[1] - vectors->offset;
    uint64_t moved = vectors->length < left ? vectors->length : left;
    const struct ni_event *event;

    if (!vectors->kept) {
        suite_call(suite, target, post, vectors);
    }
    suite_call(suite, 0, put, vectors);
    if (vectors->kept) {
        suite_until_kept(suite, target, 1);
        suite_call(suite, target, vectors->claimed ? claim : post, vectors);
    }
    suite_until_events(suite, end, kind, seen + 1);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_ACK, n + 1);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_SEND, n + 1);
    event = suite_event(end, kind, seen);
    CHECK(event->ni_fail_type == NI_NI_OK && event->user_ptr == (void *)1);
    CHECK(event->rlength == vectors->length && event->mlength == moved);
    CHECK(moved == 0 || event->start == byte_at(vectors->to, vectors->offset));
    check(vectors, moved);
}

static void all_ways(struct suite *suite, bool self, unsigned scale)
{
    struct vectors *vectors = new_vectors(suite, self ? 1 : 2, scale);
    unsigned n = 0;

    vectors->ends[0]->self = self;
    for (unsigned way = 0; way < 3; way++) {
        uint64_t sum = vectors->sum[0];
        const uint64_t lengths[] = {0, 1, 20, sum / 3, sum / 2};

        vectors->kept = way > 0;
        vectors->claimed = way == 2;
        for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            vectors->length = lengths[i];
            vectors->at = (sum - lengths[i]) * (i % 2) / 3;
            vectors->offset = i % 3 == 0 ? 0 : vectors->sum[1] * i / 8;
            transfer(suite, vectors, n++);
        }
    }
    /* More than the entry has room for. */
    vectors->length = vectors->sum[0];
    vectors->at = 0;
    vectors->offset = vectors->sum[1] - 100;
    transfer(suite, vectors, n++);
}

static void short_pieces(struct suite *suite)
{
    all_ways(suite, false, 9);
}

static void long_pieces(struct suite *suite)
{
    all_ways(suite, false, 9000);
}

static void to_oneself(struct suite *suite)
{
    all_ways(suite, true, 5000);
}

/* ---- gets ------------------------------------------------------------------------------------ */

static void post_source(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    const struct ni_me me = {.start = vectors->from,
                             .length = PIECES,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_GET | NI_ME_USE_ONCE | NI_ME_IOVEC |
                                        NI_ME_EVENT_UNLINK_DISABLE};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)1, NULL) == NI_OK);
}

static void get(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    struct suite_end *end = vectors->ends[0];
    const struct ni_md md = {
        .start = vectors->to, .length = PIECES, .options = NI_MD_IOVEC, .eq = end->eq};

    memset(vectors->sink, 0, ROOM);
    CHECK(ni_get(ni->ni, &md, vectors->offset, vectors->length, end->self ? NULL : ni->peers[1], 0,
                 0, vectors->at, NULL) == NI_OK);
}

/* `at` in the entry, `offset` in the descriptor. */
static void fetch(struct suite *suite, struct vectors *vectors, uint64_t n)
{
    unsigned target = vectors->ends[0]->self ? 0 : 1;
    uint64_t left = vectors->sum[0] - vectors->at;
    uint64_t moved = vectors->length < left ? vectors->length : left;
    const struct ni_event *event;

    suite_call(suite, target, post_source, vectors);
    suite_call(suite, 0, get, vectors);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_REPLY, n + 1);
    suite_until_events(suite, vectors->ends[target], NI_EVENT_GET, n + 1);
    event = suite_event(vectors->ends[0], NI_EVENT_REPLY, n);
    CHECK(event->ni_fail_type == NI_NI_OK && event->mlength == moved);
    CHECK(moved == 0 || event->start == byte_at(vectors->to, vectors->offset));
    event = suite_event(vectors->ends[target], NI_EVENT_GET, n);
    CHECK(event->mlength == moved && event->rlength == vectors->length);
    CHECK(moved == 0 || event->start == byte_at(vectors->from, vectors->at));
    check(vectors, moved);
}

static void get_all_ways(struct suite *suite, bool self, unsigned scale)
{
    struct vectors *vectors = new_vectors(suite, self ? 1 : 2, scale);
    uint64_t sum = vectors->sum[1];
    const uint64_t lengths[] = {0, 1, 20, 25, sum / 3, sum / 2, sum * 3 / 4};

    vectors->ends[0]->self = self;
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        vectors->length = lengths[i];
        vectors->offset = (sum - lengths[i]) * (i % 2) / 3;
        vectors->at = i % 3 == 0 ? 0 : vectors->sum[0] * i / 8;
        fetch(suite, vectors, i);
    }
}

static void gets_short_pieces(struct suite *suite)
{
    get_all_ways(suite, false, 9);
}

static void gets_long_pieces(struct suite *suite)
{
    get_all_ways(suite, false, 9000);
}

static void gets_to_oneself(struct suite *suite)
{
    get_all_ways(suite, true, 5000);
}

/* ---- atomics, and what is triggered ---------------------------------------------------------- */

static void post_words(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    const struct ni_me me = {.start = vectors->to,
                             .length = PIECES,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_IOVEC};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)1, NULL) == NI_OK);
}

/* Puts, and then adds twice, what the pieces hold, when the counter says so. */
static void trigger(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    struct suite_end *end = vectors->ends[0];
    struct ni_md md = {
        .start = vectors->from, .length = PIECES, .options = NI_MD_IOVEC, .eq = end->eq};
    struct ni_md back = {.start = vectors->back, .length = PIECES, .options = NI_MD_IOVEC};
    struct ni_ct *ct;

    back.eq = end->eq;
    CHECK(ni_ct_alloc(ni->ni, &ct) == NI_OK);
    CHECK(ni_triggered_put(ni->ni, &md, 0, UINT64_MAX, NI_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0,
                           ct, 1) == NI_PTL_ARG_INVALID);
    CHECK(ni_triggered_put(ni->ni, &md, vectors->at, vectors->length, NI_ACK_REQ, ni->peers[1], 0,
                           0, vectors->offset, NULL, 0, ct, 1) == NI_OK);
    CHECK(ni_triggered_atomic(ni->ni, &md, vectors->at, vectors->length, NI_ACK_REQ, ni->peers[1],
                              0, 0, vectors->offset, NULL, 0, NI_SUM, NI_UINT32_T, ct, 2) == NI_OK);
    CHECK(ni_triggered_fetch_atomic(ni->ni, &back, vectors->offset, &md, vectors->at,
                                    vectors->length, ni->peers[1], 0, 0, vectors->offset, NULL, 0,
                                    NI_SUM, NI_UINT32_T, ct, 3) == NI_OK);
    CHECK(ni_ct_inc(ct, (struct ni_ct_event){.success = 3}) == NI_OK);
}

static uint32_t word_of(const struct ni_iovec *iovec, uint64_t offset)
{
    uint32_t word = 0;

    for (unsigned i = 0; i < sizeof(word); i++) {
        word |= (uint32_t)*byte_at(iovec, offset + i) << 8 * i;
    }
    return word;
}

static void triggered(struct suite *suite)
{
    struct vectors *vectors = new_vectors(suite, 2, 60);

    vectors->sum[1] = cut(vectors->back, suite_alloc(suite, ROOM), 60, 4);
    vectors->length = 800;
    vectors->at = 33;
    vectors->offset = 6;
    CHECK(vectors->sum[0] > 840 && vectors->sum[1] > 840);
    suite_call(suite, 1, post_words, vectors);
    suite_call(suite, 0, trigger, vectors);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_ACK, 2);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_REPLY, 1);
    suite_until_events(suite, vectors->ends[0], NI_EVENT_SEND, 3);
    suite_until_events(suite, vectors->ends[1], NI_EVENT_FETCH_ATOMIC, 1);
    for (uint64_t i = 0; i < vectors->length; i += 4) {
        uint32_t word = word_of(vectors->from, vectors->at + i);

        CHECK(word_of(vectors->back, vectors->offset + i) == 2 * word);
        CHECK(word_of(vectors->to, vectors->offset + i) == 3 * word);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void refuse(struct suite_ni *ni, void *arg)
{
    struct vectors *vectors = arg;
    struct ni_md md = {.start = vectors->from, .length = PIECES, .options = NI_MD_IOVEC};
    struct ni_me me = {
        .start = vectors->to, .length = PIECES, .options = NI_ME_OP_PUT | NI_ME_IOVEC};
    const struct ni_limits limits = {.max_iovecs = PIECES}, many = {.max_iovecs = 2 << 20};
    struct ni_limits actual;
    uint32_t pt;

    CHECK(ni_portals_open(ni->ni, &many, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_portals_open(ni->ni, &limits, &actual) == NI_OK && actual.max_iovecs == PIECES);
    CHECK(ni_pt_alloc(ni->ni, 0, NULL, 0, &pt) == NI_OK);
    CHECK(ni_put(ni->ni, &md, vectors->sum[0], 1, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_put(ni->ni, &md, 0, vectors->sum[0] + 1, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_get(ni->ni, &md, vectors->sum[0] - 7, 8, NULL, 0, 0, 0, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_atomic(ni->ni, &md, vectors->sum[0] - 7, 8, NI_ACK_REQ, NULL, 0, 0, 0, NULL, 0, NI_SUM,
                    NI_INT64_T) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_OK);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
    me.length = ++md.length;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_OVERFLOW_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_put(ni->ni, &md, 0, 1, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0) == NI_PTL_ARG_INVALID);
    me.length = --md.length;
    vectors->to[2].iov_len = vectors->to[3].iov_len = SIZE_MAX / 2;
    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
}

static void refused_calls(struct suite *suite)
{
    suite_call(suite, 0, refuse, new_vectors(suite, 0, 100));
}

static const struct suite_case cases[] = {
    {"short_pieces", 2, SUITE_NEEDS_NOTHING, short_pieces},
    {"long_pieces", 2, SUITE_NEEDS_NOTHING, long_pieces},
    {"to_oneself", 1, SUITE_NEEDS_NOTHING, to_oneself},
    {"gets_short_pieces", 2, SUITE_NEEDS_NOTHING, gets_short_pieces},
    {"gets_long_pieces", 2, SUITE_NEEDS_NOTHING, gets_long_pieces},
    {"gets_to_oneself", 1, SUITE_NEEDS_NOTHING, gets_to_oneself},
    {"triggered", 2, SUITE_NEEDS_NOTHING, triggered},
    {"refused_calls", 1, SUITE_NEEDS_NOTHING, refused_calls},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
