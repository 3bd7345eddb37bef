/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings whose name is wrong, or whose value Open MPI refuses. It ignores parameters that it does
 * not know, so that a misspelt one would go unnoticed; a value that it refuses it names in a
 * message that goes through mpirun, which may lose it (see help.c).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "ompi_glue/component.h"

#define ENV_PREFIX "OMPI_MCA_"

enum { NAME_MOST = 63 }; /* longer names resemble nothing */

static bool is_ours(const char *name)
{
    const char *prefix = ompi_glue_self()->prefix;

    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* A name of ours without its prefix. */
static const char *own_part(const char *name)
{
    return name + strlen(ompi_glue_self()->prefix);
}

/* ---- the closest name ------------------------------------------------------------------------ */

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
    unsigned best = (unsigned)strlen(own_part(name)) / 3 + 2;
    const char *found = NULL;
    int count = mca_base_var_get_count();

    if (strlen(name) > NAME_MOST) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        const mca_base_var_t *var;

        if (mca_base_var_get(i, &var) == OPAL_SUCCESS && is_ours(var->mbv_full_name) &&
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

/* ---- one setting ----------------------------------------------------------------------------- */

/* Whether it is a size, of which Open MPI takes the leading digits and no notice of the rest. */
static bool is_size(const char *name)
{
    for (const char *const *size = ompi_glue_self()->sizes; *size != NULL; size++) {
        if (strcmp(name, *size) == 0) {
            return true;
        }
    }
    return false;
}

/* A value that the variable's enumerator refuses, or that is none of the numbers of its type. */
static bool check_value(const char *name, const char *value, int index)
{
    const mca_base_var_t *var;
    char *accepted = NULL;
    uint64_t number;
    int ignored;

    if (mca_base_var_get(index, &var) != OPAL_SUCCESS || *value == '\0') {
        return true; /* nothing leaves the default in force */
    }
    if (var->mbv_enumerator != NULL) {
        mca_base_var_enum_t *values = var->mbv_enumerator;

        if (values->value_from_string(values, value, &ignored) == OPAL_SUCCESS) {
            return true;
        }
        (void)values->dump(values, &accepted);
        ompi_glue_help("bad-value", name, value, accepted != NULL ? accepted : "");
        free(accepted);
        return false;
    }
    if (!is_size(own_part(name)) ||
        (ni_number_parse(value, strlen(value), true, &number) == NULL &&
         (var->mbv_type != MCA_BASE_VAR_TYPE_UNSIGNED_INT || number <= UINT_MAX))) {
        return true;
    }
    ompi_glue_help("bad-value", name, value, "a whole number, optionally with suffix K, M or G");
    return false;
}

/* Name and value of a setting that has our prefix, and where it was found. */
static bool check_setting(const char *name, const char *value, const char *where)
{
    char advice[NAME_MOST + 32] = "";
    const char *close;
    int index;

    if (mca_base_var_find_by_name(name, &index) == OPAL_SUCCESS) {
        return check_value(name, value, index);
    }
    close = closest(name);
    if (close != NULL) {
        snprintf(advice, sizeof(advice), "Did you mean: %s", close);
    }
    ompi_glue_help("unknown-parameter", name, where, advice);
    return false;
}

/* ---- all settings ---------------------------------------------------------------------------- */

static bool check_environment(void)
{
    const size_t before = sizeof(ENV_PREFIX) - 1;
    bool good = true;

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[256];

        if (equals != NULL && strncmp(*entry, ENV_PREFIX, before) == 0 &&
            is_ours(*entry + before)) {
            const char *start = *entry + before;

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

    if (equals == NULL || !is_ours(name)) {
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

bool ompi_glue_check_names(void)
{
    bool environment = check_environment();

    return check_files() && environment;
}
