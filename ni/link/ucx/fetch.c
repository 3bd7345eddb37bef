/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Bulk payloads that wait at the sender until the receiver takes them: by UCX's rendezvous, or, with
 * ucx_bulk=get, with the remote key of the sender's bulk area. The sender keeps a payload until the
 * receiver's engine has consumed its packet, so whoever is told of one may read it.
 *
 * The key comes with each offer and is unpacked once. UCX's function for that is told no length: it
 * gets a copy with more zeros behind than any key could make it read.
 */

enum {
    KEY_ROOM = 32768
}; /* 64 memory domains, each with a length of one byte and so many bytes, and a head */

/* ---- the sender ------------------------------------------------------------------------------ */

static ucs_status_t pack_key(struct ni_ucx_peer *peer)
{
    struct ni_ucx_out *out = peer->out;
    void *key;
    size_t len;
    ucs_status_t status = ni_ucx.ucp_rkey_pack(peer->link->context, out->memory, &key, &len);

    if (status != UCS_OK) {
        return status;
    }
    if (len <= NI_UCX_KEY) {
        out->offer.address = (uintptr_t)out->bulk;
        out->offer.key_len = (uint32_t)len;
        memcpy(out->offer.key, key, len);
    }
    ni_ucx.ucp_rkey_buffer_release(key);
    return len <= NI_UCX_KEY ? UCS_OK : UCS_ERR_BUFFER_TOO_SMALL;
}

static void close_area(struct ni_ucx_peer *peer)
{
    if (peer->out != NULL && peer->out->memory != NULL) {
        (void)ni_ucx.ucp_mem_unmap(peer->link->context, peer->out->memory);
        peer->out->memory = NULL;
    }
}

void ni_ucx_open_area(struct ni_ucx_peer *peer, size_t size)
{
    struct ni_ucx_out *out = peer->out;
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = out->bulk,
        .length = size,
    };
    ucs_status_t status;

    if (!peer->link->gets) {
        return;
    }
    status = ni_ucx.ucp_mem_map(peer->link->context, &params, &out->memory);
    if (status != UCS_OK) {
        out->memory = NULL;
    } else {
        status = pack_key(peer);
    }
    if (status != UCS_OK) {
        static struct ni_log_limit limit = NI_LOG_LIMIT(1);

        close_area(peer);
        ni_log_limited(&limit, NI_LOG_WARN,
                       "ucx: no remote key for a bulk area of %zu bytes: UCX says \"%s\". Payloads "
                       "go in messages. "
                       "See whether ulimit -l allows as much, for each peer",
                       size, ni_ucx.ucs_status_string(status));
    }
}

/* ---- the receiver ---------------------------------------------------------------------------- */

static bool unpack(struct ni_ucx_peer *peer, const struct ni_ucx_offer *offer)
{
    uint8_t key[KEY_ROOM] = {0};
    ucs_status_t status;

    memcpy(key, offer->key, offer->key_len);
    status = ni_ucx.ucp_ep_rkey_unpack(peer->ucp, key, &peer->in->key);
    if (status != UCS_OK) {
        peer->in->key = NULL;
    }
    peer->in->area = offer->address;
    return status == UCS_OK;
}

bool ni_ucx_keep_key(struct ni_ucx_peer *peer, const void *data, size_t len)
{
    struct ni_ucx_offer offer;

    if (data == NULL || len <= NI_UCX_OFFER_HEAD || len > sizeof(offer)) {
        return false;
    }
    memcpy(&offer, data, len);
    return len == NI_UCX_OFFER_HEAD + (size_t)offer.key_len &&
           (peer->in->key != NULL || unpack(peer, &offer));
}

void ni_ucx_forget_keys(struct ni_ucx_peer *peer)
{
    if (peer->in != NULL && peer->in->key != NULL) {
        ni_ucx.ucp_rkey_destroy(peer->in->key);
        peer->in->key = NULL;
    }
    close_area(peer);
}

/* ---- on its way ------------------------------------------------------------------------------ */

/* There is room for as many as a lane may have under way; only one that breaks the protocol has more. */
static struct ni_ucx_fetch *new_fetch(struct ni_ucx_peer *peer, const struct ni_ucx_bulk *bulk)
{
    struct ni_ucx_fetch *fetch;
    unsigned free;

    if (peer->fetching == UINT64_MAX) {
        ni_ucx_broken(peer);
        return NULL;
    }
    free = (unsigned)__builtin_ctzll(~peer->fetching);
    fetch = &peer->in->fetches[free];
    fetch->peer = peer;
    fetch->position = bulk->head.position;
    memcpy(fetch->line, bulk->line, sizeof(fetch->line));
    peer->fetching |= UINT64_C(1) << free;
    return fetch;
}

/* From within UCX, so with the lock. */
static void on_got(void *request, ucs_status_t status, void *arg)
{
    struct ni_ucx_fetch *fetch = arg;
    struct ni_ucx_peer *peer = fetch->peer;

    peer->fetching &= ~(UINT64_C(1) << (fetch - peer->in->fetches));
    if (status == UCS_OK) {
        ni_ucx_fill(peer, fetch->position, 1, fetch->line);
    } else if (status != UCS_ERR_CANCELED) {
        ni_ucx_end(peer, NI_ERR_PEER_DEAD);
    }
    if (request != NULL) {
        ni_ucx.ucp_request_free(request);
    }
}

static void on_fetched(void *request, ucs_status_t status, size_t len, void *arg)
{
    (void)len; /* more than we asked for never comes, less is a failure */
    on_got(request, status, arg);
}

/* What ended at once, calls nobody. */
static void begun(ucs_status_ptr_t request, struct ni_ucx_fetch *fetch)
{
    if (request == NULL || UCS_PTR_IS_ERR(request)) {
        on_got(NULL, request == NULL ? UCS_OK : UCS_PTR_STATUS(request), fetch);
    }
}

ucs_status_t ni_ucx_fetch(struct ni_ucx_peer *peer, const struct ni_ucx_bulk *bulk, uint8_t *place,
                          void *desc, size_t len)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.recv_am = on_fetched},
    };
    struct ni_ucx_fetch *fetch = new_fetch(peer, bulk);

    if (fetch == NULL) {
        return UCS_OK;
    }
    param.user_data = fetch;
    begun(ni_ucx.ucp_am_recv_data_nbx(peer->link->worker, desc, place, len, &param), fetch);
    return UCS_INPROGRESS;
}

void ni_ucx_get(struct ni_ucx_peer *peer, const struct ni_ucx_bulk *bulk, uint8_t *place,
                uint64_t from, size_t len)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = on_got},
    };
    struct ni_ucx_fetch *fetch = new_fetch(peer, bulk);

    if (fetch != NULL) {
        ni_stat_add(&peer->link->stats->rx_got, 1);
        param.user_data = fetch;
        begun(ni_ucx.ucp_get_nbx(peer->ucp, place, len, from, peer->in->key, &param), fetch);
    }
}
