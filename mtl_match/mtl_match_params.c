/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters of the MTL itself. */
#include "mtl_match/mtl_match.h"

#include <stddef.h>

static const struct ompi_glue_component self = {
    .version = &mca_mtl_match_component.super.mtl_version,
    .prefix = "mtl_match_",
    .sizes = (const char *const[]){NULL},
    .unused = ompi_match_unused,
    .help_file = "help-match.txt",
    .help_text = ompi_mtl_match_help_text,
    .interface_fn = ompi_match_interface,
};

int ompi_mtl_match_register_params(void)
{
    struct ompi_mtl_match_component *component = &mca_mtl_match_component;

    ompi_match_register_params(&self);
    ompi_glue_register_enable("Whether to use this component: auto, if the parameter mtl names it; "
                              "yes, also if it does not; no, never.",
                              &component->enable);
    component->priority = 30;
    (void)ompi_glue_declare("priority",
                            "Priority of this component, and with it of pml cm, once it is asked "
                            "for. That of pml ob1 is 20.",
                            MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_9, &component->priority);
    return OPAL_SUCCESS;
}

bool ompi_mtl_match_wanted(void)
{
    static const char *const lists[] = {"mtl", NULL};

    return ompi_glue_asked(mca_mtl_match_component.enable, lists);
}
