/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_TOPOLOGY_H
#define NI_BASE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * Where this process may run, and what is near: by hwloc if the build has it, otherwise by
 * sched_getaffinity and /sys. Processors have the numbers of the operating system.
 */

enum { NI_CPUS_MAX = 1024 }; /* as of the C library's cpu_set_t */

/* A set of processors. */
struct ni_cpus {
    uint64_t bits[NI_CPUS_MAX / 64];
};

static inline bool ni_cpus_has(const struct ni_cpus *set, unsigned cpu)
{
    return cpu < NI_CPUS_MAX && (set->bits[cpu / 64] >> cpu % 64 & 1) != 0;
}

static inline void ni_cpus_add(struct ni_cpus *set, unsigned cpu)
{
    if (cpu < NI_CPUS_MAX) {
        set->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
    }
}

unsigned ni_cpus_count(const struct ni_cpus *set);
/* The lowest one that is not below `from`; -1: there is none. */
int ni_cpus_next(const struct ni_cpus *set, unsigned from);
bool ni_cpus_meet(const struct ni_cpus *a, const struct ni_cpus *b);
void ni_cpus_join(struct ni_cpus *set, const struct ni_cpus *more);
/* Whether each of a is in b or c. */
bool ni_cpus_covered(const struct ni_cpus *a, const struct ni_cpus *b, const struct ni_cpus *c);
/* Add those of a list such as "0-3,8,10-11"; false: it is not one, and the set is undefined. */
bool ni_cpus_parse(struct ni_cpus *set, const char *list);
/* Add those of the list in a file of /sys; false: as above, or there is no such file. */
bool ni_cpus_read(struct ni_cpus *set, const char *path);
/* Add those on which the calling thread may run; false: the system does not say. */
bool ni_cpus_bound(struct ni_cpus *set);

struct ni_topology {
    struct ni_cpus allowed; /* what the control group leaves to the process */
    struct ni_cpus bound;   /* where the calling thread may run */
    struct ni_cpus near;    /* share the last cache with one of `bound`; all that are allowed if
                             * nobody knows */
    /* cores[c]: the lowest processor of the core that c belongs to. */
    uint16_t cores[NI_CPUS_MAX];
};

/* As it is now, of the calling thread. NI_ERR_UNSUPPORTED: the system does not say. */
ni_status ni_topology_find(struct ni_topology *topology);
/* Who found it, for people: "hwloc 2.9.0", "/sys". */
const char *ni_topology_source(void);

#endif
