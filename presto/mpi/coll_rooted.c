/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations with a root. */
#include "mpi/coll_check.h"

static int bcast(const char *function, void *buf, int count, MPI_Datatype type, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    type = pri_some_type(count, type);
    if (code == MPI_SUCCESS && root != MPI_PROC_NULL) {
        code = pri_bad_some(pri_some_of(buf, count, type));
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_bcast(&c->team, buf, (size_t)count, type, root, pri_coll_core(r)),
                        request);
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(__func__, buf, count, type, root, comm, NULL);
}
PRI_ALIAS(Bcast);

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return bcast(__func__, buf, count, type, root, comm, request);
}
PRI_ALIAS(Ibcast);

static int gather(const char *function, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_some out = pri_some_of(recvbuf, recvcount, recvtype);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    if (code == MPI_SUCCESS && pri_is_leaf(root)) {
        code = pri_bad_some_or(pri_here(c, root), in);
    }
    if (code == MPI_SUCCESS && pri_is_root(c, root)) {
        code = pri_bad_some(out);
    }
    if (code == MPI_SUCCESS && pri_here(c, root)) {
        code = pri_bad_own(c, in, out);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_gather(&c->team, in, out, root, pri_coll_core(r)),
                        request);
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  NULL);
}
PRI_ALIAS(Gather);

int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  request);
}
PRI_ALIAS(Igather);

static int gatherv(const char *function, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_parts out = {recvbuf, recvcounts, displs, recvtype, NULL, NULL};
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    if (code == MPI_SUCCESS && pri_is_leaf(root)) {
        code = pri_bad_some_or(pri_here(c, root), in);
    }
    if (code == MPI_SUCCESS && pri_is_root(c, root)) {
        code = pri_bad_parts(c->team.size, &out);
    }
    if (code == MPI_SUCCESS && pri_here(c, root)) {
        code = pri_bad_own_part(c, in, &out);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_gatherv(&c->team, in, &out, root, pri_coll_core(r)), request);
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, NULL);
}
PRI_ALIAS(Gatherv);

int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, request);
}
PRI_ALIAS(Igatherv);

static int scatter(const char *function, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_some out = pri_some_of(recvbuf, recvcount, recvtype);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    if (code == MPI_SUCCESS && pri_is_leaf(root)) {
        code = pri_bad_some_or(pri_here(c, root), out);
    }
    if (code == MPI_SUCCESS && pri_is_root(c, root)) {
        code = pri_bad_some(in);
    }
    if (code == MPI_SUCCESS && pri_here(c, root)) {
        code = pri_bad_own(c, out, in);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_scatter(&c->team, in, out, root, pri_coll_core(r)),
                        request);
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   NULL);
}
PRI_ALIAS(Scatter);

int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   request);
}
PRI_ALIAS(Iscatter);

static int scatterv(const char *function, const void *sendbuf, const int sendcounts[],
                    const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_parts in = {(void *)sendbuf, sendcounts, displs, sendtype, NULL, NULL};
    const struct pri_some out = pri_some_of(recvbuf, recvcount, recvtype);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    if (code == MPI_SUCCESS && pri_is_leaf(root)) {
        code = pri_bad_some_or(pri_here(c, root), out);
    }
    if (code == MPI_SUCCESS && pri_is_root(c, root)) {
        code = pri_bad_parts(c->team.size, &in);
    }
    if (code == MPI_SUCCESS && pri_here(c, root)) {
        code = pri_bad_own_part(c, out, &in);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_scatterv(&c->team, &in, out, root, pri_coll_core(r)), request);
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, NULL);
}
PRI_ALIAS(Scatterv);

int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, request);
}
PRI_ALIAS(Iscatterv);

static int reduce(const char *function, const void *sendbuf, void *recvbuf, int count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        code = pri_bad_root(c, root);
    }
    type = pri_some_type(count, type);
    if (code == MPI_SUCCESS && root != MPI_PROC_NULL) {
        code = pri_bad_reduction(pri_here(c, root) || root == MPI_ROOT, sendbuf,
                                 pri_is_root(c, root) ? recvbuf : NULL, count, type, op);
    }
    if (code == MPI_SUCCESS && pri_here(c, root)) {
        code = pri_bad_same(sendbuf, recvbuf, count);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_reduce(&c->team, sendbuf, recvbuf, (size_t)count, type, op, root,
                                        pri_coll_core(r)),
                        request);
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm)
{
    return reduce(__func__, sendbuf, recvbuf, count, type, op, root, comm, NULL);
}
PRI_ALIAS(Reduce);

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    return reduce(__func__, sendbuf, recvbuf, count, type, op, root, comm, request);
}
PRI_ALIAS(Ireduce);
