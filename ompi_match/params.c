/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters: one per parameter of the core, and performance variables. */
#include "ompi_match/match.h"

#include <stddef.h>

const char *const ompi_match_unused[] = {"spin", "yield", NULL};

struct ni *ompi_match_interface(void)
{
    return ompi_match.ni;
}

static int read_unready(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    (void)pvar;
    (void)object;
    *(unsigned long long *)value = atomic_load_explicit(&ompi_match.unready, memory_order_relaxed);
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

void ompi_match_register_params(const struct ompi_glue_component *self)
{
    ompi_glue_set_component(self);
    (void)mca_base_var_group_component_register(
        self->version, "Messages matched by the apelink network interface: shared memory on a "
                       "host, UCX between hosts");
    ompi_glue_register_show_links();
    ompi_glue_register_show_memory();
    ompi_glue_register_params();
    ompi_glue_register_pvars();
    register_unready(self->version);
}
