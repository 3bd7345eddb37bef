/* SPDX-License-Identifier: BSD-3-Clause */
/* Was the component asked for? */
#include <string.h>

#include "ompi_glue/component.h"

/*
 * Open MPI opens every component that its framework's list does not exclude, and what distributions
 * set there ("btl = ^uct,openib,ofi") excludes nothing of ours. A component that is merely installed
 * must not change how such runs behave. So it takes part only if the user names it.
 */

static const struct ompi_glue_component *component;

void ompi_glue_set_component(const struct ompi_glue_component *self)
{
    component = self;
}

const struct ompi_glue_component *ompi_glue_self(void)
{
    return component;
}

void ompi_glue_register_enable(const char *help, int *enable)
{
    static const mca_base_var_enum_value_t values[] = {{OMPI_GLUE_ENABLE_AUTO, "auto"},
                                                       {OMPI_GLUE_ENABLE_YES, "yes"},
                                                       {OMPI_GLUE_ENABLE_NO, "no"},
                                                       {0, NULL}};
    mca_base_var_enum_t *choices = NULL;

    *enable = OMPI_GLUE_ENABLE_AUTO;
    if (mca_base_var_enum_create("enable", values, &choices) == OPAL_SUCCESS) {
        (void)ompi_glue_declare("enable", help, MCA_BASE_VAR_TYPE_INT, choices, OPAL_INFO_LVL_2,
                                enable);
        OBJ_RELEASE(choices);
    }
}

/* The value of a string parameter, or NULL. */
static const char *value_of(const char *parameter)
{
    const char *const *value = NULL;
    int index;

    if (mca_base_var_find_by_name(parameter, &index) != OPAL_SUCCESS ||
        mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS || value == NULL) {
        return NULL;
    }
    return *value;
}

/* Whether a list that includes, and does not exclude, has our name. */
static bool names_us(const char *list)
{
    const char *name = component->version->mca_component_name;
    size_t length = strlen(name);

    if (list == NULL || list[0] == '^') {
        return false;
    }
    for (;;) {
        size_t item = strcspn(list, ",");

        if (item == length && memcmp(list, name, length) == 0) {
            return true;
        }
        if (list[item] == '\0') {
            return false;
        }
        list += item + 1;
    }
}

bool ompi_glue_asked(int enable, const char *const *parameters)
{
    bool named = false;

    for (; *parameters != NULL; parameters++) {
        named |= names_us(value_of(*parameters));
    }
    return enable == OMPI_GLUE_ENABLE_YES || (enable == OMPI_GLUE_ENABLE_AUTO && named);
}
