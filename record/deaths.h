/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_DEATHS_H
#define RECORD_DEATHS_H

#include "record/record.h"

/*
 * Processes of this job and host that have ended without MPI_Finalize. Who has died, in which call,
 * and who waits for it, is said once, on the standard error output. Functions are thread-safe; the
 * record is open.
 */

/* Look for them now and then. Of the living processes that of the lowest rank does, which is told
 * of each by `died` if that is not NULL. */
void record_deaths_look(const char *who, void (*died)(uint32_t rank));

/* Whether this process did, the last time. */
bool record_deaths_is_watcher(void);

/* If it did, whether a process of this host has been in one call since the look before that. */
bool record_deaths_somebody_waits(void);

/* One has died on another host: say who waits for it here, if anybody does. The records of this
 * host tell the others that there is one more. */
void record_deaths_elsewhere(const char *who, uint32_t rank, const char *host);

/* The job is about to be ended, it may be for a death that has just happened: look now. */
void record_deaths_last_look(const char *who);

#endif
