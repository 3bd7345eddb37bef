/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_DEVICE_H
#define DNP_BOARD_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnp/board/maps.h"
#include "dnp/board/process.h"
#include "dnp/card.h"
#include "dnp/channel.h"
#include "driver/apelink_abi.h"

/*
 * The device of driver/apelink_ioctl.h, whatever brings what programs ask. A file of it has memory
 * that its program may map: a doorbell page and two rings, each with a fixed offset and room for
 * the most entries, of which pages are there as they are touched.
 *
 *   program --store--> doorbell --board_device_look--> registers --> card
 *           <--load---          <--board_device_tell--
 *
 * What the program writes there is judged by the card; nothing else reads it. Not thread-safe.
 */

enum {
    BOARD_DOORBELL_KEY = 0,
    BOARD_DOORBELL_BYTES = 4096,
    BOARD_EVENT_KEY = 1 << 20,
    BOARD_TX_KEY = BOARD_EVENT_KEY + DNP_RING_MAX * APELINK_EVENT_SIZE,
    BOARD_MEMORY = BOARD_TX_KEY + DNP_RING_MAX * APELINK_COMMAND_SIZE,
};

struct board_device;

/* Physical addresses are offsets in `memory`. */
struct board_file {
    struct board_device *device;
    int memory_fd; /* a sealed file of BOARD_MEMORY bytes */
    uint8_t *memory;
    uint64_t memory_bytes;
    struct apelink_doorbell *doorbell;
    int port; /* -1: no channel */
    bool writable;
    uint32_t event_wr_ptr; /* as the program was told */
    bool physical;         /* addresses of buffers are translated; otherwise those of the process */
    const __u32 *master;   /* NULL, or as long as it is 0 no memory is reached */
    struct board_process process;
    struct board_maps maps; /* buffers of the process that are mapped here */
    uint64_t seen_ns;       /* when the process was there last */
};

/* In the address of a translated page: it may not be written. */
#define BOARD_READ_ONLY (1ULL << 62)

struct board_device {
    struct dnp_card *card;
    struct board_file *channel[DNP_CHANNELS]; /* NULL: nobody has it */
    __u32 *moving;                            /* NULL, or whom board_device_moves tells */
    uint32_t moves;
};

/* Who asks: a thread that waits for the answer, and whether it may administer the host. */
struct board_caller {
    pid_t thread;
    bool privileged;
};

/* The device of a card, which has to stay. */
void board_device_init(struct board_device *device, struct dnp_card *card);

/* DMA, as a dnp_host: arg is the device. */
ni_status board_device_dma(void *arg, const struct dnp_dma *dma);

/* The card begins to move bytes, or has ended. Between a call with true and the next with false
 * lies all that it does with buffers that have a switch (driver/apelink_bar.h). */
void board_device_moves(struct board_device *device, bool begins);

/* Take what programs have written into doorbells. Returns whether anything was new. */
bool board_device_look(struct board_device *device);

/* Tell programs what the card has done. Returns a bit for each channel that has new events. */
unsigned board_device_tell(struct board_device *device);

/* Whether any file has a channel. */
bool board_device_used(const struct board_device *device);

/* GET_FEATURES, READ_REGISTER and WRITE_REGISTER, of who may. 0 or a negative errno. */
void board_device_features(const struct board_device *device, struct apelink_features *features);
int board_device_read(const struct board_device *device, uint32_t offset, uint32_t *value);
int board_device_write(struct board_device *device, uint32_t offset, uint32_t value);

/* A channel that a file could have, or EBUSY as a negative errno. */
int board_device_free_port(const struct board_device *device);

/* Whether a ring can have so many entries. */
bool board_ring_makes_sense(uint32_t entries);

/* Give a file that has none a free channel. */
void board_file_take(struct board_file *file, int port, const struct dnp_rings *rings);

/* Open a file, for programs that may write or not. 0 or a negative errno. */
int board_file_open(struct board_device *device, struct board_file *file, bool writable);

/* The channel and its buffers are given back; the file stays open. Also without a channel. */
void board_file_leave(struct board_file *file);

/* The same, and memory is given back. */
void board_file_close(struct board_file *file);

/* Whether there are events that the program has not taken. */
bool board_file_has_events(const struct board_file *file);

/* Whether event_wr_ptr is another than a wait has seen; fills its output. */
bool board_file_waited(const struct board_file *file, struct apelink_wait *wait);

/* WAIT was asked for, and there is nothing yet. */
enum { BOARD_LATER = 1 };

/*
 * An ioctl: in_len bytes of a structure of any version, to which the answer is written. 0 or a
 * negative errno; BOARD_LATER with *wait filled: answer when board_file_waited or time is up.
 */
int board_file_ioctl(struct board_file *file, const struct board_caller *caller,
                     unsigned int command, void *structure, size_t len, struct apelink_wait *wait);

#endif
