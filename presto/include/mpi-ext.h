/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_MPI_EXT_H
#define PRESTO_MPI_EXT_H

/*
 * Beyond MPI 3.1: User-Level Failure Mitigation, as the MPI Forum's working group on fault
 * tolerance describes it. A job that is to go on when ranks die is started with `prestorun
 * --keep-going`; its communicators have the error handler MPI_ERRORS_RETURN or one of the
 * program's.
 *
 * An operation that needs a rank that has died ends with MPIX_ERR_PROC_FAILED, one on a
 * communicator that has been revoked with MPIX_ERR_REVOKED. A nonblocking receive from any source
 * stays when a rank dies: calls that wait for it or test it return MPIX_ERR_PROC_FAILED_PENDING,
 * and leave it as it is, until the death is acknowledged or it has got a message. All these
 * functions are local, but for MPIX_Comm_agree and MPIX_Comm_shrink, which all ranks of the
 * communicator that live call, in the same order; these two work also while ranks die, and on a
 * communicator that has been revoked. Thread-safe as others.
 */

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define PRESTO_FNX(name, parameters)   \
    int presto_MPIX_##name parameters; \
    int presto_PMPIX_##name parameters

/* Nobody can use the communicator any more: what any of its ranks waits for in it ends. */
#define MPIX_Comm_revoke  presto_MPIX_Comm_revoke
#define PMPIX_Comm_revoke presto_PMPIX_Comm_revoke
PRESTO_FNX(Comm_revoke, (MPI_Comm comm));
#define MPIX_Comm_is_revoked  presto_MPIX_Comm_is_revoked
#define PMPIX_Comm_is_revoked presto_PMPIX_Comm_is_revoked
PRESTO_FNX(Comm_is_revoked, (MPI_Comm comm, int *flag));

/* Those that this rank knows to have died, in the order in which it has heard of them; the caller
 * frees the group. */
#define MPIX_Comm_get_failed  presto_MPIX_Comm_get_failed
#define PMPIX_Comm_get_failed presto_PMPIX_Comm_get_failed
PRESTO_FNX(Comm_get_failed, (MPI_Comm comm, MPI_Group *failed));
/* The first `count` of these are known: they end no more receives and probes from any source.
 * *acknowledged is how many are. */
#define MPIX_Comm_ack_failed  presto_MPIX_Comm_ack_failed
#define PMPIX_Comm_ack_failed presto_PMPIX_Comm_ack_failed
PRESTO_FNX(Comm_ack_failed, (MPI_Comm comm, int count, int *acknowledged));
/* The same by the names of earlier drafts: all are known; those that are. */
#define MPIX_Comm_failure_ack  presto_MPIX_Comm_failure_ack
#define PMPIX_Comm_failure_ack presto_PMPIX_Comm_failure_ack
PRESTO_FNX(Comm_failure_ack, (MPI_Comm comm));
#define MPIX_Comm_failure_get_acked  presto_MPIX_Comm_failure_get_acked
#define PMPIX_Comm_failure_get_acked presto_PMPIX_Comm_failure_get_acked
PRESTO_FNX(Comm_failure_get_acked, (MPI_Comm comm, MPI_Group *acknowledged));

/* *flag becomes the bits that are set in all ranks' flags. MPIX_ERR_PROC_FAILED, in all ranks, with
 * *flag set: a rank has died that not all had acknowledged. */
#define MPIX_Comm_agree  presto_MPIX_Comm_agree
#define PMPIX_Comm_agree presto_PMPIX_Comm_agree
PRESTO_FNX(Comm_agree, (MPI_Comm comm, int *flag));
/* A new communicator of those that live, in the order of the old one: who died before is in none.
 * It has comm's error handler. Not of intercommunicators (MPI_ERR_COMM). */
#define MPIX_Comm_shrink  presto_MPIX_Comm_shrink
#define PMPIX_Comm_shrink presto_PMPIX_Comm_shrink
PRESTO_FNX(Comm_shrink, (MPI_Comm comm, MPI_Comm *shrunk));

#undef PRESTO_FNX
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
