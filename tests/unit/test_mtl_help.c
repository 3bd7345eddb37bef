/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mtl_match/mtl_match_module.c ompi_match/open.c. */
#define WHO       "MTL"
#define COMPONENT "mtl_match"

#include "match_help.h"

#include "mtl_match/mtl_match.h"

/* The component is asked for its module, which it has not. */
static bool declines(void)
{
    mca_base_module_t *module;
    int priority = 0;

    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    return ompi_mtl_match_register_params() == OPAL_SUCCESS &&
           mca_mtl_match_component.super.mtl_version.mca_query_component(&module, &priority) !=
               OPAL_SUCCESS &&
           module == NULL;
}

/* Says so if it is not asked for in vain. */
static bool opens_or_declines(void)
{
    mca_base_module_t *module = NULL;
    int priority = 0;

    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    if (ompi_mtl_match_register_params() != OPAL_SUCCESS) {
        return false;
    }
    if (mca_mtl_match_component.super.mtl_version.mca_query_component(&module, &priority) ==
        OPAL_SUCCESS) {
        fputs("it has opened", stderr);
        ompi_match_close();
        return module != NULL && ompi_match.ni == NULL;
    }
    return module == NULL && ompi_match.ni == NULL;
}

int main(void)
{
    return run_help_tests();
}
