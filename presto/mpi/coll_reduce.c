/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions. */
#include "mpi/coll_check.h"

static int start_allreduce(struct pri_team *team, const struct pri_call *call,
                           struct pri_request *request)
{
    return pri_coll_allreduce(team, call->in.buf, call->out.buf, call->out.count, call->out.type,
                              call->op, request);
}

static int allreduce(const char *function, const void *sendbuf, void *recvbuf, pri_count count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_allreduce,
                                                .in.buf = (void *)sendbuf,
                                                .out = {recvbuf, (size_t)count, type},
                                                .op = op},
                             request);
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

int MPI_Allreduce(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    return allreduce(__func__, sendbuf, recvbuf, count, type, op, comm, NULL, false);
}
PRI_ALIAS(Allreduce);

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return allreduce(__func__, sendbuf, recvbuf, count, type, op, comm, request, false);
}
PRI_ALIAS(Iallreduce);

int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return allreduce(__func__, sendbuf, recvbuf, count, type, op, comm, request, true);
}
PRI_ALIAS(Allreduce_init);

static int start_reduce_scatter(struct pri_team *team, const struct pri_call *call,
                                struct pri_request *request)
{
    return pri_coll_reduce_scatter(team, call->in.buf, &call->outs, call->op, request);
}

static int reduce_scatter(const char *function, const void *sendbuf, void *recvbuf,
                          const pri_count recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request, bool keep)
{
    struct pri_comm *c = pri_comm_of(comm);
    struct pri_mpi_request *r = NULL;
    struct pri_parts out = pri_parts_of(recvbuf, recvcounts, NULL, type, NULL);
    int code = c == NULL ? MPI_ERR_COMM : MPI_SUCCESS;
    MPI_Count most = 0;
    if (code == MPI_SUCCESS) {
        code = pri_bad_counts(c->group->size, &out, &most);
    }
    if (code == MPI_SUCCESS) {
        out.type = type = pri_some_type(most, type);
        code = pri_bad_reduction(pri_within(c), sendbuf, recvbuf, most, type, op);
    }
    if (code == MPI_SUCCESS) {
        code = pri_bad_same(sendbuf, recvbuf, recvcounts[c->team.rank]);
    }
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_reduce_scatter,
                                                .in.buf = (void *)sendbuf,
                                                .outs = out,
                                                .receives = c->group->size,
                                                .op = op},
                             request);
    }
    if (NI_UNLIKELY(code != MPI_SUCCESS ||
                    (request != NULL && (code = pri_coll_begin(c, &r)) != MPI_SUCCESS))) {
        return pri_fail(c, function, code);
    }
    return pri_coll_end(c, function, r,
                        pri_coll_reduce_scatter(&c->team, sendbuf, &out, op, pri_coll_core(r)),
                        request);
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const pri_count recvcounts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(__func__, sendbuf, recvbuf, recvcounts, type, op, comm, NULL, false);
}
PRI_ALIAS(Reduce_scatter);

int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const pri_count recvcounts[],
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter(__func__, sendbuf, recvbuf, recvcounts, type, op, comm, request, false);
}
PRI_ALIAS(Ireduce_scatter);

int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const pri_count recvcounts[],
                            MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                            MPI_Request *request)
{
    (void)info;
    return reduce_scatter(__func__, sendbuf, recvbuf, recvcounts, type, op, comm, request, true);
}
PRI_ALIAS(Reduce_scatter_init);

static int start_reduce_scatter_block(struct pri_team *team, const struct pri_call *call,
                                      struct pri_request *request)
{
    return pri_coll_reduce_scatter_block(team, call->in.buf, call->out.buf, call->out.count,
                                         call->out.type, call->op, request);
}

static int reduce_scatter_block(const char *function, const void *sendbuf, void *recvbuf,
                                pri_count recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_reduce_scatter_block,
                                                .in.buf = (void *)sendbuf,
                                                .out = {recvbuf, (size_t)recvcount, type},
                                                .op = op},
                             request);
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

int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, pri_count recvcount,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter_block(__func__, sendbuf, recvbuf, recvcount, type, op, comm, NULL, false);
}
PRI_ALIAS(Reduce_scatter_block);

int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, pri_count recvcount,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter_block(__func__, sendbuf, recvbuf, recvcount, type, op, comm, request,
                                false);
}
PRI_ALIAS(Ireduce_scatter_block);

int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, pri_count recvcount,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                  MPI_Request *request)
{
    (void)info;
    return reduce_scatter_block(__func__, sendbuf, recvbuf, recvcount, type, op, comm, request,
                                true);
}
PRI_ALIAS(Reduce_scatter_block_init);

static int start_scan(struct pri_team *team, const struct pri_call *call,
                      struct pri_request *request)
{
    return pri_coll_scan(team, call->in.buf, call->out.buf, call->out.count, call->out.type,
                         call->op, request);
}

static int scan(const char *function, const void *sendbuf, void *recvbuf, pri_count count,
                MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_scan,
                                                .in.buf = (void *)sendbuf,
                                                .out = {recvbuf, (size_t)count, type},
                                                .op = op},
                             request);
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

int MPI_Scan(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)
{
    return scan(__func__, sendbuf, recvbuf, count, type, op, comm, NULL, false);
}
PRI_ALIAS(Scan);

int MPI_Iscan(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Request *request)
{
    return scan(__func__, sendbuf, recvbuf, count, type, op, comm, request, false);
}
PRI_ALIAS(Iscan);

int MPI_Scan_init(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return scan(__func__, sendbuf, recvbuf, count, type, op, comm, request, true);
}
PRI_ALIAS(Scan_init);

static int start_exscan(struct pri_team *team, const struct pri_call *call,
                        struct pri_request *request)
{
    return pri_coll_exscan(team, call->in.buf, call->out.buf, call->out.count, call->out.type,
                           call->op, request);
}

static int exscan(const char *function, const void *sendbuf, void *recvbuf, pri_count count,
                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request, bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(c, function,
                             &(struct pri_call){.start = start_exscan,
                                                .in.buf = (void *)sendbuf,
                                                .out = {recvbuf, (size_t)count, type},
                                                .op = op},
                             request);
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

int MPI_Exscan(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    return exscan(__func__, sendbuf, recvbuf, count, type, op, comm, NULL, false);
}
PRI_ALIAS(Exscan);

int MPI_Iexscan(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    return exscan(__func__, sendbuf, recvbuf, count, type, op, comm, request, false);
}
PRI_ALIAS(Iexscan);

int MPI_Exscan_init(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return exscan(__func__, sendbuf, recvbuf, count, type, op, comm, request, true);
}
PRI_ALIAS(Exscan_init);

static int start_reduce(struct pri_team *team, const struct pri_call *call,
                        struct pri_request *request)
{
    return pri_coll_reduce(team, call->in.buf, call->out.buf, call->out.count, call->out.type,
                           call->op, call->root, request);
}

static int reduce(const char *function, const void *sendbuf, void *recvbuf, pri_count count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request,
                  bool keep)
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
    if (NI_UNLIKELY(keep) && code == MPI_SUCCESS) {
        return pri_coll_keep(
            c, function,
            &(struct pri_call){.start = start_reduce,
                               .in.buf = (void *)sendbuf,
                               .out = {recvbuf, (size_t)count, root != MPI_PROC_NULL ? type : NULL},
                               .op = root != MPI_PROC_NULL ? op : NULL,
                               .root = root},
            request);
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

int MPI_Reduce(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm)
{
    return reduce(__func__, sendbuf, recvbuf, count, type, op, root, comm, NULL, false);
}
PRI_ALIAS(Reduce);

int MPI_Ireduce(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    return reduce(__func__, sendbuf, recvbuf, count, type, op, root, comm, request, false);
}
PRI_ALIAS(Ireduce);

int MPI_Reduce_init(const void *sendbuf, void *recvbuf, pri_count count, MPI_Datatype type,
                    MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    (void)info;
    return reduce(__func__, sendbuf, recvbuf, count, type, op, root, comm, request, true);
}
PRI_ALIAS(Reduce_init);
