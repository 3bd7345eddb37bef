/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path in. */
#include "btl_apelink/btl_apelink_parts.h"

#include <stdio.h>

#include "engine/send/fast.h"

/* A part of a message, or one that nobody takes: the sender uses a layer that this process has not
 * started. */
static NI_COLD void recv_unhandled(mca_btl_apelink_module_t *module,
                                   const struct ni_message_info *message)
{
    char text[16];

    if ((message->tag & MCA_BTL_APELINK_PART) != 0 && mca_btl_apelink_recv_part(module, message)) {
        return;
    }
    if (module->unclaimed++ == 0) {
        snprintf(text, sizeof(text), "%u", message->tag);
        ompi_glue_help("unclaimed", text, "", "");
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
        recv_unhandled(module, message);
        return;
    }
    ompi_glue_deliver(handler, &module->super, message->source->user, message->tag, message->data,
                      message->len);
}
