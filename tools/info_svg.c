/* SPDX-License-Identifier: BSD-3-Clause */
/* The torus as a drawing: planes of the same Z behind each other, each a little up and to the
 * right. */
#include <stdio.h>

#include "info_topology.h"

enum { MARGIN = 60, STEP_Z = 34, RADIUS = 13 };

struct point {
    int x, y;
};

static const char *const colours[NI_TORUS_DIMENSIONS] = {"#1f77b4", "#2ca02c", "#d62728"};

/* Planes behind each other must not meet the next node of the row. */
static int step(const struct ni_torus *torus)
{
    return 50 + STEP_Z * (int)(torus->size[2] - 1);
}

static struct point place_of(const struct ni_torus *torus, uint32_t node)
{
    struct ni_torus_place at = ni_torus_at(torus, node);
    int rows = (int)torus->size[1] - 1, planes = (int)torus->size[2] - 1;

    return (struct point){MARGIN + step(torus) * (int)at.at[0] + STEP_Z * (int)at.at[2],
                          MARGIN + STEP_Z * (planes - (int)at.at[2]) +
                              step(torus) * (rows - (int)at.at[1])};
}

static void line(struct point a, struct point b, const char *colour, const char *more)
{
    printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"%s/>\n", a.x, a.y, b.x, b.y,
           colour, more);
}

/* The link that increases: to the next node, or, over the end, two stubs that leave the drawing. */
static void draw_link(const struct ni_torus *torus, uint32_t node, unsigned d)
{
    static const struct point outward[NI_TORUS_DIMENSIONS] = {{22, 0}, {0, -22}, {15, -15}};
    uint32_t next = ni_torus_neighbour(torus, node, (enum ni_torus_direction)(2 * d));
    struct point a = place_of(torus, node), b = place_of(torus, next), out = outward[d];

    if (torus->size[d] == 1) {
        return;
    }
    if (next > node) {
        line(a, b, colours[d], "");
        return;
    }
    line(a, (struct point){a.x + out.x, a.y + out.y}, colours[d], " stroke-dasharray=\"3 2\"");
    line(b, (struct point){b.x - out.x, b.y - out.y}, colours[d], " stroke-dasharray=\"3 2\"");
}

static void draw_node(const struct info_topology *topology, uint32_t node)
{
    struct point p = place_of(&topology->torus, node);
    struct ni_torus_place at = ni_torus_at(&topology->torus, node);

    printf("<g><title>node %u at %u %u %u, host %s</title>"
           "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"black\"/>"
           "<text x=\"%d\" y=\"%d\">%u</text></g>\n",
           node, at.at[0], at.at[1], at.at[2], info_topology_host(topology, node), p.x, p.y, RADIUS,
           node == topology->here ? "#ffe08a" : "white", p.x, p.y + 4, node);
}

static void draw_route(const struct info_topology *topology)
{
    uint32_t node = topology->from;
    enum ni_torus_direction next;

    while ((next = ni_torus_next(&topology->torus, node, topology->to)) != NI_TORUS_DIRECTIONS) {
        uint32_t after = ni_torus_neighbour(&topology->torus, node, next);

        line(place_of(&topology->torus, node), place_of(&topology->torus, after), "#ff9900",
             " stroke-width=\"5\" stroke-opacity=\"0.6\"");
        node = after;
    }
}

void info_topology_print_svg(const struct info_topology *topology)
{
    const struct ni_torus *torus = &topology->torus;
    uint32_t nodes = ni_torus_nodes(torus);
    int planes = STEP_Z * (int)(torus->size[2] - 1);
    int width = 2 * MARGIN + step(torus) * (int)(torus->size[0] - 1) + planes;
    int height = 2 * MARGIN + step(torus) * (int)(torus->size[1] - 1) + planes;

    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\" "
           "text-anchor=\"middle\">\n"
           "<title>Torus of %ux%ux%u nodes</title>\n",
           width, height, width, height, torus->size[0], torus->size[1], torus->size[2]);
    for (uint32_t node = 0; node < nodes; node++) {
        for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
            draw_link(torus, node, d);
        }
    }
    if (topology->with_route) {
        draw_route(topology);
    }
    for (uint32_t node = nodes; node-- > 0;) {
        draw_node(topology, node);
    }
    printf("</svg>\n");
}
