/* SPDX-License-Identifier: BSD-3-Clause */
/* A parameter of the component for each parameter of the core that it uses. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/param.h>

#include "base/bits.h"
#include "base/param_text.h"
#include "ompi_glue/component.h"

/*
 * A parameter of the core keeps its type. Numbers get an enumerator of our own, because Open MPI's
 * reading of numbers takes "12abc" for 12: the enumerator sees the text, accepts what the core
 * accepts and describes it, so that Open MPI's complaint names variable, value and range. The value
 * of an enumerator is an int, which all limits of the table respect.
 */

#define NI_PARAM_ROW(field, type, default_text, min, max, unit, names, help) \
    _Static_assert((max) <= INT_MAX, #field " does not fit an enumerator");
#include "base/params.def"
#undef NI_PARAM_ROW

struct core_row {
#define NI_PARAM_ROW(field, type, default_text, min, max, unit, names, help) char field;
#include "base/params.def"
#undef NI_PARAM_ROW
};
enum { CORE_ROWS = sizeof(struct core_row) };

/* The MCA variable of a parameter of the core. */
static struct core_var {
    mca_base_var_enum_t number; /* UINT, SIZE */
    const struct ni_param *param;
    int index; /* of the variable, or < 0 */
    union {
        unsigned number;
        int choice;
        bool truth;
        char *text;
    } value;
} core_vars[CORE_ROWS];

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct ni_param *param_of(const mca_base_var_enum_t *self)
{
    return ((const struct core_var *)self)->param;
}

static int number_count(mca_base_var_enum_t *self, int *count)
{
    (void)self;
    *count = 0; /* none has a name */
    return OPAL_SUCCESS;
}

static int number_at(mca_base_var_enum_t *self, int index, int *value, const char **text)
{
    (void)self;
    (void)index;
    (void)value;
    (void)text;
    return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
}

static int number_from_text(mca_base_var_enum_t *self, const char *text, int *value)
{
    uint64_t number;
    char error[256];

    if (ni_param_parse(param_of(self), text, &number, error, sizeof(error)) != NI_OK) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    *value = (int)number;
    return OPAL_SUCCESS;
}

static int number_to_text(mca_base_var_enum_t *self, const int value, char **text)
{
    (void)self;
    if (text != NULL && asprintf(text, "%d", value) < 0) {
        *text = NULL;
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

static int number_describe(mca_base_var_enum_t *self, char **text)
{
    char accepted[256];

    (void)ni_param_accepted(param_of(self), accepted, sizeof(accepted));
    *text = strdup(accepted);
    return *text != NULL ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

static void make_number(struct core_var *var)
{
    var->number = (mca_base_var_enum_t){
        .super = OPAL_OBJ_STATIC_INIT(opal_object_t),
        .enum_is_static = true,
        .enum_name = (char *)(uintptr_t)var->param->name,
        .get_count = number_count,
        .get_value = number_at,
        .value_from_string = number_from_text,
        .string_from_value = number_to_text,
        .dump = number_describe,
    };
}

/* ---- registration ---------------------------------------------------------------------------- */

static bool refused; /* a value, by Open MPI; ompi_glue_check_names says which */

int ompi_glue_declare(const char *name, const char *help, mca_base_var_type_t type,
                      mca_base_var_enum_t *enumerator, mca_base_var_info_lvl_t level, void *storage)
{
    int index =
        mca_base_component_var_register(ompi_glue_self()->version, name, help, type, enumerator, 0,
                                        0, level, MCA_BASE_VAR_SCOPE_READONLY, storage);

    if (index == OPAL_ERR_VALUE_OUT_OF_BOUNDS) {
        refused = true;
    }
    return index;
}

static int declare_choice(struct core_var *var)
{
    const struct ni_param *param = var->param;
    mca_base_var_enum_value_t values[16] = {{0}};
    mca_base_var_enum_t *choices = NULL;
    size_t count = 0;
    int rc;

    while (param->names[count] != NULL && count + 1 < NI_ARRAY_LENGTH(values)) {
        values[count].value = (int)count;
        values[count].string = param->names[count];
        count++;
    }
    rc = mca_base_var_enum_create(param->name, values, &choices);
    if (rc != OPAL_SUCCESS) {
        return rc;
    }
    rc = ompi_glue_declare(param->name, param->help, MCA_BASE_VAR_TYPE_INT, choices,
                           OPAL_INFO_LVL_5, &var->value.choice);
    OBJ_RELEASE(choices);
    return rc;
}

/* The present value, a default or from the environment, is what Open MPI shows as default. */
static int declare_core(struct core_var *var)
{
    const struct ni_param *param = var->param;
    const void *field = (const char *)ni_config_get() + param->offset;
    uint64_t number = param->type != NI_PARAM_STRING ? *(const uint64_t *)field : 0;

    switch (param->type) {
    case NI_PARAM_STRING:
        var->value.text = *(char *const *)field;
        return ompi_glue_declare(param->name, param->help, MCA_BASE_VAR_TYPE_STRING, NULL,
                                 OPAL_INFO_LVL_9, &var->value.text);
    case NI_PARAM_BOOL:
        var->value.truth = number != 0;
        return ompi_glue_declare(param->name, param->help, MCA_BASE_VAR_TYPE_BOOL, NULL,
                                 OPAL_INFO_LVL_5, &var->value.truth);
    case NI_PARAM_ENUM:
        var->value.choice = (int)number;
        return declare_choice(var);
    default:
        make_number(var);
        var->value.number = (unsigned)number;
        return ompi_glue_declare(param->name, param->help, MCA_BASE_VAR_TYPE_UNSIGNED_INT,
                                 &var->number, OPAL_INFO_LVL_5, &var->value.number);
    }
}

/* Whether the component does what the parameter is about. */
static bool is_used(const struct ni_param *param)
{
    for (const char *const *name = ompi_glue_self()->unused; *name != NULL; name++) {
        if (strcmp(param->name, *name) == 0) {
            return false;
        }
    }
    return true;
}

void ompi_glue_register_params(void)
{
    for (size_t i = 0; i < ni_param_count; i++) {
        core_vars[i].param = &ni_params[i];
        core_vars[i].index = is_used(&ni_params[i]) ? declare_core(&core_vars[i]) : -1;
    }
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Whether anyone has set the variable. */
static bool is_set(int index)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;

    return index >= 0 && mca_base_var_get_value(index, NULL, &source, NULL) == OPAL_SUCCESS &&
           source != MCA_BASE_VAR_SOURCE_DEFAULT;
}

static bool apply_core(const struct core_var *var)
{
    const struct ni_param *param = var->param;
    char number[32], error[512], name[64], origin[96];
    const char *text = number;

    if (!is_set(var->index)) {
        return true;
    }
    switch (param->type) {
    case NI_PARAM_STRING:
        text = var->value.text != NULL ? var->value.text : "";
        break;
    case NI_PARAM_BOOL:
        text = var->value.truth ? "yes" : "no";
        break;
    case NI_PARAM_ENUM:
        text = param->names[var->value.choice];
        break;
    default:
        snprintf(number, sizeof(number), "%u", var->value.number);
    }
    snprintf(name, sizeof(name), "%s%s", ompi_glue_self()->prefix, param->name);
    snprintf(origin, sizeof(origin), "mca %s", name);
    if (ni_param_set(param->name, text, origin, error, sizeof(error)) == NI_OK) {
        return true;
    }
    (void)ni_param_accepted(param, error, sizeof(error));
    ompi_glue_help("bad-value", name, text, error);
    return false;
}

bool ompi_glue_apply_params(void)
{
    bool good = !refused;

    if (!ompi_glue_check_names()) {
        return false;
    }
    for (size_t i = 0; i < ni_param_count; i++) {
        good &= apply_core(&core_vars[i]);
    }
    return good;
}
