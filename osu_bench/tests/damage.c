/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded between a benchmark and MPI: damages the data of the fifth call of each kind, by one
 * bit or one element that is missing, or the tag of the fifth message, and lets barriers return
 * before everybody has come. Only what a benchmark measures is touched: the messages by which it
 * counts its errors are of other types.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define VICTIM 5

#define EXPORT __attribute__((visibility("default")))

static bool is_victim(_Atomic int *calls)
{
    return atomic_fetch_add_explicit(calls, 1, memory_order_relaxed) + 1 == VICTIM;
}

/* Flip the lowest bit of the last byte. */
static void flip(void *buffer, int count, MPI_Datatype datatype)
{
    int size;
    PMPI_Type_size(datatype, &size);
    if (count > 0) {
        ((unsigned char *)buffer)[(size_t)count * (size_t)size - 1] ^= 1;
    }
}

/* Its data; or, with OSU_DAMAGE_TAG in the environment, its tag, as if another message had been
 * matched. */
static void damage_message(void *buffer, int count, MPI_Datatype datatype, MPI_Status *status)
{
    if (getenv("OSU_DAMAGE_TAG") == NULL) {
        flip(buffer, count, datatype);
    } else if (status != MPI_STATUS_IGNORE) {
        status->MPI_TAG ^= 1;
    }
}

EXPORT int MPI_Recv(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                    MPI_Comm comm, MPI_Status *status)
{
    static _Atomic int calls;
    int result = PMPI_Recv(buffer, count, datatype, source, tag, comm, status);
    if (count > 0 && is_victim(&calls)) {
        damage_message(buffer, count, datatype, status);
    }
    return result;
}

/* The receive whose data is damaged when it, or the window that it belongs to, is complete. */
static struct {
    void *buffer;
    int count;
    MPI_Datatype datatype;
    MPI_Request request;
} pending;

static void damage_pending(void)
{
    if (pending.buffer != NULL) {
        flip(pending.buffer, pending.count, pending.datatype);
    }
    pending.buffer = NULL;
}

EXPORT int MPI_Irecv(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request *request)
{
    static _Atomic int calls;
    int result = PMPI_Irecv(buffer, count, datatype, source, tag, comm, request);
    if (is_victim(&calls)) {
        pending.buffer = buffer;
        pending.count = count;
        pending.datatype = datatype;
        pending.request = *request;
    }
    return result;
}

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    bool damaged = pending.buffer != NULL && *request == pending.request;
    int result = PMPI_Wait(request, status);
    if (damaged) {
        damage_pending();
    }
    return result;
}

EXPORT int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int result = PMPI_Waitall(count, requests, statuses);
    damage_pending();
    return result;
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    static _Atomic int calls;
    int result = PMPI_Bcast(buffer, count, datatype, root, comm);
    if (is_victim(&calls)) {
        flip(buffer, count, datatype);
    }
    return result;
}

EXPORT int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    static _Atomic int calls;
    int result = PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
    if (is_victim(&calls)) {
        flip(recv, recv_count, recv_type);
    }
    return result;
}

EXPORT int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm)
{
    static _Atomic int calls;
    int result = PMPI_Allreduce(send, recv, count, datatype, op, comm);
    if (datatype == MPI_FLOAT && is_victim(&calls)) {
        flip(recv, count, datatype);
    }
    return result;
}

EXPORT int MPI_Put(const void *origin, int count, MPI_Datatype datatype, int target,
                   MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Win win)
{
    static _Atomic int calls;
    int missing = is_victim(&calls);
    return PMPI_Put(origin, count - missing, datatype, target, displacement, target_count - missing,
                    target_type, win);
}

EXPORT int MPI_Get(void *origin, int count, MPI_Datatype datatype, int target,
                   MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Win win)
{
    static _Atomic int calls;
    int missing = is_victim(&calls);
    return PMPI_Get(origin, count - missing, datatype, target, displacement, target_count - missing,
                    target_type, win);
}

EXPORT int MPI_Accumulate(const void *origin, int count, MPI_Datatype datatype, int target,
                          MPI_Aint displacement, int target_count, MPI_Datatype target_type,
                          MPI_Op op, MPI_Win win)
{
    static _Atomic int calls;
    int missing = is_victim(&calls);
    return PMPI_Accumulate(origin, count - missing, datatype, target, displacement,
                           target_count - missing, target_type, op, win);
}

EXPORT int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype datatype, int target,
                            MPI_Aint displacement, MPI_Op op, MPI_Win win)
{
    static _Atomic int calls;
    return PMPI_Fetch_and_op(origin, result, datatype, target, displacement,
                             is_victim(&calls) ? MPI_NO_OP : op, win);
}

EXPORT int MPI_Compare_and_swap(const void *origin, const void *compare, void *result,
                                MPI_Datatype datatype, int target, MPI_Aint displacement,
                                MPI_Win win)
{
    static _Atomic int calls;
    /* To swap in what was compared with is not to swap at all. */
    return PMPI_Compare_and_swap(is_victim(&calls) ? compare : origin, compare, result, datatype,
                                 target, displacement, win);
}

static MPI_Request barrier = MPI_REQUEST_NULL;

/* Goes on as soon as everybody has come to the barrier before. */
EXPORT int MPI_Barrier(MPI_Comm comm)
{
    PMPI_Wait(&barrier, MPI_STATUS_IGNORE);
    return PMPI_Ibarrier(comm, &barrier);
}

EXPORT int MPI_Finalize(void)
{
    PMPI_Wait(&barrier, MPI_STATUS_IGNORE);
    return PMPI_Finalize();
}
