/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier: back to back, between 1, 2, 3, 4 and 8 members.
 *
 *   lock     a count under a test-and-set lock, and a sense that the last one reverses, as in the
 *            paper
 *   sense    the same by one atomic subtraction, on lines of their own: what one would use instead
 *   counter  ni_barrier, arity 0; tree: arity 2
 */
#include <stdatomic.h>
#include <stdio.h>

#include "clock.h"
#include "counters/counters.h"
#include "ni_world.h"

static unsigned repetitions;

enum kind { BY_LOCK, BY_SENSE, FLAT, TREE, KINDS };

struct barriers {
    _Alignas(COUNTERS_LINE) _Atomic uint32_t lock;
    _Alignas(COUNTERS_LINE) uint32_t count; /* by lock */
    _Alignas(COUNTERS_LINE) _Atomic uint32_t left;
    _Alignas(COUNTERS_LINE) _Atomic uint32_t sense;
    _Alignas(COUNTERS_LINE) struct ni_barrier_address addresses[NI_WORLD_MEMBERS];
    enum kind kind;
    double ns;
};

static void await_sense(const struct ni_world_member *m, struct barriers *b, uint32_t sense)
{
    unsigned looks = 0;

    while (atomic_load_explicit(&b->sense, memory_order_acquire) != sense) {
        ni_world_relax(m, looks++);
    }
}

/* Test, then test-and-set. */
static void take_lock(const struct ni_world_member *m, struct barriers *b)
{
    unsigned looks = 0;

    while (atomic_exchange_explicit(&b->lock, 1, memory_order_acquire) != 0) {
        while (atomic_load_explicit(&b->lock, memory_order_relaxed) != 0) {
            ni_world_relax(m, looks++);
        }
    }
}

static void meet_by_lock(const struct ni_world_member *m, struct barriers *b, uint32_t sense)
{
    bool last;

    take_lock(m, b);
    last = ++b->count == m->members;
    if (last) {
        b->count = 0;
    }
    atomic_store_explicit(&b->lock, 0, memory_order_release);
    if (last) {
        atomic_store_explicit(&b->sense, sense, memory_order_release);
    } else {
        await_sense(m, b, sense);
    }
}

static void meet_by_sense(const struct ni_world_member *m, struct barriers *b, uint32_t sense)
{
    if (atomic_fetch_sub_explicit(&b->left, 1, memory_order_acq_rel) != 1) {
        await_sense(m, b, sense);
        return;
    }
    atomic_store_explicit(&b->left, m->members, memory_order_relaxed);
    atomic_store_explicit(&b->sense, sense, memory_order_release);
}

static enum kind next_kind;

static void run_software(struct ni_world_member *m, struct barriers *b, unsigned count,
                         uint32_t *sense)
{
    for (unsigned i = 0; i < count; i++) {
        *sense = !*sense;
        if (b->kind == BY_LOCK) {
            meet_by_lock(m, b, *sense);
        } else {
            meet_by_sense(m, b, *sense);
        }
    }
}

static void run_counters(struct ni_barrier *barrier, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ni_world_must(ni_barrier_enter(barrier), "enter");
        ni_world_must(ni_barrier_wait(barrier), "wait");
    }
}

static void barrier_member(struct ni_world_member *m)
{
    struct barriers *b = m->shared;
    struct ni_barrier *barrier;
    uint32_t sense = 0;
    uint64_t begin = 0;

    if (m->rank == 0) {
        b->kind = next_kind;
        atomic_store(&b->left, m->members);
    }
    ni_world_meet(m);
    ni_world_must(ni_barrier_create(m->ni, m->members, m->rank, b->kind == TREE ? 2 : 0, &barrier,
                                    &b->addresses[m->rank]),
                  "make a barrier");
    ni_world_meet(m);
    ni_world_must(ni_barrier_connect(barrier, m->peers, b->addresses), "connect it");
    for (unsigned warm = 0; warm < 2; warm++) {
        unsigned count = warm == 0 ? repetitions / 10 + 1 : repetitions;

        begin = osu_clock();
        if (b->kind == BY_LOCK || b->kind == BY_SENSE) {
            run_software(m, b, count, &sense);
        } else {
            run_counters(barrier, count);
        }
    }
    if (m->rank == 0) {
        b->ns = (double)(osu_clock() - begin) / repetitions;
    }
    ni_world_meet(m);
    ni_barrier_free(barrier);
}

static void barrier_result(const void *shared, void *arg)
{
    *(double *)arg = ((const struct barriers *)shared)->ns;
}

static double time_barrier(bool processes, unsigned members, enum kind kind)
{
    double ns = -1;
    const struct ni_world_settings settings = {.program = "ni_counters",
                                               .members = members,
                                               .processes = processes,
                                               .shared = sizeof(struct barriers),
                                               .result = barrier_result,
                                               .arg = &ns};

    next_kind = kind;
    ni_world_run(&settings, barrier_member);
    return ns > 0 ? ns : 1;
}

void counters_barriers(bool processes, unsigned count)
{
    static const struct {
        unsigned members, lock, counter; /* cycles; 0: not in the paper */
    } paper[] = {{1, 111, 41}, {2, 194, 66}, {3, 357, 78}, {4, 574, 84}, {8, 0, 0}};

    repetitions = count;
    printf("# Barrier, %s, ns for each of %u; in the paper cycles\n",
           processes ? "processes" : "threads", repetitions);
    printf("# %-8s%10s%10s%10s%10s%10s%10s%12s%12s%10s\n", "Members", "lock", "sense", "counter",
           "tree", "c/lock", "c/sense", "paper lock", "paper cnt", "ratio");
    for (unsigned i = 0; i < sizeof(paper) / sizeof(paper[0]); i++) {
        double ns[KINDS];

        for (unsigned kind = 0; kind < KINDS; kind++) {
            ns[kind] = time_barrier(processes, paper[i].members, (enum kind)kind);
        }
        printf("  %-8u%10.1f%10.1f%10.1f%10.1f%10.2f%10.2f", paper[i].members, ns[BY_LOCK],
               ns[BY_SENSE], ns[FLAT], ns[TREE], ns[FLAT] / ns[BY_LOCK], ns[FLAT] / ns[BY_SENSE]);
        if (paper[i].lock != 0) {
            printf("%12u%12u%10.2f\n", paper[i].lock, paper[i].counter,
                   (double)paper[i].counter / paper[i].lock);
        } else {
            printf("%12s%12s%10s\n", "-", "-", "-");
        }
        fflush(stdout);
    }
}
