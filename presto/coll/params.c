/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds from the environment. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/bits.h"
#include "base/log.h"
#include "base/param_text.h"
#include "coll/state.h"

const struct ni_param pri_coll_param_rows[] = {
#define PRI_COLL_PARAM(field, default_text, min, max, unit, help)                  \
    {#field, NI_PARAM_SIZE, default_text, min,                                     \
     max,    unit,          NULL,         offsetof(struct pri_coll_params, field), \
     help},
#include "coll/params.def"
#undef PRI_COLL_PARAM
};

const size_t pri_coll_param_count = NI_ARRAY_LENGTH(pri_coll_param_rows);

static void name_of(const char *field, char *name, size_t size)
{
    int length = snprintf(name, size, "PRESTO_COLL_%s", field);

    for (int i = 0; i < length; i++) {
        name[i] = ni_ascii_upper(name[i]);
    }
}

static const char *value_of(const char *field, char *name, size_t size)
{
    name_of(field, name, size);
    return getenv(name);
}

uint64_t pri_coll_param_value(const struct ni_param *row)
{
    char name[64], wrong[256];
    const char *text = value_of(row->name, name, sizeof name);
    uint64_t value = 0;

    if (text == NULL || ni_param_parse(row, text, &value, wrong, sizeof wrong) != NI_OK) {
        (void)ni_param_parse(row, row->default_text, &value, wrong, sizeof wrong);
    }
    return value;
}

int pri_coll_param_set(const struct ni_param *row, const char *text)
{
    char name[64], wrong[256];
    uint64_t value;

    name_of(row->name, name, sizeof name);
    if (ni_param_parse(row, text, &value, wrong, sizeof wrong) != NI_OK ||
        setenv(name, text, 1) != 0) {
        return PRI_ERR_ARG;
    }
    return 0;
}

int pri_coll_params_read(struct pri_coll_params *params)
{
    for (size_t i = 0; i < pri_coll_param_count; i++) {
        char name[64], wrong[256];
        const char *text = value_of(pri_coll_param_rows[i].name, name, sizeof name);
        uint64_t value;

        if (text == NULL) {
            text = pri_coll_param_rows[i].default_text;
        }
        if (ni_param_parse(&pri_coll_param_rows[i], text, &value, wrong, sizeof wrong) != NI_OK) {
            fprintf(stderr, "presto: %s=%s: %s\n", name, text, wrong);
            return PRI_ERR_ARG;
        }
        *(size_t *)((char *)params + pri_coll_param_rows[i].offset) = (size_t)value;
    }
    return 0;
}
