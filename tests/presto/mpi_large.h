/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_LARGE_H
#define MPI_LARGE_H

/* What the parts of mpi_large share: checks, and more memory than an int counts, of which only the
 * first piece is there. */
#include <mpi.h>
#include <stddef.h>

extern int large_rank, large_size, large_checks;

/* Each begins and ends with all ranks. */
void large_few(void);
void large_many(void);

/* Says what was wrong and ends the job. */
void large_fail(const char *file, int line, const char *what, long long got, long long want);

#define EQUAL(got, want)                                \
    do {                                                \
        long long g = (got), w = (want);                \
        large_checks++;                                 \
        if (g != w) {                                   \
            large_fail(__FILE__, __LINE__, #got, g, w); \
        }                                               \
    } while (0)

static inline int large_class(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define CLASS(call, want) EQUAL(large_class(call), want)
#define OK(call)          CLASS(call, MPI_SUCCESS)

#endif
