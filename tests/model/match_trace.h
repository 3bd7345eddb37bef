/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_MATCH_TRACE_H
#define TESTS_MODEL_MATCH_TRACE_H

#include <apeni/status.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "match_model.h"

/*
 * Random traces of appends, removals and searches, with what is found deleted or kept, and every
 * way on behind it, on a list under test and on a linear walk. Each answer must be that of the
 * walk, with each kind of vector code that the processor has, and whichever allocation fails.
 */

enum { MATCH_TRACE_MOST = 4000 }; /* nodes at one time */

/* Make the pool of the nodes. Their numbers are their indices in it. Ends the program when out of
 * memory. */
void match_trace_pool(struct ni_pool *nodes, size_t node_size);

/* The list under test, of which there is one. Nodes are named by numbers below MATCH_TRACE_MOST; -1
 * is none. */
struct match_trace_list {
    const char *program, *nodes; /* as messages name them */
    bool wild;                   /* nodes have masks, searches have none; otherwise the reverse */
    void (*init)(enum ni_simd simd);
    void (*fini)(void);
    ni_status (*append)(const struct model_item *node);
    void (*remove)(uint32_t number);
    long (*search)(const struct model_item *wanted);
    long (*next)(uint32_t number, const struct model_item *wanted);
    size_t (*length)(void);
    size_t (*most)(void); /* nodes that there have been at one time */
};

/* Many seeds, or one: PROGRAM [SEED [STEPS]]. Its result is that of main. */
int match_trace_main(const struct match_trace_list *list, int argc, char **argv);

#endif
