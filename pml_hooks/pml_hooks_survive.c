/* SPDX-License-Identifier: BSD-3-Clause */
/* Over pml ob1: operations that wait for the dead end with an error. */
#include "pml_hooks/pml_hooks_survive.h"

#include <string.h>

#include "opal/runtime/opal_progress.h"
#include "record/clock.h"

/* How long after the news of a death what has no message is taken back, and the rest given up. */
#define SETTLED_NS UINT64_C(200000000)
#define DRAINED_NS UINT64_C(1000000000)
#define PERIOD_NS  UINT64_C(20000000) /* of looking through what waits */
/* Calls of our progress function, and of Open MPI's, which calls it in one of eight. */
enum { SETTLED_CALLS = 32, PROBE_CALLS = 8 * (SETTLED_CALLS + 2) };

static mca_pml_base_module_t below;
static bool installed;

/* Of all that ends requests: a callback that is called then may come back here. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* ---- for whom it waits ------------------------------------------------------------------------
 */

static const struct pml_hooks_dead *dead_peer(struct ompi_communicator_t *comm, int peer)
{
    return pml_hooks_dead_find(ompi_glue_peer_name(comm, peer));
}

static bool is_member(struct ompi_communicator_t *comm, opal_process_name_t name)
{
    for (int rank = 0; rank < ompi_group_size(comm->c_remote_group); rank++) {
        opal_process_name_t member = ompi_glue_peer_name(comm, rank);

        if (member.jobid == name.jobid && member.vpid == name.vpid) {
            return true;
        }
    }
    return false;
}

/* One that has died since an operation with any source began, which is told of it; one that begins
 * later is for those who live. */
static const struct pml_hooks_dead *dead_member(struct ompi_communicator_t *comm, uint64_t since)
{
    uint32_t count = pml_hooks_dead_count();

    for (uint32_t i = 0; i < count; i++) {
        const struct pml_hooks_dead *dead = pml_hooks_dead_at(i);

        if (since < dead->known_stamp && is_member(comm, dead->name)) {
            return dead;
        }
    }
    return NULL;
}

/* Whom a receive from any source waits for: as soon as it has a message, its sender. */
static const struct pml_hooks_dead *dead_sender(const ompi_request_t *request,
                                                struct ompi_communicator_t *comm, uint64_t since)
{
    int source = __atomic_load_n(&request->req_status.MPI_SOURCE, __ATOMIC_RELAXED);

    return source == MPI_ANY_SOURCE ? dead_member(comm, since) : dead_peer(comm, source);
}

/* ---- the end of what waits --------------------------------------------------------------------
 */

/* Whom an operation waits for, as far as that is known to be dead. */
static const struct pml_hooks_dead *dead_of(const struct pml_hooks_under_way *what)
{
    return what->peer == MPI_ANY_SOURCE ? dead_sender(what->request, what->comm, what->since)
                                        : dead_peer(what->comm, what->peer);
}

/* One that is to end. It stays there while it is looked at: who frees it takes it out first. */
static bool is_to_end(const struct pml_hooks_under_way *what)
{
    return !REQUEST_COMPLETE(what->request) && pml_hooks_dead_age(dead_of(what)) >= SETTLED_NS;
}

static void end_one(const struct pml_hooks_under_way *what)
{
    bool is_send = what->is_send;
    bool matched =
        __atomic_load_n(&what->request->req_status.MPI_SOURCE, __ATOMIC_RELAXED) != MPI_ANY_SOURCE;

    pml_hooks_end_request(what->request, is_send,
                          pml_hooks_dead_age(dead_of(what)) >= DRAINED_NS && (is_send || matched));
}

/* How often progress has been made since the last news of a death: what the dead have sent is taken
 * by that alone, however much time passes. */
static unsigned calls;
static uint32_t counted; /* of how many deaths */

static bool is_settled(void)
{
    return __atomic_load_n(&counted, __ATOMIC_RELAXED) == pml_hooks_dead_count() &&
           __atomic_load_n(&calls, __ATOMIC_RELAXED) >= SETTLED_CALLS;
}

static void count_call(void)
{
    uint32_t count = pml_hooks_dead_count();

    if (counted != count) {
        __atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&counted, count, __ATOMIC_RELAXED);
    } else if (calls < SETTLED_CALLS) {
        __atomic_store_n(&calls, calls + 1, __ATOMIC_RELAXED);
    }
}

/* Open MPI calls this when it makes progress, now and then. */
static int progress(void)
{
    static uint64_t last;
    static bool inside; /* a callback makes progress */

    pml_hooks_btl_look();
    if ((pml_hooks_dead_count() == 0 && !pml_hooks_dead_news()) ||
        pthread_mutex_trylock(&lock) != 0) {
        return 0;
    }
    if (!inside) {
        inside = true;
        pml_hooks_dead_look();
        count_call();
        if (is_settled() && record_clock() - last >= PERIOD_NS) {
            last = record_clock();
            pml_hooks_under_way_each(is_to_end, end_one);
            pml_hooks_end_lost(DRAINED_NS);
        }
        inside = false;
    }
    (void)pthread_mutex_unlock(&lock);
    return 0;
}

/* ---- calls ------------------------------------------------------------------------------------
 */

/* Wait for a request of a blocking call, and free it. */
static int wait_for(ompi_request_t *request, ompi_status_public_t *status)
{
    int rc;

    ompi_request_wait_completion(request);
    rc = request->req_status.MPI_ERROR;
    if (status != MPI_STATUS_IGNORE) {
        *status = request->req_status;
    }
    (void)ompi_request_free(&request);
    return rc;
}

static bool is_dead(struct ompi_communicator_t *comm, int peer)
{
    return pml_hooks_dead_count() > 0 && dead_peer(comm, peer) != NULL;
}

/* What a call that has begun an operation returns: that is to end with its peer from now on. */
static int begun(int rc, ompi_request_t **request, struct ompi_communicator_t *comm, int peer,
                 bool is_send)
{
    if (rc == OMPI_SUCCESS && ((*request)->req_persistent || !REQUEST_COMPLETE(*request))) {
        pml_hooks_under_way_add(&(struct pml_hooks_under_way){
            .request = *request,
            .comm = comm,
            .peer = peer,
            .is_send = is_send,
            .since = record_stamp(),
        });
    }
    return rc;
}

static int survive_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                         int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                         struct ompi_request_t **request)
{
    int rc = is_dead(comm, peer)
                 ? MPI_ERR_OTHER
                 : below.pml_isend(buffer, count, type, peer, tag, mode, comm, request);

    return begun(rc, request, comm, peer, true);
}

static int survive_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *type,
                              int peer, int tag, mca_pml_base_send_mode_t mode,
                              struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    int rc = below.pml_isend_init(buffer, count, type, peer, tag, mode, comm, request);

    return begun(rc, request, comm, peer, true);
}

static int survive_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                        int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    ompi_request_t *request;
    int rc = survive_isend(buffer, count, type, peer, tag, mode, comm, &request);

    return rc == OMPI_SUCCESS ? wait_for(request, MPI_STATUS_IGNORE) : rc;
}

static int survive_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                         int tag, struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    int rc = below.pml_irecv(buffer, count, type, peer, tag, comm, request);

    return begun(rc, request, comm, peer, false);
}

static int survive_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                              int tag, struct ompi_communicator_t *comm,
                              struct ompi_request_t **request)
{
    int rc = below.pml_irecv_init(buffer, count, type, peer, tag, comm, request);

    return begun(rc, request, comm, peer, false);
}

static int survive_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                        struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    ompi_request_t *request;
    int rc = survive_irecv(buffer, count, type, peer, tag, comm, &request);

    return rc == OMPI_SUCCESS ? wait_for(request, status) : rc;
}

static int survive_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                          struct ompi_message_t **message, struct ompi_request_t **request)
{
    struct ompi_communicator_t *comm = (*message)->comm;
    int peer = (*message)->peer;
    int rc = below.pml_imrecv(buffer, count, type, message, request);

    return begun(rc, request, comm, peer, false);
}

static int survive_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_message_t **message, ompi_status_public_t *status)
{
    ompi_request_t *request;
    int rc = survive_imrecv(buffer, count, type, message, &request);

    return rc == OMPI_SUCCESS ? wait_for(request, status) : rc;
}

/* Whether a probe that has found nothing since it began finds nothing any more, when enough
 * progress has been made, which is made here if need be. */
static bool in_vain(struct ompi_communicator_t *comm, int peer, uint64_t since)
{
    if (pml_hooks_dead_count() == 0 ||
        pml_hooks_dead_age(peer == MPI_ANY_SOURCE ? dead_member(comm, since)
                                                  : dead_peer(comm, peer)) < SETTLED_NS) {
        return false;
    }
    for (unsigned i = 0; i < PROBE_CALLS && !is_settled(); i++) {
        opal_progress();
    }
    return is_settled();
}

static int survive_iprobe(int peer, int tag, struct ompi_communicator_t *comm, int *matched,
                          ompi_status_public_t *status)
{
    int rc = below.pml_iprobe(peer, tag, comm, matched, status);

    if (rc == OMPI_SUCCESS && *matched == 0 && in_vain(comm, peer, record_stamp())) {
        rc = below.pml_iprobe(peer, tag, comm, matched, status);
        return rc == OMPI_SUCCESS && *matched == 0 ? MPI_ERR_OTHER : rc;
    }
    return rc;
}

static int survive_improbe(int peer, int tag, struct ompi_communicator_t *comm, int *matched,
                           struct ompi_message_t **message, ompi_status_public_t *status)
{
    int rc = below.pml_improbe(peer, tag, comm, matched, message, status);

    if (rc == OMPI_SUCCESS && *matched == 0 && in_vain(comm, peer, record_stamp())) {
        rc = below.pml_improbe(peer, tag, comm, matched, message, status);
        return rc == OMPI_SUCCESS && *matched == 0 ? MPI_ERR_OTHER : rc;
    }
    return rc;
}

static int survive_probe(int peer, int tag, struct ompi_communicator_t *comm,
                         ompi_status_public_t *status)
{
    uint64_t since = record_stamp();
    int matched = 0, rc;
    bool last = false;

    while ((rc = below.pml_iprobe(peer, tag, comm, &matched, status)) == OMPI_SUCCESS &&
           matched == 0) {
        if (last) {
            return MPI_ERR_OTHER;
        }
        opal_progress();
        last = in_vain(comm, peer, since);
    }
    return rc;
}

static int survive_mprobe(int peer, int tag, struct ompi_communicator_t *comm,
                          struct ompi_message_t **message, ompi_status_public_t *status)
{
    uint64_t since = record_stamp();
    int matched = 0, rc;
    bool last = false;

    while ((rc = below.pml_improbe(peer, tag, comm, &matched, message, status)) == OMPI_SUCCESS &&
           matched == 0) {
        if (last) {
            return MPI_ERR_OTHER;
        }
        opal_progress();
        last = in_vain(comm, peer, since);
    }
    return rc;
}

/* The PML may put another request in the place of one that it keeps, which it frees by itself, at
 * any time. */
static int survive_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        struct pml_hooks_under_way what;
        bool followed;
        int rc;

        pml_hooks_end_forget(requests[i]);
        followed = pml_hooks_under_way_take(requests[i], &what);
        rc = below.pml_start(1, &requests[i]);
        if (followed) {
            what.request = requests[i];
            pml_hooks_under_way_add(&what);
        }
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    return OMPI_SUCCESS;
}

bool pml_hooks_survives(void)
{
    return installed;
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

void pml_hooks_survive_install(mca_pml_base_module_t *module)
{
    if (!pml_hooks_params.survive ||
        strcmp(mca_pml_base_selected_component.pmlm_version.mca_component_name, "ob1") != 0 ||
        opal_progress_register_lp(progress) != OPAL_SUCCESS) {
        return;
    }
    installed = true;
    below = *module;
    module->pml_isend_init = survive_isend_init;
    module->pml_isend = survive_isend;
    module->pml_send = survive_send;
    module->pml_irecv_init = survive_irecv_init;
    module->pml_irecv = survive_irecv;
    module->pml_recv = survive_recv;
    module->pml_imrecv = survive_imrecv;
    module->pml_mrecv = survive_mrecv;
    module->pml_iprobe = survive_iprobe;
    module->pml_improbe = survive_improbe;
    module->pml_probe = survive_probe;
    module->pml_mprobe = survive_mprobe;
    module->pml_start = survive_start;
    pml_hooks_btl_install();
    pml_hooks_arrivals_install();
}

void pml_hooks_survive_end(void)
{
    if (installed) {
        installed = false;
        (void)opal_progress_unregister(progress);
        pml_hooks_btl_remove();
        pml_hooks_arrivals_remove();
    }
}
