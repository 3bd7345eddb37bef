/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters of the PML itself. */
#include "pml_match/pml_match.h"

#include <stddef.h>

static const struct ompi_glue_component self = {
    .version = &mca_pml_match_component.super.pmlm_version,
    .prefix = "pml_match_",
    .sizes = (const char *const[]){NULL},
    .unused = ompi_match_unused,
    .help_file = "help-match.txt",
    .help_text = pml_match_help_text,
    .interface_fn = ompi_match_interface,
};

int pml_match_register_params(void)
{
    struct pml_match_component *component = &mca_pml_match_component;

    ompi_match_register_params(&self);
    ompi_glue_register_enable("Whether to use this component: auto, if the parameter pml names it; "
                              "yes, also if it does not; no, never.",
                              &component->enable);
    component->priority = 30;
    (void)ompi_glue_declare("priority",
                            "Priority of this component once it is asked for. That of pml ob1 is "
                            "20.",
                            MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_9, &component->priority);
    return OPAL_SUCCESS;
}

bool pml_match_wanted(void)
{
    static const char *const lists[] = {"pml", NULL};

    return ompi_glue_asked(mca_pml_match_component.enable, lists);
}
