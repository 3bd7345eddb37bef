/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ready sends that find no receive, which MPI forbids: a transport that goes on all the same
 * delivers them, and counts them in the variable of MPI_T that is the argument. Those that find one
 * are not counted.
 */
#include "mt.h"

enum { TAG = 21, TAG_GO = 22, EARLY = 5, LARGEST = 100000 };

static const int sizes[EARLY] = {0, 8, 500, 5000, LARGEST};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle counter; /* counts from now on */

static void find(const char *name)
{
    int index, values;

    mt_ok(MPI_T_pvar_session_create(&session));
    mt_check(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS,
             "there is no %s", name);
    mt_ok(MPI_T_pvar_handle_alloc(session, index, NULL, &counter, &values));
}

static long long count(void)
{
    unsigned long long value = 0;

    mt_ok(MPI_T_pvar_read(session, counter, &value));
    return (long long)value;
}

static void send(void *buffer, int n, bool when_told)
{
    if (when_told) {
        mt_ok(MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    mt_fill(buffer, (size_t)n, (uint64_t)n);
    mt_ok(MPI_Rsend(buffer, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD));
}

static void receive_late(void *buffer, int n)
{
    MPI_Status status;

    mt_ok(MPI_Probe(0, TAG, MPI_COMM_WORLD, &status)); /* now it is here */
    mt_ok(MPI_Recv(buffer, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    mt_verify(buffer, (size_t)n, (uint64_t)n, "%d bytes that came too early", n);
}

static void receive_in_time(void *buffer, int n)
{
    MPI_Request request;

    mt_ok(MPI_Irecv(buffer, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request));
    mt_ok(MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD));
    mt_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
    mt_verify(buffer, (size_t)n, (uint64_t)n, "%d bytes", n);
}

int main(int argc, char **argv)
{
    int provided;
    void *buffer;

    mt_init(&argc, &argv);
    mt_need(2);
    mt_check(argc > 1, "the name of a variable is missing");
    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    find(argv[1]);
    buffer = mt_alloc(LARGEST);
    for (int in_time = 1; in_time >= 0; in_time--) {
        for (int i = 0; i < EARLY; i++) {
            if (mt_rank == 0) {
                send(buffer, sizes[i], in_time);
            } else if (mt_rank == 1 && in_time) {
                receive_in_time(buffer, sizes[i]);
            } else if (mt_rank == 1) {
                receive_late(buffer, sizes[i]);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        mt_equal(count(), mt_rank == 1 && !in_time ? EARLY : 0, "%s", argv[1]);
    }
    mt_free(buffer);
    mt_ok(MPI_T_pvar_handle_free(session, &counter));
    mt_ok(MPI_T_pvar_session_free(&session));
    mt_ok(MPI_T_finalize());
    return mt_finish();
}
