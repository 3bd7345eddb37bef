/* SPDX-License-Identifier: BSD-3-Clause */
#include "btl_apelink/btl_apelink_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/send/fast.h"

/* ---- out ------------------------------------------------------------------------------------- */

bool mca_btl_apelink_needs_parts(const mca_btl_apelink_endpoint_t *endpoint, size_t size)
{
    size_t most = ni_message_max(endpoint->peer);

    return most > 2 * sizeof(struct mca_btl_apelink_part) && size > most;
}

static size_t frag_size(const mca_btl_apelink_frag_t *frag)
{
    return frag->segments[0].seg_len +
           (frag->base.des_segment_count > 1 ? frag->segments[1].seg_len : 0);
}

/* Copy bytes of a descriptor, whichever of its segments they are in. */
static void gather(uint8_t *to, const mca_btl_apelink_frag_t *frag, size_t offset, size_t len)
{
    for (size_t i = 0; i < frag->base.des_segment_count && len > 0; i++) {
        size_t size = frag->segments[i].seg_len;

        if (offset < size) {
            size_t run = size - offset < len ? size - offset : len;

            memcpy(to, (const uint8_t *)frag->segments[i].seg_addr.pval + offset, run);
            to += run;
            len -= run;
            offset = 0;
        } else {
            offset -= size;
        }
    }
}

bool mca_btl_apelink_push_parts(mca_btl_apelink_frag_t *frag)
{
    mca_btl_apelink_endpoint_t *endpoint = frag->endpoint;
    struct mca_btl_apelink_part part = {.total = (uint32_t)frag_size(frag)};

    while (frag->sent < part.total) {
        size_t most = ni_message_max(endpoint->peer), left = part.total - frag->sent, len;
        uint8_t *place;

        if (most <= sizeof(part)) {
            return false;
        }
        len = left < most - sizeof(part) ? left : most - sizeof(part);
        place = ni_msg_begin(endpoint->peer, sizeof(part), (uint32_t)len);
        if (place == NULL) {
            return false;
        }
        part.offset = frag->sent;
        memcpy(place, &part, sizeof(part));
        gather(place + sizeof(part), frag, frag->sent, len);
        ni_msg_commit(endpoint->peer, endpoint->queue, (uint16_t)(MCA_BTL_APELINK_PART | frag->tag),
                      (uint32_t)(sizeof(part) + len));
        frag->sent += (uint32_t)len;
    }
    return true;
}

/* ---- in -------------------------------------------------------------------------------------- */

/* A message that is being put together. At most one per peer; the thread that polls has them. */
struct assembly {
    struct ni_list list; /* in module->assemblies */
    const struct ni_peer *source;
    unsigned tag;
    uint32_t total, got;
    _Alignas(NI_CACHE_LINE) uint8_t data[];
};

static struct assembly *find(mca_btl_apelink_module_t *module, const struct ni_peer *source)
{
    for (NI_LIST_EACH(node, &module->assemblies)) {
        struct assembly *assembly = ni_container_of(node, struct assembly, list);

        if (assembly->source == source) {
            return assembly;
        }
    }
    return NULL;
}

static void drop(struct assembly *assembly)
{
    if (assembly != NULL) {
        ni_list_remove(&assembly->list);
        free(assembly);
    }
}

static struct assembly *start(mca_btl_apelink_module_t *module, const struct ni_peer *source,
                              unsigned tag, uint32_t total)
{
    size_t size =
        (sizeof(struct assembly) + total + NI_CACHE_LINE - 1) & ~(size_t)(NI_CACHE_LINE - 1);
    struct assembly *assembly;

    if (total > MCA_BTL_APELINK_PARTS_MOST) {
        return NULL;
    }
    assembly = aligned_alloc(NI_CACHE_LINE, size);
    if (assembly != NULL) {
        assembly->source = source;
        assembly->tag = tag;
        assembly->total = total;
        assembly->got = 0;
        ni_list_init(&assembly->list);
        ni_list_push_back(&module->assemblies, &assembly->list);
    }
    return assembly;
}

/* All of it is there. Taken out of the list first: the callee may poll. */
static void hand_on(mca_btl_apelink_module_t *module, const struct ni_message_info *message,
                    struct assembly *assembly)
{
    const struct ni_message_info whole = {.source = message->source,
                                          .data = assembly->data,
                                          .len = assembly->total,
                                          .tag = (uint16_t)assembly->tag};

    ni_list_remove(&assembly->list);
    mca_btl_apelink_recv(module, &whole);
    free(assembly);
}

bool mca_btl_apelink_recv_part(mca_btl_apelink_module_t *module,
                               const struct ni_message_info *message)
{
    unsigned tag = message->tag & (MCA_BTL_APELINK_PART - 1);
    struct assembly *assembly = find(module, message->source);
    struct mca_btl_apelink_part part;
    uint32_t len;

    if (message->len < sizeof(part)) {
        drop(assembly);
        return false;
    }
    memcpy(&part, message->data, sizeof(part));
    len = message->len - (uint32_t)sizeof(part);
    if (part.offset == 0) {
        drop(assembly);
        assembly = start(module, message->source, tag, part.total);
        if (assembly == NULL && part.total <= MCA_BTL_APELINK_PARTS_MOST) {
            /* The message would be lost, and who waits for it would wait for ever. */
            mca_btl_apelink_peer_down(module, message->source, NI_ERR_NOMEM);
            return true;
        }
    }
    if (assembly == NULL || assembly->tag != tag || assembly->total != part.total ||
        assembly->got != part.offset || len > assembly->total - assembly->got) {
        drop(assembly);
        return false;
    }
    memcpy(assembly->data + assembly->got, (const uint8_t *)message->data + sizeof(part), len);
    assembly->got += len;
    if (assembly->got == assembly->total) {
        hand_on(module, message, assembly);
    }
    return true;
}

void mca_btl_apelink_drop_parts(mca_btl_apelink_module_t *module, const struct ni_peer *peer)
{
    for (NI_LIST_EACH_SAFE(node, &module->assemblies)) {
        struct assembly *assembly = ni_container_of(node, struct assembly, list);

        if (peer == NULL || assembly->source == peer) {
            drop(assembly);
        }
    }
}
