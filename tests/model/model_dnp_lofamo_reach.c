/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/lofamo/manager.c, dnp/lofamo/lifama.h, dnp/lofamo/health.c, dnp/card.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lofamo_cluster.h"
#include "rounds.h"

/*
 * How long it takes until the nodes of a torus know what has happened to one of them, against their
 * distance from it, in virtual time: a table for each kind of fault. "card" is the node's own card
 * or host, "1" its neighbours' hosts, and the others hear it from the master. No time may be beyond
 * the bound that follows from the periods.
 *
 *   model_dnp_lofamo_reach [--svg] [TORUS [ROUNDS]]
 *
 * 8x8x8 and 6 of each fault unless said otherwise. --svg draws the tables instead:
 * docs/lofamo-reach.svg.
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

static struct reach measure(struct ni_torus shape, enum cluster_fault fault, unsigned rounds)
{
    struct reach reach = {0};

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
    return reach;
}

static void print_table(const struct reach *reach, enum cluster_fault fault, unsigned rounds)
{
    uint64_t limit = bound(fault);

    printf("\n%s: cycles until it is known; first %llu at most, bound %llu, of all %llu\n"
           "distance  nodes   mean  greatest\n",
           name[fault], (unsigned long long)reach->first, (unsigned long long)limit,
           (unsigned long long)limit + 2 * CLUSTER_SERVICE);
    for (unsigned i = 0; i < DISTANCES; i++) {
        if (reach->count[i] > 0) {
            printf("%8u %6llu %6llu %9llu\n", i, (unsigned long long)(reach->count[i] / rounds),
                   (unsigned long long)(reach->sum[i] / reach->count[i]),
                   (unsigned long long)reach->greatest[i]);
        }
    }
}

/* ---- the plot -------------------------------------------------------------------------------- */

enum { COLUMNS = 3, WIDTH = 340, HEIGHT = 250, LEFT = 60, TOP = 60, ACROSS = 260, UP = 150 };

/* A panel: where its origin is, and what is at the ends of its axes. */
struct axes {
    unsigned x, y;
    unsigned hops;
    uint64_t cycles;
};

static double x_of(const struct axes *axes, unsigned hops)
{
    return axes->x + (double)hops * ACROSS / axes->hops;
}

static double y_of(const struct axes *axes, uint64_t cycles)
{
    return axes->y - (double)cycles * UP / (double)axes->cycles;
}

static void print_axes(const struct axes *axes, const char *title)
{
    printf("<text x=\"%u\" y=\"%u\" font-weight=\"bold\">%s</text>\n", axes->x, axes->y - UP - 10,
           title);
    for (uint64_t cycles = 0; cycles <= axes->cycles; cycles += axes->cycles / 7) {
        printf("<path d=\"M%u %.1fh%d\" stroke=\"#ccc\"/><text x=\"%u\" y=\"%.1f\" "
               "text-anchor=\"end\">%llu</text>\n",
               axes->x, y_of(axes, cycles), ACROSS, axes->x - 6, y_of(axes, cycles) + 4,
               (unsigned long long)cycles);
    }
    for (unsigned hops = 0; hops <= axes->hops; hops += axes->hops > 6 ? 2 : 1) {
        printf("<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\">%u</text>\n", x_of(axes, hops),
               axes->y + 18, hops);
    }
}

static void print_panel(const struct reach *reach, enum cluster_fault fault, struct axes axes)
{
    double bound_at = y_of(&axes, bound(fault) + 2 * CLUSTER_SERVICE);

    axes.x += fault % COLUMNS * WIDTH;
    axes.y += fault / COLUMNS * HEIGHT;
    bound_at += fault / COLUMNS * HEIGHT;
    print_axes(&axes, name[fault]);
    printf("<path d=\"M%u %.1fh%d\" stroke=\"#c00\" stroke-dasharray=\"6 4\"/>\n<polyline "
           "fill=\"none\" stroke=\"#06c\" points=\"",
           axes.x, bound_at, ACROSS);
    for (unsigned i = 0; i < DISTANCES; i++) {
        if (reach->count[i] > 0) {
            printf("%.1f,%.1f ", x_of(&axes, i), y_of(&axes, reach->sum[i] / reach->count[i]));
        }
    }
    printf("\"/>\n");
    for (unsigned i = 0; i < DISTANCES; i++) {
        if (reach->count[i] > 0) {
            printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x_of(&axes, i),
                   y_of(&axes, reach->greatest[i]));
        }
    }
}

/* All faults, with the same axes. */
static void print_plot(const struct ni_torus *shape, const struct reach *reach)
{
    struct axes axes = {LEFT, TOP + UP, 1, 0};

    for (unsigned fault = 0; fault < CLUSTER_FAULTS; fault++) {
        axes.cycles = ni_max_u64(axes.cycles, bound((enum cluster_fault)fault));
    }
    axes.cycles = (axes.cycles / 7000 + 1) * 7000;
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        axes.hops += shape->size[i] / 2;
    }
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
           "<text x=\"%d\" y=\"20\">%ux%ux%u cards: cycles until it is known, against hops from "
           "the fault. Circles: greatest; blue: mean; red: bound. T_write %d, T_read %d cycles."
           "</text>\n",
           COLUMNS * WIDTH, CLUSTER_FAULTS / COLUMNS * HEIGHT + 20, LEFT, shape->size[0],
           shape->size[1], shape->size[2], CLUSTER_WRITE, CLUSTER_READ);
    for (unsigned fault = 0; fault < CLUSTER_FAULTS; fault++) {
        print_panel(&reach[fault], (enum cluster_fault)fault, axes);
    }
    printf("</svg>\n");
}

int main(int argc, char **argv)
{
    struct reach reach[CLUSTER_FAULTS];
    struct ni_torus shape = {{8, 8, 8}};
    bool plot = argc > 1 && strcmp(argv[1], "--svg") == 0;
    char **argument = argv + 1 + plot, error[200];
    unsigned rounds = argc - plot > 2 ? (unsigned)atoi(argument[1]) : (unsigned)test_rounds(6, 1);

    if (argc - plot > 1 && ni_torus_parse(argument[0], &shape, error, sizeof error) != NI_OK) {
        fprintf(stderr, "model_dnp_lofamo_reach: %s\n", error);
        return 2;
    }
    for (unsigned fault = 0; fault < CLUSTER_FAULTS; fault++) {
        reach[fault] = measure(shape, (enum cluster_fault)fault, rounds);
        if (!plot) {
            print_table(&reach[fault], (enum cluster_fault)fault, rounds);
        }
    }
    if (plot) {
        print_plot(&shape, reach);
    }
    return 0;
}
