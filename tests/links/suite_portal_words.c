/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/*
 * Atomics of several initiators, of the engine and of the target itself on the same words; those on
 * overflow lists; what is cut off, refused, or not possible at all.
 */

enum { HITS = 300, NIS = 3, ELEMENTS = 100 };

struct words {
    struct suite_end *ends[NIS];
    _Atomic uint64_t *words; /* a sum, and one that numbers are taken from */
    uint64_t *old[NIS];
    uint64_t one;
    uint32_t *values, *data, *was;
    struct ni_rkey rkey;
    struct ni_ct *ct;
};

static struct words *start(struct suite *suite, unsigned n)
{
    struct words *words = suite_alloc(suite, sizeof(*words));

    for (unsigned i = 0; i < n; i++) {
        words->ends[i] = suite_end_new(suite, i);
        words->old[i] = suite_alloc(suite, HITS * sizeof(uint64_t));
    }
    words->words = suite_alloc(suite, 2 * sizeof(uint64_t));
    words->values = suite_alloc(suite, ELEMENTS * sizeof(uint32_t));
    words->data = suite_alloc(suite, ELEMENTS * sizeof(uint32_t));
    words->was = suite_alloc(suite, ELEMENTS * sizeof(uint32_t));
    words->one = 1;
    return words;
}

static int append(struct suite_ni *ni, unsigned pt, void *at, size_t length, uint64_t bits,
                  unsigned options, enum ni_list_kind list)
{
    const struct ni_me me = {.start = at,
                             .length = length,
                             .match_bits = bits,
                             .match_id = NI_INITIATOR_ANY,
                             .options = options};

    return ni_me_append(ni->ni, pt, &me, list, NULL, NULL);
}

/* ---- several at once ------------------------------------------------------------------------- */

static void post_words(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;

    CHECK(append(ni, 0, (void *)(uintptr_t)words->words, 16, 0,
                 NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_EVENT_COMM_DISABLE,
                 NI_PRIORITY_LIST) == NI_OK);
}

/* Add to the first word by ni_atomic, ni_fetch_op and the processor; take numbers from the
 * second. */
static void hit(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    struct suite_end *end = words->ends[ni->index];
    struct ni_peer *target = ni->index == 0 ? NULL : ni->peers[0];
    uint64_t old;
    const struct ni_remote remote =
        suite_remote((const void *)(uintptr_t)words->words, &words->rkey);

    for (unsigned i = 0; i < HITS; i++) {
        CHECK(ni_atomic(ni->ni, &end->md, (uintptr_t)&words->one, 8, NI_ACK_REQ, target, 0, 0, 0,
                        NULL, 0, NI_SUM, NI_UINT64_T) == NI_OK);
        CHECK(ni_fetch_atomic(ni->ni, &end->md, (uintptr_t)&words->old[ni->index][i], &end->md,
                              (uintptr_t)&words->one, 8, target, 0, 0, 8, NULL, 0, NI_SUM,
                              NI_INT64_T) == NI_OK);
        if (ni->index == 0) {
            atomic_fetch_add_explicit(&words->words[0], 1, memory_order_relaxed);
        } else {
            CHECK(suite_fetch_op(ni, 0, NI_ATOMIC_ADD, 8, 1, 0, &remote, &old) == NI_OK);
        }
    }
    CHECK(ni_atomic_sync(ni->ni) == NI_OK);
}

static void together(struct suite *suite)
{
    struct words *words = start(suite, NIS);
    bool taken[NIS * HITS] = {false};

    words->rkey = suite_region(suite, 0, (void *)(uintptr_t)words->words, 16, NI_ACCESS_ALL);
    suite_call(suite, 0, post_words, words);
    for (unsigned i = 0; i < NIS; i++) {
        suite_begin(suite, i, hit, words);
    }
    for (unsigned i = 0; i < NIS; i++) {
        suite_end(suite, i);
    }
    for (unsigned i = 0; i < NIS; i++) {
        suite_until_events(suite, words->ends[i], NI_EVENT_ACK, HITS);
        suite_until_events(suite, words->ends[i], NI_EVENT_REPLY, HITS);
    }
    CHECK(atomic_load(&words->words[0]) == 2 * NIS * HITS);
    CHECK(atomic_load(&words->words[1]) == NIS * HITS);
    for (unsigned i = 0; i < NIS; i++) {
        for (unsigned k = 0; k < HITS; k++) {
            CHECK(words->old[i][k] < NIS * HITS && !taken[words->old[i][k]]);
            taken[words->old[i][k]] = true;
        }
    }
}

/* ---- on the overflow list -------------------------------------------------------------------- */

static void post_overflow(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;

    CHECK(append(ni, 0, words->values, ELEMENTS * 4, 5, NI_ME_OP_PUT | NI_ME_OP_GET,
                 NI_OVERFLOW_LIST) == NI_OK);
}

static void post_late(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;

    for (unsigned i = 0; i < 3; i++) {
        CHECK(append(ni, 0, words->was, ELEMENTS * 4, 5,
                     NI_ME_OP_PUT | NI_ME_OP_GET | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE,
                     NI_PRIORITY_LIST) == NI_OK);
    }
}

/* An atomic, one that fetches more than a line takes, and a get. */
static void three(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    const struct ni_md *md = &words->ends[0]->md;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        words->data[i] = i;
    }
    CHECK(ni_atomic(ni->ni, md, (uintptr_t)words->data, ELEMENTS * 4, NI_ACK_REQ, ni->peers[1], 0,
                    5, 0, NULL, 0, NI_SUM, NI_UINT32_T) == NI_OK);
    CHECK(ni_fetch_atomic(ni->ni, md, (uintptr_t)words->was, md, (uintptr_t)words->data,
                          ELEMENTS * 4, ni->peers[1], 0, 5, 0, NULL, 0, NI_SUM,
                          NI_UINT32_T) == NI_OK);
    CHECK(ni_get(ni->ni, md, (uintptr_t)words->old[0], ELEMENTS * 4, ni->peers[1], 0, 5, 0, NULL) ==
          NI_OK);
}

static void overflow(struct suite *suite)
{
    static const enum ni_event_kind kinds[] = {NI_EVENT_ATOMIC, NI_EVENT_FETCH_ATOMIC,
                                               NI_EVENT_GET};
    struct words *words = start(suite, 2);

    suite_call(suite, 1, post_overflow, words);
    suite_call(suite, 0, three, words);
    suite_until_events(suite, words->ends[0], NI_EVENT_REPLY, 2);
    suite_until_events(suite, words->ends[0], NI_EVENT_ACK, 1);
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint32_t seen;

        memcpy(&seen, (uint8_t *)words->old[0] + 4 * (size_t)i, sizeof(seen));
        CHECK(words->was[i] == i && seen == 2 * i);
    }
    suite_call(suite, 1, post_late, words);
    for (unsigned i = 0; i < 3; i++) {
        const struct ni_event *event;

        suite_until_events(suite, words->ends[1], kinds[i], 1);
        suite_until_events(suite, words->ends[1],
                           (enum ni_event_kind)(kinds[i] + NI_EVENT_PUT_OVERFLOW), 1);
        event =
            suite_event(words->ends[1], (enum ni_event_kind)(kinds[i] + NI_EVENT_PUT_OVERFLOW), 0);
        CHECK(event->start == words->values && event->mlength == ELEMENTS * 4);
    }
}

/* ---- cut off, and unaligned ------------------------------------------------------------------ */

static void post_short(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;

    /* Ten bytes: two elements and a half; and one element at an odd address. */
    CHECK(append(ni, 0, words->values, 10, 1, NI_ME_OP_PUT | NI_ME_OP_GET, NI_PRIORITY_LIST) ==
          NI_OK);
    CHECK(append(ni, 0, (uint8_t *)words->values + 41, 4, 2, NI_ME_OP_PUT | NI_ME_OP_GET,
                 NI_PRIORITY_LIST) == NI_OK);
}

static void cut(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    const struct ni_md *md = &words->ends[0]->md;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        words->data[i] = 0x01010101;
        words->was[i] = 77;
    }
    CHECK(ni_fetch_atomic(ni->ni, md, (uintptr_t)words->was, md, (uintptr_t)words->data, 40,
                          ni->peers[1], 0, 1, 0, NULL, 0, NI_SUM, NI_UINT32_T) == NI_OK);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(ni_atomic(ni->ni, md, (uintptr_t)words->data, 4, NI_ACK_REQ, ni->peers[1], 0, 2, 0,
                        NULL, 0, NI_SUM, NI_UINT32_T) == NI_OK);
    }
}

static void cut_off(struct suite *suite)
{
    struct words *words = start(suite, 2);
    const uint8_t *bytes = (const uint8_t *)words->values;

    suite_call(suite, 1, post_short, words);
    suite_call(suite, 0, cut, words);
    suite_until_events(suite, words->ends[0], NI_EVENT_REPLY, 1);
    suite_until_events(suite, words->ends[0], NI_EVENT_ACK, 3);
    CHECK(suite_event(words->ends[0], NI_EVENT_REPLY, 0)->mlength == 8);
    CHECK(words->was[0] == 0 && words->was[1] == 0 && words->was[2] == 77);
    for (unsigned i = 0; i < ELEMENTS * 4; i++) {
        CHECK(bytes[i] == (i < 8 ? 1 : i >= 41 && i < 45 ? 3 : 0));
    }
}

/* ---- refused --------------------------------------------------------------------------------- */

enum { ONLY_PUT = 1, ONLY_GET = 2, NOTHING = 3 };

static void post_refusing(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;

    CHECK(append(ni, 0, words->values, 8, ONLY_PUT, NI_ME_OP_PUT, NI_PRIORITY_LIST) == NI_OK);
    CHECK(append(ni, 0, words->values, 8, ONLY_GET, NI_ME_OP_GET, NI_PRIORITY_LIST) == NI_OK);
}

static void be_refused(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    const struct ni_md *md = &words->ends[0]->md;
    struct ni_md counting = *md;

    CHECK(ni_ct_alloc(ni->ni, &words->ct) == NI_OK);
    counting.ct = words->ct;
    counting.options = NI_MD_EVENT_CT_REPLY | NI_MD_EVENT_CT_ACK;
    for (uint64_t bits = ONLY_PUT; bits <= NOTHING; bits++) {
        CHECK(ni_atomic(ni->ni, &counting, (uintptr_t)words->data, 4, NI_ACK_REQ, ni->peers[1], 0,
                        bits, 0, NULL, bits, NI_BXOR, NI_INT32_T) == NI_OK);
        CHECK(ni_fetch_atomic(ni->ni, &counting, (uintptr_t)words->was, md, (uintptr_t)words->data,
                              4, ni->peers[1], 0, bits, 0, NULL, bits, NI_BXOR,
                              NI_INT32_T) == NI_OK);
    }
}

static void look(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    struct ni_ct_event event;

    CHECK(ni_ct_get(words->ct, &event) == NI_OK && event.success == 1 && event.failure == 5);
    CHECK(ni_ct_free(ni->ni, words->ct) == NI_OK);
}

static void refused(struct suite *suite)
{
    static const enum ni_ni_fail acks[] = {NI_NI_OK, NI_NI_OP_VIOLATION, NI_NI_DROPPED};
    static const enum ni_ni_fail replies[] = {NI_NI_OP_VIOLATION, NI_NI_OP_VIOLATION,
                                              NI_NI_DROPPED};
    struct words *words = start(suite, 2);

    suite_call(suite, 1, post_refusing, words);
    suite_call(suite, 0, be_refused, words);
    suite_until_events(suite, words->ends[0], NI_EVENT_REPLY, 3);
    suite_until_events(suite, words->ends[0], NI_EVENT_ACK, 3);
    for (unsigned n = 0; n < 3; n++) {
        const struct ni_event *ack = suite_event(words->ends[0], NI_EVENT_ACK, n);
        const struct ni_event *reply = suite_event(words->ends[0], NI_EVENT_REPLY, n);

        CHECK(ack->ni_fail_type == acks[n] && ack->hdr_data == n + 1);
        CHECK(reply->ni_fail_type == replies[n] && reply->hdr_data == n + 1);
        CHECK(reply->mlength == 0);
    }
    suite_call(suite, 0, look, words);
}

/* ---- not possible ---------------------------------------------------------------------------- */

static void try_nonsense(struct suite_ni *ni, void *arg)
{
    struct words *words = arg;
    struct suite_end *end = words->ends[0];
    const struct ni_md *md = &end->md;
    const struct ni_md small = {.start = words->data, .length = 4};
    uint64_t at = (uintptr_t)words->data;
    static const struct {
        uint64_t length;
        unsigned op, type;
    } wrong[] = {{6, NI_SUM, NI_INT32_T},      {1028, NI_SUM, NI_INT32_T},
                 {8, NI_LOR, NI_FLOAT},        {8, NI_BXOR, NI_DOUBLE},
                 {8, NI_SWAP, NI_INT64_T},     {8, NI_SUM, 14},
                 {24, NI_SUM, NI_LONG_DOUBLE}, {16, NI_MIN, NI_DOUBLE_COMPLEX},
                 {8, 99, NI_INT64_T},          {UINT64_MAX - 7, NI_SUM, NI_INT64_T}},
      swaps[] = {{16, NI_CSWAP, NI_INT64_T},
                 {0, NI_MSWAP, NI_INT64_T},
                 {8, NI_MSWAP, NI_DOUBLE},
                 {32, NI_CSWAP_LT, NI_LONG_DOUBLE_COMPLEX},
                 {32, NI_CSWAP, NI_LONG_DOUBLE},
                 {8, NI_SUM, NI_INT64_T},
                 {8, 18, NI_INT64_T},
                 {6, NI_SWAP, NI_INT32_T}};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        enum ni_ptl_op op = (enum ni_ptl_op)wrong[i].op;
        enum ni_ptl_datatype type = (enum ni_ptl_datatype)wrong[i].type;

        CHECK(ni_atomic(ni->ni, md, at, wrong[i].length, NI_ACK_REQ, NULL, 0, 0, 0, NULL, 0, op,
                        type) == NI_PTL_ARG_INVALID);
        CHECK(ni_fetch_atomic(ni->ni, md, at, md, at, wrong[i].length, NULL, 0, 0, 0, NULL, 0, op,
                              type) == NI_PTL_ARG_INVALID);
    }
    for (size_t i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++) {
        CHECK(ni_swap(ni->ni, md, at, md, at, swaps[i].length, NULL, 0, 0, 0, NULL, 0, words->was,
                      (enum ni_ptl_op)swaps[i].op,
                      (enum ni_ptl_datatype)swaps[i].type) == NI_PTL_ARG_INVALID);
    }
    CHECK(ni_swap(ni->ni, md, at, md, at, 8, NULL, 0, 0, 0, NULL, 0, NULL, NI_CSWAP, NI_INT64_T) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_atomic(ni->ni, &small, 0, 8, NI_ACK_REQ, NULL, 0, 0, 0, NULL, 0, NI_SUM, NI_INT64_T) ==
          NI_PTL_ARG_INVALID);
    CHECK(ni_fetch_atomic(ni->ni, &small, 0, md, at, 8, NULL, 0, 0, 0, NULL, 0, NI_SUM,
                          NI_INT64_T) == NI_PTL_ARG_INVALID);
    CHECK(ni_atomic(ni->ni, md, at, 8, NI_ACK_REQ, NULL, 256, 0, 0, NULL, 0, NI_SUM, NI_INT64_T) ==
          NI_PTL_ARG_INVALID);
}

static void nonsense(struct suite *suite)
{
    struct words *words = start(suite, 1);

    suite_call(suite, 0, try_nonsense, words);
    CHECK(suite_count(words->ends[0], NI_EVENT_ACK) == 0);
    CHECK(suite_count(words->ends[0], NI_EVENT_REPLY) == 0);
}

static const struct suite_case cases[] = {
    {"together", NIS, SUITE_NEEDS_NOTHING, together},
    {"overflow", 2, SUITE_NEEDS_NOTHING, overflow},
    {"cut_off", 2, SUITE_NEEDS_NOTHING, cut_off},
    {"refused", 2, SUITE_NEEDS_NOTHING, refused},
    {"nonsense", 1, SUITE_NEEDS_NOTHING, nonsense},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
