/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/bits.h"
#include "engine/object/counter/counter.h"
#include "engine/core/op.h"
#include "engine/bulk/transfer.h"
#include "link/packet.h"

/*
 * Setting a counter: its value, what it is armed with again, whom it tells. Here or, as the payload
 * of a Write to the counter, from elsewhere. A third NI is named by the random number in its
 * address, which is the same whichever link leads to it. Who could choose that still has to know a
 * region's key there.
 */

enum {
    NI_SET_FLAGS = NI_COUNTER_VALUE | NI_COUNTER_ADD | NI_COUNTER_RELOAD | NI_COUNTER_NOTICES,
    NI_SET_VALUE = NI_COUNTER_VALUE | NI_COUNTER_ADD,
};

/* A setting as it is made. */
struct order {
    unsigned flags, count;
    int64_t value, reload;
    struct ni_counter_target targets[NI_COUNTER_NOTIFICATIONS];
};

static bool is_sound(unsigned flags, unsigned count)
{
    return (flags & ~(unsigned)NI_SET_FLAGS) == 0 && (flags & NI_SET_VALUE) != NI_SET_VALUE &&
           count <= NI_COUNTER_NOTIFICATIONS && (count == 0 || (flags & NI_COUNTER_NOTICES) != 0);
}

/* The NI's lock is held. */
static void apply_counter_order(struct ni *ni, struct ni_counter *counter,
                                const struct order *order, struct ni_counter_notify *notices)
{
    if ((order->flags & NI_COUNTER_NOTICES) != 0) {
        counter->count = order->count;
        memcpy(counter->targets, order->targets, order->count * sizeof(order->targets[0]));
    }
    if ((order->flags & NI_COUNTER_RELOAD) != 0) {
        counter->reload = order->reload;
    }
    if ((order->flags & NI_COUNTER_VALUE) != 0) {
        counter->value = order->value;
    }
    ni_counter_change(ni, counter, (order->flags & NI_COUNTER_ADD) != 0 ? order->value : 0,
                      notices);
}

static ni_status set_counter(struct ni *ni, ni_handle handle, const struct order *order)
{
    struct ni_counter *counter;
    struct ni_counter_notify notices;
    ni_status status;

    ni_lock_take(&ni->lock, ni->threads);
    status = ni_counter_find(ni, handle, &counter);
    if (status == NI_OK) {
        apply_counter_order(ni, counter, order, &notices);
    }
    ni_lock_give(&ni->lock, ni->threads);
    if (status == NI_OK && ni_counter_notify_any(&notices)) {
        ni_counter_notify_deliver(ni, &notices);
    }
    return status;
}

/* ---- here ------------------------------------------------------------------------------------ */

static bool width_is_sound(unsigned width)
{
    return width == 4 || width == 8;
}

static ni_status set_here(struct ni *ni, ni_handle handle, const struct ni_counter_setting *setting,
                          const struct ni_ack *ack)
{
    struct order order = {.flags = setting->flags,
                          .count = setting->count,
                          .value = setting->value,
                          .reload = setting->reload};
    ni_status status;

    for (unsigned i = 0; i < setting->count; i++) {
        const struct ni_notice *notice = &setting->notices[i];

        ni_peer_name(notice->at == NI_AT_PEER ? notice->peer : NULL);
        order.targets[i] = (struct ni_counter_target){
            .kind = notice->at == NI_AT_PEER ? NI_TARGET_PEER : NI_TARGET_HERE,
            .width = notice->width,
            .peer = notice->peer,
            .where = notice->where,
            .value = notice->value,
        };
    }
    status = set_counter(ni, handle, &order);
    if (status == NI_OK) {
        ni_ack_deliver(ni, ack, NI_OK, 0);
    }
    return status;
}

/* ---- from elsewhere -------------------------------------------------------------------------- */

static void encode(const struct ni_peer *to, const struct ni_notice *notice,
                   struct ni_packet_notice *packet)
{
    *packet = (struct ni_packet_notice){
        .key = notice->where.key,
        .addr = notice->where.addr,
        .value = notice->value,
        .handle = notice->where.handle,
        .at = (uint8_t)notice->at,
        .width = (uint8_t)notice->width,
    };
    if (notice->at == NI_AT_PEER && notice->peer == to) {
        packet->at = NI_AT_COUNTER;
    } else if (notice->at == NI_AT_PEER) {
        packet->peer = notice->peer->core.name;
    }
}

ni_status ni_counter_set(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *counter,
                         const struct ni_counter_setting *setting, const struct ni_ack *ack)
{
    struct ni_packet_setting packet;

    if (setting == NULL || counter == NULL || !is_sound(setting->flags, setting->count)) {
        return NI_ERR_INVALID;
    }
    for (unsigned i = 0; i < setting->count; i++) {
        const struct ni_notice *notice = &setting->notices[i];

        if ((unsigned)notice->at > NI_AT_PEER || !width_is_sound(notice->width) ||
            (notice->at == NI_AT_PEER && notice->peer == NULL)) {
            return NI_ERR_INVALID;
        }
    }
    if (peer == NULL) {
        return set_here(ni, counter->handle, setting, ack);
    }
    packet.flags = setting->flags;
    packet.count = setting->count;
    packet.value = setting->value;
    packet.reload = setting->reload;
    for (unsigned i = 0; i < setting->count; i++) {
        encode(peer, &setting->notices[i], &packet.notices[i]);
    }
    return ni_store_object(ni, peer, counter, &packet, ni_packet_setting_size(setting->count), ack);
}

static ni_status decode(struct ni *ni, struct ni_peer *sender,
                        const struct ni_packet_notice *notice, struct ni_counter_target *target)
{
    if (notice->at > NI_AT_PEER || !width_is_sound(notice->width) || notice->zero != 0) {
        return NI_ERR_INVALID;
    }
    *target = (struct ni_counter_target){
        .kind = notice->at == NI_AT_COUNTER ? NI_TARGET_HERE : NI_TARGET_PEER,
        .width = notice->width,
        .where = {.addr = notice->addr, .key = notice->key, .handle = notice->handle},
        .value = notice->value,
        .peer = sender,
    };
    if (notice->at == NI_AT_PEER) {
        target->peer = ni_peer_named(ni, notice->peer);
    }
    ni_peer_name(target->peer);
    return target->peer != NULL ? NI_OK : NI_ERR_NOTFOUND;
}

ni_status ni_setting_arrive(struct ni *ni, struct ni_peer *sender, ni_handle handle,
                            const uint8_t *payload, uint32_t len)
{
    struct ni_packet_setting packet;
    struct order order;
    ni_status status = NI_OK;

    if (len < ni_packet_setting_size(0) || len > sizeof(packet)) {
        return NI_ERR_BOUNDS;
    }
    memcpy(&packet, payload, len);
    if (!is_sound(packet.flags, packet.count) || len != ni_packet_setting_size(packet.count)) {
        return NI_ERR_INVALID;
    }
    order = (struct order){.flags = packet.flags,
                           .count = packet.count,
                           .value = packet.value,
                           .reload = packet.reload};
    for (unsigned i = 0; i < packet.count && status == NI_OK; i++) {
        status = decode(ni, sender, &packet.notices[i], &order.targets[i]);
    }
    return status == NI_OK ? set_counter(ni, handle, &order) : status;
}
