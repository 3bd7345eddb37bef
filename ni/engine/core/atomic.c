/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdbool.h>

#include "engine/core/atomic.h"

/*
 * Atomics. They are applied by the core that owns the word, or by the initiator when it shares the
 * target's memory, always with the CPU's own atomic instructions: so they mix with each other and
 * with the program's.
 */

/* The new value, for those operations that the CPU has no instruction for. */
static uint64_t combine_words(enum ni_atomic_op op, uint64_t old, uint64_t operand,
                              bool is_signed_less)
{
    switch (op) {
    case NI_ATOMIC_LAND:
        return old != 0 && operand != 0;
    case NI_ATOMIC_LOR:
        return old != 0 || operand != 0;
    case NI_ATOMIC_LXOR:
        return (old != 0) != (operand != 0);
    case NI_ATOMIC_MIN:
        return is_signed_less ? old : operand;
    default: /* NI_ATOMIC_MAX */
        return is_signed_less ? operand : old;
    }
}

/* The same for words of both widths. */
#define APPLY(name, word_type, signed_type)                                                        \
    static uint64_t name(_Atomic word_type *word, enum ni_atomic_op op, word_type operand,         \
                         word_type compare)                                                        \
    {                                                                                              \
        word_type old;                                                                             \
                                                                                                   \
        switch (op) {                                                                              \
        case NI_ATOMIC_ADD:                                                                        \
            return atomic_fetch_add_explicit(word, operand, memory_order_acq_rel);                 \
        case NI_ATOMIC_AND:                                                                        \
            return atomic_fetch_and_explicit(word, operand, memory_order_acq_rel);                 \
        case NI_ATOMIC_OR:                                                                         \
            return atomic_fetch_or_explicit(word, operand, memory_order_acq_rel);                  \
        case NI_ATOMIC_XOR:                                                                        \
            return atomic_fetch_xor_explicit(word, operand, memory_order_acq_rel);                 \
        case NI_ATOMIC_SWAP:                                                                       \
            return atomic_exchange_explicit(word, operand, memory_order_acq_rel);                  \
        case NI_ATOMIC_CSWAP:                                                                      \
            atomic_compare_exchange_strong_explicit(word, &compare, operand, memory_order_acq_rel, \
                                                    memory_order_acquire);                         \
            return compare;                                                                        \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
        old = atomic_load_explicit(word, memory_order_relaxed);                                    \
        while (!atomic_compare_exchange_weak_explicit(                                             \
            word, &old,                                                                            \
            (word_type)combine_words(op, old, operand, (signed_type)old < (signed_type)operand),   \
            memory_order_acq_rel, memory_order_relaxed)) {                                         \
        }                                                                                          \
        return old;                                                                                \
    }

APPLY(apply64, uint64_t, int64_t)
APPLY(apply32, uint32_t, int32_t)

uint64_t ni_atomic_apply(void *word, enum ni_atomic_op op, unsigned width, uint64_t operand,
                         uint64_t compare)
{
    return width == 8 ? apply64(word, op, operand, compare)
                      : apply32(word, op, (uint32_t)operand, (uint32_t)compare);
}

/* ---- words, each at once --------------------------------------------------------------------- */

ni_status ni_word_store(uint64_t addr, uint64_t value, unsigned width)
{
    void *place = (void *)(uintptr_t)addr;

    if ((addr & (width - 1)) != 0) {
        return NI_ERR_ALIGN;
    }
    /* Pair with the acquire loads of the thread that polls the word. */
    switch (width) {
    case 1:
        __atomic_store_n((uint8_t *)place, (uint8_t)value, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *)place, (uint16_t)value, __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *)place, (uint32_t)value, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n((uint64_t *)place, value, __ATOMIC_RELEASE);
        break;
    }
    return NI_OK;
}

uint64_t ni_word_load(uint64_t addr, unsigned width)
{
    const void *place = (const void *)(uintptr_t)addr;

    switch (width) {
    case 1:
        return __atomic_load_n((const uint8_t *)place, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const uint16_t *)place, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const uint32_t *)place, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const uint64_t *)place, __ATOMIC_ACQUIRE);
    }
}
