/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of communicators. The first rank takes the context and tells the rest. */
#include "mpi/inter.h"
#include "mpi/request.h"

/* The context of a copy is there: the rest of making it. */
static int dup_finish(struct pri_mpi_request *request)
{
    struct pri_comm *copy = request->object;
    if (request->core.status.error != 0) {
        return MPI_SUCCESS; /* that is the error; there is no context */
    }
    return pri_mpi_code(pri_comm_begin(copy, copy->context, copy->leads));
}

/* One that cannot be made. */
static void drop(struct pri_comm *made)
{
    pri_attr_delete_all(made->mpi, &made->attributes, PRI_ATTR_COMM, made);
    pri_comm_release(made);
}

/* A copy without a context, and with what it inherits. An MPI code. */
static int dup_begin(struct pri_comm *comm, struct pri_comm **copy)
{
    struct pri_comm *made;
    if (comm->inter != NULL) {
        made = pri_inter_copy(comm);
    } else {
        pri_group_retain(comm->group);
        made = pri_comm_new(comm->mpi, comm->group);
    }
    if (made == NULL) {
        return MPI_ERR_NO_MEM;
    }
    pri_comm_inherit(made, comm);
    made->leads = pri_comm_all(comm)->rank == 0;
    int code = MPI_SUCCESS;
    if (comm->topology != NULL && (made->topology = pri_topology_copy(comm->topology)) == NULL) {
        code = MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS) {
        code = pri_attr_copy_all(comm->mpi, &made->attributes, comm->attributes, PRI_ATTR_COMM,
                                 comm->handle);
    }
    if (code == MPI_SUCCESS && made->leads) {
        code = pri_mpi_code(pri_context_take(comm->mpi->self, &made->context));
    }
    if (code != MPI_SUCCESS) {
        drop(made);
    } else {
        *copy = made;
    }
    return code;
}

static int dup(const char *function, MPI_Comm handle, MPI_Info info, MPI_Comm *copy)
{
    struct pri_comm *comm = pri_comm_of(handle), *made;
    if (comm == NULL || copy == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(copy));
    }
    *copy = MPI_COMM_NULL;
    int code = dup_begin(comm, &made);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, function, code);
    }
    made->info = info == NULL ? NULL : pri_info_copy(info);
    int rc = pri_coll_bcast(pri_comm_all(comm), &made->context, sizeof(made->context), MPI_BYTE, 0,
                            NULL);
    if (rc == 0) {
        rc = pri_comm_begin(made, made->context, made->leads);
    }
    if (rc == 0) {
        *copy = made;
    } else {
        drop(made);
    }
    return pri_result(comm, function, rc);
}

int pri_comm_copy(struct pri_comm *comm, struct pri_comm **copy)
{
    pri_group_retain(comm->group);
    struct pri_comm *made = pri_comm_new(comm->mpi, comm->group);
    if (made == NULL) {
        return PRI_ERR_NOMEM;
    }
    made->leads = comm->team.rank == 0;
    int error = made->leads ? pri_context_take(comm->mpi->self, &made->context) : 0;
    if (error == 0) {
        error =
            pri_coll_bcast(&comm->team, &made->context, sizeof(made->context), MPI_BYTE, 0, NULL);
    }
    if (error == 0) {
        error = pri_comm_begin(made, made->context, made->leads);
    }
    if (error == 0) {
        *copy = made;
    } else {
        pri_comm_release(made);
    }
    return error;
}

int MPI_Comm_dup(MPI_Comm handle, MPI_Comm *copy)
{
    struct pri_comm *comm = pri_comm_of(handle);
    return dup(__func__, handle, comm != NULL ? comm->info : NULL, copy);
}
PRI_ALIAS(Comm_dup);

int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *copy)
{
    return dup(__func__, handle, info, copy);
}
PRI_ALIAS(Comm_dup_with_info);

static int idup(const char *function, MPI_Comm handle, MPI_Info info, MPI_Comm *copy,
                MPI_Request *request)
{
    struct pri_comm *comm = pri_comm_of(handle), *made;
    if (comm == NULL || copy == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(copy));
    }
    *copy = MPI_COMM_NULL;
    struct pri_mpi_request *r = pri_request_new(comm, PRI_MPI_OPERATION);
    int code = r == NULL ? MPI_ERR_NO_MEM : dup_begin(comm, &made);
    if (code == MPI_SUCCESS) {
        made->info = info == NULL ? NULL : pri_info_copy(info);
        r->finish = dup_finish;
        r->object = made;
        code = pri_mpi_code(pri_coll_bcast(pri_comm_all(comm), &made->context,
                                           sizeof(made->context), MPI_BYTE, 0, &r->core));
        if (code != MPI_SUCCESS) {
            pri_comm_release(made);
        }
    }
    if (code != MPI_SUCCESS) {
        if (r != NULL) {
            pri_request_end(r);
        }
        return pri_fail(comm, function, code);
    }
    *copy = made;
    *request = r;
    return MPI_SUCCESS;
}

int MPI_Comm_idup(MPI_Comm handle, MPI_Comm *copy, MPI_Request *request)
{
    struct pri_comm *comm = pri_comm_of(handle);
    return idup(__func__, handle, comm != NULL ? comm->info : NULL, copy, request);
}
PRI_ALIAS(Comm_idup);

int MPI_Comm_idup_with_info(MPI_Comm handle, MPI_Info info, MPI_Comm *copy, MPI_Request *request)
{
    return idup(__func__, handle, info, copy, request);
}
PRI_ALIAS(Comm_idup_with_info);
