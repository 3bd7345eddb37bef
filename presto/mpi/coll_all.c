/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations in which all ranks are alike, and move data. */
#include "mpi/coll_check.h"

#ifndef PRI_LARGE
static int start_barrier(struct pri_team *team, const struct pri_call *call,
                         struct pri_request *request)
{
    (void)call;
    return pri_coll_barrier(team, request);
}

static int barrier(const char *function, MPI_Comm comm, MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function, &(struct pri_call){.start = start_barrier}, request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_barrier(&c->team, pri_coll_core(r)), request);
}

int MPI_Barrier(MPI_Comm comm)
{
    return barrier(__func__, comm, NULL, false);
}
PRI_ALIAS(Barrier);

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return barrier(__func__, comm, request, false);
}
PRI_ALIAS(Ibarrier);

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return barrier(__func__, comm, request, true);
}
PRI_ALIAS(Barrier_init);
#endif

static int start_allgather(struct pri_team *team, const struct pri_call *call,
                           struct pri_request *request)
{
    return pri_coll_allgather(team, call->in, call->out, request);
}

static int allgather(const char *function, const void *sendbuf, pri_count sendcount,
                     MPI_Datatype sendtype, void *recvbuf, pri_count recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_some out = pri_some_of(recvbuf, recvcount, recvtype);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_some_or(pri_within(c), in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_some(out);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_own(c, in, out);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_allgather, .in = in, .out = out},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_allgather(&c->team, in, out, pri_coll_core(r)),
                        request);
}

int MPI_Allgather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     NULL, false);
}
PRI_ALIAS(Allgather);

int MPI_Iallgather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     request, false);
}
PRI_ALIAS(Iallgather);

int MPI_Allgather_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                       void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    (void)info;
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     request, true);
}
PRI_ALIAS(Allgather_init);

static int start_allgatherv(struct pri_team *team, const struct pri_call *call,
                            struct pri_request *request)
{
    return pri_coll_allgatherv(team, call->in, &call->outs, request);
}

static int allgatherv(const char *function, const void *sendbuf, pri_count sendcount,
                      MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                      const pri_disp displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_parts out = pri_parts_of(recvbuf, recvcounts, displs, recvtype, NULL);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_some_or(pri_within(c), in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts(c->team.size, &out);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_own_part(c, in, &out);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(
            c, function,
            &(struct pri_call){
                .start = start_allgatherv, .in = in, .outs = out, .receives = c->team.size},
            request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_allgatherv(&c->team, in, &out, pri_coll_core(r)),
                        request);
}

int MPI_Allgatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const pri_count recvcounts[], const pri_disp displs[], MPI_Datatype recvtype,
                   MPI_Comm comm)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, NULL, false);
}
PRI_ALIAS(Allgatherv);

int MPI_Iallgatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const pri_count recvcounts[], const pri_disp displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request *request)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, request, false);
}
PRI_ALIAS(Iallgatherv);

int MPI_Allgatherv_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, const pri_count recvcounts[], const pri_disp displs[],
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, request, true);
}
PRI_ALIAS(Allgatherv_init);

static int start_alltoall(struct pri_team *team, const struct pri_call *call,
                          struct pri_request *request)
{
    return pri_coll_alltoall(team, call->in, call->out, request);
}

static int alltoall(const char *function, const void *sendbuf, pri_count sendcount,
                    MPI_Datatype sendtype, void *recvbuf, pri_count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_some out = pri_some_of(recvbuf, recvcount, recvtype);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_some_or(pri_within(c), in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_some(out);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_both(in, out);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_alltoall, .in = in, .out = out},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_alltoall(&c->team, in, out, pri_coll_core(r)),
                        request);
}

int MPI_Alltoall(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    NULL, false);
}
PRI_ALIAS(Alltoall);

int MPI_Ialltoall(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    request, false);
}
PRI_ALIAS(Ialltoall);

int MPI_Alltoall_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, pri_count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Info info, MPI_Request *request)
{
    (void)info;
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    request, true);
}
PRI_ALIAS(Alltoall_init);

static int start_alltoallv(struct pri_team *team, const struct pri_call *call,
                           struct pri_request *request)
{
    return pri_coll_alltoallv(team, &call->ins, &call->outs, request);
}

static int alltoallv(const char *function, const void *sendbuf, const pri_count sendcounts[],
                     const pri_disp sdispls[], MPI_Datatype sendtype, void *recvbuf,
                     const pri_count recvcounts[], const pri_disp rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_parts in = pri_parts_of(sendbuf, sendcounts, sdispls, sendtype, NULL);
    const struct pri_parts out = pri_parts_of(recvbuf, recvcounts, rdispls, recvtype, NULL);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts_or(pri_within(c), c->team.size, &in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts(c->team.size, &out);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_both_parts(c, &in, &out);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_alltoallv,
                                                .ins = in,
                                                .outs = out,
                                                .sends = c->team.size,
                                                .receives = c->team.size},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_alltoallv(&c->team, &in, &out, pri_coll_core(r)),
                        request);
}

int MPI_Alltoallv(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                  MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                  const pri_disp rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, NULL, false);
}
PRI_ALIAS(Alltoallv);

int MPI_Ialltoallv(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                   const pri_disp rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request *request)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, request, false);
}
PRI_ALIAS(Ialltoallv);

int MPI_Alltoallv_init(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                       MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                       const pri_disp rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    (void)info;
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, request, true);
}
PRI_ALIAS(Alltoallv_init);

static int alltoallw(const char *function, const void *sendbuf, const pri_count sendcounts[],
                     const pri_disp sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                     const pri_count recvcounts[], const pri_disp rdispls[],
                     const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_parts in = pri_parts_of(sendbuf, sendcounts, sdispls, NULL, sendtypes);
    const struct pri_parts out = pri_parts_of(recvbuf, recvcounts, rdispls, NULL, recvtypes);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts_or(pri_within(c), c->team.size, &in);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_parts(c->team.size, &out);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_both_parts(c, &in, &out);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_alltoallv,
                                                .ins = in,
                                                .outs = out,
                                                .sends = c->team.size,
                                                .receives = c->team.size},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_alltoallv(&c->team, &in, &out, pri_coll_core(r)),
                        request);
}

int MPI_Alltoallw(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                  const MPI_Datatype sendtypes[], void *recvbuf, const pri_count recvcounts[],
                  const pri_disp rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, NULL, false);
}
PRI_ALIAS(Alltoallw);

int MPI_Ialltoallw(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const pri_count recvcounts[],
                   const pri_disp rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, request, false);
}
PRI_ALIAS(Ialltoallw);

int MPI_Alltoallw_init(const void *sendbuf, const pri_count sendcounts[], const pri_disp sdispls[],
                       const MPI_Datatype sendtypes[], void *recvbuf, const pri_count recvcounts[],
                       const pri_disp rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       MPI_Info info, MPI_Request *request)
{
    (void)info;
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, request, true);
}
PRI_ALIAS(Alltoallw_init);
