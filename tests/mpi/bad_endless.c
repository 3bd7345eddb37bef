/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic without end, for a runner that kills everything: prints "ready" when all ranks are in the
 * middle of it. Small and long messages, a window, unexpected messages.
 */
#include "mt.h"

enum { TAG = 9, LONG_BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    unsigned char *buf, *in;
    MPI_Win win;
    int64_t one = 1;

    mt_init(&argc, &argv);
    buf = mt_alloc(LONG_BYTES);
    in = mt_alloc(LONG_BYTES);
    memset(buf, 0, LONG_BYTES);
    MPI_Win_create(buf, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (long round = 0;; ++round) {
        int n = round % 8 ? 500 : LONG_BYTES;
        int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;
        MPI_Sendrecv(buf, n, MPI_BYTE, to, TAG, in, n, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Accumulate(&one, 1, MPI_INT64_T, to, 0, 1, MPI_INT64_T, MPI_SUM, win);
        MPI_Win_flush(to, win);
        if (100 == round && 0 == mt_rank) {
            printf("ready\n");
            fflush(stdout);
        }
    }
}
