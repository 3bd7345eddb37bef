/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PARAM_H
#define APENI_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * Parameters. Each is declared once, in ni/base/params.def, as a row of name, type, default,
 * range, unit and help. The row feeds the field of struct ni_config of the same name, the
 * environment variable APENI_<NAME> (in capitals), the MCA variables btl_apelink_<name> and
 * mtl_match_<name> and pml_match_<name> (registered by the components), apeni-info and
 * docs/parameters.md. A value that does not parse or lies outside of the range, and a variable with
 * our prefix that names no parameter, are errors which name the variable, the value, what is
 * accepted and, for a misspelt name, the closest one.
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

enum ni_param_type {
    NI_PARAM_UINT,   /* uint64_t, decimal or 0x */
    NI_PARAM_SIZE,   /* uint64_t bytes; suffix K, M or G, powers of 1024 */
    NI_PARAM_BOOL,   /* 0/1, no/yes, false/true, off/on; stored as uint64_t */
    NI_PARAM_ENUM,   /* one of names[]; stored as its index in uint64_t */
    NI_PARAM_STRING, /* const char *, owned by the config */
};

struct ni_param {
    const char *name;
    enum ni_param_type type;
    const char *default_text;
    uint64_t min, max;        /* inclusive, for UINT and SIZE */
    const char *unit;         /* "bytes", "us", "" ... */
    const char *const *names; /* ENUM: NULL-terminated */
    size_t offset;            /* in struct ni_config */
    const char *help;         /* one or more sentences */
};

struct ni_config; /* one field per parameter, at `offset`; its layout is the library's own */

/* The table and its length, in the order of docs/parameters.md. */
extern const struct ni_param ni_params[];
extern const size_t ni_param_count;

/* The row of a parameter, or NULL. */
const struct ni_param *ni_param_find(const char *name);

/* The process-wide configuration; on first use filled with defaults and then from the environment,
 * where a bad value leaves the default. Never NULL. Read-only once an NI is open. Thread-safe. */
struct ni_config *ni_config_get(void);

/* Read the environment again and report every bad value and unknown APENI_ name by
 * ni_log(NI_LOG_ERROR). Returns NI_OK or NI_ERR_PARAM if there was any. ni_open calls it. */
ni_status ni_config_check_environment(void);

/* Parse text into the parameter. On error returns NI_ERR_PARAM and writes a sentence (what is
 * wrong, what is accepted) to error. origin names where the value came from, for apeni-info and
 * messages: "environment", "mca NAME", ...; it is copied. error may be NULL if error_size is 0. Not
 * thread-safe: before an NI is open. */
ni_status ni_param_set(const char *name, const char *text, const char *origin, char *error,
                       size_t error_size);

/* Print the current value into text, as ni_param_set reads it; returns the length as snprintf
 * does. */
int ni_param_format(const struct ni_param *param, char *text, size_t size);

/* Where the current value came from: "default" or the origin given to ni_param_set, until that is
 * called again. */
const char *ni_param_origin(const struct ni_param *param);

/* The parameter whose name is closest to a misspelt one, or NULL if none is close. */
const char *ni_param_suggest(const char *name);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
