/* SPDX-License-Identifier: BSD-3-Clause */
/* The module: function table and end of life. */
#include "btl_apelink/btl_apelink_parts.h"

static int finalize(struct mca_btl_base_module_t *btl)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;

    if (module->ni == NULL) {
        return OPAL_SUCCESS;
    }
    module->closing = true;
    mca_btl_apelink_show_links(module);
    while (!ni_list_empty(&module->endpoints)) {
        mca_btl_apelink_endpoint_release(
            ni_container_of(module->endpoints.next, mca_btl_apelink_endpoint_t, all));
    }
    mca_btl_apelink_drop_parts(module, NULL);
    ni_close(module->ni);
    module->ni = NULL;
    for (int i = 0; i < MCA_BTL_APELINK_FRAG_CLASSES; i++) {
        OBJ_DESTRUCT(&module->frags[i]);
    }
    while (!opal_list_is_empty(&module->held)) {
        opal_list_item_t *op = opal_list_remove_first(&module->held);

        opal_free_list_return(&module->ops, (opal_free_list_item_t *)op);
    }
    OBJ_DESTRUCT(&module->held);
    OBJ_DESTRUCT(&module->ops);
    OBJ_DESTRUCT(&module->regs);
    OBJ_DESTRUCT(&module->lock);
    return OPAL_SUCCESS;
}

static int register_error(struct mca_btl_base_module_t *btl,
                          mca_btl_base_module_error_cb_fn_t cbfunc)
{
    ((mca_btl_apelink_module_t *)btl)->error_cb = cbfunc;
    return OPAL_SUCCESS;
}

/*
 * Left NULL: btl_register, because tags are looked up in the global table at delivery; btl_mpool,
 * because memory needs no preparation; btl_ft_event, which nothing calls any more.
 */
mca_btl_apelink_module_t mca_btl_apelink = {
    .super =
        {
            .btl_component = &mca_btl_apelink_component.super,
            .btl_registration_handle_size = sizeof(mca_btl_base_registration_handle_t),
            /* Local memory needs no registration, so nobody needs to copy it into memory that has
             * one. */
            .btl_get_local_registration_threshold = SIZE_MAX,
            .btl_put_local_registration_threshold = SIZE_MAX,
            .btl_add_procs = mca_btl_apelink_add_procs,
            .btl_del_procs = mca_btl_apelink_del_procs,
            .btl_finalize = finalize,
            .btl_alloc = mca_btl_apelink_alloc,
            .btl_free = mca_btl_apelink_free,
            .btl_prepare_src = mca_btl_apelink_prepare_src,
            .btl_send = mca_btl_apelink_send,
            .btl_sendi = mca_btl_apelink_sendi,
            .btl_put = mca_btl_apelink_put,
            .btl_get = mca_btl_apelink_get,
            .btl_dump = mca_btl_apelink_dump,
            .btl_atomic_op = mca_btl_apelink_atomic_op,
            .btl_atomic_fop = mca_btl_apelink_atomic_fop,
            .btl_atomic_cswap = mca_btl_apelink_atomic_cswap,
            .btl_register_mem = mca_btl_apelink_register_mem,
            .btl_deregister_mem = mca_btl_apelink_deregister_mem,
            .btl_register_error = register_error,
            .btl_flush = mca_btl_apelink_flush,
        },
};
