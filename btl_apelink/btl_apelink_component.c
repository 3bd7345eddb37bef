/* SPDX-License-Identifier: BSD-3-Clause */
/* The component: from loading to the one module, and progress. */
#include "btl_apelink/btl_apelink_op.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ompi_glue/check.h"
#include "ompi_glue/drain.h"

static int component_register(void);
static int component_open(void);
static int component_close(void);
static mca_btl_base_module_t **component_init(int *num_btls, bool progress_threads,
                                              bool mpi_threads);
static int component_progress(void);

mca_btl_apelink_component_t mca_btl_apelink_component = {
    .super =
        {
            .btl_version =
                {
                    MCA_BTL_DEFAULT_VERSION("apelink"),
                    .mca_open_component = component_open,
                    .mca_close_component = component_close,
                    .mca_register_component_params = component_register,
                },
            .btl_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .btl_init = component_init,
            .btl_progress = component_progress,
        },
};

/* Runs for ompi_info as well: nothing but declarations. */
static int component_register(void)
{
    int rc = mca_btl_apelink_register_params();

    if (rc == OPAL_SUCCESS) {
        ompi_glue_register_pvars();
    }
    return rc;
}

static int component_open(void)
{
    return OPAL_SUCCESS;
}

static int component_close(void)
{
    ompi_glue_drain();
    return OPAL_SUCCESS;
}

/* ---- init ------------------------------------------------------------------------------------ */

/* `first` of them now, `more` at a time later, up to `most` if that is not -1. */
static int make_list(opal_free_list_t *list, size_t size, opal_class_t *class, int first, int more,
                     int most)
{
    if (most > 0) {
        first = first < most ? first : most;
        more = more < most ? more : most;
    }
    return opal_free_list_init(list, size, NI_CACHE_LINE, class, 0, 0, first, most, more, NULL, 0,
                               NULL, NULL, NULL);
}

static void construct_lists(mca_btl_apelink_module_t *module)
{
    for (int i = 0; i < MCA_BTL_APELINK_FRAG_CLASSES; i++) {
        OBJ_CONSTRUCT(&module->frags[i], opal_free_list_t);
    }
    OBJ_CONSTRUCT(&module->ops, opal_free_list_t);
    OBJ_CONSTRUCT(&module->regs, opal_free_list_t);
    OBJ_CONSTRUCT(&module->held, opal_list_t);
}

/* Descriptors, operations, registrations. Some of each are made now: one can then be refused only
 * while others are out, which complete by callback. Those with large buffers grow by a few: where
 * memory is short there is still room for them. */
static int make_lists(mca_btl_apelink_module_t *module)
{
    const size_t bytes[MCA_BTL_APELINK_FRAG_CLASSES] = {
        [MCA_BTL_APELINK_FRAG_SMALL] = MCA_BTL_APELINK_SMALL_BYTES,
        [MCA_BTL_APELINK_FRAG_EAGER] = module->super.btl_eager_limit,
        [MCA_BTL_APELINK_FRAG_MAX] = module->super.btl_max_send_size,
    };
    enum { FIRST = 16, MORE = 32, LARGE_FIRST = 2, LARGE_MORE = 8, SMALL_MOST = 4096 };
    int rc = OPAL_SUCCESS;

    construct_lists(module);
    for (int i = 0; i < MCA_BTL_APELINK_FRAG_CLASSES && rc == OPAL_SUCCESS; i++) {
        bool small = i == MCA_BTL_APELINK_FRAG_SMALL;

        rc = make_list(&module->frags[i], sizeof(mca_btl_apelink_frag_t) + bytes[i],
                       OBJ_CLASS(mca_btl_apelink_frag_t), small ? FIRST : LARGE_FIRST,
                       small ? MORE : LARGE_MORE,
                       small ? SMALL_MOST : (int)mca_btl_apelink_component.frag_max);
    }
    if (rc == OPAL_SUCCESS) {
        rc = make_list(&module->ops, sizeof(mca_btl_apelink_op_t), OBJ_CLASS(mca_btl_apelink_op_t),
                       FIRST, MORE, -1);
    }
    if (rc == OPAL_SUCCESS) {
        rc = make_list(&module->regs, sizeof(mca_btl_apelink_reg_t),
                       OBJ_CLASS(mca_btl_apelink_reg_t), FIRST, MORE, -1);
    }
    return rc;
}

/* Open the interface and its queue. */
static ni_status open_ni(mca_btl_apelink_module_t *module)
{
    char *taken = ompi_glue_taken_cpus();
    struct ni_open_attr attr = {
        .flags = (module->threads ? NI_THREADS : 0) | (ompi_glue_yields() ? NI_PEERS_AWAY : 0),
        .host_processes = ompi_glue_node_peers() + 1,
        .hosts = ompi_glue_hosts(),
        .taken_cpus = taken,
    };
    ni_status status = ni_open(&attr, &module->ni);

    free(taken);
    if (status != NI_OK) {
        module->ni = NULL;
        return status;
    }
    status = ni_region_consumer(module->ni, mca_btl_apelink_recv, module, 0, &module->queue);
    if (status != NI_OK) {
        ni_close(module->ni);
        module->ni = NULL;
        return status;
    }
    ni_on_peer_down(module->ni, mca_btl_apelink_peer_down, module);
    module->may_sleep = ni_may_sleep(module->ni);
    return NI_OK;
}

static int publish(const mca_btl_apelink_module_t *module)
{
    struct mca_btl_apelink_modex_t modex;
    size_t size = offsetof(struct mca_btl_apelink_modex_t, blob);
    int rc;

    memset(&modex, 0, sizeof(modex));
    modex.version = MCA_BTL_APELINK_MODEX_VERSION;
    modex.queue = module->queue;
    modex.blob_len = (uint32_t)ni_address(module->ni, modex.blob, sizeof(modex.blob));
    OPAL_MODEX_SEND(rc, OMPI_GLUE_MODEX_ALL, &mca_btl_apelink_component.super.btl_version, &modex,
                    size + modex.blob_len);
    return rc;
}

static bool module_init(mca_btl_apelink_module_t *module, bool threads)
{
    ni_status status;
    int rc;

    module->threads = threads;
    module->closing = false;
    ni_list_init(&module->busy);
    ni_list_init(&module->endpoints);
    ni_list_init(&module->assemblies);
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    status = open_ni(module);
    if (status != NI_OK) {
        ompi_glue_help("no-interface", ni_status_text(status), "", "");
        return false;
    }
    if (ompi_glue_several_hosts() && !ni_reaches_hosts(module->ni) &&
        mca_btl_apelink_is_only_network()) {
        ompi_glue_help("no-network", "", "",
                       ""); /* what follows is Open MPI's unreachable process */
    }
    module->super.btl_flags |= ompi_glue_quirk_flags(module->super.btl_atomic_flags);
    rc = make_lists(module);
    if (rc == OPAL_SUCCESS) {
        rc = publish(module);
    }
    if (rc != OPAL_SUCCESS) {
        ompi_glue_help("no-interface", opal_strerror(rc), "", "");
        (void)module->super.btl_finalize(&module->super);
        return false;
    }
    return true;
}

/* All reasons to step aside, silently if nobody asked for apelink. */
static bool usable(void)
{
    char reason[256];

    if (!mca_btl_apelink_wanted()) {
        return false;
    }
    if (!ompi_glue_check(reason, sizeof(reason))) {
        ompi_glue_help("wrong-version", ompi_glue_built_for(), reason, "");
        return false;
    }
    return mca_btl_apelink_apply_params();
}

static mca_btl_base_module_t **component_init(int *num_btls, bool progress_threads,
                                              bool mpi_threads)
{
    mca_btl_base_module_t **modules;

    (void)progress_threads;
    *num_btls = 0;
    if (!usable()) {
        return NULL;
    }
    modules = calloc(1, sizeof(*modules));
    if (modules == NULL) {
        ompi_glue_help("no-interface", ni_status_text(NI_ERR_NOMEM), "", "");
        return NULL;
    }
    if (!module_init(&mca_btl_apelink, mpi_threads || opal_using_threads())) {
        free(modules);
        return NULL;
    }
    modules[0] = &mca_btl_apelink.super;
    *num_btls = 1;
    return modules;
}

/* ---- progress -------------------------------------------------------------------------------- */

static bool has_pending(const mca_btl_apelink_module_t *module)
{
    return atomic_load_explicit(&module->pending, memory_order_relaxed) != 0;
}

static int component_progress(void)
{
    mca_btl_apelink_module_t *module = &mca_btl_apelink;
    unsigned events;

    if (NI_UNLIKELY(module->ni == NULL)) {
        return 0; /* finalized, and not yet unregistered */
    }
    events = NI_UNLIKELY(module->may_sleep) && !has_pending(module)
                 ? ni_progress_or_sleep(module->ni)
                 : ni_progress(module->ni);
    if (NI_UNLIKELY(has_pending(module))) {
        events += mca_btl_apelink_send_pending(module);
        events += mca_btl_apelink_start_held(module);
        mca_btl_apelink_look_at_unregistered(module);
    }
    return (int)events;
}
