/* SPDX-License-Identifier: BSD-3-Clause */
/* Results: errors of the portals as those of Open MPI, and what ends the job. */
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/runtime/mpiruntime.h"

#include "ompi_match/hot.h"

/* ---- whose message --------------------------------------------------------------------------- */

/* Open MPI makes communicators by nonblocking collectives: it would wait or print for ever, or go
 * on with a context to which the others have not agreed. What is such a one and what the program's
 * is not to be told apart, and a program that misses the message waits for it either way. */
static bool of_nonblocking_collective(uint64_t bits)
{
    int tag = ompi_match_tag(bits);

    return tag <= MCA_COLL_BASE_TAG_NONBLOCKING_BASE && tag >= MCA_COLL_BASE_TAG_NONBLOCKING_END;
}

/* The part of Open MPI that sent or awaits the message and does not look how it ended; NULL: the
 * program, or the caller that returns the error to it. osc/pt2pt takes the bytes of a receive that
 * has failed for a message, those of the one before; and a rank that waits for a lock that the dead
 * held is not told. */
static const char *careless(uint64_t bits, const struct ompi_request_t *user)
{
    if (of_nonblocking_collective(bits)) {
        return "a nonblocking collective operation";
    }
    if (user != NULL && ompi_glue_of_window(user)) {
        return "a window (osc pt2pt)";
    }
    return NULL;
}

static NI_COLD void end_job(const char *part, const char *reason)
{
    ompi_glue_help("internal-failed", OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), part, reason);
    (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_OTHER);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* MPI's own message is "internal error". */
int ompi_match_no_memory(uint64_t bits, const struct ompi_request_t *user)
{
    const char *part = careless(bits, user);

    if (part != NULL) {
        end_job(part, "memory has run out");
    }
    if (!atomic_exchange_explicit(&ompi_match.no_memory, true, memory_order_relaxed)) {
        ompi_glue_help("no-memory", OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), "", "");
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

/* Operations to a peer that is lost end before the program is told of it. */
int ompi_match_lost(uint64_t bits, const struct ompi_request_t *user)
{
    const char *part = careless(bits, user);

    if (part != NULL) {
        atomic_store_explicit(&ompi_match.doomed, part, memory_order_relaxed);
        if (atomic_load_explicit(&ompi_match.lost, memory_order_relaxed)) {
            ompi_match_told_lost();
        }
    }
    return OMPI_ERR_UNREACH;
}

void ompi_match_told_lost(void)
{
    const char *part;

    atomic_store_explicit(&ompi_match.lost, true, memory_order_relaxed);
    part = atomic_load_explicit(&ompi_match.doomed, memory_order_relaxed);
    if (part != NULL) {
        end_job(part, "a process was lost");
    }
}

int ompi_match_error(int result, uint64_t bits, const struct ompi_request_t *user)
{
    switch (result) {
    case NI_OK:
        return OMPI_SUCCESS;
    case NI_PTL_NO_SPACE:
    case NI_ERR_NOMEM:
        return ompi_match_no_memory(bits, user);
    case NI_ERR_CABLE:
    case NI_ERR_CARD:
    case NI_ERR_UNREACHABLE:
    case NI_ERR_PEER_DEAD:
    case NI_ERR_PEER_CLOSED:
    case NI_ERR_PROTOCOL:
        return ompi_match_lost(bits, user);
    case NI_ERR_FORKED:
        return OMPI_ERR_NOT_AVAILABLE;
    default:
        return OMPI_ERROR;
    }
}

/* A peer that is lost is told of when that is noticed. */
int ompi_match_failure(const struct ni_event *event, const struct ompi_request_t *user)
{
    if (NI_LIKELY(event->ni_fail_type == NI_NI_OK)) {
        return MPI_SUCCESS;
    }
    if (event->ni_fail_type == NI_NI_NO_SPACE) {
        (void)ompi_match_no_memory(event->match_bits, user);
        return MPI_ERR_NO_MEM;
    }
    (void)ompi_match_lost(event->match_bits, user);
    return MPI_ERR_OTHER;
}
