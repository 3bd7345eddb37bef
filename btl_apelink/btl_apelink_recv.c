/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path in. */
#include "btl_apelink/btl_apelink.h"

#include "engine/engine.h"

/* A message that nobody takes: the sender uses a layer that this process has not started. */
static NI_COLD void unclaimed(mca_btl_apelink_module_t *module, unsigned tag)
{
    char text[16];

    if (module->unclaimed++ == 0) {
        snprintf(text, sizeof(text), "%u", tag);
        mca_btl_apelink_help("unclaimed", text, "", "");
    }
}

/*
 * The message lies in the link's memory and is handed on right there. The tag comes from a peer: it
 * is checked before use. Messages may come from processes that were not added here yet.
 */
void mca_btl_apelink_recv(void *arg, const struct ni_message_info *message)
{
    mca_btl_apelink_module_t *module = arg;
    const mca_btl_active_message_callback_t *handler = ompi_glue_handler(message->tag);

    if (NI_UNLIKELY(handler == NULL)) {
        unclaimed(module, message->tag);
        return;
    }
    ompi_glue_deliver(handler, &module->super, message->source->user, message->tag, message->data,
                      message->len);
}
