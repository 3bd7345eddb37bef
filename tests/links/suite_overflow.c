/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/overflow.c. */
#include "suite_overflow.h"

/* Overflow lists: messages that come before an entry wants them, of all lengths and from all sides,
 * also while data comes. */

static struct flood *flood_of(struct suite *suite, uint32_t length, bool self, bool vector)
{
    struct flood *flood = flood_new(suite, length, self);

    if (vector) {
        flood_cut(suite, flood);
    }
    return flood;
}

static void slabs(struct suite *suite, uint32_t length, bool self, bool vector)
{
    struct flood *flood = flood_of(suite, length, self, vector);
    unsigned target = self ? 0 : 1;
    uint64_t full;

    flood_open_both(suite, flood);
    suite_call(suite, target, flood_post_slabs, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == (length > SLAB / 4 ? PUTS - 3 * SLABS : 0));
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT], PUTS - flood->refused);
    full = flood_told(flood, NI_EVENT_AUTO_UNLINK);
    CHECK(full == (length > SLAB / 4 ? SLABS : 0));
    CHECK(flood_told(flood, NI_EVENT_AUTO_FREE) == 0);
    for (uint64_t n = 0; n < PUTS - flood->refused; n++) {
        flood_check_spilled(flood, &flood->events[NI_EVENT_PUT][n]);
        CHECK((uintptr_t)flood->events[NI_EVENT_PUT][n].user_ptr >= 100);
    }
}

static void take_slabs(struct suite *suite, uint32_t length, bool self, bool vector)
{
    struct flood *flood = flood_of(suite, length, self, vector);
    unsigned target = self ? 0 : 1;

    flood->options = NI_PT_UNEXPECTED; /* for those that find the slabs full */
    flood->extra = NI_ME_EVENT_COMM_DISABLE;
    flood_open_both(suite, flood);
    suite_call(suite, target, flood_post_slabs, flood);
    suite_call(suite, 0, flood_put_all, flood);
    suite_until_kept(suite, target, PUTS);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], (uint64_t)3 * SLABS);
    suite_call(suite, target, flood_want_all, flood);
    suite_until_count(suite, &flood->count[1][NI_EVENT_PUT_OVERFLOW], PUTS);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], PUTS);
    CHECK(flood->refused == 0 && flood_told(flood, NI_EVENT_PUT) == 0);
    for (uint64_t n = 0; n < PUTS; n++) {
        const struct ni_event *event = &flood->events[NI_EVENT_PUT_OVERFLOW][n];

        CHECK((uintptr_t)event->user_ptr == event->hdr_data);
        if (event->hdr_data < 3 * SLABS) {
            flood_check_spilled(flood, event);
        } else {
            CHECK(event->start == flood_place_of(flood, event->match_bits) + event->remote_offset);
        }
    }
    suite_until_count(suite, &flood->count[1][NI_EVENT_AUTO_FREE], SLABS);
    for (unsigned i = 0; i < SLABS; i++) {
        const struct ni_event *event = &flood->events[NI_EVENT_AUTO_FREE][i];

        CHECK(event->user_ptr == (void *)(uintptr_t)(100 + SLABS - 1 - i));
        CHECK(event->start == flood_slab_start(flood, SLABS - 1 - i) && event->pt_index == 2);
    }
    suite_call(suite, target, flood_nothing_left, NULL);
}

static void filled_short(struct suite *suite)
{
    slabs(suite, 24, false, false);
}

static void filled_none(struct suite *suite)
{
    slabs(suite, 0, false, false);
}

static void filled_eager(struct suite *suite)
{
    slabs(suite, 2000, false, false);
}

static void filled_long(struct suite *suite)
{
    slabs(suite, LONG, false, false);
}

static void filled_self(struct suite *suite)
{
    slabs(suite, LONG, true, false);
}

static void taken_eager(struct suite *suite)
{
    take_slabs(suite, 3000, false, false);
}

static void taken_long(struct suite *suite)
{
    take_slabs(suite, LONG, false, false);
}

static void taken_self(struct suite *suite)
{
    take_slabs(suite, 2000, true, false);
}

static void vector_short(struct suite *suite)
{
    slabs(suite, 24, false, true);
}

static void vector_eager(struct suite *suite)
{
    slabs(suite, 2000, false, true);
}

static void vector_long(struct suite *suite)
{
    slabs(suite, LONG, false, true);
}

static void vector_self(struct suite *suite)
{
    slabs(suite, LONG, true, true);
}

static void vector_taken_eager(struct suite *suite)
{
    take_slabs(suite, 3000, false, true);
}

static void vector_taken_long(struct suite *suite)
{
    take_slabs(suite, LONG, false, true);
}

static void vector_taken_self(struct suite *suite)
{
    take_slabs(suite, 2000, true, true);
}

/* ---- while the data comes -------------------------------------------------------------------- */

static void put_some(struct suite_ni *ni, void *arg)
{
    flood_put_from(ni, arg, 0, 3 * SLABS);
}

/* Entries that come while data is still on its way get it when it is there. */
static void match_meanwhile(struct suite *suite, bool vector)
{
    struct flood *flood = flood_of(suite, LONG, false, vector);

    flood_open_both(suite, flood);
    flood->extra = NI_ME_EVENT_COMM_DISABLE;
    suite_call(suite, 1, flood_post_slabs, flood);
    suite_begin(suite, 0, put_some, flood);
    suite_call(suite, 1, flood_want_all, flood);
    suite_end(suite, 0);
    suite_until_count(suite, &flood->count[0][NI_EVENT_ACK], 3 * SLABS);
    while (flood_told(flood, NI_EVENT_PUT) + flood_told(flood, NI_EVENT_PUT_OVERFLOW) !=
           3 * SLABS) {
        suite_rest(suite);
    }
    for (uint64_t n = 0; n < flood_told(flood, NI_EVENT_PUT_OVERFLOW); n++) {
        flood_check_spilled(flood, &flood->events[NI_EVENT_PUT_OVERFLOW][n]);
    }
    CHECK(flood->refused == 0);
}

static void meanwhile(struct suite *suite)
{
    match_meanwhile(suite, false);
}

static void vector_meanwhile(struct suite *suite)
{
    match_meanwhile(suite, true);
}

static const struct suite_case cases[] = {
    {"filled_short", 2, SUITE_NEEDS_NOTHING, filled_short},
    {"filled_none", 2, SUITE_NEEDS_NOTHING, filled_none},
    {"filled_eager", 2, SUITE_NEEDS_NOTHING, filled_eager},
    {"filled_long", 2, SUITE_NEEDS_NOTHING, filled_long},
    {"filled_self", 1, SUITE_NEEDS_NOTHING, filled_self},
    {"taken_eager", 2, SUITE_NEEDS_NOTHING, taken_eager},
    {"taken_long", 2, SUITE_NEEDS_NOTHING, taken_long},
    {"taken_self", 1, SUITE_NEEDS_NOTHING, taken_self},
    {"meanwhile", 2, SUITE_NEEDS_NOTHING, meanwhile},
    {"vector_short", 2, SUITE_NEEDS_NOTHING, vector_short},
    {"vector_eager", 2, SUITE_NEEDS_NOTHING, vector_eager},
    {"vector_long", 2, SUITE_NEEDS_NOTHING, vector_long},
    {"vector_self", 1, SUITE_NEEDS_NOTHING, vector_self},
    {"vector_taken_eager", 2, SUITE_NEEDS_NOTHING, vector_taken_eager},
    {"vector_taken_long", 2, SUITE_NEEDS_NOTHING, vector_taken_long},
    {"vector_taken_self", 1, SUITE_NEEDS_NOTHING, vector_taken_self},
    {"vector_meanwhile", 2, SUITE_NEEDS_NOTHING, vector_meanwhile},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
