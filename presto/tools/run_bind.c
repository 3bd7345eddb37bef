/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors a rank may use. */
#include "tools/run_bind.h"

#include <stdbool.h>
#include <stdio.h>

/* Take "0-1,8" from a file; false: it is no such list. */
static bool read_list(FILE *file, cpu_set_t *set)
{
    int first, last;

    do {
        if (fscanf(file, "%d", &first) != 1) {
            return false;
        }
        if (fscanf(file, "-%d", &last) != 1) {
            last = first;
        }
        if (first < 0 || last < first || last >= CPU_SETSIZE) {
            return false;
        }
        for (int cpu = first; cpu <= last; cpu++) {
            CPU_SET(cpu, set);
        }
    } while (fgetc(file) == ',');
    return true;
}

/* Those of `allowed` that share the core of `cpu`; false: nobody says which. */
static bool read_core(const char *folder, const cpu_set_t *allowed, int cpu, cpu_set_t *core)
{
    char name[256];
    FILE *file;
    bool good;

    snprintf(name, sizeof(name), "%s/cpu%d/topology/thread_siblings_list", folder, cpu);
    file = fopen(name, "re");
    if (file == NULL) {
        return false;
    }
    CPU_ZERO(core);
    good = read_list(file, core);
    fclose(file);
    CPU_AND(core, core, allowed);
    return good && CPU_ISSET(cpu, core);
}

/* The place that a processor belongs to. */
static void take(enum run_bind what, const char *folder, const cpu_set_t *allowed, int cpu,
                 cpu_set_t *place)
{
    if (what != RUN_BIND_CORE || !read_core(folder, allowed, cpu, place)) {
        CPU_ZERO(place);
        CPU_SET(cpu, place);
    }
}

void run_bind_choose(enum run_bind what, const char *folder, const cpu_set_t *allowed, int number,
                     cpu_set_t *chosen)
{
    cpu_set_t left = *allowed;
    int first[CPU_SETSIZE], places = 0; /* a processor of each place */

    *chosen = *allowed;
    if (what == RUN_BIND_NONE) {
        return;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &left)) {
            take(what, folder, allowed, cpu, chosen);
            CPU_OR(&left, &left, chosen);
            CPU_XOR(&left, &left, chosen);
            first[places++] = cpu;
        }
    }
    if (places > 0) {
        take(what, folder, allowed, first[number % places], chosen);
    }
}
