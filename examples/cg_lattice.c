/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conjugate gradients on a periodic four-dimensional lattice, the solver at the heart of lattice
 * gauge theory, with U(1) links: complex numbers of modulus 1 on the edges, at random. What it
 * solves is A x = b, with
 *
 *     (A x)(s) = (mass^2 + 8) x(s) - sum over the 4 directions of
 *                [ link(s) x(s + 1) + conj(link(s - 1)) x(s - 1) ]
 *
 * The lattice is cut along the last direction, t; persistent requests exchange the outer slices.
 * Scalar products are summed slice by slice, and all processes add the slices' sums in the same
 * order: each iteration has the same bits with any number of processes.
 *
 * Check: the residual b - A x, computed afresh, is as small as was asked for; and one process
 * alone, with the whole lattice to itself, finds the same x to the last bit.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 4, SLICES_MAX = 4096 };

struct option {
    const char *name;
    int *value;
    int min, max;
    const char *help;
};

struct result {
    int iterations;
    double residual;   /* |b - A x| / |b| */
    uint64_t checksum; /* of x, in all ranks */
};

/* One process's slices of the lattice: t = first..first+slices-1. Fields have one more slice on
 * each side, the neighbours', of which only the one that is searched along (p) makes use. */
struct part {
    MPI_Comm comm;
    int rank, ranks, size, times;
    int first, slices;
    int below, above;                 /* ranks */
    int slice;                        /* sites of a slice */
    double complex *link[DIRECTIONS]; /* from each site to the next one; a slice more below */
    double complex *x, *r, *p, *ap;
    int counts[SLICES_MAX], displs[SLICES_MAX]; /* slices of each rank */
    MPI_Request halo[4];
};

static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The i-th random number of a site, from 0 to 1. */
static double uniform(uint64_t site, int i)
{
    return (double)(hash(hash(site + 1) + (uint64_t)i) >> 11) / 9007199254740992.0;
}

static double complex *field(const struct part *p)
{
    double complex *f = calloc((size_t)(p->slices + 2) * (size_t)p->slice, sizeof *f);

    if (f == NULL) {
        fprintf(stderr,
                "cg_lattice: no memory for %d slices of %d sites; choose a smaller --size\n",
                p->slices, p->slice);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return f;
}

/* Number in the whole lattice of a site of slice t, which may be -1 or `slices`. */
static uint64_t site_number(const struct part *p, int t, int i)
{
    return (uint64_t)((p->first + t + p->times) % p->times) * (uint64_t)p->slice + (uint64_t)i;
}

/* Persistent exchange of p's outer slices. A message's tag is the direction in which it travels. */
static void halo_create(struct part *p)
{
    double complex *first = p->p + p->slice, *last = p->p + p->slices * p->slice;

    MPI_Recv_init(p->p, p->slice, MPI_C_DOUBLE_COMPLEX, p->below, 1, p->comm, &p->halo[0]);
    MPI_Recv_init(last + p->slice, p->slice, MPI_C_DOUBLE_COMPLEX, p->above, 0, p->comm,
                  &p->halo[1]);
    MPI_Send_init(last, p->slice, MPI_C_DOUBLE_COMPLEX, p->above, 1, p->comm, &p->halo[2]);
    MPI_Send_init(first, p->slice, MPI_C_DOUBLE_COMPLEX, p->below, 0, p->comm, &p->halo[3]);
}

static void part_create(struct part *p, MPI_Comm comm, int size, int times)
{
    int periodic = 1;

    memset(p, 0, sizeof *p);
    p->size = size;
    p->times = times;
    MPI_Comm_size(comm, &p->ranks);
    MPI_Cart_create(comm, 1, &p->ranks, &periodic, 0, &p->comm);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Cart_shift(p->comm, 0, 1, &p->below, &p->above);
    for (int r = 0; r < p->ranks; r++) {
        p->displs[r] = r * times / p->ranks;
        p->counts[r] = (r + 1) * times / p->ranks - p->displs[r];
    }
    p->first = p->displs[p->rank];
    p->slices = p->counts[p->rank];
    p->slice = size * size * size;
    p->x = field(p);
    p->r = field(p);
    p->p = field(p);
    p->ap = field(p);
    for (int d = 0; d < DIRECTIONS; d++) {
        p->link[d] = field(p);
        for (int t = -1; t < p->slices; t++) {
            for (int i = 0; i < p->slice; i++) {
                p->link[d][(t + 1) * p->slice + i] =
                    cexp(2 * M_PI * I * uniform(site_number(p, t, i), 2 + d));
            }
        }
    }
    halo_create(p);
}

static void part_free(struct part *p)
{
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&p->halo[i]);
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        free(p->link[d]);
    }
    free(p->x);
    free(p->r);
    free(p->p);
    free(p->ap);
    MPI_Comm_free(&p->comm);
}

/* Place of the neighbour of site i of a slice, `step` places away in a direction with that
 * stride. */
static int around(const struct part *p, int i, int stride, int step)
{
    int at = i / stride % p->size;

    return i + ((at + step + p->size) % p->size - at) * stride;
}

static double complex apply_site(const struct part *p, const double complex *v, int t, int i,
                                 double diagonal)
{
    const double complex *row = v + (t + 1) * p->slice;
    int here = (t + 1) * p->slice + i, stride = 1;
    double complex sum = 0;

    for (int d = 0; d < 3; d++, stride *= p->size) {
        int down = around(p, i, stride, -1);

        sum += p->link[d][here] * row[around(p, i, stride, 1)] +
               conj(p->link[d][(t + 1) * p->slice + down]) * row[down];
    }
    sum += p->link[3][here] * v[here + p->slice] +
           conj(p->link[3][here - p->slice]) * v[here - p->slice];
    return diagonal * row[i] - sum;
}

static void apply_slice(const struct part *p, double complex *out, int t, double diagonal)
{
    for (int i = 0; i < p->slice; i++) {
        out[(t + 1) * p->slice + i] = apply_site(p, p->p, t, i, diagonal);
    }
}

/* ap = A p. The inner slices need no neighbour: they are done while the outer ones travel. */
static void apply(struct part *p, double diagonal)
{
    MPI_Startall(4, p->halo);
    for (int t = 1; t < p->slices - 1; t++) {
        apply_slice(p, p->ap, t, diagonal);
    }
    MPI_Waitall(4, p->halo, MPI_STATUSES_IGNORE);
    apply_slice(p, p->ap, 0, diagonal);
    if (p->slices > 1) {
        apply_slice(p, p->ap, p->slices - 1, diagonal);
    }
}

/* The real part of <a, b>, with the same bits in all processes and with any number of them. */
static double product(const struct part *p, const double complex *a, const double complex *b)
{
    double sums[SLICES_MAX], total = 0;

    for (int t = 0; t < p->slices; t++) {
        double sum = 0;

        for (int k = (t + 1) * p->slice; k < (t + 2) * p->slice; k++) {
            sum += creal(a[k]) * creal(b[k]) + cimag(a[k]) * cimag(b[k]);
        }
        sums[p->first + t] = sum;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sums, p->counts, p->displs, MPI_DOUBLE,
                   p->comm);
    for (int t = 0; t < p->times; t++) {
        total += sums[t];
    }
    return total;
}

/* y = y + factor * z, or y = z + factor * y. */
static void add(const struct part *p, double complex *y, double factor, const double complex *z)
{
    for (int k = p->slice; k < (p->slices + 1) * p->slice; k++) {
        y[k] += factor * z[k];
    }
}

static void add_to(const struct part *p, double complex *y, double factor, const double complex *z)
{
    for (int k = p->slice; k < (p->slices + 1) * p->slice; k++) {
        y[k] = z[k] + factor * y[k];
    }
}

static double complex source(const struct part *p, int t, int i)
{
    uint64_t site = site_number(p, t, i);

    return uniform(site, 0) - 0.5 + I * (uniform(site, 1) - 0.5);
}

/* |b - A x| / |b|, from x alone: p and ap are used up. */
static double true_residual(struct part *p, double diagonal, double b_square)
{
    memcpy(p->p + p->slice, p->x + p->slice, (size_t)p->slices * (size_t)p->slice * sizeof *p->p);
    apply(p, diagonal);
    for (int t = 0; t < p->slices; t++) {
        for (int i = 0; i < p->slice; i++) {
            p->ap[(t + 1) * p->slice + i] -= source(p, t, i);
        }
    }
    return sqrt(product(p, p->ap, p->ap) / b_square);
}

static uint64_t checksum(const struct part *p)
{
    uint64_t mine = 0, all, bits[2];

    for (int t = 0; t < p->slices; t++) {
        for (int i = 0; i < p->slice; i++) {
            memcpy(bits, &p->x[(t + 1) * p->slice + i], sizeof bits);
            mine ^= hash(bits[0] ^ hash(bits[1] ^ hash(site_number(p, t, i) + 1)));
        }
    }
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, p->comm);
    return all;
}

static struct result solve(MPI_Comm comm, int size, int times, double precision)
{
    const double mass = 0.3, diagonal = mass * mass + 2 * DIRECTIONS;
    struct part p;
    struct result r = {0, 0, 0};

    part_create(&p, comm, size, times);
    for (int t = 0; t < p.slices; t++) {
        for (int i = 0; i < p.slice; i++) {
            p.r[(t + 1) * p.slice + i] = p.p[(t + 1) * p.slice + i] = source(&p, t, i);
        }
    }
    double b_square = product(&p, p.r, p.r), square = b_square;
    while (square > precision * precision * b_square && r.iterations < 10000) {
        apply(&p, diagonal);
        double step = square / product(&p, p.p, p.ap);
        add(&p, p.x, step, p.p);
        add(&p, p.r, -step, p.ap);
        double next = product(&p, p.r, p.r);
        add_to(&p, p.p, next / square, p.r);
        square = next;
        r.iterations++;
    }
    r.residual = true_residual(&p, diagonal, b_square);
    r.checksum = checksum(&p);
    part_free(&p);
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
            fprintf(stderr, "cg_lattice: %s %s is not understood\n", argv[i],
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
static int run_and_check(int size, int times, bool check, bool tell_time, int rank)
{
    const double precision = 1e-10;
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > times) {
        if (rank == 0) {
            fprintf(stderr,
                    "cg_lattice: --times %d is too small for %d processes; at least %d is needed\n",
                    times, ranks, ranks);
        }
        return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    struct result r = solve(MPI_COMM_WORLD, size, times, precision);
    double seconds = MPI_Wtime() - begin;
    int right = r.residual < 10 * precision;
    if (rank == 0 && check) {
        struct result alone = solve(MPI_COMM_SELF, size, times, precision);

        right = right && alone.checksum == r.checksum && alone.iterations == r.iterations;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("cg_lattice: %d^3 x %d sites, %d iterations, residual %.9e, checksum %016llx: %s\n",
               size, times, r.iterations, r.residual, (unsigned long long)r.checksum,
               right ? "right" : "WRONG");
    }
    if (rank == 0 && tell_time) {
        fprintf(stderr, "cg_lattice: %.6f s\n", seconds);
    }
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int size = 12, times = 24, check = 1, tell_time = 0, rank, status = 0;
    const struct option options[] = {
        {"--size", &size, 2, 128, "sites in each of the first three directions"},
        {"--times", &times, 2, SLICES_MAX, "sites in the fourth direction, which is cut"},
        {"--check", &check, 0, 1, "1: one process repeats it alone and compares"},
        {"--time", &tell_time, 0, 1, "1: print the run time on standard error"},
        {NULL, NULL, 0, 0, NULL},
    };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parse(argc, argv, options, rank == 0, &status)) {
        status = run_and_check(size, times, check != 0, tell_time != 0, rank);
    }
    MPI_Finalize();
    return status;
}
