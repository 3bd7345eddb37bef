/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long messages from and into memory that is unmapped and mapped again at the same place, grown,
 * moved, or made shared in between: a transport that remembers registrations must notice.
 */
#include "mt.h"

#include <sys/mman.h>
#include <unistd.h>

enum { TAG = 91, ROUNDS = 60 };
static const size_t span = (size_t)2 << 20;

static void *place(void *at, int flags)
{
    int fixed = at ? MAP_FIXED : 0;
    void *p = mmap(at, span, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | fixed, -1, 0);

    if (MAP_FAILED == p) {
        mt_fail("mmap of %zu bytes failed", span);
    }
    return p;
}

static void transfer(unsigned char *p, size_t n, uint64_t seed, const char *what)
{
    if (0 == mt_rank) {
        mt_fill(p, n, seed);
        MPI_Send(p, (int)n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MPI_Recv(p, (int)n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_verify(p, n, seed + 1, "%s, way back", what);
    } else if (1 == mt_rank) {
        MPI_Recv(p, (int)n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_verify(p, n, seed, "%s", what);
        mt_fill(p, n, seed + 1);
        MPI_Send(p, (int)n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

static void remapped(void)
{
    unsigned char *p = place(NULL, MAP_PRIVATE);

    for (int i = 0; i < ROUNDS; ++i) {
        size_t n = span - (size_t)(i % 7) * 4096 - (size_t)i;
        transfer(p + i, n - (size_t)i, (uint64_t)i * 10, "remapped memory");
        if (i % 3) {
            munmap(p, span);
        }
        place(p, i % 2 ? MAP_PRIVATE : MAP_SHARED);
    }
    munmap(p, span);
}

static void from_heap(void)
{
    for (int i = 0; i < ROUNDS; ++i) {
        size_t n = 200000 + (size_t)(i % 11) * 100000;
        unsigned char *p = malloc(n), *q;
        if (!p) {
            mt_fail("no memory");
        }
        transfer(p, n, (uint64_t)i * 20, "heap memory");
        q = realloc(p, 2 * n);
        if (!q) {
            mt_fail("no memory");
        }
        transfer(q, 2 * n, (uint64_t)i * 20 + 5, "grown heap memory");
        free(q);
    }
}

/* Half of the range goes away between two messages and comes back with other pages. */
static void partly(void)
{
    unsigned char *p = place(NULL, MAP_PRIVATE);

    for (int i = 0; i < ROUNDS / 3; ++i) {
        transfer(p, span, (uint64_t)i * 30, "partly remapped memory");
        if (MAP_FAILED == mmap(p + span / 2, span / 4, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)) {
            mt_fail("mmap of a part failed");
        }
        madvise(p, span / 4, MADV_DONTNEED);
    }
    munmap(p, span);
}

/* Read-only memory can be sent. */
static void read_only(void)
{
    unsigned char *p = place(NULL, MAP_PRIVATE);

    for (size_t n = 16; n <= span; n *= 4) {
        mprotect(p, span, PROT_READ | PROT_WRITE);
        mt_fill(p, n, n);
        if (0 == mt_rank) {
            mprotect(p, span, PROT_READ);
            MPI_Send(p, (int)n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        } else if (1 == mt_rank) {
            memset(p, 0, n);
            MPI_Recv(p, (int)n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_verify(p, n, n, "read-only memory, %zu bytes", n);
        }
    }
    munmap(p, span);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    remapped();
    from_heap();
    partly();
    read_only();
    return mt_finish();
}
