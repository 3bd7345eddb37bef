/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat on a square plate by Jacobi's method: the upper edge is kept at 1, the others at 0, and each
 * step gives every point the mean of its four neighbours. The plate is cut into rectangles; each
 * step exchanges their edges, columns as a strided type, and updates the inner points while the
 * edges are on the way. Every 50 steps all processes learn the largest change.
 *
 * Check: one process repeats the steps on plain arrays and has the same temperatures to the last
 * bit.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 50 };

struct option {
    const char *name;
    int *value;
    int min, max;
    const char *help;
};

struct result {
    double change;     /* largest in the step that was looked at last */
    uint64_t checksum; /* of all temperatures, in any rank */
};

/* One process's rectangle, with one more row and column on each side. */
struct part {
    MPI_Comm comm;
    int first_row, first_column, rows, columns;
    int up, down, left, right; /* ranks or MPI_PROC_NULL */
    MPI_Datatype column;
    double *now, *next;
};

static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double mean(const double *point, int width)
{
    return 0.25 * ((point[-width] + point[width]) + (point[-1] + point[1]));
}

/* The first row of an array is the hot edge. */
static double *plate(int rows, int columns, bool hot)
{
    double *t = calloc((size_t)(rows + 2) * (size_t)(columns + 2), sizeof *t);

    if (t == NULL) {
        fprintf(stderr, "jacobi_heat: no memory for %d x %d points; choose a smaller --size\n",
                rows, columns);
        MPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    for (int j = 0; hot && j < columns + 2; j++) {
        t[j] = 1;
    }
    return t;
}

static void part_create(struct part *p, int size, const int dims[2])
{
    int periods[2] = {0, 0}, coords[2], rank;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &p->comm);
    MPI_Comm_rank(p->comm, &rank);
    MPI_Cart_coords(p->comm, rank, 2, coords);
    p->first_row = coords[0] * size / dims[0];
    p->rows = (coords[0] + 1) * size / dims[0] - p->first_row;
    p->first_column = coords[1] * size / dims[1];
    p->columns = (coords[1] + 1) * size / dims[1] - p->first_column;
    MPI_Cart_shift(p->comm, 0, 1, &p->up, &p->down);
    MPI_Cart_shift(p->comm, 1, 1, &p->left, &p->right);
    MPI_Type_vector(p->rows, 1, p->columns + 2, MPI_DOUBLE, &p->column);
    MPI_Type_commit(&p->column);
    p->now = plate(p->rows, p->columns, p->up == MPI_PROC_NULL);
    p->next = plate(p->rows, p->columns, p->up == MPI_PROC_NULL);
}

static void part_free(struct part *p)
{
    MPI_Type_free(&p->column);
    MPI_Comm_free(&p->comm);
    free(p->now);
    free(p->next);
}

/* Starts to exchange the outermost rows and columns with the four neighbours. */
static void exchange_start(struct part *p, MPI_Request requests[8])
{
    int width = p->columns + 2;
    double *first = p->now + width + 1;               /* first row, first column */
    double *last_row = first + (p->rows - 1) * width; /* last row, first column */
    double *last_column = first + p->columns - 1;

    MPI_Irecv(first - width, p->columns, MPI_DOUBLE, p->up, 0, p->comm, &requests[0]);
    MPI_Irecv(last_row + width, p->columns, MPI_DOUBLE, p->down, 1, p->comm, &requests[1]);
    MPI_Irecv(first - 1, 1, p->column, p->left, 2, p->comm, &requests[2]);
    MPI_Irecv(last_column + 1, 1, p->column, p->right, 3, p->comm, &requests[3]);
    MPI_Isend(last_row, p->columns, MPI_DOUBLE, p->down, 0, p->comm, &requests[4]);
    MPI_Isend(first, p->columns, MPI_DOUBLE, p->up, 1, p->comm, &requests[5]);
    MPI_Isend(last_column, 1, p->column, p->right, 2, p->comm, &requests[6]);
    MPI_Isend(first, 1, p->column, p->left, 3, p->comm, &requests[7]);
}

static void update(struct part *p, int row, int from, int to)
{
    int width = p->columns + 2;

    for (int j = from; j < to; j++) {
        p->next[(row + 1) * width + j + 1] = mean(&p->now[(row + 1) * width + j + 1], width);
    }
}

static void step(struct part *p)
{
    MPI_Request requests[8];

    exchange_start(p, requests);
    for (int i = 1; i < p->rows - 1; i++) {
        update(p, i, 1, p->columns - 1);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    update(p, 0, 0, p->columns);
    if (p->rows > 1) {
        update(p, p->rows - 1, 0, p->columns);
    }
    for (int i = 1; i < p->rows - 1; i++) {
        update(p, i, 0, 1);
        update(p, i, p->columns - 1, p->columns);
    }
    double *old = p->now;
    p->now = p->next;
    p->next = old;
}

static double largest_change(const struct part *p)
{
    double largest = 0;

    for (int i = 1; i <= p->rows; i++) {
        for (int j = 1; j <= p->columns; j++) {
            int k = i * (p->columns + 2) + j;

            largest = fmax(largest, fabs(p->now[k] - p->next[k]));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, p->comm);
    return largest;
}

/* Bits of a rectangle's points, mixed with their places in the whole plate. */
static uint64_t checksum(const double *t, int rows, int columns, int first_row, int first_column)
{
    uint64_t sum = 0, bits;

    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            memcpy(&bits, &t[(i + 1) * (columns + 2) + j + 1], sizeof bits);
            sum ^= hash(bits ^
                        hash(((uint64_t)(first_row + i) << 32) + (uint64_t)(first_column + j) + 1));
        }
    }
    return sum;
}

static struct result simulate(int size, int steps, const int dims[2])
{
    struct part p;
    struct result r = {0, 0};

    part_create(&p, size, dims);
    for (int i = 1; i <= steps; i++) {
        step(&p);
        if (i % LOOK_EVERY == 0 || i == steps) {
            r.change = largest_change(&p);
        }
    }
    uint64_t mine = checksum(p.now, p.rows, p.columns, p.first_row, p.first_column);
    MPI_Allreduce(&mine, &r.checksum, 1, MPI_UINT64_T, MPI_BXOR, p.comm);
    part_free(&p);
    return r;
}

/* The same without MPI. */
static struct result reference(int size, int steps)
{
    struct result r = {0, 0};
    double *now = plate(size, size, true);
    double *next = plate(size, size, true);

    for (int i = 0; i < steps; i++) {
        r.change = 0;
        for (int row = 1; row <= size; row++) {
            for (int k = row * (size + 2) + 1; k <= row * (size + 2) + size; k++) {
                next[k] = mean(&now[k], size + 2);
                r.change = fmax(r.change, fabs(next[k] - now[k]));
            }
        }
        double *old = now;
        now = next;
        next = old;
    }
    r.checksum = checksum(now, size, size, 0, 0);
    free(now);
    free(next);
    return r;
}

/* Reads the command line. Returns true to go on; otherwise *status is what the program ends
 * with. */
static bool parse(int argc, char **argv, const struct option *options, bool talk, int *status)
{
    for (int i = 1; i < argc; i += 2) {
        const struct option *o = options;
        char *end = "";

        *status = strcmp(argv[i], "--help") == 0 ? 0 : 2;
        while (o->name != NULL && strcmp(o->name, argv[i]) != 0) {
            o++;
        }
        long value = o->name != NULL && i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (o->name != NULL && i + 1 < argc && *end == '\0' && value >= o->min && value <= o->max) {
            *o->value = (int)value;
            continue;
        }
        if (talk && *status != 0) {
            fprintf(stderr, "jacobi_heat: %s %s is not understood\n", argv[i],
                    i + 1 < argc ? argv[i + 1] : "without a value");
        }
        for (o = options; talk && o->name != NULL; o++) {
            fprintf(*status == 0 ? stdout : stderr, "  %-10s N  %s, %d to %d (default %d)\n",
                    o->name, o->help, o->min, o->max, *o->value);
        }
        return false;
    }
    return true;
}

/* Runs it on all processes, then perhaps on one alone, and compares. Returns the program's
 * status. */
static int run_and_check(int size, int steps, bool check, bool tell_time, int rank)
{
    int dims[2] = {0, 0}, ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    if (dims[0] > size) {
        if (rank == 0) {
            fprintf(stderr,
                    "jacobi_heat: --size %d is too small for %d processes; at least %d is needed\n",
                    size, ranks, dims[0]);
        }
        return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    struct result r = simulate(size, steps, dims);
    double seconds = MPI_Wtime() - begin;
    int right = r.change >= 0 && r.change <= 0.25;
    if (rank == 0 && check) {
        struct result alone = reference(size, steps);

        right = right && alone.checksum == r.checksum && alone.change == r.change;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("jacobi_heat: size %d, %d steps, last change %.9e, checksum %016llx: %s\n", size,
               steps, r.change, (unsigned long long)r.checksum, right ? "right" : "WRONG");
    }
    if (rank == 0 && tell_time) {
        fprintf(stderr, "jacobi_heat: %.6f s\n", seconds);
    }
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int size = 256, steps = 500, check = 1, tell_time = 0, rank, status = 0;
    const struct option options[] = {
        {"--size", &size, 1, 16384, "points in each direction"},
        {"--steps", &steps, 0, 1000000, "steps"},
        {"--check", &check, 0, 1, "1: one process repeats it alone and compares"},
        {"--time", &tell_time, 0, 1, "1: print the run time on standard error"},
        {NULL, NULL, 0, 0, NULL},
    };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parse(argc, argv, options, rank == 0, &status)) {
        status = run_and_check(size, steps, check != 0, tell_time != 0, rank);
    }
    MPI_Finalize();
    return status;
}
