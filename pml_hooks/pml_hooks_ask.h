/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_ASK_H
#define PML_HOOKS_ASK_H

/* What processes of different hosts ask each other. */

#include "pml_hooks/pml_hooks.h"

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
