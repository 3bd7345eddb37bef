/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
#ifndef APELINK_LINUX_H
#define APELINK_LINUX_H

#include <linux/build_bug.h>
#include <linux/interval_tree.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "driver/apelink_abi.h"
#include "driver/apelink_bar.h"

/*
 * The driver of a card. Locks, in the order in which they are taken:
 *
 *   mmap_lock of a process > card->maps > file->lock > card->mailbox
 *
 * file->lock is taken by the notifier of the process's memory, so nothing is allocated under it,
 * and no memory of a program is touched.
 */

static_assert(APELINK_BAR_PAGE == PAGE_SIZE);
static_assert(sizeof(struct apelink_bar) <= APELINK_BAR_PAGE);
static_assert(sizeof(struct apelink_bar_list) == APELINK_BAR_PAGE);
static_assert(sizeof(struct apelink_bar_switches) <= APELINK_BAR_PAGE);
static_assert(sizeof(struct apelink_doorbell) == 128);
#ifndef __LITTLE_ENDIAN
#error "The card's numbers are little-endian, and are taken as they are."
#endif

/* Keys of maps. The doorbell page of channel n has the key n * PAGE_SIZE. */
enum {
    APELINK_COMMAND_BYTES = 64,
    APELINK_EVENT_BYTES = 32,
    APELINK_EVENT_KEY = 1 << 20,
    APELINK_TX_KEY = APELINK_EVENT_KEY + APELINK_BAR_RING_MAX * APELINK_EVENT_BYTES,
};

/* A function of PCI. It stays until its last file is closed; `gone` from removal or death on. */
struct apelink_card {
    struct kref kref;
    struct pci_dev *pci;
    void __iomem *ring;
    struct apelink_bar *bar;
    phys_addr_t bar_start;
    struct miscdevice misc;
    char name[16];
    int index;
    bool gone;
    struct mutex mailbox;
    wait_queue_head_t answered;
    wait_queue_head_t events[APELINK_BAR_CHANNELS];
    struct rw_semaphore maps; /* to read: who maps a doorbell page; to write: who takes it away */
    struct mutex files_lock;
    struct list_head files;
    struct delayed_work pulse;
    u32 last_beat;
    unsigned int silent; /* looks since it has changed */
};

/* An open file: a channel at most, in its life. */
struct apelink_file {
    struct apelink_card *card;
    struct list_head in_card;
    struct address_space *mapping;
    struct mmu_notifier notifier;        /* of the process's end */
    struct mmu_interval_notifier memory; /* of changes of its memory */
    struct mm_struct *mm; /* of the process that has the channel; NULL: there was none */
    struct mutex lock;
    bool opened; /* there was a channel, or somebody opens one */
    int port;    /* -1: there is none */
    void *tx;    /* rings; they stay until the file is closed */
    void *events;
    size_t tx_bytes;
    size_t event_bytes;
    struct xarray buffers;         /* by handle */
    struct list_head coming;       /* buffers that are being registered */
    struct rb_root_cached on_card; /* buffers that the card knows, by their bytes */
    struct list_head dormant; /* and those that it would know again, the oldest first (buffer.c) */
    struct list_head stale;   /* dormant no more: the card is to forget them */
    bool switches[APELINK_BAR_SWITCHES]; /* those that a buffer has */
    struct rb_root_cached pins;          /* those that are listed, by their bytes */
    struct list_head idle;               /* pins of these that no buffer uses, the oldest first */
    unsigned long idle_pages;
    struct list_head dead; /* pins to be undone */
    struct work_struct undo;
};

/* Pages of a process that are pinned. */
struct apelink_pin {
    struct interval_tree_node node;
    struct list_head link; /* in idle or dead */
    struct page **pages;
    unsigned long count;
    unsigned int users; /* buffers, and who makes one */
    bool writable;
    bool listed; /* in file->pins */
    bool ready;  /* all pages are there; others may use it while it is listed */
    bool stale;  /* the process may have other pages there by now */
};

/* A registration. Its handle stays until it is deregistered, also when its memory is unmapped. */
struct apelink_buffer {
    struct interval_tree_node node;
    struct apelink_pin *pin; /* NULL: the card does not know it any more */
    u32 card_handle;
    u32 access;
    u32 switched;          /* 1 + its switch, or 0 */
    struct list_head link; /* in coming, dormant or stale */
    bool gone;             /* while it is coming: some of its memory was unmapped */
};

/* card.c */
void apelink_card_put(struct apelink_card *card);
void apelink_card_lose(struct apelink_card *card, const char *why);

static inline bool apelink_card_gone(const struct apelink_card *card)
{
    return READ_ONCE(card->gone);
}

static inline struct apelink_doorbell *apelink_doorbell(const struct apelink_card *card, int port)
{
    return (void *)((u8 *)card->bar + (size_t)(1 + port) * APELINK_BAR_PAGE);
}

static inline struct apelink_bar_switches *apelink_switches(const struct apelink_card *card)
{
    return (void *)((u8 *)card->bar + (size_t)(1 + APELINK_BAR_CHANNELS) * APELINK_BAR_PAGE);
}

/* mailbox.c: ask the card, and sleep until it has answered. 0 or a negative errno; ENODEV: it has
 * gone. No signal ends it. */
int apelink_ask(struct apelink_card *card, struct apelink_bar_request *request);

/* Have the card close all channels, if it still answers; nobody asks it any more. */
void apelink_ask_no_more(struct apelink_card *card, const char *why);

/* file.c */
extern const struct file_operations apelink_file_operations;

/* The doorbell page of this channel is no longer mapped by anybody through this file. */
void apelink_file_unmap(struct apelink_file *file, int port);

/* channel.c */
int apelink_channel_open(struct apelink_file *file, struct apelink_channel *channel);
void apelink_channel_end(struct apelink_file *file); /* the file is being closed */
int apelink_channel_wait(struct apelink_file *file, struct apelink_wait *wait);

/* Whether event_wr_ptr is another than was seen. If not, the queue of the channel is woken when it
 * is. */
bool apelink_channel_news(struct apelink_card *card, int port, u32 seen);

/* Its channel; -1: there is none, or no longer. */
static inline int apelink_port(const struct apelink_file *file)
{
    /* Pairs with the release of apelink_channel_open. */
    return smp_load_acquire(&file->port);
}

/* ioctl.c */
long apelink_ioctl(struct file *opened, unsigned int command, unsigned long argument);

/* buffer.c: with file->lock held where the name says so. */
int apelink_buffer_register(struct apelink_file *file, struct apelink_register *buffer);
int apelink_buffer_deregister(struct apelink_file *file, u32 handle);

/* Those with any of these bytes are taken from the card, and those that are coming do not come. */
void apelink_buffers_unmapped_locked(struct apelink_file *file, unsigned long first,
                                     unsigned long last);

/* All; the card has closed the channel. */
void apelink_buffers_clear_locked(struct apelink_file *file);

/* dormant.c: buffers that are deregistered, and that the card still knows. Have the card forget a
 * buffer, whose switch is free then. */
void apelink_buffer_forget_locked(struct apelink_file *file, struct apelink_buffer *buffer);

/* The switch of a buffer that has one. */
u32 *apelink_switch_of(const struct apelink_file *file, int port,
                       const struct apelink_buffer *buffer);

/* Give a buffer a switch, for which the oldest dormant one may have to go. All may be in use: it
 * does well without. */
void apelink_switch_take_locked(struct apelink_file *file, struct apelink_buffer *buffer);
void apelink_switch_free_locked(struct apelink_file *file, struct apelink_buffer *buffer);

/* A buffer is deregistered, which still has its pin: make it dormant. false: that may not be, and
 * the card has to forget it. */
bool apelink_dormant_add_locked(struct apelink_file *file, struct apelink_buffer *buffer);

/* The card knows one with the same bytes and pages: *buffer becomes it. */
bool apelink_dormant_wake_locked(struct apelink_file *file, struct apelink_buffer *buffer);

/* The card forgets those that overlap a buffer, or all without one. Whether there were any. */
bool apelink_dormant_part_locked(struct apelink_file *file, const struct apelink_buffer *buffer);

/* Nobody finds this pin any more, so that those with it are stale. Asks the card nothing. */
void apelink_dormant_changed_locked(struct apelink_file *file, const struct apelink_pin *pin);

/* Have the card forget what is stale. */
void apelink_dormant_forget_locked(struct apelink_file *file);

/* All end; the card has closed the channel. */
void apelink_dormant_clear_locked(struct apelink_file *file);

/* pin.c: pins of a file. first is the first byte of a page and last the last one of a page. */
struct apelink_pin *apelink_pin_get(struct apelink_file *file, unsigned long first,
                                    unsigned long last, bool write);
void apelink_pin_put_locked(struct apelink_file *file, struct apelink_pin *pin);

/* The process's memory has changed there; the cache forgets it. */
void apelink_pins_changed_locked(struct apelink_file *file, unsigned long first,
                                 unsigned long last);
void apelink_pins_clear_locked(struct apelink_file *file);
void apelink_pins_undo(struct work_struct *work);

#endif
