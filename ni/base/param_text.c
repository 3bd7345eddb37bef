/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/param_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bits.h"
#include "base/config.h"
#include "base/fault_inl.h"
#include "base/number.h"

/* The even ones mean no, the odd ones yes. */
static const char *const bool_names[] = {"no", "yes", "0", "1", "false", "true", "off", "on", NULL};

/* The place of text in names, upper or lower case, or -1. */
static int find_param_word(const char *const *names, const char *text)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (ni_ascii_same(names[i], text)) {
            return i;
        }
    }
    return -1;
}

/* What is wrong with the text of a number, or NULL. */
static const char *parse_number(const struct ni_param *param, const char *text, uint64_t *value)
{
    uint64_t number = 0;
    const char *wrong = ni_number_parse(text, strlen(text), param->type == NI_PARAM_SIZE, &number);

    if (wrong != NULL) {
        return wrong;
    }
    if (number < param->min || number > param->max) {
        return "it is out of range";
    }
    *value = number;
    return NULL;
}

static const char *parse_name(const char *const *names, const char *text, uint64_t *value)
{
    int found = find_param_word(names, text);

    if (found < 0) {
        return "there is no such choice";
    }
    *value = (uint64_t)found;
    return NULL;
}

ni_status ni_param_parse(const struct ni_param *param, const char *text, uint64_t *value,
                         char *error, size_t error_size)
{
    const char *wrong = NULL;

    switch (param->type) {
    case NI_PARAM_UINT:
    case NI_PARAM_SIZE:
        wrong = parse_number(param, text, value);
        break;
    case NI_PARAM_BOOL:
        wrong = parse_name(bool_names, text, value);
        *value &= 1;
        break;
    case NI_PARAM_ENUM:
        wrong = parse_name(param->names, text, value);
        break;
    case NI_PARAM_STRING:
        /* the one string with a grammar says by itself what is wrong with it */
        return param->offset == offsetof(struct ni_config, fault)
                   ? ni_fault_check(text, error, error_size)
                   : NI_OK;
    }
    if (wrong != NULL) {
        char accepted[512];

        ni_param_accepted(param, accepted, sizeof accepted);
        snprintf(error, error_size, "%s; accepted: %s", wrong, accepted);
        return NI_ERR_PARAM;
    }
    return NI_OK;
}

/* snprintf at the end of a text that may be full already; length counts what did not fit too. */
static void append_text(char *text, size_t size, int *length, const char *separator,
                        const char *more)
{
    size_t used = (size_t)*length < size ? (size_t)*length : size;

    *length += snprintf(text + used, size - used, "%s%s", separator, more);
}

static int list_names(const char *const *names, char *text, size_t size)
{
    int length = 0;

    for (int i = 0; names[i] != NULL; i++) {
        append_text(text, size, &length, i == 0 ? "" : ", ", names[i]);
    }
    return length;
}

int ni_param_accepted(const struct ni_param *param, char *text, size_t size)
{
    const char *blank = param->unit[0] != '\0' ? " " : "";
    char min[32], max[32];

    switch (param->type) {
    case NI_PARAM_UINT:
        return snprintf(text, size, "%" PRIu64 " to %" PRIu64 "%s%s", param->min, param->max, blank,
                        param->unit);
    case NI_PARAM_SIZE:
        ni_number_format_size(min, sizeof min, param->min);
        ni_number_format_size(max, sizeof max, param->max);
        return snprintf(text, size, "%s to %s%s%s, with or without a suffix K, M or G", min, max,
                        blank, param->unit);
    case NI_PARAM_BOOL:
        return list_names(bool_names, text, size);
    case NI_PARAM_ENUM:
        return list_names(param->names, text, size);
    case NI_PARAM_STRING:
        break;
    }
    return snprintf(text, size, "text");
}

int ni_param_env_name(const char *name, char *text, size_t size)
{
    int length = snprintf(text, size, NI_PARAM_ENV_PREFIX "%s", name);

    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        text[i] = ni_ascii_upper(text[i]);
    }
    return length;
}

const char *ni_param_type_name(enum ni_param_type type)
{
    static const char *const names[] = {"uint", "size", "bool", "enum", "string"};

    return (unsigned)type < NI_ARRAY_LENGTH(names) ? names[type] : "unknown";
}

int ni_param_format(const struct ni_param *param, char *text, size_t size)
{
    const void *field = (const char *)ni_config_get() + param->offset;
    uint64_t value;

    if (param->type == NI_PARAM_STRING) {
        return snprintf(text, size, "%s", *(const char *const *)field);
    }
    value = *(const uint64_t *)field;
    switch (param->type) {
    case NI_PARAM_SIZE:
        return ni_number_format_size(text, size, value);
    case NI_PARAM_BOOL:
        return snprintf(text, size, "%s", bool_names[value & 1]);
    case NI_PARAM_ENUM:
        return snprintf(text, size, "%s", param->names[value]);
    default:
        return snprintf(text, size, "%" PRIu64, value);
    }
}
