/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/inproc/wire.c ni/link/inproc/lane.c. */
#include <apeni/fault.h>

#include "inproc_mock.h"

/*
 * Packets one by one: the order drawn from a seed, and what faults do to them. Without the engine.
 */

enum { SENDERS = 5, PACKETS = 200 };

struct net {
    struct ni_fabric *fabric;
    struct mock to, from[SENDERS];
    struct ni_peer *peers[SENDERS];
};

static void start(struct net *net, uint64_t seed)
{
    struct ni_fabric_attr attr = {.seed = seed};
    ni_status status;

    memset(net, 0, sizeof(*net));
    CHECK(ni_fabric_create(&attr, &net->fabric) == NI_OK);
    CHECK(mock_open(&net->to, net->fabric, SENDERS) == NI_OK);
    for (uint32_t i = 0; i < SENDERS; i++) {
        CHECK(mock_open(&net->from[i], net->fabric, i) == NI_OK);
        net->peers[i] = mock_connect(&net->from[i], &net->to, &status);
    }
}

static void stop(struct net *net)
{
    ni_fault_reset();
    for (uint32_t i = 0; i < SENDERS; i++) {
        mock_close(&net->from[i]);
    }
    mock_close(&net->to);
    ni_fabric_destroy(net->fabric);
}

static struct ni_fabric_counts counts_of(const struct net *net)
{
    struct ni_fabric_counts counts;

    ni_fabric_get_counts(net->fabric, &counts);
    return counts;
}

static void progress_all(struct net *net)
{
    (void)mock_progress(&net->to);
    for (uint32_t i = 0; i < SENDERS; i++) {
        (void)mock_progress(&net->from[i]);
    }
}

/* Everybody sends its packet number n, unless its connection has ended. */
static bool all_send(struct net *net, uint32_t n)
{
    static const uint32_t lens[] = {8, 48, 200, 1000, 9000};
    bool all = true;

    for (uint32_t i = 0; i < SENDERS; i++) {
        struct ni_peer *peer = net->peers[i];

        if (peer->sent == n && peer->down == NI_OK) {
            ni_status status = mock_send(peer, lens[(n + i) % 5]);

            CHECK(status == NI_OK || status == NI_AGAIN || status == NI_ERR_PROTOCOL);
            all = all && status != NI_AGAIN;
        }
    }
    return all;
}

/* All send packets up to this number, in turn; then steps pass. */
static void exchange(struct net *net, uint32_t packets, unsigned steps)
{
    uint32_t n = net->peers[0]->sent;

    while (n < packets) {
        n += all_send(net, n);
        progress_all(net);
    }
    while (steps-- > 0) {
        progress_all(net);
    }
}

static void check_all_arrived(const struct net *net, uint32_t packets)
{
    CHECK(net->to.delivered == SENDERS * packets && net->to.in_lanes == 0);
    for (const struct ni_peer *peer = net->to.peers; peer != NULL; peer = peer->next) {
        CHECK(peer->received == packets && peer->down == NI_OK);
    }
}

static uint64_t hash_trace(const struct mock *mock)
{
    uint64_t hash = mock->traced;

    for (unsigned i = 0; i < mock->traced; i++) {
        hash = (hash ^ mock->trace[i]) * 0x100000001b3U;
    }
    return hash;
}

static uint64_t run_seed(uint64_t seed, unsigned again)
{
    struct net net;
    uint64_t hash;

    start(&net, seed);
    net.to.again = again;
    exchange(&net, PACKETS, 2000);
    check_all_arrived(&net, PACKETS);
    hash = hash_trace(&net.to);
    stop(&net);
    return hash;
}

/* Equal seeds give equal orders, others other ones. */
static void seeds(void)
{
    uint64_t seen[8];

    for (uint64_t seed = 1; seed <= 8; seed++) {
        seen[seed - 1] = run_seed(seed, 0);
        CHECK(run_seed(seed, 0) == seen[seed - 1]);
        for (uint64_t other = 1; other < seed; other++) {
            CHECK(seen[other - 1] != seen[seed - 1]);
        }
    }
}

/* A receiver that cannot take a packet now gets it again, in order. */
static void not_taken_at_once(void)
{
    for (unsigned again = 2; again < 6; again++) {
        (void)run_seed(3, again);
    }
}

/* A packet in the middle is lost: the next one tells. */
static void dropped(void)
{
    struct net net;

    start(&net, 0);
    exchange(&net, 10, 4);
    ni_fault_arm(NI_FAULT_DROP, 7, 0);
    exchange(&net, 20, 4);
    CHECK(counts_of(&net).dropped == 1 && counts_of(&net).gaps == 1);
    unsigned down = 0;
    for (uint32_t i = 0; i < SENDERS; i++) {
        const struct ni_peer *here = mock_find(&net.to, &net.from[i]);

        CHECK(here->down == net.peers[i]->down && here->downs == net.peers[i]->downs);
        CHECK(here->down == NI_OK ? here->received == 20 : here->down == NI_ERR_PROTOCOL);
        down += here->downs;
    }
    CHECK(down == 1);
    stop(&net);
}

/* The last packet is lost: nothing comes that could tell, but it is noticed. */
static void last_dropped(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct net net;

        start(&net, seed);
        ni_fault_arm(NI_FAULT_DROP, 1, 0);
        CHECK(mock_send(net.peers[2], 8) == NI_OK);
        for (int i = 0; i < 100; i++) {
            (void)mock_progress(&net.to);
            (void)mock_progress(&net.from[2]);
        }
        CHECK(counts_of(&net).dropped == 1 && counts_of(&net).gaps == 1);
        CHECK(net.peers[2]->down == NI_ERR_PROTOCOL && net.peers[2]->downs == 1);
        CHECK(mock_find(&net.to, &net.from[2])->down == NI_ERR_PROTOCOL);
        stop(&net);
    }
}

/* Lost, and the sender closes at once: no clean end. */
static void dropped_before_close(void)
{
    struct ni_fabric *fabric;
    struct mock a, b;
    ni_status status;

    CHECK(ni_fabric_create(NULL, &fabric) == NI_OK);
    CHECK(mock_open(&a, fabric, 0) == NI_OK);
    CHECK(mock_open(&b, fabric, 1) == NI_OK);
    ni_fault_arm(NI_FAULT_DROP, 2, 0);
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    CHECK(mock_send(mock_connect(&a, &b, &status), 8) == NI_OK);
    (void)mock_progress(&b);
    mock_close(&a);
    (void)mock_progress(&b);
    CHECK(b.peers->received == 1 && b.peers->down == NI_ERR_PROTOCOL);
    ni_fault_reset();
    mock_close(&b);
    ni_fabric_destroy(fabric);
}

static void duplicated(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct net net;

        start(&net, seed);
        ni_fault_arm(NI_FAULT_DUP, 1, 3);
        net.to.again = 4;
        exchange(&net, PACKETS, 2000);
        check_all_arrived(&net, PACKETS);
        CHECK(counts_of(&net).duplicated == (SENDERS * PACKETS + 2) / 3);
        CHECK(counts_of(&net).discarded == counts_of(&net).duplicated);
        stop(&net);
    }
}

/* A cut packet ends the connection, wherever it is cut and whatever it was. */
static void truncated(void)
{
    static const uint32_t lens[] = {8, 48, 49, 200, 1000, 9000};

    for (uint32_t n = 0; n < 60; n++) {
        struct net net;

        start(&net, 0);
        ni_fault_arm(NI_FAULT_TRUNCATE, n / 6 + 1, 0);
        for (uint32_t i = 0; i <= n / 6; i++) {
            CHECK(mock_send(net.peers[0], lens[n % 6]) == NI_OK);
            (void)mock_progress(&net.to);
        }
        (void)mock_progress(&net.from[0]);
        CHECK(counts_of(&net).truncated == 1);
        CHECK(net.peers[0]->down == NI_ERR_PROTOCOL && net.peers[0]->downs == 1);
        CHECK(mock_find(&net.to, &net.from[0])->received == n / 6);
        stop(&net);
    }
}

/* A damaged one does, too. */
static void corrupted(void)
{
    static const uint32_t lens[] = {8, 48, 49, 200, 1000, 9000};

    for (uint32_t n = 0; n < 12; n++) {
        struct net net;

        start(&net, 0);
        ni_fault_arm(NI_FAULT_CORRUPT, n / 6 + 1, 0);
        for (uint32_t i = 0; i <= n / 6; i++) {
            CHECK(mock_send(net.peers[0], lens[n % 6]) == NI_OK);
            (void)mock_progress(&net.to);
        }
        (void)mock_progress(&net.from[0]);
        CHECK(counts_of(&net).corrupted == 1);
        CHECK(net.peers[0]->down == NI_ERR_PROTOCOL && net.peers[0]->downs == 1);
        CHECK(mock_find(&net.to, &net.from[0])->received == n / 6);
        stop(&net);
    }
}

/* Order between senders changes, order of each one stays. */
static void delayed(void)
{
    struct net net;
    uint64_t undisturbed;

    start(&net, 0);
    ni_fault_arm(NI_FAULT_DELAY, 1000000, 0);
    exchange(&net, PACKETS, 100);
    undisturbed = hash_trace(&net.to);
    stop(&net);
    start(&net, 0);
    ni_fault_arm(NI_FAULT_DELAY, 5, 7);
    exchange(&net, PACKETS, 4000);
    check_all_arrived(&net, PACKETS);
    CHECK(counts_of(&net).delayed > 100);
    CHECK(hash_trace(&net.to) != undisturbed);
    stop(&net);
}

/* A fault that is armed while lanes are in use takes them over without loss. */
static void armed_later(void)
{
    struct net net;

    start(&net, 0);
    exchange(&net, 50, 0);
    CHECK(net.to.in_lanes > 0 && net.to.delivered == 0);
    ni_fault_arm(NI_FAULT_DUP, 1, 2);
    exchange(&net, 100, 100);
    CHECK(net.to.in_lanes + net.to.delivered == SENDERS * 100);
    CHECK(net.to.lane_count == 0);
    ni_fault_reset();
    exchange(&net, 150, 100);
    CHECK(net.to.in_lanes + net.to.delivered == SENDERS * 150);
    stop(&net);
}

/* All faults that lose nothing, at random, on a seeded fabric. */
static void mixed(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct net net;

        start(&net, seed);
        net.to.again = 2 + (unsigned)(seed % 7);
        ni_fault_arm_random(NI_FAULT_DELAY, 50000, seed);
        ni_fault_arm_random(NI_FAULT_DUP, 200000, seed);
        ni_fault_arm_random(NI_FAULT_FULL, 100000, seed);
        ni_fault_arm_random(NI_FAULT_ALLOC, 50000, seed);
        exchange(&net, PACKETS, 4000);
        check_all_arrived(&net, PACKETS);
        stop(&net);
    }
}

/* All faults at once: whatever happens, each connection is either whole or said to be broken. */
static void everything(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct net net;

        start(&net, seed % 2 == 0 ? 0 : seed);
        ni_fault_arm_random(NI_FAULT_DROP, 2000, seed);
        ni_fault_arm_random(NI_FAULT_DUP, 100000, seed);
        ni_fault_arm_random(NI_FAULT_TRUNCATE, 2000, seed);
        ni_fault_arm_random(NI_FAULT_DELAY, 20000, seed);
        for (uint32_t n = 0; n < 3000; n++) {
            for (uint32_t i = 0; i < SENDERS; i++) {
                if (net.peers[i]->sent < PACKETS) {
                    (void)mock_send(net.peers[i], 8 + (n * 37) % 3000);
                }
                (void)mock_progress(&net.from[i]);
            }
            (void)mock_progress(&net.to);
        }
        for (uint32_t i = 0; i < SENDERS; i++) {
            const struct ni_peer *here = mock_find(&net.to, &net.from[i]);

            CHECK(here->down == net.peers[i]->down);
            CHECK(here->down == NI_ERR_PROTOCOL ||
                  (here->down == NI_OK && here->received == PACKETS));
        }
        stop(&net);
    }
}

int main(void)
{
    seeds();
    not_taken_at_once();
    dropped();
    last_dropped();
    dropped_before_close();
    duplicated();
    truncated();
    corrupted();
    delayed();
    armed_later();
    mixed();
    everything();
    return 0;
}
