/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collective operations: what is kept of a call, to start it again and again. */
#include <stdlib.h>
#include <string.h>

#include "coll/sched.h"
#include "mpi/coll_check.h"

/* ---- what is held ---------------------------------------------------------------------------- */

static void each_type(struct pri_some some, void (*act)(struct pri_type *type))
{
    if (some.buf != MPI_IN_PLACE && some.type != NULL) {
        act(some.type);
    }
}

static void each_type_of_parts(const struct pri_parts *parts, int n,
                               void (*act)(struct pri_type *type))
{
    for (int i = 0; parts->buf != MPI_IN_PLACE && i < n; i++) {
        if (pri_parts_count(parts, i) > 0) {
            act(pri_parts_type(parts, i));
        }
    }
}

static void each_type_of_call(const struct pri_call *call, void (*act)(struct pri_type *type))
{
    each_type(call->in, act);
    each_type(call->out, act);
    each_type_of_parts(&call->ins, call->sends, act);
    each_type_of_parts(&call->outs, call->receives, act);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* In MPI_IN_PLACE's stead there are none. */
static size_t size_of_arrays(const struct pri_parts *parts, int n)
{
    return parts->buf == MPI_IN_PLACE
               ? 0
               : (size_t)n * (sizeof(*parts->types) + sizeof(*parts->places) +
                              sizeof(*parts->large_counts) + sizeof(*parts->counts) +
                              sizeof(*parts->displs));
}

static const void *copy_array(const void *array, size_t bytes, char **room)
{
    char *copy = *room;

    if (array == NULL) {
        return NULL;
    }
    memcpy(copy, array, bytes);
    *room += bytes;
    return copy;
}

/* Those with the strictest alignment first, an even number of the others behind them. */
static void copy_arrays(struct pri_parts *parts, int n, char **room)
{
    const size_t count = parts->buf == MPI_IN_PLACE ? 0 : (size_t)n;
    char *begin = *room;

    parts->types =
        count == 0 ? NULL : copy_array(parts->types, count * sizeof(*parts->types), room);
    parts->places =
        count == 0 ? NULL : copy_array(parts->places, count * sizeof(*parts->places), room);
    parts->large_counts =
        count == 0 ? NULL
                   : copy_array(parts->large_counts, count * sizeof(*parts->large_counts), room);
    parts->counts =
        count == 0 ? NULL : copy_array(parts->counts, count * sizeof(*parts->counts), room);
    parts->displs =
        count == 0 ? NULL : copy_array(parts->displs, count * sizeof(*parts->displs), room);
    *room = begin + size_of_arrays(parts, n);
}

/* ---- requests -------------------------------------------------------------------------------- */

static struct pri_call *copy_call(const struct pri_call *call)
{
    struct pri_call *copy = malloc(sizeof(*copy) + size_of_arrays(&call->ins, call->sends) +
                                   size_of_arrays(&call->outs, call->receives));
    char *room = (char *)(copy + 1);

    if (copy == NULL) {
        return NULL;
    }
    *copy = *call;
    copy_arrays(&copy->ins, call->sends, &room);
    copy_arrays(&copy->outs, call->receives, &room);
    each_type_of_call(copy, pri_type_retain);
    if (copy->op != NULL) {
        pri_op_retain(copy->op);
    }
    return copy;
}

NI_COLD void pri_call_free(struct pri_call *call)
{
    each_type_of_call(call, pri_type_release);
    if (call->op != NULL) {
        pri_op_release(call->op);
    }
    free(call);
}

NI_COLD int pri_coll_keep(struct pri_comm *comm, const char *function, const struct pri_call *call,
                          MPI_Request *out)
{
    const uint32_t number = pri_coll_number(&comm->team);
    struct pri_call *kept = copy_call(call);
    struct pri_mpi_request *request =
        kept == NULL ? NULL : pri_request_new(comm, PRI_MPI_PERSISTENT);

    if (request == NULL) {
        if (kept != NULL) {
            pri_call_free(kept);
        }
        return pri_fail(comm, function, MPI_ERR_NO_MEM);
    }
    pri_persistent_init(&kept->persistent, &comm->team, number);
    request->persistent = true;
    request->active = false;
    request->held = true;
    request->call = kept;
    *out = request;
    return MPI_SUCCESS;
}

int pri_coll_start(struct pri_mpi_request *request)
{
    struct pri_call *call = request->call;

    return call->start(pri_persistent_team(&call->persistent), call, &request->core);
}
