/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many ranks, little traffic: rings of growing stride, collectives, all to one, all to all.
 *
 *   scale_small [-memory MIB]   all ranks together have at most so much for each of them then
 */
#include "mt.h"

enum { TAG = 2 };

static void rings(void)
{
    for (int stride = 1; stride < mt_size; stride *= 2) {
        int to = (mt_rank + stride) % mt_size, from = (mt_rank + mt_size - stride) % mt_size;
        int v[250];
        for (int i = 0; i < 250; ++i) {
            v[i] = mt_rank * 1000 + i;
        }
        MPI_Sendrecv_replace(v, 250, MPI_INT, to, TAG, from, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        for (int i = 0; i < 250; ++i) {
            mt_equal(v[i], from * 1000 + i, "ring of stride %d", stride);
        }
    }
}

static void to_one(void)
{
    int v = mt_rank;
    MPI_Status st;

    if (0 != mt_rank) {
        MPI_Send(&v, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < mt_size; ++i) {
        MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &st);
        mt_equal(v, st.MPI_SOURCE, "message to one");
    }
}

static void all_to_all(int bytes)
{
    size_t n = (size_t)bytes;
    unsigned char *out = mt_alloc(n * (size_t)mt_size), *in = mt_alloc(n * (size_t)mt_size);

    for (int r = 0; r < mt_size; ++r) {
        mt_fill(out + (size_t)r * n, n, mt_seed((uint64_t)mt_rank, (uint64_t)r, n, 0));
    }
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < mt_size; ++r) {
        mt_verify(in + (size_t)r * n, n, mt_seed((uint64_t)r, (uint64_t)mt_rank, n, 0),
                  "all to all from %d", r);
    }
    mt_free(out);
    mt_free(in);
}

/* Of this process, by /proc: private memory, and of what it shares its part. */
static long long proportional_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long long kib = -1;

    mt_check(file != NULL, "/proc/self/smaps_rollup cannot be read");
    while (kib < 0 && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "Pss: %lld kB", &kib);
    }
    fclose(file);
    mt_check(kib > 0, "/proc/self/smaps_rollup has no line Pss");
    return kib;
}

/* The sum over all ranks counts what they share once. */
static void check_memory(long long most_mib)
{
    long long kib = proportional_kib(), sum = 0;

    MPI_Allreduce(&kib, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    mt_check(sum <= most_mib * 1024 * mt_size, "%d ranks have %lld MiB, more than %lld MiB each",
             mt_size, sum / 1024, most_mib);
    if (mt_rank == 0) {
        printf("%d ranks have %lld MiB\n", mt_size, sum / 1024);
    }
}

int main(int argc, char **argv)
{
    long long most_mib;
    int sum = 0;

    mt_init(&argc, &argv);
    most_mib = mt_option(argc, argv, "-memory", 0);
    rings();
    MPI_Allreduce(&mt_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(sum, mt_size * (mt_size - 1) / 2, "sum of the ranks");
    to_one();
    all_to_all(8);
    all_to_all(1000);
    all_to_all(10000);
    if (most_mib != 0) {
        check_memory(most_mib);
    }
    return mt_finish();
}
