/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters: ours, and one per parameter of the core. */
#include "mtl_match/mtl_match.h"

#include <stddef.h>

static struct ni *interface(void)
{
    return ompi_mtl_match.ni;
}

static int read_unready(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    (void)pvar;
    (void)object;
    *(unsigned long long *)value =
        atomic_load_explicit(&ompi_mtl_match.unready, memory_order_relaxed);
    return OPAL_SUCCESS;
}

static void register_unready(const mca_base_component_t *version)
{
    (void)mca_base_component_pvar_register(
        version, "ready_unposted",
        "messages of ready sends that came before a receive was posted, which MPI does not allow",
        OPAL_INFO_LVL_5, MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        MCA_BASE_VAR_BIND_NO_OBJECT, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
        read_unready, NULL, NULL, NULL);
}

static const struct ompi_glue_component self = {
    .version = &mca_mtl_match_component.super.mtl_version,
    .prefix = "mtl_match_",
    .sizes = (const char *const[]){NULL},
    .unused = (const char *const[]){"spin", "yield", NULL},
    .help_file = "help-mpi-mtl-match.txt",
    .help_text = ompi_mtl_match_help_text,
    .interface_fn = interface,
};

int ompi_mtl_match_register_params(void)
{
    struct ompi_mtl_match_component *component = &mca_mtl_match_component;

    ompi_glue_set_component(&self);
    (void)mca_base_var_group_component_register(
        self.version, "Messages matched by the apelink network interface: shared memory on a host, "
                      "UCX between hosts");
    ompi_glue_register_enable("Whether to use this component: auto, if the parameter mtl names it; "
                              "yes, also if it does not; no, never.",
                              &component->enable);
    component->priority = 30;
    (void)ompi_glue_declare("priority",
                            "Priority of this component, and with it of pml cm, once it is asked "
                            "for. That of pml ob1 is 20.",
                            MCA_BASE_VAR_TYPE_INT, NULL, OPAL_INFO_LVL_9, &component->priority);
    ompi_glue_register_show_links();
    ompi_glue_register_params();
    ompi_glue_register_pvars();
    register_unready(self.version);
    return OPAL_SUCCESS;
}

bool ompi_mtl_match_wanted(void)
{
    static const char *const lists[] = {"mtl", NULL};

    return ompi_glue_asked(mca_mtl_match_component.enable, lists);
}
