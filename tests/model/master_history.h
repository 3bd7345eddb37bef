/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_MASTER_HISTORY_H
#define TESTS_MODEL_MASTER_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* What masters have done in a run. One run at a time. */

void master_history_begin(void);

/* A voter has begun anew: who acts until then may have votes that it does not remember. */
void master_history_forgets(uint64_t until);

/* A node acts with a term from now on. false: another has acted with it, and all voters know. */
bool master_history_acts(uint32_t node, uint64_t term, uint64_t now);

/* Whether a field was said to be worse than masters have told, but for those of `unsaid`. All are
 * fault words. */
bool master_history_untold(uint32_t said, uint32_t told, uint32_t unsaid);

#endif
