/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: collective operations, each with its nonblocking form. */
#ifndef PRESTO_MPI_COLLECTIVE_H
#define PRESTO_MPI_COLLECTIVE_H

PRESTO_FN(int, Barrier, (MPI_Comm comm));
PRESTO_FN(int, Ibarrier, (MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm));
PRESTO_FN(int, Ibcast,
          (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Gather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm));
PRESTO_FN(int, Igather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Gatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
           MPI_Comm comm));
PRESTO_FN(int, Igatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Scatter,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm));
PRESTO_FN(int, Iscatter,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Scatterv,
          (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm));
PRESTO_FN(int, Iscatterv,
          (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
           MPI_Request *request));
PRESTO_FN(int, Allgather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Iallgather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Allgatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Iallgatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
           MPI_Request *request));
PRESTO_FN(int, Alltoall,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Ialltoall,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Alltoallv,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm));
PRESTO_FN(int, Ialltoallv,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Alltoallw,
          (const void *sendbuf, const int sendcounts[], const int sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm));
PRESTO_FN(int, Ialltoallw,
          (const void *sendbuf, const int sendcounts[], const int sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
           MPI_Request *request));
PRESTO_FN(int, Reduce,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm));
PRESTO_FN(int, Ireduce,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Allreduce,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm));
PRESTO_FN(int, Iallreduce,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Reduce_scatter,
          (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
           MPI_Comm comm));
PRESTO_FN(int, Ireduce_scatter,
          (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Reduce_scatter_block,
          (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm));
PRESTO_FN(int, Ireduce_scatter_block,
          (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Scan,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm));
PRESTO_FN(int, Iscan,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Exscan,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm));
PRESTO_FN(int, Iexscan,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Request *request));

PRESTO_FN(int, Neighbor_allgather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Ineighbor_allgather,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Neighbor_allgatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Ineighbor_allgatherv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
           MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoall,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm));
PRESTO_FN(int, Ineighbor_alltoall,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoallv,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm));
PRESTO_FN(int, Ineighbor_alltoallv,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoallw,
          (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm));
PRESTO_FN(int, Ineighbor_alltoallw,
          (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
           MPI_Request *request));

/* Persistent ones. What the arrays say is read at once. */
PRESTO_FN(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Allgather_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Allgatherv_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
           MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Alltoall_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Alltoallv_init,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Alltoallw_init,
          (const void *sendbuf, const int sendcounts[], const int sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
           MPI_Request *request));
PRESTO_FN(int, Bcast_init,
          (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
           MPI_Request *request));
PRESTO_FN(int, Gather_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Gatherv_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Scatter_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Scatterv_init,
          (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
           MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Reduce_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Allreduce_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Reduce_scatter_block_init,
          (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Scan_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Exscan_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Reduce_scatter_init,
          (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Neighbor_allgather_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Neighbor_allgatherv_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
           MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoall_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoallv_init,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
           MPI_Comm comm, MPI_Info info, MPI_Request *request));
PRESTO_FN(int, Neighbor_alltoallw_init,
          (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
           MPI_Request *request));

#endif
