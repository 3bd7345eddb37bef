/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_IOCTL_H
#define APELINK_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * What programs ask of a card's driver, version 1. The kernel module and the device that FUSE
 * serves have the same. One open file is one channel of the card at most, and ends with it.
 *
 *   open -> GET_FEATURES -> OPEN_CHANNEL -> mmap of rings and doorbell -> REGISTER ... -> close
 *
 * Data goes through no ioctl: a program writes command packets (driver/command.h) into its ring,
 * then wr_ptr into the doorbell page, and reads events from the other ring. poll says POLLIN when
 * there are events behind event_rd_ptr, and POLLERR when there is no channel, or none any more.
 *
 * How this grows. Each structure begins with its size in bytes, as the program knows it. A driver
 * takes a shorter one than its own as if the rest were 0, and a longer one if what it does not know
 * is 0; otherwise it fails with E2BIG. It writes back no more than the program has. An ioctl is
 * known by its type and number; the size in its code may be any. Reserved fields and flags without
 * a meaning have to be 0: EINVAL. Numbers are in the order of the host; all structures are
 * multiples of 8 bytes.
 */

#define APELINK_IOCTL_TYPE    0xb9
#define APELINK_IOCTL_VERSION 1

/* What kind of driver it is. */
#define APELINK_FEATURE_KERNEL    (1ULL << 0) /* a module; otherwise a process serves the device */
#define APELINK_FEATURE_PIN_CACHE (1ULL << 1) /* registrations are remembered */
#define APELINK_FEATURE_LIST      (1ULL << 2) /* the ioctl LIST is there */

struct apelink_features {
    __u64 size;
    __u32 version;       /* out: APELINK_IOCTL_VERSION of the driver */
    __u32 board_version; /* out: that of the table of registers */
    __u64 features;      /* out: APELINK_FEATURE_ */
    __u32 channels;      /* out: of the card */
    __u32 channels_free; /* out */
    __u32 ring_max;      /* out: entries of a ring */
    __u32 page_size;     /* out: of what REGISTER translates */
    __u64 place;         /* out: the register board_place */
    __u64 torus;         /* out: the register board_torus */
    __u64 reserved[2];
};

/*
 * The doorbell page, shared with the card: the program writes the first two, the card the others.
 * Each on a line of its own. Counts are modulo 2^32.
 */
struct apelink_doorbell {
    __u32 wr_ptr;       /* command packets written; a store with release order */
    __u32 event_rd_ptr; /* events taken */
    __u32 to_line[14];
    __u32 rd_ptr;       /* command packets fetched: their entries may be used again */
    __u32 event_wr_ptr; /* events written; a load with acquire order */
    __u32 event_lost;   /* events given up because the ring was full */
    __u32 tx_refused;
    __u32 to_end[12];
};

struct apelink_channel {
    __u64 size;
    __u32 tx_entries;    /* in: a power of two up to ring_max */
    __u32 event_entries; /* in: likewise */
    __u64 flags;         /* in: 0 */
    __u32 port;          /* out: the process id of Table 9 */
    __u32 reserved0;
    __u64 tx_key; /* out: offsets for mmap, and how many bytes are there */
    __u64 tx_bytes;
    __u64 event_key;
    __u64 event_bytes;
    __u64 doorbell_key;
    __u64 doorbell_bytes;
    __u64 reserved[2];
};

#define APELINK_ACCESS_READ  (1U << 0) /* other cards may read */
#define APELINK_ACCESS_WRITE (1U << 1) /* other cards may write */

/* Memory stays pinned until it is deregistered, unmapped, or the file is closed. */
struct apelink_register {
    __u64 size;
    __u64 address; /* in: any byte */
    __u64 len;     /* in: bytes, not 0 */
    __u32 access;  /* in: APELINK_ACCESS_; at least one */
    __u32 flags;   /* in: 0 */
    __u32 handle;  /* out */
    __u32 reserved0;
    __u64 reserved[2];
};

struct apelink_deregister {
    __u64 size;
    __u32 handle; /* in */
    __u32 reserved0;
};

/* Registers that a program may reach: all may be read; written, by who may administer the host,
 * are those of fault awareness and of when a link or a GET has failed. Others are EPERM. */
struct apelink_access {
    __u64 size;
    __u32 offset; /* in: of BAR 5 */
    __u32 value;  /* READ_REGISTER: out; WRITE_REGISTER: in */
    __u64 reserved;
};

/*
 * Reach several registers by one call, in their order, each as by READ_REGISTER or WRITE_REGISTER.
 * The list ends behind the first that fails, and behind one that is read of which no bit is set
 * that it wants. A process reaches all of them at one moment of the card, the kernel module one
 * after the other. A driver without APELINK_FEATURE_LIST fails with ENOTTY.
 */
#define APELINK_LIST_ITEMS 16

#define APELINK_ITEM_WRITE (1U << 0) /* otherwise it is read */

struct apelink_item {
    __u32 offset; /* in: of BAR 5 */
    __u32 value;  /* in if it is written, otherwise out */
    __u32 flags;  /* in: APELINK_ITEM_ */
    __u32 wanted; /* in: 0, or of one that is read: go on only if one of these bits is set */
};

struct apelink_list {
    __u64 size;
    __u32 count; /* in: items, 1 to APELINK_LIST_ITEMS; those behind are not looked at */
    __u32 done;  /* out: so many were read or written */
    __u32 error; /* out: 0, or the errno of the one behind them */
    __u32 reserved0;
    __u64 reserved[2];
    struct apelink_item item[APELINK_LIST_ITEMS];
};

/* Sleep until event_wr_ptr is not `seen`, or time is up: ETIMEDOUT. */
struct apelink_wait {
    __u64 size;
    __u64 timeout_ns;   /* in: ~0 for ever */
    __u32 seen;         /* in */
    __u32 event_wr_ptr; /* out */
    __u64 reserved;
};

#define APELINK_GET_FEATURES   _IOWR(APELINK_IOCTL_TYPE, 0, struct apelink_features)
#define APELINK_OPEN_CHANNEL   _IOWR(APELINK_IOCTL_TYPE, 1, struct apelink_channel)
#define APELINK_REGISTER       _IOWR(APELINK_IOCTL_TYPE, 2, struct apelink_register)
#define APELINK_DEREGISTER     _IOWR(APELINK_IOCTL_TYPE, 3, struct apelink_deregister)
#define APELINK_READ_REGISTER  _IOWR(APELINK_IOCTL_TYPE, 4, struct apelink_access)
#define APELINK_WRITE_REGISTER _IOWR(APELINK_IOCTL_TYPE, 5, struct apelink_access)
#define APELINK_WAIT           _IOWR(APELINK_IOCTL_TYPE, 6, struct apelink_wait)
#define APELINK_LIST           _IOWR(APELINK_IOCTL_TYPE, 7, struct apelink_list)

#endif
