/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/drive/place.c ni/base/topology.c. */
#include "engine_pair.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/config.h"
#include "engine/core/peer.h"
#include "engine/drive/place.h"

/* Placement: who gets which, on which core; and the life of the engine thread. */

enum { LEN = 4 << 20 };

static uint8_t here[LEN], there[LEN];

/* ---- sets and topologies --------------------------------------------------------------------- */

static struct ni_cpus cpus(const char *list)
{
    struct ni_cpus set = {{0}};

    assert_true(list[0] == '\0' || ni_cpus_parse(&set, list));
    return set;
}

static void lists_are_read(void **state)
{
    struct ni_cpus set = cpus("0-2,64,70-71\n");

    (void)state;
    assert_int_equal(ni_cpus_count(&set), 6);
    assert_int_equal(ni_cpus_next(&set, 3), 64);
    assert_int_equal(ni_cpus_next(&set, 72), -1);
    assert_true(ni_cpus_has(&set, 1) && !ni_cpus_has(&set, 3) && !ni_cpus_has(&set, 5000));
    assert_false(ni_cpus_parse(&set, ""));
    assert_false(ni_cpus_parse(&set, "1,"));
    assert_false(ni_cpus_parse(&set, "-1"));
    assert_false(ni_cpus_parse(&set, "3-1"));
    assert_false(ni_cpus_parse(&set, "1024"));
    assert_false(ni_cpus_parse(&set, "1 2"));
}

/* Eight processors, two threads to a core (0 and 4 are one), caches 0,1 and 2,3. */
static struct ni_topology machine(const char *bound, const char *allowed)
{
    struct ni_topology topology = {.allowed = cpus(allowed), .bound = cpus(bound)};
    struct ni_cpus left = cpus("0-1,4-5");

    for (unsigned cpu = 0; cpu < NI_CPUS_MAX; cpu++) {
        topology.cores[cpu] = (uint16_t)(cpu < 8 ? cpu % 4 : cpu);
    }
    topology.near = ni_cpus_meet(&topology.bound, &left) ? left : cpus("2-3,6-7");
    return topology;
}

static struct ni_placed choose(enum ni_placement wanted, const char *bound, const char *allowed,
                               const char *taken)
{
    struct ni_topology topology = machine(bound, allowed);
    struct ni_cpus set = cpus(taken == NULL ? "" : taken);
    struct ni_placed place = ni_place_choose(wanted, &topology, taken == NULL ? NULL : &set);

    assert_int_not_equal(place.why[0], '\0');
    return place;
}

static void expect(struct ni_placed place, enum ni_placement placement, int cpu, bool own)
{
    assert_int_equal(place.placement, placement);
    assert_int_equal(place.cpu, cpu);
    assert_int_equal(place.own, own);
}

static void auto_splits_where_a_core_is_free(void **state)
{
    const enum ni_placement tile = NI_PLACEMENT_TILE, split = NI_PLACEMENT_SPLIT;

    (void)state;
    /* The other one is elsewhere: core 1 is free. */
    expect(choose(NI_PLACEMENT_AUTO, "0,4", "0-7", "2,6"), split, 1, true);
    /* So it is if we have a thread of a core only: the other one of it is not free. */
    expect(choose(NI_PLACEMENT_AUTO, "0", "0-7", "2"), split, 1, true);
    /* Bound to it: none is. Free ones that are far do not count. */
    expect(choose(NI_PLACEMENT_AUTO, "0,4", "0-7", "1,5"), tile, -1, false);
    /* A thread of a core takes all of it. */
    expect(choose(NI_PLACEMENT_AUTO, "0", "0-7", "5"), tile, -1, false);
    /* Not ours to use. */
    expect(choose(NI_PLACEMENT_AUTO, "0,4", "0,4", ""), tile, -1, false);
    /* Two cores of our own: the last one. */
    expect(choose(NI_PLACEMENT_AUTO, "0-1,4-5", "0-7", "2-3"), split, 1, true);
    /* Shared with others, or unknown. */
    expect(choose(NI_PLACEMENT_AUTO, "0-7", "0-7", "0-7"), tile, -1, false);
    expect(choose(NI_PLACEMENT_AUTO, "0", "0-7", NULL), tile, -1, false);
    assert_int_equal(ni_place_choose(NI_PLACEMENT_AUTO, NULL, NULL).placement, tile);
}

/* The short way says no only where the long one does, and does so where processes fill the
 * machine. */
static void certainly_none_free(void **state)
{
    struct ni_cpus online = cpus("0-7"), bound = cpus("0"), taken = cpus("1-7");
    unsigned certain = 0;

    (void)state;
    assert_true(ni_place_none_free(&bound, &online, &taken));
    assert_true(ni_place_none_free(&online, &online, &bound));
    taken = cpus("1-6");
    assert_false(ni_place_none_free(&bound, &online, &taken));
    for (unsigned bits = 0; bits < 1U << 16; bits++) {
        struct ni_topology topology = machine("0", "0-7");

        if ((bits & 0xff) == 0) {
            continue; /* a process runs somewhere */
        }
        topology.bound.bits[0] = bits & 0xff;
        taken.bits[0] = bits >> 8;
        if (ni_place_none_free(&topology.bound, &online, &taken)) {
            certain++;
            assert_int_equal(ni_place_choose(NI_PLACEMENT_AUTO, &topology, &taken).placement,
                             NI_PLACEMENT_TILE);
        }
    }
    assert_in_range(certain, 1, (1U << 16) - 1);
}

/* Six processors that share a cache, each a core: the n-th process takes the n-th free one. */
static void engines_do_not_meet(void **state)
{
    static const struct {
        const char *bound, *taken;
        int cpu;
    } cases[] = {{"0", "1-2", 3}, {"1", "0,2", 4}, {"2", "0-1", 5}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ni_topology topology = {.allowed = cpus("0-5"), .near = cpus("0-5")};
        struct ni_cpus taken = cpus(cases[i].taken);

        topology.bound = cpus(cases[i].bound);
        for (unsigned cpu = 0; cpu < NI_CPUS_MAX; cpu++) {
            topology.cores[cpu] = (uint16_t)cpu;
        }
        expect(ni_place_choose(NI_PLACEMENT_AUTO, &topology, &taken), NI_PLACEMENT_SPLIT,
               cases[i].cpu, true);
    }
}

/* One core of the host is the edge of all processes, wherever they are; a process by itself has one
 * of its own. */
static void edges_are_one_core(void **state)
{
    static const struct {
        const char *bound, *taken;
    } cases[] = {{"0", "1,2"}, {"1", "0,2"}, {"2", "0,1"}, {"2,6", "0-1"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ni_placed place = choose(NI_PLACEMENT_EDGE, cases[i].bound, "0-7", cases[i].taken);

        expect(place, NI_PLACEMENT_EDGE, 3, false);
        assert_true(place.common);
    }
    assert_false(choose(NI_PLACEMENT_EDGE, "0", "0-7", "").common);
    expect(choose(NI_PLACEMENT_EDGE, "0", "0-7", ""), NI_PLACEMENT_EDGE, 1, true);
    assert_false(choose(NI_PLACEMENT_SPLIT, "0", "0-7", "1").common);
    /* No core is free: the last of its own, where it has several. */
    expect(choose(NI_PLACEMENT_EDGE, "0-1", "0-7", "2-3"), NI_PLACEMENT_EDGE, 1, true);
    expect(choose(NI_PLACEMENT_EDGE, "0", "0-7", "1-3"), NI_PLACEMENT_EDGE, -1, false);
}

/* What was asked for is done, with a core or without. */
static void asking_decides(void **state)
{
    (void)state;
    expect(choose(NI_PLACEMENT_TILE, "0", "0-7", "2"), NI_PLACEMENT_TILE, -1, false);
    expect(choose(NI_PLACEMENT_EDGE, "0", "0-7", "2"), NI_PLACEMENT_EDGE, 3, false);
    expect(choose(NI_PLACEMENT_SPLIT, "0", "0-7", "1"), NI_PLACEMENT_SPLIT, -1, false);
    expect(choose(NI_PLACEMENT_EDGE, "0", "0-7", NULL), NI_PLACEMENT_EDGE, -1, false);
}

static void this_machine_is_found(void **state)
{
    struct ni_topology topology;

    (void)state;
    assert_int_equal(ni_topology_find(&topology), NI_OK);
    assert_true(ni_cpus_count(&topology.bound) != 0);
    for (int cpu = ni_cpus_next(&topology.bound, 0); cpu >= 0;
         cpu = ni_cpus_next(&topology.bound, (unsigned)cpu + 1)) {
        assert_true(ni_cpus_has(&topology.allowed, (unsigned)cpu));
        assert_true(ni_cpus_has(&topology.near, (unsigned)cpu));
        assert_true(topology.cores[cpu] <= cpu);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_engine(const char *task)
{
    char path[320], name[32] = "";
    bool yes = false;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
    file = fopen(path, "re");
    if (file != NULL) {
        yes = fgets(name, sizeof(name), file) != NULL && strcmp(name, "apelink-engine\n") == 0;
        fclose(file);
    }
    return yes;
}

/* Threads of this process with the engine's name. */
static unsigned engines(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned found = 0;
    struct dirent *task;

    assert_non_null(tasks);
    while ((task = readdir(tasks)) != NULL) {
        found += is_engine(task->d_name);
    }
    closedir(tasks);
    return found;
}

static void open_as(const char *parameter, enum ni_placement attribute, enum ni_placement expected)
{
    struct ni_open_attr attr = {.placement = attribute};
    unsigned threads = expected != NI_PLACEMENT_TILE;
    char error[256];
    struct ni *ni;

    assert_int_equal(ni_param_set("placement", parameter, "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_open(&attr, &ni), NI_OK);
    assert_int_equal(ni_placement(ni), expected);
    assert_int_equal(engines(), threads);
    ni_close(ni);
    assert_int_equal(engines(), 0);
    assert_int_equal(ni_param_set("placement", "auto", "test", error, sizeof(error)), NI_OK);
}

static void parameter_and_attribute(void **state)
{
    char error[256];

    (void)state;
    open_as("tile", NI_PLACEMENT_DEFAULT, NI_PLACEMENT_TILE);
    open_as("edge", NI_PLACEMENT_DEFAULT, NI_PLACEMENT_EDGE);
    open_as("split", NI_PLACEMENT_DEFAULT, NI_PLACEMENT_SPLIT);
    open_as("auto", NI_PLACEMENT_DEFAULT, NI_PLACEMENT_TILE); /* nobody said who else is here */
    open_as("tile", NI_PLACEMENT_SPLIT, NI_PLACEMENT_SPLIT);
    open_as("split", NI_PLACEMENT_TILE, NI_PLACEMENT_TILE);
    assert_int_equal(ni_param_set("placement", "middle", "test", error, sizeof(error)),
                     NI_ERR_PARAM);
    assert_non_null(strstr(error, "split"));
}

/* A number from a thread's status, behind the name. */
static unsigned long status_number(const char *task, const char *name)
{
    char path[320], line[256];
    unsigned long number = ULONG_MAX;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            number = strtoul(line + strlen(name), NULL, 10);
        }
    }
    fclose(file);
    return number;
}

/* How often each of two engines has given its core to another thread. Both have only this core. */
static void count_turns(int cpu, unsigned long turns[2])
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned found = 0;
    struct dirent *task;

    assert_non_null(tasks);
    while ((task = readdir(tasks)) != NULL) {
        if (is_engine(task->d_name)) {
            assert_true(found < 2);
            assert_int_equal(status_number(task->d_name, "Cpus_allowed_list:"), cpu);
            turns[found++] = status_number(task->d_name, "voluntary_ctxt_switches:") +
                             status_number(task->d_name, "nonvoluntary_ctxt_switches:");
        }
    }
    closedir(tasks);
    assert_int_equal(found, 2);
}

/* Two engines on the one core that is free of the job, if there is one: one of them runs at a time,
 * and they hand on to each other. */
static void edges_take_turns(void **state)
{
    struct ni_open_attr attr = {.flags = NI_THREADS, .placement = NI_PLACEMENT_EDGE};
    struct ni_topology topology;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair = {0};
    cpu_set_t before, one;
    unsigned long turns[2], more[2];
    char taken[16];
    int cpu;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(ni_topology_find(&topology), NI_OK);
    cpu = ni_cpus_next(&topology.allowed, 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    snprintf(taken, sizeof(taken), "%d", cpu);
    attr.taken_cpus = taken;
    assert_int_equal(ni_open(&attr, &pair.a), NI_OK);
    assert_int_equal(ni_open(&attr, &pair.b), NI_OK);
    assert_int_equal(pair.a->drive.place.cpu, pair.b->drive.place.cpu);
    assert_int_equal(pair.a->drive.place.common, pair.a->drive.place.cpu >= 0);
    assert_true(pair.a->drive.place.cpu < 0 ||
                topology.cores[pair.a->drive.place.cpu] != topology.cores[cpu]);
    pair.ab = pair_connect(pair.a, pair.b);
    pair.ab->ep->same_memory = false;
    pair.ab->ep->copy = false; /* in packets, which the engines of both take */
    assert_int_equal(ni_region_memory(pair.b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(there, &rkey);
    memset(here, 0x3c, LEN);
    if (pair.a->drive.place.cpu >= 0) {
        count_turns(pair.a->drive.place.cpu, turns);
    }
    assert_int_equal(ni_write(pair.a, pair.ab, here, LEN, &remote, &ack), NI_OK);
    while (!pair_is_done(&done)) {
        sched_yield();
    }
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(there, here, LEN);
    if (pair.a->drive.place.cpu >= 0) {
        count_turns(pair.a->drive.place.cpu, more);
        assert_true(more[0] > turns[0] && more[1] > turns[1]);
    }
    ni_close(pair.a);
    ni_close(pair.b);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* In packets, with a target that calls nothing: of a TILE, nothing comes. */
static void tile_waits_for_calls(void **state)
{
    struct pair pair;
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_memory(pair.b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(there, &rkey);
    memset(here, 0x5a, LEN);
    assert_int_equal(ni_write(pair.a, pair.ab, here, LEN, &remote, &ack), NI_OK);
    for (int i = 0; i < 10000; i++) {
        (void)ni_progress(pair.a);
    }
    assert_int_equal(done.count, 0);
    while (done.count == 0) {
        pair_settle(&pair);
    }
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(there, here, LEN);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),        cmocka_unit_test(auto_splits_where_a_core_is_free),
        cmocka_unit_test(engines_do_not_meet),   cmocka_unit_test(edges_are_one_core),
        cmocka_unit_test(asking_decides),        cmocka_unit_test(edges_take_turns),
        cmocka_unit_test(this_machine_is_found), cmocka_unit_test(parameter_and_attribute),
        cmocka_unit_test(tile_waits_for_calls),  cmocka_unit_test(certainly_none_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
