/* SPDX-License-Identifier: BSD-3-Clause */
/* State for people, who ask from a debugger or through the upper layer. */
#include "btl_apelink/btl_apelink.h"

#include <apeni/stats.h>

static void dump_endpoint(const mca_btl_apelink_endpoint_t *endpoint)
{
    char link[256];

    (void)ni_peer_describe(endpoint->peer, link, sizeof(link));
    opal_output(0, "btl:apelink: %s: %s; %u descriptors wait%s\n",
                OPAL_NAME_PRINT(endpoint->proc->proc_name), link,
                atomic_load_explicit(&endpoint->waiting, memory_order_relaxed),
                mca_btl_apelink_is_down(endpoint) ? "; down" : "");
}

/* Of one endpoint, or of all if it is NULL; verbose adds the statistics of the interface. */
void mca_btl_apelink_dump(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint, int verbose)
{
    mca_btl_apelink_module_t *module = (mca_btl_apelink_module_t *)btl;

    if (module->ni == NULL) {
        return;
    }
    if (endpoint != NULL) {
        dump_endpoint(endpoint);
    } else {
        mca_btl_apelink_lock(module, &module->lock);
        for (NI_LIST_EACH(node, &module->endpoints)) {
            dump_endpoint(ni_container_of(node, mca_btl_apelink_endpoint_t, all));
        }
        mca_btl_apelink_unlock(module, &module->lock);
    }
    opal_output(0, "btl:apelink: %u wait for room or memory, %llu messages unclaimed\n",
                atomic_load_explicit(&module->pending, memory_order_relaxed),
                (unsigned long long)module->unclaimed);
    for (size_t i = 0; verbose > 0 && i < ni_stat_count; i++) {
        opal_output(0, "btl:apelink: %s %llu %s\n", ni_stat_infos[i].name,
                    (unsigned long long)ni_stat_read(module->ni, i), ni_stat_infos[i].unit);
    }
}
