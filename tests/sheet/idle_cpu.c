/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that wait for seconds in a receive, in a barrier and for a request, while rank 0 sleeps
 * outside of MPI. Prints the most of a processor that one of them used meanwhile, and fails if that
 * is more than -most percent. -seconds N: how long.
 *
 * Time in which a thread wanted a processor and others had them does not count: on a busy machine
 * one that polls all the time would otherwise seem to be idle.
 */
#include "mt.h"

#include <dirent.h>

enum { TAG = 5, BYTES = 1 << 20, THREADS = 64 };

/* What a thread had of the processors until now, and how long it stood in line for them, ns. */
struct use {
    long id;
    unsigned long long ran, stood;
};

static int look(struct use uses[THREADS])
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;

    mt_check(folder != NULL, "no /proc/self/task");
    while ((entry = readdir(folder)) != NULL && count < THREADS) {
        struct use use = {.id = strtol(entry->d_name, NULL, 10)};
        char path[64];
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", use.id);
        file = use.id != 0 ? fopen(path, "r") : NULL;
        if (file != NULL && fscanf(file, "%llu %llu", &use.ran, &use.stood) == 2) {
            uses[count++] = use;
        }
        if (file != NULL) {
            (void)fclose(file);
        }
    }
    (void)closedir(folder);
    mt_check(count > 0, "no /proc/self/task/ID/schedstat");
    return count;
}

/* Of all threads of the process, those of the MPI library included. */
static double percent_since(const struct use before[THREADS], int count_before, double ns)
{
    struct use after[THREADS];
    int count = look(after);
    double percent = 0;

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count_before; k++) {
            if (after[i].id == before[k].id) {
                double ran = (double)(after[i].ran - before[k].ran);
                double rest = ns - (double)(after[i].stood - before[k].stood);

                percent += 100 * ran / (rest > ran ? rest : ran + 1);
            }
        }
    }
    return percent;
}

static void wait_in_receive(unsigned char *buffer)
{
    MPI_Recv(buffer, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_request(unsigned char *buffer)
{
    MPI_Request request;

    MPI_Irecv(buffer, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_late(unsigned char *buffer, int seconds)
{
    mt_sleep(1000 * seconds);
    for (int to = 1; to < mt_size && to <= 2; to++) {
        mt_fill(buffer, BYTES, mt_seed((uint64_t)to, 0, 0, 5));
        MPI_Send(buffer, BYTES, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct use before[THREADS];
    double begin, percent, most = 0;
    unsigned char *buffer;
    int seconds, count;

    mt_init(&argc, &argv);
    mt_need(4);
    seconds = (int)mt_option(argc, argv, "-seconds", 3);
    buffer = mt_alloc(BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    count = look(before);
    if (mt_rank == 0) {
        send_late(buffer, seconds);
    } else if (mt_rank == 1) {
        wait_in_receive(buffer);
    } else if (mt_rank == 2) {
        wait_for_request(buffer);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    percent = percent_since(before, count, 1e9 * (MPI_Wtime() - begin));
    if (mt_rank == 1 || mt_rank == 2) {
        mt_verify(buffer, BYTES, mt_seed((uint64_t)mt_rank, 0, 0, 5), "what came in the end");
    }
    MPI_Reduce(&percent, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (mt_rank == 0) {
        printf("MT-NOTE a rank that waits used %.0f %% of a processor\n", most);
        mt_check(most <= (double)mt_option(argc, argv, "-most", 50),
                 "a rank that waits used %.0f %% of a processor", most);
    }
    mt_free(buffer);
    return mt_finish();
}
