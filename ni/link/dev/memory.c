/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/log.h"
#include "link/dev/dev.h"
#include "link/lane_inl.h"

/*
 * Memory that cards reach. It is shared, so that a fork does not move it away from under the card,
 * and that a card that is a program of this host can map it; in whole pages that hold nothing else.
 */

enum { PAGE = 4096 };

static void *map(size_t bytes)
{
    void *memory = ni_fault(NI_FAULT_ALLOC)
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static const char *memory_remedy(int error)
{
    switch (error) {
    case -ENOMEM:
        return "raise the limit of locked memory (ulimit -l)";
    case -ENOSPC:
        return "the card has no room for more buffers; use fewer peers";
    default:
        return "see docs/board.md";
    }
}

/* Memory that is registered with the card, or NULL, which is logged. A card that has gone takes
 * none, and ends all peers. */
static void *registered(struct ni_dev_link *link, size_t bytes, uint32_t access, uint32_t *handle)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    void *memory = map(bytes);
    int error;

    if (memory == NULL) {
        ni_log_limited(&limit, NI_LOG_ERROR, "dev: out of memory");
        return NULL;
    }
    error = apelink_client_register(&link->client, memory, bytes, access, handle);
    if (error != 0 && ni_dev_card_there(link)) {
        ni_log_limited(&limit, NI_LOG_ERROR,
                       "dev: the card of %s does not take a buffer of %zu bytes: %s; %s",
                       link->config->dev_device, bytes, strerror(-error), memory_remedy(error));
    }
    if (error != 0) {
        (void)munmap(memory, bytes);
        return NULL;
    }
    return memory;
}

static void give_back(struct ni_dev_link *link, void *memory, size_t bytes, uint32_t handle)
{
    if (memory != NULL) {
        (void)apelink_client_deregister(&link->client, handle);
        (void)munmap(memory, bytes);
    }
}

/* ---- of the link ----------------------------------------------------------------------------- */

ni_status ni_dev_link_memory(struct ni_dev_link *link)
{
    uint64_t places = (uint64_t)link->nodes * NI_DEV_PORTS;
    uint32_t unused; /* both stay as long as the channel */

    link->mailbox_bytes = ni_align_up(places * NI_DEV_MAIL, PAGE);
    link->identity_bytes = PAGE;
    link->at = ni_calloc(places, sizeof(struct ni_dev_peer *));
    link->met = ni_calloc(places, sizeof(*link->met));
    link->mailbox = registered(link, link->mailbox_bytes, APELINK_ACCESS_WRITE, &unused);
    link->identity = registered(link, link->identity_bytes, APELINK_ACCESS_READ, &unused);
    return link->at != NULL && link->met != NULL && link->mailbox != NULL && link->identity != NULL
               ? NI_OK
               : NI_ERR_NOMEM;
}

void ni_dev_link_unmap(struct ni_dev_link *link)
{
    if (link->mailbox != NULL) {
        (void)munmap(link->mailbox, link->mailbox_bytes);
    }
    if (link->identity != NULL) {
        (void)munmap(link->identity, link->identity_bytes);
    }
    ni_free(link->at);
    ni_free(link->met);
}

/* ---- of a peer ------------------------------------------------------------------------------- */

ni_status ni_dev_peer_memory(struct ni_dev_peer *peer)
{
    struct ni_dev_link *link = peer->link;
    const struct ni_dev_blob *ours = &link->blob, *theirs = &peer->blob;

    if (peer->out != NULL) {
        return NI_OK;
    }
    peer->out_bytes =
        ni_align_up(sizeof(struct ni_dev_out) + ni_dev_ring_bytes(ours->ring) + ours->bulk, PAGE);
    peer->in_bytes = ni_align_up(
        sizeof(struct ni_dev_in) + ni_dev_ring_bytes(theirs->ring) + theirs->bulk, PAGE);
    peer->payload_map = ni_calloc(ours->ring, 1);
    peer->ring = ni_aligned_zero(NI_LINE, ni_dev_ring_bytes(theirs->ring));
    if (peer->payload_map != NULL && peer->ring != NULL) {
        peer->in = registered(link, peer->in_bytes, APELINK_ACCESS_WRITE, &peer->in_handle);
    }
    if (peer->in != NULL) {
        peer->out = registered(link, peer->out_bytes, APELINK_ACCESS_READ, &peer->out_handle);
    }
    if (peer->out == NULL) {
        ni_dev_peer_unmap(peer);
        return ni_far_ending(&peer->far) == NI_ERR_CARD ? NI_ERR_CARD : NI_ERR_NOMEM;
    }
    ni_lane_rx_init(&peer->rx, &peer->in_page, peer->ring, theirs->ring, ni_dev_in_bulk(peer),
                    theirs->bulk);
    peer->rx.link_data = peer;
    ni_dev_fill_state(peer);
    atomic_store_explicit(&peer->ep.met, true, memory_order_relaxed);
    return NI_OK;
}

void ni_dev_peer_unmap(struct ni_dev_peer *peer)
{
    give_back(peer->link, peer->out, peer->out_bytes, peer->out_handle);
    give_back(peer->link, peer->in, peer->in_bytes, peer->in_handle);
    ni_free(peer->payload_map);
    ni_free(peer->ring);
    peer->out = NULL;
    peer->in = NULL;
    peer->payload_map = NULL;
    peer->ring = NULL;
}
