/* SPDX-License-Identifier: BSD-3-Clause */
/* The torus of nodes: found, and printed as text and JSON. */
#include "info_topology.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/number.h"
#include "info.h"

/* More than that is of no use to people. */
enum { TABLE_NODES_MAX = 1024, DRAWN_NODES_MAX = 256, DRAWN_COLUMNS_MAX = 16 };

const char *info_topology_host(const struct info_topology *topology, uint32_t node)
{
    return topology->map != NULL ? ni_torus_map_host(topology->map, node) : "-";
}

/* By its name, or that without a domain. */
static uint32_t find_here(const struct info_topology *topology)
{
    char name[NI_TORUS_HOST_MAX + 1] = "";
    uint32_t node;

    if (topology->map == NULL || gethostname(name, sizeof name - 1) != 0) {
        return UINT32_MAX;
    }
    if (ni_torus_map_find(topology->map, name, &node) == NI_OK) {
        return node;
    }
    name[strcspn(name, ".")] = '\0';
    return ni_torus_map_find(topology->map, name, &node) == NI_OK ? node : UINT32_MAX;
}

static bool complain(const char *where, const char *what)
{
    fprintf(stderr, "apeni-info: %s: %s\n", where, what);
    return false;
}

/* Of so many nodes, as the user says; without a number, one. */
static bool choose_shape(const char *nodes, struct info_topology *topology)
{
    uint64_t count = 1;
    const char *wrong = nodes == NULL ? NULL : ni_number_parse(nodes, strlen(nodes), false, &count);

    if (wrong != NULL || count > UINT32_MAX ||
        ni_torus_near_cubic((uint32_t)count, &topology->torus) != NI_OK) {
        fprintf(stderr, "apeni-info: --nodes \"%s\": a number from 1 to %d is wanted\n", nodes,
                NI_TORUS_NODES_MAX);
        return false;
    }
    topology->origin = nodes == NULL ? "one node, since nothing says more" : "the most cubic one";
    return true;
}

static bool find_shape(const struct info_topology_request *request, struct info_topology *topology)
{
    const struct ni_config *config = ni_config_get();
    bool shaped = *config->torus != '\0';
    char error[700], name[64];

    if (shaped && ni_torus_parse(config->torus, &topology->torus, error, sizeof error) != NI_OK) {
        ni_config_name("torus", name, sizeof name);
        return complain(name, error);
    }
    if (request->nodes != NULL && (shaped || *config->torus_hosts != '\0')) {
        return complain("--nodes", "how many there are is said by the parameters torus or "
                                   "torus_hosts; leave one of them out");
    }
    if (*config->torus_hosts != '\0') {
        if (ni_torus_map_read(config->torus_hosts, shaped ? &topology->torus : NULL, &topology->map,
                              error, sizeof error) != NI_OK) {
            ni_config_name("torus_hosts", name, sizeof name);
            return complain(name, error);
        }
        topology->torus = ni_torus_map_shape(topology->map);
        topology->origin = shaped ? "given" : "as the file of hosts needs it";
        return true;
    }
    topology->origin = "given";
    return shaped || choose_shape(request->nodes, topology);
}

/* A node by its number or host. */
static bool find_node(const struct info_topology *topology, const char *text, uint32_t *node)
{
    uint64_t number;

    if (topology->map != NULL && ni_torus_map_find(topology->map, text, node) == NI_OK) {
        return true;
    }
    if (ni_number_parse(text, strlen(text), false, &number) == NULL &&
        number < ni_torus_nodes(&topology->torus)) {
        *node = (uint32_t)number;
        return true;
    }
    fprintf(stderr, "apeni-info: --route: \"%s\" is no node; a number from 0 to %u%s is wanted\n",
            text, ni_torus_nodes(&topology->torus) - 1,
            topology->map != NULL ? " or the name of a host" : "");
    return false;
}

static bool find_route(const char *route, struct info_topology *topology)
{
    char ends[2 * NI_TORUS_HOST_MAX + 2];
    char *comma;

    if (route == NULL) {
        return true;
    }
    snprintf(ends, sizeof ends, "%s", route);
    comma = strchr(ends, ',');
    if (comma == NULL) {
        fprintf(stderr, "apeni-info: --route \"%s\": two nodes joined by a comma are wanted\n",
                route);
        return false;
    }
    *comma = '\0';
    topology->with_route = true;
    return find_node(topology, ends, &topology->from) &&
           find_node(topology, comma + 1, &topology->to);
}

bool info_topology_find(const struct info_topology_request *request, struct info_topology *topology)
{
    *topology = (struct info_topology){.here = UINT32_MAX};
    if (!find_shape(request, topology) || !find_route(request->route, topology)) {
        info_topology_free(topology);
        return false;
    }
    topology->here = find_here(topology);
    return true;
}

void info_topology_free(struct info_topology *topology)
{
    ni_torus_map_free(topology->map);
    topology->map = NULL;
}

static void print_table(const struct info_topology *topology)
{
    uint32_t nodes = ni_torus_nodes(&topology->torus);

    printf("\n    node  host                 x   y   z     X+    X-    Y+    Y-    Z+    Z-\n");
    for (uint32_t node = 0; node < nodes; node++) {
        struct ni_torus_place at = ni_torus_at(&topology->torus, node);

        printf("  %s %5u  %-16s %5u %3u %3u ", node == topology->here ? "*" : " ", node,
               info_topology_host(topology, node), at.at[0], at.at[1], at.at[2]);
        for (int d = 0; d < NI_TORUS_DIRECTIONS; d++) {
            printf(" %5u", ni_torus_neighbour(&topology->torus, node, (enum ni_torus_direction)d));
        }
        printf("\n");
    }
}

/* Links along Y, above or below a row. A dimension of size 1 has none. */
static void draw_columns(const struct ni_torus *torus, int width)
{
    printf("  ");
    for (uint32_t x = 0; torus->size[1] > 1 && x < torus->size[0]; x++) {
        printf("    %*s", width, "|");
    }
    printf("\n");
}

static void draw_row(const struct ni_torus *torus, uint32_t y, uint32_t z, int width)
{
    printf("    %s", torus->size[0] > 1 ? "-" : " ");
    for (uint32_t x = 0; x < torus->size[0]; x++) {
        const struct ni_torus_place at = {{x, y, z}};

        printf(" %*u %s", width, ni_torus_node(torus, &at),
               torus->size[0] == 1       ? ""
               : x + 1 == torus->size[0] ? "-"
                                         : "--");
    }
    printf("\n");
}

/* Planes of the same Z. Links that end at the rim go on at the other one. */
static void draw(const struct ni_torus *torus)
{
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%u", ni_torus_nodes(torus) - 1);

    for (uint32_t z = 0; z < torus->size[2]; z++) {
        printf("\n  z = %u\n", z);
        for (uint32_t y = torus->size[1]; y-- > 0;) {
            if (torus->size[1] > 1) {
                draw_columns(torus, width);
            }
            draw_row(torus, y, z, width);
        }
        if (torus->size[1] > 1) {
            draw_columns(torus, width);
        }
    }
}

static void print_route(const struct info_topology *topology)
{
    uint32_t node = topology->from;
    enum ni_torus_direction next;

    printf("\n  route of %u hops: node %u",
           ni_torus_hops(&topology->torus, topology->from, topology->to), node);
    while ((next = ni_torus_next(&topology->torus, node, topology->to)) != NI_TORUS_DIRECTIONS) {
        node = ni_torus_neighbour(&topology->torus, node, next);
        printf(", %s to %u", ni_torus_direction_name(next), node);
    }
    printf("\n");
}

static void gather(const struct info_topology *topology, struct info_facts *facts)
{
    const struct ni_torus *torus = &topology->torus;

    facts->key = "topology";
    facts->title = "Topology";
    info_add_text(facts, "shape", "%ux%ux%u", torus->size[0], torus->size[1], torus->size[2]);
    info_add_text(facts, "shape_is", "%s", topology->origin);
    info_add_number(facts, "nodes", ni_torus_nodes(torus));
    info_add_number(facts, "most_hops", ni_torus_diameter(torus));
    info_add_text(facts, "mean_hops", "%.3f", ni_torus_mean_hops(torus));
    if (topology->here != UINT32_MAX) {
        info_add_number(facts, "this_host_is_node", topology->here);
    }
    if (topology->with_route) {
        info_add_number(facts, "route_hops", ni_torus_hops(torus, topology->from, topology->to));
    }
}

void info_topology_print_text(const struct info_topology *topology)
{
    struct info_facts facts = {.count = 0};
    uint32_t nodes = ni_torus_nodes(&topology->torus);

    gather(topology, &facts);
    info_print_text(&facts);
    if (nodes <= TABLE_NODES_MAX) {
        print_table(topology);
    }
    if (nodes <= DRAWN_NODES_MAX && topology->torus.size[0] <= DRAWN_COLUMNS_MAX) {
        draw(&topology->torus);
    } else {
        printf("\n  Too large to be drawn in letters; --topology=svg draws up to 4096 nodes.\n");
    }
    if (topology->with_route) {
        print_route(topology);
    }
}

void info_topology_print_json(const struct info_topology *topology)
{
    struct info_facts facts = {.count = 0};

    gather(topology, &facts);
    info_print_json(&facts);
}
