/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_TOPOLOGY_MAP_LINE_H
#define NI_TOPOLOGY_MAP_LINE_H

#include <stdbool.h>

#include <apeni/torus.h>

/* One line of a file that says which host is which node. */
struct ni_torus_line {
    unsigned number; /* in the file, from 1 */
    bool placed;     /* it has coordinates */
    struct ni_torus_place at;
    char host[NI_TORUS_HOST_MAX + 1];
};

/* Read a line, which is changed. NI_ERR_NOTFOUND: it names no host, and all is well. NI_ERR_PARAM:
 * error gets what is wrong, without file and line. */
ni_status ni_torus_line_parse(char *text, struct ni_torus_line *line, char *error,
                              size_t error_size);

#endif
