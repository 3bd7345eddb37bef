/* SPDX-License-Identifier: BSD-3-Clause */
/* MCA parameters: Open MPI's own set for BTLs, and ours. */
#include "btl_apelink/btl_apelink.h"

#include <stdio.h>

static void declare_own(void)
{
    mca_btl_apelink_component_t *component = &mca_btl_apelink_component;

    ompi_glue_register_enable("Whether to use this component: auto, if the parameter btl names it; "
                              "yes, also if it does not; no, never.",
                              &component->enable);
    component->frag_max = 64;
    (void)ompi_glue_declare(
        "frag_max",
        "Most descriptors of each of the sizes eager_limit and max_send_size; they hold "
        "what finds no room in a ring.",
        MCA_BASE_VAR_TYPE_UNSIGNED_INT, NULL, OPAL_INFO_LVL_9, &component->frag_max);
    component->minmax = false;
    (void)ompi_glue_declare(
        "minmax",
        "Whether to offer atomic minimum and maximum. They compare signed numbers, but "
        "osc/rdma of Open MPI 4.1 uses them for unsigned types as well, with wrong results "
        "for values of which the highest bit is set. Without, it does these under a lock.",
        MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_5, &component->minmax);
}

/* ---- Open MPI's own set ---------------------------------------------------------------------- */

/*
 * Which protocol ob1 chooses. Up to the eager limit, sendi copies from the user's buffer into the
 * lane: that is why SEND_INPLACE is not set, with which ob1 would prepare a descriptor from 257
 * bytes on. Above it, contiguous data is got by the receiver (in which both processes copy), at any
 * length: a registration costs next to nothing, so the pipeline of registrations is never worth
 * while. The limits count ob1's header.
 */
static void set_limits(mca_btl_base_module_t *btl)
{
    enum { OB1_HEADERS = 64 };

    /* Above vader's: with the same, ob1 of 4.1 would spread messages over both if both are named,
     * and it delivers wrong data when it does that with long ones that are not contiguous. */
    btl->btl_exclusivity = MCA_BTL_EXCLUSIVITY_HIGH + 1;
    btl->btl_latency = 1;
    btl->btl_bandwidth = 80000;
    btl->btl_eager_limit = 16 * 1024 + OB1_HEADERS;
    btl->btl_rndv_eager_limit = btl->btl_eager_limit;
    btl->btl_max_send_size = btl->btl_eager_limit;
    btl->btl_rdma_pipeline_send_length = btl->btl_eager_limit;
    btl->btl_rdma_pipeline_frag_size = 4 << 20;
    btl->btl_min_rdma_pipeline_size = SIZE_MAX;
    btl->btl_put_limit = SIZE_MAX;
    btl->btl_get_limit = SIZE_MAX;
    btl->btl_flags = MCA_BTL_FLAGS_SEND | MCA_BTL_FLAGS_RDMA | MCA_BTL_FLAGS_ATOMIC_OPS |
                     MCA_BTL_FLAGS_ATOMIC_FOPS | MCA_BTL_FLAGS_RDMA_FLUSH;
    btl->btl_atomic_flags = MCA_BTL_ATOMIC_SUPPORTS_ADD | MCA_BTL_ATOMIC_SUPPORTS_AND |
                            MCA_BTL_ATOMIC_SUPPORTS_OR | MCA_BTL_ATOMIC_SUPPORTS_XOR |
                            MCA_BTL_ATOMIC_SUPPORTS_LAND | MCA_BTL_ATOMIC_SUPPORTS_LOR |
                            MCA_BTL_ATOMIC_SUPPORTS_LXOR | MCA_BTL_ATOMIC_SUPPORTS_SWAP |
                            MCA_BTL_ATOMIC_SUPPORTS_32BIT | MCA_BTL_ATOMIC_SUPPORTS_CSWAP |
                            MCA_BTL_ATOMIC_SUPPORTS_GLOB;
}

static struct ni *interface(void)
{
    return mca_btl_apelink.ni;
}

static const struct ompi_glue_component self = {
    .version = &mca_btl_apelink_component.super.btl_version,
    .prefix = "btl_apelink_",
    .sizes =
        (const char *const[]){"eager_limit", "rndv_eager_limit", "max_send_size", "get_limit",
                              "put_limit", "rdma_pipeline_send_length", "rdma_pipeline_frag_size",
                              "min_rdma_pipeline_size", "frag_max", NULL},
    /* No search of regions by address, no portals, no ni_wait. */
    .unused =
        (const char *const[]){"simd", "match_eager", "match_unexpected", "spin", "yield", NULL},
    .help_file = "help-mpi-btl-apelink.txt",
    .help_text = mca_btl_apelink_help_text,
    .interface_fn = interface,
};

static const char *const lists[] = {"btl", "btl_base_include", NULL};

bool mca_btl_apelink_wanted(void)
{
    return ompi_glue_asked(mca_btl_apelink_component.enable, lists);
}

bool mca_btl_apelink_is_only_network(void)
{
    static const char *const local[] = {"self", "sm", "vader", NULL};

    return ompi_glue_alone(lists, local);
}

bool mca_btl_apelink_is_only_btl(void)
{
    static const char *const self_alone[] = {"self", NULL};

    return ompi_glue_alone(lists, self_alone);
}

int mca_btl_apelink_register_params(void)
{
    mca_base_component_t *version = &mca_btl_apelink_component.super.btl_version;

    ompi_glue_set_component(&self);
    (void)mca_base_var_group_component_register(version,
                                                "Processes through the apelink network interface: "
                                                "shared memory on a host, UCX between hosts");
    set_limits(&mca_btl_apelink.super);
    (void)mca_btl_base_param_register(version, &mca_btl_apelink.super);
    declare_own();
    ompi_glue_register_show_links();
    ompi_glue_register_show_memory();
    ompi_glue_register_params();
    return OPAL_SUCCESS;
}

/* A number that Open MPI takes as it comes: its own limits, and ours of descriptors. */
static bool check_limit(const char *name, size_t value, size_t least, size_t most, const char *unit)
{
    char text[32], accepted[64];

    if (value >= least && value <= most) {
        return true;
    }
    snprintf(text, sizeof(text), "%zu", value);
    snprintf(accepted, sizeof(accepted), "%zu to %zu %s", least, most, unit);
    ompi_glue_help("bad-value", name, text, accepted);
    return false;
}

bool mca_btl_apelink_apply_params(void)
{
    /* The least holds any header of ob1 with a registration handle, and some data. */
    enum { LEAST = 256, MOST = 16 << 20, FRAGS_LEAST = 4, FRAGS_MOST = 65536 };
    const mca_btl_base_module_t *btl = &mca_btl_apelink.super;
    bool good = ompi_glue_apply_params();

    good &= check_limit("btl_apelink_eager_limit", btl->btl_eager_limit, LEAST, MOST, "bytes");
    good &= check_limit("btl_apelink_rndv_eager_limit", btl->btl_rndv_eager_limit, LEAST, MOST,
                        "bytes");
    good &= check_limit("btl_apelink_max_send_size", btl->btl_max_send_size, LEAST, MOST, "bytes");
    good &= check_limit("btl_apelink_frag_max", mca_btl_apelink_component.frag_max, FRAGS_LEAST,
                        FRAGS_MOST, "descriptors");
    if (mca_btl_apelink_component.minmax) {
        mca_btl_apelink.super.btl_atomic_flags |=
            MCA_BTL_ATOMIC_SUPPORTS_MIN | MCA_BTL_ATOMIC_SUPPORTS_MAX;
    }
    return good;
}
