/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <apeni/torus.h>

#include "base/number.h"

/* The shape of a torus: chosen, or read. */

ni_status ni_torus_near_cubic(uint32_t nodes, struct ni_torus *torus)
{
    uint64_t best = UINT64_MAX;

    if (nodes == 0 || nodes > NI_TORUS_NODES_MAX) {
        return NI_ERR_INVALID;
    }
    for (uint32_t z = 1; z * z * z <= nodes; z++) {
        if (nodes % z != 0) {
            continue;
        }

        uint32_t plane = nodes / z;

        for (uint32_t y = z; (uint64_t)y * y <= plane; y++) {
            if (plane % y != 0) {
                continue;
            }

            uint32_t x = plane / y;
            uint64_t surface = (uint64_t)x * y + (uint64_t)y * z + (uint64_t)z * x;

            if (surface < best) {
                best = surface;
                *torus = (struct ni_torus){{x, y, z}};
            }
        }
    }
    return NI_OK;
}

static ni_status refuse_shape(const char *text, const char *what, char *error, size_t error_size)
{
    snprintf(error, error_size,
             "\"%s\": %s; a shape such as 4x2x2 is wanted, of one to three sizes of at least 1 and "
             "at most %d nodes",
             text, what, NI_TORUS_NODES_MAX);
    return NI_ERR_PARAM;
}

ni_status ni_torus_parse(const char *text, struct ni_torus *torus, char *error, size_t error_size)
{
    struct ni_torus found = {{1, 1, 1}};
    uint64_t nodes = 1;
    const char *at = text;

    for (unsigned d = 0;; d++) {
        size_t length = strcspn(at, "xX");
        uint64_t size;
        const char *wrong = length == 0 && *text != '\0'
                                ? "a size is missing"
                                : ni_number_parse(at, length, false, &size);

        if (wrong != NULL) {
            return refuse_shape(text, wrong, error, error_size);
        }
        if (d == NI_TORUS_DIMENSIONS) {
            return refuse_shape(text, "there are more than three sizes", error, error_size);
        }
        if (size == 0) {
            return refuse_shape(text, "a size is 0", error, error_size);
        }
        if (size > NI_TORUS_NODES_MAX || (nodes *= size) > NI_TORUS_NODES_MAX) {
            return refuse_shape(text, "there are too many nodes", error, error_size);
        }
        found.size[d] = (uint32_t)size;
        at += length;
        if (*at == '\0') {
            break;
        }
        at++;
    }
    *torus = found;
    return NI_OK;
}
