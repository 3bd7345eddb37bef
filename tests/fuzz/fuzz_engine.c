/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets and address blobs of a hostile peer against the engine. The input is a program: each step
 * takes one byte that says what to do and the bytes of a packet. Some fields may be replaced by
 * valid ones, so that the input gets past keys and tokens that it could not guess. AddressSanitizer
 * watches the memory; here we watch that nothing but the region that a packet names is written, and
 * that each operation completes at most once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "fuzz_victim.h"

enum { ROOM = 2048, STEPS = 64 };

/* Steps of their own: a packet to the counter, and a part of a spread transfer, of which only these
 * are rarely found. */
enum { STEP_COUNTER = 0xc7, STEP_PART = 0xcf, SETTINGS = 4 };

struct world {
    struct ni_fabric *fabric;
    struct victim victim;
    struct ni *other;
    struct ni_peer *peer; /* the other, as the victim sees it */
    struct ni_rkey queue, counter;
    struct ni_lane_page page;
    struct ni_lane_rx lane;
};

static void setup(struct world *world)
{
    struct ni_fabric_attr fabric = {.no_direct_copy = 1};
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    struct ni *ni;
    size_t len;

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    must(ni_fabric_create(&fabric, &world->fabric) == NI_OK, "fabric");
    attr.fabric = world->fabric;
    must(ni_open(&attr, &ni) == NI_OK && ni_open(&attr, &world->other) == NI_OK, "open");
    len = ni_address(world->other, blob, sizeof(blob));
    must(ni_connect(ni, blob, len, &world->peer) == NI_OK, "connect");
    victim_init(&world->victim, ni);
    must(ni_region_queue(ni, 0, 4, &world->queue) == NI_OK &&
             ni_counter_create(ni, -3, &world->counter) == NI_OK,
         "regions");
    world->lane.page = &world->page;
    world->lane.peer = world->peer;
}

static void teardown(struct world *world)
{
    victim_check_guards(&world->victim);
    ni_close(world->victim.ni);
    ni_close(world->other);
    victim_fini(&world->victim);
    ni_fabric_destroy(world->fabric);
}

static uint64_t some_token(struct world *world)
{
    struct ni_op *op;

    if (ni_list_empty(&world->peer->ops)) {
        return 0;
    }
    op = ni_container_of(world->peer->ops.next, struct ni_op, list);
    return ni_op_token(op);
}

/* Replace what the input cannot guess. */
static void help(struct world *world, struct ni_packet *packet, uint8_t choice)
{
    const struct ni_rkey *keys[] = {&world->victim.region, &world->victim.consumer, &world->queue,
                                    &world->counter};
    const struct ni_rkey *rkey = keys[choice & 3];
    uint32_t len = ni_packet_len(packet->word1);

    packet->word1 = ni_packet_word1(choice & 4 ? len % 512 : len, rkey->handle);
    if (choice & 8) {
        packet->body[1] = rkey->key; /* struct ni_packet_remote */
    }
    if (choice & 16) {
        packet->body[0] = victim_somewhere(&world->victim, packet->body[0]);
    }
    if (choice & 32) {
        packet->body[3] %= 512;
        packet->body[4] %= 512;
    }
    if (choice & 64) {
        packet->body[0] = some_token(world); /* struct ni_packet_ack */
        packet->body[1] = sizeof(world->victim.target);
        packet->body[2] %= 256;
    }
}

/* The note of a Write that says it has one: from the input, and what that cannot guess. */
static void help_note(struct world *world, struct input *in, struct ni_packet *packet)
{
    const struct ni_rkey *keys[] = {&world->victim.region, &world->victim.consumer, &world->queue,
                                    &world->counter};
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    struct ni_packet_note note;
    uint8_t choice;

    if (ni_packet_kind(word0) != NI_PACKET_WRITE || (ni_packet_tag(word0) & NI_WRITE_NOTED) == 0 ||
        ni_packet_head(word0) > NI_LINE) {
        return;
    }
    take(in, &choice, 1);
    take(in, &note, sizeof(note));
    note.handle = choice & 4 ? keys[choice & 3]->handle : note.handle;
    note.key = choice & 8 ? keys[choice & 3]->key : note.key;
    note.addr = choice & 16 ? victim_somewhere(&world->victim, note.addr) : note.addr;
    note.addr &= choice & 32 ? ~UINT64_C(7) : UINT64_MAX;
    memcpy((uint8_t *)packet + ni_packet_head(word0), &note, sizeof(note));
    if (choice & 64) {
        packet->body[4] = packet->body[3] + ni_packet_len(packet->word1) - sizeof(note);
    }
}

static void send_packet(struct world *world, struct input *in)
{
    uint8_t choice, *bytes = aligned_alloc(NI_LINE, ROOM);
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    uint64_t word0;

    must(bytes != NULL, "memory");
    take(in, &choice, 1);
    memset(bytes, 0x33, ROOM);
    take(in, bytes, NI_LINE);
    if (choice & 128) {
        help(world, packet, choice);
        help_note(world, in, packet);
    }
    word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    if (ni_packet_kind(word0) == NI_PACKET_COPY && ni_peer_state(world->peer) == NI_OK) {
        take(in, &world->page.shared_copies, sizeof(world->page.shared_copies[0]));
        (void)ni_arrive(world->victim.ni, world->peer, packet, word0, packet->word1,
                        bytes + NI_LINE, &world->lane);
    } else {
        (void)ni_deliver(world->victim.ni, world->peer, packet, ROOM);
    }
    free(bytes);
}

/* Name regions that are there, and mostly what may be written to them. */
static void help_notice(struct world *world, struct ni_packet_notice *notice)
{
    const struct ni_rkey *keys[] = {&world->victim.region, &world->victim.consumer, &world->queue,
                                    &world->counter};
    const struct ni_rkey *rkey = keys[notice->handle & 3];

    notice->addr = victim_somewhere(&world->victim, notice->addr);
    notice->key = rkey->key + (notice->handle >> 8 == 0);
    notice->handle = rkey->handle;
    notice->at %= 4;
    notice->width = (notice->width & 1) != 0 ? 8 : notice->width % 16;
    notice->zero = 0;
}

static uint32_t make_setting(struct world *world, struct input *in, uint8_t choice, uint8_t *to)
{
    struct ni_packet_setting setting;

    take(in, &setting, sizeof(setting));
    if (choice & 1) {
        setting.flags %= 32;
        setting.count %= 6;
        setting.value = (int8_t)setting.value;
        setting.reload = (int8_t)setting.reload;
        for (unsigned i = 0; i < SETTINGS; i++) {
            help_notice(world, &setting.notices[i]);
        }
    }
    memcpy(to, &setting, sizeof(setting));
    return choice & 2 ? choice : ni_packet_setting_size(setting.count % 8);
}

/* Set it, add to it, or write bytes that it counts. */
static void send_to_counter(struct world *world, struct input *in)
{
    uint8_t choice, *bytes = aligned_alloc(NI_LINE, ROOM);
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    uint32_t len = 8;
    uint64_t where = 0;
    int8_t value;

    must(bytes != NULL, "memory");
    take(in, &choice, 1);
    take(in, &value, 1);
    memset(bytes, 0, ROOM);
    packet->body[1] = world->counter.key;
    packet->word1 = ni_packet_word1(len, world->counter.handle);
    switch (choice >> 6) {
    case 0:
        memcpy(bytes + NI_LINE, &(int64_t){value}, sizeof(int64_t));
        break;
    case 1:
        where = victim_somewhere(&world->victim, (uint8_t)value * 3U);
        len = choice & 31;
        packet->body[0] = where;
        packet->body[1] = world->victim.region.key;
        packet->body[2] = world->counter.key + ((choice & 32) != 0);
        packet->body[3] =
            (value & 3) == 3 ? NI_WRITE_WORD : NI_WRITE_COUNTED | world->counter.handle;
        packet->word1 = ni_packet_word1(len, world->victim.region.handle);
        break;
    default:
        len = make_setting(world, in, choice, bytes + NI_LINE);
        packet->word1 = ni_packet_word1(len, world->counter.handle);
    }
    packet->body[4] = len + (value == 77);
    atomic_store_explicit(&packet->word0, ni_packet_word0(1, NI_PACKET_WRITE, NI_LINE, 0),
                          memory_order_relaxed);
    (void)ni_deliver(world->victim.ni, world->peer, packet, ROOM);
    free(bytes);
}

/* A part whose numbers are mostly possible: of a Write, with or without a note, or of an answer. */
static void send_part(struct world *world, struct input *in)
{
    uint8_t choice, number, at, len, *bytes = aligned_alloc(NI_LINE, ROOM);
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    struct ni_packet_part part = {0};
    struct ni_packet_note note = {.key = world->victim.region.key,
                                  .handle = world->victim.region.handle,
                                  .addr = (uintptr_t)world->victim.memory + VICTIM_GUARD,
                                  .value = 1};
    unsigned head = NI_PACKET_HEADER + sizeof(struct ni_packet_remote);

    must(bytes != NULL, "memory");
    take(in, &choice, 1);
    take(in, &number, 1);
    take(in, &at, 1);
    take(in, &len, 1);
    memset(bytes, 0x11, ROOM);
    part.seq = number + (choice & 1 ? UINT32_MAX - 3 : 0);
    part.counter = choice & 2 ? number : 0;
    if (choice & 4) {
        note.handle = choice & 8 ? world->queue.handle : world->counter.handle;
        note.key = choice & 8 ? world->queue.key : world->counter.key;
    }
    memcpy(bytes + head, &part, sizeof(part));
    memcpy(bytes + head + sizeof(part), &note, sizeof(note));
    packet->body[0] = (uintptr_t)world->victim.memory + VICTIM_GUARD;
    packet->body[1] = choice & 0x40 ? choice & 3 : world->victim.region.key;
    packet->body[2] = choice & 0x40 ? some_token(world) : choice & 1;
    packet->body[3] = NI_WRITE_PART | (choice & 0x10 ? NI_PART_ORDERED : 0) |
                      (choice & 0x20 ? NI_PART_NOTED : 0) | (choice & 0x40 ? NI_PART_ANSWER : 0) |
                      at;
    packet->body[4] = choice & 0x80 ? sizeof(world->victim.target) : (uint64_t)at + len % 64;
    packet->word1 = ni_packet_word1(len, choice & 0x40 ? 0 : world->victim.region.handle);
    atomic_store_explicit(&packet->word0, ni_packet_word0(1, NI_PACKET_WRITE, head, 0),
                          memory_order_relaxed);
    (void)ni_deliver(world->victim.ni, world->peer, packet, ROOM);
    free(bytes);
}

static void try_blob(struct world *world, struct input *in)
{
    uint8_t blob[NI_BLOB_MAX], choice;
    size_t len = ni_address(world->other, blob, sizeof(blob)), at;
    struct ni_peer *peer;
    char reason[64] = "";

    take(in, &choice, 1);
    for (unsigned i = 0; i < (choice & 7U); i++) {
        uint8_t change[2];

        take(in, change, sizeof(change));
        at = change[0] % len;
        blob[at] = change[1];
    }
    len = choice & 8 ? choice : len;
    (void)ni_reachable(world->victim.ni, blob, len, reason, sizeof(reason));
    must(memchr(reason, '\0', sizeof(reason)) != NULL, "reason without an end");
    if (ni_connect(world->victim.ni, blob, len, &peer) == NI_OK) {
        ni_disconnect(world->victim.ni, peer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct world world;

    setup(&world);
    for (unsigned step = 0; step < STEPS && in.left != 0; step++) {
        uint8_t what;

        take(&in, &what, 1);
        if (what == STEP_COUNTER) {
            send_to_counter(&world, &in);
            continue;
        }
        if (what == STEP_PART) {
            send_part(&world, &in);
            continue;
        }
        switch (what % 8) {
        case 0:
            try_blob(&world, &in);
            break;
        case 1:
        case 2:
            victim_start(&world.victim, world.peer, what >> 3 & 1 ? VICTIM_READS : VICTIM_FETCHES);
            break;
        case 3:
            (void)ni_progress(world.victim.ni);
            break;
        default:
            send_packet(&world, &in);
        }
    }
    teardown(&world);
    return 0;
}
