/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: pml_match_component.c pml_match_module.c pml_match_params.c */
#define WHO       "PML"
#define COMPONENT "pml_match"

#include "match_help.h"

#include "pml_match/pml_match.h"

/* Open MPI asks for the module. */
static mca_pml_base_module_t *ask(void)
{
    int priority = 0;

    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    return pml_match_register_params() == OPAL_SUCCESS
               ? mca_pml_match_component.super.pmlm_init(&priority, false, false)
               : NULL;
}

/* The component is asked for its module, which it has not. */
static bool declines(void)
{
    return ask() == NULL && ompi_match.ni == NULL;
}

/* Says so if it is not asked for in vain. */
static bool opens_or_declines(void)
{
    if (ask() == NULL) {
        return ompi_match.ni == NULL;
    }
    fputs("it has opened", stderr);
    return mca_pml_match_component.super.pmlm_finalize() == OMPI_SUCCESS && ompi_match.ni == NULL;
}

int main(void)
{
    return run_help_tests();
}
