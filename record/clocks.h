/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_CLOCKS_H
#define RECORD_CLOCKS_H

#include "record/account.h"

/*
 * The clocks of a job's hosts, and answers to what processes of different hosts ask each other
 * (struct record_question). Who uses it passes the messages on.
 */

#pragma GCC visibility push(hidden)

/* ---- clocks -----------------------------------------------------------------------------------
 */

/* The clock of this host in ns at a stamp, and how many ticks of stamps so many ns are. */
uint64_t record_clock_at(uint64_t stamp);
uint64_t record_ticks(uint64_t nanoseconds);

/* What to add to the clock of this host to have that of rank 0's, modulo 2^64, and by how many ns
 * that may be wrong now. False if it is not known. */
bool record_clock_offset(uint64_t *offset, uint64_t *error);

/* Begin, with the lowest ranks of this host and of rank 0's; end, noting in the record what is
 * known, for those who read it. */
void record_clocks_begin(uint32_t lowest_here, uint32_t lowest_first);
void record_clocks_finish(void);

/* Whether this process is the one that measures for its host: it asks the lowest rank of rank 0's
 * what its clock says. */
bool record_clock_measures(void);
bool record_clock_due(void); /* it is time to ask again */

/* What was asked at `asked`, by the clock of this host, has been answered by that time of rank 0's.
 */
void record_clock_told(uint64_t asked, uint64_t reference);

/* ---- answers ----------------------------------------------------------------------------------
 */

/* What a process of the job that has this rank asks, of a wait that ended at `end`, or has ended
 * (0): when the message was sent, or its receive began. 0: it is not known. Both are of rank 0's
 * host; *error is by how many ns the answer may be wrong. */
uint64_t record_answer(uint32_t rank, const struct record_question *question, uint64_t end,
                       uint64_t *error);

/* A process has answered so: have it counted. */
void record_take_answer(uint32_t rank, const struct record_question *question, uint64_t when,
                        uint64_t error);

#pragma GCC visibility pop

#endif
