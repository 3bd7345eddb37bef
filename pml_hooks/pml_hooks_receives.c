/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the PML that receive or probe: each passes the call on and has it counted. */
#include "record/clock.h"
#include "pml_hooks/pml_hooks_follow.h"

/* ---- receives ---------------------------------------------------------------------------------
 */

static int pass_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                           int tag, struct ompi_communicator_t *comm,
                           struct ompi_request_t **request)
{
    int rc = pml_hooks_below.pml_irecv_init(buffer, count, type, peer, tag, comm, request);

    if (rc == OMPI_SUCCESS) {
        pml_hooks_persistent_receive(*request, peer, tag, comm, pml_hooks_bytes(count, type));
    }
    return rc;
}

/* The entry of a receive's source, whose begin is noted; NULL if it is any source. */
PML_HOOKS_INLINE struct record_peer *post(bool threads, struct ompi_communicator_t *comm, int peer,
                                          int tag, uint64_t now)
{
    struct record_peer *entry = NULL;

    if (__builtin_expect(peer != MPI_ANY_SOURCE, 1)) {
        entry = pml_hooks_peer_at(threads, comm, peer);
        pml_hooks_announce_receive(threads, entry, tag, ompi_glue_comm_id(comm), now);
    }
    return entry;
}

PML_HOOKS_INLINE int irecv_by(bool threads, void *buffer, size_t count,
                              struct ompi_datatype_t *type, int peer, int tag,
                              struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    uint64_t now = record_stamp();
    struct record_peer *entry = post(threads, comm, peer, tag, now);
    struct pml_hooks_follow *follow =
        pml_hooks_follow_begin(threads, entry, tag, comm, pml_hooks_bytes(count, type), false, now);
    int rc;

    record_add_by(threads, &record_own.head->receives_nonblocking, 1);
    rc = pml_hooks_below.pml_irecv(buffer, count, type, peer, tag, comm, request);
    if (rc == OMPI_SUCCESS) {
        pml_hooks_follow_receive(threads, follow, *request);
    } else {
        pml_hooks_follow_drop(follow, false);
    }
    return rc;
}

static __attribute__((noinline)) int irecv_any(void *buffer, size_t count,
                                               struct ompi_datatype_t *type, int peer, int tag,
                                               struct ompi_communicator_t *comm,
                                               struct ompi_request_t **request)
{
    return irecv_by(false, buffer, count, type, peer, tag, comm, request);
}

static __attribute__((noinline)) int irecv_rest(struct pml_hooks_follow *follow,
                                                ompi_request_t **request, int rc)
{
    if (rc == OMPI_SUCCESS) {
        pml_hooks_follow_receive(false, follow, *request);
    } else {
        pml_hooks_follow_drop(follow, false);
    }
    return rc;
}

/* The same for a receive as most are. */
static int pass_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                      struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    struct pml_hooks_follow *follow = pml_hooks_first_free;
    uint64_t now = record_stamp();
    uint32_t context = ompi_glue_comm_id(comm);
    struct record_peer *entry;
    int rc;

    if (__builtin_expect(!pml_hooks_peer_known(false, comm, peer, &entry) || follow == NULL ||
                             tag == MPI_ANY_TAG,
                         0)) {
        return irecv_any(buffer, count, type, peer, tag, comm, request);
    }
    pml_hooks_first_free = follow->next_free;
    pml_hooks_announce_receive(false, entry, tag, context, now);
    record_own.head->receives_nonblocking++;
    pml_hooks_follow_fill(follow, entry, tag, comm, context, pml_hooks_bytes(count, type), false,
                          now);
    rc = pml_hooks_below.pml_irecv(buffer, count, type, peer, tag, comm, request);
    if (__builtin_expect(rc != OMPI_SUCCESS || REQUEST_COMPLETE(*request) ||
                             (*request)->req_complete_cb != NULL,
                         0)) {
        return irecv_rest(follow, request, rc);
    }
    follow->request = *request;
    follow->pending->kind = RECORD_PENDING_RECV;
    follow->request->req_complete_cb_data = follow;
    follow->request->req_complete_cb = pml_hooks_received;
    return OMPI_SUCCESS;
}

/* A blocking receive has ended: count what came and how long that took. */
PML_HOOKS_INLINE void end_blocking(bool threads, struct record_peer *named,
                                   struct ompi_communicator_t *comm, int rc,
                                   const ompi_status_public_t *status, uint64_t begin, uint64_t end,
                                   struct record_call_entry *call)
{
    struct record_head *head = record_own.head;
    struct record_peer *entry = named;

    record_add_by(threads, &head->receives_blocking, 1);
    record_add_by(threads, &head->wait_ticks, end - begin);
    if (rc == OMPI_SUCCESS || rc == MPI_ERR_TRUNCATE) {
        if (__builtin_expect(entry == NULL, 0)) {
            entry = pml_hooks_peer_of(comm, status->MPI_SOURCE);
        }
        pml_hooks_count_receive_by(threads, head, entry, pml_hooks_received_tag(status),
                                   ompi_glue_comm_id(comm), status->_ucount, named == NULL, end);
        pml_hooks_count_receive_wait_by(threads, entry, pml_hooks_received_tag(status),
                                        ompi_glue_comm_id(comm), status->_ucount, begin, end);
    }
    record_call_leave(call, end);
    if (__builtin_expect(rc != OMPI_SUCCESS, 0)) {
        record_add(rc == MPI_ERR_TRUNCATE ? &head->receives_truncated : &head->failed, 1);
        record_call_failed(call);
    }
}

PML_HOOKS_INLINE int recv_by(bool threads, void *buffer, size_t count, struct ompi_datatype_t *type,
                             int peer, int tag, struct ompi_communicator_t *comm,
                             ompi_status_public_t *status)
{
    uint64_t begin = record_stamp();
    struct record_peer *entry = post(threads, comm, peer, tag, begin);
    struct record_call_entry *call =
        record_call_enter_by(threads, RECORD_RECV, entry, pml_hooks_named_tag(tag),
                             ompi_glue_comm_id(comm), pml_hooks_bytes(count, type), 0, begin);
    ompi_status_public_t own;
    int rc;

    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = pml_hooks_below.pml_recv(buffer, count, type, peer, tag, comm, status);
    end_blocking(threads, entry, comm, rc, status, begin, record_stamp(), call);
    return rc;
}

static __attribute__((noinline)) int recv_any(void *buffer, size_t count,
                                              struct ompi_datatype_t *type, int peer, int tag,
                                              struct ompi_communicator_t *comm,
                                              ompi_status_public_t *status)
{
    return recv_by(false, buffer, count, type, peer, tag, comm, status);
}

static __attribute__((noinline)) int recv_rest(struct record_peer *entry,
                                               struct ompi_communicator_t *comm, int rc,
                                               const ompi_status_public_t *status, uint64_t begin,
                                               uint64_t end)
{
    end_blocking(false, entry, comm, rc, status, begin, end, record_own.calls);
    return rc;
}

/* The same for a receive as most are, that does not wait long. */
static int pass_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                     struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    uint64_t begin = record_stamp(), end;
    uint32_t context = ompi_glue_comm_id(comm);
    struct record_head *head = record_own.head;
    struct record_peer *entry;
    ompi_status_public_t own;
    int rc;

    if (__builtin_expect(!pml_hooks_peer_known(false, comm, peer, &entry) ||
                             record_calls_of(head)->depth != 0,
                         0)) {
        return recv_any(buffer, count, type, peer, tag, comm, status);
    }
    pml_hooks_announce_receive(false, entry, tag, context, begin);
    record_call_begin(record_calls_of(head), RECORD_RECV, entry, pml_hooks_named_tag(tag), context,
                      pml_hooks_bytes(count, type), 0, begin);
    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = pml_hooks_below.pml_recv(buffer, count, type, peer, tag, comm, status);
    end = record_stamp();
    head = record_own.head;
    if (__builtin_expect(
            rc != OMPI_SUCCESS || end - begin >= RECORD_WORTH_ASKING || end >= record_slice_end ||
                record_widens(entry->received_smallest, entry->received_largest, status->_ucount) ||
                (unsigned)status->MPI_TAG > (unsigned)pml_hooks_below.pml_max_tag,
            0)) {
        return recv_rest(entry, comm, rc, status, begin, end);
    }
    head->receives_blocking++;
    pml_hooks_count_brief_wait(head, entry, end - begin);
    record_count_receive_of(false, head, RECORD_CLASS_USER, entry, status->MPI_TAG, context,
                            status->_ucount, false, end);
    record_call_leave(record_calls_of(head), end);
    return OMPI_SUCCESS;
}

static int pass_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                       struct ompi_message_t **message, struct ompi_request_t **request)
{
    struct ompi_communicator_t *comm = (*message)->comm;
    struct record_peer *entry = pml_hooks_peer_of(comm, (*message)->peer);
    struct pml_hooks_follow *follow =
        pml_hooks_follow_begin(record_threads, entry, MPI_ANY_TAG, comm,
                               pml_hooks_bytes(count, type), false, record_stamp());
    int rc = pml_hooks_below.pml_imrecv(buffer, count, type, message, request);

    record_add(&record_own.head->receives_nonblocking, 1);
    record_add(&record_own.head->receives_matched, 1);
    if (rc == OMPI_SUCCESS) {
        pml_hooks_follow_receive(record_threads, follow, *request);
    } else {
        pml_hooks_follow_drop(follow, false);
    }
    return rc;
}

static int pass_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                      struct ompi_message_t **message, ompi_status_public_t *status)
{
    struct ompi_communicator_t *comm = (*message)->comm;
    struct record_peer *entry = pml_hooks_peer_of(comm, (*message)->peer);
    uint64_t begin = record_stamp();
    struct record_call_entry *call =
        record_call_enter_by(record_threads, RECORD_MRECV, entry, RECORD_ANY,
                             ompi_glue_comm_id(comm), pml_hooks_bytes(count, type), 0, begin);
    ompi_status_public_t own;
    int rc;

    status = status == MPI_STATUS_IGNORE ? &own : status;
    rc = pml_hooks_below.pml_mrecv(buffer, count, type, message, status);
    record_add(&record_own.head->receives_matched, 1);
    end_blocking(record_threads, entry, comm, rc, status, begin, record_stamp(), call);
    return rc;
}

/* ---- probes -----------------------------------------------------------------------------------
 */

static int pass_iprobe(int peer, int tag, struct ompi_communicator_t *comm, int *matched,
                       ompi_status_public_t *status)
{
    record_add(&record_own.head->probes_nonblocking, 1);
    return pml_hooks_below.pml_iprobe(peer, tag, comm, matched, status);
}

static int pass_improbe(int peer, int tag, struct ompi_communicator_t *comm, int *matched,
                        struct ompi_message_t **message, ompi_status_public_t *status)
{
    int rc = pml_hooks_below.pml_improbe(peer, tag, comm, matched, message, status);

    record_add(&record_own.head->probes_nonblocking, 1);
    if (rc == OMPI_SUCCESS && *matched != 0) {
        record_add(&record_own.head->matched_probes, 1);
    }
    return rc;
}

/* Enter a blocking probe. */
static struct record_call_entry *enter_probe(enum record_call kind, int peer, int tag,
                                             struct ompi_communicator_t *comm, uint64_t begin)
{
    const struct record_peer *entry = peer == MPI_ANY_SOURCE ? NULL : pml_hooks_peer_of(comm, peer);

    record_add(&record_own.head->probes, 1);
    return record_call_enter_by(record_threads, kind, entry, pml_hooks_named_tag(tag),
                                ompi_glue_comm_id(comm), 0, 0, begin);
}

/* Leave it: a probe waits for a message as its receive would. */
static void leave_probe(struct record_call_entry *call, uint64_t begin, int rc)
{
    uint64_t end = record_stamp();

    record_add(&record_own.head->wait_ticks, end - begin);
    record_call_leave(call, end);
    if (rc != OMPI_SUCCESS) {
        record_call_failed(call);
    }
}

static int pass_probe(int peer, int tag, struct ompi_communicator_t *comm,
                      ompi_status_public_t *status)
{
    uint64_t begin = record_stamp();
    struct record_call_entry *call = enter_probe(RECORD_PROBE, peer, tag, comm, begin);
    int rc = pml_hooks_below.pml_probe(peer, tag, comm, status);

    leave_probe(call, begin, rc);
    return rc;
}

static int pass_mprobe(int peer, int tag, struct ompi_communicator_t *comm,
                       struct ompi_message_t **message, ompi_status_public_t *status)
{
    uint64_t begin = record_stamp();
    struct record_call_entry *call = enter_probe(RECORD_MPROBE, peer, tag, comm, begin);
    int rc = pml_hooks_below.pml_mprobe(peer, tag, comm, message, status);

    if (rc == OMPI_SUCCESS) {
        record_add(&record_own.head->matched_probes, 1);
    }
    leave_probe(call, begin, rc);
    return rc;
}

/* ---- exchange ---------------------------------------------------------------------------------
 */

/* Those that are called for each message stand there twice: the second for programs with threads.
 */
static int pass_irecv_of_threads(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                                 int tag, struct ompi_communicator_t *comm,
                                 struct ompi_request_t **request)
{
    return irecv_by(true, buffer, count, type, peer, tag, comm, request);
}

static int pass_recv_of_threads(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                                int tag, struct ompi_communicator_t *comm,
                                ompi_status_public_t *status)
{
    return recv_by(true, buffer, count, type, peer, tag, comm, status);
}

void pml_hooks_receives_install(mca_pml_base_module_t *module)
{
    module->pml_irecv_init = pass_irecv_init;
    module->pml_irecv = record_threads ? pass_irecv_of_threads : pass_irecv;
    module->pml_recv = record_threads ? pass_recv_of_threads : pass_recv;
    module->pml_iprobe = pass_iprobe;
    module->pml_probe = pass_probe;
    module->pml_improbe = pass_improbe;
    module->pml_mprobe = pass_mprobe;
    module->pml_imrecv = pass_imrecv;
    module->pml_mrecv = pass_mrecv;
}
