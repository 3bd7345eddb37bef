/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory_node.h"

enum { NODES_MAX = 64 }; /* bits of the mask that the kernel is given */

/* Nodes are numbers, and so a set of them is what a set of processors is. */
static bool read_nodes(struct ni_cpus *nodes)
{
    memset(nodes, 0, sizeof(*nodes));
    return ni_cpus_read(nodes, "/sys/devices/system/node/has_memory") && ni_cpus_count(nodes) != 0;
}

unsigned ni_memory_nodes(void)
{
    struct ni_cpus nodes;

    return read_nodes(&nodes) ? ni_cpus_count(&nodes) : 1;
}

int ni_memory_node_choose(const struct ni_cpus *bound, const struct ni_cpus *nodes, int count)
{
    for (int node = 0; node < count; node++) {
        bool all = ni_cpus_count(bound) != 0;

        for (int cpu = ni_cpus_next(bound, 0); all && cpu >= 0;
             cpu = ni_cpus_next(bound, (unsigned)cpu + 1)) {
            all = ni_cpus_has(&nodes[node], (unsigned)cpu);
        }
        if (all) {
            return node;
        }
    }
    return -1;
}

int ni_memory_node_near(void)
{
    struct ni_cpus nodes, bound = {{0}};

    if (!read_nodes(&nodes) || ni_cpus_count(&nodes) == 1 || !ni_cpus_bound(&bound)) {
        return -1;
    }
    for (int node = ni_cpus_next(&nodes, 0); node >= 0 && node < NODES_MAX;
         node = ni_cpus_next(&nodes, (unsigned)node + 1)) {
        struct ni_cpus here = {{0}};
        char path[64];

        snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
        if (ni_cpus_read(&here, path) && ni_memory_node_choose(&bound, &here, 1) == 0) {
            return node;
        }
    }
    return -1;
}

int ni_memory_node_prefer(int fd, uint64_t from, uint64_t to, int node)
{
    unsigned long mask;
    int error = 0;
    void *memory;

    if (node < 0 || node >= NODES_MAX) {
        return EINVAL;
    }
    /* The policy belongs to the file: it stays when this mapping is gone, and no page is
     * touched. */
    memory = mmap(NULL, to - from, PROT_NONE, MAP_SHARED, fd, (off_t)from);
    if (memory == MAP_FAILED) {
        return errno;
    }
    mask = 1UL << node;
    /* The kernel takes one bit less than it is told. */
    if (syscall(SYS_mbind, memory, to - from, MPOL_PREFERRED, &mask, NODES_MAX + 1, 0) != 0) {
        error = errno;
    }
    munmap(memory, to - from);
    return error;
}
