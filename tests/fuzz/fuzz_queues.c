/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a hostile peer for queues: items, requests for one and for many, cancels, answers, by
 * handle and by number. The input is a program, each step one byte that says what to do and the
 * bytes of a packet, of which some fields may be replaced by valid ones. AddressSanitizer watches
 * the memory; here we watch that what our own side puts and takes stays in order, that requests end
 * at most once, and all of them at the close.
 */
#include <apeni/apeni.h>

#include "engine/engine.h"

#include "fuzz_input.h"

enum { ROOM = 2048, STEPS = 96, KINDS = 5, NUMBER = 300, SLOTS = 64 };

struct slot {
    struct world *world;
    uint8_t guard[16], item[16], guard_too[16];
    int asked, over;
};

struct world {
    struct ni_fabric *fabric;
    struct ni *victim, *other;
    struct ni_peer *peer;             /* the other, as the victim sees it */
    struct ni_rkey queues[KINDS + 1]; /* the last is a number */
    struct slot slots[SLOTS];
    unsigned asked, over;
    uint64_t request;
};

static void setup(struct world *world)
{
    static const struct ni_fabric_attr fabric;
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    struct ni_rkey *q = world->queues;
    size_t len;

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    must(ni_fabric_create(&fabric, &world->fabric) == NI_OK, "fabric");
    attr.fabric = world->fabric;
    must(ni_open(&attr, &world->victim) == NI_OK && ni_open(&attr, &world->other) == NI_OK, "open");
    len = ni_address(world->other, blob, sizeof(blob));
    must(ni_connect(world->victim, blob, len, &world->peer) == NI_OK, "connect");
    must(ni_region_multi_queue(world->victim, 16, 4, 0, 3, &q[0]) == NI_OK &&
             ni_region_multi_queue(world->victim, 64, 2, NI_QUEUE_PUSH_BACK, 3, &q[1]) == NI_OK &&
             ni_region_queue(world->victim, 16, 4, &q[2]) == NI_OK &&
             ni_region_queue(world->victim, 0, 4, &q[3]) == NI_OK &&
             ni_region_single_queue(world->victim, 8, 2, NI_QUEUE_PUSH_BACK, &q[4]) == NI_OK &&
             ni_queue_name(world->victim, NUMBER, NULL, &q[0], 3, 0) == NI_OK,
         "queues");
    q[5] = (struct ni_rkey){.handle = ni_queue_handle(NUMBER), .key = 1};
}

static void check_slots(const struct world *world)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct slot *slot = &world->slots[i];

        for (unsigned b = 0; b < sizeof(slot->guard); b++) {
            must(slot->guard[b] == 0 && slot->guard_too[b] == 0, "written beside an item");
        }
        must(slot->over <= slot->asked, "a request ended twice");
    }
}

static void teardown(struct world *world)
{
    check_slots(world);
    ni_close(world->victim);
    ni_close(world->other);
    must(world->asked == world->over, "a request never ended");
    ni_fabric_destroy(world->fabric);
}

/* ---- our own side ---------------------------------------------------------------------------- */

static void on_over(void *arg, ni_status status, uint64_t value)
{
    struct slot *slot = arg;

    must(status != NI_OK || value == 16 || value == 3, "value");
    slot->over++;
    slot->world->over++;
}

/* Ask for items of the peer's, or of our own. */
static void ask(struct world *world, uint8_t choice)
{
    struct slot *slot = &world->slots[world->asked % SLOTS];
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_over, .arg = slot};
    struct ni_peer *peer = choice & 1 ? world->peer : NULL;
    ni_status status;

    if (slot->asked != slot->over) {
        return;
    }
    slot->world = world;
    slot->asked++;
    world->asked++;
    status = choice & 2 ? ni_dequeue_to(world->victim, peer, &world->queues[0], 16,
                                        world->queues[2].handle, 3, &ack, &world->request)
                        : ni_dequeue(world->victim, peer, &world->queues[0], slot->item, 16, &ack,
                                     &world->request);
    if (status != NI_OK) {
        slot->asked--;
        world->asked--;
    }
    if (choice & 4) {
        (void)ni_dequeue_cancel(world->victim, peer, &world->queues[0], world->request);
    }
}

static void use_own(struct world *world, uint8_t choice)
{
    ni_handle queue = world->queues[choice % KINDS].handle;
    uint8_t item[512] = {choice};
    size_t len = 0;
    ni_status status;

    if (choice & 32) {
        (void)ni_queue_push(world->victim, queue, item, choice & 64 ? 16 : 8);
        return;
    }
    status = ni_queue_pop(world->victim, queue, item, sizeof(item), &len);
    must(status == NI_AGAIN || status == NI_ERR_REGION || (status == NI_OK && len <= sizeof(item)),
         "pop");
}

/* ---- packets --------------------------------------------------------------------------------- */

static uint64_t some_token(struct world *world)
{
    return ni_list_empty(&world->peer->ops)
               ? 0
               : ni_op_token(ni_container_of(world->peer->ops.next, struct ni_op, list));
}

/* Replace what the input cannot guess. */
static void help(struct world *world, struct ni_packet *packet, uint8_t choice)
{
    const struct ni_rkey *rkey = &world->queues[(choice & 7) % (KINDS + 1)];
    static const uint32_t lens[] = {16, 64, 0, 8};
    uint32_t len = ni_packet_len(packet->word1);

    packet->word1 =
        ni_packet_word1(choice & 8 ? lens[packet->body[5] & 3] : len % 512, rkey->handle);
    packet->body[1] = rkey->key;
    if (choice & 16) { /* a request */
        packet->body[2] = packet->body[2] % 4 + 1;
        packet->body[3] = choice & 1 ? 64 : 16;
        packet->word1 = ni_packet_word1(0, rkey->handle);
    } else if (choice & 32) { /* an item with an ack */
        packet->body[3] = 0;
        packet->body[4] = ni_packet_len(packet->word1);
    }
    if (choice & 64) { /* an answer */
        packet->body[0] = some_token(world);
    }
}

static void send_packet(struct world *world, struct input *in)
{
    uint8_t choice, *bytes = aligned_alloc(NI_LINE, ROOM);
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;

    must(bytes != NULL, "memory");
    take(in, &choice, 1);
    memset(bytes, 0x33, ROOM);
    take(in, bytes, NI_LINE);
    if (choice & 128) {
        help(world, packet, choice);
    }
    (void)ni_deliver(world->victim, world->peer, packet, ROOM);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    static struct world world;

    setup(&world);
    for (unsigned step = 0; step < STEPS && in.left != 0; step++) {
        uint8_t what;

        take(&in, &what, 1);
        switch (what % 8) {
        case 0:
            ask(&world, what >> 3);
            break;
        case 1:
            use_own(&world, what);
            break;
        case 2:
            (void)ni_progress(world.victim);
            if (what & 128) {
                (void)ni_progress(world.other);
            }
            break;
        case 3:
            if (what == 251) {
                (void)ni_region_deregister(world.victim, world.queues[0].handle);
            }
            break;
        default:
            send_packet(&world, &in);
        }
        check_slots(&world);
    }
    teardown(&world);
    return 0;
}
