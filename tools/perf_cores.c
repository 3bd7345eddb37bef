/* SPDX-License-Identifier: BSD-3-Clause */
/* On which cores processes run. */
#include "perf.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static void allowed_cores(cpu_set_t *set)
{
    if (sched_getaffinity(0, sizeof(*set), set) != 0) {
        perf_fail("cannot read which cores this process may use: %s", strerror(errno));
    }
}

/* Which hardware threads share the core of this one, as the kernel says it: "0-1", "0,8". */
static void siblings(int core, char *text, size_t size)
{
    char path[96];
    FILE *file;

    snprintf(text, size, "%d", core);
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             core);
    file = fopen(path, "r");
    if (file != NULL) {
        if (fgets(text, (int)size, file) == NULL) {
            snprintf(text, size, "%d", core);
        }
        fclose(file);
    }
}

static bool shares_core(const struct perf_options *options, int core)
{
    char one[64], other[64];

    siblings(core, one, sizeof(one));
    for (int i = 0; i < options->core_count; i++) {
        siblings(options->cores[i], other, sizeof(other));
        if (strcmp(one, other) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_chosen(const struct perf_options *options, int core)
{
    for (int i = 0; i < options->core_count; i++) {
        if (options->cores[i] == core) {
            return true;
        }
    }
    return false;
}

/* The first hardware thread of each core, then the others. */
static void choose(struct perf_options *options, const cpu_set_t *allowed)
{
    for (int round = 0; round < 2; round++) {
        for (int core = 0; core < CPU_SETSIZE && options->core_count < PERF_CORES_MAX; core++) {
            if (CPU_ISSET(core, allowed) && !is_chosen(options, core) &&
                (round == 1 || !shares_core(options, core))) {
                options->cores[options->core_count++] = core;
            }
        }
    }
}

void perf_cores_choose(struct perf_options *options)
{
    cpu_set_t allowed;

    allowed_cores(&allowed);
    if (options->core_count == 0) {
        choose(options, &allowed);
    }
    for (int i = 0; i < options->core_count; i++) {
        if (!CPU_ISSET(options->cores[i], &allowed)) {
            perf_bad_use("--cores: core %d does not exist or this process may not use it; taskset "
                         "-pc $$ shows those that it may",
                         options->cores[i]);
        }
    }
}

void perf_cores_pin(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) {
        perf_fail("cannot run on core %d: %s", core, strerror(errno));
    }
}
