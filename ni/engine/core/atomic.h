/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ATOMIC_H
#define NI_ENGINE_ATOMIC_H

#include <stdint.h>

#include <apeni/transfer.h>

/* Apply to local memory, checked and aligned before. Returns the old value. */
uint64_t ni_atomic_apply(void *word, enum ni_atomic_op op, unsigned width, uint64_t operand,
                         uint64_t compare);

#endif
