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

static __attribute__((noinline)) int isend_any(const void *buffer, size_t count,
                                               struct ompi_datatype_t *type, int peer, int tag,
                                               mca_pml_base_send_mode_t mode,
                                               struct ompi_communicator_t *comm,
                                               struct ompi_request_t **request)
{
    return isend_by(false, buffer, count, type, peer, tag, mode, comm, request);
}

/* A send that was begun at `now`, and is not over, or failed. */
static __attribute__((noinline)) int isend_rest(struct record_peer *entry, uint64_t number, int tag,
                                                struct ompi_communicator_t *comm, uint64_t bytes,
                                                uint64_t now, ompi_request_t **request, int rc)
{
    if (rc == OMPI_SUCCESS) {
        pml_hooks_follow_request(
            false, pml_hooks_follow_begin_send(false, entry, number, tag, comm, bytes, false, now),
            *request, RECORD_PENDING_SEND);
    }
    return rc;
}

/* The same for a send as most are, which is over when the PML returns. */
static int pass_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                      int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                      struct ompi_request_t **request)
{
    uint64_t bytes = pml_hooks_bytes(count, type), now = record_stamp();
    uint32_t context = ompi_glue_comm_id(comm);
    struct record_head *head = record_own.head;
    struct record_peer *entry;
    uint64_t number;
    int rc;

    if (__builtin_expect(tag < 0 || !pml_hooks_peer_known(false, comm, peer, &entry) ||
                             now >= record_slice_end ||
                             record_widens(entry->sent_smallest, entry->sent_largest, bytes),
                         0)) {
        return isend_any(buffer, count, type, peer, tag, mode, comm, request);
    }
    number = record_announce_send(false, entry, tag, context, now);
    head->sends[mode]++;
    head->sends_nonblocking++;
    head->last_event = now;
    record_count_send_of(false, head, RECORD_CLASS_USER, entry, bytes);
    rc = pml_hooks_below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);
    if (__builtin_expect(rc != OMPI_SUCCESS || !REQUEST_COMPLETE(*request), 0)) {
        return isend_rest(entry, number, tag, comm, bytes, now, request, rc);
    }
    record_own.head->completed++;
    return OMPI_SUCCESS;
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
        pml_hooks_count_send_wait(entry, number, tag, context, bytes, begin, end);
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
                             record_calls_of(head)->depth != 0 || now >= record_slice_end ||
                             record_widens(entry->sent_smallest, entry->sent_largest, bytes),
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

/* ---- exchange ---------------------------------------------------------------------------------
 */

/* Those that are called for each message stand there twice: the second for programs with threads.
 */
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

void pml_hooks_pass_install(mca_pml_base_module_t *module)
{
    module->pml_del_comm = pass_del_comm;
    module->pml_isend_init = pass_isend_init;
    module->pml_isend = record_threads ? pass_isend_of_threads : pass_isend;
    module->pml_send = record_threads ? pass_send_of_threads : pass_send;
    module->pml_start = pml_hooks_persistent_start;
    pml_hooks_receives_install(module);
}
