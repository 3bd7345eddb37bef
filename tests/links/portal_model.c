/* SPDX-License-Identifier: BSD-3-Clause */
#include "portal_model.h"

#include <string.h>

__extension__ typedef __int128 model_wide;
__extension__ typedef unsigned __int128 model_bits;

size_t model_size(enum ni_ptl_datatype type)
{
    switch (type) {
    case NI_INT8_T:
    case NI_UINT8_T:
        return 1;
    case NI_INT16_T:
    case NI_UINT16_T:
        return 2;
    case NI_INT32_T:
    case NI_UINT32_T:
    case NI_FLOAT:
        return 4;
    default:
        return 8;
    }
}

static int is_float(enum ni_ptl_datatype type)
{
    return type == NI_FLOAT || type == NI_DOUBLE;
}

int model_possible(enum ni_ptl_op op, enum ni_ptl_datatype type)
{
    static const char of_floats[] = {
        [NI_MIN] = 1,      [NI_MAX] = 1,      [NI_SUM] = 1,      [NI_PROD] = 1,
        [NI_SWAP] = 1,     [NI_CSWAP] = 1,    [NI_CSWAP_NE] = 1, [NI_CSWAP_LE] = 1,
        [NI_CSWAP_LT] = 1, [NI_CSWAP_GE] = 1, [NI_CSWAP_GT] = 1, [NI_MSWAP] = 0,
    };

    return !is_float(type) || of_floats[op];
}

static model_wide load(enum ni_ptl_datatype type, const void *from)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint64_t bits = 0;

    memcpy(&bits, from, model_size(type));
    memcpy(&i8, from, sizeof(i8));
    switch (type) {
    case NI_INT8_T:
        return i8;
    case NI_INT16_T:
        memcpy(&i16, from, sizeof(i16));
        return i16;
    case NI_INT32_T:
        memcpy(&i32, from, sizeof(i32));
        return i32;
    case NI_INT64_T:
        memcpy(&i64, from, sizeof(i64));
        return i64;
    default:
        return (model_wide)bits;
    }
}

static model_wide integer(enum ni_ptl_op op, model_wide t, model_wide d, model_wide o)
{
    switch (op) {
    case NI_MIN:
        return d < t ? d : t;
    case NI_MAX:
        return d > t ? d : t;
    case NI_SUM:
        return t + d;
    case NI_PROD:
        return (model_wide)((model_bits)t * (model_bits)d);
    case NI_LOR:
        return t || d;
    case NI_LAND:
        return t && d;
    case NI_BOR:
        return t | d;
    case NI_BAND:
        return t & d;
    case NI_LXOR:
        return !t != !d;
    case NI_BXOR:
        return t ^ d;
    case NI_SWAP:
        return d;
    case NI_CSWAP:
        return o == t ? d : t;
    case NI_CSWAP_NE:
        return o != t ? d : t;
    case NI_CSWAP_LE:
        return o <= t ? d : t;
    case NI_CSWAP_LT:
        return o < t ? d : t;
    case NI_CSWAP_GE:
        return o >= t ? d : t;
    case NI_CSWAP_GT:
        return o > t ? d : t;
    default:
        return (d & o) | (t & ~o);
    }
}

/* Whether an operation on floating-point numbers takes the data as it is; the relations are those of
 * the data, or the operand, to the target. */
static int takes_data(enum ni_ptl_op op, int less, int equal, int greater)
{
    switch (op) {
    case NI_SWAP:
        return 1;
    case NI_MIN:
    case NI_CSWAP_LT:
        return less;
    case NI_MAX:
    case NI_CSWAP_GT:
        return greater;
    case NI_CSWAP:
        return equal;
    case NI_CSWAP_NE:
        return !equal;
    case NI_CSWAP_LE:
        return less || equal;
    case NI_CSWAP_GE:
        return greater || equal;
    default:
        return 0;
    }
}

static void combine_float(enum ni_ptl_op op, void *target, const void *data, const void *operand)
{
    float t, d, o, other;

    memcpy(&t, target, sizeof(t));
    memcpy(&d, data, sizeof(d));
    memcpy(&o, operand, sizeof(o));
    other = op >= NI_SWAP ? o : d;
    if (op == NI_SUM || op == NI_PROD) {
        t = op == NI_SUM ? t + d : t * d;
    } else if (takes_data(op, other < t, other >= t && other <= t, other > t)) {
        t = d;
    }
    memcpy(target, &t, sizeof(t));
}

static void combine_double(enum ni_ptl_op op, void *target, const void *data, const void *operand)
{
    double t, d, o, other;

    memcpy(&t, target, sizeof(t));
    memcpy(&d, data, sizeof(d));
    memcpy(&o, operand, sizeof(o));
    other = op >= NI_SWAP ? o : d;
    if (op == NI_SUM || op == NI_PROD) {
        t = op == NI_SUM ? t + d : t * d;
    } else if (takes_data(op, other < t, other >= t && other <= t, other > t)) {
        t = d;
    }
    memcpy(target, &t, sizeof(t));
}

void model_combine(enum ni_ptl_op op, enum ni_ptl_datatype type, void *target, const void *data,
                   const void *operand)
{
    uint64_t result;

    if (type == NI_FLOAT) {
        combine_float(op, target, data, operand);
    } else if (type == NI_DOUBLE) {
        combine_double(op, target, data, operand);
    } else {
        result = (uint64_t)integer(op, load(type, target), load(type, data), load(type, operand));
        memcpy(target, &result, model_size(type));
    }
}
