/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for puts, gets and atomics: regions of the buffer table. Nothing is pinned, so there is no
 * cache of registrations: making one costs less than looking it up. */
#include "btl_apelink/btl_apelink.h"

#include <stddef.h>

OBJ_CLASS_INSTANCE(mca_btl_apelink_reg_t, opal_free_list_item_t, NULL, NULL);

/* The handle is copied around as plain bytes, also to peers. */
_Static_assert(sizeof(mca_btl_base_registration_handle_t) == 16,
               "handles travel between processes");
_Static_assert(sizeof(mca_btl_base_registration_handle_t) <= MCA_BTL_REG_HANDLE_MAX_SIZE,
               "larger handles are cut off");

static unsigned remote_access(uint32_t flags)
{
    return ((flags & MCA_BTL_REG_FLAG_REMOTE_READ) != 0 ? NI_ACCESS_READ : 0) |
           ((flags & MCA_BTL_REG_FLAG_REMOTE_WRITE) != 0 ? NI_ACCESS_WRITE : 0) |
           ((flags & MCA_BTL_REG_FLAG_REMOTE_ATOMIC) != 0 ? NI_ACCESS_ATOMIC : 0);
}

/* osc/rdma of 4.1 takes hosts by their names: see ompi_glue/locality.c. */
static NI_COLD void refuse_window(mca_btl_apelink_module_t *module, struct opal_proc_t *namesake)
{
    static char text[] = "btl apelink: a window over osc/rdma between hosts of one name";

    ompi_glue_help("same-name-window", OPAL_NAME_PRINT(namesake->proc_name), "", "");
    if (module->error_cb != NULL) {
        /* Of no process: that one lives. */
        module->error_cb(&module->super, MCA_BTL_ERROR_FLAGS_FATAL, NULL, text);
    }
}

/* Of ob1: memory that a peer is to write to, or nobody. Windows of osc/rdma have all rights. */
static bool is_written_by_peer(unsigned access)
{
    return (access & ~(unsigned)(NI_ACCESS_WRITE | NI_ACCESS_BY_ADDRESS)) == 0;
}

/* One has been registered; ob1 will be called when its transfer ends. */
static void count_registered(mca_btl_apelink_module_t *module)
{
    atomic_fetch_add_explicit(&module->registered, 1, memory_order_relaxed);
    if (NI_UNLIKELY(atomic_load_explicit(&module->unregistered, memory_order_relaxed))) {
        mca_btl_apelink_registered(module);
    }
}

static NI_COLD mca_btl_base_registration_handle_t *no_memory(mca_btl_apelink_module_t *module,
                                                             unsigned access)
{
    if (is_written_by_peer(access)) {
        mca_btl_apelink_unregistered(module);
    }
    return NULL;
}

/*
 * The endpoint does not matter: a region is the same for all peers.
 *
 * In a dynamic window on one host osc/rdma of 4.1 reads the target's list of regions while the
 * target moves it, so that handle and address are of different regions. NI_ACCESS_BY_ADDRESS has
 * any region of ours that contains the address settle that: processes of the job are trusted with
 * all that is registered here.
 */
mca_btl_base_registration_handle_t *mca_btl_apelink_register_mem(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint, void *base,
    size_t size, uint32_t flags)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    mca_btl_apelink_reg_t *reg = (mca_btl_apelink_reg_t *)opal_free_list_get(&module->regs);
    unsigned access = remote_access(flags);
    struct opal_proc_t *namesake = atomic_load_explicit(&module->namesake, memory_order_relaxed);
    ni_status status = NI_OK;

    (void)endpoint;
    if (NI_UNLIKELY(namesake != NULL) && (access & NI_ACCESS_ATOMIC) != 0) { /* of a window */
        refuse_window(module, namesake);
    }
    if (NI_UNLIKELY(reg == NULL)) {
        return no_memory(module, access);
    }
    reg->handle.rkey = (struct ni_rkey){0};
    if (access != 0 && size != 0) {
        status = ni_region_memory(module->ni, base, size, access | NI_ACCESS_BY_ADDRESS,
                                  &reg->handle.rkey);
    }
    if (NI_UNLIKELY(status != NI_OK)) {
        opal_free_list_return(&module->regs, &reg->super);
        return status == NI_ERR_NOMEM ? no_memory(module, access) : NULL;
    }
    if (is_written_by_peer(reg->handle.rkey.access)) {
        count_registered(module);
    }
    return &reg->handle;
}

int mca_btl_apelink_deregister_mem(struct mca_btl_base_module_t *btl,
                                   mca_btl_base_registration_handle_t *handle)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;
    mca_btl_apelink_reg_t *reg = ni_container_of(handle, mca_btl_apelink_reg_t, handle);
    ni_status status = NI_OK;

    if (is_written_by_peer(handle->rkey.access)) {
        atomic_fetch_sub_explicit(&module->registered, 1, memory_order_relaxed);
    }
    if (handle->rkey.handle != 0) {
        status = ni_region_deregister(module->ni, handle->rkey.handle);
    }
    opal_free_list_return(&module->regs, &reg->super);
    return mca_btl_apelink_error(status);
}
