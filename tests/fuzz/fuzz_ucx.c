/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who writes to the link between hosts: strangers, peers that have the keys and say anything, and
 * addresses from anywhere, against an interface over a UCX that has no network. The input is a
 * program: each step takes one byte that says what to do, and some that say how. Some fields may be
 * replaced by valid ones, so that the input gets past keys and tokens that it could not guess.
 * AddressSanitizer watches the memory; here we watch that nothing but the region that a packet
 * names is written, that each operation completes once, that a stranger is counted and becomes
 * nobody's peer, and that everything is given back.
 */
#include <apeni/param.h>

#include "engine/core/ni.h"
#include "fake_ucx.h"
#include "fuzz_victim.h"
#include "link/ucx/ucx.h"

enum { STEPS = 120, JOB_KEY = 77, PEERS = 4, LINES = 24, POLLS = 3 };

struct world {
    struct victim victim;
    struct ni_ucx_link *link;
    struct ni_peer *peers[PEERS]; /* to which it has connected */
    uint32_t next[PEERS];         /* position in the lane of each: where a packet is expected */
};

static void set_param(const char *name, const char *value)
{
    char error[256];

    must(ni_param_set(name, value, "fuzzer", error, sizeof(error)) == NI_OK, error);
}

static uint64_t stat_of(const struct ni *ni, const char *name)
{
    return ni_stat_read(ni, ni_stat_find(name));
}

static void setup(struct world *world)
{
    struct ni_open_attr attr = {.job_key = JOB_KEY};
    struct ni *ni;

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    set_param("links", "ucx");
    set_param("ucx_gather_us", "0"); /* no thread, so that an input does the same each time */
    set_param("ucx_lane_size", "4K");
    set_param("ucx_bulk_size", "64K");
    set_param("ucx_timeout_s", "0");
    fake_reset();
    must(ni_open(&attr, &ni) == NI_OK, "open");
    world->link = ni_ucx_link_of(ni->link);
    victim_init(&world->victim, ni);
}

static void poll_some(struct world *world)
{
    for (int i = 0; i < POLLS; i++) {
        (void)ni_progress(world->victim.ni);
    }
}

static void hear_all(struct world *world)
{
    while (fake_unheard() != 0) {
        (void)ni_progress(world->victim.ni);
    }
    poll_some(world);
}

static void teardown(struct world *world)
{
    victim_check_guards(&world->victim);
    fake_part();
    hear_all(world);
    ni_close(world->victim.ni);
    must(fake_is_clean(), "something was not given back to UCX");
    victim_fini(&world->victim);
}

/* ---- strangers, and those who greet ---------------------------------------------------------- */

/* Bytes as they stand, which nobody may have sent. */
static void stranger(struct world *world, struct input *in)
{
    uint64_t before, peers;
    uint8_t header_len, len, bytes[2][256];

    take(in, &header_len, 1);
    take(in, &len, 1);
    take(in, bytes[0], header_len);
    take(in, bytes[1], len);
    bytes[0][0] ^= bytes[0][0] == NI_UCX_MAGIC; /* one without it is a stranger for certain */
    fake_set_ways(0);
    hear_all(world);
    peers = stat_of(world->victim.ni, "peers");
    before = stat_of(world->victim.ni, "rx_strangers");
    fake_say(bytes[0], header_len, bytes[1], len, true);
    hear_all(world);
    must(stat_of(world->victim.ni, "rx_strangers") == before + 1, "a stranger is not counted");
    must(stat_of(world->victim.ni, "peers") <= peers, "a stranger is a peer");
}

/* The blob of a peer, mostly sound. */
static void make_blob(const struct world *world, struct input *in, uint8_t choice,
                      struct ni_ucx_blob *blob)
{
    *blob = world->link->blob;
    blob->key = 1000 + choice % PEERS;
    blob->name = 2000 + choice % PEERS;
    if (choice & 0x80) {
        uint8_t at, change;

        take(in, &at, 1);
        take(in, &change, 1);
        ((uint8_t *)blob)[at % (NI_UCX_BLOB_HEAD + 8)] ^= change;
    }
}

static void greet(struct world *world, struct input *in, enum ni_ucx_type type)
{
    struct ni_ucx_head head = {
        .magic = NI_UCX_MAGIC, .version = NI_UCX_VERSION, .type = (uint8_t)type};
    struct ni_ucx_hello hello = {.key = world->link->blob.key, .ring = 64, .bulk = 4096};
    uint8_t choice, cut, which;
    size_t len = NI_UCX_HELLO_HEAD + world->link->blob_len;

    take(in, &choice, 1);
    take(in, &cut, 1);
    take(in, &which, 1);
    hello.token = 5000 + choice % PEERS;
    make_blob(world, in, choice, &hello.blob);
    if (type == NI_UCX_WELCOME && fake_endpoints() != 0) {
        head.token = fake_token(which % fake_endpoints());
    }
    if (choice & 0x40) {
        take(in, &hello, NI_UCX_HELLO_HEAD);
        hello.key = choice & 0x20 ? world->link->blob.key : hello.key;
        hello.bulk &= 0x1ffff;
    }
    fake_say(&head, sizeof(head), &hello, choice & 0x10 ? cut : len, (which & 0x80) == 0);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* A packet that the engine may believe, in the lane at this position. */
static void make_packet(struct world *world, struct input *in, uint32_t seq, uint8_t *line)
{
    struct ni_packet packet;
    uint8_t choice, kind, len;

    take(in, &choice, 1);
    take(in, &kind, 1);
    take(in, &len, 1);
    take(in, line, NI_LINE);
    memcpy(&packet, line, sizeof(packet));
    if (choice & 1) {
        atomic_store_explicit(
            &packet.word0,
            ni_packet_word0(seq, kind % NI_PACKET_KINDS | (choice & 2 ? NI_PACKET_IN_BULK : 0),
                            choice & 4 ? NI_LINE : NI_PACKET_HEADER, choice >> 6),
            memory_order_relaxed);
        packet.word1 = ni_packet_word1(choice & 2 ? NI_LINE + len % 8 : len,
                                       choice & 8 ? world->victim.region.handle
                                                  : world->victim.consumer.handle);
    }
    if (choice & 16) {
        packet.body[0] = victim_somewhere(&world->victim, packet.body[0]);
        packet.body[1] = choice & 8 ? world->victim.region.key : world->victim.consumer.key;
    }
    if (choice & 32) {
        packet.body[3] %= 512;
        packet.body[4] %= 512;
    }
    memcpy(line, &packet, sizeof(packet));
}

static void speak(struct world *world, struct input *in)
{
    struct ni_ucx_bulk bulk = {.head = {.magic = NI_UCX_MAGIC, .version = NI_UCX_VERSION}};
    uint8_t choice, which, more, type, data[LINES * NI_LINE] = {0};
    size_t len;

    take(in, &choice, 1);
    take(in, &which, 1);
    take(in, &type, 1);
    take(in, &more, 1);
    if (fake_endpoints() == 0) {
        return;
    }
    bulk.head.type = type & 0x80 ? type : NI_UCX_WELCOME + type % 5;
    bulk.head.token = fake_token(which % fake_endpoints());
    bulk.head.lines = 1 + more % 4;
    bulk.head.position = world->next[which % PEERS];
    bulk.head.consumed = choice & 1 ? more % 16 : 0;
    bulk.head.wishes = choice;
    len = bulk.head.lines * (size_t)NI_LINE;
    make_packet(world, in, 1 + bulk.head.position, data);
    if (bulk.head.type == NI_UCX_BULK) {
        memcpy(bulk.line, data, NI_LINE);
        bulk.line[7] = choice & 2 ? more * 64U : bulk.line[7]; /* where in the bulk area */
        len = ni_packet_len(bulk.line[1]) % sizeof(data);
    }
    if (choice & 4) {
        take(in, &bulk.head.position, sizeof(bulk.head.position));
        bulk.head.position %= choice & 8 ? 80 : UINT32_MAX;
    }
    if (choice & 16) {
        bulk.head.lines = more;
        len = more % LINES * (size_t)NI_LINE;
    }
    if (bulk.head.type == NI_UCX_LINES || bulk.head.type == NI_UCX_BULK) {
        world->next[which % PEERS] += bulk.head.type == NI_UCX_BULK ? 1 : bulk.head.lines;
    }
    fake_say(&bulk,
             bulk.head.type == NI_UCX_BULK && (choice & 32) == 0 ? sizeof(bulk) : sizeof(bulk.head),
             data, len, bulk.head.type == NI_UCX_BULK ? (choice & 64) == 0 : (choice & 128) == 0);
}

/* ---- what the interface itself does ---------------------------------------------------------- */

static void meet_or_part(struct world *world, struct input *in)
{
    uint8_t choice, blob[NI_BLOB_MAX] = {0}, changed;
    struct ni_ucx_blob part;
    size_t len = ni_address(world->victim.ni, blob, sizeof(blob));
    struct ni_peer **peer;

    take(in, &choice, 1);
    peer = &world->peers[choice % PEERS];
    if (*peer != NULL && (choice & 0x40) != 0) {
        ni_disconnect(world->victim.ni, *peer);
        *peer = NULL;
        return;
    }
    make_blob(world, in, choice, &part);
    memcpy(blob + len - world->link->blob_len, &part, world->link->blob_len);
    if (choice & 0x20) {
        take(in, &changed, 1);
        take(in, blob + changed % len, 2);
    }
    if (*peer == NULL && ni_connect(world->victim.ni, blob, len, peer) != NI_OK) {
        *peer = NULL;
    }
}

static void start(struct world *world, struct input *in)
{
    static const enum victim_op ops[] = {VICTIM_READS, VICTIM_WRITES, VICTIM_FETCHES,
                                         VICTIM_FETCHES};
    struct ni_peer *peer;
    uint8_t choice;

    take(in, &choice, 1);
    peer = world->peers[choice % PEERS];
    if (peer != NULL) {
        victim_start(&world->victim, peer, ops[choice >> 6]);
    }
}

static void step(struct world *world, struct input *in, uint8_t what)
{
    uint8_t which;

    switch (what % 10) {
    case 0:
        stranger(world, in);
        break;
    case 1:
        greet(world, in, NI_UCX_HELLO);
        break;
    case 2:
        greet(world, in, NI_UCX_WELCOME);
        break;
    case 3:
        meet_or_part(world, in);
        break;
    case 4:
        start(world, in);
        break;
    case 5:
        take(in, &which, 1);
        if (which & 1) {
            fake_set_ways(which >> 1 & 15);
        } else if (fake_endpoints() != 0) {
            fake_hang_up(which % fake_endpoints());
        }
        break;
    case 6:
        poll_some(world);
        break;
    default:
        speak(world, in);
    }
    if ((what & 0x80) == 0) {
        poll_some(world);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input in = {.data = data, .left = size};
    uint8_t what;

    setup(&world);
    for (int i = 0; i < STEPS && in.left != 0; i++) {
        take(&in, &what, 1);
        step(&world, &in, what);
    }
    teardown(&world);
    return 0;
}
