/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_EVENT_H
#define DNP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/dma.h"
#include "dnp/registers.h"
#include "driver/event.h"
#include "driver/word.h"

/*
 * Writes completion events (driver/event.h) into the rings of the registers, one for each channel.
 * An event for which a ring has no room is counted in event_lost.
 */

enum { DNP_EVENTS = 16 };

struct dnp_event {
    struct apelink_word first;
    struct apelink_word second;
    uint8_t port;
};

struct dnp_events {
    struct dnp_register_file *registers;
    struct dnp_dma_engine *dma;
    struct dnp_event event[DNP_EVENTS];
    uint32_t taken;
    uint32_t filled;
    bool writing; /* the first one, from data */
    uint8_t data[APELINK_EVENT_SIZE];
};

/* Whether another event may be put. */
static inline bool dnp_events_room(const struct dnp_events *events)
{
    return events->filled - events->taken < DNP_EVENTS;
}

/* Whether the ring of a channel will have room for another event behind those that wait. */
bool dnp_events_ring_room(const struct dnp_events *events, uint8_t port);

/* Whether events for a channel wait. */
bool dnp_events_wait(const struct dnp_events *events, uint8_t port);

/* There must be room. */
void dnp_events_put(struct dnp_events *events, struct apelink_word first,
                    struct apelink_word second, uint8_t port);

/* One cycle. Returns whether events wait. */
bool dnp_events_step(struct dnp_events *events);

#endif
