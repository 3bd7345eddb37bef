/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/external.h"

#include <float.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "type/named.h"

/* A number that is converted in one go. */
struct field {
    size_t native, external; /* bytes */
    bool is_signed, is_long_double;
};

/* ---- what a predefined type consists of ------------------------------------------------------ */

static struct field plain(size_t bytes, bool is_signed)
{
    return (struct field){bytes, bytes, is_signed, false};
}

static struct field long_double(void)
{
    return (struct field){sizeof(long double), 16, false, true};
}

static bool is_narrowed(const struct pri_type *type)
{
    return type == &presto_type_long || type == &presto_type_unsigned_long;
}

/* The value and the index of a pair. */
static void pair_fields(const struct pri_type *type, const size_t size[2], struct field field[2])
{
    field[0] = plain(size[0], true);
    field[1] = plain(size[1], true);
    if (type->kind == PRI_KIND_LONG_INT) {
        field[0].external = 4;
    }
    if (type->kind == PRI_KIND_LDOUBLE_INT) {
        field[0] = long_double();
    }
}

/* Its fields, in order; how many (0 to 2). */
static size_t fields_of(const struct pri_type *type, struct field field[2])
{
    size_t pair[2];

    type = pri_type_like(type);
    if (pri_type_pair_sizes(type, pair)) {
        pair_fields(type, pair, field);
        return 2;
    }
    if (type == &presto_type_complex4 || type == &presto_type_complex32) {
        field[0] = field[1] = plain(type->size / 2, false);
        return 2;
    }
    switch (type->kind) {
    case PRI_KIND_LDOUBLE:
    case PRI_KIND_CLDOUBLE:
        field[0] = field[1] = long_double();
        return type->kind == PRI_KIND_LDOUBLE ? 1 : 2;
    case PRI_KIND_CFLOAT:
    case PRI_KIND_CDOUBLE:
        field[0] = field[1] = plain(type->size / 2, false);
        return 2;
    default:
        break;
    }
    field[0] = plain(type->size, type->kind == PRI_KIND_INT8 || type->kind == PRI_KIND_INT16 ||
                                     type->kind == PRI_KIND_INT32 || type->kind == PRI_KIND_INT64);
    if (is_narrowed(type)) {
        field[0].external = 4;
    } else if (type == &presto_type_wchar) {
        field[0].external = 2;
    }
    return type->size > 0 ? 1 : 0;
}

/* ---- one field ------------------------------------------------------------------------------- */

static void store_big(uint64_t value, uint8_t *out, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; value >>= 8) {
        out[i] = (uint8_t)value;
    }
}

static uint64_t load_big(const uint8_t *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | in[i];
    }
    return value;
}

static uint64_t load_native(const void *in, size_t bytes)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;

    switch (bytes) {
    case 1:
        memcpy(&one, in, sizeof(one));
        return one;
    case 2:
        memcpy(&two, in, sizeof(two));
        return two;
    case 4:
        memcpy(&four, in, sizeof(four));
        return four;
    default:
        memcpy(&eight, in, sizeof(eight));
        return eight;
    }
}

static void store_native(uint64_t value, void *out, size_t bytes)
{
    switch (bytes) {
    case 1:
        memcpy(out, &(uint8_t){(uint8_t)value}, 1);
        break;
    case 2:
        memcpy(out, &(uint16_t){(uint16_t)value}, 2);
        break;
    case 4:
        memcpy(out, &(uint32_t){(uint32_t)value}, 4);
        break;
    default:
        memcpy(out, &value, 8);
    }
}

/* A number of 16 bytes, with 112 bits of mantissa, as the compiler has it. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

static void swap_halves(const uint64_t half[2], uint64_t big[2])
{
    const uint16_t probe = 1;
    bool little = *(const uint8_t *)&probe == 1;

    big[0] = half[little ? 1 : 0];
    big[1] = half[little ? 0 : 1];
}

enum { WIDE = 16 };

static void wide_from(const void *in, uint8_t *out)
{
    uint64_t half[2], big[2];

    memcpy(half, in, WIDE);
    swap_halves(half, big);
    store_big(big[0], out, 8);
    store_big(big[1], out + 8, 8);
}

static void wide_to(const uint8_t *in, void *out)
{
    const uint64_t big[2] = {load_big(in, 8), load_big(in + 8, 8)};
    uint64_t half[2];

    swap_halves(big, half);
    memcpy(out, half, WIDE);
}

static void long_double_from(const void *in, uint8_t *out)
{
    long double value;

    memcpy(&value, in, sizeof(value));
    quad wide = (quad)value;
    wide_from(&wide, out);
}

static void long_double_to(const uint8_t *in, void *out)
{
    quad wide;

    wide_to(in, &wide);
    long double value = (long double)wide;
    memcpy(out, &value, sizeof(value));
}

static void field_from(const struct field *f, const void *in, uint8_t *out)
{
    if (f->is_long_double) {
        long_double_from(in, out);
    } else if (f->native == WIDE) {
        wide_from(in, out);
    } else {
        store_big(load_native(in, f->native), out, f->external);
    }
}

static void field_to(const struct field *f, const uint8_t *in, void *out)
{
    if (f->is_long_double) {
        long_double_to(in, out);
        return;
    }
    if (f->native == WIDE) {
        wide_to(in, out);
        return;
    }
    uint64_t value = load_big(in, f->external);
    unsigned unused = 64 - 8 * (unsigned)f->external;
    if (f->is_signed) {
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    }
    store_native(value, out, f->native);
}

/* ---- elements of any type, by how it was made ------------------------------------------------ */

/* Where a conversion is. */
struct place {
    uint8_t *packed, *external;
    bool out;
};

static void walk_named(const struct pri_type *type, size_t count, struct place *p)
{
    struct field field[2];
    size_t fields = fields_of(type, field);

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < fields; k++) {
            if (p->out) {
                field_from(&field[k], p->packed, p->external);
            } else {
                field_to(&field[k], p->external, p->packed);
            }
            p->packed += field[k].native;
            p->external += field[k].external;
        }
    }
}

static void walk(const struct pri_type *type, size_t count, struct place *p)
{
    const struct pri_recipe *recipe = type->recipe;

    if (type->size == 0 || count == 0) {
        return;
    }
    if (type->predefined) {
        walk_named(type, count, p);
    } else if (recipe->combiner != PRI_COMBINER_STRUCT) {
        walk(recipe->type[0], count * (type->size / recipe->type[0]->size), p);
    } else {
        for (size_t i = 0; i < count; i++) {
            for (int k = 0; k < recipe->types; k++) {
                walk(recipe->type[k], (size_t)recipe->integer[1 + k], p);
            }
        }
    }
}

size_t pri_external_size(const struct pri_type *type)
{
    const struct pri_recipe *recipe = type->recipe;
    struct field field[2] = {{0}};
    size_t bytes = 0;

    if (type->size == 0) {
        return 0;
    }
    if (type->predefined) {
        return fields_of(type, field) == 2 ? field[0].external + field[1].external
                                           : field[0].external;
    }
    if (recipe->combiner != PRI_COMBINER_STRUCT) {
        return type->size / recipe->type[0]->size * pri_external_size(recipe->type[0]);
    }
    for (int k = 0; k < recipe->types; k++) {
        bytes += (size_t)recipe->integer[1 + k] * pri_external_size(recipe->type[k]);
    }
    return bytes;
}

bool pri_external_possible(const struct pri_type *type)
{
    const struct pri_recipe *recipe = type->recipe;

    if (type->predefined) {
        return type != &presto_type_packed;
    }
    for (int k = 0; k < recipe->types; k++) {
        if (!pri_external_possible(recipe->type[k])) {
            return false;
        }
    }
    return true;
}

void pri_external_from(const struct pri_type *type, size_t count, const void *packed, void *out)
{
    walk(type, count, &(struct place){(void *)packed, out, true});
}

void pri_external_to(const struct pri_type *type, size_t count, const void *in, void *packed)
{
    walk(type, count, &(struct place){packed, (void *)in, false});
}
