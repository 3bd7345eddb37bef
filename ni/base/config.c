/* SPDX-License-Identifier: BSD-3-Clause */
/* The process-wide values of the parameters, and where each came from. */
#include "base/config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/fault_inl.h"
#include "base/log.h"
#include "base/param_text.h"

#define ROWS       NI_ARRAY_LENGTH(((struct config_rows *)0)->row)
#define ERROR_SIZE 512

/* One member per row of params.def, to count them at compile time. */
struct config_rows {
    char row[0
#define NI_PARAM_ROW(field, type, default_text, min, max, unit, names, help) +1
#include "base/params.def"
#undef NI_PARAM_ROW
    ];
};

static pthread_once_t config_once = PTHREAD_ONCE_INIT;
static struct ni_config config;
static char *config_owned[ROWS];     /* what STRING fields point to, unless it is a default */
static char config_origin[ROWS][96]; /* a copy: the caller's text may be on its stack */

static size_t row_of(const struct ni_param *param)
{
    return (size_t)(param - ni_params);
}

static void *field_of(const struct ni_param *param)
{
    return (char *)&config + param->offset;
}

/* The parameter fault says all that is to be injected; but while it says nothing, and never did,
 * what a test has armed by calls stays. */
static void apply_fault(void)
{
    static bool was_set;
    char error[ERROR_SIZE];
    bool is_set = config.fault[0] != '\0';

    if (is_set || was_set) {
        ni_fault_reset();
        (void)ni_fault_parse(config.fault, error, sizeof error); /* was checked before */
    }
    was_set = is_set;
}

/* Tell those who keep a copy of a value. */
static void tell_param_users(const struct ni_param *param)
{
    if (param->offset == offsetof(struct ni_config, log_level)) {
        ni_log_configure((enum ni_log_level)config.log_level);
    } else if (param->offset == offsetof(struct ni_config, fault)) {
        apply_fault();
    }
}

/* Put a value that was parsed, or a copy of a string, in its place. */
static ni_status store_param(const struct ni_param *param, const char *text, uint64_t value,
                             const char *origin)
{
    size_t row = row_of(param);

    if (param->type != NI_PARAM_STRING) {
        *(uint64_t *)field_of(param) = value;
    } else {
        bool is_default = strcmp(text, param->default_text) == 0;
        /* not a fault point: it would hit the parameter that arms it */
        char *copy = is_default ? NULL : strdup(text);

        if (copy == NULL && !is_default) {
            return NI_ERR_NOMEM;
        }
        *(const char **)field_of(param) = is_default ? param->default_text : copy;
        ni_free(config_owned[row]);
        config_owned[row] = copy;
    }
    snprintf(config_origin[row], sizeof config_origin[row], "%s", origin);
    return NI_OK;
}

static ni_status parse_and_store(const struct ni_param *param, const char *text, const char *origin,
                                 char *error, size_t error_size)
{
    uint64_t value = 0;
    ni_status status = ni_param_parse(param, text, &value, error, error_size);

    if (status != NI_OK) {
        return status;
    }
    status = store_param(param, text, value, origin);
    if (status != NI_OK) {
        snprintf(error, error_size, "%s", ni_status_text(status));
    }
    return status;
}

/* Defaults, then the environment. A bad value leaves the default; ni_config_check_environment
 * tells the user, because nothing may be logged here: the log asks for its level. */
static void config_load(void)
{
    char error[ERROR_SIZE], env[128];

    for (size_t i = 0; i < ni_param_count; i++) {
        const char *text;

        if (parse_and_store(&ni_params[i], ni_params[i].default_text, "default", error,
                            sizeof error) != NI_OK &&
            ni_params[i].type == NI_PARAM_STRING) {
            *(const char **)field_of(&ni_params[i]) = "";
        }
        ni_param_env_name(ni_params[i].name, env, sizeof env);
        text = getenv(env);
        if (text != NULL) {
            (void)parse_and_store(&ni_params[i], text, "environment", error, sizeof error);
        }
    }
    for (size_t i = 0; i < ni_param_count; i++) {
        tell_param_users(&ni_params[i]);
    }
}

struct ni_config *ni_config_get(void)
{
    pthread_once(&config_once, config_load);
    return &config;
}

/* When the code leaves the process, with a component, or the process ends. */
__attribute__((destructor)) static void config_free(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (config_owned[i] != NULL) {
            *(const char **)field_of(&ni_params[i]) = "";
            ni_free(config_owned[i]);
            config_owned[i] = NULL;
        }
    }
}

void ni_config_reload(void)
{
    (void)ni_config_get();
    config_load();
}

const char *ni_param_origin(const struct ni_param *param)
{
    (void)ni_config_get();
    return config_origin[row_of(param)];
}

void ni_config_name(const char *name, char *text, size_t size)
{
    const char *origin = ni_param_origin(ni_param_find(name));

    if (strncmp(origin, "mca ", 4) == 0) {
        snprintf(text, size, "%s", origin + 4);
    } else {
        ni_param_env_name(name, text, size);
    }
}

ni_status ni_param_set(const char *name, const char *text, const char *origin, char *error,
                       size_t error_size)
{
    const struct ni_param *param = ni_param_find(name);
    char wrong[ERROR_SIZE];

    (void)ni_config_get();
    if (param == NULL) {
        const char *close = ni_param_suggest(name);

        snprintf(error, error_size, "there is no parameter \"%s\" (%s); %s%s%s", name, origin,
                 close != NULL ? "did you mean " : "apeni-info --params lists all",
                 close != NULL ? close : "", close != NULL ? "?" : "");
        return NI_ERR_PARAM;
    }

    ni_status status = parse_and_store(param, text, origin, wrong, sizeof wrong);

    if (status != NI_OK) {
        snprintf(error, error_size, "%s = \"%s\" (%s): %s", name, text, origin, wrong);
        return status;
    }
    tell_param_users(param);
    return NI_OK;
}

/* Report a variable that has our prefix but names no parameter. */
static void report_unknown(const char *variable)
{
    const char *close = ni_param_suggest(variable + sizeof NI_PARAM_ENV_PREFIX - 1);
    char env[128];

    if (close == NULL) {
        ni_log(NI_LOG_ERROR,
               "environment variable %s names no parameter; apeni-info --params lists all",
               variable);
        return;
    }
    ni_param_env_name(close, env, sizeof env);
    ni_log(NI_LOG_ERROR, "environment variable %s names no parameter; did you mean %s?", variable,
           env);
}

/* The parameter of an environment variable, which must be in upper case, or NULL. */
static const struct ni_param *find_by_variable(const char *variable)
{
    char env[128];

    for (size_t i = 0; i < ni_param_count; i++) {
        ni_param_env_name(ni_params[i].name, env, sizeof env);
        if (strcmp(env, variable) == 0) {
            return &ni_params[i];
        }
    }
    return NULL;
}

/* One "APENI_NAME=value" of the environment. */
static ni_status check_variable(const char *entry)
{
    char variable[128], error[ERROR_SIZE];
    const char *equals = strchr(entry, '=');
    uint64_t value = 0;

    snprintf(variable, sizeof variable, "%.*s", (int)(equals - entry), entry);

    const struct ni_param *param = find_by_variable(variable);

    if (param == NULL) {
        report_unknown(variable);
        return NI_ERR_PARAM;
    }
    if (ni_param_parse(param, equals + 1, &value, error, sizeof error) != NI_OK) {
        ni_log(NI_LOG_ERROR, "environment variable %s = \"%s\": %s", variable, equals + 1, error);
        return NI_ERR_PARAM;
    }
    return NI_OK;
}

ni_status ni_config_check_environment(void)
{
    ni_status status = NI_OK;

    (void)ni_config_get();
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, NI_PARAM_ENV_PREFIX, sizeof NI_PARAM_ENV_PREFIX - 1) == 0 &&
            strchr(*entry, '=') != NULL && check_variable(*entry) != NI_OK) {
            status = NI_ERR_PARAM;
        }
    }
    return status;
}
