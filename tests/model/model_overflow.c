/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "base/random.h"
#include "overflow_model.h"

/*
 * Random traces of puts to the own NI, of entries of both lists with all kinds of options, a third
 * of them vectors, of searches and unlinks, against two arrays that are walked from the beginning.
 * What each call does is written down first, as a list of events; then it is made, and must give
 * these events in this order.
 *
 *   model_overflow [SEED [STEPS]]
 */

enum { SEEDS = 6, STEPS = NI_ASAN || NI_TSAN ? 100000 : 2000000 };

/* ---- steps ----------------------------------------------------------------------------------- */

/* What a put is to do: what ni_put returns. */
static int foresee(struct header *header)
{
    struct entry *entry = overflow_oldest(false, header->bits, header->length, header->offset);
    bool unlinks, hidden;

    if (entry != NULL && entry->foreign) {
        return NI_OK; /* refused */
    }
    if (entry != NULL) {
        unlinks = overflow_place(entry, header);
        entry->linked = entry->taken = !unlinks;
        overflow_expect_met(NI_EVENT_PUT, header, entry, entry, unlinks);
        return NI_OK;
    }
    entry = overflow_oldest(true, header->bits, header->length, header->offset);
    if (entry != NULL && entry->foreign) {
        return NI_OK;
    }
    hidden = entry != NULL && (entry->me.options & NI_ME_UNEXPECTED_HDR_DISABLE) != 0;
    if (!hidden && overflow_world.headers == HEADERS) {
        return overflow_world.keeps ? (int)NI_PTL_NO_SPACE : NI_OK;
    }
    if (entry != NULL) {
        unlinks = overflow_place(entry, header);
        entry->linked = !unlinks;
        entry->headers++;
        header->in = entry;
        overflow_expect_met(NI_EVENT_PUT, header, entry, entry, unlinks);
    }
    if (hidden) {
        overflow_release(entry);
    } else if (entry != NULL || overflow_world.keeps) {
        overflow_world.header[overflow_world.headers++] = *header;
    }
    return NI_OK;
}

static void put(struct ni_rng *rng)
{
    static const struct ni_md md = {.length = SIZE_MAX};
    struct header header = {.bits = ni_rng_below(rng, 6),
                            .serial = ++overflow_world.serial,
                            .length = ni_rng_below(rng, LONGEST),
                            .offset = ni_rng_below(rng, 4) == 0 ? ni_rng_below(rng, 200) : 0};
    uint8_t data[LONGEST];
    int result = foresee(&header);

    memset(data, (uint8_t)header.serial, sizeof(data));
    overflow_must(ni_put(overflow_world.ni, &md, (uintptr_t)data, header.length, NI_NO_ACK_REQ,
                         NULL, 0, header.bits, header.offset, NULL, header.serial) == result,
                  "the result of ni_put");
    overflow_all_came();
}

/* An entry that is to be appended or to search with; NULL: all are in use. */
static struct entry *draw(struct ni_rng *rng, bool overflows)
{
    static const unsigned common = NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE |
                                   NI_ME_EVENT_OVER_DISABLE | NI_ME_EVENT_COMM_DISABLE |
                                   NI_ME_EVENT_CT_COMM | NI_ME_EVENT_CT_OVERFLOW |
                                   NI_ME_EVENT_CT_BYTES | NI_ME_EVENT_LINK | NI_ME_MAY_ALIGN |
                                   NI_ME_IS_ACCESSIBLE | NI_ME_EVENT_FLOWCTRL_DISABLE;
    unsigned options = (unsigned)ni_rng_next(rng) & (unsigned)ni_rng_next(rng) & common;
    struct entry *entry = NULL;

    for (unsigned i = 0; i < ENTRIES && entry == NULL; i++) {
        entry = overflow_world.entry[i].taken ? NULL : &overflow_world.entry[i];
    }
    if (entry == NULL) {
        return NULL;
    }
    /* The others take so much that little is left for the overflow list. */
    options |= !overflows && ni_rng_below(rng, 16) != 0 ? NI_ME_USE_ONCE : 0U;
    /* Else messages on the overflow list would lie on each other. */
    if ((overflows && (options & NI_ME_USE_ONCE) == 0) || ni_rng_below(rng, 3) != 0) {
        options |= NI_ME_MANAGE_LOCAL;
        options |= ni_rng_below(rng, 2) == 0 ? NI_ME_LOCAL_INC_UH_RLENGTH : 0U;
    }
    options |= ni_rng_below(rng, 4) == 0 ? NI_ME_NO_TRUNCATE : 0U;
    options |= overflows && ni_rng_below(rng, 8) == 0 ? NI_ME_UNEXPECTED_HDR_DISABLE : 0U;
    entry->me = (struct ni_me){.length = 1 + ni_rng_below(rng, ROOM - 1),
                               .match_bits = ni_rng_below(rng, 6),
                               .ignore_bits = ni_rng_below(rng, 3) == 0 ? ni_rng_below(rng, 8) : 0,
                               .match_id = ni_rng_below(rng, 8) == 0 ? 1 : NI_INITIATOR_ANY,
                               .options = NI_ME_OP_PUT | options,
                               .ct = overflow_world.ct,
                               .uid = geteuid()};
    entry->foreign = ni_rng_below(rng, 32) == 0;
    if (entry->foreign || ni_rng_below(rng, 8) == 0) {
        entry->me.options |= NI_ME_UID;
        entry->me.uid += entry->foreign;
    }
    entry->me.min_free = ni_rng_below(rng, entry->me.length);
    overflow_cut(entry, ni_rng_below(rng, 3) == 0 ? 1 + (unsigned)ni_rng_below(rng, PIECES) : 0,
                 rng);
    entry->used = 0;
    entry->headers = 0;
    entry->overflows = overflows;
    entry->linked = entry->taken = false;
    return entry;
}

/* An entry has a header; whether it unlinks itself with it. */
static bool meet(struct entry *entry, struct header *header)
{
    unsigned counts = NI_ME_MANAGE_LOCAL | NI_ME_LOCAL_INC_UH_RLENGTH;
    struct header met = *header;
    bool unlinks;

    overflow_forget(header);
    if (met.in == NULL) {
        unlinks = overflow_place(entry, &met);
        overflow_expect_met(NI_EVENT_PUT_OVERFLOW, &met, entry, entry, unlinks);
        return unlinks;
    }
    unlinks = (entry->me.options & NI_ME_USE_ONCE) != 0;
    if ((entry->me.options & counts) == counts) {
        uint64_t left = entry->me.length - entry->used;

        entry->used += met.length < left ? met.length : left;
        unlinks = unlinks || entry->me.length - entry->used < entry->me.min_free;
    }
    overflow_expect_met(NI_EVENT_PUT_OVERFLOW, &met, entry, met.in, unlinks);
    overflow_release(met.in);
    return unlinks;
}

static void append(struct ni_rng *rng)
{
    bool overflows = ni_rng_below(rng, 3) == 0;
    struct entry *entry = draw(rng, overflows);
    struct header *header;
    struct ni_me given;
    bool gone = false;

    if (entry == NULL) {
        return;
    }
    while (!overflows && !entry->foreign && !gone &&
           (header = overflow_first_header(entry)) != NULL) {
        gone = meet(entry, header);
    }
    if (!gone && (entry->me.options & NI_ME_EVENT_LINK) != 0) {
        overflow_expect_plain(NI_EVENT_LINK, entry);
    }
    given = overflow_given(entry);
    overflow_must(ni_me_append(overflow_world.ni, 0, &given,
                               overflows ? NI_OVERFLOW_LIST : NI_PRIORITY_LIST, entry,
                               &entry->handle) == NI_OK,
                  "ni_me_append");
    overflow_all_came();
    entry->linked = entry->taken = !gone;
    entry->age = ++overflow_world.ages;
    overflow_must((entry->handle == 0) == gone, "the handle");
}

static void search(struct ni_rng *rng)
{
    struct entry *entry = draw(rng, false);
    bool claims = ni_rng_below(rng, 2) == 0;
    struct header *header;
    struct ni_event event;
    struct ni_me given;

    if (entry == NULL) {
        return;
    }
    header = entry->foreign ? NULL : overflow_first_header(entry);
    event = (struct ni_event){.type = NI_EVENT_SEARCH, .user_ptr = entry};
    if (header == NULL) {
        event.ni_fail_type = NI_NI_NO_MATCH;
        event.rlength = UINT64_MAX;
        overflow_expect(&event, NULL);
    } else if (header->in != NULL && claims) {
        entry->me.options |= NI_ME_EVENT_UNLINK_DISABLE;
        (void)meet(entry, header);
        header = NULL;
    } else {
        event.hdr_data = header->serial;
        event.rlength = header->length;
        event.remote_offset = header->in != NULL ? header->place : header->offset;
        event.mlength = header->in != NULL ? header->moved
                                           : overflow_moved(entry, header->length, header->offset);
        event.start =
            header->in != NULL ? overflow_start(header->in, header->place, header->moved) : NULL;
        overflow_expect(&event, header->in);
    }
    given = overflow_given(entry);
    overflow_must(ni_me_search(overflow_world.ni, 0, &given,
                               claims ? NI_SEARCH_DELETE : NI_SEARCH_ONLY, entry) == NI_OK,
                  "ni_me_search");
    overflow_all_came();
    if (claims && header != NULL) {
        overflow_forget(header);
        overflow_must(ni_unexpected_drop(overflow_world.ni, overflow_world.claimed) == NI_OK,
                      "ni_unexpected_drop");
    }
}

static void unlink_some(struct ni_rng *rng)
{
    struct entry *entry = &overflow_world.entry[ni_rng_below(rng, ENTRIES)];
    int result = NI_OK;

    if (!entry->linked) {
        return;
    }
    result = entry->headers != 0 ? (int)NI_PTL_IN_USE : NI_OK;
    overflow_must(ni_me_unlink(overflow_world.ni, entry->handle) == result, "ni_me_unlink");
    entry->linked = entry->taken = result != NI_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run(uint64_t seed, uint64_t steps)
{
    const struct ni_limits limits = {.max_unexpected_headers = HEADERS};
    struct ni_open_attr attr = {0};
    struct ni_rng rng;
    struct ni_eq *eq;
    uint32_t pt;

    memset(&overflow_world, 0, sizeof(overflow_world));
    overflow_world.seed = seed;
    overflow_world.keeps = seed % 2 == 0;
    ni_rng_seed(&rng, seed);
    overflow_must(ni_fabric_create(NULL, &attr.fabric) == NI_OK &&
                      ni_open(&attr, &overflow_world.ni) == NI_OK &&
                      ni_portals_open(overflow_world.ni, &limits, NULL) == NI_OK &&
                      ni_eq_alloc_handler(overflow_world.ni, overflow_on_event, NULL, &eq) ==
                          NI_OK &&
                      ni_ct_alloc(overflow_world.ni, &overflow_world.ct) == NI_OK &&
                      ni_pt_alloc(overflow_world.ni, overflow_world.keeps ? NI_PT_UNEXPECTED : 0,
                                  eq, 0, &pt) == NI_OK,
                  "open");
    for (overflow_world.step = 0; overflow_world.step < steps; overflow_world.step++) {
        uint64_t what = ni_rng_below(&rng, 20);

        if (what < 11) {
            put(&rng);
        } else if (what < 16) {
            append(&rng);
        } else if (what < 17) {
            search(&rng);
        } else {
            unlink_some(&rng);
        }
    }
    for (unsigned kind = 0; steps >= STEPS && kind <= NI_EVENT_SEARCH; kind++) {
        bool wanted = kind == NI_EVENT_PUT || kind == NI_EVENT_PUT_OVERFLOW ||
                      kind == NI_EVENT_LINK || kind == NI_EVENT_AUTO_UNLINK ||
                      kind == NI_EVENT_AUTO_FREE || kind == NI_EVENT_SEARCH;

        overflow_must((overflow_world.told[kind] != 0) == wanted, "the trace leaves something out");
    }
    ni_close(overflow_world.ni);
    ni_fabric_destroy(attr.fabric);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 0), argc > 2 ? strtoull(argv[2], NULL, 0) : STEPS);
        return 0;
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, STEPS);
        printf("seed %llu: %llu matched on arrival, %llu by an entry, %llu buffers freed\n",
               (unsigned long long)seed, (unsigned long long)overflow_world.told[NI_EVENT_PUT],
               (unsigned long long)overflow_world.told[NI_EVENT_PUT_OVERFLOW],
               (unsigned long long)overflow_world.told[NI_EVENT_AUTO_FREE]);
    }
    printf("%llu operations\n", (unsigned long long)SEEDS * STEPS);
    return 0;
}
