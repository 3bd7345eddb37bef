/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SHM_MOCK_H
#define TESTS_LINKS_SHM_MOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/config.h"
#include "base/list.h"
#include "base/stats.h"
#include "link/lane_inl.h"
#include "link/link.h"

/*
 * A core for testing the shared memory link without the engine: it numbers its packets per peer,
 * fills them with a pattern that follows from sender and number, and checks both where they arrive.
 */

#define CHECK(condition)                                                                           \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: pid %d: %s\n", __FILE__, __LINE__, (int)getpid(), #condition), \
            abort()))

enum { MOCK_LANES = 256, MOCK_BLOB = 256 };

/* The mock's peer: what the engine calls struct ni_peer. */
struct ni_peer {
    struct ni_peer *next;
    struct mock *mock;
    struct ni_ep *ep; /* NULL until mock_connect */
    uint8_t blob[MOCK_BLOB];
    size_t blob_len;
    uint64_t sent;     /* packets */
    uint64_t received; /* packets, checked */
    uint64_t sender;   /* as the first packet said */
    uint64_t in_lane, in_slots, in_bulk;
    ni_status down; /* NI_OK or what peer_down said */
    unsigned downs;
};

struct mock {
    struct ni_link *link;
    struct ni_stats stats;
    uint64_t id; /* in the packets */
    struct ni_peer *peers;
    struct ni_lane_rx *lanes[MOCK_LANES];
    unsigned lane_count;
    struct ni_list parked; /* lanes that are not polled */
    uint64_t received, accepted, malformed;
    uint8_t sum; /* of all bytes, if they are not checked */
    /* What to do wrong. */
    bool refuse;    /* accept nobody */
    unsigned again; /* refuse every n-th delivery with NI_AGAIN, 0: none */
    unsigned deliveries;
    bool any;  /* do not check what arrives: it may be garbage */
    bool deaf; /* do not read lanes */
    void (*handler)(struct mock *mock, struct ni_peer *peer); /* called per packet */
};

/* Open a link with the current configuration. */
void mock_open(struct mock *mock, uint64_t id, const struct ni_open_attr *attr);
ni_status mock_try_open(struct mock *mock, uint64_t id, const struct ni_open_attr *attr);
/* Disconnect all and close. */
void mock_close(struct mock *mock);

size_t mock_blob(struct mock *mock, void *blob);
/* The peer of a blob, with an endpoint. NULL: cannot be reached. */
struct ni_peer *mock_connect(struct mock *mock, const void *blob, size_t len);
ni_status mock_try_connect(struct mock *mock, const void *blob, size_t len, struct ni_peer **peer);
/* Give up the endpoint and forget the peer. One without endpoint must be down: else the link still
 * knows it. */
void mock_disconnect(struct mock *mock, struct ni_peer *peer);

/* Send one packet with a payload of len bytes, 16 or more. NI_AGAIN or the peer's failure. */
ni_status mock_send(struct ni_peer *peer, uint32_t len);
/* The same until it is gone, making progress meanwhile; a failure ends the program. */
void mock_send_all(struct ni_peer *peer, uint32_t len);

unsigned mock_progress(struct mock *mock);
/* Progress, giving the processor away when there is nothing. */
void mock_relax(struct mock *mock);

/* Whether a lane holds a packet. */
bool mock_has_work(void *mock);

/* Set a parameter or end the program. */
void mock_param(const char *name, const char *value);

/* Run fn in a child process that ends with its result, or when its parent ends; returns the pid. */
pid_t mock_fork(int (*fn)(void *arg), void *arg);
/* Have this process end when its parent does, whose pid is given. A child that enters another user
 * namespace says it anew: the kernel may forget it there. */
void mock_end_with(pid_t parent);
/* Wait for a child that must have succeeded. */
void mock_join(pid_t pid);

/* Open descriptors of this process. */
/* Without the one that a process keeps from its first link to its end (life.c). */
unsigned mock_count_fds(void);

/* Zeroed memory shared with the children that are forked from now on. */
void *mock_shared(size_t size);

#endif
