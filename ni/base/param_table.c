/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of parameters, and how to find a row by a name that may be misspelt. */
#include <apeni/param.h>

#include <string.h>

#include "base/ascii.h"
#include "base/bits.h"
#include "base/config.h"

#define TEXT(constant, text) text,
static const char *const log_level_names[] = {NI_LOG_LEVEL_LIST(TEXT) NULL};
static const char *const shm_copy_names[] = {NI_SHM_COPY_LIST(TEXT) NULL};
static const char *const placement_names[] = {NI_PLACE_LIST(TEXT) NULL};
static const char *const links_names[] = {NI_LINKS_LIST(TEXT) NULL};
static const char *const multipath_names[] = {NI_MULTIPATH_LIST(TEXT) NULL};
static const char *const simd_names[] = {NI_SIMD_LIST(TEXT) NULL};
#undef TEXT

const struct ni_param ni_params[] = {
#define NI_PARAM_ROW(field, type, default_text, min, max, unit, names, help) \
    {#field,       NI_PARAM_##type,                                          \
     default_text, min,                                                      \
     max,          unit,                                                     \
     names,        offsetof(struct ni_config, field),                        \
     help},
#include "base/params.def"
#undef NI_PARAM_ROW
};

const size_t ni_param_count = NI_ARRAY_LENGTH(ni_params);

const struct ni_param *ni_param_find(const char *name)
{
    for (size_t i = 0; i < ni_param_count; i++) {
        if (strcmp(ni_params[i].name, name) == 0) {
            return &ni_params[i];
        }
    }
    return NULL;
}

/* Longest name that is compared; longer ones resemble nothing. */
#define NAME_MAX_LENGTH 63

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* How many characters must be inserted, deleted, replaced or swapped with their neighbour to make
 * one name of the other (optimal string alignment). rows[i % 3] holds the distances between the
 * first i characters of a and each beginning of b; a swap looks two rows back. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][NAME_MAX_LENGTH + 1];

    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned replaced = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = min3(above[j] + 1, row[j - 1] + 1, replaced);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = min3(row[j], rows[(i - 2) % 3][j - 2] + 1, row[j]);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

/* The only parameter of whose name this is a part, or NULL: ring_size means shm_ring_size. */
static const char *find_by_part(const char *part)
{
    const char *found = NULL;

    for (size_t i = 0; i < ni_param_count; i++) {
        if (strstr(ni_params[i].name, part) != NULL) {
            if (found != NULL) {
                return NULL;
            }
            found = ni_params[i].name;
        }
    }
    return found;
}

const char *ni_param_suggest(const char *name)
{
    char lower[NAME_MAX_LENGTH + 1];
    size_t length = strlen(name);
    const char *closest = NULL;

    if (length == 0 || length > NAME_MAX_LENGTH) {
        return NULL;
    }
    for (size_t i = 0; i <= length; i++) {
        lower[i] = ni_ascii_lower(name[i]);
    }

    /* Up to one slip in three characters; the shortest names allow one. */
    unsigned least = length < 6 ? 2 : (unsigned)length / 3 + 1;

    for (size_t i = 0; i < ni_param_count; i++) {
        size_t other = strlen(ni_params[i].name);

        if (other <= NAME_MAX_LENGTH) {
            unsigned distance = edit_distance(lower, length, ni_params[i].name, other);

            if (distance < least) {
                least = distance;
                closest = ni_params[i].name;
            }
        }
    }
    if (closest == NULL && length >= 4) {
        closest = find_by_part(lower);
    }
    return closest;
}
