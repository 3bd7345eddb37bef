/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, hfm/watchdog.c, dnp/lofamo/lifama.h, dnp/card.c. The example of
 * APEnet+ 2.1.3.6, Figures 4 to 6, step by step: eight nodes, of which the host of one comes down.
 */
#include "unit.h"

#include "lofamo_cluster.h"

enum { BROKEN = 6, MASTER = 0 };

static const struct ni_torus eight = {{4, 2, 1}};
static struct cluster cluster;

static int setup(void **state)
{
    (void)state;
    cluster_init(&cluster, eight, 4);
    cluster_run(&cluster, 20 * CLUSTER_READ);
    return 0;
}

static int teardown(void **state)
{
    assert_null(cluster_without_cause(&cluster));
    (void)state;
    cluster_fini(&cluster);
    return 0;
}

static bool is_neighbour(uint32_t node)
{
    return ni_torus_hops(&eight, BROKEN, node) == 1;
}

/* Every node's registers say that all is well, on the card and around it. */
static void test_figure_4_all_are_well(void **state)
{
    (void)state;
    assert_int_equal(cluster.records, 0);
    for (uint32_t node = 0; node < cluster.nodes; node++) {
        const struct dnp_register_file *file = &cluster.card[node].registers;

        assert_int_equal(dnp_get(file, DNP_REG_dnp_watchdog, 0) & ~1U, 0);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            assert_int_equal(dnp_get(file, DNP_REG_remote_fault, link), 0);
            assert_int_equal(cluster.card[node].link[link].tx.spare, 0);
        }
    }
}

/* How many records there are of a kind about the broken host, and all of them at the right nodes.
 */
static unsigned count(enum cluster_kind kind, bool (*right)(uint32_t node))
{
    unsigned n = 0;

    for (size_t i = 0; i < cluster.records; i++) {
        const struct cluster_record *record = &cluster.record[i];

        if (record->kind == kind && !(kind == CLUSTER_CARD_KNOWS && record->node == BROKEN)) {
            assert_int_equal(record->about, BROKEN);
            assert_int_equal(record->fault, DNP_FAULT_HOST_LOST);
            assert_true(right(record->node));
            n++;
        }
    }
    return n;
}

static bool any(uint32_t node)
{
    return node != BROKEN;
}

static bool the_master(uint32_t node)
{
    return node == MASTER;
}

/* The card in the same tile finds it by the watchdog and tells its first neighbours. */
static void test_figure_5_the_card_tells_its_neighbours(void **state)
{
    const struct cluster_record *own;

    (void)state;
    cluster_strike(&cluster, BROKEN, CLUSTER_HOST_STOPS);
    while (count(CLUSTER_CARD_KNOWS, is_neighbour) == 0) {
        cluster_run(&cluster, 1);
    }
    own = cluster_find(&cluster, CLUSTER_CARD_KNOWS, BROKEN, BROKEN, DNP_FAULT_HOST_LOST);
    assert_non_null(own);
    assert_true(own == &cluster.record[1]); /* before anybody else knows */
    assert_int_equal(count(CLUSTER_HOST_KNOWS, is_neighbour), 0);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        assert_int_equal(cluster.card[BROKEN].link[link].tx.spare,
                         DNP_FAULT_VALID | DNP_FAULT_HOST_LOST);
    }
}

/* The hosts of the neighbours read it in their cards and signal it to the master. */
static void test_figure_6_the_neighbours_hosts_tell_the_master(void **state)
{
    const struct cluster_record *known;

    (void)state;
    cluster_strike(&cluster, BROKEN, CLUSTER_HOST_STOPS);
    cluster_run(&cluster, 10 * CLUSTER_READ);
    assert_int_equal(count(CLUSTER_HOST_KNOWS, is_neighbour), 4); /* two links lead to one */
    assert_int_equal(count(CLUSTER_MASTER_KNOWS, the_master), 1);
    assert_int_equal(count(CLUSTER_ALL_KNOW, any), 7);
    known = cluster_find(&cluster, CLUSTER_MASTER_KNOWS, MASTER, BROKEN, DNP_FAULT_HOST_LOST);
    for (uint32_t node = 0; node < cluster.nodes; node++) {
        const struct cluster_record *card =
            cluster_find(&cluster, CLUSTER_CARD_KNOWS, node, BROKEN, DNP_FAULT_HOST_LOST);
        const struct cluster_record *host =
            cluster_find(&cluster, CLUSTER_HOST_KNOWS, node, BROKEN, DNP_FAULT_HOST_LOST);

        assert_int_equal(host != NULL, is_neighbour(node));
        assert_int_equal(card != NULL, is_neighbour(node) || node == BROKEN);
        assert_true(host == NULL || card < host);
    }
    assert_true(known >
                cluster_find(&cluster, CLUSTER_CARD_KNOWS, BROKEN, BROKEN, DNP_FAULT_HOST_LOST));
}

/* No word more leaves because of it than credits that would have left without it. */
static void test_messages_have_no_words_of_their_own(void **state)
{
    (void)state;
    cluster_strike(&cluster, BROKEN, CLUSTER_HOST_STOPS);
    cluster_run(&cluster, 10 * CLUSTER_READ);
    for (uint32_t node = 0; node < cluster.nodes; node++) {
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            const struct dnp_register_file *file = &cluster.card[node].registers;

            assert_int_equal(dnp_get64(file, DNP_REG_link_sent_words, link), 0);
            assert_int_equal(dnp_get(file, DNP_REG_link_stray_words, link), 0);
        }
    }
}

/* The host comes back: nobody is told anything any more. */
static void test_a_host_that_comes_back(void **state)
{
    (void)state;
    cluster_strike(&cluster, BROKEN, CLUSTER_HOST_STOPS);
    cluster_run(&cluster, 10 * CLUSTER_READ);
    cluster.host[BROKEN].stopped = false;
    cluster.host[BROKEN].watchdog.read_at = cluster.now;
    cluster.due[BROKEN] = 0;
    cluster_run(&cluster, 10 * CLUSTER_READ);
    for (uint32_t node = 0; node < cluster.nodes; node++) {
        const struct dnp_register_file *file = &cluster.card[node].registers;

        assert_int_equal(dnp_get(file, DNP_REG_dnp_watchdog, 0) & ~1U, 0);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            assert_int_equal(dnp_get(file, DNP_REG_remote_fault, link), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_figure_4_all_are_well, setup, teardown),
        cmocka_unit_test_setup_teardown(test_figure_5_the_card_tells_its_neighbours, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_figure_6_the_neighbours_hosts_tell_the_master, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_messages_have_no_words_of_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_host_that_comes_back, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
