/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of an accumulate of many short pieces (a vector of ints, summed) to each other rank and of
 * its local flush, all ranks at once, for each piece. The sums are checked.
 *
 *   osu_acc_pieces [-i ROUNDS] [-n PIECES] [-m BYTES] [-w allocate|create]     two ranks or more
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scene {
    MPI_Win window;
    MPI_Datatype pieces;
    int *base, *origin;
    size_t ints; /* of the window, half of which is between the pieces */
    int rank, size, count, block;
};

static void make(struct scene *scene, const char *kind)
{
    size_t bytes = scene->ints * sizeof(int);

    MPI_Type_vector(scene->count, scene->block, 2 * scene->block, MPI_INT, &scene->pieces);
    MPI_Type_commit(&scene->pieces);
    scene->origin = malloc(bytes);
    if (scene->origin == NULL) {
        fprintf(stderr, "osu_acc_pieces: no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (strcmp(kind, "create") == 0) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &scene->base);
        MPI_Win_create(scene->base, (MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                       &scene->window);
    } else {
        MPI_Win_allocate((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &scene->base,
                         &scene->window);
    }
    memset(scene->base, 0, bytes);
    for (size_t i = 0; i < scene->ints; i++) {
        scene->origin[i] = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const struct scene *scene, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        for (int k = 1; k < scene->size; k++) {
            int to = (scene->rank + k) % scene->size;

            MPI_Accumulate(scene->origin, 1, scene->pieces, to, 0, 1, scene->pieces, MPI_SUM,
                           scene->window);
            MPI_Win_flush_local(to, scene->window);
        }
    }
}

static void check(const struct scene *scene, int rounds)
{
    for (size_t i = 0; i < scene->ints; i++) {
        int want = i / (size_t)scene->block % 2 == 0 ? rounds * (scene->size - 1) : 0;

        if (scene->base[i] != want) {
            fprintf(stderr, "osu_acc_pieces: rank %d: int %zu is %d, not %d\n", scene->rank, i,
                    scene->base[i], want);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void measure(const struct scene *scene, int rounds)
{
    double begin, took, longest;

    MPI_Win_lock_all(0, scene->window);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    run(scene, rounds);
    MPI_Win_flush_all(scene->window);
    took = (MPI_Wtime() - begin) * 1e6 / rounds / (scene->size - 1) / scene->count;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(scene->window);
    MPI_Barrier(MPI_COMM_WORLD);
    check(scene, rounds);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (scene->rank == 0) {
        printf("# OSU-style MPI_Accumulate of pieces, %d ranks\n# Bytes of a piece     us each\n",
               scene->size);
        printf("%-16zu %15.2f\n", scene->block * sizeof(int), longest);
    }
}

static long number(const char *text, long most)
{
    char *end;
    long value = strtol(text, &end, 10);

    return *end == '\0' && value > 0 && value <= most ? value : 0;
}

int main(int argc, char **argv)
{
    struct scene scene = {.count = 1000, .block = 100};
    const char *kind = "create";
    int rounds = 10, option;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &scene.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &scene.size);
    while ((option = getopt(argc, argv, "i:n:m:w:")) != -1) {
        rounds = option == 'i' ? (int)number(optarg, 1000000) : rounds;
        scene.count = option == 'n' ? (int)number(optarg, 1000000) : scene.count;
        scene.block =
            option == 'm' ? (int)(number(optarg, 1 << 20) / (long)sizeof(int)) : scene.block;
        kind = option == 'w' ? optarg : kind;
        rounds = option == '?' ? 0 : rounds;
    }
    if (rounds == 0 || scene.count == 0 || scene.block == 0 || optind != argc ||
        (strcmp(kind, "allocate") != 0 && strcmp(kind, "create") != 0)) {
        fprintf(stderr, "usage: osu_acc_pieces [-i ROUNDS] [-n PIECES] [-m BYTES] "
                        "[-w allocate|create]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (scene.size < 2) {
        fprintf(stderr, "osu_acc_pieces: two ranks or more are needed\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    scene.ints = 2 * (size_t)scene.count * (size_t)scene.block;
    make(&scene, kind);
    measure(&scene, rounds);
    MPI_Win_free(&scene.window);
    MPI_Type_free(&scene.pieces);
    free(scene.origin);
    if (strcmp(kind, "create") == 0) {
        MPI_Free_mem(scene.base);
    }
    MPI_Finalize();
    return 0;
}
