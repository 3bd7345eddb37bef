/* SPDX-License-Identifier: BSD-3-Clause */
#include "portal_model.h"

#include <float.h>
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
    case NI_LONG_DOUBLE:
        return sizeof(long double);
    case NI_DOUBLE_COMPLEX:
        return 2 * sizeof(double);
    case NI_LONG_DOUBLE_COMPLEX:
        return 2 * sizeof(long double);
    default:
        return 8;
    }
}

static int is_float(enum ni_ptl_datatype type)
{
    return type == NI_FLOAT || type >= NI_DOUBLE;
}

static int is_complex(enum ni_ptl_datatype type)
{
    return type == NI_FLOAT_COMPLEX || type == NI_DOUBLE_COMPLEX || type == NI_LONG_DOUBLE_COMPLEX;
}

int model_possible(enum ni_ptl_op op, enum ni_ptl_datatype type)
{
    if (is_complex(type)) {
        return op == NI_SUM || op == NI_PROD || (op >= NI_SWAP && op <= NI_CSWAP_NE);
    }

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

/* Whether an operation on floating-point numbers takes the data as it is; the relations are those
 * of the data, or the operand, to the target. */
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

/* ---- numbers of up to two parts, one formula for all ----------------------------------------- */

/* As long double: exact, and so is what is done to the small numbers of tests. */
static void parts_of(enum ni_ptl_datatype type, const void *from, long double part[2])
{
    float narrow[2];
    double wide[2];

    part[1] = 0;
    if (type == NI_FLOAT || type == NI_FLOAT_COMPLEX) {
        memcpy(narrow, from, model_size(type));
        part[0] = (long double)narrow[0];
        part[1] = is_complex(type) ? (long double)narrow[1] : 0;
    } else if (type == NI_DOUBLE || type == NI_DOUBLE_COMPLEX) {
        memcpy(wide, from, model_size(type));
        part[0] = (long double)wide[0];
        part[1] = is_complex(type) ? (long double)wide[1] : 0;
    } else {
        memcpy(part, from, model_size(type));
    }
}

/* What is not a number's own byte stays. */
static void store_parts(enum ni_ptl_datatype type, void *to, const long double part[2])
{
    const float narrow[2] = {(float)part[0], (float)part[1]};
    const double wide[2] = {(double)part[0], (double)part[1]};
    const size_t digits = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);

    if (type == NI_FLOAT || type == NI_FLOAT_COMPLEX) {
        memcpy(to, narrow, model_size(type));
    } else if (type == NI_DOUBLE || type == NI_DOUBLE_COMPLEX) {
        memcpy(to, wide, model_size(type));
    } else {
        memcpy(to, &part[0], digits);
        if (is_complex(type)) {
            memcpy((char *)to + sizeof(part[0]), &part[1], digits);
        }
    }
}

void model_number(enum ni_ptl_datatype type, double real, double imaginary, void *to)
{
    const long double part[2] = {(long double)real, (long double)imaginary};

    memset(to, 0, model_size(type));
    store_parts(type, to, part);
}

static int same(long double a, long double b)
{
    return a >= b && a <= b;
}

static void combine_float(enum ni_ptl_op op, enum ni_ptl_datatype type, void *target,
                          const void *data, const void *operand)
{
    long double t[2], d[2], o[2], result[2];

    parts_of(type, target, t);
    parts_of(type, data, d);
    parts_of(type, op > NI_SWAP ? operand : data, o);
    if (op == NI_SUM || op == NI_PROD) {
        result[0] = op == NI_SUM ? t[0] + d[0] : t[0] * d[0] - t[1] * d[1];
        result[1] = op == NI_SUM ? t[1] + d[1] : t[0] * d[1] + t[1] * d[0];
        store_parts(type, target, result);
    } else if (takes_data(op, o[0] < t[0], same(o[0], t[0]) && same(o[1], t[1]), o[0] > t[0])) {
        memcpy(target, data, model_size(type));
    }
}

void model_combine(enum ni_ptl_op op, enum ni_ptl_datatype type, void *target, const void *data,
                   const void *operand)
{
    uint64_t result;

    if (is_float(type)) {
        combine_float(op, type, target, data, operand);
    } else {
        result = (uint64_t)integer(op, load(type, target), load(type, data), load(type, operand));
        memcpy(target, &result, model_size(type));
    }
}
