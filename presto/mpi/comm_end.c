/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a communicator. All ranks have to have freed it before its context may be used again;
 * and no rank may have a request on it, for which a message with that context may still come. So
 * all exchange how many they have. If it is none, that was it. Otherwise each waits, without
 * holding up anybody, until its own are gone, and then they exchange again. What has ended is
 * looked for when another is freed; of those with ranks of other jobs, in progress.
 */
#include "core/later.h"
#include "mpi/inter.h"

#include <stdio.h>

static bool reap_foreign(struct pri_task *task);
static void reaped(struct pri_task *task);

static unsigned requests_of(const struct pri_comm *comm)
{
    /* Pairs with the releases in pri_comm_release: what requests did comes before the context
     * goes. */
    return atomic_load_explicit(&comm->refs, memory_order_acquire) - 1;
}

/* The others wait for what this rank could not say, at the latest in MPI_Finalize, where no
 * function can tell the application. Not if a rank has died or the communicator is revoked, of
 * which they hear. */
static NI_COLD void cannot_end(const struct pri_comm *comm, int error)
{
    if (error == PRI_ERR_PEER || error == PRI_ERR_FORKED || error == PRI_ERR_REVOKED) {
        return;
    }
    fprintf(stderr, "presto: rank %d cannot end a communicator, for which others wait: %s\n",
            comm->mpi->self->rank, pri_error_text(error));
    pri_abort(comm->mpi->self, 1);
}

static void enlist(struct pri_comm *comm)
{
    struct pri_mpi *mpi = comm->mpi;
    bool begins;
    pthread_mutex_lock(&mpi->lock);
    comm->next = mpi->ending;
    mpi->ending = comm;
    begins = NI_UNLIKELY(pri_comm_is_foreign(comm)) && !mpi->reaps;
    mpi->reaps = mpi->reaps || begins;
    pthread_mutex_unlock(&mpi->lock);
    if (begins) {
        mpi->reaper = (struct pri_task){.advance = reap_foreign, .finished = reaped};
        pri_task_add(mpi->self, &mpi->reaper);
    }
}

/* If a rank has died, or the communicator is revoked, nothing is exchanged, and that is its end. */
static void exchange(struct pri_comm *comm)
{
    comm->pending = (int)requests_of(comm);
    int error = pri_coll_allreduce(pri_comm_all(comm), PRI_IN_PLACE, &comm->pending, 1, MPI_INT,
                                   MPI_SUM, &comm->end);
    if (NI_UNLIKELY(error != 0)) {
        cannot_end(comm, error);
        pri_comm_release(comm);
    } else {
        enlist(comm);
    }
}

/* The exchange is complete, or the requests that were waited for have ended. After a death the
 * context stays used. */
static void ended(struct pri_comm *comm)
{
    int error = comm->end.status.error;
    if (NI_UNLIKELY(error != 0)) {
        cannot_end(comm, error);
    }
    if (comm->waits) {
        comm->waits = false;
        comm->again = true;
        exchange(comm);
    } else if (comm->pending != 0 && !comm->again && error == 0) {
        comm->waits = true;
        enlist(comm);
    } else {
        if (comm->pending == 0 && error == 0) {
            pri_context_give(comm->mpi->self, comm->context);
        }
        pri_comm_release(comm);
    }
}

/* The same exchange, waited for. */
static void end_now(struct pri_comm *comm)
{
    comm->pending = (int)requests_of(comm);
    comm->end.status.error = pri_coll_allreduce(pri_comm_all(comm), PRI_IN_PLACE, &comm->pending, 1,
                                                MPI_INT, MPI_SUM, NULL);
    ended(comm);
}

enum which { READY, FOREIGN, ALL };

static bool is_taken(const struct pri_comm *comm, enum which which)
{
    if (which != READY) {
        return which == ALL || pri_comm_is_foreign(comm);
    }
    return comm->waits ? requests_of(comm) == 0 : pri_done(&comm->end);
}

/* Takes those off the list that can go on, or are to. */
static struct pri_comm *take_those(struct pri_mpi *mpi, enum which which)
{
    struct pri_comm *ready = NULL;
    pthread_mutex_lock(&mpi->lock);
    for (struct pri_comm **place = &mpi->ending; *place != NULL;) {
        struct pri_comm *comm = *place;
        if (!is_taken(comm, which)) {
            place = &comm->next;
            continue;
        }
        *place = comm->next;
        comm->next = ready;
        ready = comm;
    }
    pthread_mutex_unlock(&mpi->lock);
    return ready;
}

static void reap(struct pri_mpi *mpi)
{
    struct pri_comm *ready = take_those(mpi, READY);
    while (ready != NULL) {
        struct pri_comm *comm = ready;
        ready = comm->next;
        ended(comm);
    }
}

/* Whether one with ranks of other jobs ends. The lock is held. */
static bool ends_foreign(const struct pri_mpi *mpi)
{
    const struct pri_comm *comm = mpi->ending;
    while (comm != NULL && !pri_comm_is_foreign(comm)) {
        comm = comm->next;
    }
    return comm != NULL;
}

/* pri_task.advance: while a communicator with ranks of other jobs ends. Its groups hold their
 * numbers, so that it does not stay until another one is freed, as the others do. */
static bool reap_foreign(struct pri_task *task)
{
    struct pri_mpi *mpi = ni_container_of(task, struct pri_mpi, reaper);
    bool goes_on;
    reap(mpi);
    pthread_mutex_lock(&mpi->lock);
    goes_on = ends_foreign(mpi);
    pthread_mutex_unlock(&mpi->lock);
    return !goes_on;
}

/* pri_task.finished: only now it may be added again. */
static void reaped(struct pri_task *task)
{
    struct pri_mpi *mpi = ni_container_of(task, struct pri_mpi, reaper);
    bool again;
    pthread_mutex_lock(&mpi->lock);
    again = mpi->reaps = ends_foreign(mpi);
    pthread_mutex_unlock(&mpi->lock);
    if (again) {
        pri_task_add(mpi->self, task);
    }
}

/* Requests are not waited for any more: all ranks go on to the second exchange. Each begins all of
 * its second exchanges before it waits for one of them. */
void pri_comms_end_all(struct pri_mpi *mpi, bool foreign)
{
    for (int sweep = 0; sweep < 3; sweep++) {
        struct pri_comm *ready = take_those(mpi, foreign ? FOREIGN : ALL);
        while (ready != NULL) {
            struct pri_comm *comm = ready;
            ready = comm->next;
            if (sweep < 2 && comm->again) {
                enlist(comm);
                continue;
            }
            if (!comm->waits) {
                pri_wait(&comm->end);
            }
            ended(comm);
        }
    }
}

/* The ranks of other jobs are waited for no longer when this one leaves. */
static void forget_foreign(struct pri_comm *comm)
{
    if (!pri_comm_is_foreign(comm)) {
        return;
    }
    pri_meet_without(comm->mpi->self, comm->context);
    if (comm->mpi->parent == comm) {
        comm->mpi->parent = NULL;
    }
}

void pri_comm_end(struct pri_comm *comm)
{
    struct pri_mpi *mpi = comm->mpi;
    forget_foreign(comm);
    exchange(comm);
    reap(mpi);
}

/* disconnect: nothing of it is under way any more when this returns, unless the application has
 * requests left; so the others need not be heard of again. */
static int free_comm(const char *function, MPI_Comm *handle, bool disconnect)
{
    struct pri_comm *comm = pri_comm_of(*handle);
    if (comm == NULL || comm->handle != comm) {
        return pri_fail(NULL, function, MPI_ERR_COMM);
    }
    int code = pri_attr_delete_all(comm->mpi, &comm->attributes, PRI_ATTR_COMM, comm);
    if (code != MPI_SUCCESS) {
        return pri_fail(comm, function, code);
    }
    comm->magic = 0;
    *handle = MPI_COMM_NULL;
    if (disconnect) {
        forget_foreign(comm);
        end_now(comm);
    } else {
        pri_comm_end(comm);
    }
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *handle)
{
    return free_comm(__func__, handle, false);
}
PRI_ALIAS(Comm_free);

int MPI_Comm_disconnect(MPI_Comm *handle)
{
    return free_comm(__func__, handle, true);
}
PRI_ALIAS(Comm_disconnect);
