/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_INFO_TOPOLOGY_H
#define TOOLS_INFO_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

/* What apeni-info --topology shows. */
struct info_topology {
    struct ni_torus torus;
    struct ni_torus_map *map; /* NULL: hosts have no names */
    const char *origin;       /* of the shape, for people */
    uint32_t here;            /* the node of this host; UINT32_MAX: it is none, or nobody knows */
    bool with_route;
    uint32_t from, to; /* of the route */
};

/* What the user has asked for; NULL: nothing. nodes: how many; route: two nodes, by number or
 * host, joined by a comma. */
struct info_topology_request {
    const char *nodes, *route;
};

/* From the request and the parameters torus and torus_hosts. False: what is wrong was printed. */
bool info_topology_find(const struct info_topology_request *request,
                        struct info_topology *topology);
void info_topology_free(struct info_topology *topology);

/* The host of a node, or "-". */
const char *info_topology_host(const struct info_topology *topology, uint32_t node);

void info_topology_print_text(const struct info_topology *topology);
void info_topology_print_json(const struct info_topology *topology); /* a member, as info.h says */
void info_topology_print_svg(const struct info_topology *topology);

#endif
