/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/element.h"
#include "common/pattern.h"

#include <string.h>

size_t osu_element_size(enum osu_type type)
{
    switch (type) {
    case OSU_TYPE_CHAR:
        return sizeof(signed char);
    case OSU_TYPE_INT:
        return sizeof(int);
    case OSU_TYPE_FLOAT:
        return sizeof(float);
    case OSU_TYPE_LONG_LONG:
        break;
    }
    return sizeof(long long);
}

/* MPI defines no arithmetic on MPI_CHAR, which is for text; MPI_SIGNED_CHAR has it. */
MPI_Datatype osu_element_datatype(enum osu_type type)
{
    switch (type) {
    case OSU_TYPE_CHAR:
        return MPI_SIGNED_CHAR;
    case OSU_TYPE_INT:
        return MPI_INT;
    case OSU_TYPE_FLOAT:
        return MPI_FLOAT;
    case OSU_TYPE_LONG_LONG:
        break;
    }
    return MPI_LONG_LONG;
}

const char *osu_element_name(enum osu_type type)
{
    static const char *const names[] = {"MPI_SIGNED_CHAR", "MPI_INT", "MPI_LONG_LONG", "MPI_FLOAT"};
    return names[type];
}

static unsigned char *element_at(void *array, size_t index, enum osu_type type)
{
    return (unsigned char *)array + index * osu_element_size(type);
}

void osu_element_store(void *array, size_t index, enum osu_type type, long long value)
{
    signed char as_char = (signed char)value;
    int as_int = (int)value;
    float as_float = (float)value;
    const void *bytes = &value;

    if (type == OSU_TYPE_CHAR) {
        bytes = &as_char;
    } else if (type == OSU_TYPE_INT) {
        bytes = &as_int;
    } else if (type == OSU_TYPE_FLOAT) {
        bytes = &as_float;
    }
    memcpy(element_at(array, index, type), bytes, osu_element_size(type));
}

static long long load(const void *array, size_t index, enum osu_type type)
{
    const unsigned char *at = (const unsigned char *)array + index * osu_element_size(type);
    long long as_long_long;
    signed char as_char;
    int as_int;
    float as_float;

    switch (type) {
    case OSU_TYPE_CHAR:
        memcpy(&as_char, at, sizeof(as_char));
        return as_char;
    case OSU_TYPE_INT:
        memcpy(&as_int, at, sizeof(as_int));
        return as_int;
    case OSU_TYPE_FLOAT:
        memcpy(&as_float, at, sizeof(as_float));
        /* What arrived may be no number at all. */
        return as_float > -1e18f && as_float < 1e18f ? (long long)as_float : -1;
    case OSU_TYPE_LONG_LONG:
        break;
    }
    memcpy(&as_long_long, at, sizeof(as_long_long));
    return as_long_long;
}

size_t osu_element_check(const void *array, size_t index, enum osu_type type, long long value)
{
    unsigned char wanted[sizeof(long long)];

    osu_element_store(wanted, 0, type, value);
    const unsigned char *found = (const unsigned char *)array + index * osu_element_size(type);
    if (memcmp(found, wanted, osu_element_size(type)) == 0) {
        return 0;
    }
    osu_pattern_complain("element", index, load(wanted, 0, type), load(array, index, type));
    return 1;
}
