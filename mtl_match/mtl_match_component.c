/* SPDX-License-Identifier: BSD-3-Clause */
/* The component: from loading to the one module. */
#include "mtl_match/mtl_match.h"

#include <stddef.h>

static int component_open(void);
static int component_close(void);
static int component_query(mca_base_module_t **module, int *priority);
static mca_mtl_base_module_t *OMPI_GLUE_MTL_INIT(component_init);

struct ompi_mtl_match_component mca_mtl_match_component = {
    .super =
        {
            .mtl_version =
                {
                    MCA_MTL_BASE_VERSION_2_0_0,
                    .mca_component_name = "match",
                    MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                          OMPI_RELEASE_VERSION),
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                    .mca_query_component = component_query,
                    .mca_register_component_params = ompi_mtl_match_register_params,
                },
            .mtl_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
            .mtl_init = component_init,
        },
};

/* Where nobody asked for it, it is as if it were not installed. */
static int component_open(void)
{
    return ompi_mtl_match_wanted() ? OPAL_SUCCESS : OPAL_ERR_NOT_AVAILABLE;
}

/* Also after a query, if another component was chosen. */
static int component_close(void)
{
    ompi_match_close();
    return OPAL_SUCCESS;
}

/*
 * The last chance to decline: pml cm takes the component with the highest priority and does not
 * look for another one if its init fails.
 */
static int component_query(mca_base_module_t **module, int *priority)
{
    *module = NULL;
    if (!ompi_mtl_match_wanted() || !ompi_match_open(opal_using_threads(), &ompi_mtl_match_calls)) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    *priority = mca_mtl_match_component.priority;
    *module = (mca_base_module_t *)&ompi_mtl_match;
    return OPAL_SUCCESS;
}

static mca_mtl_base_module_t *OMPI_GLUE_MTL_INIT(component_init)
{
    (void)progress_threads;
    (void)mpi_threads;
    OMPI_GLUE_MTL_NO_ACCELERATOR();
    ompi_match_run();
    return &ompi_mtl_match;
}
