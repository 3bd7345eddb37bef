/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_BAR_H
#define APELINK_BAR_H

#include "apelink_ioctl.h"

/*
 * What the card of a virtual machine and its driver share: BAR 2 of an ivshmem-doorbell device,
 * version 2. Page 0 is struct apelink_bar, page 1 + n the doorbell page of channel n, the page
 * behind these struct apelink_bar_switches.
 *
 *   driver --request, posted, BAR 0 doorbell--> card        one at a time
 *          <--answer, answered, vector 0-------
 *   program --wr_ptr, event_rd_ptr--> doorbell page <--rd_ptr, event_wr_ptr-- card
 *
 * Rings and buffers are in the memory of the machine, which the card reaches by physical addresses.
 * Numbers are little-endian.
 */

#define APELINK_BAR_VENDOR 0x1af4
#define APELINK_BAR_DEVICE 0x1110

#define APELINK_BAR_MAGIC    0x002b74656e455041ULL /* "APEnet+" */
#define APELINK_BAR_VERSION  2
#define APELINK_BAR_PAGE     4096
#define APELINK_BAR_CHANNELS 4     /* of the card */
#define APELINK_BAR_RING_MAX 65536 /* entries of a ring */
#define APELINK_BAR_BYTES    (8 * APELINK_BAR_PAGE)
#define APELINK_BAR_SWITCHES 64 /* of a channel */

/* Doorbells of BAR 0 are words of peer << 16 | vector; the card is peer 0. */
#define APELINK_BAR_RING 12

/* Vectors of the driver: the first for answers and the end of the card, then one for each channel.
 */
#define APELINK_BAR_VECTORS (1 + APELINK_BAR_CHANNELS)

enum apelink_bar_operation {
    APELINK_BAR_RESET = 1,  /* address, probe: close all channels; is this our memory? */
    APELINK_BAR_FEATURES,   /* gives features */
    APELINK_BAR_OPEN,       /* tx_base, event_base and entries: gives port */
    APELINK_BAR_CLOSE,      /* port: it reaches no memory from the answer on */
    APELINK_BAR_REGISTER,   /* port, address, len, access, list, switched: gives handle */
    APELINK_BAR_DEREGISTER, /* port, handle: likewise */
    APELINK_BAR_READ,       /* offset: gives value */
    APELINK_BAR_WRITE,      /* offset, value, of who may administer the machine */
};

struct apelink_bar_request {
    __u32 operation;
    __s32 status; /* of the answer: 0 or a negative errno; ENXIO: this is not the card's memory */
    __u32 port;
    __u32 handle;
    __u32 offset;
    __u32 value;
    __u32 access;
    __u32 switched; /* 1 + a switch of the channel, or 0 */
    __u64 address;
    __u64 len;
    __u64 list; /* physical address of a struct apelink_bar_list */
    __u64 probe;
    __u64 tx_base; /* physical; each ring is in one piece */
    __u64 event_base;
    __u32 tx_entries;
    __u32 event_entries;
    struct apelink_features features;
};

/* Pages of a buffer in the order of its addresses. A list that is full goes on elsewhere. */
#define APELINK_BAR_LIST      511
#define APELINK_BAR_READ_ONLY 1 /* in a page's address: the card may not write there */

struct apelink_bar_list {
    __u64 next; /* physical address of the next one */
    __u64 page[APELINK_BAR_LIST];
};

/* Page 0. The card writes the first two lines, the driver the third. */
struct apelink_bar {
    __u64 magic; /* the last that is written when the card begins */
    __u32 version;
    __u32 channels;
    __u32 to_line[12];
    __u32 there;    /* 0: the card has gone */
    __u32 beat;     /* changes at least once a second */
    __u32 answered; /* requests; a load with acquire order */
    __u32 to_line2[13];
    __u32 posted; /* requests; a store with release order */
    __u32 master; /* not 0: the card may reach memory */
    /* Not 0: somebody sleeps until this channel has an event. The card takes it back as it rings.
     * Both sides write theirs, then read the other's, with a full barrier in between. */
    __u32 wanted[APELINK_BAR_CHANNELS];
    __u32 to_line3[10];
    struct apelink_bar_request request;
};

/*
 * Buffers that come and go without a request. One that was registered with a switch is as good as
 * deregistered while that is 0. The driver writes `on`, and the card `moving`, which is odd while
 * it looks at switches and moves the bytes:
 *
 *   driver  on = 0, full barrier, moving is even, or becomes another: the card reaches none of it
 *   card    moving + 1, full barrier, on?, bytes, moving + 1
 *
 * While a switch is 0 its buffer still is what the card finds first, so that the driver lets none
 * overlap it.
 */
struct apelink_bar_switches {
    __u32 moving; /* even: a load with acquire order */
    __u32 to_line[15];
    __u32 on[APELINK_BAR_CHANNELS][APELINK_BAR_SWITCHES];
};

#endif
