/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that are used again. MPI_Start calls the function that the PML has put into the request,
 * not that of the PML's table: it is exchanged in each request when that is made. */
#include "opal/class/opal_hash_table.h"
#include "record/clock.h"
#include "pml_hooks/pml_hooks_follow.h"

struct persistent {
    struct record_peer *peer; /* NULL: any source */
    struct ompi_communicator_t *comm;
    uint64_t bytes;
    int rank, tag; /* the peer's rank in the communicator */
    mca_pml_base_send_mode_t mode;
    bool is_send;
};

static opal_mutex_t table_lock = OPAL_MUTEX_STATIC_INIT;
static opal_hash_table_t table; /* struct persistent by the request's address */
static bool table_made;

/* What is known of a request, a new entry if `add`; NULL if there is none. */
static struct persistent *find(const ompi_request_t *request, bool add)
{
    void *found = NULL;

    OPAL_THREAD_LOCK(&table_lock);
    if (!table_made) {
        OBJ_CONSTRUCT(&table, opal_hash_table_t);
        table_made = opal_hash_table_init(&table, 64) == OPAL_SUCCESS;
    }
    if (table_made) {
        (void)opal_hash_table_get_value_uint64(&table, (uintptr_t)request, &found);
    }
    if (table_made && found == NULL && add) {
        found = calloc(1, sizeof(struct persistent));
        if (found != NULL &&
            opal_hash_table_set_value_uint64(&table, (uintptr_t)request, found) != OPAL_SUCCESS) {
            free(found);
            found = NULL;
        }
    }
    OPAL_THREAD_UNLOCK(&table_lock);
    return found;
}

static void remember(ompi_request_t *request, const struct persistent *what)
{
    struct persistent *entry = find(request, true);

    if (entry != NULL) {
        *entry = *what;
        request->req_start = pml_hooks_persistent_start;
    }
}

void pml_hooks_persistent_send(ompi_request_t *request, int peer, int tag,
                               mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                               uint64_t bytes)
{
    remember(request, &(struct persistent){pml_hooks_peer_of(comm, peer), comm, bytes, peer, tag,
                                           mode, true});
}

void pml_hooks_persistent_receive(ompi_request_t *request, int peer, int tag,
                                  struct ompi_communicator_t *comm, uint64_t bytes)
{
    remember(request,
             &(struct persistent){peer == MPI_ANY_SOURCE ? NULL : pml_hooks_peer_of(comm, peer),
                                  comm, bytes, peer, tag, MCA_PML_BASE_SEND_STANDARD, false});
}

bool pml_hooks_persistent_of(const ompi_request_t *request, struct ompi_communicator_t **comm,
                             int *peer, int *tag, bool *is_send)
{
    const struct persistent *found = find(request, false);

    if (found != NULL) {
        *comm = found->comm;
        *peer = found->rank;
        *tag = found->tag;
        *is_send = found->is_send;
    }
    return found != NULL;
}

/* It is about to be started: count it, and have it followed by what is returned, or NULL. */
static struct pml_hooks_follow *before(const struct persistent *what, uint64_t now)
{
    struct record_head *head = record_own.head;
    uint32_t context = ompi_glue_comm_id(what->comm);

    if (what->is_send) {
        uint64_t number = pml_hooks_count_send(what->peer, what->tag, context, what->bytes, now);

        pml_hooks_count_mode(what->mode);
        record_add(&head->sends_persistent, 1);
        return pml_hooks_follow_begin_send(record_threads, what->peer, number, what->tag,
                                           what->comm, what->bytes, true, now);
    }
    record_add(&head->receives_persistent, 1);
    if (what->peer != NULL) {
        pml_hooks_announce_receive(record_threads, what->peer, what->tag, context, now);
    }
    return pml_hooks_follow_begin(record_threads, what->peer, what->tag, what->comm, what->bytes,
                                  true, now);
}

/* The same while recording is off. */
static void number_before(const struct persistent *what)
{
    uint32_t context = ompi_glue_comm_id(what->comm);

    if (what->is_send) {
        pml_hooks_number_send(what->peer, what->tag, context);
    } else if (what->peer != NULL) {
        pml_hooks_number_post(what->peer, what->tag, context);
    }
}

/* It has been started. */
static void after(const struct persistent *what, struct pml_hooks_follow *follow, bool recorded,
                  ompi_request_t *request)
{
    if (what->is_send) {
        if (recorded) {
            pml_hooks_follow_send(record_threads, follow, request);
        }
    } else if (recorded) {
        pml_hooks_follow_receive(record_threads, follow, request);
    } else {
        pml_hooks_number_receive(request, what->comm);
    }
}

/* One request. The PML may put another one in its place. */
static int start_one(ompi_request_t **request)
{
    bool recorded = pml_hooks_recording();
    const struct persistent *found = find(*request, false);
    ompi_request_t *old = *request;
    struct pml_hooks_follow *follow = NULL;
    struct persistent what;
    int rc;

    if (found == NULL) {
        return pml_hooks_below.pml_start(1, request);
    }
    what = *found;
    if (recorded) {
        follow = before(&what, record_stamp());
    } else {
        number_before(&what);
    }
    rc = pml_hooks_below.pml_start(1, request);
    if (rc != OMPI_SUCCESS) {
        pml_hooks_follow_drop(follow, false);
        return rc;
    }
    if (*request != old) {
        remember(*request, &what);
    }
    after(&what, follow, recorded, *request);
    return OMPI_SUCCESS;
}

int pml_hooks_persistent_start(size_t count, ompi_request_t **requests)
{
    if (!pml_hooks_installed()) {
        return pml_hooks_below.pml_start(count, requests);
    }
    for (size_t i = 0; i < count; i++) {
        int rc = OMPI_SUCCESS;

        if (requests[i] != NULL && requests[i]->req_type == OMPI_REQUEST_PML) {
            rc = start_one(&requests[i]);
        }
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    return OMPI_SUCCESS;
}
