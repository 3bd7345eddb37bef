/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors: alloc, free, prepare_src. */
#include "btl_apelink/btl_apelink.h"

static void frag_construct(mca_btl_apelink_frag_t *frag)
{
    frag->base.des_segments = frag->segments;
    frag->segments[0].seg_addr.pval = frag->buffer;
    ni_list_init(&frag->list);
}

OBJ_CLASS_INSTANCE(mca_btl_apelink_frag_t, mca_btl_base_descriptor_t, frag_construct, NULL);

/* A descriptor whose buffer has room for size bytes; NULL if there is none, or none so large. */
static mca_btl_apelink_frag_t *frag_get(mca_btl_apelink_module_t *module, size_t size)
{
    opal_free_list_t *home = &module->frags[MCA_BTL_APELINK_FRAG_SMALL];
    mca_btl_apelink_frag_t *frag;

    if (size > MCA_BTL_APELINK_SMALL_BYTES) {
        home = &module->frags[size <= module->super.btl_eager_limit ? MCA_BTL_APELINK_FRAG_EAGER
                                                                    : MCA_BTL_APELINK_FRAG_MAX];
        if (size > module->super.btl_eager_limit && size > module->super.btl_max_send_size) {
            return NULL;
        }
    }
    frag = (mca_btl_apelink_frag_t *)opal_free_list_get(home);
    if (NI_LIKELY(frag != NULL)) {
        frag->home = home;
    }
    return frag;
}

static mca_btl_base_descriptor_t *frag_fill(mca_btl_apelink_frag_t *frag, size_t size,
                                            size_t reserve, uint8_t order, uint32_t flags)
{
    frag->segments[0].seg_len = size;
    frag->reserve = (uint32_t)reserve;
    frag->base.des_segment_count = 1;
    frag->base.des_cbfunc = NULL;
    frag->base.des_flags = flags;
    frag->base.order = order;
    return &frag->base;
}

mca_btl_base_descriptor_t *mca_btl_apelink_alloc(struct mca_btl_base_module_t *btl,
                                                 struct mca_btl_base_endpoint_t *endpoint,
                                                 uint8_t order, size_t size, uint32_t flags)
{
    mca_btl_apelink_frag_t *frag = frag_get((mca_btl_apelink_module_t *)btl, size);

    (void)endpoint;
    return NI_LIKELY(frag != NULL) ? frag_fill(frag, size, 0, order, flags) : NULL;
}

int mca_btl_apelink_free(struct mca_btl_base_module_t *btl, mca_btl_base_descriptor_t *descriptor)
{
    mca_btl_apelink_frag_t *frag = (mca_btl_apelink_frag_t *)descriptor;

    (void)btl;
    opal_free_list_return(frag->home, &frag->base.super);
    return OPAL_SUCCESS;
}

/* Data that is not contiguous is packed behind the reserved bytes. Sets *size to what was
 * packed. */
static mca_btl_base_descriptor_t *prepare_packed(mca_btl_apelink_module_t *module,
                                                 struct opal_convertor_t *convertor, uint8_t order,
                                                 size_t reserve, size_t *size, uint32_t flags)
{
    mca_btl_apelink_frag_t *frag;
    struct iovec iov;
    uint32_t count = 1;

    frag = frag_get(module, reserve + *size);
    if (NI_UNLIKELY(frag == NULL)) {
        return NULL;
    }
    iov.iov_base = (IOVBASE_TYPE *)(frag->buffer + reserve);
    iov.iov_len = *size;
    if (NI_UNLIKELY(opal_convertor_pack(convertor, &iov, &count, size) < 0)) {
        (void)mca_btl_apelink_free(&module->super, &frag->base);
        return NULL;
    }
    return frag_fill(frag, reserve + *size, reserve, order, flags);
}

/* Contiguous data stays where it is until the descriptor is sent, from there into the lane. */
static mca_btl_base_descriptor_t *prepare_in_place(mca_btl_apelink_module_t *module,
                                                   struct opal_convertor_t *convertor,
                                                   uint8_t order, size_t reserve, size_t size,
                                                   uint32_t flags)
{
    mca_btl_apelink_frag_t *frag = frag_get(module, reserve);

    if (NI_UNLIKELY(frag == NULL)) {
        return NULL;
    }
    (void)frag_fill(frag, reserve, reserve, order, flags);
    opal_convertor_get_current_pointer(convertor, &frag->segments[1].seg_addr.pval);
    frag->segments[1].seg_len = size;
    frag->base.des_segment_count = size != 0 ? 2 : 1;
    return &frag->base;
}

mca_btl_base_descriptor_t *mca_btl_apelink_prepare_src(struct mca_btl_base_module_t *btl,
                                                       struct mca_btl_base_endpoint_t *endpoint,
                                                       struct opal_convertor_t *convertor,
                                                       uint8_t order, size_t reserve, size_t *size,
                                                       uint32_t flags)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;

    size_t most = module->super.btl_eager_limit > module->super.btl_max_send_size
                      ? module->super.btl_eager_limit
                      : module->super.btl_max_send_size;

    (void)endpoint;
    if (*size > most - reserve) {
        *size = most - reserve;
    }
    if (opal_convertor_need_buffers(convertor)) {
        return prepare_packed(module, convertor, order, reserve, size, flags);
    }
    return prepare_in_place(module, convertor, order, reserve, *size, flags);
}
