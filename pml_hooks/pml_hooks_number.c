/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the PML while recording is off. Nothing is counted and no time is taken, but
 * messages of each peer are numbered all the same: by their numbers the records of both sides are
 * compared, and the other side may be recording, or this one again while the message is under way.
 */
#include "pml_hooks/pml_hooks_follow.h"

enum { NO_TIME = 0 };

void pml_hooks_number_send(struct record_peer *peer, int tag, uint32_t context)
{
    (void)record_announce_send(record_threads, peer, tag, context, NO_TIME);
}

void pml_hooks_number_post(struct record_peer *peer, int tag, uint32_t context)
{
    pml_hooks_announce_receive(record_threads, peer, tag, context, NO_TIME);
}

/* ---- received ---------------------------------------------------------------------------------
 */

static void number_received(struct ompi_communicator_t *comm, const ompi_status_public_t *status,
                            int rc)
{
    if (status->_cancelled == 0 && (rc == MPI_SUCCESS || rc == MPI_ERR_TRUNCATE)) {
        record_number_receive(record_threads,
                              pml_hooks_peer_at(record_threads, comm, status->MPI_SOURCE),
                              pml_hooks_received_tag(status), ompi_glue_comm_id(comm));
    }
}

/* The callback of a receive that began while recording was off. Open MPI may call twice, where it
 * completes while the callback is being set. */
static int ended(ompi_request_t *request)
{
    struct ompi_communicator_t *comm =
        __atomic_exchange_n(&request->req_complete_cb_data, NULL, __ATOMIC_ACQ_REL);

    if (comm != NULL) {
        number_received(comm, &request->req_status, request->req_status.MPI_ERROR);
    }
    return 0;
}

void pml_hooks_number_receive(ompi_request_t *request, struct ompi_communicator_t *comm)
{
    if (REQUEST_COMPLETE(request)) {
        number_received(comm, &request->req_status, request->req_status.MPI_ERROR);
    } else if (request->req_complete_cb == NULL) {
        (void)ompi_request_set_callback(request, ended, comm);
    }
}

/* ---- the functions ----------------------------------------------------------------------------
 */

static int number_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                        int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                        struct ompi_request_t **request)
{
    pml_hooks_number_send(pml_hooks_peer_at(record_threads, comm, peer), tag,
                          ompi_glue_comm_id(comm));
    return pml_hooks_below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
}

static int number_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    pml_hooks_number_send(pml_hooks_peer_at(record_threads, comm, peer), tag,
                          ompi_glue_comm_id(comm));
    return pml_hooks_below.pml_send(buffer, count, type, peer, tag, mode, comm);
}

static void number_named(struct ompi_communicator_t *comm, int peer, int tag)
{
    if (peer != MPI_ANY_SOURCE) {
        pml_hooks_number_post(pml_hooks_peer_at(record_threads, comm, peer), tag,
                              ompi_glue_comm_id(comm));
    }
}

static int number_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                        struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    int rc;

    number_named(comm, peer, tag);
    rc = pml_hooks_below.pml_irecv(buffer, count, type, peer, tag, comm, request);
    if (rc == OMPI_SUCCESS) {
        pml_hooks_number_receive(*request, comm);
    }
    return rc;
}

static int number_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                       struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    ompi_status_public_t own = {0};
    int rc;

    number_named(comm, peer, tag);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = pml_hooks_below.pml_recv(buffer, count, type, peer, tag, comm, status);
    number_received(comm, status, rc);
    return rc;
}

static int number_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_message_t **message, struct ompi_request_t **request)
{
    struct ompi_communicator_t *comm = (*message)->comm;
    int rc = pml_hooks_below.pml_imrecv(buffer, count, type, message, request);

    if (rc == OMPI_SUCCESS) {
        pml_hooks_number_receive(*request, comm);
    }
    return rc;
}

static int number_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                        struct ompi_message_t **message, ompi_status_public_t *status)
{
    struct ompi_communicator_t *comm = (*message)->comm;
    ompi_status_public_t own = {0};
    int rc;

    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = pml_hooks_below.pml_mrecv(buffer, count, type, message, status);
    number_received(comm, status, rc);
    return rc;
}

/* Probes pass by us. */
void pml_hooks_number_install(mca_pml_base_module_t *module)
{
    pml_hooks_pass_install(
        module); /* what concerns communicators and requests that are used again */
    module->pml_isend = number_isend;
    module->pml_send = number_send;
    module->pml_irecv = number_irecv;
    module->pml_recv = number_recv;
    module->pml_imrecv = number_imrecv;
    module->pml_mrecv = number_mrecv;
    module->pml_iprobe = pml_hooks_below.pml_iprobe;
    module->pml_probe = pml_hooks_below.pml_probe;
    module->pml_improbe = pml_hooks_below.pml_improbe;
    module->pml_mprobe = pml_hooks_below.pml_mprobe;
}
