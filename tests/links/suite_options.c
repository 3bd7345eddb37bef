/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_portals.h"

/* Options that are rare: memory that changes after the call, acknowledgements that are only
 * counted, entries without events of successes. And limits of what is allocated, and bytes sent. */

enum { VOLATILE = 150, MOST = 4096, ACKS = 7, COUNTED = 70, SLOT = 2100 };

struct options {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    uint64_t *sum;
    struct ni_iovec piece;
    struct ni_ct *ct;
    struct ni_ct_event count;
};

static struct options *start(struct suite *suite)
{
    struct options *options = suite_alloc(suite, sizeof(*options));

    for (unsigned i = 0; i < 2; i++) {
        options->ends[i] = suite_end_new(suite, i);
    }
    options->from = suite_alloc(suite, COUNTED * SLOT);
    options->to = suite_alloc(suite, VOLATILE * MOST);
    options->sum = suite_alloc(suite, sizeof(uint64_t));
    return options;
}

/* ---- memory that changes --------------------------------------------------------------------- */

static size_t length_of(unsigned i)
{
    static const size_t lengths[] = {1, 8, 33, 500, 2049, MOST};

    return lengths[i % (sizeof(lengths) / sizeof(lengths[0]))];
}

static void post_all(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;
    const struct ni_me sum = {.start = options->sum,
                              .length = 8,
                              .match_bits = VOLATILE,
                              .match_id = NI_INITIATOR_ANY,
                              .options = NI_ME_OP_PUT};

    for (unsigned i = 0; i < VOLATILE; i++) {
        suite_post(ni, options->ends[1], options->to + (size_t)i * MOST, MOST, i, 0,
                   NI_INITIATOR_ANY, i);
    }
    CHECK(ni_me_append(ni->ni, 0, &sum, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

/* Each as soon as the one before has been handed over, from the same memory. */
static void put_all(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;
    struct suite_end *end = options->ends[0];
    struct ni_md plain = {
        .start = options->from, .length = MOST, .options = NI_MD_VOLATILE, .eq = end->eq};
    struct ni_md vector = {.start = &options->piece,
                           .length = 1,
                           .options = NI_MD_VOLATILE | NI_MD_IOVEC | NI_MD_UNORDERED,
                           .eq = end->eq};

    options->piece = (struct ni_iovec){options->from, MOST};
    for (unsigned i = 0; i < VOLATILE; i++) {
        const uint64_t number = i;

        suite_fill(options->from, MOST, i);
        CHECK(ni_put(ni->ni, i % 2 == 0 ? &plain : &vector, 0, length_of(i), NI_ACK_REQ,
                     ni->peers[1], 0, i, 0, NULL, 0) == NI_OK);
        memcpy(options->from, &number, sizeof(number));
        CHECK(ni_atomic(ni->ni, i % 2 == 0 ? &vector : &plain, 0, 8, NI_ACK_REQ, ni->peers[1], 0,
                        VOLATILE, 0, NULL, 0, NI_SUM, NI_UINT64_T) == NI_OK);
        memset(options->from, 0xee, MOST);
    }
}

static void volatile_memory(struct suite *suite)
{
    struct options *options = start(suite);

    suite_call(suite, 1, post_all, options);
    suite_call(suite, 0, put_all, options);
    suite_until_events(suite, options->ends[0], NI_EVENT_ACK, 2 * VOLATILE);
    suite_until_events(suite, options->ends[0], NI_EVENT_SEND, 2 * VOLATILE);
    suite_until_events(suite, options->ends[1], NI_EVENT_PUT, VOLATILE);
    for (unsigned i = 0; i < VOLATILE; i++) {
        CHECK(suite_filled(options->to + (size_t)i * MOST, length_of(i), i));
    }
    CHECK(*options->sum == VOLATILE * (VOLATILE - 1) / 2);
}

/* ---- acknowledgements ------------------------------------------------------------------------ */

static void post_one(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;
    const struct ni_me me = {.start = options->to,
                             .length = MOST,
                             .match_id = NI_INITIATOR_ANY,
                             .options =
                                 NI_ME_OP_PUT | NI_ME_EVENT_SUCCESS_DISABLE | NI_ME_MANAGE_LOCAL,
                             .min_free = MOST - ACKS * 8 + 8};

    CHECK(ni_me_append(ni->ni, 0, &me, NI_PRIORITY_LIST, (void *)7, NULL) == NI_OK);
}

static void put_counted(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;
    struct suite_end *end = options->ends[0];
    struct ni_md md = {
        .start = options->from, .length = MOST, .options = NI_MD_EVENT_CT_ACK, .eq = end->eq};

    CHECK(ni_ct_alloc(ni->ni, &options->ct) == NI_OK);
    md.ct = options->ct;
    CHECK(ni_put(ni->ni, &md, 0, 8, (enum ni_ack_req)4, ni->peers[1], 0, 0, 0, NULL, 0) ==
          NI_PTL_ARG_INVALID);
    /* Four to the entry, with which it is used up; and two that nothing has asked for. */
    CHECK(ni_put(ni->ni, &md, 0, 8, NI_CT_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0) == NI_OK);
    CHECK(ni_put(ni->ni, &md, 0, 8, NI_OC_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0) == NI_OK);
    CHECK(ni_atomic(ni->ni, &md, 0, 16, NI_CT_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0, NI_BOR,
                    NI_UINT64_T) == NI_OK);
    CHECK(ni_triggered_put(ni->ni, &md, 0, 24, NI_OC_ACK_REQ, ni->peers[1], 0, 0, 0, NULL, 0,
                           options->ct, 1) == NI_OK);
    CHECK(ni_put(ni->ni, &md, 0, 8, NI_CT_ACK_REQ, ni->peers[1], 9, 0, 0, NULL, 0) == NI_OK);
    CHECK(ni_atomic(ni->ni, &md, 0, 8, NI_OC_ACK_REQ, ni->peers[1], 9, 0, 0, NULL, 0, NI_BOR,
                    NI_UINT64_T) == NI_OK);
}

static void look(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;

    (void)ni;
    CHECK(ni_ct_get(options->ct, &options->count) == NI_OK);
}

struct counting {
    struct suite *suite;
    struct options *options;
};

static bool all_counted(void *arg)
{
    struct counting *counting = arg;
    const struct ni_ct_event *count = &counting->options->count;

    suite_call(counting->suite, 0, look, counting->options);
    return count->success == 4 && count->failure == 2;
}

static void counted(struct suite *suite)
{
    struct options *options = start(suite);
    struct counting *counting = suite_alloc(suite, sizeof(*counting));

    *counting = (struct counting){suite, options};
    suite_call(suite, 1, post_one, options);
    suite_call(suite, 0, put_counted, options);
    suite_until(suite, all_counted, counting);
    suite_until_events(suite, options->ends[1], NI_EVENT_AUTO_UNLINK, 1);
    suite_rest(suite);
    CHECK(suite_count(options->ends[0], NI_EVENT_ACK) == 0);
    CHECK(suite_count(options->ends[1], NI_EVENT_PUT) == 0);
    CHECK(suite_count(options->ends[1], NI_EVENT_ATOMIC) == 0);
    CHECK(suite_event(options->ends[1], NI_EVENT_AUTO_UNLINK, 0)->user_ptr == (void *)7);
}

/* ---- bytes sent ------------------------------------------------------------------------------ */

static uint64_t put_sizes(struct suite_ni *ni, struct options *options)
{
    static const size_t sizes[] = {0, 1, 8, 32, 33, 100, 500};
    struct ni_md md = options->ends[0]->md;
    uint64_t sum = 0;

    md.options = NI_MD_SENT_BY_RESULT;
    for (unsigned i = 0; i < COUNTED; i++) {
        size_t size = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];
        int result = ni_put(ni->ni, &md, (uintptr_t)options->from, size, NI_NO_ACK_REQ,
                            ni->peers[1], 0, i, 0, NULL, i);

        CHECK(result == NI_PTL_SENT || result == NI_OK);
        sum += size;
    }
    return sum;
}

/* Whichever way a put takes, its bytes are counted, once. */
static void count_bytes(struct suite_ni *ni, void *arg)
{
    uint64_t before = suite_stat(ni, "tx_bytes"), sum = put_sizes(ni, arg);

    for (unsigned i = 0; suite_stat(ni, "tx_bytes") - before < sum; i++) {
        CHECK(i < 200000);
        suite_turn(ni);
    }
    CHECK(suite_stat(ni, "tx_bytes") - before == sum);
}

static void bytes(struct suite *suite)
{
    struct options *options = start(suite);

    suite_call(suite, 0, count_bytes, options);
    suite_until_kept(suite, 1, COUNTED);
}

/* ---- short puts ------------------------------------------------------------------------------ */

static size_t short_of(unsigned i)
{
    static const size_t lengths[] = {8, 0, 1, 31, 32, 33, 64, 65, 500, 2048, 2049};

    return lengths[i % (sizeof(lengths) / sizeof(lengths[0]))];
}

static void post_slots(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;

    for (unsigned i = 0; i < COUNTED; i++) {
        suite_post(ni, options->ends[1], options->to + (size_t)i * SLOT, SLOT, 0, UINT64_MAX,
                   NI_INITIATOR_ANY, i);
    }
}

/* The short way where it is open, else the usual one: they match in the order of the calls. */
static void put_short(struct suite_ni *ni, void *arg)
{
    struct options *options = arg;
    struct ni_md md = options->ends[0]->md;

    md.options = NI_MD_SENT_BY_RESULT;
    CHECK(!ni_put_short(NULL, options->from, 8, 0, 0, 0));
    CHECK(!ni_put_short(ni->peers[1], options->from, 8, 256, 0, 0));
    for (unsigned i = 0; i < COUNTED; i++) {
        uint8_t *from = options->from + (size_t)i * SLOT;
        int result = NI_PTL_SENT;

        suite_fill(from, short_of(i), i + 1);
        if (!ni_put_short(ni->peers[1], from, short_of(i), 0, i, i)) {
            result = ni_put(ni->ni, &md, (uintptr_t)from, short_of(i), NI_NO_ACK_REQ, ni->peers[1],
                            0, i, 0, NULL, i);
        } else {
            CHECK(short_of(i) <= NI_PUT_SHORT);
        }
        CHECK(result == NI_PTL_SENT || result == NI_OK);
    }
}

static void short_puts(struct suite *suite)
{
    struct options *options = start(suite);

    suite_call(suite, 1, post_slots, options);
    suite_call(suite, 0, put_short, options);
    suite_until_events(suite, options->ends[1], NI_EVENT_PUT, COUNTED);
    for (unsigned i = 0; i < COUNTED; i++) {
        const struct ni_event *event = suite_event(options->ends[1], NI_EVENT_PUT, i);

        CHECK((uintptr_t)event->user_ptr == i && event->hdr_data == i && event->match_bits == i);
        CHECK(event->mlength == short_of(i) && event->rlength == short_of(i));
        CHECK(suite_filled(options->to + (size_t)i * SLOT, short_of(i), i + 1));
    }
    suite_rest(suite);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void take_all(struct suite_ni *ni, void *arg)
{
    const struct ni_limits desired = {
        .max_eqs = 2, .max_cts = 1, .max_entries = 5, .max_volatile_size = 100};
    struct ni_limits actual;
    struct ni_eq *eq[2];
    struct ni_ct *ct;

    (void)arg;
    CHECK(ni_portals_open(ni->ni, &desired, &actual) == NI_OK);
    CHECK(actual.max_eqs == 2 && actual.max_cts == 1 && actual.max_volatile_size == 100);
    /* The least that the specification allows. */
    CHECK(actual.max_waw_ordered_size >= 64 && actual.max_war_ordered_size >= 8);
    CHECK(actual.max_list_size == 5 && actual.max_mds == UINT32_MAX);
    CHECK(actual.features == (NI_TARGET_BIND_INACCESSIBLE | NI_COHERENT_ATOMICS));
    for (unsigned round = 0; round < 2; round++) {
        CHECK(ni_eq_alloc(ni->ni, 4, &eq[0]) == NI_OK && ni_eq_alloc(ni->ni, 4, &eq[1]) == NI_OK);
        CHECK(ni_ct_alloc(ni->ni, &ct) == NI_OK);
        CHECK(ni_eq_alloc(ni->ni, 4, &eq[1]) == NI_PTL_NO_SPACE);
        CHECK(ni_ct_alloc(ni->ni, &ct) == NI_PTL_NO_SPACE);
        CHECK(ni_eq_free(ni->ni, eq[0]) == NI_OK && ni_eq_free(ni->ni, eq[1]) == NI_OK);
        CHECK(ni_ct_free(ni->ni, ct) == NI_OK);
    }
}

/* What is desired of sizes is a bound; of more than there is one gets what there is. */
static void bound_atomics(struct suite_ni *ni, void *arg)
{
    const struct ni_limits desired = {.max_atomic_size = 16,
                                      .max_fetch_atomic_size = 8,
                                      .max_waw_ordered_size = UINT64_MAX,
                                      .max_war_ordered_size = 1};
    const struct ni_md md = {.length = SIZE_MAX};
    struct ni_limits actual;
    uint64_t words[3] = {0};
    const uint64_t at = (uintptr_t)words;

    (void)arg;
    CHECK(ni_portals_open(ni->ni, &desired, &actual) == NI_OK);
    CHECK(actual.max_atomic_size == 16 && actual.max_fetch_atomic_size == 8);
    CHECK(actual.max_waw_ordered_size == 64 && actual.max_war_ordered_size == 1);
    for (uint64_t length = 8; length <= sizeof(words); length += 8) {
        CHECK(ni_atomic(ni->ni, &md, at, length, NI_NO_ACK_REQ, NULL, 0, 0, 0, NULL, 0, NI_SUM,
                        NI_UINT64_T) == (length <= 16 ? NI_OK : (int)NI_PTL_ARG_INVALID));
        CHECK(ni_fetch_atomic(ni->ni, &md, at, &md, at, length, NULL, 0, 0, 0, NULL, 0, NI_SUM,
                              NI_UINT64_T) == (length <= 8 ? NI_OK : (int)NI_PTL_ARG_INVALID));
    }
}

static void limits(struct suite *suite)
{
    suite_call(suite, 0, take_all, NULL);
    suite_call(suite, 1, bound_atomics, NULL);
}

static const struct suite_case cases[] = {
    {"volatile", 2, SUITE_NEEDS_NOTHING, volatile_memory},
    {"counted", 2, SUITE_NEEDS_NOTHING, counted},
    {"bytes", 2, SUITE_NEEDS_NOTHING, bytes},
    {"short_puts", 2, SUITE_NEEDS_NOTHING, short_puts},
    {"limits", 2, SUITE_NEEDS_NOTHING, limits},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
