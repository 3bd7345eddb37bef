/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions to all ranks. */
#include "mpi/coll_check.h"

static int allreduce(const char *function, const void *sendbuf, void *recvbuf, int count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    type = pri_some_type(count, type);
    if (code == MPI_SUCCESS) {
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, count, type, op);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, count);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(
        c, function, r,
        pri_coll_allreduce(&c->team, sendbuf, recvbuf, (size_t)count, type, op, pri_coll_core(r)),
        request);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    return allreduce(__func__, sendbuf, recvbuf, count, type, op, comm, NULL);
}
PRI_ALIAS(Allreduce);

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    return allreduce(__func__, sendbuf, recvbuf, count, type, op, comm, request);
}
PRI_ALIAS(Iallreduce);

static int reduce_scatter(const char *function, const void *sendbuf, void *recvbuf,
                          const int recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS, most = 0;
    if (code == MPI_SUCCESS) {
        code = pri_bad_counts(c->group->size, recvcounts, &most);
    }
    if (code == MPI_SUCCESS) {
        type = pri_some_type(most, type);
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, most, type, op);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, recvcounts[c->team.rank]);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(
        c, function, r,
        pri_coll_reduce_scatter(&c->team, sendbuf, recvbuf, recvcounts, type, op, pri_coll_core(r)),
        request);
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(__func__, sendbuf, recvbuf, recvcounts, type, op, comm, NULL);
}
PRI_ALIAS(Reduce_scatter);

int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter(__func__, sendbuf, recvbuf, recvcounts, type, op, comm, request);
}
PRI_ALIAS(Ireduce_scatter);

static int reduce_scatter_block(const char *function, const void *sendbuf, void *recvbuf,
                                int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Request *request)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    type = pri_some_type(recvcount, type);
    if (code == MPI_SUCCESS) {
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, recvcount, type, op);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, recvcount);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_reduce_scatter_block(&c->team, sendbuf, recvbuf, (size_t)recvcount,
                                                      type, op, pri_coll_core(r)),
                        request);
}

int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter_block(__func__, sendbuf, recvbuf, recvcount, type, op, comm, NULL);
}
PRI_ALIAS(Reduce_scatter_block);

int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter_block(__func__, sendbuf, recvbuf, recvcount, type, op, comm, request);
}
PRI_ALIAS(Ireduce_scatter_block);

static int scan(const char *function, const void *sendbuf, void *recvbuf, int count,
                MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_intra_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    type = pri_some_type(count, type);
    if (code == MPI_SUCCESS) {
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, count, type, op);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, count);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(
        c, function, r,
        pri_coll_scan(&c->team, sendbuf, recvbuf, (size_t)count, type, op, pri_coll_core(r)),
        request);
}

int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)
{
    return scan(__func__, sendbuf, recvbuf, count, type, op, comm, NULL);
}
PRI_ALIAS(Scan);

int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Request *request)
{
    return scan(__func__, sendbuf, recvbuf, count, type, op, comm, request);
}
PRI_ALIAS(Iscan);

static int exscan(const char *function, const void *sendbuf, void *recvbuf, int count,
                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct pri_comm *c = pri_intra_of(comm);
    struct pri_mpi_request *r = NULL;
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    type = pri_some_type(count, type);
    if (code == MPI_SUCCESS) {
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, count, type, op);
    }
    /* Of rank 0 as well: MPI lets no argument be another's memory that functions write to, whether
     * this one does or not. */
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, count);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(
        c, function, r,
        pri_coll_exscan(&c->team, sendbuf, recvbuf, (size_t)count, type, op, pri_coll_core(r)),
        request);
}

int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    return exscan(__func__, sendbuf, recvbuf, count, type, op, comm, NULL);
}
PRI_ALIAS(Exscan);

int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    return exscan(__func__, sendbuf, recvbuf, count, type, op, comm, request);
}
PRI_ALIAS(Iexscan);
