/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/combine.h"

#include <stdatomic.h>
#include <string.h>

/* An element travels through here as the low bits of a 64-bit word, the others 0. */

enum family { FAMILY_SIGNED, FAMILY_UNSIGNED, FAMILY_FLOAT };

static const struct {
    uint8_t size, family;
} types[] = {
    [NI_INT8_T] = {1, FAMILY_SIGNED},     [NI_UINT8_T] = {1, FAMILY_UNSIGNED},
    [NI_INT16_T] = {2, FAMILY_SIGNED},    [NI_UINT16_T] = {2, FAMILY_UNSIGNED},
    [NI_INT32_T] = {4, FAMILY_SIGNED},    [NI_UINT32_T] = {4, FAMILY_UNSIGNED},
    [NI_FLOAT] = {4, FAMILY_FLOAT},       [NI_INT64_T] = {8, FAMILY_SIGNED},
    [NI_UINT64_T] = {8, FAMILY_UNSIGNED}, [NI_DOUBLE] = {8, FAMILY_FLOAT},
};

unsigned ni_datatype_size(enum ni_ptl_datatype type)
{
    return (unsigned)type < sizeof(types) / sizeof(types[0]) ? types[type].size : 0;
}

/* What has no meaning for floating-point numbers. */
static bool is_for_integers(enum ni_ptl_op op)
{
    return (op >= NI_LOR && op <= NI_BXOR) || op == NI_MSWAP;
}

bool ni_combination_valid(const struct ni_combination *what, uint64_t length)
{
    unsigned size = ni_datatype_size(what->type);

    if (size == 0 || (unsigned)what->op > NI_MSWAP || length % size != 0) {
        return false;
    }
    if (types[what->type].family == FAMILY_FLOAT && is_for_integers(what->op)) {
        return false;
    }
    return !ni_op_has_operand(what->op) || length == size;
}

bool ni_combination_aligned(const struct ni_combination *what, const void *target)
{
    return (uintptr_t)target % types[what->type].size == 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* How a is to b: bits, none for what cannot be compared. */
enum relation { LESS = 1, EQUAL = 2, GREATER = 4 };

static double as_double(enum ni_ptl_datatype type, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    double wide;
    float narrow;

    if (type == NI_DOUBLE) {
        memcpy(&wide, &bits, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, &half, sizeof(narrow));
    return (double)narrow;
}

static uint64_t from_double(enum ni_ptl_datatype type, double value)
{
    uint64_t bits = 0;
    float narrow;

    if (type == NI_DOUBLE) {
        memcpy(&bits, &value, sizeof(value));
    } else {
        narrow = (float)value;
        memcpy(&bits, &narrow, sizeof(narrow));
    }
    return bits;
}

static int64_t as_signed(enum ni_ptl_datatype type, uint64_t bits)
{
    unsigned unused = 64 - 8U * types[type].size;

    return (int64_t)(bits << unused) >> unused;
}

static unsigned relate(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    if (types[type].family == FAMILY_FLOAT) {
        double x = as_double(type, a), y = as_double(type, b);

        return (x < y ? LESS : 0U) | (x > y ? GREATER : 0U) | (x >= y && x <= y ? EQUAL : 0U);
    }
    if (a == b) {
        return EQUAL;
    }
    if (types[type].family == FAMILY_SIGNED) {
        return as_signed(type, a) < as_signed(type, b) ? LESS : GREATER;
    }
    return a < b ? LESS : GREATER;
}

/* The relations of operand to target for which a conditional swap is done. NE is what is not EQ,
 * also where nothing can be compared. */
static bool swaps(enum ni_ptl_op op, unsigned relation)
{
    static const uint8_t wanted[] = {
        [NI_CSWAP] = EQUAL,      [NI_CSWAP_LE] = LESS | EQUAL,
        [NI_CSWAP_LT] = LESS,    [NI_CSWAP_GE] = GREATER | EQUAL,
        [NI_CSWAP_GT] = GREATER,
    };

    return op == NI_CSWAP_NE ? (relation & EQUAL) == 0 : (relation & wanted[op]) != 0;
}

/* ---- one element ----------------------------------------------------------------------------- */

/* Of floats in double: that has more than twice their digits, so that rounding twice changes nothing. */
static uint64_t sum(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    return types[type].family == FAMILY_FLOAT
               ? from_double(type, as_double(type, a) + as_double(type, b))
               : a + b;
}

static uint64_t product(enum ni_ptl_datatype type, uint64_t a, uint64_t b)
{
    return types[type].family == FAMILY_FLOAT
               ? from_double(type, as_double(type, a) * as_double(type, b))
               : a * b;
}

/* What becomes of an element; bits beyond its size mean nothing. */
static uint64_t combined(const struct ni_combination *what, uint64_t old, uint64_t data)
{
    switch (what->op) {
    case NI_MIN:
        return relate(what->type, data, old) == LESS ? data : old;
    case NI_MAX:
        return relate(what->type, data, old) == GREATER ? data : old;
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

/* ---- aligned elements, by width --------------------------------------------------------------- */

static uint64_t change8(_Atomic uint8_t *word, const struct ni_combination *what, uint64_t data)
{
    uint8_t old = atomic_load_explicit(word, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(word, &old, (uint8_t)combined(what, old, data),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return old;
}

static uint64_t change16(_Atomic uint16_t *word, const struct ni_combination *what, uint64_t data)
{
    uint16_t old = atomic_load_explicit(word, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(word, &old, (uint16_t)combined(what, old, data),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return old;
}

static uint64_t change32(_Atomic uint32_t *word, const struct ni_combination *what, uint64_t data)
{
    uint32_t old = atomic_load_explicit(word, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(word, &old, (uint32_t)combined(what, old, data),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return old;
}

static uint64_t change64(_Atomic uint64_t *word, const struct ni_combination *what, uint64_t data)
{
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(word, &old, combined(what, old, data),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return old;
}

static uint64_t change(uint8_t *target, unsigned size, const struct ni_combination *what,
                       uint64_t data)
{
    uint64_t old = 0, new;

    if ((uintptr_t)target % size != 0) {
        memcpy(&old, target, size);
        new = combined(what, old, data);
        memcpy(target, &new, size);
        return old;
    }
    switch (size) {
    case 1:
        return change8((_Atomic uint8_t *)target, what, data);
    case 2:
        return change16((_Atomic uint16_t *)(void *)target, what, data);
    case 4:
        return change32((_Atomic uint32_t *)(void *)target, what, data);
    default:
        return change64((_Atomic uint64_t *)(void *)target, what, data);
    }
}

void ni_combine(const struct ni_combination *what, uint8_t *target, const uint8_t *data,
                uint8_t *old, uint64_t length)
{
    unsigned size = types[what->type].size;

    for (uint64_t at = 0; at < length; at += size) {
        uint64_t element = 0, was;

        memcpy(&element, data + at, size);
        was = change(target + at, size, what, element);
        if (old != NULL) {
            memcpy(old + at, &was, size);
        }
    }
}
