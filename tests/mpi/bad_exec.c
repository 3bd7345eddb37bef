/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 executes another program while a long message of its, or a window, is waited for. That
 * program has the process number, and memory of its own at the same addresses, and runs on. Rank 0
 * must end with an error: it takes no byte of that memory for data, and writes none to it.
 *
 * -mode recv, get, put: what rank 0 does.
 */
#include "mt.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAG = 5, BYTES = 8 << 20, ROUNDS = 1000 };

/* The same in all processes and programs. */
#define PLACE ((void *)(uintptr_t)0x551000000000)

static char path[64]; /* of a file that is removed when the other program has its memory */

static unsigned char *have(int what)
{
    unsigned char *memory = mmap(PLACE, BYTES, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (memory != PLACE) {
        perror("bad_exec: mmap");
        exit(1);
    }
    memset(memory, what, BYTES);
    return memory;
}

/* Some seconds, or until somebody writes to its memory. */
static int another_program(const char *file)
{
    const volatile unsigned char *memory = have('B');

    (void)unlink(file);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < BYTES; i += 1000) {
            if (memory[i] != 'B') {
                fprintf(stderr, "memory of another program was written to\n");
                return 1;
            }
        }
        usleep(10000);
    }
    return 0;
}

static void make_path(void)
{
    int fd = -1;

    if (0 == mt_rank) {
        snprintf(path, sizeof path, "/tmp/bad_exec.XXXXXX");
        fd = mkstemp(path);
        mt_check(fd >= 0, "mkstemp %s: %s", path, strerror(errno));
        (void)close(fd);
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void become_another(char *self, unsigned char *buf, const char *mode)
{
    char option[] = "-another";
    char *argv[] = {self, option, path, NULL};
    MPI_Request rq;

    if (0 == strcmp(mode, "recv")) {
        MPI_Isend(buf, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &rq);
    }
    (void)execv("/proc/self/exe", argv);
    mt_fail("execv: %s", strerror(errno));
}

static void meet(unsigned char *buf, const char *mode, MPI_Win win)
{
    if (0 == strcmp(mode, "recv")) {
        MPI_Recv(buf, BYTES, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (0 == strcmp(mode, "get")) {
        MPI_Get(buf, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Win_flush(1, win);
    } else {
        MPI_Put(buf, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Win_flush(1, win);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[2] : "";
    unsigned char *buf;
    MPI_Win win = MPI_WIN_NULL;

    if (argc > 2 && 0 == strcmp(argv[1], "-another")) {
        return another_program(argv[2]);
    }
    mt_init(&argc, &argv);
    mt_need(2);
    if (strcmp(mode, "recv") != 0 && strcmp(mode, "get") != 0 && strcmp(mode, "put") != 0) {
        mt_fail("unknown -mode '%s'", mode);
    }
    buf = have('A');
    make_path();
    if (strcmp(mode, "recv") != 0) {
        MPI_Win_create(buf, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_lock_all(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == mt_rank) {
        become_another(argv[0], buf, mode);
    }
    if (0 == mt_rank) {
        while (0 == access(path, F_OK)) {
            usleep(1000);
        }
        fprintf(stderr, "rank 1 is another program\n");
        meet(buf, mode, win);
    }
    mt_fail("all went well, although rank 1 is another program; the buffer begins with '%c'", *buf);
}
