/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A queue pair: one NI reads records out of another one's memory, as many at a time as the rings
 * hold, and adds them up. The two live in one process, over the link inproc or the one that is
 * named; between processes only how the address and the key reach the other side would differ.
 *
 *   queue_pair [shm|ucx]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <apeni/apeni.h>

enum { RECORDS = 1000, WORDS = 32, RING = 16 };

struct record {
    uint64_t word[WORDS];
};

static struct ni_qp_request requests[RING];
static struct ni_qp_completion completions[RING];
static struct ni_qp_ends ends;
static struct record table[RECORDS]; /* the server's */
static struct record room[RING];     /* the client's */

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "queue_pair: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

/* The client's side of the pair; returns what requests are to name. */
static uint16_t open_pair(struct ni *client, struct ni_peer *server, const struct ni_rkey *key,
                          struct ni_qp *qp)
{
    /* Cache lines, as in the paper; 0 would leave the choice to the NI. */
    struct ni_qp_attr attr = {.requests = requests,
                              .request_count = RING,
                              .completions = completions,
                              .completion_count = RING,
                              .ends = &ends,
                              .unroll = 64};
    struct ni_rkey own;
    ni_handle handle;
    uint16_t target;

    must(ni_region_memory(client, room, sizeof(room), NI_ACCESS_WRITE, &own), "register");
    must(ni_qp_create(client, &attr, &handle), "make a queue pair");
    must(ni_qp_target(client, handle, server, key, &target), "name the target");
    ni_qp_open(qp, &attr);
    return target;
}

/* Read all records; those that complete make room for the next. */
static uint64_t read_all(struct ni *client, struct ni *server, struct ni_qp *qp, uint16_t target)
{
    struct ni_qp_work work = {.op = NI_QP_READ, .target = target, .len = sizeof(struct record)};
    struct ni_qp_result result;
    uint64_t sum = 0;
    uint32_t free[RING], places = RING;

    for (uint32_t i = 0; i < RING; i++) {
        free[i] = i;
    }
    for (uint32_t next = 0, read = 0; read < RECORDS;) {
        while (next < RECORDS && places > 0) {
            work.cookie = free[places - 1];
            work.local = &room[work.cookie];
            work.remote = (uintptr_t)&table[next];
            if (!ni_qp_post(qp, &work)) {
                break;
            }
            places--;
            next++;
        }
        (void)ni_progress(client);
        (void)ni_progress(server);
        while (ni_qp_poll(qp, &result)) {
            must(result.status, ni_qp_reason_text(result.reason));
            for (unsigned w = 0; w < WORDS; w++) {
                sum += room[result.cookie].word[w];
            }
            free[places++] = result.cookie;
            read++;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct ni_fabric_attr by_packets = {.no_direct_copy = 1};
    struct ni_open_attr attr = {0};
    struct ni *client, *server;
    struct ni_peer *peer;
    struct ni_rkey key;
    struct ni_qp qp;
    uint8_t blob[NI_BLOB_MAX];
    uint64_t wanted = 0, sum;
    char error[256];

    if (argc < 2) {
        must(ni_fabric_create(&by_packets, &attr.fabric), "make a fabric");
    } else if (ni_param_set("links", argv[1], "argument", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "queue_pair: %s\n", error);
        return 1;
    }
    must(ni_open(&attr, &server), "open an NI");
    must(ni_open(&attr, &client), "open an NI");
    must(ni_connect(client, blob, ni_address(server, blob, sizeof(blob)), &peer), "connect");
    must(ni_region_memory(server, table, sizeof(table), NI_ACCESS_READ, &key), "register");
    for (unsigned i = 0; i < RECORDS * WORDS; i++) {
        table[i / WORDS].word[i % WORDS] = i;
        wanted += i;
    }
    sum = read_all(client, server, &qp, open_pair(client, peer, &key, &qp));
    printf("%u records, sum %llu\n", (unsigned)RECORDS, (unsigned long long)sum);
    ni_close(client);
    ni_close(server);
    ni_fabric_destroy(attr.fabric);
    return sum == wanted ? 0 : 1;
}
