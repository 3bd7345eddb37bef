/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include "engine/bulk/pull_request.h"
#include "engine/bulk/states.h"
#include "engine/core/op.h"

/*
 * The states of long transfers: what their table of transitions is to say, each transition made by
 * an operation, with the lists that it is in, and the states that transfers really pass.
 * Covers: ni/engine/bulk/states.c ni/engine/core/bulk.h
 */

enum { LEN = 256 * 1024, TURNS = 1000 };

/* The next state of each, by event, in the order of the enums. '-': it does not happen. */
static const char *const letters = ".ARWCDPNLE";
static const char *const expected[NI_BULK_STATES] = {
    [NI_BULK_NEVER] = "---------",     [NI_BULK_ACCEPTED] = "R--C-PN-E",
    [NI_BULK_REQUESTED] = "-WA-----E", [NI_BULK_ANSWERED] = "--A-----E",
    [NI_BULK_COPYING] = "----D---E",   [NI_BULK_CLOSED] = "---C-PNLE",
    [NI_BULK_PACKETS] = "--------E",   [NI_BULK_NOTING] = "--------E",
    [NI_BULK_LOST] = "--------E",      [NI_BULK_ENDED] = "---------",
};

static enum ni_bulk_state expected_next(unsigned state, unsigned event)
{
    char letter = expected[state][event];

    return letter == '-' ? NI_BULK_NEVER : (enum ni_bulk_state)(strchr(letters, letter) - letters);
}

static void table(void **test)
{
    (void)test;
    for (unsigned state = 0; state < NI_BULK_STATES; state++) {
        assert_int_equal(strlen(expected[state]), NI_BULK_EVENTS);
        for (unsigned event = 0; event < NI_BULK_EVENTS; event++) {
            assert_int_equal(ni_bulk_next(state, event), expected_next(state, event));
        }
    }
}

/* The shortest way to each state. */
struct way {
    bool known;
    unsigned length;
    enum ni_bulk_event events[NI_BULK_STATES];
};

static void find_ways(struct way ways[NI_BULK_STATES])
{
    bool more = true;

    ways[NI_BULK_ACCEPTED].known = true;
    while (more) {
        more = false;
        for (unsigned state = 0; state < NI_BULK_STATES; state++) {
            for (unsigned event = 0; ways[state].known && event < NI_BULK_EVENTS; event++) {
                enum ni_bulk_state next = ni_bulk_next(state, event);

                if (next != NI_BULK_NEVER && !ways[next].known) {
                    ways[next] = ways[state];
                    ways[next].events[ways[next].length++] = event;
                    more = true;
                }
            }
        }
    }
}

static uint32_t listed(enum ni_bulk_state state, enum ni_bulk_state first,
                       enum ni_bulk_state second)
{
    return state == first || state == second;
}

static void check_lists(const struct pair *pair, const struct ni_op *op)
{
    enum ni_bulk_state state = op->bulk->state;
    uint32_t requested = listed(state, NI_BULK_REQUESTED, NI_BULK_ANSWERED);

    assert_int_equal(ni_work_count(&pair->a->bulk.requests), requested);
    assert_int_equal(pair->ab->bulk.requests, requested);
    assert_int_equal(ni_work_count(&pair->a->bulk.copying),
                     listed(state, NI_BULK_COPYING, NI_BULK_CLOSED));
}

static void go(const struct pair *pair, struct ni_op *op, enum ni_bulk_event event)
{
    enum ni_bulk_state next = ni_bulk_next(op->bulk->state, event);

    ni_bulk_go(op, event);
    assert_int_equal(op->bulk->state, next);
    if (event == NI_BULK_REQUEST || event == NI_BULK_COPY) {
        ni_bulk_list(op);
    }
    check_lists(pair, op);
}

/* Each transition of the table, made by an operation that then ends, once. */
static void walk(void **test)
{
    static const struct ni_remote nowhere;
    struct way ways[NI_BULK_STATES] = {{0}};
    unsigned transitions = 0, ends = 0;
    struct pair pair;

    (void)test;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_CALL});
    find_ways(ways);
    for (unsigned state = NI_BULK_ACCEPTED; state < NI_BULK_STATES; state++) {
        assert_true(ways[state].known);
        for (unsigned event = 0; event < NI_BULK_EVENTS; event++) {
            struct pair_done done = {0};
            struct ni_ack ack = pair_ack(&done);
            struct ni_op *op;

            if (ni_bulk_next(state, event) == NI_BULK_NEVER) {
                continue;
            }
            op = ni_op_new_transfer(pair.ab, NI_OP_READ, &ack, NULL, 0, &nowhere);
            assert_non_null(op);
            for (unsigned i = 0; i < ways[state].length; i++) {
                go(&pair, op, ways[state].events[i]);
            }
            go(&pair, op, event);
            ni_op_complete(op, NI_OK, 7);
            assert_int_equal(done.count, 1);
            assert_int_equal(done.value, 7);
            assert_int_equal(ni_work_count(&pair.a->bulk.requests), 0);
            assert_int_equal(ni_work_count(&pair.a->bulk.copying), 0);
            transitions++;
            ends += ni_bulk_next(state, event) == NI_BULK_ENDED;
        }
    }
    assert_int_equal(transitions, 20);
    assert_int_equal(ends, NI_BULK_ENDED - NI_BULK_ACCEPTED); /* from each but the last */
    assert_int_equal(pair.a->core.op_pool.out, 0);
    assert_int_equal(pair.a->bulk.pool.out, 0);
    pair_close(&pair);
}

/* ---- real ones ------------------------------------------------------------------------------- */

static uint8_t at_a[LEN], at_b[LEN];

static enum ni_bulk_state state_now(const struct pair *pair)
{
    return ni_list_empty(&pair->ab->ops)
               ? NI_BULK_ENDED
               : ni_container_of(pair->ab->ops.next, struct ni_op, list)->bulk->state;
}

static void open_world(struct pair *pair, enum ni_fabric_copy copy, struct ni_rkey *key)
{
    pair_set("patience_us", "1000000");
    pair_set("pull_trial", "0");
    pair_open(pair, &(struct pair_attr){.copy = copy});
    memset(at_a, 0xaa, LEN); /* reads into fresh memory are not asked for */
    assert_int_equal(ni_region_memory(pair->b, at_b, LEN, NI_ACCESS_ALL, key), NI_OK);
    assert_int_equal(ni_message(pair->a, pair->ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
    assert_int_equal(ni_message(pair->b, pair->ba, 1, 0, NULL, 0, NULL, 0), NI_OK);
    pair_settle(pair);
}

static void finish(struct pair *pair, const struct pair_done *done)
{
    for (unsigned turns = 0; done->count == 0 && turns < TURNS; turns++) {
        (void)ni_progress(pair->b);
        (void)ni_progress(pair->a);
    }
    assert_int_equal(done->count, 1);
    assert_int_equal(done->status, NI_OK);
    assert_int_equal(done->value, LEN);
    assert_int_equal(state_now(pair), NI_BULK_ENDED);
    assert_int_equal(pair->a->bulk.pool.out, 0);
    pair_close(pair);
}

static void begin(struct pair *pair, bool is_read, const struct ni_rkey *key,
                  struct pair_done *done)
{
    struct ni_remote remote = pair_remote(at_b, key);
    struct ni_ack ack = pair_ack(done);

    assert_int_equal(is_read ? ni_read(pair->a, pair->ab, at_a, LEN, &remote, &ack)
                             : ni_write(pair->a, pair->ab, at_a, LEN, &remote, &ack),
                     NI_OK);
}

/* It is asked of the target, which answers. */
static void is_answered(void **test)
{
    struct pair_done done = {0};
    struct ni_rkey key;
    struct pair pair;

    (void)test;
    open_world(&pair, NI_FABRIC_BY_CALL, &key);
    begin(&pair, true, &key, &done);
    assert_int_equal(state_now(&pair), NI_BULK_REQUESTED);
    finish(&pair, &done);
}

/* The target has claimed it, but nothing has come for longer than we are patient. */
static void is_claimed(void **test)
{
    struct pair_done done = {0};
    struct ni_rkey key;
    struct pair pair;

    (void)test;
    open_world(&pair, NI_FABRIC_BY_CALL, &key);
    begin(&pair, true, &key, &done);
    (void)ni_progress(pair.b);
    ni_container_of(pair.ab->ops.next, struct ni_op, list)->bulk->requested_ns = 0;
    pair.ab->bulk.heard_ns = 0;
    pair.ab->bulk.heard_seq = pair.ab->lane->seq;
    (void)ni_pull_request_progress(pair.a);
    assert_int_equal(state_now(&pair), NI_BULK_ANSWERED);
    finish(&pair, &done);
}

/* The target is not asked, or not in the library: the kernel copies. */
static void is_copied(void **test)
{
    struct pair_done done = {0};
    struct ni_rkey key;
    struct pair pair;

    (void)test;
    open_world(&pair, NI_FABRIC_BY_CALL, &key);
    begin(&pair, true, &key, &done);
    ni_container_of(pair.ab->ops.next, struct ni_op, list)->bulk->requested_ns = 0;
    pair.ab->bulk.heard_ns = 0;
    pair.ab->bulk.heard_seq = pair.ab->lane->seq;
    (void)ni_pull_request_progress(pair.a);
    assert_int_equal(state_now(&pair), NI_BULK_COPYING);
    finish(&pair, &done);
}

/* Nobody copies: it goes as packets. */
static void is_sent(void **test)
{
    struct pair_done done = {0};
    struct ni_rkey key;
    struct pair pair;

    (void)test;
    open_world(&pair, NI_FABRIC_BY_PACKETS, &key);
    begin(&pair, false, &key, &done);
    assert_int_equal(state_now(&pair), NI_BULK_PACKETS);
    finish(&pair, &done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),      cmocka_unit_test(walk),      cmocka_unit_test(is_answered),
        cmocka_unit_test(is_claimed), cmocka_unit_test(is_copied), cmocka_unit_test(is_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
