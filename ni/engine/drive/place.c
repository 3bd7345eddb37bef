/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <apeni/param.h>

#include "base/config.h"
#include "engine/drive/place.h"

/*
 * The engine thread's core. Each process decides for itself, from what all of them see in the same
 * way. With EDGE all take the same core, where their threads take turns. Otherwise those that are
 * bound to one core each take, in the order of these cores, the free cores of the same cache in
 * their order, so that no two engines meet.
 */

const char *ni_placement_name(enum ni_placement placement)
{
    static const char *const names[] = {
        [NI_PLACEMENT_DEFAULT] = "default", [NI_PLACEMENT_AUTO] = "auto",
        [NI_PLACEMENT_TILE] = "tile",       [NI_PLACEMENT_EDGE] = "edge",
        [NI_PLACEMENT_SPLIT] = "split",
    };

    return (unsigned)placement <= NI_PLACEMENT_SPLIT ? names[placement] : "?";
}

static void __attribute__((format(printf, 2, 3)))
say_placement(struct ni_placed *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(place->why, sizeof(place->why), format, args);
    va_end(args);
}

/* All processors of the cores of a set. */
static struct ni_cpus whole_cores(const struct ni_topology *topology, const struct ni_cpus *set)
{
    struct ni_cpus cores = {{0}}, all = {{0}};

    for (int cpu = ni_cpus_next(set, 0); cpu >= 0; cpu = ni_cpus_next(set, (unsigned)cpu + 1)) {
        ni_cpus_add(&cores, topology->cores[cpu]);
    }
    for (unsigned cpu = 0; cpu < NI_CPUS_MAX; cpu++) {
        if (ni_cpus_has(&cores, topology->cores[cpu])) {
            ni_cpus_add(&all, cpu);
        }
    }
    return all;
}

/* One processor of each core of a set, the lowest. */
static struct ni_cpus one_each(const struct ni_topology *topology, const struct ni_cpus *set)
{
    struct ni_cpus seen = {{0}}, ones = {{0}};

    for (int cpu = ni_cpus_next(set, 0); cpu >= 0; cpu = ni_cpus_next(set, (unsigned)cpu + 1)) {
        if (!ni_cpus_has(&seen, topology->cores[cpu])) {
            ni_cpus_add(&seen, topology->cores[cpu]);
            ni_cpus_add(&ones, (unsigned)cpu);
        }
    }
    return ones;
}

static void keep_cpus(struct ni_cpus *set, const struct ni_cpus *with,
                      const struct ni_cpus *without)
{
    for (unsigned i = 0; i < NI_CPUS_MAX / 64; i++) {
        set->bits[i] &= with->bits[i] & ~without->bits[i];
    }
}

/* The member of a set before which there are `before` others; -1: there is none. */
static int nth(const struct ni_cpus *set, unsigned before)
{
    int cpu = ni_cpus_next(set, 0);

    while (cpu >= 0 && before-- != 0) {
        cpu = ni_cpus_next(set, (unsigned)cpu + 1);
    }
    return cpu;
}

/* How many processes near us choose before us. */
static unsigned turn_of(const struct ni_topology *topology, const struct ni_cpus *taken)
{
    static const struct ni_cpus none;
    struct ni_cpus others = one_each(topology, taken);
    unsigned before = 0;
    int own = ni_cpus_next(&topology->bound, 0);

    keep_cpus(&others, &topology->near, &none);
    for (int cpu = ni_cpus_next(&others, 0); cpu >= 0 && cpu < own;
         cpu = ni_cpus_next(&others, (unsigned)cpu + 1)) {
        before++;
    }
    return before;
}

/* A core for the engine alone; false: there is none, and why. */
static bool find_own(struct ni_placed *place, const struct ni_topology *topology,
                     const struct ni_cpus *taken)
{
    struct ni_cpus busy, cores, free_cores = topology->allowed;

    if (taken == NULL) {
        say_placement(place, "nobody said to which cores the other processes of the job are bound");
        return false;
    }
    busy = whole_cores(topology, taken);
    if (ni_cpus_meet(&busy, &topology->bound)) {
        say_placement(place, "it shares its cores with other processes of the job");
        return false;
    }
    cores = one_each(topology, &topology->bound);
    if (ni_cpus_count(&cores) > 1) {
        /* Of its own ones the last, which the system gives to the process last. */
        place->cpu = nth(&cores, ni_cpus_count(&cores) - 1);
        say_placement(place, "core %d is one of %u to which the process alone is bound", place->cpu,
                      ni_cpus_count(&cores));
        return true;
    }
    cores = whole_cores(topology, &topology->bound);
    ni_cpus_join(&busy, &cores);
    keep_cpus(&free_cores, &topology->near, &busy);
    free_cores = one_each(topology, &free_cores);
    place->cpu = nth(&free_cores, turn_of(topology, taken));
    if (place->cpu < 0) {
        say_placement(place, "no core is free that shares a cache with the process");
        return false;
    }
    say_placement(
        place, "core %d shares a cache with the process, and no process of the job is bound to it",
        place->cpu);
    return true;
}

/* EDGE: the last free core, near or not. All processes of the job that may run on the same cores
 * find the same one, so that their engines take one core of the host. False: there is none. */
static bool find_common(struct ni_placed *place, const struct ni_topology *topology,
                        const struct ni_cpus *taken)
{
    struct ni_cpus busy, own, free_cores = topology->allowed;

    if (taken == NULL || ni_cpus_count(taken) == 0) {
        return false;
    }
    busy = whole_cores(topology, taken);
    own = whole_cores(topology, &topology->bound);
    ni_cpus_join(&busy, &own);
    keep_cpus(&free_cores, &topology->allowed, &busy);
    free_cores = one_each(topology, &free_cores);
    if (ni_cpus_count(&free_cores) == 0) {
        return false;
    }
    place->cpu = nth(&free_cores, ni_cpus_count(&free_cores) - 1);
    say_placement(
        place,
        "core %d is that of all engines of the host, and no process of the job is bound to it",
        place->cpu);
    return true;
}

struct ni_placed ni_place_choose(enum ni_placement wanted, const struct ni_topology *topology,
                                 const struct ni_cpus *taken)
{
    struct ni_placed place = {.placement = wanted, .cpu = -1};

    if (wanted == NI_PLACEMENT_TILE) {
        say_placement(&place, "it was asked for");
        return place;
    }
    if (topology == NULL) {
        say_placement(&place, "the system does not say which cores there are");
    } else if (wanted == NI_PLACEMENT_EDGE && find_common(&place, topology, taken)) {
        place.common = true;
    } else {
        place.own = find_own(&place, topology, taken);
    }
    if (wanted == NI_PLACEMENT_AUTO) {
        place.placement = place.own ? NI_PLACEMENT_SPLIT : NI_PLACEMENT_TILE;
    }
    return place;
}

/* By attribute, or else by the parameter. */
static enum ni_placement wanted_by(const struct ni_open_attr *attr)
{
    static const enum ni_placement values[] = {
        [NI_PLACE_AUTO] = NI_PLACEMENT_AUTO,
        [NI_PLACE_TILE] = NI_PLACEMENT_TILE,
        [NI_PLACE_EDGE] = NI_PLACEMENT_EDGE,
        [NI_PLACE_SPLIT] = NI_PLACEMENT_SPLIT,
    };

    return attr->placement != NI_PLACEMENT_DEFAULT ? attr->placement
                                                   : values[ni_config_get()->placement];
}

bool ni_place_none_free(const struct ni_cpus *bound, const struct ni_cpus *online,
                        const struct ni_cpus *taken)
{
    return ni_cpus_meet(taken, bound) ||
           (ni_cpus_count(bound) == 1 && ni_cpus_covered(online, bound, taken));
}

/* The same of this thread and machine. */
static bool none_free(const struct ni_cpus *taken)
{
    struct ni_cpus bound = {{0}}, online = {{0}};

    return ni_cpus_bound(&bound) && ni_cpus_read(&online, "/sys/devices/system/cpu/online") &&
           ni_place_none_free(&bound, &online, taken);
}

struct ni_placed ni_place_find(const struct ni_open_attr *attr)
{
    enum ni_placement wanted = wanted_by(attr);
    bool known = attr->taken_cpus != NULL;
    struct ni_topology topology;
    struct ni_cpus taken = {{0}};

    /* Looking at caches and cores takes milliseconds: not where the answer is certain. */
    if (wanted == NI_PLACEMENT_TILE || (wanted == NI_PLACEMENT_AUTO && !known)) {
        memset(&topology, 0, sizeof(topology));
        return ni_place_choose(wanted, &topology, NULL);
    }
    if (known && !ni_cpus_parse(&taken, attr->taken_cpus)) {
        known = attr->taken_cpus[0] == '\0'; /* nobody else is here */
    }
    if (wanted == NI_PLACEMENT_AUTO && known && none_free(&taken)) {
        struct ni_placed place = {.placement = NI_PLACEMENT_TILE, .cpu = -1};

        say_placement(&place, "the processes of the job leave no processor free");
        return place;
    }
    return ni_place_choose(wanted, ni_topology_find(&topology) == NI_OK ? &topology : NULL,
                           known ? &taken : NULL);
}
