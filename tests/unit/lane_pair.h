/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_LANE_PAIR_H
#define TESTS_UNIT_LANE_PAIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "link/lane_inl.h"

/*
 * Both ends of a lane in one process, for the tests of the lane. The ring is either mapped twice,
 * or a block of exactly the size that lane.h asks for, so that AddressSanitizer sees a step over
 * its end. The counters may start anywhere: near 2^32, to see them wrap.
 */

enum { LANE_PAIR_RIDES = 8 };

struct lane_pair {
    struct ni_lane_tx tx;
    struct ni_lane_rx rx;
    struct ni_lane_page *page;
    uint8_t *ring, *bulk, *payload_map;
    uint32_t lines, bulk_size;
    size_t mapped; /* bytes of ring that are mapped; 0: allocated */
    /* What the receiver has still to read of the ring before. */
    uint8_t *old_ring;
    size_t old_mapped;
};

static inline void *lane_pair_must(void *memory, const char *what)
{
    if (memory == NULL || memory == MAP_FAILED) {
        perror(what);
        exit(1);
    }
    return memory;
}

static inline void lane_pair_map_twice(struct lane_pair *pair)
{
    size_t size = (size_t)pair->lines * NI_LINE;
    int fd = memfd_create("lane_pair", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        perror("memfd");
        exit(1);
    }
    pair->mapped = 2 * size;
    pair->ring =
        lane_pair_must(mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), "mmap");
    for (int half = 0; half < 2; half++) {
        lane_pair_must(mmap(pair->ring + (size_t)half * size, size, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED, fd, 0),
                       "mmap");
    }
    close(fd);
}

/* An empty ring of pair->lines lines, and its payload map. */
static inline void lane_pair_ring(struct lane_pair *pair, bool twice)
{
    size_t size = (size_t)ni_lane_ring_lines(pair->lines) * NI_LINE;

    pair->mapped = 0;
    if (twice) {
        lane_pair_map_twice(pair);
    } else {
        pair->ring = lane_pair_must(aligned_alloc(NI_LINE, size), "ring");
        memset(pair->ring, 0, size);
    }
    pair->payload_map = lane_pair_must(calloc(pair->lines, 1), "map");
}

/* lines: a power of two of 8 or more; for twice, whole pages. */
static inline void lane_pair_init(struct lane_pair *pair, uint32_t lines, uint32_t bulk_size,
                                  bool twice)
{
    *pair = (struct lane_pair){.lines = lines, .bulk_size = bulk_size};
    pair->page = lane_pair_must(aligned_alloc(NI_LINE, sizeof(*pair->page)), "page");
    memset(pair->page, 0, sizeof(*pair->page));
    lane_pair_ring(pair, twice);
    if (bulk_size != 0) {
        pair->bulk = lane_pair_must(aligned_alloc(NI_LINE, bulk_size), "bulk");
    }
    ni_lane_tx_init(&pair->tx, pair->page, pair->ring, lines, pair->bulk, bulk_size,
                    pair->payload_map);
    ni_lane_rx_init(&pair->rx, pair->page, pair->ring, lines, pair->bulk, bulk_size);
    pair->tx.rides = LANE_PAIR_RIDES;
    pair->rx.rides = 1;
}

/* A packet that may ride, or have one ride in its line. */
struct lane_short {
    unsigned kind; /* NI_PACKET_PUT: len is up to 8; NI_PACKET_MESSAGE: 8 to 24 */
    uint16_t tag;
    uint32_t region, len;
    uint64_t common;  /* hdr_data; bytes 0 to 7 */
    uint64_t rest[2]; /* match_bits, data; bytes 8 to 23 */
    uint32_t heard;   /* by its sender */
};

static inline uint64_t lane_short_word0(const struct lane_short *packet)
{
    bool is_put = packet->kind == NI_PACKET_PUT;
    size_t fields = is_put ? sizeof(struct ni_packet_put) : 0;

    return ni_packet_word0(0, packet->kind, NI_PACKET_HEADER + (unsigned)fields, packet->tag);
}

/* What lies behind its header. */
static inline void lane_short_body(const struct lane_short *packet, uint64_t body[3])
{
    bool is_put = packet->kind == NI_PACKET_PUT;

    body[0] = is_put ? packet->rest[0] : packet->common;
    body[1] = is_put ? packet->common : packet->rest[0];
    body[2] = packet->rest[1];
}

/* Send it, there being room for a line. Whether it rides. */
static inline bool lane_pair_send_short(struct lane_pair *pair, const struct lane_short *packet)
{
    struct ni_lane_tx *tx = &pair->tx;
    struct ni_packet *line = ni_lane_at(tx);
    uint8_t *rest = ni_lane_rider_place(tx, packet->region, packet->common, packet->heard);

    if (rest != NULL) {
        memcpy(rest, packet->rest, sizeof(packet->rest));
        ni_lane_ride(tx, rest, packet->kind, packet->tag, packet->len);
        return true;
    }
    lane_short_body(packet, line->body);
    line->word1 = ni_packet_word1(packet->len, packet->region);
    ni_lane_invite(tx, line, packet->region, packet->common);
    ni_lane_commit(tx, lane_short_word0(packet), 1);
    return false;
}

/* As if so many lines and so many packets had passed. Before any packet only. */
static inline void lane_pair_start_at(struct lane_pair *pair, uint32_t line, uint32_t seq)
{
    pair->tx.head = line;
    pair->tx.warm_to = line;
    pair->tx.limit = line + pair->lines;
    pair->rx.tail = line;
    pair->tx.seq = seq;
    pair->rx.seq = seq;
    atomic_store_explicit(&pair->page->consumed, line, memory_order_relaxed);
}

static inline void lane_pair_free_ring(uint8_t *ring, size_t mapped)
{
    if (mapped != 0) {
        munmap(ring, mapped);
    } else {
        free(ring);
    }
}

/* A larger ring for both, who move to it one after the other. */
static inline void lane_pair_widen(struct lane_pair *pair, uint32_t lines, bool twice)
{
    pair->old_ring = pair->ring;
    pair->old_mapped = pair->mapped;
    free(pair->payload_map);
    pair->lines = lines;
    lane_pair_ring(pair, twice);
}

/* Both have moved. */
static inline void lane_pair_drop_old(struct lane_pair *pair)
{
    lane_pair_free_ring(pair->old_ring, pair->old_mapped);
    pair->old_ring = NULL;
}

static inline void lane_pair_fini(struct lane_pair *pair)
{
    lane_pair_free_ring(pair->ring, pair->mapped);
    free(pair->page);
    free(pair->payload_map);
    free(pair->bulk);
}

#endif
