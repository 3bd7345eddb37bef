/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * Who may talk to us.
 *
 *   A -> B   HELLO    B's key, from its blob; A's blob; the token with which B is to sign
 *   B -> A   WELCOME  signed with that token; the token with which A is to sign
 *
 * After the first B may send, after the second A. Both may say hello at the same time: then each
 * knows the other's token without a welcome, and answers all the same. A blob comes by the job's
 * own wire-up, so that only those of the job know its key; a token is known to two.
 */

void ni_ucx_stranger(struct ni_ucx_link *link, const char *what)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);

    ni_stat_add(&link->stats->rx_strangers, 1);
    ni_log_limited(&limit, NI_LOG_WARN,
                   "ucx: refused a message from nobody of this job: %s. If this repeats, somebody "
                   "on the network tries to reach this process",
                   what);
}

/* ---- blobs ----------------------------------------------------------------------------------- */

ni_status ni_ucx_blob_check(const struct ni_ucx_link *link, const void *bytes, size_t len,
                            struct ni_ucx_blob *blob, char *reason, size_t reason_size)
{
    static const char not_ours[] = "not an address of the ucx link";

    if (len <= NI_UCX_BLOB_HEAD || len > sizeof(*blob)) {
        return ni_link_refuse(NI_ERR_PROTOCOL, not_ours, reason, reason_size);
    }
    memset(blob, 0, sizeof(*blob));
    memcpy(blob, bytes, len);
    if (blob->magic != NI_UCX_BLOB_MAGIC || blob->address_len != len - NI_UCX_BLOB_HEAD) {
        return ni_link_refuse(NI_ERR_PROTOCOL, not_ours, reason, reason_size);
    }
    if (blob->version != NI_UCX_VERSION) {
        return ni_link_refuse(NI_ERR_UNREACHABLE,
                              "the peer runs another version of apelink; use one version for all",
                              reason, reason_size);
    }
    if (blob->job_key != link->blob.job_key && blob->job_key != 0 && link->blob.job_key != 0) {
        return ni_link_refuse(NI_ERR_UNREACHABLE, "the peer belongs to another job", reason,
                              reason_size);
    }
    return NI_OK;
}

/* ---- hello ----------------------------------------------------------------------------------- */

/* Copy what may be too short, badly aligned and wrong. False: it is no hello to us. */
static bool read_hello(const struct ni_ucx_link *link, const void *data, size_t len,
                       struct ni_ucx_hello *hello)
{
    if (data == NULL || len < NI_UCX_HELLO_HEAD + NI_UCX_BLOB_HEAD || len > sizeof(*hello)) {
        return false;
    }
    memcpy(hello, data, len);
    return hello->key == link->blob.key && hello->token != 0 && hello->ring >= 8 &&
           hello->ring <= NI_UCX_RING_MAX && ni_is_pow2(hello->ring) && hello->bulk != 0 &&
           hello->bulk <= NI_UCX_BULK_MAX && hello->bulk % NI_LINE == 0;
}

/* What it told counts once: one that speaks with two voices is not listened to. */
static bool ucx_hello_learn(struct ni_ucx_peer *peer, const struct ni_ucx_hello *hello)
{
    if (peer->their_token != 0) {
        return peer->their_token == hello->token && peer->ring == hello->ring &&
               peer->bulk == hello->bulk;
    }
    peer->their_token = hello->token;
    peer->ring = hello->ring;
    peer->bulk = hello->bulk;
    return true;
}

/* Those we have given up may wait for a sign of life. */
static void meet_in_graves(struct ni_ucx_link *link, const struct ni_ucx_blob *blob)
{
    for (NI_LIST_EACH(node, &link->graves)) {
        struct ni_ucx_peer *peer = ni_container_of(node, struct ni_ucx_peer, far.list);

        peer->met = peer->met || peer->blob.key == blob->key;
    }
}

void ni_ucx_on_hello(struct ni_ucx_link *link, const struct ni_ucx_head *head, const void *data,
                     size_t len)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    struct ni_ucx_hello hello;
    struct ni_ucx_blob blob;
    struct ni_ucx_peer *peer;

    if (head->token != 0 || !read_hello(link, data, len, &hello) ||
        ni_ucx_blob_check(link, &hello.blob, len - NI_UCX_HELLO_HEAD, &blob, NULL, 0) != NI_OK) {
        ni_ucx_stranger(link, "a hello without the key of this interface or of the job");
        return;
    }
    meet_in_graves(link, &blob);
    peer = ni_ucx_peer_get(link, &blob, len - NI_UCX_HELLO_HEAD);
    if (peer == NULL) {
        ni_log_limited(&limit, NI_LOG_ERROR, "ucx: no memory for one more peer");
        return;
    }
    if (peer->far.down) {
        return; /* it was given up, and does not know yet */
    }
    if (!ucx_hello_learn(peer, &hello)) {
        ni_ucx_stranger(link, "a second hello");
        return;
    }
    peer->met = true;
    if (ni_ucx_peer_open(peer) == NI_OK) {
        peer->hellos |= 1U << NI_UCX_WELCOME;
        ni_ucx_join(peer);
        ni_ucx_pump(peer);
    }
    if (link->leaving) {
        peer->far.down = true;
        ni_ucx_bury(peer, NI_UCX_CLOSED);
    }
    ni_far_unsettle(&link->far);
}

void ni_ucx_on_welcome(struct ni_ucx_peer *peer, const void *data, size_t len)
{
    struct ni_ucx_hello hello;

    if (!read_hello(peer->link, data, len, &hello) || hello.blob.key != peer->blob.key ||
        !ucx_hello_learn(peer, &hello)) {
        ni_stat_add(&peer->link->stats->rx_malformed, 1);
        ni_ucx_end(peer, NI_ERR_PROTOCOL);
        return;
    }
    ni_ucx_moved(peer);
    ni_ucx_pump(peer);
}

/* ---- saying it ------------------------------------------------------------------------------- */

static void ucx_hello_fill(struct ni_ucx_peer *peer)
{
    const struct ni_ucx_link *link = peer->link;

    peer->hello.key = peer->blob.key;
    peer->hello.token = peer->token;
    peer->hello.ring = ni_ucx_ring_lines(link->config);
    peer->hello.bulk = ni_ucx_bulk_size(link->config);
    peer->hello.blob = link->blob;
    peer->hello_len = NI_UCX_HELLO_HEAD + link->blob_len;
}

void ni_ucx_join(struct ni_ucx_peer *peer)
{
    static const enum ni_ucx_type types[] = {NI_UCX_HELLO, NI_UCX_WELCOME};

    if (peer->said) {
        peer->hellos = 0; /* nothing comes after bye */
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(types); i++) {
        if ((peer->hellos & 1U << types[i]) == 0) {
            continue;
        }
        if (peer->hello_len == 0) {
            ucx_hello_fill(peer);
        }
        if (ni_ucx_tell(peer, types[i], 0, 0, &peer->hello, peer->hello_len)) {
            peer->hellos &= ~(1U << types[i]);
        }
    }
}

ni_status ni_ucx_greet(struct ni_ucx_peer *peer)
{
    ni_status status = ni_ucx_peer_open(peer);

    if (status == NI_OK && peer->their_token == 0 && !peer->greeted) {
        peer->greeted = true;
        peer->hellos |= 1U << NI_UCX_HELLO;
        ni_ucx_join(peer);
    }
    return status;
}
