/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_overflow.h"

static void at_initiator(void *arg, const struct ni_event *event)
{
    struct flood *flood = arg;

    CHECK((unsigned)event->type < KINDS);
    if (event->type == NI_EVENT_ACK && event->ni_fail_type != NI_NI_OK) {
        flood->refused++;
        flood->refusal = event->ni_fail_type;
    }
    atomic_fetch_add(&flood->count[0][event->type], 1);
}

static void at_target(void *arg, const struct ni_event *event)
{
    struct flood *flood = arg;
    uint64_t n;

    CHECK((unsigned)event->type < KINDS);
    n = atomic_load(&flood->count[1][event->type]);
    CHECK(n < MOST);
    flood->events[event->type][n] = *event;
    atomic_store(&flood->count[1][event->type], n + 1);
}

uint64_t flood_told(struct flood *flood, enum ni_event_kind kind)
{
    return atomic_load(&flood->count[1][kind]);
}

static void open_target(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    const struct ni_limits limits = {.max_unexpected_headers = flood->headers};
    uint32_t index;

    CHECK(ni_portals_open(ni->ni, &limits, NULL) == NI_OK);
    CHECK(ni_eq_alloc_handler(ni->ni, at_target, flood, &flood->eq[1]) == NI_OK);
    CHECK(ni_pt_alloc(ni->ni, flood->options, flood->eq[1], 2, &index) == NI_OK);
}

static void open_initiator(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    if (!flood->self) {
        CHECK(ni_portals_open(ni->ni, NULL, NULL) == NI_OK);
    }
    CHECK(ni_eq_alloc_handler(ni->ni, at_initiator, flood, &flood->eq[0]) == NI_OK);
}

struct flood *flood_new(struct suite *suite, uint32_t length, bool self)
{
    struct flood *flood = suite_alloc(suite, sizeof(*flood));

    flood->self = self;
    flood->length = length;
    flood->slab_length = length > SLAB / 4 ? 4 * (size_t)length : SLAB;
    flood->from = suite_alloc(suite, PUTS * (size_t)length + 8);
    flood->to = suite_alloc(suite, PUTS * ((size_t)length + 8));
    for (unsigned i = 0; i < SLABS; i++) {
        flood->slab[i] = suite_alloc(suite, flood->slab_length);
    }
    suite_fill(flood->from, PUTS * (size_t)length, 9);
    return flood;
}

void flood_cut(struct suite *suite, struct flood *flood)
{
    flood->vector = true;
    for (unsigned i = 0; i < SLABS; i++) {
        size_t left = flood->slab_length;
        uint8_t *place = suite_alloc(suite, left + SLAB_PIECES);

        flood->slab[i] = place;
        place += left + SLAB_PIECES;
        for (unsigned n = 0; n < SLAB_PIECES; n++) {
            size_t len = n + 1 == SLAB_PIECES ? left : n % 3 == 1 ? 0 : left / (3 + i) + n;

            len = len < left ? len : left;
            place -= len + 1;
            flood->piece[i][n] = (struct ni_iovec){place, len};
            left -= len;
        }
    }
}

void *flood_slab_start(struct flood *flood, unsigned i)
{
    return flood->vector ? (void *)flood->piece[i] : flood->slab[i];
}

static uint8_t *slab_byte(const struct flood *flood, unsigned i, uint64_t offset)
{
    if (!flood->vector) {
        return flood->slab[i] + offset;
    }
    for (unsigned n = 0; n < SLAB_PIECES; offset -= flood->piece[i][n++].iov_len) {
        if (offset < flood->piece[i][n].iov_len) {
            return (uint8_t *)flood->piece[i][n].iov_base + offset;
        }
    }
    return NULL;
}

void flood_open_both(struct suite *suite, struct flood *flood)
{
    suite_call(suite, flood->self ? 0 : 1, open_target, flood);
    suite_call(suite, 0, open_initiator, flood);
}

void flood_post_slab(struct suite_ni *ni, struct flood *flood, unsigned i)
{
    const struct ni_me me = {.start = flood_slab_start(flood, i),
                             .length = flood->vector ? SLAB_PIECES : flood->slab_length,
                             .ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .min_free = flood->length + 1,
                             .options = NI_ME_OP_PUT | NI_ME_MANAGE_LOCAL | flood->extra |
                                        (flood->vector ? NI_ME_IOVEC : 0U)};

    CHECK(ni_me_append(ni->ni, 2, &me, NI_OVERFLOW_LIST, (void *)(uintptr_t)(100 + i),
                       &flood->slab_entry[i]) == NI_OK);
}

void flood_post_slabs(struct suite_ni *ni, void *arg)
{
    for (unsigned i = 0; i < SLABS; i++) {
        flood_post_slab(ni, arg, i);
    }
}

void flood_put_from(struct suite_ni *ni, struct flood *flood, uint64_t first, uint64_t end)
{
    const struct ni_md md = {.length = SIZE_MAX, .eq = flood->eq[0]};

    for (uint64_t i = first; i < end; i++) {
        CHECK(ni_put(ni->ni, &md, (uintptr_t)flood->from + i % PUTS * flood->length, flood->length,
                     NI_ACK_REQ, flood->self ? NULL : ni->peers[1], 2, i, i % 2, NULL, i) == NI_OK);
    }
}

void flood_put_all(struct suite_ni *ni, void *arg)
{
    flood_put_from(ni, arg, 0, PUTS);
}

uint8_t *flood_place_of(const struct flood *flood, uint64_t bits)
{
    return flood->to + bits % PUTS * (flood->length + 8);
}

/* An entry of the priority list, to be used once. */
struct ni_me flood_wanted(struct flood *flood, uint64_t bits, unsigned options)
{
    return (struct ni_me){.start = flood_place_of(flood, bits),
                          .length = flood->length,
                          .match_bits = bits,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | options};
}

void flood_want_all(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;

    /* The other way round, so that the first slab is free last. */
    for (uint64_t i = PUTS; i-- != 0;) {
        const struct ni_me me = flood_wanted(flood, i, NI_ME_EVENT_UNLINK_DISABLE);
        uint64_t before = flood_told(flood, NI_EVENT_PUT_OVERFLOW);
        ni_me_handle handle = 1;

        CHECK(ni_me_append(ni->ni, 2, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)i, &handle) ==
              NI_OK);
        /* One that matched is never linked. */
        CHECK(handle == 0 || flood_told(flood, NI_EVENT_PUT_OVERFLOW) == before);
    }
}

/* The slab in which a message lies, or SLABS. */
static unsigned slab_of(const struct flood *flood, const struct ni_event *event)
{
    unsigned i = event->remote_offset + event->mlength <= flood->slab_length ? 0 : SLABS;

    while (i < SLABS && event->start != slab_byte(flood, i, event->remote_offset)) {
        i++;
    }
    return i;
}

/* That an event's data is that of the put that it names. */
void flood_check_spilled(const struct flood *flood, const struct ni_event *event)
{
    const uint8_t *source = flood->from + event->hdr_data % PUTS * flood->length;

    CHECK(event->ni_fail_type == NI_NI_OK && event->match_bits == event->hdr_data);
    CHECK(event->mlength == flood->length && event->rlength == flood->length);
    if (flood->length != 0) {
        unsigned slab = slab_of(flood, event);

        CHECK(slab < SLABS);
        for (uint64_t i = 0; i < flood->length; i++) {
            CHECK(*slab_byte(flood, slab, event->remote_offset + i) == source[i]);
        }
    }
}

void flood_nothing_left(struct suite_ni *ni, void *arg)
{
    (void)arg;
    CHECK(suite_stat(ni, "match_unexpected") == 0);
    CHECK(ni_pt_free(ni->ni, 2) == NI_OK);
}
