/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_qps.h"

/* What the cases about queue pairs share. */

struct qp_world *qp_world_new(struct suite *suite)
{
    struct qp_world *world = suite_alloc(suite, sizeof(*world));
    size_t size = (size_t)QP_SLICE * QP_SLICES;

    world->suite = suite;
    world->local = suite_alloc(suite, size);
    world->remote = suite_alloc(suite, size);
    world->local_key = suite_region(suite, 0, world->local, size, NI_ACCESS_ALL);
    world->remote_key = suite_region(suite, 1, world->remote, size, NI_ACCESS_ALL);
    return world;
}

static void open_pair(struct suite_ni *ni, void *arg)
{
    struct qp_pair *pair = arg;
    struct ni_rkey secret = pair->world->remote_key;
    const struct ni_rkey *rkeys[] = {&pair->world->remote_key, &secret, &pair->world->remote_key};

    secret.key ^= 1;
    CHECK(ni_qp_create(ni->ni, &pair->attr, &pair->handle) == NI_OK);
    for (uint16_t i = 0; i < NI_ARRAY_LENGTH(rkeys); i++) {
        uint16_t target;

        CHECK(ni_qp_target(ni->ni, pair->handle, ni->peers[1], rkeys[i], &target) == NI_OK);
        CHECK(target == i);
    }
    CHECK(ni_qp_untarget(ni->ni, pair->handle, QP_STALE) == NI_OK);
}

struct qp_pair *qp_pair_new(struct qp_world *world, uint32_t requests, uint32_t completions,
                            uint32_t unroll)
{
    struct suite *suite = world->suite;
    struct qp_pair *pair = suite_alloc(suite, sizeof(*pair));
    struct ni_qp_attr *attr = &pair->attr;

    pair->world = world;
    attr->request_count = requests;
    attr->completion_count = completions;
    attr->unroll = unroll;
    attr->requests = suite_alloc(suite, requests * sizeof(*attr->requests));
    attr->completions = suite_alloc(suite, completions * sizeof(*attr->completions));
    attr->ends = suite_alloc(suite, sizeof(*attr->ends));
    /* What lies there is of no round. */
    memset((void *)attr->requests, 0xff, requests * sizeof(*attr->requests));
    memset((void *)attr->completions, 0xff, completions * sizeof(*attr->completions));
    suite_call(suite, 0, open_pair, pair);
    ni_qp_open(&pair->qp, attr);
    return pair;
}

static void close_pair(struct suite_ni *ni, void *arg)
{
    struct qp_pair *pair = arg;

    CHECK(ni_region_deregister(ni->ni, pair->handle) == NI_OK);
}

void qp_pair_end(struct qp_pair *pair)
{
    suite_call(pair->world->suite, 0, close_pair, pair);
}

/* ---- requests -------------------------------------------------------------------------------- */

struct ni_qp_work qp_copy(struct qp_world *world, enum ni_qp_op op, size_t slice, uint32_t len,
                          uint32_t seed)
{
    uint8_t *local = world->local + slice * QP_SLICE, *remote = world->remote + slice * QP_SLICE;
    bool is_write = op == NI_QP_WRITE;

    CHECK(len <= QP_SLICE * (QP_SLICES - slice));
    suite_fill(is_write ? local : remote, len, seed);
    memset(is_write ? remote : local, 0, len);
    return (struct ni_qp_work){.op = op,
                               .target = QP_MEMORY,
                               .cookie = seed,
                               .len = len,
                               .local = local,
                               .remote = (uintptr_t)remote};
}

bool qp_copied(const struct qp_world *world, const struct ni_qp_work *work, size_t slice)
{
    const uint8_t *memory = work->op == NI_QP_WRITE ? world->remote : world->local;

    return suite_filled(memory + slice * QP_SLICE, work->len, work->cookie);
}

static bool has_room(void *arg)
{
    struct qp_pair *pair = arg;

    return ni_qp_room(&pair->qp, 1) != 0;
}

void qp_await_room(struct qp_pair *pair)
{
    suite_until(pair->world->suite, has_room, pair);
}

void qp_post(struct qp_pair *pair, const struct ni_qp_work *work)
{
    qp_await_room(pair);
    CHECK(ni_qp_post(&pair->qp, work));
}

static bool has_completion(void *arg)
{
    struct qp_pair *pair = arg;

    return ni_qp_poll(&pair->qp, &pair->result);
}

struct ni_qp_result qp_next(struct qp_pair *pair)
{
    suite_until(pair->world->suite, has_completion, pair);
    return pair->result;
}

struct ni_qp_result qp_run(struct qp_pair *pair, const struct ni_qp_work *work)
{
    struct ni_qp_result result;

    qp_post(pair, work);
    result = qp_next(pair);
    CHECK(result.cookie == work->cookie);
    return result;
}

static void read_stat(struct suite_ni *ni, void *arg)
{
    struct qp_pair *pair = arg;

    pair->stat = suite_stat(ni, pair->stat_name);
}

uint64_t qp_stat(struct qp_pair *pair, const char *name)
{
    pair->stat_name = name;
    suite_call(pair->world->suite, 0, read_stat, pair);
    return pair->stat;
}
