/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of files: blocks of the ranks in turns, written and read by all together; blocks at
 * explicit offsets, each rank by itself, and the same by pwrite, without MPI.
 *
 *   osu_file [-d FOLDER] [-b BYTES] [-m MIB] [-i ROUNDS]      any number of ranks
 *
 * The file of -m MiB is made in the folder (default: $TMPDIR or /tmp) and removed. Each figure is
 * the median of the rounds. One in a folder that is memory (/dev/shm) is about MPI, not the disk.
 */
#include "clock.h"
#include "letters.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MOST = 1000 };

struct scene {
    MPI_File file;
    int fd; /* the same file */
    int rank, size;
    size_t block, blocks; /* of a rank */
    char *data;
};

static void fail_if(const struct scene *scene, int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "osu_file: rank %d: %s failed\n", scene->rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void write_all(const struct scene *scene)
{
    fail_if(scene,
            MPI_File_write_at_all(scene->file, 0, scene->data, (int)(scene->blocks * scene->block),
                                  MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_write_at_all");
}

static void read_all(const struct scene *scene)
{
    fail_if(scene,
            MPI_File_read_at_all(scene->file, 0, scene->data, (int)(scene->blocks * scene->block),
                                 MPI_BYTE, MPI_STATUS_IGNORE),
            "MPI_File_read_at_all");
}

static off_t place_of(const struct scene *scene, size_t i)
{
    return (off_t)((i * (size_t)scene->size + (size_t)scene->rank) * scene->block);
}

static void write_at(const struct scene *scene)
{
    for (size_t i = 0; i < scene->blocks; i++) {
        fail_if(scene,
                MPI_File_write_at(scene->file, place_of(scene, i), scene->data + i * scene->block,
                                  (int)scene->block, MPI_BYTE, MPI_STATUS_IGNORE),
                "MPI_File_write_at");
    }
}

static void posix(const struct scene *scene)
{
    for (size_t i = 0; i < scene->blocks; i++) {
        ssize_t n =
            pwrite(scene->fd, scene->data + i * scene->block, scene->block, place_of(scene, i));

        fail_if(scene, n == (ssize_t)scene->block ? MPI_SUCCESS : MPI_ERR_IO, "pwrite");
    }
}

static const struct way {
    const char *name;
    void (*once)(const struct scene *scene);
    bool view; /* of the rank's blocks alone */
} ways[] = {{"write_all", write_all, true},
            {"read_all", read_all, true},
            {"write_at", write_at, false},
            {"pwrite", posix, false}};

static void set_view(const struct scene *scene, bool of_blocks)
{
    MPI_Datatype type;

    MPI_Type_vector((int)scene->blocks, (int)scene->block, (int)scene->block * scene->size,
                    MPI_BYTE, &type);
    MPI_Type_commit(&type);
    fail_if(scene,
            MPI_File_set_view(scene->file, of_blocks ? place_of(scene, 0) : 0, MPI_BYTE,
                              of_blocks ? type : MPI_BYTE, "native", MPI_INFO_NULL),
            "MPI_File_set_view");
    MPI_Type_free(&type);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* MB/s of all ranks, by rank 0's clock between two barriers. */
static double rate_of(const struct way *way, const struct scene *scene, int rounds)
{
    static double seconds[ROUNDS_MOST];

    set_view(scene, way->view);
    way->once(scene);
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        uint64_t begin = osu_clock();
        way->once(scene);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[i] = (double)(osu_clock() - begin) * 1e-9;
    }
    qsort(seconds, (size_t)rounds, sizeof(seconds[0]), by_value);
    return (double)(scene->block * scene->blocks) * scene->size / seconds[rounds / 2] * 1e-6;
}

static void open_file(struct scene *scene, const char *folder)
{
    char path[PATH_MAX];
    int pid = (int)getpid();

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (folder == NULL) {
        folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    }
    snprintf(path, sizeof(path), "%s/osu_file.%d", folder, pid);
    if (MPI_File_open(MPI_COMM_WORLD, path,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &scene->file) != MPI_SUCCESS) {
        fprintf(stderr, "osu_file: cannot make %s; -d names another folder\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    scene->fd = open(path, O_RDWR);
    fail_if(scene, scene->fd >= 0 ? MPI_SUCCESS : MPI_ERR_IO, "open");
}

static const char usage[] = "usage: osu_file [-d FOLDER] [-b BYTES] [-m MIB] [-i ROUNDS]\n";

static long number_of(const char *text, long most)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end != '\0' || n < 1 || n > most) {
        fprintf(stderr, "osu_file: '%s': a number from 1 to %ld is needed\n%s", text, most, usage);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return n;
}

int main(int argc, char **argv)
{
    struct scene scene = {.block = 64 << 10};
    const char *folder = NULL;
    long mib = 256, rounds = 7;
    int letter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &scene.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &scene.size);
    while ((letter = next_letter(argc, argv, "d:b:m:i:h")) != -1) {
        switch (letter) {
        case 'd':
            folder = optarg;
            break;
        case 'b':
            scene.block = (size_t)number_of(optarg, 1 << 24);
            break;
        case 'm':
            mib = number_of(optarg, 2000);
            break;
        case 'i':
            rounds = number_of(optarg, ROUNDS_MOST);
            break;
        case 'h':
            if (scene.rank == 0) {
                fputs(usage, stdout);
            }
            MPI_Finalize();
            return 0;
        default:
            refuse_letter("osu_file", argv);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    scene.blocks = ((size_t)mib << 20) / (size_t)scene.size / scene.block;
    scene.blocks = scene.blocks > 0 ? scene.blocks : 1;
    scene.data = malloc(scene.blocks * scene.block);
    fail_if(&scene, scene.data != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM, "malloc");
    memset(scene.data, scene.rank, scene.blocks * scene.block);
    open_file(&scene, folder);
    if (scene.rank == 0) {
        printf("# OSU-style MPI file test, MB/s\n# %d ranks, blocks of %zu bytes in turns\n",
               scene.size, scene.block);
    }
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        double rate = rate_of(&ways[i], &scene, (int)rounds);

        if (scene.rank == 0) {
            printf("%-10s%12.2f\n", ways[i].name, rate);
            fflush(stdout);
        }
    }
    close(scene.fd);
    MPI_File_close(&scene.file);
    free(scene.data);
    MPI_Finalize();
    return 0;
}
