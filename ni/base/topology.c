/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"

/* Sets of processors, and what both sources of the topology have in common. */

unsigned ni_cpus_count(const struct ni_cpus *set)
{
    unsigned count = 0;

    for (unsigned i = 0; i < NI_CPUS_MAX / 64; i++) {
        count += (unsigned)__builtin_popcountll(set->bits[i]);
    }
    return count;
}

int ni_cpus_next(const struct ni_cpus *set, unsigned from)
{
    for (unsigned cpu = from; cpu < NI_CPUS_MAX; cpu++) {
        if (ni_cpus_has(set, cpu)) {
            return (int)cpu;
        }
    }
    return -1;
}

bool ni_cpus_meet(const struct ni_cpus *a, const struct ni_cpus *b)
{
    uint64_t common = 0;

    for (unsigned i = 0; i < NI_CPUS_MAX / 64; i++) {
        common |= a->bits[i] & b->bits[i];
    }
    return common != 0;
}

void ni_cpus_join(struct ni_cpus *set, const struct ni_cpus *more)
{
    for (unsigned i = 0; i < NI_CPUS_MAX / 64; i++) {
        set->bits[i] |= more->bits[i];
    }
}

bool ni_cpus_covered(const struct ni_cpus *a, const struct ni_cpus *b, const struct ni_cpus *c)
{
    uint64_t rest = 0;

    for (unsigned i = 0; i < NI_CPUS_MAX / 64; i++) {
        rest |= a->bits[i] & ~(b->bits[i] | c->bits[i]);
    }
    return rest == 0;
}

/* A number below NI_CPUS_MAX, and where it ends. */
static bool parse_cpu(const char **text, unsigned *cpu)
{
    char *end;
    unsigned long value;

    if (**text < '0' || **text > '9') {
        return false;
    }
    value = strtoul(*text, &end, 10);
    *text = end;
    *cpu = (unsigned)value;
    return value < NI_CPUS_MAX;
}

bool ni_cpus_parse(struct ni_cpus *set, const char *list)
{
    unsigned first, last;

    for (;;) {
        if (!parse_cpu(&list, &first)) {
            return false;
        }
        last = first;
        if (*list == '-') {
            list++;
            if (!parse_cpu(&list, &last)) {
                return false;
            }
        }
        for (unsigned cpu = first; cpu <= last; cpu++) {
            ni_cpus_add(set, cpu);
        }
        if (*list != ',') {
            return first <= last && (*list == '\0' || *list == '\n');
        }
        list++;
    }
}

bool ni_cpus_read(struct ni_cpus *set, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(line, sizeof(line), file) != NULL && ni_cpus_parse(set, line);

    if (file != NULL) {
        fclose(file);
    }
    return good;
}

bool ni_cpus_bound(struct ni_cpus *set)
{
    cpu_set_t bound;

    if (sched_getaffinity(0, sizeof(bound), &bound) != 0) {
        return false;
    }
    for (unsigned cpu = 0; cpu < NI_CPUS_MAX && cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &bound)) {
            ni_cpus_add(set, cpu);
        }
    }
    return ni_cpus_count(set) != 0;
}

#ifdef NI_HAVE_HWLOC
#include <hwloc.h>

const char *ni_topology_source(void)
{
    return "hwloc";
}

static void take_set(struct ni_cpus *cpus, hwloc_const_cpuset_t set)
{
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0 && cpu < NI_CPUS_MAX;
         cpu = hwloc_bitmap_next(set, cpu)) {
        ni_cpus_add(cpus, (unsigned)cpu);
    }
}

/* The last cache above a processor, or else its memory node's part of the machine. */
static void take_near(struct ni_topology *found, hwloc_topology_t topology, int cpu)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = NULL;

    for (; object != NULL; object = object->parent) {
        if (hwloc_obj_type_is_cache(object->type) || (cache == NULL && object->memory_arity != 0)) {
            cache = object;
        }
    }
    if (cache != NULL) {
        take_set(&found->near, cache->cpuset);
    }
}

static void take_cores(struct ni_topology *found, hwloc_topology_t topology)
{
    for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, NULL);
         core != NULL; core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) {
        int first = hwloc_bitmap_first(core->cpuset);

        for (int cpu = first; cpu >= 0 && cpu < NI_CPUS_MAX;
             cpu = hwloc_bitmap_next(core->cpuset, cpu)) {
            found->cores[cpu] = (uint16_t)first;
        }
    }
}

static bool find_rest(struct ni_topology *found)
{
    hwloc_topology_t topology;

    if (hwloc_topology_init(&topology) != 0) {
        return false;
    }
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return false;
    }
    take_set(&found->allowed, hwloc_topology_get_allowed_cpuset(topology));
    take_cores(found, topology);
    for (int cpu = ni_cpus_next(&found->bound, 0); cpu >= 0;
         cpu = ni_cpus_next(&found->bound, (unsigned)cpu + 1)) {
        if (!ni_cpus_has(&found->near, (unsigned)cpu)) {
            take_near(found, topology, cpu);
        }
    }
    hwloc_topology_destroy(topology);
    return true;
}

#else

const char *ni_topology_source(void)
{
    return "/sys";
}

/* What a file about a processor lists. */
static bool read_cpu(int cpu, const char *what, struct ni_cpus *cpus)
{
    char path[96];

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, what);
    return ni_cpus_read(cpus, path);
}

static void take_near(struct ni_topology *found, int cpu)
{
    for (int index = 4; index >= 0; index--) {
        char what[64];

        snprintf(what, sizeof(what), "cache/index%d/shared_cpu_list", index);
        if (read_cpu(cpu, what, &found->near)) {
            return;
        }
    }
}

static bool find_rest(struct ni_topology *found)
{
    /* What the control group leaves; where it cannot be seen, all processors: binding to one that
     * is not ours fails, and then another is tried. */
    if (!ni_cpus_read(&found->allowed, "/sys/fs/cgroup/cpuset.cpus.effective") &&
        !ni_cpus_read(&found->allowed, "/sys/fs/cgroup/cpuset/cpuset.effective_cpus") &&
        !ni_cpus_read(&found->allowed, "/sys/devices/system/cpu/online")) {
        return false;
    }
    for (int cpu = ni_cpus_next(&found->allowed, 0); cpu >= 0;
         cpu = ni_cpus_next(&found->allowed, (unsigned)cpu + 1)) {
        struct ni_cpus core = {{0}};

        if (read_cpu(cpu, "topology/thread_siblings_list", &core)) {
            found->cores[cpu] = (uint16_t)ni_cpus_next(&core, 0);
        }
        if (ni_cpus_has(&found->bound, (unsigned)cpu) &&
            !ni_cpus_has(&found->near, (unsigned)cpu)) {
            take_near(found, cpu);
        }
    }
    return true;
}

#endif

ni_status ni_topology_find(struct ni_topology *topology)
{
    memset(topology, 0, sizeof(*topology));
    for (unsigned cpu = 0; cpu < NI_CPUS_MAX; cpu++) {
        topology->cores[cpu] = (uint16_t)cpu;
    }
    if (!ni_cpus_bound(&topology->bound) || !find_rest(topology)) {
        return NI_ERR_UNSUPPORTED;
    }
    ni_cpus_join(&topology->allowed, &topology->bound);
    if (ni_cpus_count(&topology->near) == 0) {
        topology->near = topology->allowed;
    }
    return NI_OK;
}
