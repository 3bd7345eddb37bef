/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long sends that nobody receives yet hold up nothing that is sent after them: neither to the same
 * rank with another tag nor to another one, neither short nor long; and the same where a thread is
 * inside of a blocking one.
 */
#include "mt.h"

#include <pthread.h>

enum { BLOCKED = 48, BLOCKED_BYTES = 2 << 20, LATER = 200, LATER_MOST = 300000 };
enum { TAG_BLOCKED = 100, TAG_LATER = 1, TAG_ANSWER = 2, TAG_THREAD = 3 };

static uint64_t seed_of(int tag, int to, int number)
{
    return mt_seed((uint64_t)tag, (uint64_t)to, (uint64_t)number, 0);
}

static int size_of(int to, int number)
{
    uint64_t seed = seed_of(TAG_LATER, to, number);

    return (int)(seed % (number % 8 == 0 ? LATER_MOST : 1000));
}

/* Rank 0, by blocking sends, to ranks 1 and 2 in turn; each answers in the end. */
static void send_later(void)
{
    unsigned char *out = mt_alloc(LATER_MOST);

    for (int k = 0; k < LATER; k++) {
        for (int to = 1; to <= 2; to++) {
            int size = size_of(to, k);

            mt_fill(out, (size_t)size, seed_of(TAG_LATER, to, k));
            MPI_Send(out, size, MPI_BYTE, to, TAG_LATER, MPI_COMM_WORLD);
        }
    }
    for (int from = 1; from <= 2; from++) {
        MPI_Recv(NULL, 0, MPI_BYTE, from, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    mt_free(out);
}

static void receive_later(void)
{
    unsigned char *in = mt_alloc(LATER_MOST);

    for (int k = 0; k < LATER; k++) {
        MPI_Status status;
        int size;

        MPI_Recv(in, LATER_MOST, MPI_BYTE, 0, TAG_LATER, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        mt_equal(size, size_of(mt_rank, k), "size of message %d", k);
        mt_verify(in, (size_t)size, seed_of(TAG_LATER, mt_rank, k), "message %d", k);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
    mt_free(in);
}

static void receive_blocked(int tag, int number)
{
    unsigned char *in = mt_alloc(BLOCKED_BYTES);

    MPI_Recv(in, BLOCKED_BYTES, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mt_verify(in, BLOCKED_BYTES, seed_of(TAG_BLOCKED, 1, number), "blocked message %d", number);
    mt_free(in);
}

static void send_beside_requests(void)
{
    unsigned char *out = mt_alloc((size_t)BLOCKED * BLOCKED_BYTES);
    MPI_Request requests[BLOCKED];

    for (int k = 0; k < BLOCKED; k++) {
        unsigned char *at = out + (size_t)k * BLOCKED_BYTES;

        mt_fill(at, BLOCKED_BYTES, seed_of(TAG_BLOCKED, 1, k));
        MPI_Isend(at, BLOCKED_BYTES, MPI_BYTE, 1, TAG_BLOCKED + k, MPI_COMM_WORLD, &requests[k]);
    }
    send_later();
    MPI_Waitall(BLOCKED, requests, MPI_STATUSES_IGNORE);
    mt_free(out);
}

static void *send_blocking(void *out)
{
    MPI_Send(out, BLOCKED_BYTES, MPI_BYTE, 1, TAG_THREAD, MPI_COMM_WORLD);
    return NULL;
}

static void send_beside_thread(void)
{
    unsigned char *out = mt_alloc(BLOCKED_BYTES);
    pthread_t thread;

    mt_fill(out, BLOCKED_BYTES, seed_of(TAG_BLOCKED, 1, 0));
    mt_check(pthread_create(&thread, NULL, send_blocking, out) == 0, "no thread");
    mt_sleep(50); /* it is in its send, probably */
    send_later();
    (void)pthread_join(thread, NULL);
    mt_free(out);
}

int main(int argc, char **argv)
{
    mt_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    mt_need(3);
    if (mt_rank == 0) {
        send_beside_requests();
    } else if (mt_rank <= 2) {
        receive_later();
    }
    for (int k = BLOCKED - 1; mt_rank == 1 && k >= 0; k--) {
        receive_blocked(TAG_BLOCKED + k, k);
    }
    if (mt_rank == 0) {
        send_beside_thread();
    } else if (mt_rank <= 2) {
        receive_later();
    }
    if (mt_rank == 1) {
        receive_blocked(TAG_THREAD, 0);
    }
    return mt_finish();
}
