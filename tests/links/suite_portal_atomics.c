/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/portals/combine.c ni/portals/combine_float.c. */
#include "portal_model.h"
#include "suite_portals.h"

/*
 * Atomics on match entries: each operation on each type against a model, with what was there
 * before; several initiators, the engine's own atomics and the target itself on the same words; and
 * what is refused.
 */

enum {
    STEPS = 1500,
    TYPES = NI_LONG_DOUBLE_COMPLEX + 1,
    PART = 1104,
    TABLE = TYPES * PART,
    LONGEST = 1024,
    SOME = 72
};

struct step {
    enum ni_ptl_op op;
    enum ni_ptl_datatype type;
    bool fetch, ack;
    uint32_t offset, length, mlength;
    uint8_t data[LONGEST], old[LONGEST], expected[LONGEST], operand[MODEL_LONGEST];
};

struct work {
    struct suite_end *from, *to;
    struct step *steps;
    uint8_t *table, *model;
};

static struct work *start(struct suite *suite, bool self)
{
    struct work *work = suite_alloc(suite, sizeof(*work));

    work->from = suite_end_new(suite, 0);
    work->to = self ? work->from : suite_end_new(suite, 1);
    work->from->self = self;
    work->table = suite_alloc(suite, TABLE);
    work->model = suite_alloc(suite, TABLE);
    return work;
}

static struct ni_me entry_of(struct work *work)
{
    return (struct ni_me){.start = work->table,
                          .length = TABLE,
                          .ignore_bits = UINT64_MAX,
                          .match_id = NI_INITIATOR_ANY,
                          .options = NI_ME_OP_PUT | NI_ME_OP_GET};
}

static void post(struct suite_ni *ni, void *arg)
{
    struct work *work = arg;
    const struct ni_me me = entry_of(work);

    CHECK(ni_me_append(ni->ni, work->to->pt, &me, NI_PRIORITY_LIST, NULL, NULL) == NI_OK);
}

/* ---- against the model ----------------------------------------------------------------------- */

/* Numbers that meet often and are finite: small ones for floats, any bits or small ones for
 * integers. */
static void draw(struct ni_rng *rng, enum ni_ptl_datatype type, uint8_t *to, size_t count)
{
    size_t size = model_size(type);

    for (size_t i = 0; i < count; i++) {
        int64_t small = (int64_t)ni_rng_below(rng, 7) - 3;
        uint64_t any = ni_rng_below(rng, UINT64_MAX);

        if (type == NI_FLOAT || type >= NI_DOUBLE) {
            model_number(type, (double)small / 2, (double)(any % 5) - 2, to + i * size);
        } else {
            memcpy(to + i * size, any % 2 != 0 ? (const void *)&any : (const void *)&small, size);
        }
    }
}

/* Each type has its own part of the table, so that floats meet floats. */
static void choose_place(struct ni_rng *rng, struct step *step)
{
    uint32_t part = PART, size = (uint32_t)model_size(step->type);
    uint32_t most = (ni_rng_below(rng, 10) == 0 ? LONGEST : SOME) / size;
    uint32_t begin = part * step->type;
    uint32_t count = step->op >= NI_CSWAP ? 1 : (uint32_t)ni_rng_below(rng, most + 1);

    step->length = count * size;
    step->offset = begin + size * (uint32_t)ni_rng_below(rng, (part - 8 - step->length) / size + 1);
}

static void choose(struct work *work, struct ni_rng *rng, struct step *step)
{
    size_t size;

    do {
        step->op = (enum ni_ptl_op)ni_rng_below(rng, NI_MSWAP + 1);
        step->type = (enum ni_ptl_datatype)ni_rng_below(rng, TYPES);
    } while (!model_possible(step->op, step->type));
    size = model_size(step->type);
    step->fetch = step->op >= NI_SWAP || ni_rng_below(rng, 2) != 0;
    step->ack = ni_rng_below(rng, 2) != 0;
    choose_place(rng, step);
    step->mlength = step->length;
    draw(rng, step->type, step->data, step->length / size);
    draw(rng, step->type, step->operand, 1);
    memcpy(step->expected, work->model + step->offset, step->length);
    for (uint32_t at = 0; at < step->length; at += (uint32_t)size) {
        model_combine(step->op, step->type, work->model + step->offset + at, step->data + at,
                      step->operand);
    }
}

static void fill(struct work *work, struct ni_rng *rng)
{
    uint32_t part = PART;

    for (unsigned type = 0; type < TYPES; type++) {
        uint32_t begin = part * type;
        size_t size = model_size((enum ni_ptl_datatype)type);

        draw(rng, (enum ni_ptl_datatype)type, work->model + begin, (part - 8) / size);
    }
    memcpy(work->table, work->model, TABLE);
}

static void issue(struct suite_ni *ni, struct work *work, size_t i)
{
    struct step *step = &work->steps[i];
    const struct ni_md *md = &work->from->md;
    struct ni_peer *target = work->from->self ? NULL : ni->peers[1];
    void *user = (void *)(uintptr_t)i;
    int result;

    if (step->op >= NI_SWAP) {
        result =
            ni_swap(ni->ni, md, (uintptr_t)step->old, md, (uintptr_t)step->data, step->length,
                    target, 0, i, step->offset, user, i + 1, step->operand, step->op, step->type);
    } else if (step->fetch) {
        result = ni_fetch_atomic(ni->ni, md, (uintptr_t)step->old, md, (uintptr_t)step->data,
                                 step->length, target, 0, i, step->offset, user, i + 1, step->op,
                                 step->type);
    } else {
        result = ni_atomic(ni->ni, md, (uintptr_t)step->data, step->length,
                           step->ack ? NI_ACK_REQ : NI_NO_ACK_REQ, target, 0, i, step->offset, user,
                           i + 1, step->op, step->type);
    }
    CHECK(result == NI_OK);
}

static void issue_all(struct suite_ni *ni, void *arg)
{
    for (size_t i = 0; i < STEPS; i++) {
        issue(ni, arg, i);
    }
}

static void check_events(struct work *work, enum ni_event_kind kind, uint64_t count)
{
    bool told[STEPS] = {false};

    CHECK(suite_count(work->from, kind) == count);
    for (uint64_t n = 0; n < count; n++) {
        const struct ni_event *event = suite_event(work->from, kind, n);
        size_t i = (size_t)(uintptr_t)event->user_ptr;
        const struct step *step = &work->steps[i];

        CHECK(i < STEPS && !told[i] && event->ni_fail_type == NI_NI_OK);
        CHECK(event->rlength == step->length && event->mlength == step->mlength);
        CHECK(kind == NI_EVENT_SEND || event->remote_offset == step->offset);
        told[i] = true;
    }
}

/* The target's: of those whose answer had to wait for room, later. */
static void check_target(struct work *work, enum ni_event_kind kind, uint64_t count)
{
    bool told[STEPS] = {false};

    CHECK(suite_count(work->to, kind) == count);
    for (uint64_t n = 0; n < count; n++) {
        const struct ni_event *event = suite_event(work->to, kind, n);
        size_t i = event->match_bits;
        const struct step *step = &work->steps[i];

        CHECK(i < STEPS && !told[i] && step->fetch == (kind == NI_EVENT_FETCH_ATOMIC));
        CHECK(event->ni_fail_type == NI_NI_OK && event->hdr_data == i + 1);
        CHECK(event->mlength == step->mlength && event->start == work->table + step->offset);
        told[i] = true;
    }
}

static void run_model(struct suite *suite, bool self)
{
    struct work *work = start(suite, self);
    uint64_t fetches = 0, acks = 0;

    work->steps = suite_alloc(suite, STEPS * sizeof(struct step));
    fill(work, &suite->rng);
    for (size_t i = 0; i < STEPS; i++) {
        choose(work, &suite->rng, &work->steps[i]);
        fetches += work->steps[i].fetch;
        acks += !work->steps[i].fetch && work->steps[i].ack;
    }
    suite_call(suite, work->to->ni->index, post, work);
    suite_call(suite, 0, issue_all, work);
    suite_until_events(suite, work->from, NI_EVENT_REPLY, fetches);
    suite_until_events(suite, work->from, NI_EVENT_ACK, acks);
    suite_until_events(suite, work->to, NI_EVENT_ATOMIC, STEPS - fetches);
    suite_until_events(suite, work->to, NI_EVENT_FETCH_ATOMIC, fetches);
    suite_until_events(suite, work->from, NI_EVENT_SEND, STEPS);
    suite_rest(suite);
    check_events(work, NI_EVENT_REPLY, fetches);
    check_events(work, NI_EVENT_ACK, acks);
    check_events(work, NI_EVENT_SEND, STEPS);
    CHECK(memcmp(work->table, work->model, TABLE) == 0);
    for (size_t i = 0; i < STEPS; i++) {
        const struct step *step = &work->steps[i];

        CHECK(!step->fetch || memcmp(step->old, step->expected, step->length) == 0);
    }
    check_target(work, NI_EVENT_ATOMIC, STEPS - fetches);
    check_target(work, NI_EVENT_FETCH_ATOMIC, fetches);
}

static void model(struct suite *suite)
{
    run_model(suite, false);
}

static void model_self(struct suite *suite)
{
    run_model(suite, true);
}

static const struct suite_case cases[] = {
    {"model", 2, SUITE_NEEDS_NOTHING, model},
    {"model_self", 1, SUITE_NEEDS_NOTHING, model_self},
};

int main(int argc, char **argv)
{
    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), 1);
}
