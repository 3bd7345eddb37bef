/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_ASK_H
#define PML_HOOKS_ASK_H

/* What processes of different hosts ask each other, and the clocks of hosts. */

#include "pml_hooks/pml_hooks.h"

#pragma GCC visibility push(hidden)

/* ---- questions: ask.c -------------------------------------------------------------------------
 */

/* Have waits for peers on other hosts asked about, by messages of this module, in a job on several
 * hosts. Waits a moment for the clocks to be measured. */
void pml_hooks_ask_begin(const mca_pml_base_module_t *module);

/* The last answers are waited for, but not for long; questions of others are answered until the
 * end. The first of them while the record is open. */
void pml_hooks_ask_finish(void);
void pml_hooks_ask_end(void);

/* For who sends and makes no progress by that, as most sends do: answer now and then. Not to be
 * called by what makes progress. */
extern bool pml_hooks_ask_polls;
void pml_hooks_ask_poll(void);

/* Receives of ours that are among those that the PML has. */
unsigned pml_hooks_ask_posted(void);

/* ---- clocks of hosts: clocks.c ----------------------------------------------------------------
 */

/* The clock of this host in ns at a stamp, and the reverse. */
uint64_t pml_hooks_clock_at(uint64_t stamp);
uint64_t pml_hooks_stamp_at(uint64_t clock);

/* How many ticks of stamps so many ns are. */
uint64_t pml_hooks_ticks(uint64_t nanoseconds);

/* What to add to the clock of this host to have that of rank 0's, modulo 2^64, and by how many ns
 * that may be wrong now. False if it is not known. */
bool pml_hooks_clock_offset(uint64_t *offset, uint64_t *error);

/* Where the process is the one that measures for its host: whom it asks. */
void pml_hooks_clocks_begin(void);
bool pml_hooks_clock_measures(uint32_t *rank);
bool pml_hooks_clock_due(void); /* it is time to ask again */

/* What it asked at `asked`, by the clock of this host, has been answered by that time of rank 0's.
 */
void pml_hooks_clock_told(uint64_t asked, uint64_t reference);

/* Note in the record what is known, for those who read it, and for us. */
void pml_hooks_clocks_finish(void);

#pragma GCC visibility pop

#endif
