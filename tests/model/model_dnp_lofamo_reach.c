/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, dnp/lofamo/lifama.h, dnp/lofamo/health.c, dnp/card.c. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "lofamo_cluster.h"

/*
 * How long it takes until the nodes of a torus know what has happened to one of them, against their
 * distance from it, in virtual time: a table for each kind of fault. "card" is the node's own card
 * or host, "1" its neighbours' hosts, and the others hear it from the master. No time may be beyond
 * the bound that follows from the periods.
 *
 *   model_dnp_lofamo_reach [TORUS [ROUNDS]]   8x8x8 and 6 of each fault unless said otherwise
 */

enum { DISTANCES = 64, RUN = 8 * CLUSTER_READ };

struct reach {
    uint64_t count[DISTANCES], sum[DISTANCES], greatest[DISTANCES];
    uint64_t first; /* the greatest time until anybody knows */
};

static const char *const name[CLUSTER_FAULTS] = {
    "host stops", "card stops", "host and card stop", "service network broken",
    "link cut",   "too hot",
};

/* Cycles in which a change of a message reaches the other end of a cable: Magic and credit. */
enum { MESSAGE = CLUSTER_CREDIT + 2 + CLUSTER_LATENCY };

/* Until a host next to the fault knows at the latest, and until all do. */
static uint64_t bound(enum cluster_fault fault)
{
    switch (fault) {
    case CLUSTER_HOST_STOPS: /* seen alive once more, then found, told, shown and read */
        return 2 * CLUSTER_READ + MESSAGE + CLUSTER_WRITE + CLUSTER_READ;
    case CLUSTER_CARD_STOPS: /* the host finds it, or links to it go silent */
    case CLUSTER_ALL_STOPS:
    case CLUSTER_LINK_CUT:
        return ni_max_u64(2 * CLUSTER_READ,
                          CLUSTER_LATENCY + CLUSTER_TIMEOUT + 1 + CLUSTER_WRITE + CLUSTER_READ);
    case CLUSTER_SERVICE_BROKEN: /* written, read, told, shown and read */
        return CLUSTER_WRITE + CLUSTER_READ + MESSAGE + CLUSTER_WRITE + CLUSTER_READ;
    default:
        return CLUSTER_WRITE + CLUSTER_READ;
    }
}

static void fail(const struct cluster *cluster, enum cluster_fault fault, uint32_t node,
                 const char *what)
{
    fprintf(stderr, "model_dnp_lofamo_reach: %s at node %u of %u: %s\n", name[fault], node,
            cluster->nodes, what);
    exit(1);
}

/* Which records say that this fault of a node is known: about whom. */
static bool tells(enum cluster_fault fault, uint32_t node, const struct cluster_record *record)
{
    if (fault == CLUSTER_ALL_STOPS || fault == CLUSTER_LINK_CUT) {
        return record->about != node || fault == CLUSTER_LINK_CUT;
    }
    return record->about == node;
}

/* When a node first hears of it, since it happened. */
static void add(struct reach *reach, const struct cluster *cluster, enum cluster_fault fault,
                uint32_t node, uint64_t since)
{
    uint64_t first = UINT64_MAX, limit = bound(fault);

    for (uint32_t to = 0; to < cluster->nodes; to++) {
        uint32_t distance = ni_torus_hops(&cluster->shape, node, to);
        uint64_t at = UINT64_MAX;

        for (size_t i = 0; i < cluster->records && at == UINT64_MAX; i++) {
            const struct cluster_record *record = &cluster->record[i];

            if (record->node == to && record->at >= since && record->kind != CLUSTER_HAPPENS &&
                record->kind != CLUSTER_CARD_KNOWS && tells(fault, node, record)) {
                at = record->at - since;
            }
        }
        if (cluster->host[to].stopped || cluster->host[to].cut_off) {
            continue;
        }
        if (at == UINT64_MAX) {
            fail(cluster, fault, node, "a node never knows");
        }
        if (at > limit + 2 * CLUSTER_SERVICE) {
            fail(cluster, fault, node, "a node knows later than the bound");
        }
        first = ni_min_u64(first, at);
        reach->count[distance]++;
        reach->sum[distance] += at;
        reach->greatest[distance] = ni_max_u64(reach->greatest[distance], at);
    }
    if (first > limit) {
        fail(cluster, fault, node, "nobody knows within the bound");
    }
    reach->first = ni_max_u64(reach->first, first);
}

static void measure(struct ni_torus shape, enum cluster_fault fault, unsigned rounds)
{
    struct reach reach = {0};
    uint64_t limit = bound(fault);

    for (unsigned round = 0; round < rounds; round++) {
        struct cluster cluster;
        uint32_t node;
        uint64_t since;

        cluster_init(&cluster, shape, round + 1);
        node = 1 + (uint32_t)ni_rng_below(&cluster.rng, cluster.nodes - 1); /* not the master */
        cluster_run(&cluster, 2 * CLUSTER_READ + ni_rng_below(&cluster.rng, CLUSTER_READ));
        if (cluster.records != 0) {
            fail(&cluster, fault, node, "something is said before anything happens");
        }
        since = cluster.now;
        cluster_strike(&cluster, node, fault);
        cluster_run(&cluster, RUN);
        if (cluster_without_cause(&cluster) != NULL) {
            fail(&cluster, fault, node, "something is said without a cause");
        }
        add(&reach, &cluster, fault, node, since);
        cluster_fini(&cluster);
    }
    printf("\n%s: cycles until it is known; first %llu at most, bound %llu, of all %llu\n"
           "distance  nodes   mean  greatest\n",
           name[fault], (unsigned long long)reach.first, (unsigned long long)limit,
           (unsigned long long)limit + 2 * CLUSTER_SERVICE);
    for (unsigned i = 0; i < DISTANCES; i++) {
        if (reach.count[i] > 0) {
            printf("%8u %6llu %6llu %9llu\n", i, (unsigned long long)(reach.count[i] / rounds),
                   (unsigned long long)(reach.sum[i] / reach.count[i]),
                   (unsigned long long)reach.greatest[i]);
        }
    }
}

int main(int argc, char **argv)
{
    struct ni_torus shape = {{8, 8, 8}};
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 6;
    char error[200];

    if (argc > 1 && ni_torus_parse(argv[1], &shape, error, sizeof error) != NI_OK) {
        fprintf(stderr, "model_dnp_lofamo_reach: %s\n", error);
        return 2;
    }
    for (unsigned fault = 0; fault < CLUSTER_FAULTS; fault++) {
        measure(shape, (enum cluster_fault)fault, rounds);
    }
    return 0;
}
