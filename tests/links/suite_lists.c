/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/append.c ni/portals/table.c. */
#include "suite_portals.h"

/* List entries, and what options of a portal table entry say about what may be appended. */

enum { PUTS = 20, LENGTH = 3000, LISTS = 4 };

struct lists {
    struct suite_end *ends[2];
    uint8_t *from, *to;
    uint32_t pt;
    ni_me_handle entry;
};

static struct ni_le list_entry(struct lists *lists, unsigned options)
{
    return (struct ni_le){.start = lists->to, .length = LENGTH, .options = NI_LE_OP_PUT | options};
}

static struct ni_me match_entry(struct lists *lists, unsigned options)
{
    return (struct ni_me){.start = lists->to,
                          .length = LENGTH,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | options};
}

static struct lists *new_lists(struct suite *suite, unsigned ends)
{
    struct lists *lists = suite_alloc(suite, sizeof(*lists));

    for (unsigned i = 0; i < ends; i++) {
        lists->ends[i] = suite_end_new(suite, i);
    }
    lists->from = suite_alloc(suite, PUTS * LENGTH);
    lists->to = suite_alloc(suite, PUTS * LENGTH);
    lists->pt = LISTS;
    suite_fill(lists->from, PUTS * LENGTH, 2);
    return lists;
}

static void put_all(struct suite_ni *ni, void *arg)
{
    struct lists *lists = arg;

    lists->ends[0]->pt = LISTS;
    for (unsigned i = 0; i < PUTS; i++) {
        suite_put(ni, lists->ends[0], 1, lists->from + (size_t)i * LENGTH, LENGTH, i * 77U, i,
                  true);
    }
}

/* ---- list entries ---------------------------------------------------------------------------- */

static void post_lists(struct suite_ni *ni, void *arg)
{
    struct lists *lists = arg;
    struct ni_le le = list_entry(lists, NI_LE_USE_ONCE | NI_LE_EVENT_LINK);
    struct ni_me me = match_entry(lists, 0);
    uint32_t pt;

    CHECK(ni_pt_alloc(ni->ni, NI_PT_NO_MATCHING, lists->ends[1]->eq, LISTS, &pt) == NI_OK);
    CHECK(ni_me_append(ni->ni, LISTS, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_le_append(ni->ni, 0, &le, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    CHECK(ni_le_append(ni->ni, 77, &le, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    le.options |= NI_ME_MANAGE_LOCAL;
    CHECK(ni_le_append(ni->ni, LISTS, &le, NI_PRIORITY_LIST, NULL, NULL) == NI_PTL_ARG_INVALID);
    le.options &= ~(unsigned)NI_ME_MANAGE_LOCAL;
    for (uintptr_t i = 0; i < PUTS / 2; i++) {
        le.start = lists->to + i * LENGTH;
        CHECK(ni_le_append(ni->ni, LISTS, &le, NI_PRIORITY_LIST, (void *)i, &lists->entry) ==
              NI_OK);
    }
    CHECK(suite_count(lists->ends[1], NI_EVENT_LINK) == PUTS / 2);
    CHECK(ni_le_unlink(ni->ni, lists->entry) == NI_OK);
    CHECK(ni_le_unlink(ni->ni, lists->entry) == NI_PTL_ARG_INVALID);
    CHECK(ni_le_append(ni->ni, LISTS, &le, NI_PRIORITY_LIST, (void *)(PUTS / 2 - 1), NULL) ==
          NI_OK);
    le.start = lists->to + (size_t)PUTS * LENGTH - LENGTH;
    le.options = NI_LE_OP_PUT | NI_LE_EVENT_COMM_DISABLE;
    CHECK(ni_le_append(ni->ni, LISTS, &le, NI_OVERFLOW_LIST, (void *)99, &lists->entry) == NI_OK);
}

static void search_lists(struct suite_ni *ni, void *arg)
{
    struct lists *lists = arg;
    struct suite_end *end = lists->ends[1];
    struct ni_le le = list_entry(lists, NI_LE_USE_ONCE);

    CHECK(ni_le_search(ni->ni, LISTS, &le, NI_SEARCH_ONLY, (void *)5) == NI_OK);
    CHECK(suite_event(end, NI_EVENT_SEARCH, 0)->hdr_data == PUTS / 2);
    CHECK(ni_le_search(ni->ni, LISTS, &le, NI_SEARCH_DELETE, (void *)6) == NI_OK);
    CHECK(suite_event(end, NI_EVENT_PUT_OVERFLOW, 0)->hdr_data == PUTS / 2);
    le.options = NI_LE_OP_PUT;
    CHECK(ni_le_unlink(ni->ni, lists->entry) == NI_PTL_IN_USE);
    CHECK(ni_le_append(ni->ni, LISTS, &le, NI_PRIORITY_LIST, (void *)7, NULL) == NI_OK);
    CHECK(suite_count(end, NI_EVENT_PUT_OVERFLOW) == PUTS / 2);
    CHECK(ni_le_unlink(ni->ni, lists->entry) == NI_OK);
}

/* Entries take what comes in the order of both, whatever the bits; the rest overflows. */
static void list_entries(struct suite *suite)
{
    struct lists *lists = new_lists(suite, 2);

    suite_call(suite, 1, post_lists, lists);
    suite_call(suite, 0, put_all, lists);
    suite_until_events(suite, lists->ends[0], NI_EVENT_ACK, PUTS);
    suite_until_events(suite, lists->ends[1], NI_EVENT_PUT, PUTS / 2);
    CHECK(memcmp(lists->from, lists->to, PUTS / 2 * LENGTH) == 0);
    for (unsigned n = 0; n < PUTS / 2; n++) {
        const struct ni_event *event = suite_event(lists->ends[1], NI_EVENT_PUT, n);

        CHECK(event->hdr_data == n && event->user_ptr == (void *)(uintptr_t)n);
        CHECK(event->match_bits == n * 77U && event->pt_index == LISTS);
    }
    suite_call(suite, 1, search_lists, lists);
    for (unsigned n = 0; n < PUTS / 2; n++) {
        const struct ni_event *event = suite_event(lists->ends[1], NI_EVENT_PUT_OVERFLOW, n);

        CHECK(event->hdr_data == PUTS / 2 + n);
        CHECK(event->user_ptr == (void *)(uintptr_t)(n == 0 ? 6 : 7));
    }
}

/* ---- options of the portal table entry ------------------------------------------------------- */

static void append_all(struct suite_ni *ni, void *arg)
{
    struct lists *lists = arg;
    static const struct {
        unsigned pt, me;
        enum ni_list_kind list;
        bool accepted;
    } cases[] = {
        {NI_PT_ONLY_USE_ONCE, NI_ME_USE_ONCE, NI_PRIORITY_LIST, true},
        {NI_PT_ONLY_USE_ONCE, 0, NI_PRIORITY_LIST, false},
        {NI_PT_ONLY_USE_ONCE, 0, NI_OVERFLOW_LIST, true},
        {NI_PT_ONLY_TRUNCATE, NI_ME_NO_TRUNCATE, NI_PRIORITY_LIST, false},
        {NI_PT_ONLY_TRUNCATE, NI_ME_NO_TRUNCATE, NI_OVERFLOW_LIST, false},
        {NI_PT_ONLY_TRUNCATE, 0, NI_PRIORITY_LIST, true},
        {NI_PT_MATCH_UNORDERED, NI_ME_NO_TRUNCATE, NI_PRIORITY_LIST, true},
        {0, NI_ME_MAY_ALIGN | NI_ME_IS_ACCESSIBLE, NI_PRIORITY_LIST, true},
        {0, NI_ME_MANAGE_LOCAL, (enum ni_list_kind)2, false},
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ni_me me = match_entry(lists, cases[i].me);
        ni_me_handle handle;
        uint32_t pt;

        CHECK(ni_pt_alloc(ni->ni, cases[i].pt, lists->ends[0]->eq, LISTS, &pt) == NI_OK);
        CHECK(ni_me_append(ni->ni, pt, &me, cases[i].list, NULL, &handle) ==
              (cases[i].accepted ? NI_OK : (int)NI_PTL_ARG_INVALID));
        CHECK(!cases[i].accepted || ni_me_unlink(ni->ni, handle) == NI_OK);
        CHECK(ni_pt_free(ni->ni, pt) == NI_OK);
        CHECK(ni_me_append(ni->ni, pt, &me, cases[i].list, NULL, &handle) == NI_PTL_ARG_INVALID);
    }
}

static void restrictions(struct suite *suite)
{
    suite_call(suite, 0, append_all, new_lists(suite, 1));
}

static const struct suite_case cases[] = {
    {"list_entries", 2, SUITE_NEEDS_NOTHING, list_entries},
    {"restrictions", 1, SUITE_NEEDS_NOTHING, restrictions},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
