/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_TORUS_H
#define APENI_TORUS_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * A three-dimensional torus of nodes, as APEnet+ cards form one: six links of a node, with
 * coordinates increasing and decreasing along X, Y and Z, lead to its neighbours, and the last node
 * of a row is the neighbour of the first.
 *
 * Nodes are numbered with X fastest: node x + size[0] * (y + size[1] * z) is at (x, y, z). In a
 * dimension of size 1 a node is its own neighbour; in one of size 2 both links lead to the same
 * node. Routes are dimension-ordered: all steps along X, then Y, then Z, each the shorter way
 * round; of two equally short ways, which there are if a size is even, the one that increases.
 *
 * Everything here only computes: no network is asked, and nothing is sent another way. Functions of
 * this header are thread-safe. A torus must be one that a function below has filled in, and node
 * numbers below ni_torus_nodes().
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

enum { NI_TORUS_DIMENSIONS = 3, NI_TORUS_NODES_MAX = 1 << 20, NI_TORUS_HOST_MAX = 255 };

/* The links of a node. direction / 2 is the dimension, direction % 2 is 1 for decreasing. */
enum ni_torus_direction {
    NI_TORUS_X_PLUS,
    NI_TORUS_X_MINUS,
    NI_TORUS_Y_PLUS,
    NI_TORUS_Y_MINUS,
    NI_TORUS_Z_PLUS,
    NI_TORUS_Z_MINUS,
    NI_TORUS_DIRECTIONS /* how many; as an answer: none */
};

struct ni_torus {
    uint32_t size[NI_TORUS_DIMENSIONS]; /* X, Y, Z; each at least 1 */
};

struct ni_torus_place {
    uint32_t at[NI_TORUS_DIMENSIONS]; /* X, Y, Z; each below the size */
};

/* The most cubic torus of so many nodes, 1 to NI_TORUS_NODES_MAX: the one with the smallest surface
 * XY + YZ + ZX, where X >= Y >= Z; of a prime number of nodes, a ring. NI_ERR_INVALID: a number out
 * of range. */
ni_status ni_torus_near_cubic(uint32_t nodes, struct ni_torus *torus);

/* Read a shape such as "4x2x2", "8x4" or "16" (sizes that are left out are 1). NI_ERR_PARAM: it is
 * none, and error gets a sentence that names what is wrong and what is wanted. */
ni_status ni_torus_parse(const char *text, struct ni_torus *torus, char *error, size_t error_size);

uint32_t ni_torus_nodes(const struct ni_torus *torus);
struct ni_torus_place ni_torus_at(const struct ni_torus *torus, uint32_t node);
uint32_t ni_torus_node(const struct ni_torus *torus, const struct ni_torus_place *at);

/* The node at the other end of a link. */
uint32_t ni_torus_neighbour(const struct ni_torus *torus, uint32_t node,
                            enum ni_torus_direction direction);

/* How many links a route has; 0 from a node to itself. */
uint32_t ni_torus_hops(const struct ni_torus *torus, uint32_t from, uint32_t to);

/* The hops of the longest route. */
uint32_t ni_torus_diameter(const struct ni_torus *torus);

/* The mean of hops over all pairs of different nodes; 0 if there is one node. */
double ni_torus_mean_hops(const struct ni_torus *torus);

/* The first link of the route, NI_TORUS_DIRECTIONS from a node to itself. Going on from neighbour
 * to neighbour gives the route. */
enum ni_torus_direction ni_torus_next(const struct ni_torus *torus, uint32_t from, uint32_t to);

/* The links of the route in order, of which the first `room` are stored. Returns
 * ni_torus_hops(). */
uint32_t ni_torus_route(const struct ni_torus *torus, uint32_t from, uint32_t to,
                        enum ni_torus_direction *route, uint32_t room);

/* "X+", "X-", ...; never NULL. */
const char *ni_torus_direction_name(enum ni_torus_direction direction);

/*
 * Which host is which node, from a file. Each line names a host, with its three coordinates behind
 * it or without any:
 *
 *     # the first row
 *     red    0 0 0
 *     green  1 0 0
 *
 * With coordinates every node of the torus must be there once. Without them the hosts are nodes 0,
 * 1, 2, ...; then mpirun's host files will do as well, whose words slots=, max_slots= and
 * max-slots= are skipped. What follows # is a comment.
 */
struct ni_torus_map;

/* Read a file. shape: what the torus has to be, or NULL to choose: just as large as the coordinates
 * need, or the most cubic one. NI_ERR_PARAM or NI_ERR_SYSTEM: error gets a sentence that names the
 * file, the line, the value and what is wanted. The caller owns *map. */
ni_status ni_torus_map_read(const char *path, const struct ni_torus *shape,
                            struct ni_torus_map **map, char *error, size_t error_size);
void ni_torus_map_free(struct ni_torus_map *map); /* NULL does nothing */

struct ni_torus ni_torus_map_shape(const struct ni_torus_map *map);
/* The host of a node; belongs to the map. */
const char *ni_torus_map_host(const struct ni_torus_map *map, uint32_t node);
/* NI_ERR_NOTFOUND: no line names this host. */
ni_status ni_torus_map_find(const struct ni_torus_map *map, const char *host, uint32_t *node);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
