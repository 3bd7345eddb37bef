/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cores */
#endif

#include "tasks/party.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

/* ---- what all share -------------------------------------------------------------------------- */

static size_t arena_size(const struct setup *setup)
{
    return sizeof(struct arena) + (size_t)LOCK_KINDS * PARTIES * setup->capacity * setup->size;
}

struct arena *arena_new(const struct setup *setup)
{
    struct arena *arena =
        mmap(NULL, arena_size(setup), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (arena == MAP_FAILED) {
        return NULL;
    }
    arena->setup = *setup;
    for (unsigned kind = 0; kind < LOCK_KINDS; kind++) {
        for (unsigned i = 0; i < PARTIES; i++) {
            locked_init(&arena->queues[kind][i], (enum lock_kind)kind, setup->capacity, setup->size,
                        !setup->central,
                        arena->tasks + (kind * PARTIES + i) * setup->capacity * setup->size);
        }
    }
    return arena;
}

void arena_free(struct arena *arena)
{
    munmap(arena, arena_size(&arena->setup));
}

/* Each waits until the others have arrived as often as it has itself. */
bool party_barrier(struct arena *arena, unsigned index, party_idle_fn idle, void *arg)
{
    uint32_t mine = atomic_load_explicit(&arena->parties[index].arrived, memory_order_relaxed) + 1;
    unsigned spins = 0;

    /* Release: what we did before is seen by all that leave; pairs with the acquire below. */
    atomic_store_explicit(&arena->parties[index].arrived, mine, memory_order_release);
    for (unsigned i = 0; i < party_count(&arena->setup); i++) {
        while ((int32_t)(atomic_load_explicit(&arena->parties[i].arrived, memory_order_acquire) -
                         mine) < 0) {
            if (atomic_load_explicit(&arena->failed, memory_order_relaxed) != 0) {
                return false;
            }
            if (idle != NULL) {
                idle(arg);
            }
            task_relax(&spins, SPINS_LOCKED);
        }
    }
    return true;
}

uint64_t party_done(const struct arena *arena)
{
    uint64_t done = 0;

    for (unsigned i = 0; i < party_count(&arena->setup); i++) {
        done += atomic_load_explicit(&arena->parties[i].done, memory_order_relaxed);
    }
    return done;
}

void party_note(struct party *party, const void *task)
{
    struct task what;

    memcpy(&what, task, sizeof(what));
    party->sum += (uint64_t)what.master * 1000003 + what.number;
    atomic_store_explicit(&party->done,
                          atomic_load_explicit(&party->done, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* ---- a round by software alone --------------------------------------------------------------- */

static void put_all(struct arena *arena, unsigned index, enum lock_kind kind)
{
    const struct setup *setup = &arena->setup;
    uint8_t task[TASK_MAX] = {0};
    unsigned worker = index % setup->workers, spins = 0;

    for (uint32_t i = 0; i < setup->tasks; i++) {
        struct task what = {.master = index, .number = i};

        memcpy(task, &what, sizeof(what));
        while (!locked_put(&arena->queues[kind][setup->central ? 0 : worker],
                           &arena->parties[index].node, task)) {
            task_relax(&spins, SPINS_LOCKED);
        }
        worker = worker + 1 == setup->workers ? 0 : worker + 1;
    }
}

static void get_all(struct arena *arena, unsigned index, enum lock_kind kind)
{
    const struct setup *setup = &arena->setup;
    struct party *party = &arena->parties[index];
    struct locked_queue *queue = &arena->queues[kind][setup->central ? 0 : index - setup->masters];
    uint64_t all = setup->tasks * setup->masters;
    uint8_t task[TASK_MAX];
    unsigned spins = 0;

    for (;;) {
        if (locked_get(queue, &party->node, task)) {
            party_note(party, task);
            spins = 0;
        } else if (party_done(arena) == all) {
            return;
        } else {
            task_relax(&spins, SPINS_LOCKED);
        }
    }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool one_way(struct arena *arena, unsigned index, enum way way, struct ours *ours)
{
    bool master = is_master(&arena->setup, index);

    if (way >= WAY_NI) {
        return master ? ours_put_all(ours, way) : ours_get_all(ours, way);
    }
    if (master) {
        put_all(arena, index, (enum lock_kind)way);
    } else {
        get_all(arena, index, (enum lock_kind)way);
    }
    return true;
}

/* That each task was done once. The first party looks, while the others wait. */
static bool judge(struct arena *arena, enum way way, unsigned rep)
{
    const struct setup *setup = &arena->setup;
    uint64_t all = setup->tasks * setup->masters, sum = 0, wanted = 0;
    uint64_t first = UINT64_MAX, last = 0, packets = 0;

    for (unsigned i = 0; i < party_count(setup); i++) {
        const struct party *party = &arena->parties[i];

        sum += party->sum;
        first = party->first_ns < first ? party->first_ns : first;
        last = party->last_ns > last ? party->last_ns : last;
        if (is_master(setup, i)) {
            wanted +=
                setup->tasks * ((uint64_t)i * 1000003) + setup->tasks * (setup->tasks - 1) / 2;
        } else {
            packets += party->packets;
        }
    }
    arena->tasks_for[way] = packets == 0 ? 0 : (double)all / (double)packets;
    if (rep > 0) {
        arena->ns[way][rep - 1] = (double)(last - first) / (double)all;
    }
    if (party_done(arena) == all && sum == wanted) {
        return true;
    }
    fprintf(stderr, "ni_tasks: %llu of %llu tasks were done, or others than were put\n",
            (unsigned long long)party_done(arena), (unsigned long long)all);
    return false;
}

/* The first repetition warms up. */
static bool round_of(struct arena *arena, unsigned index, enum way way, unsigned rep,
                     struct ours *ours)
{
    struct party *party = &arena->parties[index];

    atomic_store_explicit(&party->done, 0, memory_order_relaxed);
    party->sum = 0;
    party->packets = ours_packets(ours);
    if (!party_barrier(arena, index, ours_idle, ours)) {
        return false;
    }
    party->first_ns = osu_clock();
    if (!one_way(arena, index, way, ours)) {
        return false;
    }
    party->last_ns = osu_clock();
    party->packets = ours_packets(ours) - party->packets;
    if (!party_barrier(arena, index, ours_idle, ours) || (index == 0 && !judge(arena, way, rep))) {
        return false;
    }
    return party_barrier(arena, index, ours_idle, ours);
}

static bool take_part(struct arena *arena, unsigned index)
{
    struct ours *ours = ours_open(arena, index);
    bool good = ours != NULL;

    for (unsigned rep = 0; good && rep <= arena->setup.reps; rep++) {
        for (unsigned way = 0; good && way < way_count(&arena->setup); way++) {
            good = round_of(arena, index, (enum way)way, rep, ours);
        }
    }
    good = good && ours_close(ours);
    if (!good) {
        atomic_store_explicit(&arena->failed, 1, memory_order_relaxed);
    }
    return good;
}

/* ---- threads and processes ------------------------------------------------------------------- */

/* A core for each party, if there are enough. */
static void pin(const struct arena *arena, unsigned index)
{
    cpu_set_t all, one;
    unsigned nth = 0;

    if (sched_getaffinity(0, sizeof(all), &all) != 0 ||
        CPU_COUNT(&all) < (int)party_count(&arena->setup)) {
        return;
    }
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && nth++ == index) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            (void)sched_setaffinity(0, sizeof(one), &one);
        }
    }
}

struct start {
    struct arena *arena;
    unsigned index;
    bool good;
};

static void *run_thread(void *arg)
{
    struct start *start = arg;

    pin(start->arena, start->index);
    start->good = take_part(start->arena, start->index);
    return NULL;
}

static bool run_threads(struct arena *arena)
{
    struct start starts[PARTIES];
    pthread_t threads[PARTIES];
    unsigned count = party_count(&arena->setup), begun = 0;
    bool good = true;

    while (begun < count) {
        starts[begun] = (struct start){.arena = arena, .index = begun};
        if (pthread_create(&threads[begun], NULL, run_thread, &starts[begun]) != 0) {
            fprintf(stderr, "ni_tasks: no more threads: %s\n", strerror(errno));
            atomic_store_explicit(&arena->failed, 1, memory_order_relaxed);
            good = false;
            break;
        }
        begun++;
    }
    for (unsigned i = 0; i < begun; i++) {
        pthread_join(threads[i], NULL);
        good = good && starts[i].good;
    }
    return good;
}

static pid_t start_process(struct arena *arena, unsigned index)
{
    pid_t parent = getpid(), child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(1);
        }
        pin(arena, index);
        _exit(take_part(arena, index) ? 0 : 1);
    }
    return child;
}

static bool run_processes(struct arena *arena)
{
    unsigned count = party_count(&arena->setup), begun = 0;
    bool good = true;
    int status;

    fflush(NULL);
    while (begun < count && start_process(arena, begun) > 0) {
        begun++;
    }
    if (begun < count) {
        fprintf(stderr, "ni_tasks: no more processes: %s\n", strerror(errno));
        atomic_store_explicit(&arena->failed, 1, memory_order_relaxed);
        good = false;
    }
    for (unsigned i = 0; i < begun; i++) {
        if (wait(&status) < 0 || status != 0) {
            atomic_store_explicit(&arena->failed, 1, memory_order_relaxed);
            good = false;
        }
    }
    return good;
}

bool arena_run(struct arena *arena)
{
    cpu_set_t all;

    task_set_crowded(sched_getaffinity(0, sizeof(all), &all) != 0 ||
                     CPU_COUNT(&all) < (int)party_count(&arena->setup));
    return arena->setup.processes ? run_processes(arena) : run_threads(arena);
}
