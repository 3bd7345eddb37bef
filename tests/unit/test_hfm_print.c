/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/print.c, hfm/print.h, hfm/print_metrics.c, hfm/print_page.c, hfm/verdict.c,
 * hfm/verdict.h, hfm/history.c, hfm/history.h. */
#include "unit.h"

#include <stdlib.h>

#include "dnp/lofamo/fault.h"
#include "hfm/print.h"
#include "hfm/verdict.h"
#include "hfm/watchdog.h"

static struct hfm_config config;
static struct hfm_node node;
static struct hfm_history history;
static struct hfm_host host;
static struct hfm_counts counts;
static struct hfm_state state_;
static char *text;
static size_t size;

static void nothing(void *arg, uint32_t to, const struct hfm_message *message)
{
    (void)arg;
    (void)to;
    (void)message;
}

static void on_event(void *arg, const struct hfm_event *event)
{
    (void)arg;
    hfm_history_add(&history, event);
    hfm_counts_add(&counts, event);
}

static const struct hfm_node_ops ops = {.send = nothing, .event = on_event};

static int setup(void **state)
{
    struct hfm_cluster cluster;
    char error[200];

    (void)state;
    memset(&counts, 0, sizeof counts);
    memset(&host, 0, sizeof host);
    assert_int_equal(hfm_config_parse(&config,
                                      "torus 3x1x1\nkey /k\nnode 0 1.1.1.1:1 a master\n"
                                      "node 1 1.1.1.1:2 <b>\"\nnode 2 1.1.1.1:3\nhere 0\n"
                                      "quorum 1\ngrace 0\n",
                                      error, sizeof error),
                     NI_OK);
    hfm_config_cluster(&config, &cluster);
    cluster.asks = false;
    assert_int_equal(hfm_history_init(&history, 4, 1600000000000000000), NI_OK);
    assert_int_equal(hfm_node_init(&node, &cluster, &ops, 7, 1000000000), NI_OK);
    state_ = (struct hfm_state){.config = &config,
                                .node = &node,
                                .history = &history,
                                .host = &host,
                                .counts = &counts,
                                .now = 1000000000,
                                .version = "1.2"};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hfm_node_fini(&node);
    hfm_history_fini(&history);
    hfm_config_free(&config);
    free(text);
    text = NULL;
    return 0;
}

static void print(void (*how)(FILE *, const struct hfm_state *))
{
    FILE *out;

    free(text);
    out = open_memstream(&text, &size);
    how(out, &state_);
    fclose(out);
}

/* It becomes the master, and hears of a fault of node 1. */
static void act(void)
{
    const struct hfm_message report = {.kind = HFM_REPORT,
                                       .from = 2,
                                       .subject = 1,
                                       .about = 1,
                                       .fault = DNP_FAULT_HOST_LOST,
                                       .worst = DNP_FAULT_HOST_LOST,
                                       .session = 5,
                                       .number = 1,
                                       .age_us = 12345};
    struct hfm_message with_term = report;

    for (uint64_t now = 1000000000; now < 1100000000 && !node.acts; now += 5000000) {
        hfm_node_step(&node, now);
        state_.now = now;
    }
    assert_true(node.acts);
    with_term.answers = node.term;
    hfm_node_take(&node, &with_term, state_.now);
    assert_int_equal(node.known[1].fault & DNP_FAULT_HOST, DNP_FAULT_HOST_LOST);
}

static void test_verdicts(void **state)
{
    char words[200];

    (void)state;
    assert_int_equal(hfm_verdict_of(0), HFM_NORMAL);
    assert_int_equal(hfm_verdict_of(DNP_SICK << 2), HFM_SICK);
    assert_int_equal(hfm_verdict_of(DNP_BROKEN << 24), HFM_BROKEN);
    assert_int_equal(hfm_verdict_of(HFM_CARD_LOST), HFM_BROKEN);
    assert_int_equal(hfm_verdict_of(HFM_SILENT), HFM_BROKEN);
    assert_int_equal(hfm_verdict_of(HFM_SILENT | HFM_GONE), HFM_LOST);
    assert_int_equal(hfm_verdict_of(HFM_LEFT), HFM_SICK);
    assert_int_equal(hfm_verdict_of(HFM_ASKED | HFM_SILENT | HFM_GONE), HFM_BROKEN);
    (void)hfm_fault_print(HFM_ASKED | HFM_SILENT | DNP_FAULT_HOST_LOST, words, sizeof words);
    assert_string_equal(words, "daemon lost");
    assert_int_equal(hfm_verdict_of(DNP_FAULT_HOST_LOST | DNP_SICK << 8), HFM_LOST);
    (void)hfm_fault_print(DNP_FAULT_HOST_LOST | DNP_SICK << 8 | DNP_BROKEN << 24, words, 200);
    assert_string_equal(words, "host lost, current warning, link X+ broken");
    (void)hfm_fault_print(0x2aaaaaa | (HFM_FAULT_OURS & ~HFM_ASKED), words, 20); /* is cut */
    assert_string_equal(words, "node gone, host los");
    (void)hfm_fault_print(HFM_SILENT | HFM_UNHEARD, words, sizeof words);
    assert_string_equal(words, "daemon silent since the master began");
    (void)hfm_path_print(1, 2, 1, words, sizeof words);
    assert_string_equal(words, "node 2 by its link X-: remote_fault[1], service network");
    (void)hfm_parted_print(
        (struct dnp_cable_end[2]){{4095, NI_TORUS_Z_PLUS}, {7, NI_TORUS_Z_MINUS}}, words,
        sizeof words);
    assert_string_equal(words, "cables are broken at Z+ of node 4095 and at Z- of node 7");
}

static void test_without_a_master_all_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(hfm_print_exit(&state_), HFM_EXIT_UNKNOWN);
    print(hfm_print_text);
    unit_assert_contains(text, "no master is heard");
    print(hfm_print_json);
    unit_assert_contains(text, "\"master\": null");
}

static void test_a_lost_node_in_all_forms(void **state)
{
    (void)state;
    act();
    assert_int_equal(hfm_print_exit(&state_), HFM_EXIT_BROKEN);
    print(hfm_print_text);
    unit_assert_contains(text, "torus 3x1x1, this is node 0; node 0 is the master");
    unit_assert_contains(text, "is lost: ");
    unit_assert_contains(text, "host lost");
    unit_assert_contains(text, "node 2 by its link X-: remote_fault[1]");
    unit_assert_contains(text, "seen otherwise 12.345 ms before");
    print(hfm_print_json);
    unit_assert_contains(text, "\"name\": \"<b>\\\"\"");
    unit_assert_contains(text, "\"took_us\": 12345");
    unit_assert_contains(text, "\"exit\": 2");
    print(hfm_print_metrics);
    unit_assert_contains(text, "apelink_hfm_node_state{node=\"1\",name=\"<b>\\\"\"} 3");
    unit_assert_contains(text, "apelink_hfm_nodes{state=\"lost\"} 1");
    unit_assert_contains(text, "apelink_hfm_took_seconds_bucket{le=\"0.016384\"} ");
    unit_assert_contains(text, "apelink_hfm_acts 1");
    print(hfm_print_page);
    unit_assert_contains(text, "host lost");
}

static void test_what_is_acknowledged_does_not_count(void **state)
{
    (void)state;
    act();
    for (uint32_t i = 0; i < 3; i++) {
        (void)hfm_node_acknowledge(&node, i, state_.now);
    }
    assert_int_equal(hfm_print_exit(&state_), HFM_EXIT_NORMAL);
    print(hfm_print_text);
    unit_assert_contains(text, "; acknowledged");
}

static void test_a_history_keeps_the_last(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        hfm_history_add(&history, &(struct hfm_event){.about = i});
    }
    assert_int_equal(hfm_history_length(&history), 4);
    assert_int_equal(hfm_history_back(&history, 0)->about, 8);
    assert_int_equal(hfm_history_back(&history, 3)->about, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test_setup_teardown(test_without_a_master_all_is_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_lost_node_in_all_forms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_acknowledged_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_history_keeps_the_last, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
