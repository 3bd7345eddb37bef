/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_EVENT_H
#define DNP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/dma.h"
#include "dnp/registers.h"
#include "dnp/word.h"

/*
 * Completion events (APEnet+ 3.1.1.3, Table 9): two words, written into a ring in host memory by a
 * DMA channel of their own, so that no block waits for it.
 *
 *   source      first word   second word
 *   TX DMA 0    CMD1         TX0 magic word       the payload of a PUT has been read
 *   TX DMA 1    CMD1         TX1 magic word
 *   GPU TX      CMD1         GPCTX magic word
 *   RX          header       63 - 0 footer's bits 63 - 0, 127 - 64 physical address
 *   Nios II     NIOS CMD     NIOS magic word      ours: the end of a GET, with its CMD1
 *
 * An event for which a ring has no room is counted in event_lost. Rings are those of the registers,
 * one for each channel.
 */

#define DNP_TX0_MAGIC   ((struct dnp_word){0x11111111dad0dad0U, 0x11111111dad0dad0U})
#define DNP_TX1_MAGIC   ((struct dnp_word){0x22222222dad0dad0U, 0x22222222dad0dad0U})
#define DNP_GPCTX_MAGIC ((struct dnp_word){0x00000000dad0dad0U, 0x00000000dad0dad0U})
#define DNP_NIOS_MAGIC  ((struct dnp_word){0x33333333dad0dad0U, 0x33333333dad0dad0U})

enum { DNP_EVENT_SIZE = 2 * DNP_WORD, DNP_EVENTS = 16 };

struct dnp_event {
    struct dnp_word first;
    struct dnp_word second;
    uint8_t port;
};

struct dnp_events {
    struct dnp_register_file *registers;
    struct dnp_dma_engine *dma;
    struct dnp_event event[DNP_EVENTS];
    uint32_t taken;
    uint32_t filled;
    bool writing; /* the first one, from data */
    uint8_t data[DNP_EVENT_SIZE];
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
void dnp_events_put(struct dnp_events *events, struct dnp_word first, struct dnp_word second,
                    uint8_t port);

/* One cycle. Returns whether events wait. */
bool dnp_events_step(struct dnp_events *events);

#endif
