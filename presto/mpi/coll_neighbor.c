/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange with the neighbours in a topology. */
#include "mpi/coll_check.h"
#include "mpi/topology.h"

/* What all of them end with: the operation is kept, or begun, unless something is wrong with it. */
static int neighbor_run(struct pri_comm *c, const char *function, int code,
                        const struct pri_call *call, MPI_Request *request, bool keep)
{
    struct pri_mpi_request *r = NULL;

    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function, call, request);
    }
    if (code != MPI_SUCCESS || (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS)) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, call->start(&c->team, call, pri_coll_core(r)), request);
}

/* The same for or from each neighbour: call has in and out. */
static int neighbor_same(const char *function, struct pri_call call, MPI_Comm comm,
                         MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    int code = pri_neighbors_of(c, &call.neighbors);

    if (code == MPI_SUCCESS) {
        code = pri_bad_some(call.in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_some(call.out);
    }
    return neighbor_run(c, function, code, &call, request, keep);
}

/* A part for each of them, and one of each: call has ins and outs. */
static int neighbor_parts(const char *function, struct pri_call call, MPI_Comm comm,
                          MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    int code = pri_neighbors_of(c, &call.neighbors);

    if (code == MPI_SUCCESS) {
        call.sends = call.neighbors.dests;
        call.receives = call.neighbors.sources;
        code = pri_bad_parts(call.sends, &call.ins);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts(call.receives, &call.outs);
    }
    return neighbor_run(c, function, code, &call, request, keep);
}

static int start_neighbor_allgather(struct pri_team *team, const struct pri_call *call,
                                    struct pri_request *request)
{
    return pri_coll_neighbor_allgather(team, &call->neighbors, call->in, call->out, request);
}

static int neighbor_allgather(const char *function, const void *sendbuf, pri_count sendcount,
                              MPI_Datatype sendtype, void *recvbuf, pri_count recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request, bool keep)
{
    const struct pri_call call = {.start = start_neighbor_allgather,
                                  .in = pri_some_of(sendbuf, sendcount, sendtype),
                                  .out = pri_some_of(recvbuf, recvcount, recvtype)};

    return neighbor_same(function, call, comm, request, keep);
}

int MPI_Neighbor_allgather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                              comm, NULL, false);
}
PRI_ALIAS(Neighbor_allgather);

int MPI_Ineighbor_allgather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Request *request)
{
    return neighbor_allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                              comm, request, false);
}
PRI_ALIAS(Ineighbor_allgather);

int MPI_Neighbor_allgather_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                                void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return neighbor_allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                              comm, request, true);
}
PRI_ALIAS(Neighbor_allgather_init);

static int start_neighbor_allgatherv(struct pri_team *team, const struct pri_call *call,
                                     struct pri_request *request)
{
    return pri_coll_neighbor_allgatherv(team, &call->neighbors, call->in, &call->outs, request);
}

static int neighbor_allgatherv(const char *function, const void *sendbuf, pri_count sendcount,
                               MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                               const pri_disp displs[], MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_call call = {.start = start_neighbor_allgatherv,
                            .in = pri_some_of(sendbuf, sendcount, sendtype),
                            .outs = pri_parts_of(recvbuf, recvcounts, displs, recvtype, NULL)};
    int code = pri_neighbors_of(c, &call.neighbors);

    if (code == MPI_SUCCESS) {
        call.receives = call.neighbors.sources;
        code = pri_bad_some(call.in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts(call.receives, &call.outs);
    }
    return neighbor_run(c, function, code, &call, request, keep);
}

int MPI_Neighbor_allgatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const pri_count recvcounts[], const pri_disp displs[],
                            MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype, comm, NULL, false);
}
PRI_ALIAS(Neighbor_allgatherv);

int MPI_Ineighbor_allgatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const pri_count recvcounts[], const pri_disp displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return neighbor_allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype, comm, request, false);
}
PRI_ALIAS(Ineighbor_allgatherv);

int MPI_Neighbor_allgatherv_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, const pri_count recvcounts[],
                                 const pri_disp displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request)
{
    (void)info;
    return neighbor_allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                               recvtype, comm, request, true);
}
PRI_ALIAS(Neighbor_allgatherv_init);

static int start_neighbor_alltoall(struct pri_team *team, const struct pri_call *call,
                                   struct pri_request *request)
{
    return pri_coll_neighbor_alltoall(team, &call->neighbors, call->in, call->out, request);
}

static int neighbor_alltoall(const char *function, const void *sendbuf, pri_count sendcount,
                             MPI_Datatype sendtype, void *recvbuf, pri_count recvcount,
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request, bool keep)
{
    const struct pri_call call = {.start = start_neighbor_alltoall,
                                  .in = pri_some_of(sendbuf, sendcount, sendtype),
                                  .out = pri_some_of(recvbuf, recvcount, recvtype)};

    return neighbor_same(function, call, comm, request, keep);
}

int MPI_Neighbor_alltoall(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                          void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                             comm, NULL, false);
}
PRI_ALIAS(Neighbor_alltoall);

int MPI_Ineighbor_alltoall(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request)
{
    return neighbor_alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                             comm, request, false);
}
PRI_ALIAS(Ineighbor_alltoall);

int MPI_Neighbor_alltoall_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                               void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return neighbor_alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                             comm, request, true);
}
PRI_ALIAS(Neighbor_alltoall_init);

static int start_neighbor_alltoallv(struct pri_team *team, const struct pri_call *call,
                                    struct pri_request *request)
{
    return pri_coll_neighbor_alltoallv(team, &call->neighbors, &call->ins, &call->outs, request);
}

static int neighbor_alltoallv(const char *function, const void *sendbuf,
                              const pri_count sendcounts[], const pri_disp sdispls[],
                              MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                              const pri_disp rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request *request, bool keep)
{
    const struct pri_call call = {.start = start_neighbor_alltoallv,
                                  .ins = pri_parts_of(sendbuf, sendcounts, sdispls, sendtype, NULL),
                                  .outs =
                                      pri_parts_of(recvbuf, recvcounts, rdispls, recvtype, NULL)};

    return neighbor_parts(function, call, comm, request, keep);
}

int MPI_Neighbor_alltoallv(const void *sendbuf, const pri_count sendcounts[],
                           const pri_disp sdispls[], MPI_Datatype sendtype, void *recvbuf,
                           const pri_count recvcounts[], const pri_disp rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    return neighbor_alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype, comm, NULL, false);
}
PRI_ALIAS(Neighbor_alltoallv);

int MPI_Ineighbor_alltoallv(const void *sendbuf, const pri_count sendcounts[],
                            const pri_disp sdispls[], MPI_Datatype sendtype, void *recvbuf,
                            const pri_count recvcounts[], const pri_disp rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return neighbor_alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype, comm, request, false);
}
PRI_ALIAS(Ineighbor_alltoallv);

int MPI_Neighbor_alltoallv_init(const void *sendbuf, const pri_count sendcounts[],
                                const pri_disp sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                const pri_count recvcounts[], const pri_disp rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request)
{
    (void)info;
    return neighbor_alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                              rdispls, recvtype, comm, request, true);
}
PRI_ALIAS(Neighbor_alltoallv_init);

static int neighbor_alltoallw(const char *function, const void *sendbuf,
                              const pri_count sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void *recvbuf,
                              const pri_count recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request,
                              bool keep)
{
    struct pri_call call = {.start = start_neighbor_alltoallv,
                            .ins = pri_parts_of(sendbuf, sendcounts, NULL, NULL, sendtypes),
                            .outs = pri_parts_of(recvbuf, recvcounts, NULL, NULL, recvtypes)};

    call.ins.places = sdispls;
    call.outs.places = rdispls;
    return neighbor_parts(function, call, comm, request, keep);
}

int MPI_Neighbor_alltoallw(const void *sendbuf, const pri_count sendcounts[],
                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                           const pri_count recvcounts[], const MPI_Aint rdispls[],
                           const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return neighbor_alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                              recvcounts, rdispls, recvtypes, comm, NULL, false);
}
PRI_ALIAS(Neighbor_alltoallw);

int MPI_Ineighbor_alltoallw(const void *sendbuf, const pri_count sendcounts[],
                            const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                            const pri_count recvcounts[], const MPI_Aint rdispls[],
                            const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    return neighbor_alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                              recvcounts, rdispls, recvtypes, comm, request, false);
}
PRI_ALIAS(Ineighbor_alltoallw);

int MPI_Neighbor_alltoallw_init(const void *sendbuf, const pri_count sendcounts[],
                                const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                void *recvbuf, const pri_count recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return neighbor_alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                              recvcounts, rdispls, recvtypes, comm, request, true);
}
PRI_ALIAS(Neighbor_alltoallw_init);
