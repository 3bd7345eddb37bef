/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_MEMORY_NODE_H
#define NI_BASE_MEMORY_NODE_H

#include <stdint.h>

#include "base/topology.h"

/* Memory nodes (NUMA): which one this process is near, and where the pages of a file are put. */

/* How many nodes with memory there are, 1 if the system does not say. */
unsigned ni_memory_nodes(void);

/* The node whose processors are the only ones on which the calling thread may run, now. -1: there
 * is one node only, or the thread may run near several, so that no node is near for good. */
int ni_memory_node_near(void);

/* As ni_memory_node_near, of these processors and nodes 0 and up, count of them. Pure. */
int ni_memory_node_choose(const struct ni_cpus *bound, const struct ni_cpus *nodes, int count);

/* Pages of this part of a shared memory file that are allocated from now on, by whatever process,
 * shall lie on the node if it has room. Parts begin and end at pages. Returns 0 or errno. */
int ni_memory_node_prefer(int fd, uint64_t from, uint64_t to, int node);

#endif
