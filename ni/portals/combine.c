/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/combine.h"

#include <stdatomic.h>
#include <string.h>

/* An element of up to 8 bytes travels through here as the low bits of a 64-bit word, the others
 * 0. */

enum family { FAMILY_SIGNED, FAMILY_UNSIGNED, FAMILY_FLOAT };

static const struct {
    uint8_t size, family;
} types[] = {
    [NI_INT8_T] = {1, FAMILY_SIGNED},
    [NI_UINT8_T] = {1, FAMILY_UNSIGNED},
    [NI_INT16_T] = {2, FAMILY_SIGNED},
    [NI_UINT16_T] = {2, FAMILY_UNSIGNED},
    [NI_INT32_T] = {4, FAMILY_SIGNED},
    [NI_UINT32_T] = {4, FAMILY_UNSIGNED},
    [NI_FLOAT] = {4, FAMILY_FLOAT},
    [NI_INT64_T] = {8, FAMILY_SIGNED},
    [NI_UINT64_T] = {8, FAMILY_UNSIGNED},
    [NI_DOUBLE] = {8, FAMILY_FLOAT},
    [NI_FLOAT_COMPLEX] = {2 * sizeof(float), FAMILY_FLOAT},
    [NI_DOUBLE_COMPLEX] = {2 * sizeof(double), FAMILY_FLOAT},
    [NI_LONG_DOUBLE] = {sizeof(long double), FAMILY_FLOAT},
    [NI_LONG_DOUBLE_COMPLEX] = {2 * sizeof(long double), FAMILY_FLOAT},
};
_Static_assert(2 * sizeof(long double) <= NI_ELEMENT_MOST, "the longest element");

unsigned ni_datatype_size(enum ni_ptl_datatype type)
{
    return (unsigned)type < sizeof(types) / sizeof(types[0]) ? types[type].size : 0;
}

unsigned ni_operand_size(const struct ni_combination *what)
{
    unsigned size = ni_datatype_size(what->type), least = sizeof(what->operand);

    return !ni_op_has_operand(what->op) ? 0 : size > least ? size : least;
}

/* Whether an operation means something for numbers of a kind. Complex ones have no order. */
static bool is_possible(enum ni_ptl_op op, enum ni_ptl_datatype type)
{
    bool integers_only = (op >= NI_LOR && op <= NI_BXOR) || op == NI_MSWAP;
    bool orders = op == NI_MIN || op == NI_MAX || (op >= NI_CSWAP_LE && op <= NI_CSWAP_GT);

    return !(types[type].family == FAMILY_FLOAT && integers_only) &&
           !(ni_datatype_is_complex(type) && orders);
}

bool ni_combination_valid(const struct ni_combination *what, uint64_t length)
{
    unsigned size = ni_datatype_size(what->type);

    return size != 0 && (unsigned)what->op <= NI_MSWAP && length % size == 0 &&
           is_possible(what->op, what->type) && (!ni_op_has_operand(what->op) || length == size);
}

/* Whether an element is changed by the processor in one go. */
static bool is_word_element(unsigned size, const void *target)
{
    return size <= sizeof(uint64_t) && (uintptr_t)target % size == 0;
}

bool ni_combination_aligned(const struct ni_combination *what, const void *target)
{
    return is_word_element(types[what->type].size, target);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int64_t as_signed(enum ni_ptl_datatype type, uint64_t bits)
{
    unsigned unused = 64 - 8U * types[type].size;

    return (int64_t)(bits << unused) >> unused;
}

static unsigned relate(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    if (types[type].family == FAMILY_FLOAT) {
        return ni_float_relate(type, &a, &b);
    }
    if (a == b) {
        return NI_EQUAL;
    }
    if (types[type].family == FAMILY_SIGNED) {
        return as_signed(type, a) < as_signed(type, b) ? NI_LESS : NI_GREATER;
    }
    return a < b ? NI_LESS : NI_GREATER;
}

/* The relations of operand to target for which a conditional swap is done. NE is what is not EQ,
 * also where nothing can be compared. */
static bool swaps(enum ni_ptl_op op, unsigned relation)
{
    static const uint8_t wanted[] = {
        [NI_CSWAP] = NI_EQUAL,      [NI_CSWAP_LE] = NI_LESS | NI_EQUAL,
        [NI_CSWAP_LT] = NI_LESS,    [NI_CSWAP_GE] = NI_GREATER | NI_EQUAL,
        [NI_CSWAP_GT] = NI_GREATER,
    };

    return op == NI_CSWAP_NE ? (relation & NI_EQUAL) == 0 : (relation & wanted[op]) != 0;
}

/* ---- one element ----------------------------------------------------------------------------- */

static uint64_t sum(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    if (types[type].family != FAMILY_FLOAT) {
        return a + b;
    }
    ni_float_combine(type, false, &a, &b);
    return a;
}

static uint64_t product(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    if (types[type].family != FAMILY_FLOAT) {
        return a * b;
    }
    ni_float_combine(type, true, &a, &b);
    return a;
}

/* What becomes of an element; bits beyond its size mean nothing. */
static uint64_t combined(const struct ni_combination *what, uint64_t old, uint64_t data)
{
    switch (what->op) {
    case NI_MIN:
        return relate(what->type, data, old) == NI_LESS ? data : old;
    case NI_MAX:
        return relate(what->type, data, old) == NI_GREATER ? data : old;
    case NI_SUM:
        return sum(what->type, old, data);
    case NI_PROD:
        return product(what->type, old, data);
    case NI_LOR:
        return old != 0 || data != 0;
    case NI_LAND:
        return old != 0 && data != 0;
    case NI_BOR:
        return old | data;
    case NI_BAND:
        return old & data;
    case NI_LXOR:
        return (old != 0) != (data != 0);
    case NI_BXOR:
        return old ^ data;
    case NI_SWAP:
        return data;
    case NI_MSWAP:
        return (data & what->operand) | (old & ~what->operand);
    default:
        return swaps(what->op, relate(what->type, what->operand, old)) ? data : old;
    }
}

/* One of more than 8 bytes, a floating-point number. */
static void change_long(const struct ni_combination *what, uint8_t *target, const uint8_t *data)
{
    bool takes;

    switch (what->op) {
    case NI_SUM:
    case NI_PROD:
        ni_float_combine(what->type, what->op == NI_PROD, target, data);
        return;
    case NI_MIN:
        takes = ni_float_relate(what->type, data, target) == NI_LESS;
        break;
    case NI_MAX:
        takes = ni_float_relate(what->type, data, target) == NI_GREATER;
        break;
    case NI_SWAP:
        takes = true;
        break;
    default:
        takes = swaps(what->op, ni_float_relate(what->type, what->operand_bytes, target));
    }
    if (takes) {
        memcpy(target, data, types[what->type].size);
    }
}

/* ---- aligned elements, by width -------------------------------------------------------------- */

/* The word as it is now. */
static uint64_t load_element(const uint8_t *word, unsigned size)
{
    const void *at = word;

    switch (size) {
    case 1:
        return atomic_load_explicit((const _Atomic uint8_t *)at, memory_order_relaxed);
    case 2:
        return atomic_load_explicit((const _Atomic uint16_t *)at, memory_order_relaxed);
    case 4:
        return atomic_load_explicit((const _Atomic uint32_t *)at, memory_order_relaxed);
    default:
        return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_relaxed);
    }
}

/* Store a word if it is still *old, or else load *old; whether it has. */
static bool replace(uint8_t *word, unsigned size, uint64_t *old, uint64_t new)
{
    const memory_order done = memory_order_acq_rel, failed = memory_order_relaxed;
    uint8_t old8 = (uint8_t)*old, new8 = (uint8_t) new;
    uint16_t old16 = (uint16_t)*old, new16 = (uint16_t) new;
    uint32_t old32 = (uint32_t)*old, new32 = (uint32_t) new;
    void *at = word;
    bool stored;

    switch (size) {
    case 1:
        stored =
            atomic_compare_exchange_weak_explicit((_Atomic uint8_t *)at, &old8, new8, done, failed);
        *old = old8;
        return stored;
    case 2:
        stored = atomic_compare_exchange_weak_explicit((_Atomic uint16_t *)at, &old16, new16, done,
                                                       failed);
        *old = old16;
        return stored;
    case 4:
        stored = atomic_compare_exchange_weak_explicit((_Atomic uint32_t *)at, &old32, new32, done,
                                                       failed);
        *old = old32;
        return stored;
    default:
        return atomic_compare_exchange_weak_explicit((_Atomic uint64_t *)at, old, new, done,
                                                     failed);
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

/* At its address, whatever that is; old gets what was there. */
static void change(const struct ni_combination *what, uint8_t *target, const uint8_t *data,
                   uint8_t *old)
{
    unsigned size = types[what->type].size;
    uint64_t word = 0, element = 0;

    if (size > sizeof(element)) {
        memcpy(old, target, size);
        change_long(what, target, data);
        return;
    }
    memcpy(&element, data, size);
    if (is_word_element(size, target)) {
        word = load_element(target, size);
        while (!replace(target, size, &word, combined(what, word, element))) {
        }
    } else {
        uint64_t new;

        memcpy(&word, target, size);
        new = combined(what, word, element);
        memcpy(target, &new, size);
    }
    memcpy(old, &word, size);
}

void ni_combine(const struct ni_combination *what, uint8_t *target, const uint8_t *data,
                uint8_t *old, uint64_t length)
{
    unsigned size = types[what->type].size;
    uint8_t was[NI_ELEMENT_MOST];

    for (uint64_t at = 0; at < length; at += size) {
        change(what, target + at, data + at, old != NULL ? old + at : was);
    }
}
