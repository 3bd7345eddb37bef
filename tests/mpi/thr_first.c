/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first messages of a job, by several threads at once: each rank sends a long one to every
 * other while it takes theirs. Who sends to a new rank connects to it, under a lock of the PML's
 * that the receipt of a long message from another new rank waits for.
 */
#include "thr.h"

enum { SENDERS = 2, LENGTH = 100000 };

static unsigned char *in[SENDERS], *out;

/* One thread up, the other down: they meet different new ranks. */
static void send_to_all(int thread)
{
    for (int i = 1; i < mt_size; ++i) {
        int to = (mt_rank + (thread == 0 ? i : mt_size - i)) % mt_size;

        MPI_Send(out, LENGTH, MPI_BYTE, to, thread, MPI_COMM_WORLD);
    }
}

static void receive_from_all(int from_thread)
{
    MPI_Request *requests = mt_alloc((size_t)mt_size * sizeof *requests);

    for (int r = 0; r < mt_size; ++r) {
        requests[r] = MPI_REQUEST_NULL;
        if (r != mt_rank) {
            MPI_Irecv(in[from_thread] + (size_t)r * LENGTH, LENGTH, MPI_BYTE, r, from_thread,
                      MPI_COMM_WORLD, &requests[r]);
        }
    }
    MPI_Waitall(mt_size, requests, MPI_STATUSES_IGNORE);
    mt_free(requests);
}

static void work(int thread, void *arg)
{
    (void)arg;
    if (thread < SENDERS) {
        send_to_all(thread);
    } else {
        receive_from_all(thread - SENDERS);
    }
}

int main(int argc, char **argv)
{
    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    out = mt_alloc(LENGTH);
    mt_fill(out, LENGTH, (uint64_t)mt_rank);
    for (int i = 0; i < SENDERS; ++i) {
        in[i] = mt_alloc((size_t)mt_size * LENGTH);
    }
    thr_run(2 * SENDERS, work, NULL);
    for (int i = 0; i < SENDERS; ++i) {
        for (int r = 0; r < mt_size; ++r) {
            if (r != mt_rank) {
                mt_verify(in[i] + (size_t)r * LENGTH, LENGTH, (uint64_t)r, "from rank %d", r);
            }
        }
        mt_free(in[i]);
    }
    mt_free(out);
    return mt_finish();
}
