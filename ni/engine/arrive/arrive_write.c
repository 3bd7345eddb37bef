/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/counter.h>

#include "engine/arrive/arrival.h"
#include "engine/core/engine_thread.h"
#include "engine/object/counter/counter.h"
#include "engine/core/memory.h"
#include "engine/arrive/handlers.h"
#include "engine/send/multipath.h"
#include "engine/object/notify/note.h"
#include "engine/object/queue/queue.h"
#include "engine/core/regions.h"
#include "engine/bulk/transfer.h"

/* Bytes that arrive: messages, which are Writes to a QUEUE that nobody wants to be told of, and
 * Writes to memory, queues and counters. */

/* What found no room, or is no item, is looked at anew by the queues. */
ni_status ni_on_message(const struct ni_arrival *a)
{
    return NI_LIKELY(ni_message_take(a->ni, a->peer,
                                     ni_packet_word0(0, NI_PACKET_MESSAGE, 0, a->tag),
                                     ni_packet_word1(a->len, a->region), a->payload))
               ? NI_OK
               : ni_on_queue_message(a);
}

static bool fields_fit(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    return fields->operand <= fields->compare && a->len <= fields->compare - fields->operand;
}

static bool is_word_write(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    return fields->operand == NI_WRITE_WORD && fields->compare == a->len && a->len != 0 &&
           a->len <= sizeof(uint64_t) && (a->len & (a->len - 1)) == 0;
}

/* Its bytes appear at once, for who polls them. */
static ni_status store_written_word(const struct ni_arrival *a,
                                    const struct ni_packet_remote *fields)
{
    const struct ni_remote where = ni_arrival_remote(a, fields);
    uint64_t value = 0;
    ni_status status;

    memcpy(&value, a->payload, a->len);
    status = ni_memory_store(a->ni, &where, value, a->len);
    if (status != NI_OK) {
        (void)ni_arrival_refuse(a, status);
    }
    return ni_arrival_answer(a, fields->token, status, a->len);
}

static ni_status write_memory(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    const struct ni_write write = {
        .where = ni_arrival_remote(a, fields),
        .token = fields->token,
        .offset = fields->operand,
        .total = fields->compare,
        .payload = a->payload,
        .len = a->len,
        .unacked = a->unacked,
    };

    (void)ni_write_memory(a->ni, a->peer, &write, NI_MODE_ANY);
    return NI_OK;
}

static ni_status write_counted(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    uint64_t word1 = ni_packet_word1(a->len, a->region);

    if (!ni_write_is_counted(a->packet, word1, fields->operand)) {
        return NI_ERR_PROTOCOL;
    }
    if (ni_engine_defers(a->ni)) {
        ni_engine_leave(a->ni->drive.engine); /* the counter's notifications may call the program */
        return NI_AGAIN;
    }
    (void)ni_write_counted_memory(a->ni, a->packet, word1, fields->operand, a->payload, NULL,
                                  NI_MODE_ANY);
    return NI_OK;
}

/* A Write to a region that is more than memory: one packet, whole. */
static ni_status write_object(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                              const struct ni_region_view *region)
{
    ni_status status;

    if (region->key != fields->key) {
        status = ni_arrival_refuse(a, NI_ERR_KEY);
    } else if (fields->compare != a->len) {
        status = ni_arrival_refuse(a, NI_ERR_BOUNDS);
    } else {
        status = ni_region_ops_of(a->ni, region)
                     ->write(a->ni, a->peer, a->region, region, a->payload, a->len);
        if (status == NI_AGAIN) {
            return NI_AGAIN;
        }
        if (status != NI_OK) {
            (void)ni_arrival_refuse(a, status);
        }
    }
    return ni_arrival_answer(a, fields->token, status, a->len);
}

ni_status ni_on_write(const struct ni_arrival *a)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, a->region);
    struct ni_packet_remote fields;
    struct ni_region_view region;
    bool word = false;

    memcpy(&fields, a->packet->body, sizeof(fields));
    if (NI_UNLIKELY(!ni_arrival_has_fields(a, sizeof(fields)))) {
        if (a->in_bulk || a->payload != (const uint8_t *)a->packet + NI_WRITE_WHOLE_HEAD) {
            return NI_ERR_PROTOCOL;
        }
        fields.operand = 0;
        fields.compare = a->len;
    }
    if ((a->tag & NI_WRITE_NOTED) != 0) {
        return ni_on_noted(a, &fields);
    }
    if (NI_UNLIKELY(!fields_fit(a, &fields))) {
        if ((fields.operand & NI_WRITE_COUNTED) != 0) {
            return write_counted(a, &fields);
        }
        word = is_word_write(a, &fields);
        if (!word) {
            return (fields.operand & NI_WRITE_PART) != 0 ? ni_on_part(a, &fields) : NI_ERR_PROTOCOL;
        }
        fields.operand = 0;
    }
    if (entry == NULL || !ni_entry_read(entry, a->region, &region)) {
        return ni_queue_is_number(a->region) ? ni_on_enqueue(a, &fields) : write_memory(a, &fields);
    }
    if (word && region.type == NI_REGION_MEMORY) {
        return store_written_word(a, &fields);
    }
    if (region.type == NI_REGION_QUEUE || region.type == NI_REGION_MULTI_QUEUE) {
        return ni_on_enqueue(a, &fields);
    }
    return region.type == NI_REGION_MEMORY ? write_memory(a, &fields)
                                           : write_object(a, &fields, &region);
}
