/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the PML: each passes the call on and has it counted. */
#include "record/clock.h"
#include "pml_hooks/pml_hooks_ask.h"
#include "pml_hooks/pml_hooks_follow.h"

mca_pml_base_module_t pml_hooks_below;
ompi_request_fns_t pml_hooks_requests_below;

/* Sends of up to this many bytes are not taken for waits: the PML sends them at once. */
enum { SENT_AT_ONCE = 4096 };

static int pass_del_comm(struct ompi_communicator_t *comm)
{
    pml_hooks_peers_forget();
    return pml_hooks_below.pml_del_comm(comm);
}

/* ---- sends ------------------------------------------------------------------------------------
 */

static int pass_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                           int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                           struct ompi_request_t **request)
{
    int rc = pml_hooks_below.pml_isend_init(buffer, count, type, peer, tag, mode, comm, request);

    if (rc == OMPI_SUCCESS) {
        pml_hooks_persistent_send(*request, peer, tag, mode, comm, pml_hooks_bytes(count, type));
    }
    return rc;
}

PML_HOOKS_INLINE int isend_by(bool threads, const void *buffer, size_t count,
                              struct ompi_datatype_t *type, int peer, int tag,
                              mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                              struct ompi_request_t **request)
{
    uint64_t now = record_stamp(), bytes = pml_hooks_bytes(count, type);
    struct record_peer *entry = pml_hooks_peer_at(threads, comm, peer);
    struct record_head *head = record_own.head;
    struct pml_hooks_follow *follow;
    uint64_t number;
    int rc;

    record_add_by(threads, &head->sends[mode], 1);
    record_add_by(threads, &head->sends_nonblocking, 1);
    number =
        pml_hooks_count_send_by(threads, head, entry, tag, ompi_glue_comm_id(comm), bytes, now);
    follow = pml_hooks_follow_begin_send(threads, entry, number, tag, comm, bytes, false, now);
    rc = pml_hooks_below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
    if (rc == OMPI_SUCCESS) {
        pml_hooks_follow_send(threads, follow, *request);
    } else {
        pml_hooks_follow_drop(follow, false);
    }
    return rc;
}

PML_HOOKS_INLINE int send_by(bool threads, const void *buffer, size_t count,
                             struct ompi_datatype_t *type, int peer, int tag,
                             mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    uint64_t begin = record_stamp(), end = begin, bytes = pml_hooks_bytes(count, type);
    struct record_peer *entry = pml_hooks_peer_at(threads, comm, peer);
    struct record_head *head = record_own.head;
    uint32_t context = ompi_glue_comm_id(comm);
    struct record_call_entry *call;
    uint64_t number;
    int rc;

    record_add_by(threads, &head->sends[mode], 1);
    record_add_by(threads, &head->sends_blocking, 1);
    number = pml_hooks_count_send_by(threads, head, entry, tag, context, bytes, begin);
    call = record_call_enter_by(threads, RECORD_SEND, entry, tag, context, bytes, 0, begin);
    rc = pml_hooks_below.pml_send(buffer, count, type, peer, tag, mode, comm);
    if (bytes > SENT_AT_ONCE || mode == MCA_PML_BASE_SEND_SYNCHRONOUS) {
        end = record_stamp();
        record_add_by(threads, &head->wait_ticks, end - begin);
        pml_hooks_count_send_wait(entry, number, tag, context, begin, end);
    } else if (pml_hooks_ask_polls) {
        pml_hooks_ask_poll();
    }
    record_add_by(threads, rc == OMPI_SUCCESS ? &head->completed : &head->failed, 1);
    record_call_leave(call, end);
    if (__builtin_expect(rc != OMPI_SUCCESS, 0)) {
        record_call_failed(call);
    }
    return rc;
}

static __attribute__((noinline)) int send_any(const void *buffer, size_t count,
                                              struct ompi_datatype_t *type, int peer, int tag,
                                              mca_pml_base_send_mode_t mode,
                                              struct ompi_communicator_t *comm)
{
    return send_by(false, buffer, count, type, peer, tag, mode, comm);
}

/* The same for a send as most are, which has one time: the PML sends it at once. What calls would
 * have registers saved. */
static int pass_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                     int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    uint64_t bytes = pml_hooks_bytes(count, type), now = record_stamp();
    uint32_t context = ompi_glue_comm_id(comm);
    struct record_head *head = record_own.head;
    struct record_peer *entry;
    int rc;

    if (__builtin_expect(tag < 0, 0)) {
        return send_any(buffer, count, type, peer, tag, mode, comm);
    }
    if (__builtin_expect(!pml_hooks_peer_known(false, comm, peer, &entry) || bytes > SENT_AT_ONCE ||
                             mode == MCA_PML_BASE_SEND_SYNCHRONOUS ||
                             record_calls_of(head)->depth != 0 || now >= record_slice_end,
                         0)) {
        return send_any(buffer, count, type, peer, tag, mode, comm);
    }
    record_call_begin(record_calls_of(head), RECORD_SEND, entry, tag, context, bytes, 0, now);
    (void)record_announce_send(false, entry, tag, context, now);
    head->last_event = now;
    head->sends[mode]++;
    rc = pml_hooks_below.pml_send(buffer, count, type, peer, tag, mode, comm);
    head = record_own.head;
    head->sends_blocking++;
    record_count_send_of(false, head, RECORD_CLASS_USER, entry, bytes);
    record_calls_of(head)->depth = 0;
    if (__builtin_expect(rc != OMPI_SUCCESS, 0)) {
        head->failed++;
        record_call_failed(record_calls_of(head));
        return rc;
    }
    head->completed++;
    return OMPI_SUCCESS;
}

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
    follow->request->req_complete_cb = pml_hooks_ended;
    return OMPI_SUCCESS;
}

/* A blocking receive has ended: count what came and how long that took. */
PML_HOOKS_INLINE void end_blocking(bool threads, struct record_peer *named,
                                   struct ompi_communicator_t *comm, int rc,
                                   const ompi_status_public_t *status, uint64_t begin,
                                   struct record_call_entry *call)
{
    struct record_head *head = record_own.head;
    struct record_peer *entry = named;
    uint64_t end = record_stamp();

    record_add_by(threads, &head->receives_blocking, 1);
    record_add_by(threads, &head->wait_ticks, end - begin);
    if (rc == OMPI_SUCCESS || rc == MPI_ERR_TRUNCATE) {
        if (__builtin_expect(entry == NULL, 0)) {
            entry = pml_hooks_peer_of(comm, status->MPI_SOURCE);
        }
        pml_hooks_count_receive_by(threads, head, entry, pml_hooks_received_tag(status),
                                   ompi_glue_comm_id(comm), status->_ucount, named == NULL, end);
        pml_hooks_count_receive_wait_by(threads, entry, pml_hooks_received_tag(status),
                                        ompi_glue_comm_id(comm), begin, end);
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
    end_blocking(threads, entry, comm, rc, status, begin, call);
    return rc;
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
    end_blocking(record_threads, entry, comm, rc, status, begin, call);
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
static int pass_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                      int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                      struct ompi_request_t **request)
{
    return isend_by(false, buffer, count, type, peer, tag, mode, comm, request);
}

static int pass_isend_of_threads(const void *buffer, size_t count, struct ompi_datatype_t *type,
                                 int peer, int tag, mca_pml_base_send_mode_t mode,
                                 struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    return isend_by(true, buffer, count, type, peer, tag, mode, comm, request);
}

static int pass_send_of_threads(const void *buffer, size_t count, struct ompi_datatype_t *type,
                                int peer, int tag, mca_pml_base_send_mode_t mode,
                                struct ompi_communicator_t *comm)
{
    return send_by(true, buffer, count, type, peer, tag, mode, comm);
}

static int pass_irecv_of_threads(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                                 int tag, struct ompi_communicator_t *comm,
                                 struct ompi_request_t **request)
{
    return irecv_by(true, buffer, count, type, peer, tag, comm, request);
}

static int pass_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                     struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    return recv_by(false, buffer, count, type, peer, tag, comm, status);
}

static int pass_recv_of_threads(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                                int tag, struct ompi_communicator_t *comm,
                                ompi_status_public_t *status)
{
    return recv_by(true, buffer, count, type, peer, tag, comm, status);
}

void pml_hooks_pass_install(mca_pml_base_module_t *module)
{
    module->pml_del_comm = pass_del_comm;
    module->pml_irecv_init = pass_irecv_init;
    module->pml_irecv = record_threads ? pass_irecv_of_threads : pass_irecv;
    module->pml_recv = record_threads ? pass_recv_of_threads : pass_recv;
    module->pml_isend_init = pass_isend_init;
    module->pml_isend = record_threads ? pass_isend_of_threads : pass_isend;
    module->pml_send = record_threads ? pass_send_of_threads : pass_send;
    module->pml_iprobe = pass_iprobe;
    module->pml_probe = pass_probe;
    module->pml_start = pml_hooks_persistent_start;
    module->pml_improbe = pass_improbe;
    module->pml_mprobe = pass_mprobe;
    module->pml_imrecv = pass_imrecv;
    module->pml_mrecv = pass_mrecv;
}
