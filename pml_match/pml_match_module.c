/* SPDX-License-Identifier: BSD-3-Clause */
/* The module: function table, and the functions that only forward. */
#include <limits.h>

#include "pml_match/pml_match.h"

/* ---- processes and communicators ------------------------------------------------------------- */

/* Which PML the processes have chosen is not asked for: what they publish says whether they can be
 * talked to, and a rank over pml cm and mtl match can. */
static int add_procs(struct ompi_proc_t **procs, size_t nprocs)
{
    return ompi_match_add_procs(nprocs, procs);
}

static int del_procs(struct ompi_proc_t **procs, size_t nprocs)
{
    return ompi_match_del_procs(nprocs, procs);
}

static int add_comm(struct ompi_communicator_t *comm)
{
    if (ompi_glue_context(comm) > pml_match.pml_max_contextid) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    comm->c_pml_comm = NULL;
    return OMPI_SUCCESS;
}

static int del_comm(struct ompi_communicator_t *comm)
{
    return ompi_match_del_comm(comm);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The module was chosen. */
static int enable(bool on)
{
    if (on) {
        int rc = pml_match_make_requests();

        if (rc != OPAL_SUCCESS) {
            return rc;
        }
        ompi_match_run();
    }
    return OMPI_SUCCESS;
}

static int dump(struct ompi_communicator_t *comm, int verbose)
{
    (void)comm;
    (void)verbose;
    return OMPI_ERR_NOT_IMPLEMENTED;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Progress is registered by enable. */
mca_pml_base_module_t pml_match = {
    .pml_add_procs = add_procs,
    .pml_del_procs = del_procs,
    .pml_enable = enable,
    .pml_add_comm = add_comm,
    .pml_del_comm = del_comm,
    .pml_irecv_init = pml_match_irecv_init,
    .pml_irecv = pml_match_irecv,
    .pml_recv = pml_match_recv,
    .pml_isend_init = pml_match_isend_init,
    .pml_isend = pml_match_isend,
    .pml_send = pml_match_send,
    .pml_iprobe = pml_match_iprobe,
    .pml_probe = pml_match_probe,
    .pml_start = pml_match_start,
    .pml_improbe = pml_match_improbe,
    .pml_mprobe = pml_match_mprobe,
    .pml_imrecv = pml_match_imrecv,
    .pml_mrecv = pml_match_mrecv,
    .pml_dump = dump,
    .pml_max_contextid = INT_MAX,
    .pml_max_tag = INT_MAX,
};

static struct ompi_communicator_t *comm_of(const void *user_ptr)
{
    return ((const struct pml_match_request *)user_ptr)->super.req_comm;
}

const struct ompi_match_calls pml_match_calls = {
    .on_sent = pml_match_on_sent,
    .on_received = pml_match_on_received,
    .comm_of = comm_of,
};
