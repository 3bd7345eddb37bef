/* SPDX-License-Identifier: BSD-3-Clause */
/* Was apelink asked for? */
#include "btl_apelink/btl_apelink.h"

#include <string.h>

/*
 * Open MPI opens every component that the parameter btl does not exclude, and what distributions
 * set there ("^uct,openib,ofi") excludes nothing of ours. A component that is merely installed must
 * not change how such runs behave. So it takes part only if the user names it: in the list btl (or
 * the older btl_base_include), or by btl_apelink_enable.
 */

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
    const char *name = mca_btl_apelink_component.super.btl_version.mca_component_name;
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

bool mca_btl_apelink_wanted(void)
{
    switch (mca_btl_apelink_component.enable) {
    case MCA_BTL_APELINK_ENABLE_YES:
        return true;
    case MCA_BTL_APELINK_ENABLE_NO:
        return false;
    default:
        return names_us(value_of("btl")) || names_us(value_of("btl_base_include"));
    }
}
