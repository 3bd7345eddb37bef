/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/node_master.c. What the master says of a node that is silent. */
#include "unit.h"

#include "hfm/node.h"
#include "hfm/verdict.h"

enum { NODES = 4, PERIOD = 10, SILENT = 40, GONE = 80, HOLD = 400, SESSION = 100, THEIRS = 7 };
enum { CUT = 2 /* between 1 and 3 */ };

static struct hfm_node node;
static uint64_t now, number;

static void send_message(void *arg, uint32_t to, const struct hfm_message *message)
{
    (void)arg;
    assert_true(to < NODES && message->from == 0);
}

static void on_event(void *arg, const struct hfm_event *event)
{
    (void)arg;
    (void)event;
}

static bool answers; /* the host that is asked */
static unsigned asked;

static void ask(void *arg, uint32_t about)
{
    (void)arg;
    assert_int_equal(about, CUT);
    asked++;
    if (answers) {
        hfm_node_answered(&node, about, now);
    }
}

static const struct hfm_node_ops ops = {.send = send_message, .event = on_event, .ask = ask};

/* Time passes; nodes of these bits ping. */
static void pass(uint64_t time, unsigned pinging)
{
    for (uint64_t end = now + time; now < end; now++) {
        for (uint32_t i = 1; i < NODES && now % PERIOD == 0; i++) {
            struct hfm_message ping = {.kind = HFM_PING,
                                       .from = i,
                                       .session = THEIRS,
                                       .answers = SESSION,
                                       .number = ++number,
                                       .term = node.term};

            if ((pinging >> i & 1) != 0) {
                hfm_node_take(&node, &ping, now);
            }
        }
        if (hfm_node_due(&node) <= now) {
            hfm_node_step(&node, now);
        }
    }
}

static void report(uint32_t from, unsigned subject, uint32_t about, uint32_t fault)
{
    struct hfm_message message = {.kind = HFM_REPORT,
                                  .from = from,
                                  .subject = (uint8_t)subject,
                                  .about = about,
                                  .fault = fault,
                                  .worst = fault,
                                  .session = THEIRS,
                                  .answers = node.term,
                                  .number = ++number};

    hfm_node_take(&node, &message, now);
}

static void begin_heard(uint32_t mask, unsigned pinging)
{
    struct hfm_cluster cluster = {.torus = {{NODES, 1, 1}},
                                  .nodes = NODES,
                                  .masters = 1,
                                  .voters = 1,
                                  .quorum = 1,
                                  .period = PERIOD,
                                  .silent = SILENT,
                                  .gone = GONE,
                                  .lease = 30,
                                  .grace = 100,
                                  .news = 100,
                                  .cards = true,
                                  .mask = mask};

    now = 1000;
    assert_int_equal(hfm_node_init(&node, &cluster, &ops, SESSION, now), NI_OK);
    pass(300, pinging);
    assert_true(node.acts);
}

static void begin(uint32_t mask)
{
    begin_heard(mask, 14);
    assert_int_equal(node.known[CUT].fault, 0);
}

/* The node's card tells its neighbours' cards what its daemon has found. */
static void tell(void)
{
    report(1, NI_TORUS_X_PLUS, CUT, DNP_BROKEN);
    report(3, NI_TORUS_X_MINUS, CUT, DNP_BROKEN);
}

static void test_one_that_nobody_speaks_for_is_gone(void **state)
{
    (void)state;
    begin(0);
    pass(SILENT + PERIOD, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT);
    pass(GONE, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | HFM_GONE);
    hfm_node_fini(&node);
}

static void test_one_without_service_network_is_not_gone(void **state)
{
    (void)state;
    begin(0);
    pass(30, 10);
    tell();
    pass(10 * GONE, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | DNP_BROKEN);
    report(1, HFM_OWN, 1, (uint32_t)DNP_BROKEN << dnp_fault_link_low(NI_TORUS_X_PLUS));
    report(3, HFM_OWN, 3, (uint32_t)DNP_BROKEN << dnp_fault_link_low(NI_TORUS_X_MINUS));
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | HFM_GONE | DNP_BROKEN);
    hfm_node_fini(&node);
}

static void test_links_whose_end_is_not_seen_do_not_count(void **state)
{
    (void)state;
    begin(3U << dnp_fault_link_low(NI_TORUS_X_PLUS) | 3U << dnp_fault_link_low(NI_TORUS_X_MINUS));
    tell();
    pass(GONE + 2 * PERIOD, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | HFM_GONE | DNP_BROKEN);
    hfm_node_fini(&node);
}

/* Once it was heard it is silent as any other. */
static void test_one_that_was_never_heard_may_be_late(void **state)
{
    (void)state;
    begin_heard(0, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | HFM_GONE | HFM_UNHEARD);
    pass(2 * PERIOD, 14);
    assert_int_equal(node.known[CUT].fault, 0);
    pass(GONE + 2 * PERIOD, 10);
    assert_int_equal(node.known[CUT].fault, HFM_SILENT | HFM_GONE);
    hfm_node_fini(&node);
}

static enum hfm_verdict verdict(void)
{
    return hfm_verdict_of(node.known[CUT].fault);
}

/* A card misses the daemon. The kernel of its host is asked before it is lost, and as long as it
 * answers. */
static void test_one_whose_kernel_answers_is_not_lost(void **state)
{
    (void)state;
    begin(0);
    node.cluster.asks = true;
    node.cluster.hold = HOLD;
    answers = true;
    asked = 0;
    report(1, NI_TORUS_X_PLUS, CUT, DNP_FAULT_HOST_LOST);
    assert_int_equal(verdict(), HFM_BROKEN);
    for (int i = 0; i < 100; i++) {
        pass(PERIOD, 10);
        assert_int_equal(verdict(), HFM_BROKEN);
    }
    assert_true((node.known[CUT].fault & HFM_ASKED) != 0 && asked > 15 && asked < 30);
    answers = false; /* the host fails, too */
    pass(HOLD - HOLD / 8, 10);
    assert_int_equal(verdict(), HFM_BROKEN);
    pass(HOLD / 8 + PERIOD, 10);
    assert_int_equal(verdict(), HFM_LOST);
    answers = true;
    pass(HOLD / 8 + PERIOD, 10);
    assert_int_equal(verdict(), HFM_BROKEN);
    report(1, NI_TORUS_X_PLUS, CUT, 0);
    pass(3 * PERIOD, 14);
    assert_int_equal(node.known[CUT].fault, 0);
    hfm_node_fini(&node);
}

static void test_one_whose_kernel_does_not_answer_is_lost_soon(void **state)
{
    (void)state;
    begin(0);
    node.cluster.asks = true;
    node.cluster.hold = HOLD;
    answers = false;
    asked = 0;
    pass(2 * PERIOD, 10);
    report(1, NI_TORUS_X_PLUS, CUT, DNP_FAULT_HOST_LOST);
    pass(2 * PERIOD, 10);
    assert_int_equal(verdict(), HFM_BROKEN);
    assert_true(asked >= 2);
    pass(PERIOD + 1, 10);
    assert_int_equal(verdict(), HFM_LOST);
    hfm_node_fini(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_that_nobody_speaks_for_is_gone),
        cmocka_unit_test(test_one_without_service_network_is_not_gone),
        cmocka_unit_test(test_links_whose_end_is_not_seen_do_not_count),
        cmocka_unit_test(test_one_that_was_never_heard_may_be_late),
        cmocka_unit_test(test_one_whose_kernel_answers_is_not_lost),
        cmocka_unit_test(test_one_whose_kernel_does_not_answer_is_lost_soon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
