/* SPDX-License-Identifier: BSD-3-Clause */
#include "ompi_glue/take.h"

static struct {
    ompi_glue_taken_fn fn;
    void *arg;
} taker;

#if BTL_VERSION >= 330
static void taken(struct mca_btl_base_module_t *btl,
                  const mca_btl_base_receive_descriptor_t *message)
{
    taker.fn(btl, message->tag, message->des_segments->seg_addr.pval,
             message->des_segments->seg_len, taker.arg);
}
#else
static void taken(struct mca_btl_base_module_t *btl, mca_btl_base_tag_t tag,
                  mca_btl_base_descriptor_t *message, void *data)
{
    (void)data;
    taker.fn(btl, tag, message->des_segments->seg_addr.pval, message->des_segments->seg_len,
             taker.arg);
}
#endif

void ompi_glue_take(unsigned tag, ompi_glue_taken_fn fn, void *arg)
{
    taker.fn = fn;
    taker.arg = arg;
    mca_btl_base_active_message_trigger[tag].cbfunc = fn != NULL ? taken : NULL;
}
