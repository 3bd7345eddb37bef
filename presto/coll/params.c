/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds from the environment. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/bits.h"
#include "base/log.h"
#include "base/param_text.h"
#include "coll/state.h"

static const struct ni_param rows[] = {
#define PRI_COLL_PARAM(field, default_text, min, max, unit, help)                  \
    {#field, NI_PARAM_SIZE, default_text, min,                                     \
     max,    unit,          NULL,         offsetof(struct pri_coll_params, field), \
     help},
#include "coll/params.def"
#undef PRI_COLL_PARAM
};

static const char *value_of(const char *field, char *name, size_t size)
{
    int length = snprintf(name, size, "PRESTO_COLL_%s", field);

    for (int i = 0; i < length; i++) {
        name[i] = ni_ascii_upper(name[i]);
    }
    return getenv(name);
}

int pri_coll_params_read(struct pri_coll_params *params)
{
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        char name[64], wrong[256];
        const char *text = value_of(rows[i].name, name, sizeof name);
        uint64_t value;

        if (text == NULL) {
            text = rows[i].default_text;
        }
        if (ni_param_parse(&rows[i], text, &value, wrong, sizeof wrong) != NI_OK) {
            fprintf(stderr, "presto: %s=%s: %s\n", name, text, wrong);
            return PRI_ERR_ARG;
        }
        *(size_t *)((char *)params + rows[i].offset) = (size_t)value;
    }
    return 0;
}
