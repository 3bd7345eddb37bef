/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heisenberg spin glass: unit vectors on a periodic cubic lattice, coupled to their six neighbours
 * by random numbers from a normal distribution, H = - sum over neighbours of J_ij s_i . s_j. The
 * lattice is cut in all three directions.
 *
 * One sweep mirrors each spin at the field of its neighbours (over-relaxation): first the even
 * sites, then the odd ones, each time followed by an exchange of the six faces. A mirrored spin
 * keeps the energy, which is one check; the other is that a single process, with the whole lattice
 * to itself, ends with the same spins to the last bit.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option {
    const char *name;
    int *value;
    int min, max;
    const char *help;
};

struct result {
    double energy_before, energy_after; /* per site */
    uint64_t checksum;                  /* of all spins, in any rank */
};

typedef double spin[3];

/* The part of the lattice that one process has. Arrays have one more layer on each side, the
 * neighbours' faces. */
struct part {
    MPI_Comm comm;
    int size;                        /* of the whole lattice, in each direction */
    int first[3];                    /* the part's first site in it */
    int n[3];                        /* sites of the part */
    int neighbor[6];                 /* rank below and above in each direction */
    MPI_Datatype inner[6], outer[6]; /* the faces to send and where those of the neighbours go */
    spin *spins;
    spin *couplings; /* of each site with the next one in each direction */
};

/* Bits that depend on nothing but their number: each process finds the same random numbers for a
 * site. */
static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The i-th random number of a site, above 0 and below 1. */
static double uniform(uint64_t site, int i)
{
    return ((double)(hash(hash(site * 16 + (uint64_t)i + 1)) >> 12) + 0.5) / 4503599627370496.0;
}

static double normal(uint64_t site, int i)
{
    return sqrt(-2 * log(uniform(site, i))) * cos(2 * M_PI * uniform(site, i + 1));
}

/* Place in the arrays of the part's site x, y, z; -1 and n are the layers of the neighbours. */
static size_t at(const struct part *p, int x, int y, int z)
{
    return ((size_t)(x + 1) * (size_t)(p->n[1] + 2) + (size_t)(y + 1)) * (size_t)(p->n[2] + 2) +
           (size_t)(z + 1);
}

/* Number of that site in the whole lattice. */
static uint64_t site_number(const struct part *p, int x, int y, int z)
{
    uint64_t size = (uint64_t)p->size;
    uint64_t gx = (uint64_t)(p->first[0] + x + p->size) % size;
    uint64_t gy = (uint64_t)(p->first[1] + y + p->size) % size;
    uint64_t gz = (uint64_t)(p->first[2] + z + p->size) % size;

    return (gx * size + gy) * size + gz;
}

/* Types of the six faces, as parts of the array with its outer layers. */
static void make_faces(struct part *p)
{
    int whole[3] = {p->n[0] + 2, p->n[1] + 2, p->n[2] + 2};
    MPI_Datatype spin_type;

    MPI_Type_contiguous(3, MPI_DOUBLE, &spin_type);
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        int sizes[3] = {p->n[0], p->n[1], p->n[2]};
        int starts[3] = {1, 1, 1};

        sizes[axis] = 1;
        starts[axis] = face % 2 == 0 ? 1 : p->n[axis];
        MPI_Type_create_subarray(3, whole, sizes, starts, MPI_ORDER_C, spin_type, &p->inner[face]);
        starts[axis] = face % 2 == 0 ? 0 : p->n[axis] + 1;
        MPI_Type_create_subarray(3, whole, sizes, starts, MPI_ORDER_C, spin_type, &p->outer[face]);
        MPI_Type_commit(&p->inner[face]);
        MPI_Type_commit(&p->outer[face]);
    }
    MPI_Type_free(&spin_type);
}

static void start_site(struct part *p, int x, int y, int z)
{
    uint64_t site = site_number(p, x, y, z);
    double *s = p->spins[at(p, x, y, z)];
    double *j = p->couplings[at(p, x, y, z)];
    double height = 2 * uniform(site, 0) - 1;
    double angle = 2 * M_PI * uniform(site, 1);

    s[0] = sqrt(1 - height * height) * cos(angle);
    s[1] = sqrt(1 - height * height) * sin(angle);
    s[2] = height;
    for (int axis = 0; axis < 3; axis++) {
        j[axis] = normal(site, 2 + 2 * axis);
    }
}

/* Cuts the lattice among the processes and fills this one's part. The caller has made sure that no
 * part is empty. */
static void part_create(struct part *p, MPI_Comm comm, int size, const int dims[3])
{
    int periods[3] = {1, 1, 1}, coords[3], rank;

    p->size = size;
    MPI_Cart_create(comm, 3, dims, periods, 0, &p->comm);
    MPI_Comm_rank(p->comm, &rank);
    MPI_Cart_coords(p->comm, rank, 3, coords);
    size_t places = 1;
    for (int axis = 0; axis < 3; axis++) {
        p->first[axis] = coords[axis] * size / dims[axis];
        p->n[axis] = (coords[axis] + 1) * size / dims[axis] - p->first[axis];
        places *= (size_t)p->n[axis] + 2;
        MPI_Cart_shift(p->comm, axis, 1, &p->neighbor[2 * axis], &p->neighbor[2 * axis + 1]);
    }
    p->spins = calloc(places, sizeof(spin));
    p->couplings = calloc(places, sizeof(spin));
    if (p->spins == NULL || p->couplings == NULL) {
        fprintf(stderr, "spin_glass: no memory for %zu sites; choose a smaller --size\n", places);
        MPI_Abort(comm, 1);
    }
    make_faces(p);
    for (int x = -1; x <= p->n[0]; x++) {
        for (int y = -1; y <= p->n[1]; y++) {
            for (int z = -1; z <= p->n[2]; z++) {
                start_site(p, x, y, z);
            }
        }
    }
}

static void part_free(struct part *p)
{
    for (int face = 0; face < 6; face++) {
        MPI_Type_free(&p->inner[face]);
        MPI_Type_free(&p->outer[face]);
    }
    MPI_Comm_free(&p->comm);
    free(p->spins);
    free(p->couplings);
}

/* Gives each neighbour the face next to it. A message's tag is the face on which it arrives. */
static void exchange_faces(struct part *p)
{
    MPI_Request requests[12];

    for (int face = 0; face < 6; face++) {
        MPI_Irecv(p->spins, 1, p->outer[face], p->neighbor[face], face, p->comm, &requests[face]);
    }
    for (int face = 0; face < 6; face++) {
        MPI_Isend(p->spins, 1, p->inner[face], p->neighbor[face], face ^ 1, p->comm,
                  &requests[6 + face]);
    }
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
}

/* The field at a site: the sum of its neighbours' spins, each times its coupling. */
static void field(const struct part *p, size_t site, spin h)
{
    const size_t step[3] = {at(p, 1, 0, 0) - at(p, 0, 0, 0), at(p, 0, 1, 0) - at(p, 0, 0, 0), 1};

    h[0] = h[1] = h[2] = 0;
    for (int axis = 0; axis < 3; axis++) {
        size_t below = site - step[axis], above = site + step[axis];

        for (int i = 0; i < 3; i++) {
            h[i] += p->couplings[below][axis] * p->spins[below][i] +
                    p->couplings[site][axis] * p->spins[above][i];
        }
    }
}

static double dot(const spin a, const spin b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void mirror(struct part *p, size_t site)
{
    double *s = p->spins[site];
    spin h;

    field(p, site, h);
    double square = dot(h, h);
    if (square == 0) {
        return;
    }
    double factor = 2 * dot(s, h) / square;
    for (int i = 0; i < 3; i++) {
        s[i] = factor * h[i] - s[i];
    }
}

/* Mirrors the sites of one colour of the chequerboard: none is the neighbour of another. */
static void half_sweep(struct part *p, int color)
{
    for (int x = 0; x < p->n[0]; x++) {
        for (int y = 0; y < p->n[1]; y++) {
            int odd = (p->first[0] + x + p->first[1] + y + p->first[2] + color) & 1;

            for (int z = odd; z < p->n[2]; z += 2) {
                mirror(p, at(p, x, y, z));
            }
        }
    }
    exchange_faces(p);
}

/* Energy per site and a checksum. Sums of integers, so that it does not matter who adds what
 * first. */
static double measure(const struct part *p, uint64_t *checksum)
{
    int64_t energy = 0;
    uint64_t mine = 0;

    for (int x = 0; x < p->n[0]; x++) {
        for (int y = 0; y < p->n[1]; y++) {
            for (int z = 0; z < p->n[2]; z++) {
                size_t site = at(p, x, y, z);
                uint64_t bits[3];
                spin h;

                field(p, site, h);
                energy -= llround(ldexp(dot(p->spins[site], h) / 2, 32));
                memcpy(bits, p->spins[site], sizeof bits);
                mine ^=
                    hash(bits[0] ^ hash(bits[1] ^ hash(bits[2] ^ hash(site_number(p, x, y, z)))));
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_INT64_T, MPI_SUM, p->comm);
    MPI_Allreduce(&mine, checksum, 1, MPI_UINT64_T, MPI_BXOR, p->comm);
    return ldexp((double)energy, -32) / pow(p->size, 3);
}

static struct result simulate(MPI_Comm comm, int size, int sweeps, const int dims[3])
{
    struct part p;
    struct result r;

    part_create(&p, comm, size, dims);
    r.energy_before = measure(&p, &r.checksum);
    for (int i = 0; i < sweeps; i++) {
        half_sweep(&p, 0);
        half_sweep(&p, 1);
    }
    r.energy_after = measure(&p, &r.checksum);
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
            fprintf(stderr, "spin_glass: %s %s is not understood\n", argv[i],
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
static int run_and_check(int size, int sweeps, bool check, bool tell_time, int rank)
{
    int dims[3] = {0, 0, 0}, alone[3] = {1, 1, 1}, ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    if (dims[0] > size) {
        if (rank == 0) {
            fprintf(stderr,
                    "spin_glass: --size %d is too small for %d processes; at least %d is needed\n",
                    size, ranks, dims[0] + (dims[0] & 1));
        }
        return 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    struct result r = simulate(MPI_COMM_WORLD, size, sweeps, dims);
    double seconds = MPI_Wtime() - begin;
    int right = fabs(r.energy_after - r.energy_before) < 1e-8;
    if (rank == 0 && check) {
        right = right && simulate(MPI_COMM_SELF, size, sweeps, alone).checksum == r.checksum;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("spin_glass: size %d, %d sweeps, energy per site %.9f, checksum %016llx: %s\n", size,
               sweeps, r.energy_after, (unsigned long long)r.checksum, right ? "right" : "WRONG");
    }
    if (rank == 0 && tell_time) {
        fprintf(stderr, "spin_glass: %.6f s\n", seconds);
    }
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int size = 32, sweeps = 100, check = 1, tell_time = 0, rank, status = 0;
    const struct option options[] = {
        {"--size", &size, 2, 1024, "sites in each direction, an even number"},
        {"--sweeps", &sweeps, 0, 1000000, "sweeps over the lattice"},
        {"--check", &check, 0, 1, "1: one process repeats it alone and compares"},
        {"--time", &tell_time, 0, 1, "1: print the run time on standard error"},
        {NULL, NULL, 0, 0, NULL},
    };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parse(argc, argv, options, rank == 0, &status)) {
        size += size & 1; /* with an odd number the chequerboard would not close */
        status = run_and_check(size, sweeps, check != 0, tell_time != 0, rank);
    }
    MPI_Finalize();
    return status;
}
