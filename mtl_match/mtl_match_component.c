/* SPDX-License-Identifier: BSD-3-Clause */
/* The component: from loading to the one module. */
#include "mtl_match/mtl_match.h"

#include <stddef.h>

#include "ompi_glue/check.h"

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
    return ompi_mtl_match_finalize(&ompi_mtl_match.super);
}

/* Reasons to step aside before anything is opened. */
static bool usable(void)
{
    char reason[256];

    if (!ompi_glue_check_mtl(reason, sizeof(reason))) {
        ompi_glue_help("wrong-version", ompi_glue_built_for(), reason, "");
        return false;
    }
    return ompi_glue_apply_params();
}

/* Open the interface; false if that fails, or it cannot reach the other hosts of the job. */
static bool open_module(void)
{
    struct ompi_mtl_match_module *module = &ompi_mtl_match;

    if (!ompi_mtl_match_open(module, opal_using_threads())) {
        return false;
    }
    if (ompi_glue_several_hosts() && !ni_reaches_hosts(module->ni)) {
        ompi_glue_help("no-network", "", "", "");
        (void)ompi_mtl_match_finalize(&module->super);
        return false;
    }
    return true;
}

/*
 * The last chance to decline: pml cm takes the component with the highest priority and does not
 * look for another one if its init fails.
 */
static int component_query(mca_base_module_t **module, int *priority)
{
    *module = NULL;
    if (!ompi_mtl_match_wanted() || !usable() || !open_module()) {
        return OPAL_ERR_NOT_AVAILABLE;
    }
    *priority = mca_mtl_match_component.priority;
    *module = (mca_base_module_t *)&ompi_mtl_match.super;
    return OPAL_SUCCESS;
}

static mca_mtl_base_module_t *OMPI_GLUE_MTL_INIT(component_init)
{
    (void)progress_threads;
    (void)mpi_threads;
    OMPI_GLUE_MTL_NO_ACCELERATOR();
    ompi_mtl_match_run(&ompi_mtl_match);
    return &ompi_mtl_match.super;
}
