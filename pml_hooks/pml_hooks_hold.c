/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that others overtake. A message that is held back is complete for its sender: it was
 * copied. It goes when so many to other peers have gone, before the next one to its own peer, and
 * as soon as the process makes progress in MPI, so that nobody waits for it who would not have
 * waited.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "opal/datatype/opal_convertor.h"
#include "opal/runtime/opal_progress.h"
#include "record/clock.h"
#include "pml_hooks/pml_hooks_inject.h"

enum { HELD = 16, LONGEST = 65536 };

static struct held {
    struct held *next;
    char *data;
    size_t size;
    struct ompi_communicator_t *comm;
    int peer, tag;
    uint64_t left; /* messages that are to overtake it yet */
    bool overtaken;
    ompi_request_t *request; /* of its send, when it goes */
    struct record_fault fault;
} * first_held, *first_going;

static mca_pml_base_module_t below;
/* Recursive: sending may make progress, which comes here again. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool polling; /* our progress function is among Open MPI's */
static bool sending;

/* Send one, whose place in the list is given; where it fails the error is lost, as it would be for
 * a buffered send. */
static void go(struct held **place)
{
    struct held *held = *place;
    int rc;

    *place = held->next;
    if (held->overtaken) {
        pml_hooks_note_fault(&held->fault);
    }
    sending = true;
    rc = below.pml_isend(held->data, held->size, &ompi_mpi_packed.dt, held->peer, held->tag,
                         MCA_PML_BASE_SEND_STANDARD, held->comm, &held->request);
    sending = false;
    if (rc != OMPI_SUCCESS) {
        free(held);
        return;
    }
    held->next = first_going;
    first_going = held;
}

/* Those whose sends have ended. */
static void collect(void)
{
    struct held **place = &first_going;

    while (*place != NULL) {
        struct held *held = *place;

        if (REQUEST_COMPLETE(held->request)) {
            *place = held->next;
            (void)ompi_request_free(&held->request);
            free(held);
        } else {
            place = &held->next;
        }
    }
}

static int progress(void)
{
    int gone = 0;

    if (pthread_mutex_trylock(&lock) != 0) {
        return 0;
    }
    while (!sending && first_held != NULL) {
        go(&first_held);
        gone++;
    }
    if (!sending && first_going != NULL) {
        collect();
    }
    (void)pthread_mutex_unlock(&lock);
    return gone;
}

void pml_hooks_hold_begin(const mca_pml_base_module_t *module)
{
    below = *module;
}

/* A copy of the message, packed; NULL if there is no memory. */
static struct held *copy(const void *buffer, size_t count, struct ompi_datatype_t *type,
                         struct ompi_communicator_t *comm)
{
    size_t size = count * type->super.size, packed = size;
    struct held *held = malloc(sizeof(*held) + size);
    struct iovec part = {.iov_len = size};
    uint32_t parts = 1;
    opal_convertor_t convertor;

    if (held == NULL) {
        return NULL;
    }
    memset(held, 0, sizeof(*held));
    held->data = (char *)(held + 1);
    held->size = size;
    held->comm = comm;
    part.iov_base = held->data;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void)opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, count,
                                                   buffer, 0, &convertor);
    if (size > 0 && opal_convertor_pack(&convertor, &part, &parts, &packed) < 0) {
        free(held);
        held = NULL;
    }
    OBJ_DESTRUCT(&convertor);
    return held;
}

bool pml_hooks_hold(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                    int tag, struct ompi_communicator_t *comm, uint64_t overtaking,
                    const struct record_fault *fault)
{
    struct held **place = &first_held, *held = NULL;
    unsigned before = 0;

    if (count * type->super.size > LONGEST) {
        return false;
    }
    (void)pthread_mutex_lock(&lock);
    while (*place != NULL) {
        place = &(*place)->next;
        before++;
    }
    if (before < HELD) {
        held = copy(buffer, count, type, comm);
    }
    if (held != NULL) {
        held->peer = peer;
        held->tag = tag;
        held->left = overtaking;
        held->fault = *fault;
        *place = held;
        if (!polling) {
            polling = opal_progress_register(progress) == OPAL_SUCCESS;
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return held != NULL;
}

/* Whether two are the same process, by whichever communicators. */
static bool same_peer(const struct held *held, struct ompi_communicator_t *comm, int peer)
{
    opal_process_name_t a = ompi_glue_peer_name(held->comm, held->peer);
    opal_process_name_t b = ompi_glue_peer_name(comm, peer);

    return a.jobid == b.jobid && a.vpid == b.vpid;
}

/* The place in the list of the oldest one that is for the peer, or, if `due`, has been overtaken by
 * enough. Sending one may change the list: each search begins anew. */
static struct held **find(struct ompi_communicator_t *comm, int peer, bool due)
{
    struct held **place = &first_held;

    while (*place != NULL && (due ? (*place)->left > 0 : !same_peer(*place, comm, peer))) {
        place = &(*place)->next;
    }
    return place;
}

void pml_hooks_hold_before(struct ompi_communicator_t *comm, int peer)
{
    struct held **place;

    (void)pthread_mutex_lock(&lock);
    while (*(place = find(comm, peer, false)) != NULL) {
        go(place);
    }
    (void)pthread_mutex_unlock(&lock);
}

void pml_hooks_hold_after(struct ompi_communicator_t *comm, int peer)
{
    struct held **place;

    (void)pthread_mutex_lock(&lock);
    for (struct held *held = first_held; held != NULL; held = held->next) {
        if (!same_peer(held, comm, peer)) {
            held->overtaken = true;
            held->left--;
        }
    }
    while (*(place = find(comm, peer, true)) != NULL) {
        go(place);
    }
    (void)pthread_mutex_unlock(&lock);
}

void pml_hooks_hold_release(void)
{
    (void)pthread_mutex_lock(&lock);
    while (first_held != NULL) {
        go(&first_held);
    }
    (void)pthread_mutex_unlock(&lock);
}

/* Sends under way. */
static size_t count_going(void)
{
    size_t count = 0;

    (void)pthread_mutex_lock(&lock);
    for (const struct held *held = first_going; held != NULL; held = held->next) {
        count++;
    }
    (void)pthread_mutex_unlock(&lock);
    return count;
}

void pml_hooks_hold_end(void)
{
    enum { PATIENCE_S = 5 };
    uint64_t since = record_clock();
    size_t left, before = SIZE_MAX;

    pml_hooks_hold_release();
    while ((left = count_going()) > 0 &&
           record_clock() - since < PATIENCE_S * UINT64_C(1000000000)) {
        since = left < before ? record_clock() : since;
        before = left;
        opal_progress();
        (void)progress();
    }
    if (left > 0) {
        fprintf(stderr,
                "pml_hooks: rank %" PRIu32 ": %zu messages that pml_hooks_inject has held back are "
                "given up: nobody receives them\n",
                record_own.head->rank, left);
    }
    if (polling) {
        (void)opal_progress_unregister(progress);
        polling = false;
    }
}
