/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll_check.h"

#include <limits.h>

#include "coll/sched.h"

int pri_bad_counts(int n, const struct pri_parts *parts, MPI_Count *most)
{
    *most = 0;
    if (parts->counts == NULL && parts->large_counts == NULL && n > 0) {
        return pri_blame(MPI_ERR_ARG, "the array of counts is NULL");
    }
    for (int i = 0; i < n; i++) {
        const MPI_Count count = (MPI_Count)pri_parts_count(parts, i);
        if (count < 0) {
            return pri_blame_value(MPI_ERR_COUNT, "one of the counts", count, 0,
                                   parts->counts != NULL ? INT_MAX : LLONG_MAX);
        }
        *most = count > *most ? count : *most;
    }
    return MPI_SUCCESS;
}

int pri_bad_parts(int n, const struct pri_parts *parts)
{
    MPI_Count most;
    int code = pri_bad_counts(n, parts, &most);
    if (code != MPI_SUCCESS || most == 0) {
        return code;
    }
    if (parts->displs == NULL && parts->places == NULL) {
        return pri_blame(MPI_ERR_ARG, "the array of displacements is NULL");
    }
    if (parts->buf == MPI_IN_PLACE) {
        return pri_blame_place();
    }
    for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
        const MPI_Count count = (MPI_Count)pri_parts_count(parts, i);
        if (count > 0) {
            code = pri_bad_elements(count, pri_parts_type(parts, i));
        }
    }
    return code;
}

int pri_blame_place(void)
{
    return pri_blame(MPI_ERR_BUFFER, "it is MPI_IN_PLACE, which means nothing here");
}

int pri_blame_alias(void)
{
    return pri_blame(MPI_ERR_BUFFER, "what is sent and what is received begin at the same "
                                     "address; MPI_IN_PLACE is for that");
}

static int bad_pair(struct pri_data in, struct pri_data out)
{
    bool same = pri_data_at(in.buf, in.type) == pri_data_at(out.buf, out.type) &&
                pri_data_size(in) > 0 && pri_data_size(out) > 0;
    return NI_LIKELY(!same) ? MPI_SUCCESS : pri_blame_alias();
}

static int own_part(const struct pri_comm *comm)
{
    return comm->inter == NULL ? comm->team.rank : 0;
}

int pri_bad_own(const struct pri_comm *comm, struct pri_some one, struct pri_some all)
{
    if (one.buf == MPI_IN_PLACE) {
        return MPI_SUCCESS;
    }
    return bad_pair(pri_some_data(one), pri_some_part(all, own_part(comm)));
}

int pri_bad_own_part(const struct pri_comm *comm, struct pri_some one, const struct pri_parts *all)
{
    int own = own_part(comm);
    if (one.buf == MPI_IN_PLACE || pri_parts_count(all, own) == 0) {
        return MPI_SUCCESS;
    }
    return bad_pair(pri_some_data(one), pri_parts_part(all, own));
}

int pri_bad_both(struct pri_some in, struct pri_some out)
{
    if (in.buf == MPI_IN_PLACE) {
        return MPI_SUCCESS;
    }
    return bad_pair(pri_some_data(in), pri_some_data(out));
}

int pri_bad_both_parts(const struct pri_comm *comm, const struct pri_parts *in,
                       const struct pri_parts *out)
{
    int code = MPI_SUCCESS;
    if (in->buf == MPI_IN_PLACE) {
        return MPI_SUCCESS;
    }
    for (int i = 0; code == MPI_SUCCESS && i < comm->team.size; i++) {
        if (pri_parts_count(in, i) > 0 && pri_parts_count(out, i) > 0) {
            code = bad_pair(pri_parts_part(in, i), pri_parts_part(out, i));
        }
    }
    return code;
}

int pri_coll_begin(struct pri_comm *comm, struct pri_mpi_request **request)
{
    *request = pri_request_new(comm, PRI_MPI_OPERATION);
    return *request == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}
