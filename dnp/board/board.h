/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_BOARD_H
#define DNP_BOARD_BOARD_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "dnp/board/config.h"
#include "dnp/board/device.h"
#include "dnp/board/fuse.h"
#include "dnp/board/ivshmem.h"
#include "dnp/board/sensor.h"
#include "dnp/board/wire.h"
#include "dnp/board/writer.h"
#include "dnp/cable.h"
#include "dnp/card.h"

/*
 * A card in real time: its cables are sockets or memory, its clock that of the machine. One thread,
 * which sleeps in the event loop until a frame comes or a credit is due. While programs have
 * channels it also looks at their doorbells: all the time at first, then the less often the longer
 * nothing has happened. Its clock stands still while it has no processor, so that it takes nobody
 * for lost whom it has not had time to hear. With a real-time priority it sleeps instead of
 * yielding its core, and works three quarters of the time at most, so that those without one have
 * what is left. Log and sensors have threads of their own, with the ordinary priority.
 */
struct board {
    struct dnp_card card; /* first: it wants a cache line */
    struct board_config config;
    struct dnp_cable cable[DNP_LINKS];
    struct board_wire wire[DNP_LINKS];
    struct dnp_host host;
    struct board_device device;
    struct board_fuse fuse;
    struct board_ivshmem ivshmem;
    uint64_t active_ns; /* when something happened last */
    unsigned crowded;   /* so many times it sleeps rather than yields */
    uint64_t span_ns;   /* with a real-time priority: since when what it works is counted */
    uint64_t worked_ns; /* that */
    struct ni_rng rng;
    uint64_t start_ns;
    uint64_t seen_ns; /* when the clock was looked at last */
    uint64_t wake_ns; /* when the card meant to do so again */
    uint64_t away_ns; /* what does not count: it did not run */
    struct event_base *base;
    struct event *timer;
    struct board_sensors sensors;
    struct board_writer log;
};

/* Open the cables of a configuration and add them to the event loop. board: zeros, on a cache line.
 * A failure is logged. */
ni_status board_open(struct board *board, const struct board_config *config,
                     const struct dnp_key *key, struct event_base *base);

/* Also after a failed open. */
void board_close(struct board *board);

#endif
