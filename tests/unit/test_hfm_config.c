/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/config.c, hfm/config.h, dnp/lines.c, dnp/lines.h, hfm/cluster.h. */
#include "unit.h"

#include "base/bits.h"
#include "hfm/config.h"

#define NODES "node 0 10.0.0.1:7100 red master\nnode 1 10.0.0.2:7100 green witness\n"
#define WHOLE "torus 2x1x1\n" NODES "key /k\n"

static void test_a_whole_configuration(void **state)
{
    struct hfm_config config;
    struct hfm_cluster cluster;
    char error[300] = "";

    (void)state;
    assert_int_equal(hfm_config_parse(&config,
                                      "# ours\n" WHOLE
                                      "ping 20\nsilent 5\ngone 9\nlease 4\ngrace 1000\n"
                                      "watchdog 2 8\nalign 50\nmask core link_x_plus\n"
                                      "set link_timeout 20000 # us\nlook 10\nproc /p\nsys /s\n"
                                      "memory 7 3\ncorrected 10 1000\ninterface eth1\n"
                                      "device /d\ncontrol /c\npage /g\nhook /h\nuser nobody\n"
                                      "record /r\nhttp 127.0.0.1:7180\nhistory 100\nrealtime 0\n",
                                      error, sizeof error),
                     NI_OK);
    assert_int_equal(config.nodes, 2);
    assert_int_equal(config.masked, 3U << 7 | 3U << 25);
    assert_int_equal(config.links, 3); /* only along X are there cables */
    assert_int_equal(config.sets, 1);
    assert_int_equal(config.set[0].value, 20000);
    assert_int_equal(config.host.memory_sick, 7);
    assert_int_equal(config.host.memory_broken, 3);
    assert_string_equal(config.host.proc, "/p");
    assert_string_equal(config.host.interface, "eth1");
    assert_string_equal(config.record, "/r");
    assert_int_equal(ntohs(config.http.sin_port), 7180);
    assert_int_equal(hfm_config_here(&config, UINT32_MAX, "green.cluster", error, sizeof error),
                     NI_OK);
    assert_int_equal(config.here, 1);
    hfm_config_cluster(&config, &cluster);
    assert_int_equal(cluster.self, 1);
    assert_int_equal(cluster.masters, 1);
    assert_int_equal(cluster.voters, 2);
    assert_int_equal(cluster.voter[1], 1);
    assert_int_equal(cluster.quorum, 2);
    assert_true(cluster.period == 20000000 && cluster.silent == 100000000);
    assert_true(cluster.cards && cluster.asks);
    hfm_config_free(&config);
}

/* Without a card. Hosts have some pings to answer, also when these are rare. */
static void test_how_long_a_host_is_held(void **state)
{
    static const struct {
        const char *text;
        unsigned ms;
        bool asks;
    } rows[] = {{WHOLE, 2000, true},
                {WHOLE "hold 80\nping 20\n", 140, true},
                {WHOLE "hold 80\nping 20\nask 0\n", 80, false},
                {WHOLE "ping 60000", 420000, true}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hfm_config config;
        struct hfm_cluster cluster;
        char error[300] = "";

        assert_int_equal(hfm_config_parse(&config, rows[i].text, error, sizeof error), NI_OK);
        config.here = 0;
        hfm_config_cluster(&config, &cluster);
        assert_int_equal(cluster.hold, rows[i].ms * UINT64_C(1000000));
        assert_int_equal(cluster.asks, rows[i].asks);
        hfm_config_free(&config);
    }
}

static void test_what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "there is no line \"torus\""},
        {"torus 2x1x1\n" NODES, "no line \"key\""},
        {"torus 2x1x1\nkey /k\nnode 0 10.0.0.1:1 a master\nnode 1 10.0.0.1:1",
         "nodes 0 and 1 have one address and port"},
        {"torus 2x1x1\nkey /k\nnode 0 10.0.0.1:1\nnode 1 10.0.0.2:1", "no node is a master"},
        {"torus 3x1x1\nkey /k\n" NODES, "node 2 has no line"},
        {NODES, "line 1: \"node\" comes before the line \"torus\""},
        {"torus 2x1x1\ntorus 2x1x1", "line 2: \"2x1x1\" is the second shape"},
        {"torus 20x20x20", "line 1: \"20x20x20\" has more than 4096 nodes"},
        {"torus", "\"torus\" needs a shape"},
        {"torus 2x1x1\nnode 2 10.0.0.1:1", "line 2: \"2\" is no number from 0 to 1"},
        {WHOLE "node 0 10.0.0.1:1", "\"0\" is a node that has a line already"},
        {"torus 2x1x1\nnode 0", "\"0\" needs the address of its daemon"},
        {"torus 2x1x1\nnode 0 ten:1", "\"ten:1\" is no address"},
        {"torus 2x1x1\nnode 0 10.0.0.1:1 a slave", "\"slave\" is neither master nor witness"},
        {"torus 2x1x1\nnode 0 10.0.0.1:1 a master b", "\"b\" is one word too many"},
        {WHOLE "ping 0", "\"0\" is no number from 1 to 60000"},
        {WHOLE "ping", "\"ping\" needs a number behind it"},
        {WHOLE "ping 1 2", "\"2\" is one word too many"},
        {WHOLE "watchdog 10 10", "\"watchdog\" needs a period to write that is below"},
        {WHOLE "gone 2", "\"gone\" is less than \"silent\""},
        {WHOLE "hold 0", "\"0\" is no number from 1 to 3600000"},
        {WHOLE "ask 2", "\"2\" is no number from 0 to 1"},
        {WHOLE "quorum 3", "the quorum is more than there are masters and witnesses"},
        {WHOLE "links X", "\"X\" names no link"},
        {WHOLE "mask valid", "\"valid\" is no field of dnp_watchdog that can be masked"},
        {WHOLE "mask busy", "\"busy\" is no field"},
        {WHOLE "set wr_ptr 1", "\"wr_ptr\" is no register that can be set"},
        {WHOLE "set fault_mask 1", "\"fault_mask\" is what the daemon sets"},
        {WHOLE "http", "\"http\" needs one address"},
        {WHOLE "device", "\"device\" needs one word of at most 99 characters"},
        {WHOLE "colour red", "\"colour\" is no setting"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hfm_config config;
        char error[300] = "";

        assert_int_equal(hfm_config_parse(&config, rows[i].text, error, sizeof error),
                         NI_ERR_PARAM);
        unit_assert_contains(error, rows[i].says);
        hfm_config_free(&config);
    }
}

static void test_a_host_that_has_no_line(void **state)
{
    struct hfm_config config;
    char error[300] = "";

    (void)state;
    assert_int_equal(hfm_config_parse(&config, WHOLE, error, sizeof error), NI_OK);
    assert_int_equal(hfm_config_here(&config, UINT32_MAX, "blue", error, sizeof error),
                     NI_ERR_PARAM);
    unit_assert_contains(error, "no line \"node\" has the name of this host, blue");
    assert_int_equal(hfm_config_here(&config, 2, "red", error, sizeof error), NI_ERR_PARAM);
    assert_int_equal(hfm_config_here(&config, 1, "red", error, sizeof error), NI_OK);
    assert_int_equal(config.here, 1);
    hfm_config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_configuration),
        cmocka_unit_test(test_how_long_a_host_is_held),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_a_host_that_has_no_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
