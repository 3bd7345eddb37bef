/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters: Open MPI's own set for BTLs, ours, and one per parameter of the core. */
#include "btl_apelink/btl_apelink.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/param.h>

#include "base/bits.h"
#include "base/param_text.h"

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
    int index; /* of the variable */
    union {
        unsigned number;
        int choice;
        bool truth;
        char *text;
    } value;
} core_vars[CORE_ROWS];

/* ---- numbers -------------------------------------------------------------------------------------- */

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

/* ---- registration --------------------------------------------------------------------------------- */

/* Register a variable of ours. A value that Open MPI refused, and has complained of, is noted. */
static int declare(const char *name, const char *help, mca_base_var_type_t type,
                   mca_base_var_enum_t *enumerator, mca_base_var_info_lvl_t level, void *storage)
{
    int index = mca_base_component_var_register(&mca_btl_apelink_component.super.btl_version, name,
                                                help, type, enumerator, 0, 0, level,
                                                MCA_BASE_VAR_SCOPE_READONLY, storage);

    if (index == OPAL_ERR_VALUE_OUT_OF_BOUNDS) {
        mca_btl_apelink_component.bad_parameters = true;
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
    rc = declare(param->name, param->help, MCA_BASE_VAR_TYPE_INT, choices, OPAL_INFO_LVL_5,
                 &var->value.choice);
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
        return declare(param->name, param->help, MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_9,
                       &var->value.text);
    case NI_PARAM_BOOL:
        var->value.truth = number != 0;
        return declare(param->name, param->help, MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_5,
                       &var->value.truth);
    case NI_PARAM_ENUM:
        var->value.choice = (int)number;
        return declare_choice(var);
    default:
        make_number(var);
        var->value.number = (unsigned)number;
        return declare(param->name, param->help, MCA_BASE_VAR_TYPE_UNSIGNED_INT, &var->number,
                       OPAL_INFO_LVL_5, &var->value.number);
    }
}

static void declare_own(void)
{
    static const mca_base_var_enum_value_t values[] = {{MCA_BTL_APELINK_ENABLE_AUTO, "auto"},
                                                       {MCA_BTL_APELINK_ENABLE_YES, "yes"},
                                                       {MCA_BTL_APELINK_ENABLE_NO, "no"},
                                                       {0, NULL}};
    mca_btl_apelink_component_t *component = &mca_btl_apelink_component;
    mca_base_var_enum_t *choices = NULL;

    component->enable = MCA_BTL_APELINK_ENABLE_AUTO;
    if (mca_base_var_enum_create("btl_apelink_enable", values, &choices) == OPAL_SUCCESS) {
        (void)declare("enable",
                      "Whether to use this component: auto, if the parameter btl names it; yes, "
                      "also if it does not; no, never.",
                      MCA_BASE_VAR_TYPE_INT, choices, OPAL_INFO_LVL_2, &component->enable);
        OBJ_RELEASE(choices);
    }
    component->frag_max = 64;
    (void)declare("frag_max",
                  "Most descriptors of each of the sizes eager_limit and max_send_size; they hold "
                  "what finds no room in a ring.",
                  MCA_BASE_VAR_TYPE_UNSIGNED_INT, NULL, OPAL_INFO_LVL_9, &component->frag_max);
    component->minmax = false;
    (void)declare(
        "minmax",
        "Whether to offer atomic minimum and maximum. They compare signed numbers, but "
        "osc/rdma of Open MPI 4.1 uses them for unsigned types as well, with wrong results "
        "for values of which the highest bit is set. Without, it does these under a lock.",
        MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_5, &component->minmax);
}

/* ---- Open MPI's own set --------------------------------------------------------------------------- */

/*
 * Which protocol ob1 chooses. Up to the eager limit, sendi copies from the user's buffer into the
 * lane: that is why SEND_INPLACE is not set, with which ob1 would prepare a descriptor from 257
 * bytes on. Above it, contiguous data is got by the receiver (in which both processes copy), at any
 * length: a registration costs next to nothing, so the pipeline of registrations is never worth
 * while. The limits count ob1's header.
 */
static void set_limits(mca_btl_base_module_t *btl)
{
    enum { OB1_HEADERS = 64 };

    /* Above vader's: with the same, ob1 of 4.1 would spread messages over both if both are named, and
     * it delivers wrong data when it does that with long ones that are not contiguous. */
    btl->btl_exclusivity = MCA_BTL_EXCLUSIVITY_HIGH + 1;
    btl->btl_latency = 1;
    btl->btl_bandwidth = 80000;
    btl->btl_eager_limit = 16 * 1024 + OB1_HEADERS;
    btl->btl_rndv_eager_limit = btl->btl_eager_limit;
    btl->btl_max_send_size = btl->btl_eager_limit;
    btl->btl_rdma_pipeline_send_length = btl->btl_eager_limit;
    btl->btl_rdma_pipeline_frag_size = 4 << 20;
    btl->btl_min_rdma_pipeline_size = SIZE_MAX;
    btl->btl_put_limit = SIZE_MAX;
    btl->btl_get_limit = SIZE_MAX;
    btl->btl_flags = MCA_BTL_FLAGS_SEND | MCA_BTL_FLAGS_RDMA | MCA_BTL_FLAGS_ATOMIC_OPS |
                     MCA_BTL_FLAGS_ATOMIC_FOPS | MCA_BTL_FLAGS_RDMA_FLUSH;
    btl->btl_atomic_flags = MCA_BTL_ATOMIC_SUPPORTS_ADD | MCA_BTL_ATOMIC_SUPPORTS_AND |
                            MCA_BTL_ATOMIC_SUPPORTS_OR | MCA_BTL_ATOMIC_SUPPORTS_XOR |
                            MCA_BTL_ATOMIC_SUPPORTS_LAND | MCA_BTL_ATOMIC_SUPPORTS_LOR |
                            MCA_BTL_ATOMIC_SUPPORTS_LXOR | MCA_BTL_ATOMIC_SUPPORTS_SWAP |
                            MCA_BTL_ATOMIC_SUPPORTS_32BIT | MCA_BTL_ATOMIC_SUPPORTS_CSWAP |
                            MCA_BTL_ATOMIC_SUPPORTS_GLOB;
}

int mca_btl_apelink_register_params(void)
{
    mca_base_component_t *version = &mca_btl_apelink_component.super.btl_version;

    (void)mca_base_var_group_component_register(
        version, "Processes of one host through the apelink network interface");
    set_limits(&mca_btl_apelink.super);
    (void)mca_btl_base_param_register(version, &mca_btl_apelink.super);
    declare_own();
    for (size_t i = 0; i < ni_param_count; i++) {
        core_vars[i].param = &ni_params[i];
        core_vars[i].index = declare_core(&core_vars[i]);
    }
    return OPAL_SUCCESS;
}

/* ---- use ------------------------------------------------------------------------------------------ */

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
    char number[32], error[512], name[64];
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
    if (ni_param_set(param->name, text, "mca", error, sizeof(error)) == NI_OK) {
        return true;
    }
    snprintf(name, sizeof(name), "btl_apelink_%s", param->name);
    (void)ni_param_accepted(param, error, sizeof(error));
    mca_btl_apelink_help_once("bad-value", name, text, error);
    return false;
}

/* A limit of Open MPI's own set, which it takes as it comes. */
static bool check_limit(const char *name, size_t value, size_t least, size_t most)
{
    char text[32], accepted[64];

    if (value >= least && value <= most) {
        return true;
    }
    snprintf(text, sizeof(text), "%zu", value);
    snprintf(accepted, sizeof(accepted), "%zu to %zu bytes", least, most);
    mca_btl_apelink_help_once("bad-value", name, text, accepted);
    return false;
}

bool mca_btl_apelink_apply_params(void)
{
    /* The least holds any header of ob1 with a registration handle, and some data. */
    enum { LEAST = 256, MOST = 16 << 20, FRAGS_LEAST = 4, FRAGS_MOST = 65536 };
    const mca_btl_base_module_t *btl = &mca_btl_apelink.super;
    bool good = !mca_btl_apelink_component.bad_parameters;

    if (!mca_btl_apelink_check_names()) {
        return false;
    }
    good &= check_limit("btl_apelink_eager_limit", btl->btl_eager_limit, LEAST, MOST);
    good &= check_limit("btl_apelink_rndv_eager_limit", btl->btl_rndv_eager_limit, LEAST, MOST);
    good &= check_limit("btl_apelink_max_send_size", btl->btl_max_send_size, LEAST, MOST);
    good &= check_limit("btl_apelink_frag_max", mca_btl_apelink_component.frag_max, FRAGS_LEAST,
                        FRAGS_MOST);
    for (size_t i = 0; i < ni_param_count; i++) {
        good &= apply_core(&core_vars[i]);
    }
    if (mca_btl_apelink_component.minmax) {
        mca_btl_apelink.super.btl_atomic_flags |=
            MCA_BTL_ATOMIC_SUPPORTS_MIN | MCA_BTL_ATOMIC_SUPPORTS_MAX;
    }
    return good;
}
