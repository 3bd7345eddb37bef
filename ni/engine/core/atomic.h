/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ATOMIC_H
#define NI_ENGINE_ATOMIC_H

#include <stdint.h>

#include <apeni/transfer.h>

/* Apply to local memory, checked and aligned before. Returns the old value. */
uint64_t ni_atomic_apply(void *word, enum ni_atomic_op op, unsigned width, uint64_t operand,
                         uint64_t compare);

/* Words of our memory, of 1, 2, 4 or 8 bytes; NI_ERR_ALIGN. Each appears at once: a store releases,
 * a load acquires. */
ni_status ni_word_store(uint64_t addr, uint64_t value, unsigned width);
uint64_t ni_word_load(uint64_t addr, unsigned width);

#endif
