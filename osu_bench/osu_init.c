/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of MPI_Init, and with -M the memory that each rank then has. Transports connect lazily, so
 * -k exchanges a message with each rank first and prints what that took; memory is then that of a
 * rank which knows all others.
 */
#ifdef HAVE_CONFIG_H
#include "apelink_config.h"
#endif
#include "clock.h"
#include "common/bench.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define NAME  "osu_init"
#define TITLE "OSU-style MPI Init Test"

/* What the kernel says about this process, in KiB. The rows of the memory table, in this order. */
enum { PEAK, RESIDENT, PROPORTIONAL, ANONYMOUS, SHARED, PRIVATE, MEMORY_ROWS };

static const char *const memory_names[MEMORY_ROWS] = {"VmHWM",    "VmRSS",     "Pss",
                                                      "Pss_Anon", "Pss_Shmem", "Private"};

/* Add to *sum the number behind each line of file that begins with key and a colon. */
static void add_lines(const char *file, const char *key, double *sum)
{
    char line[256];
    size_t length = strlen(key);
    FILE *stream = fopen(file, "r");

    if (stream == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), stream) != NULL) {
        double value = 0;
        if (strncmp(line, key, length) == 0 && line[length] == ':' &&
            sscanf(line + length + 1, "%lf", &value) == 1) {
            *sum += value;
        }
    }
    fclose(stream);
}

static void read_memory(double *memory)
{
    memset(memory, 0, MEMORY_ROWS * sizeof(memory[0]));
    add_lines("/proc/self/status", "VmHWM", &memory[PEAK]);
    add_lines("/proc/self/status", "VmRSS", &memory[RESIDENT]);
    add_lines("/proc/self/smaps_rollup", "Pss", &memory[PROPORTIONAL]);
    add_lines("/proc/self/smaps_rollup", "Pss_Anon", &memory[ANONYMOUS]);
    add_lines("/proc/self/smaps_rollup", "Pss_Shmem", &memory[SHARED]);
    add_lines("/proc/self/smaps_rollup", "Private_Clean", &memory[PRIVATE]);
    add_lines("/proc/self/smaps_rollup", "Private_Dirty", &memory[PRIVATE]);
}

/* Minimum, maximum and mean over the ranks, on rank 0. */
struct spread {
    double least;
    double most;
    double mean;
};

static struct spread spread_of(double value, int ranks)
{
    struct spread spread = {0, 0, 0};
    MPI_Reduce(&value, &spread.least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&value, &spread.most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&value, &spread.mean, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    spread.mean /= ranks;
    return spread;
}

/* One message to and from each rank; in step s with those s ranks away. */
static double contact_all(int rank, int ranks)
{
    char out = 0;
    char in = 0;
    uint64_t begin = osu_clock();

    for (int step = 1; step < ranks; step++) {
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + step) % ranks, 0, &in, 1, MPI_CHAR,
                     (rank + ranks - step) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return (double)(osu_clock() - begin) * 1e-6;
}

static void print_times(const char *prefix, int ranks, double milliseconds, int rank, int digits)
{
    struct spread spread = spread_of(milliseconds, ranks);
    if (rank == 0) {
        printf("%snprocs: %d, min: %.*f ms, max: %.*f ms, avg: %.*f ms\n", prefix, ranks, digits,
               spread.least, digits, spread.most, digits, spread.mean);
    }
}

static void print_memory(const double *memory, int ranks, int rank)
{
    if (rank == 0) {
        printf("# Memory per rank, KiB\n# %-18s%20s%20s%20s\n", "Kind", "Min", "Max", "Avg");
    }
    for (int i = 0; i < MEMORY_ROWS; i++) {
        struct spread spread = spread_of(memory[i], ranks);
        if (rank == 0) {
            printf("# %-18s%20.0f%20.0f%20.0f\n", memory_names[i], spread.least, spread.most,
                   spread.mean);
        }
    }
}

int main(int argc, char **argv)
{
    struct osu_options options;
    double memory[MEMORY_ROWS];
    double contact = 0;
    int rank;
    int ranks;

    osu_defaults_latency(&options);
    options.digits = 0;
    enum osu_parse_result result = osu_options_parse(&options, argc, argv, NAME, TITLE, "Ck");
    if (result != OSU_PARSE_RUN) {
        return result == OSU_PARSE_BAD;
    }

    uint64_t begin = osu_clock();
    MPI_Init(&argc, &argv);
    double milliseconds = (double)(osu_clock() - begin) * 1e-6;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (options.contact) {
        contact = contact_all(rank, ranks);
    }
    read_memory(memory);

    if (rank == 0) {
        printf("# %s v%s (apelink)\n", TITLE, PACKAGE_VERSION);
    }
    print_times("", ranks, milliseconds, rank, options.digits);
    if (options.contact) {
        print_times("# contact: ", ranks, contact, rank, 3);
    }
    if (options.memory) {
        print_memory(memory, ranks, rank);
    }
    MPI_Finalize();
    return 0;
}
