/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/multipath.h>

#include "base/alloc.h"
#include "engine/bulk/pull_request.h"
#include "engine/bulk/copy.h"
#include "engine/object/notify/note.h"
#include "engine/core/regions.h"
#include "engine/send/stream.h"
#include "engine/bulk/states.h"
#include "engine/bulk/transfer.h"

/*
 * ni_write_notify, at its initiator. The note goes where the data goes:
 *
 *   the peer's memory is ours too      copied, then the word stored; other notes in a packet
 *   long, the kernel copies            copied, then a packet without data
 *   otherwise                          in the last packet
 */

static struct ni_packet_note packed(const struct ni_note *note)
{
    return (struct ni_packet_note){.addr = note->addr,
                                   .key = note->region.key,
                                   .value = note->value,
                                   .handle = note->region.handle};
}

static struct ni_noting *new_noting(const struct ni_note *note, const struct ni_ack *departed)
{
    struct ni_noting *noting = ni_calloc(1, sizeof(*noting));

    if (noting != NULL) {
        ni_list_init(&noting->list);
        if (note != NULL) {
            noting->noted = true;
            noting->note = packed(note);
        }
        if (departed != NULL) {
            noting->departs = true;
            noting->departed = *departed;
        }
    }
    return noting;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Whether we may write the note's word ourselves; NI_ERR_UNSUPPORTED: by a packet. */
static ni_status check_word(const struct ni_ep *ep, const struct ni_note *note)
{
    struct ni_remote where = {
        .addr = note->addr, .key = note->region.key, .handle = note->region.handle};
    ni_status status = ni_transfer_exported(ep, &where, sizeof(ni_word), NI_ACCESS_WRITE);

    if (status == NI_OK && note->addr % sizeof(ni_word) != 0) {
        return NI_ERR_ALIGN;
    }
    return status == NI_ERR_REGION ? NI_ERR_UNSUPPORTED : status; /* only memory is exported */
}

/* Copy into memory that is ours, too, and store the word of the note if it is one. NI_OK: all
 * done. */
static ni_status write_same(const struct ni_ep *ep, const void *src, size_t len,
                            const struct ni_remote *dst, const struct ni_note *note)
{
    ni_status status = note != NULL ? check_word(ep, note) : NI_OK;

    if ((status == NI_OK || status == NI_ERR_UNSUPPORTED) && len != 0) {
        memcpy((void *)(uintptr_t)dst->addr, src, len);
    }
    if (status == NI_OK && note != NULL) {
        /* Pairs with the acquire load of the thread that polls the word. */
        atomic_store_explicit((ni_word *)(uintptr_t)note->addr, note->value, memory_order_release);
    }
    return status;
}

/* Nothing is under way: tell at once. */
static void tell_both(struct ni *ni, const struct ni_ack *departed, const struct ni_ack *ack,
                      ni_status status, uint64_t value)
{
    ni_ack_deliver(ni, departed, status, value);
    ni_ack_deliver(ni, ack, status, value);
}

static ni_status write_by_op(struct ni_op *op, bool copied, bool by_kernel)
{
    ni_status status;

    if (by_kernel) {
        ni_copy_start(op);
        return NI_OK;
    }
    ni_bulk_go(op, copied ? NI_BULK_NOTE : NI_BULK_SEND);
    status = copied ? ni_stream_note(op) : ni_stream_write(op, op->local);
    if (status != NI_OK) {
        ni_op_undo(op);
    }
    return status;
}

static struct ni_op *new_noted_op(struct ni_peer *peer, const void *src, size_t len,
                                  const struct ni_remote *dst, const struct ni_note *note,
                                  const struct ni_ack *departed, const struct ni_ack *ack,
                                  enum ni_multipath how)
{
    static const uint8_t nothing[1];
    struct ni_noting *noting = new_noting(note, departed);
    uint8_t *local = (uint8_t *)(uintptr_t)(len != 0 ? src : nothing);
    struct ni_op *op =
        noting != NULL ? ni_op_new_transfer(peer, NI_OP_WRITE, ack, local, len, dst) : NULL;

    if (op == NULL) {
        ni_free(noting);
        return NULL;
    }
    op->bulk->noting = noting;
    op->bulk->multipath = how;
    noting->op = op;
    noting->len = len;
    return op;
}

/* A note is not carried out before its target is in the library, however its bytes get there. So
 * where a write of some pages would be offered to it (pull_request.c), the bytes go into the lane,
 * and the note with them. */
static bool copied_by_kernel(const struct ni_peer *peer, size_t len, const struct ni_note *note)
{
    return len >= NI_DIRECT_MIN && ni_peer_copies(peer) &&
           (note == NULL || !ni_push_offer_is_wanted(peer, len));
}

static ni_status write_noted(struct ni_peer *peer, const void *src, size_t len,
                             const struct ni_remote *dst, const struct ni_note *note,
                             const struct ni_ack *departed, const struct ni_ack *ack,
                             enum ni_multipath how)
{
    const struct ni_ep *ep = peer->ep;
    bool by_kernel = copied_by_kernel(peer, len, note), copied = false;
    ni_status status = NI_ERR_UNSUPPORTED;
    struct ni_op *op;

    if (ep->same_memory || by_kernel) {
        status = ni_transfer_exported(ep, dst, len, NI_ACCESS_WRITE);
    }
    if (status == NI_OK && ep->same_memory) {
        status = write_same(ep, src, len, dst, note);
        if (status == NI_OK) {
            tell_both(peer->ni, departed, ack, NI_OK, len);
            return NI_OK;
        }
        copied = status == NI_ERR_UNSUPPORTED;
    }
    if (status != NI_OK && status != NI_ERR_UNSUPPORTED && status != NI_ERR_REGION) {
        tell_both(peer->ni, departed, ack, status, 0);
        return NI_OK;
    }
    op = new_noted_op(peer, src, len, dst, note, departed, ack, how);
    if (op == NULL) {
        return NI_ERR_NOMEM;
    }
    return write_by_op(op, copied, status == NI_OK && by_kernel);
}

ni_status ni_write_multipath(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                             const struct ni_remote *dst, const struct ni_note *note,
                             const struct ni_ack *departed, const struct ni_ack *ack,
                             enum ni_multipath how)
{
    ni_status status;

    if ((unsigned)how > NI_MULTIPATH_NONE) {
        return NI_ERR_INVALID;
    }
    status = ni_transfer_enter(ni, peer);
    if (status == NI_OK) {
        status = write_noted(peer, src, len, dst, note, departed, ack, how);
    }
    return ni_transfer_leave(peer, status);
}

ni_status ni_write_notify(struct ni *ni, struct ni_peer *peer, const void *src, size_t len,
                          const struct ni_remote *dst, const struct ni_note *note,
                          const struct ni_ack *departed, const struct ni_ack *ack)
{
    return note == NULL && departed == NULL
               ? ni_write(ni, peer, src, len, dst, ack)
               : ni_write_multipath(ni, peer, src, len, dst, note, departed, ack,
                                    NI_MULTIPATH_DEFAULT);
}
