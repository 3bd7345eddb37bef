/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting and testing. A request is `finished` once, by who sees it complete: then its handle is
 * null, or, if it is persistent, it is inactive. */
#include "mpi/check.h"
#include "mpi/request.h"

#include <stdio.h>

/* Null handles and inactive requests are complete, with nothing to tell. */
static inline bool idle(const struct pri_mpi_request *request)
{
    return request == NULL || (request->persistent && !request->active);
}

/* Whatever is not just a message. Returns the code. */
static NI_NOINLINE int finish_special(struct pri_mpi_request *request, int code)
{
    if (request->finish != NULL) {
        int rc = request->finish(request);
        code = code == MPI_SUCCESS ? rc : code;
    }
    if (request->kind == PRI_MPI_GENERAL && request->release != NULL) {
        request->release(request->extra);
    }
    return code;
}

/* Whose error it is; NULL: nobody's any more. */
static struct pri_comm *whose(const struct pri_mpi_request *request)
{
    struct pri_comm *comm = request->comm;
    return comm->handle == comm && comm->magic == 0 ? NULL : comm;
}

/* A receive from any source that stays, since a rank has died that is not acknowledged. */
static NI_COLD int tell_stays(const char *function, const struct pri_mpi_request *request)
{
    return pri_fail(whose(request), function, MPIX_ERR_PROC_FAILED_PENDING);
}

/* The same as one of several; or one that is just not complete beside such a one. */
static NI_COLD int tell_nth_stays(const struct pri_mpi_request *request, MPI_Status *status,
                                  struct pri_comm **comm)
{
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_ERROR =
            pri_stays(&request->core) ? MPIX_ERR_PROC_FAILED_PENDING : MPI_ERR_PENDING;
    }
    *comm = whose(request);
    return 1;
}

/* The first that stays so; -1: none. Where no rank has died one look is enough, since those who
 * poll come here each time. */
static int find_stays(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; i++) {
        if (idle(requests[i])) {
            continue;
        }
        if (NI_LIKELY(atomic_load_explicit(&requests[i]->core.rank->lost, memory_order_relaxed) ==
                      0)) {
            return -1;
        }
        if (pri_stays_now(&requests[i]->core)) {
            return i;
        }
    }
    return -1;
}

/* The number of a complete request; MPI_UNDEFINED: none is active; -1: none is complete. */
static int find_done(int count, MPI_Request *requests)
{
    int found = MPI_UNDEFINED;
    for (int i = 0; i < count; i++) {
        if (idle(requests[i])) {
            continue;
        }
        if (pri_done(&requests[i]->core)) {
            return i;
        }
        found = -1;
    }
    return found;
}

/* For those who would wait: the same if, after a look at what has come, none is complete. */
static int find_only_stays(int count, MPI_Request *requests)
{
    int stays = find_stays(count, requests);
    if (NI_UNLIKELY(stays >= 0)) {
        pri_look(pri_self());
        stays = find_done(count, requests) == -1 ? stays : -1;
    }
    return stays;
}

/* Any that is complete, see finish. */
static NI_NOINLINE int finish_any(MPI_Request *handle, MPI_Status *status, struct pri_comm **comm)
{
    struct pri_mpi_request *request = *handle;
    int code = pri_mpi_code(request->core.status.error);
    if (NI_UNLIKELY(request->finish != NULL)) {
        code = finish_special(request, code);
    }
    pri_status_set(status, &request->core.status);
    if (NI_UNLIKELY(code != MPI_SUCCESS)) {
        *comm = whose(request);
    }
    if (request->persistent) {
        request->active = false;
        return code;
    }
    *handle = MPI_REQUEST_NULL;
    pri_request_end(request);
    return code;
}

/* The request is complete. Returns its code. *comm is whose error it is. */
static inline int finish(MPI_Request *handle, MPI_Status *status, struct pri_comm **comm)
{
    struct pri_mpi_request *request = *handle;
    if (NI_UNLIKELY(request->finish != NULL || request->persistent ||
                    request->core.status.error != 0)) {
        return finish_any(handle, status, comm);
    }
    pri_status_set(status, &request->core.status);
    *handle = MPI_REQUEST_NULL;
    pri_request_end(request);
    return MPI_SUCCESS;
}

/* One request: its code goes to the error handler. */
static inline int finish_one(const char *function, MPI_Request *handle, MPI_Status *status)
{
    struct pri_comm *comm = NULL;
    int code = finish(handle, status, &comm);
    return NI_LIKELY(code == MPI_SUCCESS) ? code : pri_fail(comm, function, code);
}

int MPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    if (NI_UNLIKELY(idle(*handle))) {
        pri_status_empty(status);
        return MPI_SUCCESS;
    }
    if (!pri_done(&(*handle)->core) && NI_UNLIKELY(pri_wait(&(*handle)->core) == PRI_ERR_PENDING)) {
        return tell_stays(__func__, *handle);
    }
    return finish_one(__func__, handle, status);
}
PRI_ALIAS(Wait);

int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    *flag = 1;
    if (NI_UNLIKELY(idle(*handle))) {
        pri_status_empty(status);
        return MPI_SUCCESS;
    }
    if (!pri_test(&(*handle)->core)) {
        *flag = 0;
        return NI_LIKELY(!pri_stays(&(*handle)->core)) ? MPI_SUCCESS
                                                       : tell_stays(__func__, *handle);
    }
    return finish_one(__func__, handle, status);
}
PRI_ALIAS(Test);

/* One request of several: its code goes into the status. Returns whether it failed. */
static inline int finish_nth(MPI_Request *handle, MPI_Status *status, struct pri_comm **comm)
{
    int code = finish(handle, status, comm);
    if (status != MPI_STATUS_IGNORE) {
        status->MPI_ERROR = code;
    }
    return code != MPI_SUCCESS;
}

static inline MPI_Status *nth(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* All are complete, or waited for, until one is found that stays. */
NI_ALWAYS_INLINE int finish_all(const char *function, int count, MPI_Request *requests,
                                MPI_Status *statuses)
{
    struct pri_comm *comm = NULL;
    int failed = 0;
    bool stays = false;
    for (int i = 0; i < count; i++) {
        if (NI_UNLIKELY(idle(requests[i]))) {
            pri_status_empty(nth(statuses, i));
            continue;
        }
        if (!pri_done(&requests[i]->core) &&
            (stays ? !pri_test(&requests[i]->core)
                   : NI_UNLIKELY(pri_wait(&requests[i]->core) == PRI_ERR_PENDING))) {
            stays = true;
            failed += tell_nth_stays(requests[i], nth(statuses, i), &comm);
            continue;
        }
        failed += finish_nth(&requests[i], nth(statuses, i), &comm);
    }
    return NI_LIKELY(failed == 0) ? MPI_SUCCESS : pri_fail(comm, function, MPI_ERR_IN_STATUS);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    return finish_all(__func__, count, requests, statuses);
}
PRI_ALIAS(Waitall);

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    *flag = 0;
    for (int i = 0; i < count; i++) {
        if (!idle(requests[i]) && !pri_test(&requests[i]->core)) {
            int stays = find_stays(count, requests);
            return NI_LIKELY(stays < 0) ? MPI_SUCCESS : tell_stays(__func__, requests[stays]);
        }
    }
    *flag = 1;
    return finish_all(__func__, count, requests, statuses);
}
PRI_ALIAS(Testall);

struct several {
    int count;
    MPI_Request *requests;
};

/* pri_tell_fn. */
static void tell_several(const void *object, char *text, size_t size)
{
    const struct several *several = object;
    char one[256];
    int pending = 0;
    for (int i = several->count - 1; i >= 0; i--) {
        if (!idle(several->requests[i])) {
            pri_request_tell(&several->requests[i]->core, one, sizeof(one));
            pending++;
        }
    }
    snprintf(text, size, "one of %d requests, the first for %s", pending, one);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    unsigned spins = 0;
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    const struct several all = {count, requests};
    while ((*index = find_done(count, requests)) == -1) {
        int stays = find_only_stays(count, requests);
        if (NI_UNLIKELY(stays >= 0)) {
            *index = stays;
            return tell_stays(__func__, requests[stays]);
        }
        pri_relax_for(pri_self(), &spins, tell_several, &all);
    }
    if (*index != MPI_UNDEFINED) {
        return finish_one(__func__, &requests[*index], status);
    }
    pri_status_empty(status);
    return MPI_SUCCESS;
}
PRI_ALIAS(Waitany);

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    *index = find_done(count, requests);
    if (*index == -1) {
        pri_look(pri_self());
        *index = find_done(count, requests);
    }
    *flag = *index != -1;
    if (*index >= 0) {
        return finish_one(__func__, &requests[*index], status);
    }
    if (*flag) {
        pri_status_empty(status);
    }
    *index = *flag ? -1 : find_stays(count, requests);
    if (NI_UNLIKELY(*index >= 0)) {
        return tell_stays(__func__, requests[*index]);
    }
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Testany);

/* One that stays is told of alone. */
static NI_COLD int tell_some_stays(const char *function, struct several all, int stays,
                                   int *outcount, int *indices, MPI_Status *statuses)
{
    struct pri_comm *comm;
    (void)tell_nth_stays(all.requests[stays], nth(statuses, 0), &comm);
    *outcount = 1;
    indices[0] = stays;
    return pri_fail(comm, function, MPI_ERR_IN_STATUS);
}

/* All that are complete now. */
static int finish_some(const char *function, int count, MPI_Request *requests, int *outcount,
                       int *indices, MPI_Status *statuses)
{
    struct pri_comm *comm = NULL;
    int failed = 0, n = 0;
    for (int i = 0; i < count; i++) {
        if (idle(requests[i]) || !pri_done(&requests[i]->core)) {
            continue;
        }
        failed += finish_nth(&requests[i], nth(statuses, n), &comm);
        indices[n++] = i;
    }
    *outcount = n;
    return NI_LIKELY(failed == 0) ? MPI_SUCCESS : pri_fail(comm, function, MPI_ERR_IN_STATUS);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
    unsigned spins = 0;
    int first;
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    const struct several all = {count, requests};
    while ((first = find_done(count, requests)) == -1) {
        int stays = find_only_stays(count, requests);
        if (NI_UNLIKELY(stays >= 0)) {
            return tell_some_stays(__func__, all, stays, outcount, indices, statuses);
        }
        pri_relax_for(pri_self(), &spins, tell_several, &all);
    }
    if (first != MPI_UNDEFINED) {
        return finish_some(__func__, count, requests, outcount, indices, statuses);
    }
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
PRI_ALIAS(Waitsome);

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
    if (count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    int first = find_done(count, requests);
    if (first == MPI_UNDEFINED) {
        *outcount = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    if (first == -1) {
        pri_look(pri_self());
        int stays = find_done(count, requests) == -1 ? find_stays(count, requests) : -1;
        if (NI_UNLIKELY(stays >= 0)) {
            const struct several all = {count, requests};
            return tell_some_stays(__func__, all, stays, outcount, indices, statuses);
        }
    }
    return finish_some(__func__, count, requests, outcount, indices, statuses);
}
PRI_ALIAS(Testsome);

int MPI_Request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    *flag = 1;
    if (idle(handle)) {
        pri_status_empty(status);
        return MPI_SUCCESS;
    }
    *flag = pri_test(&handle->core);
    if (*flag && handle->kind == PRI_MPI_GENERAL && handle->finish != NULL) {
        handle->finish(handle);
    }
    if (*flag) {
        pri_status_set(status, &handle->core.status);
    }
    return NI_LIKELY(*flag || !pri_stays(&handle->core)) ? MPI_SUCCESS
                                                         : tell_stays(__func__, handle);
}
PRI_ALIAS(Request_get_status);
