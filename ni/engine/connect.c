/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "engine/ni.h"
#include "engine/peer.h"
#include "engine/progress.h"

/*
 * From an address blob to a peer. The blob:
 *
 *   0  magic 'APNI'   4  version   5  link id   6  length of the link's part   8  the link's part
 */

enum { NI_BLOB_VERSION = 1, NI_BLOB_HEAD = 8 };
static const uint8_t blob_magic[4] = {'A', 'P', 'N', 'I'};

size_t ni_address(const struct ni *ni, void *blob, size_t size)
{
    uint8_t *bytes = blob;
    size_t len;

    if (size < NI_BLOB_HEAD) {
        return 0;
    }
    len = ni->link->ops->blob(ni->link, bytes + NI_BLOB_HEAD, size - NI_BLOB_HEAD);
    if (len == 0) {
        return 0;
    }
    memcpy(bytes, blob_magic, sizeof(blob_magic));
    bytes[4] = NI_BLOB_VERSION;
    bytes[5] = (uint8_t)ni->link->ops->id;
    bytes[6] = (uint8_t)len;
    bytes[7] = (uint8_t)(len >> 8);
    return NI_BLOB_HEAD + len;
}

/* The link's part of a blob that may hold anything. */
static ni_status parse(const struct ni *ni, const void *blob, size_t len, const uint8_t **part,
                       size_t *part_len, char *reason, size_t reason_size)
{
    const uint8_t *bytes = blob;

    if (len < NI_BLOB_HEAD || len > NI_BLOB_MAX ||
        memcmp(bytes, blob_magic, sizeof(blob_magic)) != 0) {
        snprintf(reason, reason_size, "not an address of a network interface (%zu bytes)", len);
        return NI_ERR_PROTOCOL;
    }
    if (bytes[4] != NI_BLOB_VERSION) {
        snprintf(reason, reason_size,
                 "its address has version %u, ours is %u: use the same release on both sides",
                 bytes[4], NI_BLOB_VERSION);
        return NI_ERR_PROTOCOL;
    }
    *part = bytes + NI_BLOB_HEAD;
    *part_len = (size_t)bytes[6] | (size_t)bytes[7] << 8;
    if (*part_len != len - NI_BLOB_HEAD) {
        snprintf(reason, reason_size, "its address is damaged (length %zu, expected %zu)",
                 len - NI_BLOB_HEAD, *part_len);
        return NI_ERR_PROTOCOL;
    }
    if (bytes[5] != ni->link->ops->id) {
        snprintf(reason, reason_size, "it uses another link than ours, %s", ni->link->ops->name);
        return NI_ERR_UNREACHABLE;
    }
    return NI_OK;
}

bool ni_reachable(const struct ni *ni, const void *blob, size_t len, char *reason,
                  size_t reason_size)
{
    char unused[1];
    const uint8_t *part;
    size_t part_len;

    if (reason == NULL || reason_size == 0) {
        reason = unused;
        reason_size = sizeof(unused);
    }
    if (ni->forked) {
        snprintf(reason, reason_size, "%s", ni_status_text(NI_ERR_FORKED));
        return false;
    }
    return parse(ni, blob, len, &part, &part_len, reason, reason_size) == NI_OK &&
           ni->link->ops->reach(ni->link, part, part_len, reason, reason_size) == NI_OK;
}

ni_status ni_connect(struct ni *ni, const void *blob, size_t len, struct ni_peer **connected)
{
    char reason[256] = "";
    struct ni_peer *peer;
    const uint8_t *part;
    size_t part_len;
    ni_status status = ni->closing ? NI_ERR_CLOSED : ni_usable(ni);
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    status = parse(ni, blob, len, &part, &part_len, reason, sizeof(reason));
    if (status == NI_OK) {
        status = ni->link->ops->reach(ni->link, part, part_len, reason, sizeof(reason));
    }
    if (status != NI_OK) {
        ni_log(NI_LOG_INFO, "cannot connect: %s", reason);
        return status;
    }
    taken = ni_turn_take(ni);
    status = ni_peer_get(ni, ni->link, part, part_len, &peer);
    if (status == NI_OK) {
        ni_lock_take(&peer->lock, ni->threads);
        status = ni_peer_endpoint(peer);
        ni_lock_give(&peer->lock, ni->threads);
    }
    if (status == NI_OK) {
        peer->references++;
        *connected = peer;
    }
    ni_turn_give(ni, taken);
    return status;
}

void ni_disconnect(struct ni *ni, struct ni_peer *peer)
{
    bool taken;

    if (ni_usable(ni) != NI_OK) {
        return;
    }
    taken = ni_turn_take(ni);
    if (peer->references != 0 && --peer->references == 0) {
        /* The peer may go on sending to us: what it sends is still understood and answered, so the
         * struct stays until ni_close, and what waits for it is still sent. */
        ni_peer_complete_all(peer, NI_ERR_CANCELED);
    }
    ni_turn_give(ni, taken);
}
