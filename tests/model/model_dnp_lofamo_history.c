/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, hfm/watchdog.c, dnp/lofamo/lifama.h, dnp/lofamo/health.c,
 * dnp/link_rx.c. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "lofamo_cluster.h"
#include "rounds.h"

/*
 * Tori of cards and hosts, over good cables and over some that lose one word in twenty, in which up
 * to four nodes other than the master get any fault at any time. What was found out by whom is
 * recorded, and the history checked: nothing was said without a cause, and nothing was lost of what
 * somebody who lives could know.
 *
 *   model_dnp_lofamo_history [SEED]   repeats one seed
 */

enum { SEEDS = 150, FAULTS = 4, LOSE = 20, PATIENCE = 20 * CLUSTER_IDLE };

static const struct ni_torus shapes[] = {
    {{2, 1, 1}}, {{5, 1, 1}}, {{4, 2, 1}}, {{2, 2, 2}}, {{3, 3, 2}}, {{4, 4, 4}},
};

static uint64_t seed;

static void fail(const char *what, uint32_t node, uint32_t about, uint32_t fault)
{
    fprintf(stderr,
            "model_dnp_lofamo_history: %s: node %u about %u, %#x. Repeat with: "
            "model_dnp_lofamo_history %llu\n",
            what, node, about, fault, (unsigned long long)seed);
    exit(1);
}

/* The host of a node must have found this out, and with a service network have told the master. */
static void must_know(const struct cluster *cluster, uint32_t node, uint32_t about, uint32_t fault)
{
    if (fault == 0 || cluster->host[node].stopped) {
        return;
    }
    if (cluster_find(cluster, CLUSTER_HOST_KNOWS, node, about, fault) == NULL) {
        fail("a host does not know", node, about, fault);
    }
    if (cluster->host[node].cut_off) {
        return;
    }
    if (cluster_find(cluster, CLUSTER_MASTER_KNOWS, 0, about, fault) == NULL) {
        fail("the master does not know", 0, about, fault);
    }
    for (uint32_t to = 0; to < cluster->nodes; to++) {
        if (!cluster->host[to].stopped && !cluster->host[to].cut_off &&
            cluster_find(cluster, CLUSTER_ALL_KNOW, to, about, fault) == NULL) {
            fail("a node has not heard from the master", to, about, fault);
        }
    }
}

/* What follows from one fault for its node and those around it. */
static void check_fault(const struct cluster *cluster, const struct cluster_record *record)
{
    uint32_t node = record->node, cause = cluster_cause(cluster, node, cluster->records);
    uint32_t host = cause & DNP_FAULT_HOST;

    if (cluster->card_stopped[node]) {
        must_know(cluster, node, node, HFM_CARD_LOST & cause);
    } else {
        must_know(cluster, node, node, cause & DNP_FAULT_CARD);
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        uint32_t other = ni_torus_neighbour(&cluster->shape, node, (enum ni_torus_direction)link);
        bool silent = cluster->card_stopped[node] || cluster->cut[node][link];

        if (cluster->card_stopped[other] || other == node) {
            continue;
        }
        if (silent) {
            must_know(cluster, other, other, DNP_BROKEN << dnp_fault_link_low(link ^ 1));
        } else if (host != 0) {
            must_know(cluster, other, node, host | (cause & DNP_FAULT_CARD));
        }
    }
}

static void check(const struct cluster *cluster)
{
    const struct cluster_record *wrong = cluster_without_cause(cluster);

    if (wrong != NULL) {
        fail("something is said without a cause", wrong->node, wrong->about, wrong->fault);
    }
    for (size_t i = 0; i < cluster->records; i++) {
        if (cluster->record[i].kind == CLUSTER_HAPPENS) {
            check_fault(cluster, &cluster->record[i]);
        }
    }
}

static void strike_somebody(struct cluster *cluster, bool *struck)
{
    uint32_t node = 1 + (uint32_t)ni_rng_below(&cluster->rng, cluster->nodes - 1);

    if (!struck[node]) {
        struck[node] = true;
        cluster_strike(cluster, node,
                       (enum cluster_fault)ni_rng_below(&cluster->rng, CLUSTER_FAULTS));
        for (uint32_t other = 0; other < cluster->nodes; other++) {
            cluster->due[other] = 0;
        }
    }
}

static void run(void)
{
    struct cluster cluster;
    bool struck[64] = {false};

    cluster_init(&cluster, shapes[seed % NI_ARRAY_LENGTH(shapes)], seed);
    if (ni_rng_below(&cluster.rng, 2) == 0) {
        cluster.lose = LOSE;
        for (uint32_t node = 0; node < cluster.nodes; node++) {
            dnp_set(&cluster.card[node].registers, DNP_REG_link_timeout, 0, PATIENCE);
        }
    }
    for (unsigned i = 0; i < FAULTS; i++) {
        cluster_run(&cluster, ni_rng_below(&cluster.rng, 4 * CLUSTER_READ));
        strike_somebody(&cluster, struck);
    }
    cluster_run(&cluster, PATIENCE + 10 * CLUSTER_READ);
    check(&cluster);
    cluster_fini(&cluster);
}

int main(int argc, char **argv)
{
    seed = 1;
    if (argc > 1) {
        seed = strtoull(argv[1], NULL, 10);
        run();
        return 0;
    }
    for (; seed <= SEEDS; seed += test_rounds(1, 5)) {
        run();
    }
    printf("%u histories without a fault\n", (unsigned)(SEEDS / test_rounds(1, 5)));
    return 0;
}
