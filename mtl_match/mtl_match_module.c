/* SPDX-License-Identifier: BSD-3-Clause */
/* The module: function table, and the functions that only forward. */
#include <limits.h>

#include "mtl_match/mtl_match.h"

static int add_procs(struct mca_mtl_base_module_t *mtl, size_t nprocs, struct ompi_proc_t **procs)
{
    (void)mtl;
    return ompi_match_add_procs(nprocs, procs);
}

static int del_procs(struct mca_mtl_base_module_t *mtl, size_t nprocs, struct ompi_proc_t **procs)
{
    (void)mtl;
    return ompi_match_del_procs(nprocs, procs);
}

static int finalize(struct mca_mtl_base_module_t *mtl)
{
    (void)mtl;
    ompi_match_close();
    return OMPI_SUCCESS;
}

static int iprobe(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm, int source,
                  int tag, int *flag, struct ompi_status_public_t *status)
{
    (void)mtl;
    return ompi_match_iprobe(comm, source, tag, flag, status);
}

static int improbe(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm, int source,
                   int tag, int *matched, struct ompi_message_t **message,
                   struct ompi_status_public_t *status)
{
    (void)mtl;
    return ompi_match_improbe(comm, source, tag, matched, message, status);
}

/* The context is part of the match bits; there is nothing else to keep. */
static int add_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm)
{
    (void)mtl;
    (void)comm;
    return OMPI_SUCCESS;
}

static int del_comm(struct mca_mtl_base_module_t *mtl, struct ompi_communicator_t *comm)
{
    (void)mtl;
    return ompi_match_del_comm(comm);
}

mca_mtl_base_module_t ompi_mtl_match = {
    .mtl_max_contextid = INT_MAX,
    .mtl_max_tag = INT_MAX,
    .mtl_request_size = sizeof(struct ompi_mtl_match_request) - sizeof(struct mca_mtl_request_t),
    .mtl_add_procs = add_procs,
    .mtl_del_procs = del_procs,
    .mtl_finalize = finalize,
    .mtl_send = ompi_mtl_match_send,
    .mtl_isend = ompi_mtl_match_isend,
    .mtl_irecv = ompi_mtl_match_irecv,
    .mtl_iprobe = iprobe,
    .mtl_imrecv = ompi_mtl_match_imrecv,
    .mtl_improbe = improbe,
    .mtl_cancel = ompi_mtl_match_cancel,
    .mtl_add_comm = add_comm,
    .mtl_del_comm = del_comm,
};

/* pml cm places a request behind its own part without looking at alignment. */
_Static_assert(_Alignof(struct ompi_mtl_match_request) <= sizeof(void *),
               "the request needs no more than the alignment of a pointer");

static struct ompi_communicator_t *comm_of(const void *user_ptr)
{
    return ((const struct ompi_mtl_match_request *)user_ptr)->comm;
}

const struct ompi_match_calls ompi_mtl_match_calls = {
    .on_sent = ompi_mtl_match_on_sent,
    .on_received = ompi_mtl_match_on_received,
    .comm_of = comm_of,
};
