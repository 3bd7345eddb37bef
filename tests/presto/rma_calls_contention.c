/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks at once: locks, and traces that can be replayed. */
#include "rma_calls.h"

/* ---- contention ---- */

/* Both numbers of a pair are equal whenever it can be locked; writers raise both. */
void rma_locks(void)
{
    enum { ROUNDS = 24 };
    int64_t *part, two[2], raised = 0, all;
    MPI_Win win;
    MPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    part[0] = part[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        int target = (int)(mix((uint64_t)(i * 64 + rank)) % (uint64_t)size), write = i % 3 == 0;
        if (i % 8 == 7) {
            MPI_Win_lock_all(0, win);
            for (int r = 0; r < size; r++) {
                MPI_Get(two, 2, MPI_INT64_T, r, 0, 2, MPI_INT64_T, win);
                MPI_Win_flush(r, win);
                EQUAL(two[0], two[1]);
            }
            MPI_Win_unlock_all(win);
            continue;
        }
        MPI_Win_lock(write ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
        MPI_Get(two, 2, MPI_INT64_T, target, 0, 2, MPI_INT64_T, win);
        MPI_Win_flush_local(target, win);
        EQUAL(two[0], two[1]);
        if (write) {
            two[0] = ++two[1];
            raised++;
            MPI_Put(two, 2, MPI_INT64_T, target, 0, 2, MPI_INT64_T, win);
        }
        MPI_Win_unlock(target, win);
    }
    MPI_Allreduce(MPI_IN_PLACE, &raised, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Allreduce(part, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_unlock(rank, win);
    EQUAL(all, raised);
    MPI_Win_free(&win);
}

/* Rank 0 has the lock of its part again and again, the others want it once each: nobody is left out
 * for good. `mode` is what rank 0 takes. Those who read overlap, so that a writer never finds the
 * lock free by itself. */
static void lock_greedily(MPI_Win win, int64_t *part, int mode)
{
    int64_t come = 0;

    part[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&come, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
        MPI_Win_flush_local(0, win);
        come++;
        MPI_Put(&come, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
        MPI_Win_unlock(0, win);
    }
    /* Those who have been let in want it, too, until all have. */
    for (int i = 0; come < size - 1 || i == 0; i++) {
        MPI_Win_lock(mode, 0, 0, win);
        MPI_Get(&come, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
        MPI_Win_flush_local(0, win);
        MPI_Win_unlock(0, win);
    }
    EQUAL(come, size - 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

void rma_greed(void)
{
    int64_t *part;
    MPI_Win win;

    MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    lock_greedily(win, part, MPI_LOCK_EXCLUSIVE);
    lock_greedily(win, part, MPI_LOCK_SHARED);
    MPI_Win_free(&win);
}

/* A trace that each rank draws for itself, and that all can replay: operations that commute, so
 * that the end does not depend on their order. The part: 16 numbers of each of 4 types. */
enum { SLOTS = 16, STEPS = 40 };

struct step {
    int target, slot, type, mode;
    int64_t value;
};

static struct step draw(int origin, int i)
{
    uint64_t x = mix((uint64_t)origin * 7919 + (uint64_t)i * 31 + 5);
    return (struct step){(int)(x % (uint64_t)size), (int)(x >> 8) & (SLOTS - 1), (int)(x >> 16) & 3,
                         (int)(x >> 24) % 3, (int)(x >> 32) % 50 - 25};
}

struct naive {
    int64_t longs[SLOTS];
    double doubles[SLOTS];
    int ints[SLOTS];
    short shorts[SLOTS];
};

static void naive_step(struct naive *n, const struct step *s)
{
    switch (s->type) {
    case 0:
        n->longs[s->slot] += s->value;
        break;
    case 1:
        n->doubles[s->slot] += (double)s->value;
        break;
    case 2:
        n->ints[s->slot] ^= (int)s->value;
        break;
    default:
        n->shorts[s->slot] = (short)(n->shorts[s->slot] + s->value);
    }
}

static void real_step(MPI_Win win, const struct step *s)
{
    static const size_t at[4] = {offsetof(struct naive, longs), offsetof(struct naive, doubles),
                                 offsetof(struct naive, ints), offsetof(struct naive, shorts)};
    const MPI_Datatype types[4] = {MPI_INT64_T, MPI_DOUBLE, MPI_INT, MPI_SHORT};
    const int widths[4] = {8, 8, 4, 2};
    MPI_Datatype type = types[s->type];
    MPI_Op op = s->type == 2 ? MPI_BXOR : MPI_SUM;
    MPI_Aint disp = (MPI_Aint)at[s->type] + s->slot * widths[s->type];
    double real = (double)s->value;
    int narrow = (int)s->value;
    short small = (short)s->value;
    const void *values[4] = {&s->value, &real, &narrow, &small};
    const void *in = values[s->type];
    int64_t old;
    MPI_Request request;
    MPI_Win_lock(s->mode == 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, s->target, 0, win);
    if (s->mode == 0) {
        MPI_Accumulate(in, 1, type, s->target, disp, 1, type, op, win);
    } else if (s->mode == 1) {
        MPI_Fetch_and_op(in, &old, type, s->target, disp, op, win);
    } else {
        MPI_Rget_accumulate(in, 1, type, &old, 1, type, s->target, disp, 1, type, op, win,
                            &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock(s->target, win);
}

void rma_trace(int allocate)
{
    struct naive *part = NULL, want;
    MPI_Win win;
    memset(&want, 0, sizeof(want));
    if (allocate) {
        MPI_Win_allocate(sizeof(*part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    } else {
        MPI_Win_create(part = calloc(1, sizeof(*part)), sizeof(*part), 1, MPI_INFO_NULL,
                       MPI_COMM_WORLD, &win);
    }
    memset(part, 0, sizeof(*part));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < STEPS; i++) {
        struct step s = draw(rank, i);
        real_step(win, &s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < STEPS; i++) {
            struct step s = draw(r, i);
            if (s.target == rank) {
                naive_step(&want, &s);
            }
        }
    }
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    EQUAL(memcmp(&want, part, sizeof(want)), 0);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    if (!allocate) {
        free(part);
    }
}
