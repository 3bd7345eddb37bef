/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_MASTER_H
#define HFM_MASTER_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "hfm/message.h"
#include "hfm/watchdog.h"

/*
 * The master of Table 7: answers pings, takes reports, and knows of each node the worst of what its
 * host and its neighbours' say about it. A function of its state. Not thread-safe.
 */
struct hfm_source {
    uint32_t about;  /* the node */
    uint32_t fault;  /* as this source says */
    uint64_t number; /* of its last report */
};

struct hfm_member {
    uint64_t session; /* its latest; 0: it has never been heard of */
    uint32_t fault;   /* what is known about it */
    bool gone;        /* what it says does not count */
    uint64_t doubted; /* since when it may be lost, with a card; 0: it lives */
    struct hfm_source source[HFM_SUBJECTS]; /* what it says */
};

struct hfm_master {
    uint64_t session;
    uint32_t node;
    uint32_t nodes;
    struct hfm_member *member;
};

/* Who hears of changes: what is known about a node now, and what was before. Of a report both its
 * worst and what is now are told, one behind the other. Not called again from within. */
struct hfm_observer {
    void (*changed)(void *arg, uint32_t node, uint32_t fault, uint32_t before);
    void *arg;
};

/* A master on a node of so many. session: not 0, and larger than those of masters before.
 * NI_ERR_NOMEM. */
ni_status hfm_master_init(struct hfm_master *master, uint32_t node, uint32_t nodes,
                          uint64_t session);
void hfm_master_fini(struct hfm_master *master);

/* A node is gone, or has come back: what it says does not count meanwhile. */
void hfm_master_gone(struct hfm_master *master, uint32_t node, bool gone,
                     const struct hfm_observer *observer);

/* Take a message. Returns whether `answer` is to be sent to its sender. */
bool hfm_master_take(struct hfm_master *master, const struct hfm_message *message,
                     const struct hfm_observer *observer, struct hfm_message *answer);

#endif
