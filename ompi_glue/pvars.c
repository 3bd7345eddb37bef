/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of the interface as performance variables of MPI_T, such as
 * btl_apelink_tx_packets. */
#include <apeni/stats.h>

#include "ompi_glue/component.h"

static int read_stat(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    struct ni *ni = ompi_glue_self()->interface_fn();

    (void)object;
    *(unsigned long long *)value = ni != NULL ? ni_stat_read(ni, (uintptr_t)pvar->ctx) : 0;
    return OPAL_SUCCESS;
}

static int class_of(enum ni_stat_kind kind)
{
    switch (kind) {
    case NI_STAT_COUNT:
        return MCA_BASE_PVAR_CLASS_COUNTER;
    case NI_STAT_HIGHWATER:
        return MCA_BASE_PVAR_CLASS_HIGHWATERMARK;
    default:
        return MCA_BASE_PVAR_CLASS_LEVEL;
    }
}

void ompi_glue_register_pvars(void)
{
    for (size_t i = 0; i < ni_stat_count; i++) {
        const struct ni_stat_info *info = &ni_stat_infos[i];

        (void)mca_base_component_pvar_register(
            ompi_glue_self()->version, info->name, info->help, OPAL_INFO_LVL_5,
            class_of(info->kind), MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
            MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_stat, NULL, NULL,
            (void *)(uintptr_t)i);
    }
}
