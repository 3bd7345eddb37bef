/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of threads that end in any of them: each thread starts, tests, frees, and makes progress
 * for the others. A request that is given back twice is used for two messages after that; one that
 * is not given back is memory that grows.
 */
#include "thr.h"

enum { THREADS = 4, KINDS = 6, LARGEST = 20000, TAG = 70, WARM_UP = 300, ATTACHED = 4 << 20 };

#ifdef __SANITIZE_ADDRESS__
enum { MOST_KIB = 300 << 10 }; /* it keeps what is freed */
#else
enum { MOST_KIB = 4 << 10 };
#endif

static const size_t sizes[] = {8, 300, 3000, LARGEST};
static int peer, rounds, begun;
static unsigned char freed[THREADS]; /* by receives of which nobody knows the end */

static uint64_t seed_of(int rank, int thread, int round)
{
    return mt_seed((uint64_t)rank, (uint64_t)thread, (uint64_t)round, 70);
}

static void wait_by_test(MPI_Request *request)
{
    for (int flag = 0; !flag;) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    }
}

/* A send that is over when its message has been received, or was freed, or needs no wait. */
static void send(int kind, const unsigned char *out, int n, int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    switch (kind) {
    case 0:
        MPI_Issend(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request);
        break;
    case 1:
        MPI_Isend(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request);
        break;
    case 2:
        MPI_Ibsend(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request);
        break;
    case 3:
        MPI_Bsend(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
        break;
    case 4: /* of the other side's answer the end is known */
        MPI_Issend(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request);
        MPI_Request_free(request);
        break;
    default:
        MPI_Ssend_init(out, n, MPI_BYTE, peer, tag, MPI_COMM_WORLD, request);
        MPI_Start(request);
    }
}

static void play(int thread, int first, int count)
{
    unsigned char *out = mt_alloc(LARGEST), *in = mt_alloc(LARGEST);
    int tag = TAG + 2 * thread;
    MPI_Request sent, received;

    for (int i = first; i < first + count; ++i) {
        size_t n = sizes[(size_t)(thread + i / KINDS) % (sizeof sizes / sizeof *sizes)];

        mt_fill(out, n, seed_of(mt_rank, thread, i));
        MPI_Irecv(in, LARGEST, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &received);
        send(i % KINDS, out, (int)n, tag, &sent);
        wait_by_test(&received);
        mt_verify(in, n, seed_of(peer, thread, i), "thread %d round %d", thread, i);
        wait_by_test(&sent);
        if (sent != MPI_REQUEST_NULL) {
            MPI_Request_free(&sent);
        }
        /* a receive that is freed; and each side knows that the other has received the rest */
        MPI_Irecv(&freed[thread], 1, MPI_BYTE, peer, tag + 1, MPI_COMM_WORLD, &received);
        MPI_Request_free(&received);
        MPI_Ssend(out, 1, MPI_BYTE, peer, tag + 1, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(out, 0, MPI_BYTE, peer, tag, in, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    mt_free(out);
    mt_free(in);
}

static void worker(int thread, void *arg)
{
    play(thread, begun, *(const int *)arg);
}

int main(int argc, char **argv)
{
    void *attached = malloc(ATTACHED);
    int warm_up = WARM_UP, size;
    long before;

    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    mt_need(2);
    peer = mt_rank ^ 1;
    rounds = (int)mt_option(argc, argv, "-n", 6000);
    MPI_Buffer_attach(attached, ATTACHED);
    thr_run(THREADS, worker, &warm_up);
    begun = warm_up;
    before = mt_memory("VmRSS:");
    thr_run(THREADS, worker, &rounds);
    mt_check(mt_memory("VmRSS:") - before < MOST_KIB, "memory grew by %ld KiB",
             mt_memory("VmRSS:") - before);
    MPI_Buffer_detach(&attached, &size);
    free(attached);
    return mt_finish();
}
