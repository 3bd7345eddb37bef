/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_PARAM_TEXT_H
#define NI_BASE_PARAM_TEXT_H

#include <apeni/param.h>

/*
 * Parameter values as text, both ways, without a place where they are kept.
 */

#define NI_PARAM_ENV_PREFIX "APENI_"

/* Text to value: of all types but STRING into *value; a STRING is only checked. On error returns
 * NI_ERR_PARAM and writes what is wrong and what is accepted to error, without naming the
 * parameter. Pure. */
ni_status ni_param_parse(const struct ni_param *param, const char *text, uint64_t *value,
                         char *error, size_t error_size);

/* What is accepted: "4K to 1M bytes, optionally with suffix K, M or G". Returns the length as
 * snprintf does. */
int ni_param_accepted(const struct ni_param *param, char *text, size_t size);

/* The name of the environment variable of a parameter; returns the length as snprintf does. */
int ni_param_env_name(const char *name, char *text, size_t size);

/* "uint", "size", ... */
const char *ni_param_type_name(enum ni_param_type type);

#endif
