/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "suite_multi.h"

/*
 * Multi-reader queues against a naive reference, step by step; and all NIs writing and reading at
 * the same time: each item comes once, to one reader, and those of one writer come to it in their
 * order.
 */

enum { CAPACITY = 4, STEPS = 120 };

/* ---- the reference --------------------------------------------------------------------------- */

/* Two lists, of which one is always empty. */
struct model {
    uint64_t items[CAPACITY];
    unsigned item_count;
    struct multi_step *requests[CAPACITY];
    unsigned reader[CAPACITY];
    unsigned request_count;
};

static uint64_t take_item(struct model *model)
{
    uint64_t seed = model->items[0];

    model->item_count--;
    memmove(model->items, model->items + 1, model->item_count * sizeof(model->items[0]));
    return seed;
}

static struct multi_step *take_request(struct model *model, unsigned at)
{
    struct multi_step *step = model->requests[at];

    model->request_count--;
    for (unsigned i = at; i < model->request_count; i++) {
        model->requests[i] = model->requests[i + 1];
        model->reader[i] = model->reader[i + 1];
    }
    return step;
}

static void step_enqueue(struct multi_queue *queue, struct model *model, unsigned ni, uint64_t seed)
{
    ni_status status = multi_enqueue(queue, ni, seed);

    if (model->request_count != 0) {
        CHECK(status == NI_OK);
        multi_check_item(take_request(model, 0), seed);
    } else if (model->item_count < CAPACITY) {
        CHECK(status == NI_OK);
        model->items[model->item_count++] = seed;
    } else {
        CHECK(status == NI_AGAIN);
    }
}

static void step_ask(struct multi_queue *queue, struct model *model, unsigned ni)
{
    struct multi_step *step = multi_ask(queue, ni);

    if (model->item_count != 0) {
        multi_check_item(step, take_item(model));
    } else if (model->request_count == CAPACITY) {
        /* Our own are refused by the call. */
        CHECK(ni == MULTI_OWNER ? step->status == NI_AGAIN : step->status == NI_OK);
        if (ni != MULTI_OWNER) {
            multi_check_status(step, NI_AGAIN);
        }
    } else {
        CHECK(step->status == NI_OK && !multi_is_over(step));
        model->requests[model->request_count] = step;
        model->reader[model->request_count++] = ni;
    }
}

static void step_cancel(struct model *model, struct ni_rng *rng)
{
    if (model->request_count != 0) {
        unsigned at = (unsigned)ni_rng_below(rng, model->request_count);
        unsigned reader = model->reader[at];
        struct multi_step *step = take_request(model, at);

        multi_cancel(step, reader);
        multi_check_status(step, NI_ERR_CANCELED);
    }
}

static void like_the_reference(struct suite *suite)
{
    struct multi_queue *queue =
        multi_new(suite, (size_t)4 << ni_rng_below(&suite->rng, 5), CAPACITY, 0);
    struct model model = {.item_count = 0};

    for (uint64_t i = 0; i < STEPS; i++) {
        unsigned ni = (unsigned)ni_rng_below(&suite->rng, suite->n);
        /* Phases with more items, and with more requests. */
        uint64_t what = ni_rng_below(&suite->rng, 16) + (i / 25 % 2 == 0 ? 0 : 3);

        if (what < 8) {
            step_enqueue(queue, &model, ni, i);
        } else if (what < 17) {
            step_ask(queue, &model, ni);
        } else {
            step_cancel(&model, &suite->rng);
        }
        CHECK(multi_stat(queue, "queue_requests") == model.request_count);
    }
    while (model.item_count != 0) {
        multi_check_item(multi_ask(queue, 0), take_item(&model));
    }
    while (model.request_count != 0) {
        step_cancel(&model, &suite->rng);
    }
}

/* ---- all at once ----------------------------------------------------------------------------- */

enum { MANY = 80, WINDOW = 3 };

struct item {
    uint32_t writer, number;
};

/* One NI: a writer of MANY items and a reader with up to WINDOW requests out. */
struct party {
    struct storm *storm;
    struct ni_rng rng;
    uint32_t sent, acked; /* of ours */
    _Atomic uint32_t verdict;
    struct item out;
    bool writing; /* an item with an ack is out */
    struct request {
        struct party *party;
        struct item item;
        uint64_t name;
        bool out;
    } requests[WINDOW];
    unsigned outs, canceling;
    uint32_t next[SUITE_NIS]; /* at least this number must come from each writer */
};

struct storm {
    struct multi_queue *queue;
    struct party parties[SUITE_NIS];
    _Atomic uint32_t came[SUITE_NIS][MANY];
    _Atomic uint64_t total, outs;
    _Atomic bool over; /* no more requests */
};

static void on_item(void *arg, ni_status status, uint64_t value)
{
    struct request *request = arg;
    struct party *party = request->party;
    struct item item = request->item;

    request->out = false;
    party->outs--;
    atomic_fetch_sub(&party->storm->outs, 1);
    if (status == NI_ERR_CANCELED || status == NI_AGAIN) {
        return;
    }
    CHECK(status == NI_OK && value == sizeof(item));
    CHECK(item.writer < SUITE_NIS && item.number < MANY);
    CHECK(item.number >= party->next[item.writer]);
    party->next[item.writer] = item.number + 1;
    CHECK(atomic_exchange(&party->storm->came[item.writer][item.number], 1) == 0);
    atomic_fetch_add(&party->storm->total, 1);
}

static void ask_some(struct suite_ni *ni, struct party *party)
{
    struct ni_peer *peer = ni->index == MULTI_OWNER ? NULL : ni->peers[MULTI_OWNER];

    for (unsigned i = 0; i < WINDOW; i++) {
        struct request *request = &party->requests[i];
        struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_item, .arg = request};
        ni_status status;

        if (request->out || atomic_load(&party->storm->over)) {
            continue;
        }
        request->party = party;
        request->out = true;
        party->outs++;
        atomic_fetch_add(&party->storm->outs, 1);
        status = ni_dequeue(ni->ni, peer, &party->storm->queue->rkey, &request->item,
                            sizeof(request->item), &ack, &request->name);
        if (status != NI_OK) {
            CHECK(status == NI_AGAIN && peer == NULL);
            on_item(request, NI_AGAIN, 0);
        }
    }
}

/* At times, or at the end, take one back. */
static void cancel_some(struct suite_ni *ni, struct party *party)
{
    const struct request *request = &party->requests[ni_rng_below(&party->rng, WINDOW)];

    if (request->out && (atomic_load(&party->storm->over) || ni_rng_below(&party->rng, 8) == 0)) {
        CHECK(ni_dequeue_cancel(ni->ni, ni->index == MULTI_OWNER ? NULL : ni->peers[MULTI_OWNER],
                                &party->storm->queue->rkey, request->name) == NI_OK);
    }
}

static void on_sent(void *arg, ni_status status, uint64_t value)
{
    struct party *party = arg;

    (void)value;
    CHECK(status == NI_OK || status == NI_AGAIN);
    party->sent += status == NI_OK;
    party->writing = false;
}

/* Items go with an ack, one after the other, so that a refused one keeps its place. (A message to a
 * full queue would hold up the requests behind it.) */
static void write_one(struct suite_ni *ni, struct party *party)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_sent, .arg = party};
    ni_status status;

    if (party->writing || party->sent == MANY) {
        return;
    }
    party->out = (struct item){.writer = ni->index, .number = party->sent};
    if (ni->index == MULTI_OWNER) {
        status = ni_queue_push(ni->ni, party->storm->queue->rkey.handle, &party->out,
                               sizeof(party->out));
        on_sent(party, status, 0);
        return;
    }
    party->writing = true;
    status = ni_enqueue(ni->ni, ni->peers[MULTI_OWNER], &party->storm->queue->rkey, &party->out,
                        sizeof(party->out), &ack);
    CHECK(status == NI_OK || status == NI_AGAIN);
    if (status == NI_AGAIN) {
        party->writing = false;
    }
}

static void take_part(struct suite_ni *ni, void *arg)
{
    struct storm *storm = arg;
    struct party *party = &storm->parties[ni->index];

    for (int i = 0; i < 20; i++) {
        write_one(ni, party);
        ask_some(ni, party);
        suite_turn(ni);
        cancel_some(ni, party);
    }
}

static void all_take_part(struct suite *suite, struct storm *storm)
{
    for (unsigned i = 0; i < suite->n; i++) {
        suite_begin(suite, i, take_part, storm);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_end(suite, i);
    }
}

static void all_at_once(struct suite *suite)
{
    struct storm *storm = suite_alloc(suite, sizeof(*storm));

    storm->queue = multi_new(suite, sizeof(struct item), CAPACITY, 0);
    for (unsigned i = 0; i < suite->n; i++) {
        storm->parties[i].storm = storm;
        ni_rng_seed(&storm->parties[i].rng, suite->seed + i);
    }
    while (atomic_load(&storm->total) < (uint64_t)MANY * suite->n) {
        all_take_part(suite, storm);
    }
    atomic_store(&storm->over, true);
    while (atomic_load(&storm->outs) != 0) {
        all_take_part(suite, storm);
    }
    CHECK(atomic_load(&storm->total) == (uint64_t)MANY * suite->n);
    CHECK(multi_stat(storm->queue, "queue_requests") == 0);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"like_the_reference", 3, 0, like_the_reference},
        {"all_at_once", 4, 0, all_at_once},
    };

    return suite_main_seeds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), 2);
}
