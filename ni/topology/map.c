/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/torus.h>

#include "base/alloc.h"
#include "topology/map_line.h"

/* Which host is which node. */

struct ni_torus_map {
    struct ni_torus shape;
    struct ni_torus_line *lines; /* sorted by node once the file is read */
    uint32_t count, room;
};

/* Where what is wrong is written to, and the file that it is about. */
struct reader {
    const char *path;
    char *error;
    size_t error_size;
};

static ni_status refuse_map(const struct reader *reader, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* line 0: it is about the whole file. */
static ni_status refuse_map(const struct reader *reader, unsigned line, const char *format, ...)
{
    char text[512], place[16] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (line != 0) {
        snprintf(place, sizeof(place), ":%u", line);
    }
    snprintf(reader->error, reader->error_size, "%s%s: %s", reader->path, place, text);
    return NI_ERR_PARAM;
}

static ni_status add_node(struct ni_torus_map *map, const struct ni_torus_line *line)
{
    if (map->count == map->room) {
        uint32_t room = map->room == 0 ? 64 : 2 * map->room;
        struct ni_torus_line *more = ni_calloc(room, sizeof(*more));

        if (more == NULL) {
            return NI_ERR_NOMEM;
        }
        if (map->count != 0) {
            memcpy(more, map->lines, map->count * sizeof(*more));
        }
        ni_free(map->lines);
        map->lines = more;
        map->room = room;
    }
    map->lines[map->count++] = *line;
    return NI_OK;
}

static ni_status read_lines(struct ni_torus_map *map, const struct reader *reader, FILE *file)
{
    ni_status status = NI_OK;
    char *text = NULL, wrong[400];
    size_t size = 0;

    for (unsigned number = 1; status == NI_OK && getline(&text, &size, file) >= 0; number++) {
        struct ni_torus_line line = {.number = number};

        status = ni_torus_line_parse(text, &line, wrong, sizeof(wrong));
        if (status == NI_OK && map->count == NI_TORUS_NODES_MAX) {
            status = refuse_map(reader, number, "there are more than %d hosts", NI_TORUS_NODES_MAX);
        } else if (status == NI_OK) {
            status = add_node(map, &line);
        } else if (status == NI_ERR_PARAM) {
            refuse_map(reader, number, "%s", wrong);
        } else if (status == NI_ERR_NOTFOUND) {
            status = NI_OK;
        }
    }
    free(text);
    return status;
}

static int by_host(const void *a, const void *b)
{
    const struct ni_torus_line *one = a, *other = b;
    int order = strcmp(one->host, other->host);

    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

static int by_number(const void *a, const void *b)
{
    const struct ni_torus_line *one = a, *other = b;

    return (one->number > other->number) - (one->number < other->number);
}

static int by_place(const void *a, const void *b)
{
    const struct ni_torus_line *one = a, *other = b;

    for (unsigned d = NI_TORUS_DIMENSIONS; d-- > 0;) {
        if (one->at.at[d] != other->at.at[d]) {
            return one->at.at[d] < other->at.at[d] ? -1 : 1;
        }
    }
    return by_number(a, b);
}

/* No host twice, and coordinates for all or for none. Leaves the lines in the order of the file. */
static ni_status check_hosts(struct ni_torus_map *map, const struct reader *reader)
{
    if (map->count == 0) {
        return refuse_map(reader, 0, "no host is named");
    }
    qsort(map->lines, map->count, sizeof(*map->lines), by_host);
    for (uint32_t i = 1; i < map->count; i++) {
        const struct ni_torus_line *line = &map->lines[i];

        if (strcmp(line->host, line[-1].host) == 0) {
            return refuse_map(reader, line->number, "host %s is in line %u already", line->host,
                              line[-1].number);
        }
    }
    qsort(map->lines, map->count, sizeof(*map->lines), by_number);
    for (uint32_t i = 1; i < map->count; i++) {
        const struct ni_torus_line *line = &map->lines[i];

        if (line->placed != map->lines[0].placed) {
            return refuse_map(
                reader, line->placed ? map->lines[0].number : line->number,
                "host %s has no coordinates, but that of line %u has; give them to all "
                "or to none",
                line->placed ? map->lines[0].host : line->host,
                line->placed ? line->number : map->lines[0].number);
        }
    }
    return NI_OK;
}

/* As large as the coordinates need. */
static ni_status shape_of_places(struct ni_torus_map *map, const struct reader *reader)
{
    uint64_t nodes = 1;

    for (uint32_t i = 0; i < map->count; i++) {
        for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
            uint32_t size = map->lines[i].at.at[d] + 1;

            map->shape.size[d] = size > map->shape.size[d] ? size : map->shape.size[d];
        }
    }
    for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
        nodes *= map->shape.size[d];
    }
    if (nodes > NI_TORUS_NODES_MAX) {
        return refuse_map(reader, 0, "the coordinates need a torus of %ux%ux%u, more than %d nodes",
                          map->shape.size[0], map->shape.size[1], map->shape.size[2],
                          NI_TORUS_NODES_MAX);
    }
    return NI_OK;
}

static ni_status check_range(const struct ni_torus_map *map, const struct reader *reader)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct ni_torus_line *line = &map->lines[i];

        for (unsigned d = 0; d < NI_TORUS_DIMENSIONS; d++) {
            if (line->at.at[d] >= map->shape.size[d]) {
                return refuse_map(
                    reader, line->number,
                    "host %s: coordinate %c = %u is outside of the torus of %ux%ux%u, "
                    "where it is at most %u",
                    line->host, 'X' + (char)d, line->at.at[d], map->shape.size[0],
                    map->shape.size[1], map->shape.size[2], map->shape.size[d] - 1);
            }
        }
    }
    return NI_OK;
}

/* Every node once. Leaves the lines in the order of nodes. */
static ni_status check_places(struct ni_torus_map *map, const struct reader *reader)
{
    uint32_t nodes = ni_torus_nodes(&map->shape);

    qsort(map->lines, map->count, sizeof(*map->lines), by_place);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = i < map->count ? ni_torus_node(&map->shape, &map->lines[i].at) : nodes;
        struct ni_torus_place at = ni_torus_at(&map->shape, i);

        if (node < i) {
            return refuse_map(reader, map->lines[i].number,
                              "host %s has the coordinates %u %u %u of host %s in line %u",
                              map->lines[i].host, map->lines[i].at.at[0], map->lines[i].at.at[1],
                              map->lines[i].at.at[2], map->lines[i - 1].host,
                              map->lines[i - 1].number);
        }
        if (node > i) {
            return refuse_map(
                reader, 0,
                "no host has the coordinates %u %u %u, which the torus of %ux%ux%u needs", at.at[0],
                at.at[1], at.at[2], map->shape.size[0], map->shape.size[1], map->shape.size[2]);
        }
    }
    if (map->count > nodes) {
        const struct ni_torus_line *line = &map->lines[nodes];

        return refuse_map(reader, line->number,
                          "host %s has the coordinates %u %u %u of host %s in "
                          "line %u",
                          line->host, line->at.at[0], line->at.at[1], line->at.at[2], line[-1].host,
                          line[-1].number);
    }
    return NI_OK;
}

/* Nodes in the order of lines. */
static ni_status place_in_order(struct ni_torus_map *map, const struct reader *reader,
                                const struct ni_torus *shape)
{
    if (shape == NULL) {
        ni_torus_near_cubic(map->count, &map->shape);
    } else if (ni_torus_nodes(&map->shape) != map->count) {
        return refuse_map(reader, 0, "%u hosts are named, but a torus of %ux%ux%u has %u nodes",
                          map->count, shape->size[0], shape->size[1], shape->size[2],
                          ni_torus_nodes(shape));
    }
    for (uint32_t i = 0; i < map->count; i++) {
        map->lines[i].at = ni_torus_at(&map->shape, i);
    }
    return NI_OK;
}

static ni_status place_nodes(struct ni_torus_map *map, const struct reader *reader,
                             const struct ni_torus *shape)
{
    ni_status status = check_hosts(map, reader);

    if (status != NI_OK) {
        return status;
    }
    map->shape = shape != NULL ? *shape : (struct ni_torus){{1, 1, 1}};
    if (!map->lines[0].placed) {
        return place_in_order(map, reader, shape);
    }
    status = shape == NULL ? shape_of_places(map, reader) : check_range(map, reader);
    return status != NI_OK ? status : check_places(map, reader);
}

ni_status ni_torus_map_read(const char *path, const struct ni_torus *shape,
                            struct ni_torus_map **map, char *error, size_t error_size)
{
    const struct reader reader = {path, error, error_size};
    FILE *file = fopen(path, "re");
    struct ni_torus_map *found = ni_calloc(1, sizeof(*found));
    ni_status status = found == NULL ? NI_ERR_NOMEM : NI_OK;

    if (error_size != 0) {
        snprintf(error, error_size, "%s: out of memory", path);
    }
    if (file == NULL) {
        refuse_map(&reader, 0, "cannot be read: %s", strerror(errno));
        status = NI_ERR_SYSTEM;
    }
    if (status == NI_OK) {
        status = read_lines(found, &reader, file);
    }
    if (status == NI_OK && ferror(file)) {
        refuse_map(&reader, 0, "cannot be read: %s", strerror(errno));
        status = NI_ERR_SYSTEM;
    }
    if (status == NI_OK) {
        status = place_nodes(found, &reader, shape);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (status != NI_OK) {
        ni_torus_map_free(found);
        return status;
    }
    *map = found;
    return NI_OK;
}

void ni_torus_map_free(struct ni_torus_map *map)
{
    if (map != NULL) {
        ni_free(map->lines);
        ni_free(map);
    }
}

struct ni_torus ni_torus_map_shape(const struct ni_torus_map *map)
{
    return map->shape;
}

const char *ni_torus_map_host(const struct ni_torus_map *map, uint32_t node)
{
    return map->lines[node].host;
}

ni_status ni_torus_map_find(const struct ni_torus_map *map, const char *host, uint32_t *node)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (strcmp(map->lines[i].host, host) == 0) {
            *node = i;
            return NI_OK;
        }
    }
    return NI_ERR_NOTFOUND;
}
