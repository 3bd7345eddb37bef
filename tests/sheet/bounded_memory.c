/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much shared memory a job has after all ranks have sent to all: at most -most MiB a rank, no
 * more after a second time, and the transport says so itself. Memory that several ranks map counts
 * once, whichever made it and wherever it is: the kernel divides each page by the number of those
 * that map it.
 */
#include "mt.h"

enum { TAG = 6, ROUNDS = 20, SHORT = 500, LONG = 256 << 10 };

static void exchange(int size, int rounds)
{
    unsigned char *out = mt_alloc(LONG), *in = mt_alloc(LONG);

    for (int k = 1; k < mt_size; k++) {
        int to = (mt_rank + k) % mt_size, from = (mt_rank + mt_size - k) % mt_size;

        for (int i = 0; i < rounds; i++) {
            mt_fill(out, (size_t)size, mt_seed((uint64_t)mt_rank, (uint64_t)to, (uint64_t)i, 6));
            MPI_Sendrecv(out, size, MPI_BYTE, to, TAG, in, size, MPI_BYTE, from, TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_verify(in, (size_t)size, mt_seed((uint64_t)from, (uint64_t)mt_rank, (uint64_t)i, 6),
                      "%d bytes of rank %d", size, from);
        }
    }
    mt_free(out);
    mt_free(in);
}

/* This rank's part of the shared memory that it maps, KiB. */
static long long shared_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long long kib = -1;

    mt_check(file != NULL, "no /proc/self/smaps_rollup");
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "Pss_Shmem:", 10) == 0) {
            kib = strtoll(line + 10, NULL, 10);
        }
    }
    (void)fclose(file);
    mt_check(kib >= 0, "no Pss_Shmem in /proc/self/smaps_rollup");
    return kib;
}

static long long total_of(long long mine)
{
    long long all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static long long measure(void)
{
    exchange(SHORT, ROUNDS);
    exchange(LONG, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    return total_of(shared_kib());
}

#ifndef PRESTO_MPI
/* What performance variables named ..._shm_bytes say, in KiB; -1: there is none in use. */
static long long told_kib(void)
{
    int all, provided, count;
    unsigned long long bytes = 0;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    long long told = -1;

    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mt_ok(MPI_T_pvar_session_create(&session));
    mt_ok(MPI_T_pvar_get_num(&all));
    for (int i = 0; i < all; i++) {
        char name[256];
        int size = sizeof(name), unused, class;
        MPI_Datatype type;
        size_t end;

        if (MPI_T_pvar_get_info(i, name, &size, &unused, &class, &type, NULL, NULL, NULL, &unused,
                                &unused, &unused, &unused) != MPI_SUCCESS) {
            continue;
        }
        end = strlen(name);
        if (end < 10 || strcmp(name + end - 10, "_shm_bytes") != 0 ||
            MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count) != MPI_SUCCESS) {
            continue;
        }
        mt_ok(MPI_T_pvar_read(session, handle, &bytes));
        /* 0: of a component that is there and not used */
        told = bytes == 0 ? told : (told < 0 ? 0 : told) + (long long)(bytes >> 10);
    }
    mt_ok(MPI_T_pvar_session_free(&session));
    mt_ok(MPI_T_finalize());
    return told;
}
#else
static long long told_kib(void)
{
    return -1; /* Presto prints its statistics at the end */
}
#endif

int main(int argc, char **argv)
{
    long long first, second, told, most;

    mt_init(&argc, &argv);
    mt_need(2);
    most = mt_option(argc, argv, "-most", 64) * 1024 * mt_size;
    first = measure();
    second = measure();
    told = told_kib();
    told = told < 0 ? -1 : total_of(told);
    if (mt_rank == 0) {
        printf("MT-NOTE %d ranks map %lld MiB of shared memory\n", mt_size, second >> 10);
        mt_check(second <= most, "%lld KiB of shared memory; %lld are the most", second, most);
        mt_check(second <= first + first / 10 + 1024,
                 "%lld KiB of shared memory after the first time, %lld after the second", first,
                 second);
    }
    if (mt_rank == 0 && told >= 0) {
        printf("MT-NOTE the transport says: shm_bytes %lld MiB\n", told >> 10);
        mt_check(told <= most && told >= first / 2, "it says %lld KiB, and has %lld", told, second);
    }
    return mt_finish();
}
