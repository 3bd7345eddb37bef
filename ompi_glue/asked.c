/* SPDX-License-Identifier: BSD-3-Clause */
/* Was the component asked for? */
#include <string.h>

#include "ompi_glue/component.h"

/*
 * Open MPI opens every component that its framework's list does not exclude, and what distributions
 * set there ("btl = ^uct,openib,ofi") excludes nothing of ours. A component that is merely
 * installed must not change how such runs behave. So it takes part only if the user names it.
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

/* Whether the first `length` characters of item are name. */
static bool is_name(const char *item, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(item, name, length) == 0;
}

/* Whether a list of components includes one. A list that excludes includes nothing. */
static bool includes(const char *list, const char *name)
{
    while (list != NULL && list[0] != '^') {
        size_t length = strcspn(list, ",");

        if (is_name(list, length, name)) {
            return true;
        }
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return false;
}

/* How many components a list includes that are not our own and not among `local`, which may be
 * NULL; ours: it has our name. A list that excludes includes nothing. */
static unsigned others_in(const char *list, const char *const *local, bool *ours)
{
    unsigned others = 0;

    *ours = false;
    if (list == NULL || list[0] == '^') {
        return 0;
    }
    for (;;) {
        size_t length = strcspn(list, ",");
        bool known = is_name(list, length, component->version->mca_component_name);

        *ours |= known;
        for (size_t i = 0; !known && local != NULL && local[i] != NULL; i++) {
            known = is_name(list, length, local[i]);
        }
        others += !known;
        if (list[length] == '\0') {
            return others;
        }
        list += length + 1;
    }
}

bool ompi_glue_asked(int enable, const char *const *parameters)
{
    bool named = false;

    for (; *parameters != NULL; parameters++) {
        named |= includes(value_of(*parameters), component->version->mca_component_name);
    }
    return enable == OMPI_GLUE_ENABLE_YES || (enable == OMPI_GLUE_ENABLE_AUTO && named);
}

bool ompi_glue_alone(const char *const *parameters, const char *const *local)
{
    for (; *parameters != NULL; parameters++) {
        bool ours;
        unsigned others = others_in(value_of(*parameters), local, &ours);

        if (ours) {
            return others == 0;
        }
    }
    return false;
}

bool ompi_glue_names(const char *parameter, const char *name)
{
    return includes(value_of(parameter), name);
}

bool ompi_glue_names_only(const char *parameter, const char *const *local)
{
    const char *list = value_of(parameter);
    bool ours;

    return list != NULL && list[0] != '\0' && list[0] != '^' && others_in(list, local, &ours) == 0;
}
