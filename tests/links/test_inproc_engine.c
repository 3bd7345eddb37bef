/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/inproc/link.c ni/link/inproc/endpoint.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/compiler.h"
#include "base/random.h"

/*
 * What the fabric promises to its users: thousands of NIs in one process at little cost, and with a
 * seed an order of events that comes again.
 */

#define CHECK(condition)   \
    ((condition) ? (void)0 \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

enum { MANY = 2000, PEERS = 4, FEW = 6, MESSAGES = 60, BYTES_PER_NI = 128 << 10 };

struct node {
    struct ni *ni;
    struct ni_rkey queue;
    struct ni_peer *peers[FEW];
    uint64_t received, sum;
    uint64_t *trace; /* hash of the order of arrivals everywhere */
    uint32_t index;
};

static struct node nodes[MANY];

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct node *node = arg;
    uint64_t value;

    CHECK(message->len == sizeof(value));
    memcpy(&value, message->data, sizeof(value));
    node->received++;
    node->sum += value;
    if (node->trace != NULL) {
        *node->trace = (*node->trace ^ (value + node->index)) * 0x100000001b3U;
    }
}

static void open_node(struct node *node, uint32_t index, struct ni_fabric *fabric, uint64_t *trace)
{
    struct ni_open_attr attr = {.fabric = fabric};

    *node = (struct node){.index = index, .trace = trace};
    CHECK(ni_open(&attr, &node->ni) == NI_OK);
    CHECK(ni_region_consumer(node->ni, on_message, node, 0, &node->queue) == NI_OK);
}

static struct ni_peer *connect_to(struct node *node, const struct node *other)
{
    uint8_t blob[NI_BLOB_MAX];
    size_t len = ni_address(other->ni, blob, sizeof(blob));
    struct ni_peer *peer;

    CHECK(ni_connect(node->ni, blob, len, &peer) == NI_OK);
    return peer;
}

/* Bytes of memory that this process occupies. */
static size_t resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    CHECK(file != NULL);
    CHECK(fscanf(file, "%*s %lu", &pages) == 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Each sends a message to a few random others. */
static void many(void)
{
    struct ni_fabric *fabric;
    struct ni_rng rng;
    uint64_t sent = 0, received = 0;
    size_t before = resident(), bytes;

    CHECK(ni_fabric_create(NULL, &fabric) == NI_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        open_node(&nodes[i], i, fabric, NULL);
    }
    ni_rng_seed(&rng, 3);
    for (uint32_t i = 0; i < MANY; i++) {
        for (int k = 0; k < PEERS; k++) {
            struct node *other = &nodes[ni_rng_below(&rng, MANY)];
            struct ni_peer *peer = connect_to(&nodes[i], other);
            uint64_t value = 1;

            CHECK(ni_message(nodes[i].ni, peer, other->queue.handle, 0, &value, sizeof(value), NULL,
                             0) == NI_OK);
            sent++;
        }
    }
    for (uint32_t i = 0; i < MANY; i++) {
        while (ni_progress(nodes[i].ni) != 0) {
        }
        received += nodes[i].received;
    }
    CHECK(received == sent);
    bytes = (resident() - before) / MANY;
    printf("%zu bytes for each of %d interfaces with %d peers\n", bytes, MANY, PEERS);
    CHECK(NI_ASAN || NI_TSAN || bytes < BYTES_PER_NI); /* their shadow counts too */
    for (uint32_t i = 0; i < MANY; i++) {
        ni_close(nodes[i].ni);
        if (i + 1 < MANY) {
            (void)ni_progress(nodes[i + 1].ni);
        }
    }
    ni_fabric_destroy(fabric);
}

/* All send to all, while random ones make progress; everything random follows from one number. */
static uint64_t run(uint64_t fabric_seed, uint64_t steps_seed)
{
    struct ni_fabric_attr attr = {.seed = fabric_seed};
    struct ni_fabric *fabric;
    struct ni_rng rng;
    uint64_t trace = 1, received = 0;

    CHECK(ni_fabric_create(&attr, &fabric) == NI_OK);
    for (uint32_t i = 0; i < FEW; i++) {
        open_node(&nodes[i], i, fabric, &trace);
    }
    for (uint32_t i = 0; i < FEW; i++) {
        for (uint32_t k = 0; k < FEW; k++) {
            nodes[i].peers[k] = i == k ? NULL : connect_to(&nodes[i], &nodes[k]);
        }
    }
    ni_rng_seed(&rng, steps_seed);
    for (uint64_t n = 0; n < MESSAGES; n++) {
        for (uint32_t i = 0; i < FEW; i++) {
            uint32_t to = (i + 1 + (uint32_t)ni_rng_below(&rng, FEW - 1)) % FEW;
            uint64_t value = i << 16 | n;

            while (ni_message(nodes[i].ni, nodes[i].peers[to], nodes[to].queue.handle, 0, &value,
                              sizeof(value), NULL, 0) == NI_AGAIN) {
                (void)ni_progress(nodes[to].ni);
            }
            (void)ni_progress(nodes[ni_rng_below(&rng, FEW)].ni);
        }
    }
    while (received < FEW * MESSAGES) {
        received = 0;
        for (uint32_t i = 0; i < FEW; i++) {
            (void)ni_progress(nodes[i].ni);
            received += nodes[i].received;
        }
    }
    for (uint32_t i = 0; i < FEW; i++) {
        ni_close(nodes[i].ni);
    }
    ni_fabric_destroy(fabric);
    return trace;
}

static void repeatable(void)
{
    uint64_t unseeded = run(0, 1);

    CHECK(run(0, 1) == unseeded);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        uint64_t trace = run(seed, 1);

        CHECK(run(seed, 1) == trace);
        CHECK(trace != unseeded);
        CHECK(run(seed + 1, 1) != trace);
    }
}

int main(void)
{
    many();
    repeatable();
    return 0;
}
