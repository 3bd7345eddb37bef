/* SPDX-License-Identifier: BSD-3-Clause */
/* Want of memory: how long it may last. */
#include "btl_apelink/btl_apelink.h"

#include "base/config.h"
#include "engine/core/ni.h"

bool mca_btl_apelink_starves(mca_btl_apelink_module_t *module,
                             const mca_btl_apelink_endpoint_t *endpoint, const char *what)
{
    const mca_btl_apelink_endpoint_t here = {.proc = opal_proc_local_get()};
    bool over;

    mca_btl_apelink_lock(module, &module->lock);
    /* Relaxed: says nothing about other memory. */
    if (!atomic_exchange_explicit(&module->starved, true, memory_order_relaxed)) {
        module->starve = (struct ni_memory_wait){0};
    }
    over = ni_memory_wait_over(&module->starve, 0, module->ni->config->memory_wait_ms);
    mca_btl_apelink_unlock(module, &module->lock);
    if (over) {
        mca_btl_apelink_give_up(module, endpoint != NULL ? endpoint : &here, NULL,
                                "operation-failed", what, NI_ERR_NOMEM);
    }
    return over;
}

static void set_unregistered(mca_btl_apelink_module_t *module, bool is)
{
    /* Relaxed: who sees either late looks again. */
    if (atomic_exchange_explicit(&module->unregistered, is, memory_order_relaxed) != is) {
        atomic_fetch_add_explicit(&module->pending, is ? 1 : UINT32_MAX, memory_order_relaxed);
    }
}

/*
 * Memory that a peer is to write to, ob1 registers again when a transfer to memory of that kind
 * ends. Where none is under way nobody calls it again. With other BTLs it takes one of those.
 */
void mca_btl_apelink_unregistered(mca_btl_apelink_module_t *module)
{
    if (atomic_load_explicit(&module->registered, memory_order_relaxed) == 0 &&
        mca_btl_apelink_is_only_btl()) {
        set_unregistered(module, true);
    }
}

void mca_btl_apelink_registered(mca_btl_apelink_module_t *module)
{
    set_unregistered(module, false);
    mca_btl_apelink_fed(module);
}

void mca_btl_apelink_look_at_unregistered(mca_btl_apelink_module_t *module)
{
    if (atomic_load_explicit(&module->unregistered, memory_order_relaxed) &&
        mca_btl_apelink_starves(module, NULL, "memory could not be registered for a message to")) {
        set_unregistered(module, false);
    }
}
