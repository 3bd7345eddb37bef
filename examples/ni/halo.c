/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat that spreads along a rod, in four processes. Each has a part of the rod, and at either end
 * the neighbour's last cells, which the neighbour stores there: a few words, combined into one
 * packet, without a descriptor or a receive. A fence says that they have arrived, a barrier that
 * everybody's have.
 *
 * The result is compared with that of one process alone; ends with 0 if they agree.
 *
 *   halo [STEPS]
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

enum { RANKS = 4, CELLS = 64, HALO = 2, STEPS = 200, MOST_STEPS = 1000000 };

/* What the processes tell each other beforehand, and the results. */
struct shared {
    atomic_uint present;
    uint8_t blob[RANKS][NI_BLOB_MAX];
    size_t blob_len[RANKS];
    struct ni_rkey halo[RANKS];
    uint64_t halo_at[RANKS];
    struct ni_barrier_address barrier[RANKS];
    double result[RANKS * CELLS];
};

struct part {
    unsigned rank;
    struct shared *shared;
    struct ni *ni;
    struct ni_peer *peers[RANKS];
    struct ni_barrier *barrier;
    /* From the left, then from the right; for even steps, then for odd ones: neighbours may be a
     * step ahead. */
    _Alignas(64) double halo[2][2][HALO];
    double cells[CELLS + 2 * HALO];
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "halo: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static double initial(unsigned cell)
{
    return cell % 37 == 5 ? 100.0 : (double)(cell % 5);
}

/* A cell after a step: of the five around it. */
static double next(const double *cell)
{
    return (cell[-2] + 2 * cell[-1] + 10 * cell[0] + 2 * cell[1] + cell[2]) / 16;
}

/* ---- one process alone ----------------------------------------------------------------------- */

static void alone(double *rod, unsigned steps)
{
    enum { ALL = RANKS * CELLS };
    static double now[ALL + 2 * HALO], then[ALL];

    for (unsigned i = 0; i < ALL; i++) {
        now[HALO + i] = initial(i);
    }
    for (unsigned step = 0; step < steps; step++) {
        for (unsigned i = 0; i < ALL; i++) {
            then[i] = next(&now[HALO + i]);
        }
        memcpy(&now[HALO], then, sizeof(then));
    }
    memcpy(rod, &now[HALO], sizeof(then));
}

/* ---- four together --------------------------------------------------------------------------- */

/* By plain shared memory, so that all know each other's addresses. */
static void meet(struct shared *shared, unsigned times)
{
    atomic_fetch_add(&shared->present, 1);
    while (atomic_load(&shared->present) < times * RANKS) {
        usleep(100);
    }
}

static void open_part(struct part *part)
{
    struct shared *shared = part->shared;
    struct ni_open_attr attr = {.host_processes = RANKS};
    unsigned rank = part->rank;

    must(ni_open(&attr, &part->ni), "open");
    must(ni_region_memory(part->ni, part->halo, sizeof(part->halo), NI_ACCESS_WRITE,
                          &shared->halo[rank]),
         "register");
    shared->halo_at[rank] = (uintptr_t)part->halo;
    must(ni_barrier_create(part->ni, RANKS, rank, 2, &part->barrier, &shared->barrier[rank]),
         "make a barrier");
    shared->blob_len[rank] = ni_address(part->ni, shared->blob[rank], NI_BLOB_MAX);
    meet(shared, 1);
    for (unsigned i = 0; i < RANKS; i++) {
        if (i != rank) {
            must(ni_connect(part->ni, shared->blob[i], shared->blob_len[i], &part->peers[i]),
                 "connect");
        }
    }
    must(ni_barrier_connect(part->barrier, part->peers, shared->barrier), "connect the barrier");
}

/* Two of our cells to where a neighbour expects what comes from this side. */
static void store(struct part *part, unsigned to, unsigned step, unsigned side, const double *from)
{
    struct ni_remote where = {.key = part->shared->halo[to].key,
                              .handle = part->shared->halo[to].handle};

    where.addr = part->shared->halo_at[to] + sizeof(part->halo[0]) * (step % 2) +
                 sizeof(part->halo[0][0]) * side;
    for (unsigned i = 0; i < HALO; i++) {
        uint64_t bits;
        ni_status status;

        memcpy(&bits, &from[i], sizeof(bits));
        while ((status = ni_store(part->ni, part->peers[to], &where, bits, 8)) == NI_AGAIN) {
            (void)ni_progress(part->ni);
        }
        must(status, "store");
        where.addr += sizeof(bits);
    }
}

static void exchange(struct part *part, unsigned step)
{
    if (part->rank > 0) {
        store(part, part->rank - 1, step, 1, &part->cells[HALO]);
    }
    if (part->rank + 1 < RANKS) {
        store(part, part->rank + 1, step, 0, &part->cells[CELLS]);
    }
    must(ni_store_fence_wait(part->ni, NULL), "fence");
    must(ni_barrier_enter(part->barrier), "enter the barrier");
    must(ni_barrier_wait(part->barrier), "wait at the barrier");
    memcpy(part->cells, part->halo[step % 2][0], sizeof(part->halo[0][0]));
    memcpy(&part->cells[HALO + CELLS], part->halo[step % 2][1], sizeof(part->halo[0][1]));
}

static void run(struct shared *shared, unsigned rank, unsigned steps)
{
    static struct part part;
    double then[CELLS];

    part.rank = rank;
    part.shared = shared;
    open_part(&part);
    for (unsigned i = 0; i < CELLS; i++) {
        part.cells[HALO + i] = initial(rank * CELLS + i);
    }
    for (unsigned step = 0; step < steps; step++) {
        exchange(&part, step);
        for (unsigned i = 0; i < CELLS; i++) {
            then[i] = next(&part.cells[HALO + i]);
        }
        memcpy(&part.cells[HALO], then, sizeof(then));
    }
    memcpy(&shared->result[rank * CELLS], &part.cells[HALO], sizeof(then));
    ni_barrier_free(part.barrier);
    ni_close(part.ni);
}

static bool together(struct shared *shared, unsigned steps)
{
    bool good = true;

    fflush(NULL);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        pid_t pid = fork();

        if (pid < 0) {
            perror("halo: fork");
            exit(1);
        }
        if (pid == 0) {
            run(shared, rank, steps);
            _exit(0);
        }
    }
    for (unsigned rank = 0; rank < RANKS; rank++) {
        int status = 1;

        if (wait(&status) < 0 || status != 0) {
            good = false;
        }
    }
    return good;
}

/* The text as a number of steps, or 0. */
static unsigned steps_of(const char *text)
{
    char *end;
    unsigned long steps = strtoul(text, &end, 10);

    return *end == '\0' && steps <= MOST_STEPS ? (unsigned)steps : 0;
}

int main(int argc, char **argv)
{
    static double expected[RANKS * CELLS];
    unsigned steps = argc > 1 ? steps_of(argv[1]) : STEPS;
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good;

    if (steps == 0) {
        fprintf(stderr, "halo: %s: wants a number of steps, 1 to %d\n", argv[1], MOST_STEPS);
        return 1;
    }
    if (shared == MAP_FAILED) {
        perror("halo: mmap");
        return 1;
    }
    alone(expected, steps);
    good = together(shared, steps) && memcmp(expected, shared->result, sizeof(expected)) == 0;
    printf("%u steps in %d processes: %s\n", steps, RANKS, good ? "as in one" : "wrong");
    return good ? 0 : 1;
}
