/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes completion events. */
#include "dnp/event.h"

#include "base/assert.h"

static const struct dnp_event *event_at(const struct dnp_events *events, uint32_t index)
{
    return &events->event[index % DNP_EVENTS];
}

/* Entries of a channel's ring that the host has taken. */
static uint32_t ring_room(const struct dnp_events *events, uint8_t port)
{
    uint32_t size = dnp_get(events->registers, DNP_REG_event_ring_size, port);
    uint32_t used = dnp_get(events->registers, DNP_REG_event_wr_ptr, port) -
                    dnp_get(events->registers, DNP_REG_event_rd_ptr, port);

    return used < size ? size - used : 0;
}

/* Events for a channel that wait. */
static uint32_t waiting(const struct dnp_events *events, uint8_t port)
{
    uint32_t count = 0;

    for (uint32_t i = events->taken; i != events->filled; i++) {
        count += event_at(events, i)->port == port;
    }
    return count;
}

bool dnp_events_ring_room(const struct dnp_events *events, uint8_t port)
{
    return ring_room(events, port) > waiting(events, port);
}

bool dnp_events_wait(const struct dnp_events *events, uint8_t port)
{
    return waiting(events, port) > 0;
}

void dnp_events_put(struct dnp_events *events, struct apelink_word first,
                    struct apelink_word second, uint8_t port)
{
    NI_ASSERT(dnp_events_room(events));
    events->event[events->filled++ % DNP_EVENTS] = (struct dnp_event){first, second, port};
}

static void write_first(struct dnp_events *events)
{
    const struct dnp_event *event = event_at(events, events->taken);
    uint32_t size = dnp_get(events->registers, DNP_REG_event_ring_size, event->port);
    uint32_t entry = dnp_get(events->registers, DNP_REG_event_wr_ptr, event->port) & (size - 1);
    struct dnp_dma dma = {.channel = DNP_DMA_EVENT, .port = event->port, .write = true};

    dma.data = events->data;
    dma.segment[0].address = dnp_get64(events->registers, DNP_REG_event_ring_base, event->port) +
                             (uint64_t)entry * APELINK_EVENT_SIZE;
    dma.segment[0].len = APELINK_EVENT_SIZE;
    apelink_word_to(event->first, events->data);
    apelink_word_to(event->second, events->data + APELINK_WORD);
    events->writing = true;
    dnp_dma_start(events->dma, &dma);
}

bool dnp_events_step(struct dnp_events *events)
{
    if (events->writing && !events->dma->busy[DNP_DMA_EVENT]) {
        uint8_t port = event_at(events, events->taken)->port;
        bool written = events->dma->status[DNP_DMA_EVENT] == NI_OK;

        dnp_add(events->registers, written ? DNP_REG_event_wr_ptr : DNP_REG_event_lost, port, 1);
        events->writing = false;
        events->taken++;
    }
    while (!events->writing && events->taken != events->filled) {
        uint8_t port = event_at(events, events->taken)->port;

        if (ring_room(events, port) > 0) {
            write_first(events);
        } else {
            dnp_add(events->registers, DNP_REG_event_lost, port, 1);
            events->taken++;
        }
    }
    return events->taken != events->filled;
}
