/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat on a square plate by Jacobi's method, as jacobi_heat, on ranks that may die: the others go
 * on with what is left of them, by User-Level Failure Mitigation (mpi-ext.h). Every so many steps,
 * a stage, all ranks exchange the whole plate and agree that all have it. A rank that finds another
 * one dead revokes the communicator, so that all hear of it; they shrink it, cut the last plate
 * that all had anew, and repeat the stage.
 *
 *     prestorun -n 4 --keep-going ./jacobi_survive --die 1:30,3:75
 *
 * Check: the temperatures are, to the last bit, those that one process finds.
 */
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE = 10, DEATHS = 16 };

static int size = 64, steps = 100;
static struct death {
    int rank, step;
} deaths[DEATHS];
static int death_count;
static int world_rank;

/* The rows of this rank, with one more above and below, and where they are in the plate. */
struct part {
    MPI_Comm comm;
    int rank, ranks, first, rows;
    double *now, *next;
};

static void *memory(size_t count)
{
    double *got = calloc(count, sizeof *got);

    if (got == NULL) {
        fprintf(stderr, "jacobi_survive: no memory for %zu points; choose a smaller --size\n",
                count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return got;
}

static int first_row(int rank, int ranks)
{
    return (int)((long)rank * size / ranks);
}

/* A row of `size` points has one more at each side; the plate's upper edge is hot. */
static void make_edges(double *plate, int rows, int hot)
{
    int width = size + 2;

    for (int j = 0; j < width; j++) {
        plate[j] = hot;
        plate[(rows + 1) * width + j] = 0;
    }
}

/* Cut the plate for those who are there. */
static void cut(struct part *p, const double *plate)
{
    int width = size + 2;

    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->ranks);
    p->first = first_row(p->rank, p->ranks);
    p->rows = first_row(p->rank + 1, p->ranks) - p->first;
    free(p->now);
    free(p->next);
    p->now = memory((size_t)((p->rows + 2) * width));
    p->next = memory((size_t)((p->rows + 2) * width));
    memcpy(p->now + width, plate + (size_t)((p->first + 1) * width),
           (size_t)(p->rows * width) * sizeof(double));
    make_edges(p->now, p->rows, p->rank == 0);
    make_edges(p->next, p->rows, p->rank == 0);
}

static void update(const double *now, double *next, int rows)
{
    int width = size + 2;

    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= size; j++) {
            int k = i * width + j;

            next[k] = 0.25 * ((now[k - width] + now[k + width]) + (now[k - 1] + now[k + 1]));
        }
    }
}

/* The neighbours' outermost rows. */
static int exchange(struct part *p)
{
    int width = size + 2, up = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL;
    int down = p->rank < p->ranks - 1 ? p->rank + 1 : MPI_PROC_NULL;
    double *last = p->now + p->rows * width;
    int code = MPI_Sendrecv(p->now + width, width, MPI_DOUBLE, up, 0, last + width, width,
                            MPI_DOUBLE, down, 0, p->comm, MPI_STATUS_IGNORE);

    return code != MPI_SUCCESS ? code
                               : MPI_Sendrecv(last, width, MPI_DOUBLE, down, 1, p->now, width,
                                              MPI_DOUBLE, up, 1, p->comm, MPI_STATUS_IGNORE);
}

static void die_if_due(int step)
{
    for (int i = 0; i < death_count; i++) {
        if (deaths[i].rank == world_rank && deaths[i].step == step) {
            raise(SIGKILL);
        }
    }
}

/* All rows of all ranks. */
static int gather(const struct part *p, double *plate)
{
    int width = size + 2, counts[1024], at[1024];

    for (int i = 0; i < p->ranks; i++) {
        at[i] = (first_row(i, p->ranks) + 1) * width;
        counts[i] = (first_row(i + 1, p->ranks) + 1) * width - at[i];
    }
    return MPI_Allgatherv(p->now + width, p->rows * width, MPI_DOUBLE, plate, counts, at,
                          MPI_DOUBLE, p->comm);
}

/* One stage from a step on; the whole plate then. */
static int work(struct part *p, int step, double *plate)
{
    for (int end = step + STAGE; step < end && step < steps; step++) {
        int code = exchange(p);
        double *old = p->now;

        if (code != MPI_SUCCESS) {
            return code;
        }
        die_if_due(step);
        update(p->now, p->next, p->rows);
        p->now = p->next;
        p->next = old;
        if (p->rank == 0) {
            make_edges(p->now, p->rows, 1);
        }
    }
    return gather(p, plate);
}

/* Those who live. */
static void shrink(struct part *p)
{
    MPI_Comm less;

    if (MPIX_Comm_shrink(p->comm, &less) != MPI_SUCCESS) {
        fprintf(stderr, "jacobi_survive: the living cannot be found\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&p->comm);
    MPI_Comm_set_errhandler(less, MPI_ERRORS_RETURN);
    p->comm = less;
}

/* Returns how often it went on with fewer ranks. */
static int simulate(struct part *p, double **plate)
{
    double *spare = memory((size_t)((size + 2) * (size + 2)));
    int step = 0, losses = 0;

    make_edges(spare, size, 1);
    cut(p, *plate);
    while (step < steps) {
        int good = work(p, step, spare) == MPI_SUCCESS;

        if (!good) {
            MPIX_Comm_revoke(p->comm); /* those hear of it who wait for a rank that lives */
        }
        /* In all ranks the same: the bit of all, and the error that one has died. */
        if (MPIX_Comm_agree(p->comm, &good) == MPI_SUCCESS && good) {
            double *old = *plate;

            *plate = spare;
            spare = old;
            step += STAGE;
        } else {
            losses++;
            shrink(p);
            cut(p, *plate);
        }
    }
    free(spare);
    return losses;
}

/* The same in one process. */
static int is_right(const double *plate)
{
    size_t points = (size_t)((size + 2) * (size + 2));
    double *now = memory(points), *next = memory(points);
    int right;

    make_edges(now, size, 1);
    make_edges(next, size, 1);
    for (int i = 0; i < steps; i++) {
        double *old = now;

        update(now, next, size);
        now = next;
        next = old;
    }
    right = memcmp(now + size + 2, plate + size + 2, (points - 2 * (size_t)(size + 2)) * 8) == 0;
    free(now);
    free(next);
    return right;
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        int used = 0, good = 0;

        if (strcmp(argv[i], "--size") == 0) {
            good = sscanf(value, "%d", &size) == 1 && size >= 4 && size <= 4096;
        } else if (strcmp(argv[i], "--steps") == 0) {
            good = sscanf(value, "%d", &steps) == 1 && steps >= 1;
        } else if (strcmp(argv[i], "--die") == 0) {
            good = 1;
            for (const char *at = value; good && *at != '\0'; at += used + (at[used] == ',')) {
                struct death *d = &deaths[death_count];

                good =
                    death_count < DEATHS && sscanf(at, "%d:%d%n", &d->rank, &d->step, &used) == 2;
                death_count += good;
            }
        }
        if (!good) {
            fprintf(
                stderr,
                "jacobi_survive: \"%s %s\" is none of --size POINTS (4 to 4096), --steps NUMBER, "
                "--die RANK:STEP[,RANK:STEP...]\n",
                argv[i], value);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct part p = {.now = NULL};
    double *plate;
    int losses, right = 1;

    parse(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &p.comm);
    MPI_Comm_set_errhandler(p.comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(p.comm, &p.ranks);
    if (p.ranks > size || p.ranks > 1024) {
        fprintf(stderr, "jacobi_survive: %d ranks for %d rows; choose a larger --size\n", p.ranks,
                size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    plate = memory((size_t)((size + 2) * (size + 2)));
    make_edges(plate, size, 1);
    losses = simulate(&p, &plate);
    if (p.rank == 0) {
        right = is_right(plate);
        printf("jacobi_survive: size %d, %d steps, %d ranks at the end, fewer %d times: %s\n", size,
               steps, p.ranks, losses, right ? "right" : "WRONG");
    }
    free(plate);
    free(p.now);
    free(p.next);
    MPI_Comm_free(&p.comm);
    MPI_Finalize();
    return right ? 0 : 1;
}
