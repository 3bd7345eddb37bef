/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
#ifndef APELINK_KUNIT_FIXTURE_H
#define APELINK_KUNIT_FIXTURE_H

#include <kunit/test.h>
#include <linux/mm.h>

#include "driver/linux/apelink.h"

/*
 * A card in plain memory, whose mailbox is answered as soon as its doorbell is written, a process
 * that has memory, and a file that it opens. The suites' thread is that process.
 */
enum fixture_answers {
    FIXTURE_AT_ONCE,
    FIXTURE_LATER, /* by another thread, which wakes who asks */
    FIXTURE_NEVER,
};

enum { FIXTURE_LIST = 4 * APELINK_BAR_LIST, FIXTURE_BUFFERS = 32 };

struct fixture {
    struct kunit *test;
    struct apelink_card card;
    struct pci_dev pci;
    struct mm_struct *mm;
    unsigned long page; /* of its memory, for structures */
    struct file *opened;
    enum fixture_answers answers;
    struct delayed_work later;
    int refuses;    /* 0, or the status that the card gives */
    int gives_port; /* -1, or the channel that it gives, whatever is free */
    bool port[APELINK_BAR_CHANNELS];
    bool buffer[FIXTURE_BUFFERS]; /* by handle */
    unsigned int asked[APELINK_BAR_WRITE + 1];
    struct apelink_bar_request last[APELINK_BAR_WRITE + 1]; /* of each operation */
    u64 list[FIXTURE_LIST];                                 /* pages of the last registration */
    unsigned int pages;
};

/* For suites. */
int fixture_init(struct kunit *test);
void fixture_exit(struct kunit *test);

/* The process ends: those that watch its memory hear of it. */
void fixture_end_process(struct fixture *fixture);
void fixture_new_process(struct fixture *fixture);
void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);

static inline struct apelink_file *fixture_file(const struct fixture *fixture)
{
    return fixture->opened->private_data;
}

/* As the program does by ioctl. */
long fixture_ioctl(struct fixture *fixture, unsigned int command, void *structure);
long fixture_open_channel(struct fixture *fixture, u32 tx_entries, u32 event_entries,
                          struct apelink_channel *channel);
long fixture_register(struct fixture *fixture, unsigned long address, size_t len, u32 *handle);
long fixture_deregister(struct fixture *fixture, u32 handle);

/* New memory of the process, or of the file; 0: there is none. */
unsigned long fixture_memory(struct fixture *fixture, size_t len);
unsigned long fixture_map(struct fixture *fixture, u64 key, size_t len);

/* A word of the process's memory. */
u32 fixture_load(struct fixture *fixture, unsigned long address);
void fixture_store(struct fixture *fixture, unsigned long address, u32 value);

/* A parameter of the module. */
unsigned long *fixture_parameter(const char *name);

#endif
