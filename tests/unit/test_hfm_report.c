/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/notifier.c, hfm/master.c, hfm/notifier.h, hfm/master.h. */
#include "unit.h"

#include "hfm/master.h"
#include "hfm/notifier.h"

enum { NODE = 2, NODES = 4, PERIOD = 10, SESSION = 50, MASTER = 70 };

static const uint32_t about[HFM_SUBJECTS] = {3, 1, 2, 2, 2, 2, NODE};
static struct hfm_notifier notifier;
static struct hfm_master master;
static struct hfm_message report, answer;
static uint32_t said[16]; /* faults that the observer heard of, of any node */
static unsigned sayings;

static void changed(void *arg, uint32_t node, uint32_t fault, uint32_t before)
{
    (void)arg;
    (void)node;
    (void)before;
    assert_true(sayings < 16);
    said[sayings++] = fault;
}

static const struct hfm_observer observer = {changed, NULL};

static int setup(void **state)
{
    (void)state;
    sayings = 0;
    hfm_notifier_init(&notifier, NODE, about, SESSION, PERIOD);
    assert_int_equal(hfm_master_init(&master, 0, NODES, MASTER), NI_OK);
    hfm_notifier_found(&notifier, MASTER);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hfm_master_fini(&master);
    return 0;
}

static bool take(const struct hfm_message *message)
{
    return hfm_master_take(&master, message, &observer, &answer);
}

static void test_a_report_is_sent_until_it_is_acknowledged(void **state)
{
    (void)state;
    assert_true(hfm_notifier_due(&notifier) == UINT64_MAX);
    hfm_notifier_learn(&notifier, 1, DNP_FAULT_HOST_LOST);
    assert_true(hfm_notifier_due(&notifier) == 0);
    assert_true(hfm_notifier_next(&notifier, 100, &report));
    assert_false(hfm_notifier_next(&notifier, 100, &report));
    assert_int_equal(report.about, 1);
    assert_int_equal(report.fault, DNP_FAULT_HOST_LOST);
    assert_true(hfm_notifier_due(&notifier) == 100 + PERIOD);
    assert_true(hfm_notifier_next(&notifier, 100 + PERIOD, &report));
    assert_true(take(&report));
    assert_int_equal(master.member[1].fault, DNP_FAULT_HOST_LOST);
    assert_true(take(&report)); /* again: the answer may have been lost */
    assert_int_equal(sayings, 1);
    hfm_notifier_acknowledged(&notifier, &answer);
    assert_true(hfm_notifier_due(&notifier) == UINT64_MAX);
}

static void test_the_worst_is_told_before_what_is_now(void **state)
{
    (void)state;
    hfm_notifier_learn(&notifier, HFM_OWN, 2U << 6);
    hfm_notifier_learn(&notifier, HFM_OWN, 1U << 8);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    assert_true(take(&report));
    assert_int_equal(sayings, 2);
    assert_int_equal(said[0], 2U << 6 | 1U << 8);
    assert_int_equal(said[1], 1U << 8);
}

/* What the first report said has reached nobody when the master begins anew. */
static void test_a_new_master_is_told_everything(void **state)
{
    (void)state;
    hfm_notifier_learn(&notifier, 0, 2U << 6);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    hfm_notifier_learn(&notifier, 0, 0);
    hfm_master_fini(&master);
    assert_int_equal(hfm_master_init(&master, 0, NODES, MASTER + 1), NI_OK);
    assert_false(take(&report)); /* it names the master before */
    hfm_notifier_found(&notifier, MASTER + 1);
    hfm_notifier_found(&notifier, MASTER);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    assert_true(take(&report));
    assert_int_equal(sayings, 2);
    assert_int_equal(said[0], 2U << 6);
    assert_int_equal(said[1], 0);
}

static void test_old_and_strange_messages_do_nothing(void **state)
{
    struct hfm_message old, strange;

    (void)state;
    hfm_notifier_learn(&notifier, 0, 2U << 6);
    assert_true(hfm_notifier_next(&notifier, 0, &old));
    assert_true(take(&old));
    hfm_notifier_acknowledged(&notifier, &answer);
    hfm_notifier_learn(&notifier, 0, 0);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    assert_true(take(&report));
    assert_false(take(&old));
    strange = report;
    strange.from = NODES;
    assert_false(take(&strange));
    strange = report;
    strange.number++;
    strange.about = NODES;
    assert_false(take(&strange));
    strange = report;
    strange.number++;
    strange.session--;
    strange.fault = 2U << 6;
    assert_false(take(&strange));
    strange = answer;
    assert_false(take(&strange));
    assert_int_equal(master.member[3].fault, 0);
    /* What only a master says begins no session of a daemon. */
    strange = answer;
    strange.from = NODE;
    strange.session = SESSION + 1;
    assert_false(take(&strange));
    assert_true(master.member[NODE].session == SESSION);
    strange = answer;
    strange.answers++;
    hfm_notifier_acknowledged(&notifier, &strange);
    strange = answer;
    strange.session--;
    hfm_notifier_acknowledged(&notifier, &strange);
    strange = answer;
    strange.number--;
    hfm_notifier_acknowledged(&notifier, &strange);
    assert_true(hfm_notifier_due(&notifier) == PERIOD);
}

static void test_nothing_is_sent_until_a_master_is_known(void **state)
{
    (void)state;
    hfm_notifier_init(&notifier, NODE, about, SESSION, PERIOD);
    hfm_notifier_learn(&notifier, 0, 2);
    assert_true(hfm_notifier_due(&notifier) == UINT64_MAX);
    assert_false(hfm_notifier_next(&notifier, 0, &report));
    hfm_notifier_found(&notifier, MASTER);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    assert_true(report.answers == MASTER);
}

/* A node is what the worst of all who know it say. */
static void test_several_know_a_node(void **state)
{
    struct hfm_message other = {.kind = HFM_REPORT,
                                .subject = 4,
                                .from = 1,
                                .about = 3,
                                .fault = 1,
                                .worst = 1,
                                .session = 9,
                                .answers = MASTER,
                                .number = 1};

    (void)state;
    hfm_notifier_learn(&notifier, 0, 2);
    assert_true(hfm_notifier_next(&notifier, 0, &report));
    assert_true(take(&report));
    assert_true(take(&other));
    assert_int_equal(master.member[3].fault, 2);
    report.number++;
    report.fault = report.worst = 0;
    assert_true(take(&report));
    assert_int_equal(master.member[3].fault, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_report_is_sent_until_it_is_acknowledged, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_worst_is_told_before_what_is_now, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_new_master_is_told_everything, setup, teardown),
        cmocka_unit_test_setup_teardown(test_old_and_strange_messages_do_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_is_sent_until_a_master_is_known, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_several_know_a_node, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
