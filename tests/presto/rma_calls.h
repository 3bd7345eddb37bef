/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of rma_calls share. */
#ifndef PRESTO_TESTS_RMA_CALLS_H
#define PRESTO_TESTS_RMA_CALLS_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern _Thread_local int rank, size, checks;

/* Ends the job. */
void rma_fail(const char *file, int line, const char *what, long long got, long long want);

#define EQUAL(got, want)                              \
    do {                                              \
        long long g = (got), w = (want);              \
        checks++;                                     \
        if (g != w) {                                 \
            rma_fail(__FILE__, __LINE__, #got, g, w); \
        }                                             \
    } while (0)

static inline int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

#define CLASS(call, want) EQUAL(class_of(call), want)

static inline int right(void)
{
    return (rank + 1) % size;
}

static inline int left(void)
{
    return (rank + size - 1) % size;
}

static inline int shared_memory(void)
{
    const char *text = getenv("PRESTO_RMA_SHARED");
    return text == NULL || strcmp(text, "0") != 0;
}

/* Numbers that all ranks can compute. */
static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9U;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/* ---- cases ---- */

void rma_attributes(void);
void rma_errors(void);
void rma_shared_of(int apart);
void rma_dynamic(void);
void rma_pieces(void);
void rma_exposures(void);
void rma_types(int allocate);
void rma_requests(void);
void rma_part_of_the_ranks(void);
void rma_locks(void);
void rma_greed(void);
void rma_trace(int allocate);
/* flavor: MPI_WIN_FLAVOR_CREATE, _ALLOCATE, _DYNAMIC */
void rma_long(int flavor);
void rma_large(void);
void rma_runs(int flavor);

#endif
