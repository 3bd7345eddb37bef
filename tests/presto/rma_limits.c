/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows for which there is no memory, or that a limit forbids: an error at all ranks, or another
 * way, and never a signal. Ranks are processes, four of them. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#include <mpi.h>

static int rank, size, checks, failures;

/* Have both kinds of windows made and written; they end with these classes. */
static void windows(const char *what, MPI_Aint bytes, int allocated, int shared)
{
    for (int i = 0; i < 2; i++) {
        int expected = i == 0 ? allocated : shared, class = 0;
        char *memory;
        MPI_Win win;
        int code = i == 0 ? MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)
                          : MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                                    &memory, &win);
        MPI_Error_class(code, &class);
        checks++;
        if (class != expected) {
            printf("rank %d: %s, %s: class %d, not %d\n", rank, what,
                   i == 0 ? "allocated" : "shared", class, expected);
            failures++;
        }
        if (code != MPI_SUCCESS) {
            continue;
        }
        if (expected == MPI_SUCCESS) {
            memset(memory, 1, (size_t)bytes);
        }
        MPI_Win_free(&win);
    }
}

/* The sum of the parts is 2^64, and so nothing, with four ranks. */
static void too_large(void)
{
    windows("2^62 bytes", (MPI_Aint)1 << 62, MPI_ERR_NO_MEM, MPI_ERR_NO_MEM);
}

/* No part is larger than the memory, but all are. */
static void more_than_there_is(void)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0) {
        return;
    }
    MPI_Aint all = (MPI_Aint)((info.totalram + info.totalswap) * info.mem_unit);
    windows("more than there is", all / size + (64 << 20), MPI_ERR_NO_MEM, MPI_ERR_NO_MEM);
}

/* Only one kind needs the file. */
static void file_size(void)
{
    struct rlimit old, low;
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &low);
    windows("file size", 1 << 20, MPI_SUCCESS, MPI_ERR_RMA_SHARED);
    setrlimit(RLIMIT_FSIZE, &old);
}

/* For good; of several the last holds. */
static int have_fallocate_fail(int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The last rank alone lacks memory; where nobody may ask the pages come when they are touched. */
static void no_pages(void)
{
    int filtered = rank != size - 1 || have_fallocate_fail(ENOSPC), all;
    MPI_Allreduce(&filtered, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) {
        if (rank == 0) {
            printf("not shown what happens without pages: no seccomp filter\n");
        }
        return;
    }
    windows("no pages", 1 << 20, MPI_ERR_NO_MEM, MPI_ERR_NO_MEM);
    have_fallocate_fail(EPERM);
    MPI_Barrier(MPI_COMM_WORLD);
    windows("fallocate forbidden", 1 << 20, MPI_SUCCESS, MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows("enough", 1 << 20, MPI_SUCCESS, MPI_SUCCESS);
    too_large();
    more_than_there_is();
    file_size();
    no_pages();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && failures == 0) {
        printf("MT-OK rma_limits checks=%d\n", checks);
    }
    MPI_Finalize();
    return failures != 0;
}
