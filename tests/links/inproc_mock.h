/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_INPROC_MOCK_H
#define TESTS_LINKS_INPROC_MOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"
#include "link/inproc/hooks.h"
#include "link/lane_inl.h"
#include "link/link.h"

/*
 * A core of few lines, for testing the link between NIs of one process without the engine. Packets
 * carry the number of their sender and their own; the receiver checks that each sender's numbers
 * come in order, each once.
 */

#define CHECK(condition)   \
    ((condition) ? (void)0 \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum { MOCK_LANES = 16, MOCK_TRACE = 4096 };

/* The mock's peer: what the engine calls struct ni_peer. */
struct ni_peer {
    struct ni_peer *next;
    struct mock *mock;
    struct ni_ep *ep; /* NULL until mock_connect */
    uint8_t blob[64];
    size_t blob_len;
    uint32_t sent, received;
    ni_status down; /* what peer_down said */
    unsigned downs;
};

struct mock {
    struct ni_link *link;
    struct ni_stats stats;
    uint32_t id;
    struct ni_peer *peers;
    struct ni_lane_rx **lanes;
    unsigned lane_count, lane_capacity;
    uint32_t delivered; /* packets that came through deliver */
    uint32_t in_lanes;
    /* what to do wrong */
    bool refuse;         /* accept nobody */
    bool deaf;           /* neither read lanes nor take deliveries */
    unsigned fail_adds;  /* lane_add fails so many times */
    unsigned again;      /* each n-th delivery is not taken at once */
    unsigned deliveries; /* so far */
    /* order of arrival: sender << 16 | number */
    uint32_t trace[MOCK_TRACE];
    unsigned traced;
};

/* NI_OK, or the status of the link; the mock is then not open. */
ni_status mock_open(struct mock *mock, struct ni_fabric *fabric, uint32_t id);
void mock_close(struct mock *mock);

/* The peer of another mock, with an endpoint; *status says why not. */
struct ni_peer *mock_connect(struct mock *mock, struct mock *to, ni_status *status);
/* The same by address. */
struct ni_peer *mock_connect_blob(struct mock *mock, const void *blob, size_t len,
                                  ni_status *status);
/* The peer that another mock is for this one, or NULL. */
struct ni_peer *mock_find(struct mock *mock, struct mock *other);

/* Send a packet with so many bytes, 8 or more. NI_OK, NI_AGAIN or the peer's failure. */
ni_status mock_send(struct ni_peer *peer, uint32_t len);

/* The link's progress, then the lanes. */
unsigned mock_progress(struct mock *mock);

#endif
