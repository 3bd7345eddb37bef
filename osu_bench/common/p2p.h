/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_P2P_H
#define OSU_COMMON_P2P_H

/*
 * Messages of bytes to and from a rank, as pingpong.c and stream.c send them, and a barrier of all:
 * by MPI, whose errors end the job, or, with OSU_NATIVE, by Presto's native interface.
 */

#ifdef OSU_NATIVE
#include "native/p2p.h"
#else

#include <mpi.h>
#include <stddef.h>

typedef MPI_Request osu_request;

static inline void osu_send(const void *data, size_t bytes, int peer, int tag)
{
    MPI_Send(data, (int)bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD);
}

static inline void osu_recv(void *data, size_t bytes, int peer, int tag)
{
    MPI_Recv(data, (int)bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void osu_isend(const void *data, size_t bytes, int peer, int tag,
                             osu_request *request)
{
    MPI_Isend(data, (int)bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
}

static inline void osu_irecv(void *data, size_t bytes, int peer, int tag, osu_request *request)
{
    MPI_Irecv(data, (int)bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request);
}

static inline void osu_waitall(osu_request *requests, int count)
{
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static inline void osu_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

#endif
#endif
