/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of the synchronisations of a window of 64 bytes a rank: a fence; post, start, complete and
 * wait with both neighbours; an exclusive lock of rank 0 that all want at once, and put 8 bytes
 * under. For ranks that share processors more than for those that have their own: each
 * synchronisation is a wait for others to run.
 *
 *   osu_win_sync [-i ROUNDS] [-w allocate|create|shared]      two ranks or more
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 64 };

struct scene {
    MPI_Win window;
    MPI_Group neighbours;
    int rank, size;
};

static void fence(const struct scene *scene)
{
    MPI_Win_fence(0, scene->window);
}

static void pscw(const struct scene *scene)
{
    MPI_Win_post(scene->neighbours, 0, scene->window);
    MPI_Win_start(scene->neighbours, 0, scene->window);
    MPI_Win_complete(scene->window);
    MPI_Win_wait(scene->window);
}

static void lock(const struct scene *scene)
{
    static const double value = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, scene->window);
    MPI_Put(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, scene->window);
    MPI_Win_unlock(0, scene->window);
}

static const struct way {
    const char *name;
    void (*once)(const struct scene *scene);
} ways[] = {{"fence", fence}, {"pscw", pscw}, {"lock", lock}};

static void make_window(struct scene *scene, const char *kind)
{
    void *base;

    if (strcmp(kind, "create") == 0) {
        MPI_Alloc_mem(WINDOW, MPI_INFO_NULL, &base);
        memset(base, 0, WINDOW);
        MPI_Win_create(base, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &scene->window);
    } else if (strcmp(kind, "shared") == 0) {
        MPI_Win_allocate_shared(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &scene->window);
    } else {
        MPI_Win_allocate(WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &scene->window);
    }
}

static void make_neighbours(struct scene *scene)
{
    const int both[2] = {(scene->rank + 1) % scene->size,
                         (scene->rank + scene->size - 1) % scene->size};
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, both[0] == both[1] ? 1 : 2, both, &scene->neighbours);
    MPI_Group_free(&all);
}

/* Microseconds of one, by rank 0's clock between two barriers. */
static double time_of(const struct way *way, const struct scene *scene, int rounds)
{
    double start = 0;

    for (int i = -rounds / 10; i < rounds; i++) {
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        way->once(scene);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds * 1e6;
}

int main(int argc, char **argv)
{
    const char *kind = "allocate";
    struct scene scene;
    int rounds = 2000, option;

    MPI_Init(&argc, &argv);
    while ((option = getopt(argc, argv, "i:w:")) != -1) {
        if (option == 'i') {
            rounds = atoi(optarg);
        } else if (option == 'w') {
            kind = optarg;
        }
        if (option == '?' || rounds < 1 ||
            (strcmp(kind, "allocate") != 0 && strcmp(kind, "create") != 0 &&
             strcmp(kind, "shared") != 0)) {
            fprintf(stderr, "usage: osu_win_sync [-i ROUNDS] [-w allocate|create|shared]\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &scene.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &scene.size);
    if (scene.size < 2) {
        fprintf(stderr, "osu_win_sync: two ranks or more are needed\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    make_window(&scene, kind);
    make_neighbours(&scene);
    if (scene.rank == 0) {
        printf("# OSU-style MPI window synchronisation test, %s\n# Window: %s, %d ranks\n",
               "latency in us", kind, scene.size);
    }
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        double us = time_of(&ways[i], &scene, rounds);

        if (scene.rank == 0) {
            printf("%-10s%12.2f\n", ways[i].name, us);
            fflush(stdout);
        }
    }
    MPI_Group_free(&scene.neighbours);
    MPI_Win_free(&scene.window);
    MPI_Finalize();
    return 0;
}
