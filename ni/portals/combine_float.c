/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <string.h>

#include "portals/combine.h"

/* Arithmetic of floating-point numbers, real and complex, at any address. */

/* Bytes of a long double that mean something: what is behind them stays as it is, so that nothing
 * that was on the stack gets into an answer. */
enum { LONG_BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

/* The real or the imaginary part; no type is wider. */
static long double complex_part(enum ni_ptl_datatype type, const void *element, unsigned which)
{
    const uint8_t *at = element;
    long double longest;
    double wide;
    float narrow;

    switch (type) {
    case NI_FLOAT:
    case NI_FLOAT_COMPLEX:
        memcpy(&narrow, at + which * sizeof(narrow), sizeof(narrow));
        return (long double)narrow;
    case NI_DOUBLE:
    case NI_DOUBLE_COMPLEX:
        memcpy(&wide, at + which * sizeof(wide), sizeof(wide));
        return (long double)wide;
    default:
        memcpy(&longest, at + which * sizeof(longest), sizeof(longest));
        return longest;
    }
}

unsigned ni_float_relate(enum ni_ptl_datatype type, const void *a, const void *b)
{
    long double x = complex_part(type, a, 0), y = complex_part(type, b, 0);
    bool equal = x >= y && x <= y;

    if (!ni_datatype_is_complex(type)) {
        return (x < y ? NI_LESS : 0U) | (x > y ? NI_GREATER : 0U) | (equal ? NI_EQUAL : 0U);
    }
    x = complex_part(type, a, 1);
    y = complex_part(type, b, 1);
    return equal && x >= y && x <= y ? NI_EQUAL : 0U;
}

static void floats(bool multiply, uint8_t *target, const uint8_t *data)
{
    float x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, sizeof(x));
}

static void doubles(bool multiply, uint8_t *target, const uint8_t *data)
{
    double x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, sizeof(x));
}

static void long_doubles(bool multiply, uint8_t *target, const uint8_t *data)
{
    long double x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, LONG_BYTES);
}

static void complex_floats(bool multiply, uint8_t *target, const uint8_t *data)
{
    float _Complex x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, sizeof(x));
}

static void complex_doubles(bool multiply, uint8_t *target, const uint8_t *data)
{
    double _Complex x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, sizeof(x));
}

static void complex_long_doubles(bool multiply, uint8_t *target, const uint8_t *data)
{
    const size_t other = sizeof(long double);
    long double _Complex x, y;

    memcpy(&x, target, sizeof(x));
    memcpy(&y, data, sizeof(y));
    x = multiply ? x * y : x + y;
    memcpy(target, &x, LONG_BYTES);
    memcpy(target + other, (const uint8_t *)&x + other, LONG_BYTES);
}

void ni_float_combine(enum ni_ptl_datatype type, bool multiply, void *target, const void *data)
{
    static void (*const loops[])(bool, uint8_t *, const uint8_t *) = {
        [NI_FLOAT] = floats,
        [NI_DOUBLE] = doubles,
        [NI_FLOAT_COMPLEX] = complex_floats,
        [NI_DOUBLE_COMPLEX] = complex_doubles,
        [NI_LONG_DOUBLE] = long_doubles,
        [NI_LONG_DOUBLE_COMPLEX] = complex_long_doubles,
    };

    loops[type](multiply, target, data);
}
