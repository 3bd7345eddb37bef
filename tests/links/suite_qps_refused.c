/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/qp/judge.c. */
#include <apeni/fault.h>

#include "suite_qps.h"

/*
 * Queue pairs when something is wrong: requests that are malformed or name what is not their
 * owner's, wild stores, pairs, memory and peers that go away, and memory that runs out.
 */

enum { WILD = 3000, ALLOCATIONS = 200 };

static void expect(struct qp_pair *pair, const struct ni_qp_work *work, enum ni_qp_reason reason,
                   ni_status status)
{
    struct ni_qp_result result = qp_run(pair, work);

    CHECK(result.reason == reason && result.status == status);
    CHECK(status == NI_OK || result.value == 0);
}

/* A good request with some word's bit changed, as it comes. */
static void expect_bad_bit(struct qp_pair *pair, const struct ni_qp_work *work, unsigned word,
                           unsigned bit)
{
    struct ni_qp *qp = &pair->qp;
    ni_word *words = qp->attr.requests[qp->posted & (qp->attr.request_count - 1)].word;
    struct ni_qp_result result;

    qp_await_room(pair);
    ni_qp_put(qp, qp->posted + qp->attr.request_count, work); /* the other toggle: not seen yet */
    ni_qp_store(&words[word], ni_qp_load(&words[word]) ^ UINT64_C(1) << bit);
    ni_qp_store(&words[0], ni_qp_load(&words[0]) ^ 1);
    qp->posted++;
    result = qp_next(pair);
    CHECK(result.reason == NI_QP_BAD_REQUEST && result.status == NI_ERR_INVALID);
}

/* Each bit that means nothing, for each operation. */
static void malformed(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 0);
    struct ni_qp_work work = qp_copy(world, NI_QP_WRITE, 0, 8, 1);
    struct ni_qp_work nop = {.op = NI_QP_NOP}, noted = work;
    struct ni_qp_work atomic = {.op = NI_QP_ATOMIC, .len = 8, .remote = (uintptr_t)world->remote};

    noted.flags = NI_QP_NOTE;
    for (unsigned bit = 0; bit < 64; bit += 3) {
        for (unsigned word = 3; word < 8; word++) {
            if (word != 5 || bit >= 32) {
                expect_bad_bit(pair, &work, word, bit);
            }
            if (word > 5 || (word == 5 && bit >= 32 && bit < 48)) {
                expect_bad_bit(pair, &noted, word, bit);
            }
        }
        expect_bad_bit(pair, &nop, 1, bit);
        expect_bad_bit(pair, &nop, 2, bit);
        expect_bad_bit(pair, &atomic, 1, bit);
    }
    for (unsigned bit = 10; bit < 16; bit++) {
        expect_bad_bit(pair, bit < 12 ? &nop : &work, 0, bit);
    }
    for (unsigned bit = 4; bit < 8; bit++) {
        expect_bad_bit(pair, &work, 0, bit);
    }
    expect_bad_bit(pair, &nop, 0, 16);
    expect_bad_bit(pair, &nop, 0, 32);
    expect_bad_bit(pair, &atomic, 0, 32);
    expect_bad_bit(pair, &atomic, 5, 37);
    expect(pair, &work, NI_QP_DONE, NI_OK);
    CHECK(strlen(ni_qp_reason_text(NI_QP_BAD_LOCAL)) > 10);
    CHECK(ni_qp_reason_text((enum ni_qp_reason)99) != NULL);
}

static void protected(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 4, 2, 64);
    uint8_t *mine = suite_alloc(suite, 4096);
    struct ni_qp_work work = qp_copy(world, NI_QP_WRITE, 0, 200, 5), it = work;

    it.local = mine;
    expect(pair, &it, NI_QP_BAD_LOCAL, NI_ERR_BOUNDS); /* not registered */
    (void)suite_region(suite, 0, mine, 4096, NI_ACCESS_READ);
    expect(pair, &it, NI_QP_DONE, NI_OK);
    it.op = NI_QP_READ;
    expect(pair, &it, NI_QP_BAD_LOCAL, NI_ERR_BOUNDS); /* to be read only */
    it = work;
    it.local = world->local + (size_t)QP_SLICE * QP_SLICES - 199;
    expect(pair, &it, NI_QP_BAD_LOCAL, NI_ERR_BOUNDS);
    it.len = UINT32_MAX;
    expect(pair, &it, NI_QP_BAD_LOCAL, NI_ERR_BOUNDS);
    it = work;
    it.target = QP_SECRET;
    expect(pair, &it, NI_QP_FAILED, NI_ERR_KEY);
    it.flags = NI_QP_SILENT; /* about success only */
    expect(pair, &it, NI_QP_FAILED, NI_ERR_KEY);
    it = work;
    it.target = QP_STALE;
    expect(pair, &it, NI_QP_BAD_TARGET, NI_ERR_NOTFOUND);
    it.target = 3;
    expect(pair, &it, NI_QP_BAD_TARGET, NI_ERR_NOTFOUND);
    it = work;
    it.remote += (size_t)QP_SLICE * QP_SLICES - 100; /* some units are within, some are not */
    expect(pair, &it, NI_QP_FAILED, NI_ERR_BOUNDS);
    it = work;
    it.flags = NI_QP_NOTE;
    it.operand = (uintptr_t)world->remote + 1;
    expect(pair, &it, NI_QP_FAILED, NI_ERR_ALIGN);
    it.note_target = QP_SECRET;
    expect(pair, &it, NI_QP_FAILED, NI_ERR_KEY);
    it.note_target = QP_STALE;
    expect(pair, &it, NI_QP_BAD_NOTE, NI_ERR_NOTFOUND);
    it = (struct ni_qp_work){
        .op = NI_QP_ATOMIC, .len = 8, .remote = (uintptr_t)world->remote + 4, .cookie = 9};
    expect(pair, &it, NI_QP_FAILED, NI_ERR_ALIGN);
    it = (struct ni_qp_work){.op = NI_QP_READ, .remote = (uintptr_t)world->remote};
    expect(pair, &it, NI_QP_DONE, NI_OK); /* no bytes, no memory */
    expect(pair, &work, NI_QP_DONE, NI_OK);
    CHECK(qp_copied(world, &work, 0));
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void misuse(struct suite_ni *ni, void *arg)
{
    struct qp_pair *pair = arg;
    const struct ni_rkey *rkey = &pair->world->remote_key;
    struct ni_qp_attr bad[10];
    ni_handle handle;
    uint16_t target;

    for (unsigned i = 0; i < NI_ARRAY_LENGTH(bad); i++) {
        bad[i] = pair->attr;
    }
    bad[0].request_count = 3;
    bad[1].request_count = 1;
    bad[2].completion_count = 2 * NI_QP_ENTRIES;
    bad[3].completion_count = 0;
    bad[4].requests = NULL;
    bad[5].completions = (struct ni_qp_completion *)(void *)((uint8_t *)pair->attr.completions + 8);
    bad[6].requests = (struct ni_qp_request *)(void *)((uint8_t *)pair->attr.requests + 32);
    bad[7].ends = NULL;
    bad[8].unroll = 32;
    bad[9].unroll = 96;
    for (unsigned i = 0; i < NI_ARRAY_LENGTH(bad); i++) {
        CHECK(ni_qp_create(ni->ni, &bad[i], &handle) == NI_ERR_INVALID);
    }
    CHECK(ni_qp_create(ni->ni, NULL, &handle) == NI_ERR_INVALID);
    CHECK(ni_qp_target(ni->ni, pair->handle, NULL, rkey, &target) == NI_ERR_INVALID);
    CHECK(ni_qp_target(ni->ni, 77, ni->peers[1], rkey, &target) == NI_ERR_REGION);
    for (uint16_t n = 3; n < 100; n++) {
        CHECK(ni_qp_target(ni->ni, pair->handle, ni->peers[1], rkey, &target) == NI_OK);
        CHECK(target == n);
    }
    CHECK(ni_qp_untarget(ni->ni, pair->handle, 100) == NI_ERR_NOTFOUND);
    CHECK(ni_qp_untarget(ni->ni, pair->handle, QP_STALE) == NI_ERR_NOTFOUND);
    CHECK(ni_qp_untarget(ni->ni, 77, 0) == NI_ERR_REGION);
    CHECK(ni_qp_poke(ni->ni, 77) == NI_ERR_REGION);
    CHECK(ni_qp_poke(ni->ni, pair->handle) == NI_OK);
}

static void from_outside(struct suite_ni *ni, void *arg)
{
    struct qp_pair *pair = arg;
    struct ni_rkey rkey = {.handle = pair->handle, .key = 1};
    struct ni_remote remote = suite_remote(pair->attr.requests, &rkey);
    uint64_t word = 1;

    CHECK(suite_write(ni, 0, &word, sizeof(word), &remote) == NI_ERR_KEY);
    CHECK(suite_read(ni, 0, &word, sizeof(word), &remote) == NI_ERR_KEY);
}

static void arguments(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 0);
    struct ni_qp_work work = qp_copy(world, NI_QP_READ, 0, 50, 3);

    suite_call(suite, 0, misuse, pair);
    suite_call(suite, 1, from_outside, pair);
    work.target = 99;
    expect(pair, &work, NI_QP_DONE, NI_OK);
    work.target = 100;
    expect(pair, &work, NI_QP_BAD_TARGET, NI_ERR_NOTFOUND);
}

/* ---- wild stores ----------------------------------------------------------------------------- */

static void store_wildly(struct suite *suite, struct qp_pair *pair)
{
    struct ni_rng *rng = &suite->rng;
    struct ni_qp_attr *attr = &pair->attr;
    uint64_t value = ni_rng_next(rng);
    struct ni_qp_request *request = &attr->requests[ni_rng_below(rng, attr->request_count)];

    switch (ni_rng_below(rng, 8)) {
    case 0:
        ni_qp_store(&attr->ends->polled, ni_rng_below(rng, 2) ? value : value % 100);
        break;
    case 1:
        ni_qp_store(&attr->ends->taken, value);
        break;
    case 2:
        ni_qp_store(&attr->completions[0].word[value % 2], value);
        break;
    case 3:
        ni_qp_store(&request->word[ni_rng_below(rng, 8)], value);
        break;
    case 4: /* something that may make sense */
        ni_qp_store(&request->word[0], (value & 1) | ni_rng_below(rng, 5) << 1 |
                                           ni_rng_below(rng, 4) << 8 | ni_rng_below(rng, 4) << 16 |
                                           ni_rng_below(rng, 600) << 32);
        break;
    default:
        ni_qp_store(&request->word[1 + ni_rng_below(rng, 7)], 0);
    }
}

/* A program that has gone mad harms its own pair, and what it may write to. */
static void wild_stores(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *mad[2] = {qp_pair_new(world, 4, 4, 64), qp_pair_new(world, 2, 16, 0)};
    struct qp_pair *sane = qp_pair_new(world, 2, 2, 64);

    for (uint32_t n = 0; n < WILD; n++) {
        store_wildly(suite, mad[n % 2]);
        if (n % 250 == 0) {
            struct ni_qp_work work = qp_copy(world, NI_QP_READ, 9, 100, n + 1);

            expect(sane, &work, NI_QP_DONE, NI_OK);
            CHECK(qp_copied(world, &work, 9));
        }
    }
    qp_pair_end(mad[0]);
}

/* ---- going away ------------------------------------------------------------------------------ */

/* The rings are not touched once the pair is gone, whatever of it was under way. */
static void removed(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pairs[5];
    struct ni_qp_completion *seen[5];

    for (uint32_t n = 0; n < 5; n++) {
        pairs[n] = qp_pair_new(world, 16, 16, 64);
        seen[n] = suite_alloc(suite, 16 * sizeof(*seen[n]));
        for (uint32_t i = 0; i < 16; i++) {
            struct ni_qp_work work = qp_copy(world, NI_QP_READ, 16 * n + i, 4000, 1);

            CHECK(ni_qp_post(&pairs[n]->qp, &work));
        }
        for (uint32_t i = 0; i < 3 * n; i++) {
            (void)qp_next(pairs[n]);
        }
        qp_pair_end(pairs[n]);
        memcpy((void *)seen[n], (void *)pairs[n]->attr.completions, 16 * sizeof(*seen[n]));
    }
    suite_rest(suite);
    for (uint32_t n = 0; n < 5; n++) {
        CHECK(memcmp((void *)seen[n], (void *)pairs[n]->attr.completions, 16 * sizeof(*seen[n])) ==
              0);
    }
}

static void deregister_local(struct suite_ni *ni, void *arg)
{
    struct qp_world *world = arg;

    CHECK(ni_region_deregister(ni->ni, world->local_key.handle) == NI_OK);
}

/* Local memory goes: what begins afterwards is refused. */
static void memory_goes(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 64);
    struct ni_qp_work work = qp_copy(world, NI_QP_READ, 0, 1000, 4);

    expect(pair, &work, NI_QP_DONE, NI_OK);
    suite_call(suite, 0, deregister_local, world);
    expect(pair, &work, NI_QP_BAD_LOCAL, NI_ERR_BOUNDS);
}

static void dead_peer(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 4, 4, 64);
    struct ni_qp_result result = {.status = NI_OK};

    suite_kill(suite, 1);
    while (result.status == NI_OK) {
        struct ni_qp_work work = {.op = NI_QP_READ,
                                  .cookie = 3,
                                  .len = 3000,
                                  .local = world->local,
                                  .remote = (uintptr_t)world->remote};

        result = qp_run(pair, &work);
    }
    CHECK(result.status == NI_ERR_PEER_DEAD && result.reason == NI_QP_FAILED);
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* One life with the nth allocation failing; returns whether any was left to fail. */
static bool live(struct qp_world *world, struct qp_pair *pair, uint64_t nth)
{
    struct suite_ni *ni = &world->suite->nis[0];
    struct ni_qp_work work = qp_copy(world, NI_QP_WRITE, 0, 500, 3);
    uint16_t target;
    bool struck;

    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    if (ni_qp_create(ni->ni, &pair->attr, &pair->handle) == NI_OK) {
        ni_qp_open(&pair->qp, &pair->attr);
        if (ni_qp_target(ni->ni, pair->handle, ni->peers[1], &world->remote_key, &target) ==
            NI_OK) {
            struct ni_qp_result result = qp_run(pair, &work);

            CHECK(result.status == NI_OK || result.status == NI_ERR_NOMEM);
        }
        CHECK(ni_region_deregister(ni->ni, pair->handle) == NI_OK);
    }
    struck = ni_fault_struck(NI_FAULT_ALLOC) != 0;
    ni_fault_reset();
    return struck;
}

static void no_memory(struct suite *suite)
{
    struct qp_world *world = qp_world_new(suite);
    struct qp_pair *pair = qp_pair_new(world, 2, 2, 64);
    uint64_t nth = 1;

    qp_pair_end(pair);
    while (live(world, pair, nth)) {
        CHECK(++nth < ALLOCATIONS);
    }
    CHECK(nth > 2);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"malformed", 2, 0, malformed},
        {"protected", 2, 0, protected},
        {"arguments", 2, 0, arguments},
        {"wild_stores", 2, 0, wild_stores},
        {"removed", 2, 0, removed},
        {"memory_goes", 2, 0, memory_goes},
        {"dead_peer", 2, SUITE_NEEDS_KILL, dead_peer},
        {"no_memory", 2, SUITE_NEEDS_HERE, no_memory},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
