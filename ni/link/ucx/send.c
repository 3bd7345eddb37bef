/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "link/lane_inl.h"
#include "link/ucx/ucx.h"

/*
 * From the lane to active messages. What is committed while all slots are taken leaves with the
 * next one, many packets in one message. A slot is kept until UCX has no more use for the memory;
 * lines go back to the engine when that is so for them and all before, and the peer has consumed
 * them.
 */

static bool is_position_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static uint32_t slots_taken(const struct ni_ucx_peer *peer)
{
    return peer->slot_head - peer->slot_tail;
}

static struct ni_ucx_slot *take_slot(struct ni_ucx_peer *peer, uint32_t end)
{
    struct ni_ucx_slot *slot = &peer->slots[peer->slot_head % NI_UCX_SLOTS];

    ni_ucx_moved(peer);
    peer->slot_head++;
    slot->peer = peer;
    slot->end = end;
    slot->done = false;
    return slot;
}

/* Give back to the engine what both UCX and the peer are done with. */
static void release_lines(struct ni_ucx_peer *peer)
{
    struct ni_ucx_out *out = peer->out;
    uint32_t to = is_position_before(out->done, out->credit) ? out->done : out->credit;

    /* L2 of lane.h: the bytes were read. */
    atomic_store_explicit(&out->page.consumed, to, memory_order_release);
}

void ni_ucx_sent(struct ni_ucx_peer *peer)
{
    uint32_t before = peer->slot_tail;

    while (peer->slot_tail != peer->slot_head) {
        const struct ni_ucx_slot *slot = &peer->slots[peer->slot_tail % NI_UCX_SLOTS];

        if (!slot->done) {
            break;
        }
        if (peer->out != NULL) {
            peer->out->done = slot->end;
        }
        peer->slot_tail++;
    }
    if (peer->slot_tail != before && peer->out != NULL) {
        release_lines(peer);
    }
}

bool ni_ucx_credit(struct ni_ucx_peer *peer, uint32_t consumed)
{
    struct ni_ucx_out *out = peer->out;

    if (out == NULL) {
        return consumed == 0;
    }
    if (is_position_before(out->sent, consumed)) {
        return false;
    }
    if (is_position_before(out->credit, consumed)) { /* else it was overtaken, however long ago */
        out->credit = consumed;
        release_lines(peer);
    }
    return true;
}

/* From within UCX, so with the lock. */
static void on_sent(void *request, ucs_status_t status, void *arg)
{
    struct ni_ucx_slot *slot = arg;

    slot->done = true;
    if (status != UCS_OK && status != UCS_ERR_CANCELED) {
        ni_ucx_end(slot->peer, NI_ERR_PEER_DEAD);
    }
    ni_ucx.ucp_request_free(request);
}

static void send_slot(struct ni_ucx_slot *slot, size_t header_len, const void *data, size_t len,
                      uint32_t flags)
{
    struct ni_ucx_peer *peer = slot->peer;
    ucp_request_param_t param = {
        .op_attr_mask =
            UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = flags,
        .cb = {.send = on_sent},
        .user_data = slot,
    };
    ucs_status_ptr_t request =
        ni_ucx.ucp_am_send_nbx(peer->ucp, NI_UCX_AM, &slot->head, header_len, data, len, &param);

    if (request == NULL) {
        slot->done = true;
    } else if (UCS_PTR_IS_ERR(request)) {
        slot->done = true;
        ni_ucx_end(peer, NI_ERR_PEER_DEAD);
    }
}

static void fill_head(struct ni_ucx_peer *peer, struct ni_ucx_head *head, enum ni_ucx_type type,
                      uint32_t position, uint32_t lines)
{
    *head = (struct ni_ucx_head){
        .magic = NI_UCX_MAGIC,
        .version = NI_UCX_VERSION,
        .type = (uint8_t)type,
        .wishes = (uint8_t)atomic_load_explicit(&peer->link->wishes, memory_order_relaxed),
        .position = position,
        .token = type == NI_UCX_HELLO ? 0 : peer->their_token,
        .consumed = peer->in == NULL ? 0 : peer->in->cleared,
        .lines = lines,
    };
    ni_ucx_credited(peer, head->consumed);
}

bool ni_ucx_tell(struct ni_ucx_peer *peer, enum ni_ucx_type type, uint32_t position, uint32_t lines,
                 const void *data, size_t len)
{
    struct ni_ucx_slot *slot;

    if (slots_taken(peer) >= NI_UCX_SLOTS) {
        return false;
    }
    slot = take_slot(peer, peer->out == NULL ? 0 : peer->out->sent);
    fill_head(peer, &slot->head, type, position, lines);
    send_slot(slot, sizeof(slot->head), data, len, UCP_AM_SEND_FLAG_EAGER);
    return true;
}

/* ---- the lane -------------------------------------------------------------------------------- */

/* Packets are our engine's: they need no checks. */
struct run {
    uint32_t lines;
    bool bulk; /* one packet with its payload in the bulk area */
};

static const struct ni_packet *ucx_packet_at(const struct ni_ucx_peer *peer, uint32_t position)
{
    size_t line = position & peer->ep.tx.mask;

    return (const struct ni_packet *)(const void *)(peer->out->ring + line * NI_LINE);
}

static uint32_t ucx_packet_lines(const struct ni_packet *packet, bool *bulk)
{
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);

    *bulk = ni_packet_in_bulk(word0);
    return *bulk ? 1 : ni_packet_lines(ni_packet_head(word0), ni_packet_len(packet->word1));
}

/* What goes into one message: packets that lie one behind the other, or one with a bulk payload. */
static struct run next_run(const struct ni_ucx_peer *peer)
{
    const struct ni_ucx_out *out = peer->out;
    uint32_t lines = peer->ep.tx.mask + 1;
    struct run run = {0};

    while (out->sent + run.lines != out->committed) {
        uint32_t at = out->sent + run.lines;
        uint32_t more = ucx_packet_lines(ucx_packet_at(peer, at), &run.bulk);
        bool at_start = run.lines != 0 && (at & (lines - 1)) < (out->sent & (lines - 1));

        if (run.bulk || at_start || (run.lines != 0 && run.lines + more > NI_UCX_RUN)) {
            run.lines = run.lines == 0 ? more : run.lines;
            run.bulk = run.bulk && at == out->sent;
            return run;
        }
        run.lines += more;
    }
    return run;
}

static void ucx_run_send(struct ni_ucx_peer *peer, struct run run)
{
    struct ni_ucx_out *out = peer->out;
    const struct ni_packet *first = ucx_packet_at(peer, out->sent);
    struct ni_ucx_slot *slot = take_slot(peer, out->sent + run.lines);
    struct ni_packet_bulk where;

    if (!run.bulk) {
        fill_head(peer, &slot->head, NI_UCX_LINES, out->sent, run.lines);
        out->sent += run.lines;
        send_slot(slot, sizeof(slot->head), first, (size_t)run.lines * NI_LINE,
                  UCP_AM_SEND_FLAG_EAGER);
        return;
    }
    memcpy(&where, (const uint8_t *)first + NI_PACKET_BULK_AT, sizeof(where));
    fill_head(peer, &slot->bulk.head, NI_UCX_BULK, out->sent, 1);
    memcpy(slot->bulk.line, first, NI_LINE);
    out->sent++;
    send_slot(slot, sizeof(slot->bulk), out->bulk + where.offset, ni_packet_len(first->word1), 0);
}

void ni_ucx_pump(struct ni_ucx_peer *peer)
{
    struct ni_ucx_out *out = peer->out;

    if (out == NULL || out->sent == out->committed || peer->their_token == 0 || peer->said ||
        ni_far_ending(&peer->far) != NI_OK) {
        return;
    }
    if (slots_taken(peer) >= NI_UCX_SLOTS - NI_UCX_SPARE) {
        ni_ucx_sent(peer);
    }
    while (out->sent != out->committed && slots_taken(peer) < NI_UCX_SLOTS - NI_UCX_SPARE) {
        ucx_run_send(peer, next_run(peer));
    }
}
