/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations with a root. */
#include "mpi/coll_check.h"

static int start_bcast(struct pri_team *team, const struct pri_call *call,
                       struct pri_request *request)
{
    return pri_coll_bcast(team, call->in.buf, call->in.count, call->in.type, call->root, request);
}

static int bcast(const char *function, void *buf, pri_count count, MPI_Datatype type, int root,
                 MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(
            c, function,
            &(struct pri_call){.start = start_bcast,
                               .in = {buf, (size_t)count, root != MPI_PROC_NULL ? type : NULL},
                               .root = root},
            request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_bcast(&c->team, buf, (size_t)count, type, root, pri_coll_core(r)),
                        request);
}

int MPI_Bcast(void *buf, pri_count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(__func__, buf, count, type, root, comm, NULL, false);
}
PRI_ALIAS(Bcast);

int MPI_Ibcast(void *buf, pri_count count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return bcast(__func__, buf, count, type, root, comm, request, false);
}
PRI_ALIAS(Ibcast);

int MPI_Bcast_init(void *buf, pri_count count, MPI_Datatype type, int root, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request)
{
    (void)info;
    return bcast(__func__, buf, count, type, root, comm, request, true);
}
PRI_ALIAS(Bcast_init);

static int start_gather(struct pri_team *team, const struct pri_call *call,
                        struct pri_request *request)
{
    return pri_coll_gather(team, call->in, call->out, call->root, request);
}

static int gather(const char *function, const void *sendbuf, pri_count sendcount,
                  MPI_Datatype sendtype, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_gather,
                                                .in = pri_is_leaf(root) ? in : pri_none,
                                                .out = pri_is_root(c, root) ? out : pri_none,
                                                .root = root},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_gather(&c->team, in, out, root, pri_coll_core(r)),
                        request);
}

int MPI_Gather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
               pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  NULL, false);
}
PRI_ALIAS(Gather);

int MPI_Igather(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                MPI_Request *request)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  request, false);
}
PRI_ALIAS(Igather);

int MPI_Gather_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Info info, MPI_Request *request)
{
    (void)info;
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  request, true);
}
PRI_ALIAS(Gather_init);

static int start_gatherv(struct pri_team *team, const struct pri_call *call,
                         struct pri_request *request)
{
    return pri_coll_gatherv(team, call->in, &call->outs, call->root, request);
}

static int gatherv(const char *function, const void *sendbuf, pri_count sendcount,
                   MPI_Datatype sendtype, void *recvbuf, const pri_count recvcounts[],
                   const pri_disp displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_some in = pri_some_of(sendbuf, sendcount, sendtype);
    const struct pri_parts out = pri_parts_of(recvbuf, recvcounts, displs, recvtype, NULL);
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_gatherv,
                                                .in = pri_is_leaf(root) ? in : pri_none,
                                                .outs = out,
                                                .receives = pri_is_root(c, root) ? c->team.size : 0,
                                                .root = root},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_gatherv(&c->team, in, &out, root, pri_coll_core(r)), request);
}

int MPI_Gatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                const pri_count recvcounts[], const pri_disp displs[], MPI_Datatype recvtype,
                int root, MPI_Comm comm)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, NULL, false);
}
PRI_ALIAS(Gatherv);

int MPI_Igatherv(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const pri_count recvcounts[], const pri_disp displs[], MPI_Datatype recvtype,
                 int root, MPI_Comm comm, MPI_Request *request)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, request, false);
}
PRI_ALIAS(Igatherv);

int MPI_Gatherv_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const pri_count recvcounts[], const pri_disp displs[], MPI_Datatype recvtype,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, request, true);
}
PRI_ALIAS(Gatherv_init);

static int start_scatter(struct pri_team *team, const struct pri_call *call,
                         struct pri_request *request)
{
    return pri_coll_scatter(team, call->in, call->out, call->root, request);
}

static int scatter(const char *function, const void *sendbuf, pri_count sendcount,
                   MPI_Datatype sendtype, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_scatter,
                                                .in = pri_is_root(c, root) ? in : pri_none,
                                                .out = pri_is_leaf(root) ? out : pri_none,
                                                .root = root},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r, pri_coll_scatter(&c->team, in, out, root, pri_coll_core(r)),
                        request);
}

int MPI_Scatter(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   NULL, false);
}
PRI_ALIAS(Scatter);

int MPI_Iscatter(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   request, false);
}
PRI_ALIAS(Iscatter);

int MPI_Scatter_init(const void *sendbuf, pri_count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     MPI_Info info, MPI_Request *request)
{
    (void)info;
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   request, true);
}
PRI_ALIAS(Scatter_init);

static int start_scatterv(struct pri_team *team, const struct pri_call *call,
                          struct pri_request *request)
{
    return pri_coll_scatterv(team, &call->ins, call->out, call->root, request);
}

static int scatterv(const char *function, const void *sendbuf, const pri_count sendcounts[],
                    const pri_disp displs[], MPI_Datatype sendtype, void *recvbuf,
                    pri_count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    const struct pri_parts in = pri_parts_of(sendbuf, sendcounts, displs, sendtype, NULL);
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_scatterv,
                                                .ins = in,
                                                .sends = pri_is_root(c, root) ? c->team.size : 0,
                                                .out = pri_is_leaf(root) ? out : pri_none,
                                                .root = root},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_scatterv(&c->team, &in, out, root, pri_coll_core(r)), request);
}

int MPI_Scatterv(const void *sendbuf, const pri_count sendcounts[], const pri_disp displs[],
                 MPI_Datatype sendtype, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, NULL, false);
}
PRI_ALIAS(Scatterv);

int MPI_Iscatterv(const void *sendbuf, const pri_count sendcounts[], const pri_disp displs[],
                  MPI_Datatype sendtype, void *recvbuf, pri_count recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, request, false);
}
PRI_ALIAS(Iscatterv);

int MPI_Scatterv_init(const void *sendbuf, const pri_count sendcounts[], const pri_disp displs[],
                      MPI_Datatype sendtype, void *recvbuf, pri_count recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request *request)
{
    (void)info;
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, request, true);
}
PRI_ALIAS(Scatterv_init);
