/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings whose name is wrong. Open MPI ignores parameters that it does not know; a misspelt one
 * would go unnoticed. */
#include "btl_apelink/btl_apelink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/number.h"

#define OURS       "btl_apelink_"
#define ENV_PREFIX "OMPI_MCA_"

enum { NAME_MOST = 63 }; /* longer names resemble nothing */

/* ---- the closest name ----------------------------------------------------------------------------- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Characters to insert, delete or replace to make one name of the other. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[NAME_MOST + 1];
    size_t width = strlen(b);

    for (size_t j = 0; j <= width; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 1; j <= width; j++) {
            unsigned replaced = diagonal + (a[i] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, replaced);
        }
    }
    return row[width];
}

/* The parameter of ours that is closest to the name, or NULL if none is close. */
static const char *closest(const char *name)
{
    unsigned best = (unsigned)strlen(name + sizeof(OURS) - 1) / 3 + 2;
    const char *found = NULL;
    int count = mca_base_var_get_count();

    if (strlen(name) > NAME_MOST) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        const mca_base_var_t *var;

        if (mca_base_var_get(i, &var) == OPAL_SUCCESS &&
            strncmp(var->mbv_full_name, OURS, sizeof(OURS) - 1) == 0 &&
            (var->mbv_flags & MCA_BASE_VAR_FLAG_INTERNAL) == 0 &&
            strlen(var->mbv_full_name) <= NAME_MOST) {
            unsigned d = distance(name, var->mbv_full_name);

            if (d < best) {
                best = d;
                found = var->mbv_full_name;
            }
        }
    }
    return found;
}

/* ---- one setting ---------------------------------------------------------------------------------- */

/* Sizes of Open MPI's own set, of which it takes the leading digits and no notice of the rest. */
static bool is_size(const char *name)
{
    static const char *const sizes[] = {"eager_limit",
                                        "rndv_eager_limit",
                                        "max_send_size",
                                        "get_limit",
                                        "put_limit",
                                        "rdma_pipeline_send_length",
                                        "rdma_pipeline_frag_size",
                                        "min_rdma_pipeline_size",
                                        "frag_max"};

    for (size_t i = 0; i < NI_ARRAY_LENGTH(sizes); i++) {
        if (strcmp(name, sizes[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Name and value of a setting that has our prefix, and where it was found. */
static bool check_setting(const char *name, const char *value, const char *where)
{
    char advice[NAME_MOST + 32] = "";
    const char *close;
    uint64_t number;
    int index;

    if (mca_base_var_find_by_name(name, &index) == OPAL_SUCCESS) {
        if (!is_size(name + sizeof(OURS) - 1) ||
            ni_number_parse(value, strlen(value), true, &number) == NULL) {
            return true;
        }
        mca_btl_apelink_help_once("bad-value", name, value,
                                  "a whole number, optionally with suffix K, M or G");
        return false;
    }
    close = closest(name);
    if (close != NULL) {
        snprintf(advice, sizeof(advice), "Did you mean: %s", close);
    }
    mca_btl_apelink_help_once("unknown-parameter", name, where, advice);
    return false;
}

/* ---- all settings --------------------------------------------------------------------------------- */

static bool check_environment(void)
{
    const char prefix[] = ENV_PREFIX OURS;
    bool good = true;

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[256];

        if (equals != NULL && strncmp(*entry, prefix, sizeof(prefix) - 1) == 0) {
            const char *start = *entry + sizeof(ENV_PREFIX) - 1;

            snprintf(name, sizeof(name), "%.*s", (int)(equals - start), start);
            good &= check_setting(name, equals + 1, "the environment or the command line");
        }
    }
    return good;
}

/* One line of a parameter file, "name = value"; may be changed. */
static bool check_line(char *line, const char *file)
{
    char *name = line + strspn(line, " \t");
    char *equals = strchr(name, '=');
    char *value, *end;

    if (equals == NULL || strncmp(name, OURS, sizeof(OURS) - 1) != 0) {
        return true;
    }
    value = equals + 1 + strspn(equals + 1, " \t");
    for (end = equals; end > name && strchr(" \t=", *end) != NULL; end--) {
        *end = '\0';
    }
    for (end = value + strlen(value); end > value && strchr(" \t\r\n\"", end[-1]) != NULL; end--) {
        end[-1] = '\0';
    }
    return check_setting(name, *value == '"' ? value + 1 : value, file);
}

static bool check_file(const char *file)
{
    FILE *stream = fopen(file, "r");
    char *line = NULL;
    size_t size = 0;
    bool good = true;

    if (stream == NULL) {
        return true; /* most need not exist */
    }
    while (getline(&line, &size, stream) >= 0) {
        good &= check_line(line, file);
    }
    free(line);
    (void)fclose(stream);
    return good;
}

/* The files that Open MPI has read, as it says itself. */
static bool check_files(void)
{
    const char *const *value = NULL;
    char *files, *rest, *file;
    bool good = true;
    int index;

    if (mca_base_var_find_by_name("mca_base_param_files", &index) != OPAL_SUCCESS ||
        mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS || value == NULL ||
        *value == NULL) {
        return true;
    }
    files = strdup(*value);
    if (files == NULL) {
        return true;
    }
    for (file = strtok_r(files, ",", &rest); file != NULL; file = strtok_r(NULL, ",", &rest)) {
        good &= check_file(file);
    }
    free(files);
    return good;
}

bool mca_btl_apelink_check_names(void)
{
    bool environment = check_environment();

    return check_files() && environment;
}
