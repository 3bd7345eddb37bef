/* SPDX-License-Identifier: BSD-3-Clause */
/* The component: from loading to the one module. */
#include <string.h>

#include "pml_match/pml_match.h"

static int component_open(void);
static mca_pml_base_module_t *component_init(int *priority, bool progress_threads,
                                             bool mpi_threads);
static int component_finalize(void);

struct pml_match_component mca_pml_match_component = {
    .super =
        {
            .pmlm_version =
                {
                    MCA_PML_BASE_VERSION_2_0_0,
                    .mca_component_name = "match",
                    MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                          OMPI_RELEASE_VERSION),
                    .mca_open_component = component_open,
                    .mca_register_component_params = pml_match_register_params,
                },
            .pmlm_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
            .pmlm_init = component_init,
            .pmlm_finalize = component_finalize,
        },
};

/* Where nobody asked for it, it is as if it were not installed. Open MPI considers only the PMLs in
 * a list of its own, in which it puts the value of the parameter `pml` as one name. */
static int component_open(void)
{
    char *name;

    if (!pml_match_wanted()) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    name = strdup(mca_pml_match_component.super.pmlm_version.mca_component_name);
    if (name != NULL) {
        (void)opal_pointer_array_add(&mca_pml_base_pml, name);
    }
    return OPAL_SUCCESS;
}

static mca_pml_base_module_t *component_init(int *priority, bool progress_threads, bool mpi_threads)
{
    (void)progress_threads;
    (void)mpi_threads;
    if (!pml_match_wanted() || !ompi_match_open(opal_using_threads(), &pml_match_calls)) {
        return NULL;
    }
    *priority = mca_pml_match_component.priority;
    return &pml_match;
}

/* Also where another component was chosen. */
static int component_finalize(void)
{
    ompi_match_close();
    return OMPI_SUCCESS;
}
