/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_HOOKS_WAY_H
#define TESTS_HOOKS_WAY_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the ways in which a program does something; its first argument names it. */
struct way {
    const char *name;
    void (*run)(void);
};

/* The way of this name, of `count`; the job ends if there is none. name NULL: none is named. */
static inline const struct way *find_way(const struct way *ways, size_t count, const char *name)
{
    for (size_t i = 0; i < count && name != NULL; i++) {
        if (strcmp(name, ways[i].name) == 0) {
            return &ways[i];
        }
    }
    fprintf(stderr, "no such way: %s\n", name != NULL ? name : "(none)");
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

#endif
