/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is not contiguous is packed into memory of the library, which is used again: neither process
 * grows by half of what is sent and received in each way.
 */
#include "mt.h"

/* Bytes in each way; half of them is more than AddressSanitizer keeps of what was freed. */
#ifdef __SANITIZE_ADDRESS__
#define TOTAL (700 << 20)
#else
#define TOTAL (128 << 20)
#endif

enum { TAG = 9, DONE = 10, BLOCK = 256 /* ints */ };

/* A number of blocks with gaps of the same length; `bytes` without the gaps. */
static MPI_Datatype type;
static int bytes, *data, last;

static void isend_wait(void)
{
    MPI_Request request;

    mt_ok(MPI_Isend(data, 1, type, 1, TAG, MPI_COMM_WORLD, &request));
    mt_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void issend_wait(void)
{
    MPI_Request request;

    mt_ok(MPI_Issend(data, 1, type, 1, TAG, MPI_COMM_WORLD, &request));
    mt_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void send(void)
{
    mt_ok(MPI_Send(data, 1, type, 1, TAG, MPI_COMM_WORLD));
}

static void ssend(void)
{
    mt_ok(MPI_Ssend(data, 1, type, 1, TAG, MPI_COMM_WORLD));
}

static void recv(void)
{
    mt_ok(MPI_Recv(data, 1, type, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void irecv_wait(void)
{
    MPI_Request request;

    mt_ok(MPI_Irecv(data, 1, type, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request));
    mt_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void mprobe_mrecv(void)
{
    MPI_Message message;

    mt_ok(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    mt_ok(MPI_Mrecv(data, 1, type, &message, MPI_STATUS_IGNORE));
}

/* One that is posted first, and cancelled, takes memory, too. */
static void cancel_recv(void)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled;

    mt_ok(MPI_Irecv(data, 1, type, 0, DONE, MPI_COMM_WORLD, &request));
    mt_ok(MPI_Cancel(&request));
    mt_ok(MPI_Wait(&request, &status));
    mt_ok(MPI_Test_cancelled(&status, &cancelled));
    mt_check(cancelled, "a receive that nothing matches");
    recv();
}

static const struct way {
    const char *name;
    void (*send)(void), (*recv)(void);
} ways[] = {
    {"send, recv", send, recv},
    {"isend, irecv", isend_wait, irecv_wait},
    {"issend, mrecv", issend_wait, mprobe_mrecv},
    {"ssend, recv after a cancelled one", ssend, cancel_recv},
};

/* Each round waits for the one before: what is unexpected is memory of another kind. */
static void go(const struct way *way, int rounds)
{
    for (int i = 0; i < rounds; ++i) {
        data[0] = data[last] = mt_rank == 0 ? i : -1;
        if (mt_rank == 0) {
            way->send();
            mt_ok(MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else if (mt_rank == 1) {
            way->recv();
            mt_check(data[0] == i && data[last] == i, "%s, round %d: got %d and %d", way->name, i,
                     data[0], data[last]);
            mt_ok(MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD));
        }
    }
}

static void reuse(int blocks)
{
    const long most = TOTAL / 2 / 1024;

    bytes = blocks * BLOCK * (int)sizeof(int);
    last = 2 * BLOCK * (blocks - 1) + BLOCK - 1;
    data = mt_alloc((size_t)(last + 1) * sizeof(*data));
    MPI_Type_vector(blocks, BLOCK, 2 * BLOCK, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); ++w) {
        long before;

        go(&ways[w], 20);
        before = mt_memory("VmRSS:");
        go(&ways[w], TOTAL / bytes);
        mt_check(mt_memory("VmRSS:") - before < most, "%s of %d bytes: grew by %ld KiB, not %ld",
                 ways[w].name, bytes, mt_memory("VmRSS:") - before, most);
    }
    MPI_Type_free(&type);
    mt_free(data);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    reuse(100);
    reuse(200);
    return mt_finish();
}
