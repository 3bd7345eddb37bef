/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scenario of FORTH-CC, Fig. 3b: A sends 640 bytes, 400 to B and 240 to C, and all three want
 * to know when all of it has arrived. A counter at B adds up what has come: A names it as ack
 * address of both transfers, of which one goes to B itself and the other does not, arms it with
 * -640, by a packet, and has it notify a word of each. In which order the parts arrive, and the
 * setting, makes no difference.
 *
 * Three NIs of one process, over the link inproc or the one that is named; ends with 0 if everybody
 * was told, and of the right bytes.
 *
 *   session [shm|ucx]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

enum { A, B, C, NODES, TO_B = 400, TO_C = 240, ALL = TO_B + TO_C };

struct node {
    struct ni *ni;
    struct ni_peer *peers[NODES];
    struct ni_rkey bytes_key, flag_key;
    uint8_t bytes[ALL];
    _Atomic uint64_t flag;
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "session: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static void open_node(struct node *node, struct ni_fabric *fabric)
{
    struct ni_open_attr attr = {.fabric = fabric};

    must(ni_open(&attr, &node->ni), "open");
    must(ni_region_memory(node->ni, node->bytes, ALL, NI_ACCESS_WRITE, &node->bytes_key), "bytes");
    must(ni_region_memory(node->ni, (void *)&node->flag, sizeof(node->flag), NI_ACCESS_WRITE,
                          &node->flag_key),
         "flag");
}

static void connect_nodes(struct node *nodes)
{
    uint8_t blob[NI_BLOB_MAX];

    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned j = 0; j < NODES; j++) {
            if (i != j) {
                size_t len = ni_address(nodes[j].ni, blob, sizeof(blob));

                must(ni_connect(nodes[i].ni, blob, len, &nodes[i].peers[j]), "connect");
            }
        }
    }
}

static struct ni_remote place(const void *at, const struct ni_rkey *rkey)
{
    return (struct ni_remote){.addr = (uintptr_t)at, .key = rkey->key, .handle = rkey->handle};
}

/* The flag of a node, as the counter at B has to name it for A. */
static struct ni_notice tell(struct node *nodes, unsigned which)
{
    return (struct ni_notice){
        .at = which == A   ? NI_AT_SENDER
              : which == B ? NI_AT_COUNTER
                           : NI_AT_PEER,
        .peer = nodes[A].peers[which],
        .width = 8,
        .where = place((void *)&nodes[which].flag, &nodes[which].flag_key),
        .value = 100 + which,
    };
}

static void move_all(struct node *nodes)
{
    for (unsigned i = 0; i < NODES; i++) {
        (void)ni_progress(nodes[i].ni);
    }
}

/* A's part. */
static void send_all(struct node *nodes, struct ni_rkey *counter)
{
    /* It has to be there until the transfer has completed. */
    static struct ni_ack_region counter_at_b;
    struct ni_remote b = place(nodes[B].bytes, &nodes[B].bytes_key);
    struct ni_remote c = place(nodes[C].bytes, &nodes[C].bytes_key);
    struct ni_ack ack = {.kind = NI_ACK_REGION, .region = &counter_at_b};
    struct ni_counter_setting setting = {
        .flags = NI_COUNTER_ADD | NI_COUNTER_NOTICES,
        .value = -ALL,
        .count = 3,
        .notices = {tell(nodes, A), tell(nodes, B), tell(nodes, C)}};

    ni_status status;

    counter_at_b = (struct ni_ack_region){
        .peer = nodes[A].peers[B], .where = place(NULL, counter), .counts = true};
    must(ni_write_counted(nodes[A].ni, nodes[A].peers[B], nodes[A].bytes, TO_B, &b, counter, NULL),
         "write to B");
    while ((status = ni_counter_set(nodes[A].ni, nodes[A].peers[B], counter, &setting, NULL)) ==
           NI_AGAIN) {
        move_all(nodes); /* no room in the lane yet, where connecting takes time */
    }
    must(status, "arm");
    must(ni_write(nodes[A].ni, nodes[A].peers[C], nodes[A].bytes + TO_B, TO_C, &c, &ack),
         "write to C");
}

static bool all_know(struct node *nodes)
{
    for (unsigned i = 0; i < NODES; i++) {
        if (nodes[i].flag != 100 + i) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct node nodes[NODES];
    struct ni_fabric *fabric = NULL;
    struct ni_rkey counter;
    char error[256];
    bool good;

    if (argc < 2) {
        must(ni_fabric_create(NULL, &fabric), "fabric");
    } else if (ni_param_set("links", argv[1], "argument", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "session: %s\n", error);
        return 1;
    }
    for (unsigned i = 0; i < NODES; i++) {
        open_node(&nodes[i], fabric);
    }
    connect_nodes(nodes);
    must(ni_counter_create(nodes[B].ni, 0, &counter), "counter");
    for (unsigned i = 0; i < ALL; i++) {
        nodes[A].bytes[i] = (uint8_t)(i * 11 + 3);
    }
    send_all(nodes, &counter);
    while (!all_know(nodes)) {
        move_all(nodes);
    }
    good = memcmp(nodes[B].bytes, nodes[A].bytes, TO_B) == 0 &&
           memcmp(nodes[C].bytes, nodes[A].bytes + TO_B, TO_C) == 0;
    printf("%d bytes to two nodes, three were told: %s\n", ALL, good ? "right" : "wrong");
    for (unsigned i = 0; i < NODES; i++) {
        ni_close(nodes[i].ni);
    }
    ni_fabric_destroy(fabric);
    return good ? 0 : 1;
}
