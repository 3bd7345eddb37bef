/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "base/log.h"
#include "link/dev/dev.h"

/*
 * Who may talk to us.
 *
 *   A -> B   HELLO    B's key, from its blob; A's blob; the addresses of A's memory for B
 *   B -> A   WELCOME  A's key; the same of B
 *
 * Each has made its memory for the other before it says so: nothing that comes afterwards is for
 * nobody. A hello is repeated until it is answered, and is answered each time. A mailbox has a
 * place for each channel of the torus, so that nobody overwrites what another has said. A blob
 * comes by the job's own wire-up, so that only those of the job know its key.
 */

void ni_dev_stranger(struct ni_dev_link *link, const char *what)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);

    ni_stat_add(&link->stats->rx_strangers, 1);
    ni_log_limited(&limit, NI_LOG_WARN,
                   "dev: something came by the card from nobody of this job: %s. If this repeats, "
                   "another program of the torus writes to this process",
                   what);
}

/* ---- blobs ----------------------------------------------------------------------------------- */

/* Sizes and places that can be. */
static bool makes_sense(const struct ni_dev_link *link, const struct ni_dev_blob *blob)
{
    return blob->magic == NI_DEV_BLOB_MAGIC && blob->key != 0 &&
           ni_dev_index(link, blob->place, blob->port) != UINT32_MAX &&
           blob->ring >= 2 * NI_DEV_RUN && blob->ring <= NI_DEV_RING_MAX &&
           ni_is_pow2(blob->ring) && blob->bulk != 0 && blob->bulk <= NI_DEV_BULK_MAX &&
           blob->bulk % NI_LINE == 0;
}

ni_status ni_dev_blob_check(const struct ni_dev_link *link, const void *bytes, size_t len,
                            struct ni_dev_blob *blob, char *reason, size_t reason_size)
{
    static const char not_ours[] = "not an address of the dev link";

    if (len != sizeof(*blob)) {
        return ni_link_refuse(NI_ERR_PROTOCOL, not_ours, reason, reason_size);
    }
    memcpy(blob, bytes, len);
    if (blob->magic != NI_DEV_BLOB_MAGIC) {
        return ni_link_refuse(NI_ERR_PROTOCOL, not_ours, reason, reason_size);
    }
    if (blob->version != NI_DEV_VERSION) {
        return ni_link_refuse(NI_ERR_UNREACHABLE,
                              "the peer runs another version of apelink; use one version for all",
                              reason, reason_size);
    }
    if (blob->torus != link->blob.torus) {
        return ni_link_refuse(NI_ERR_UNREACHABLE,
                              "the peer's card is in a torus of another size; see `torus` in the "
                              "configurations of apelink-board",
                              reason, reason_size);
    }
    if (!makes_sense(link, blob)) {
        return ni_link_refuse(NI_ERR_PROTOCOL, not_ours, reason, reason_size);
    }
    if (blob->job_key != link->blob.job_key && blob->job_key != 0 && link->blob.job_key != 0) {
        return ni_link_refuse(NI_ERR_UNREACHABLE, "the peer belongs to another job", reason,
                              reason_size);
    }
    if (atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        return ni_link_refuse(
            NI_ERR_UNREACHABLE,
            "the card of this process has gone; see what became of apelink-board, and "
            "begin the job anew",
            reason, reason_size);
    }
    return NI_OK;
}

/* ---- what comes ------------------------------------------------------------------------------ */

static void learn(struct ni_dev_peer *peer, const struct ni_dev_hello *hello)
{
    if (!peer->known) {
        peer->told = hello->told;
        peer->theirs = hello->serial;
        peer->state = hello->state;
        peer->stage = hello->stage;
        peer->bulk = hello->bulk;
        peer->known = true;
        ni_dev_touch(peer);
        ni_far_unsettle(&peer->link->far);
    }
}

static void fill(const struct ni_dev_peer *peer, enum ni_dev_said said, struct ni_dev_hello *hello)
{
    const struct ni_dev_link *link = peer->link;

    *hello = (struct ni_dev_hello){.key = peer->blob.key, .blob = link->blob, .said = said};
    hello->serial = peer->serial;
    if (peer->out != NULL) {
        hello->told = (uintptr_t)&peer->in->told;
        hello->state = (uintptr_t)&peer->out->state;
        hello->stage = (uintptr_t)ni_dev_in_stage(peer);
        hello->bulk = (uintptr_t)ni_dev_out_bulk(peer);
    } else {
        hello->refused = 1;
    }
}

/* Without memory of its own for the peer what is said lies in the link's, which another refusal may
 * overwrite: then the peer says hello again. */
static bool say(struct ni_dev_peer *peer, enum ni_dev_said said)
{
    const struct ni_dev_link *link = peer->link;
    uint32_t index = ni_dev_index(link, link->blob.place, link->blob.port);
    struct ni_dev_hello *hello =
        peer->out != NULL ? &peer->out->said[said - NI_DEV_HELLO] : &link->identity->refusal;
    struct ni_dev_put put = {
        .from = hello,
        .to = peer->blob.mailbox + (uint64_t)index * NI_DEV_MAIL,
        .len = sizeof(*hello),
    };

    fill(peer, said, hello);
    return ni_dev_put(peer, &put);
}

/* It says hello to whom we know: it has not heard us, or has given up what there was and begins
 * anew. */
static bool is_another(struct ni_dev_peer *peer, const struct ni_dev_hello *hello)
{
    if (!peer->known || peer->theirs == hello->serial) {
        return false;
    }
    peer->heard = true;
    peer->bye_position = peer->high;
    ni_dev_end(peer, NI_ERR_PEER_CLOSED);
    return true;
}

static void on_hello(struct ni_dev_link *link, const struct ni_dev_hello *hello)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    struct ni_dev_peer *peer = ni_dev_peer_get(link, &hello->blob);

    if (peer == NULL) {
        /* It says hello again. */
        ni_log_limited(&limit, NI_LOG_ERROR, "dev: no memory for one more peer");
        return;
    }
    if (peer->far.down || is_another(peer, hello)) {
        return; /* until it was given up; it says hello again */
    }
    if (ni_dev_peer_memory(peer) != NI_OK) {
        (void)say(peer, NI_DEV_WELCOME);
        ni_dev_end(peer, NI_ERR_NOMEM);
        return;
    }
    learn(peer, hello);
    peer->welcomes = true;
    ni_dev_join(peer);
    ni_dev_moved(peer);
    if (link->leaving) {
        peer->far.down = true;
        ni_dev_bury(peer, NI_DEV_CLOSED);
    }
    ni_far_unsettle(&link->far);
}

static void on_welcome(struct ni_dev_peer *peer, const struct ni_dev_hello *hello)
{
    if (hello->refused != 0) {
        ni_dev_end(peer, NI_ERR_UNREACHABLE);
        return;
    }
    learn(peer, hello);
    ni_dev_moved(peer);
    ni_dev_pump(peer);
}

void ni_dev_on_mail(struct ni_dev_link *link, uint32_t index, uint32_t len)
{
    struct ni_dev_hello hello;
    struct ni_dev_blob blob;
    struct ni_dev_peer *peer;

    if (len != sizeof(hello)) {
        ni_dev_stranger(link, "a hello of another length");
        return;
    }
    memcpy(&hello, link->mailbox + (size_t)index * NI_DEV_MAIL, sizeof(hello));
    if (hello.key != link->blob.key ||
        ni_dev_blob_check(link, &hello.blob, sizeof(hello.blob), &blob, NULL, 0) != NI_OK ||
        ni_dev_index(link, blob.place, blob.port) != index) {
        ni_dev_stranger(link, "a hello without the key of this interface or of the job");
        return;
    }
    if (hello.said == NI_DEV_HELLO) {
        on_hello(link, &hello);
        return;
    }
    for (peer = link->at[index]; peer != NULL; peer = peer->next_at) {
        if (peer->blob.key == blob.key && peer->greeted && !peer->far.down &&
            hello.said == NI_DEV_WELCOME) {
            on_welcome(peer, &hello);
            return;
        }
    }
    /* A welcome may be for one that was given up. */
}

/* ---- saying it ------------------------------------------------------------------------------- */

void ni_dev_join(struct ni_dev_peer *peer)
{
    if (peer->said) {
        peer->welcomes = false; /* nothing comes after bye */
        return;
    }
    if (peer->welcomes && say(peer, NI_DEV_WELCOME)) {
        peer->welcomes = false;
    }
    if (peer->greeted && !peer->known && peer->hellos && say(peer, NI_DEV_HELLO)) {
        peer->hellos = false;
    }
}

ni_status ni_dev_greet(struct ni_dev_peer *peer)
{
    ni_status status;

    if (peer->greeted || peer->known) {
        return NI_OK;
    }
    status = ni_dev_peer_memory(peer);
    if (status != NI_OK) {
        ni_dev_end(peer, status);
        return status;
    }
    peer->greeted = true;
    peer->hellos = true;
    ni_dev_touch(peer);
    ni_dev_join(peer);
    ni_dev_moved(peer);
    return NI_OK;
}
