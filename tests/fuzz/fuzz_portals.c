/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of a hostile peer against the portal table: the input is a program of posted entries,
 * puts, gets, atomics, searches and packets with any contents. Some fields may be replaced by valid
 * ones, so that the input gets past what it could not guess. AddressSanitizer watches the memory;
 * here we watch that no buffer is written beyond its length, and that each put is told of at most
 * once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/apeni.h>

#include "portals/portals.h"
#include "fuzz_input.h"

enum { BUFFER = 96, GUARD = 32, ROOM = 1024, STEPS = 64, PUTS = 64, CLAIMS = 8 };

struct world {
    struct ni_fabric *fabric;
    struct ni *victim, *other;
    struct ni_peer *peer; /* the other, as the victim sees it */
    struct ni_eq *eq;
    struct ni_md md, from, to; /* all memory; source and answer in pieces */
    uint8_t *buffer;           /* length BUFFER for each entry, guards around */
    uint8_t source[40000];
    uint8_t *answer; /* sizeof(source) bytes, for what gets and atomics fetch */
    unsigned puts, sent[PUTS], acked[PUTS], replied[PUTS];
    bool only_asks[PUTS], fetches[PUTS]; /* gives no SEND; gives a REPLY */
    ni_me_handle entry;
    struct ni_iovec vector[3], pieces[2][3];
    ni_unexpected_handle claimed[CLAIMS];
    unsigned claims;
};

static void on_event(void *arg, const struct ni_event *event)
{
    struct world *world = arg;
    size_t put = (size_t)(uintptr_t)event->user_ptr;

    must((unsigned)event->ni_fail_type <= NI_NI_NO_SPACE, "failure out of range");
    if (event->type >= NI_EVENT_SEND && event->type <= NI_EVENT_REPLY) {
        unsigned *told = event->type == NI_EVENT_SEND  ? world->sent
                         : event->type == NI_EVENT_ACK ? world->acked
                                                       : world->replied;

        must(put <= world->puts && put < PUTS && event->mlength <= event->rlength,
             "an event of no put");
        must(told[put]++ == 0, "an event came twice");
    } else {
        must(event->mlength <= BUFFER, "more than the buffer takes");
    }
}

/* A descriptor of as many bytes as `source` has, in three pieces that are not in order. */
static struct ni_md in_pieces(struct world *world, struct ni_iovec *pieces, uint8_t *bytes)
{
    pieces[0] = (struct ni_iovec){bytes + 30000, 10000};
    pieces[1] = (struct ni_iovec){bytes + 3, 29997};
    pieces[2] = (struct ni_iovec){bytes, 3};
    return (struct ni_md){.start = pieces, .length = 3, .options = NI_MD_IOVEC, .eq = world->eq};
}

static void setup(struct world *world)
{
    struct ni_fabric_attr fabric = {.no_direct_copy = 1};
    struct ni_open_attr attr = {0};
    uint8_t blob[NI_BLOB_MAX];
    uint32_t index;

    memset(world, 0, sizeof(*world));
    ni_log_set_sink(quiet, NULL);
    must(ni_fabric_create(&fabric, &world->fabric) == NI_OK, "fabric");
    attr.fabric = world->fabric;
    must(ni_open(&attr, &world->victim) == NI_OK && ni_open(&attr, &world->other) == NI_OK, "open");
    must(ni_connect(world->victim, blob, ni_address(world->other, blob, sizeof(blob)),
                    &world->peer) == NI_OK,
         "connect");
    must(ni_portals_open(world->victim, NULL, NULL) == NI_OK, "portals");
    must(ni_eq_alloc_handler(world->victim, on_event, world, &world->eq) == NI_OK, "eq");
    must(ni_pt_alloc(world->victim, NI_PT_UNEXPECTED, world->eq, 0, &index) == NI_OK &&
             ni_pt_alloc(world->victim, 0, world->eq, 1, &index) == NI_OK,
         "table");
    world->md = (struct ni_md){.length = SIZE_MAX, .eq = world->eq};
    world->buffer = malloc(BUFFER + 2 * GUARD);
    world->answer = malloc(sizeof(world->source));
    must(world->buffer != NULL && world->answer != NULL, "memory");
    memset(world->buffer, 0x5a, BUFFER + 2 * GUARD);
    world->from = in_pieces(world, world->pieces[0], world->source);
    world->to = in_pieces(world, world->pieces[1], world->answer);
}

static void teardown(struct world *world)
{
    for (unsigned i = 0; i < GUARD; i++) {
        must(world->buffer[i] == 0x5a && world->buffer[GUARD + BUFFER + i] == 0x5a,
             "guard overwritten");
    }
    ni_close(world->victim);
    ni_close(world->other);
    for (unsigned i = 0; i < world->puts; i++) {
        must(world->sent[i] == !world->only_asks[i], "a put never ended");
        must(world->replied[i] == world->fetches[i], "a get never ended");
    }
    ni_fabric_destroy(world->fabric);
    free(world->buffer);
    free(world->answer);
}

static struct ni_me entry(struct world *world, uint8_t choice)
{
    return (struct ni_me){.start = world->buffer + GUARD,
                          .length = choice & 1 ? BUFFER : choice % BUFFER,
                          .match_bits = choice >> 6,
                          .ignore_bits = choice & 2 ? UINT64_MAX : 0,
                          .match_id = choice & 4 ? NI_INITIATOR_ANY : 1,
                          .options = (choice & 8 ? NI_ME_OP_PUT : 0U) |
                                     ((choice & 10) == 8 ? NI_ME_OP_GET : 0U) |
                                     (choice & 16 ? NI_ME_USE_ONCE : 0U)};
}

/* An entry of the overflow list, or one with a vector, or both. */
static void append_rare(struct world *world, uint8_t choice)
{
    struct ni_me me = entry(world, choice);
    bool vector = (choice & 64) != 0, overflows = !vector || (choice & 128) != 0;

    if (vector) {
        for (unsigned i = 0; i < 3; i++) {
            world->vector[i].iov_base = world->buffer + GUARD + (size_t)i * 32;
            world->vector[i].iov_len = i * 11;
        }
        me.start = world->vector;
        me.length = 3;
        me.options |= NI_ME_IOVEC;
    } else {
        me.min_free = me.length / 4;
        me.options |= NI_ME_MANAGE_LOCAL;
    }
    (void)ni_me_append(world->victim, choice >> 5 & 1, &me,
                       overflows ? NI_OVERFLOW_LIST : NI_PRIORITY_LIST, NULL, &world->entry);
}

static void act(struct world *world, uint8_t what, uint8_t choice)
{
    static const uint32_t lengths[] = {0, 8, 33, 40000};
    struct ni_me me = entry(world, choice);
    ni_unexpected_handle handle = world->claimed[choice % CLAIMS];
    struct ni_event event;

    switch (what) {
    case 0:
        (void)ni_me_append(world->victim, choice >> 5 & 1, &me, NI_PRIORITY_LIST, NULL,
                           &world->entry);
        break;
    case 1:
        (void)ni_me_unlink(world->victim, world->entry);
        break;
    case 2:
        if (world->puts < PUTS &&
            ni_put(world->victim, &world->md, (uintptr_t)world->source, lengths[choice & 3],
                   choice & 4 ? NI_ACK_REQ : NI_NO_ACK_REQ, choice & 8 ? NULL : world->peer,
                   choice >> 4 & 1, choice >> 6, 0, (void *)(uintptr_t)world->puts, 0) == NI_OK) {
            world->puts++;
        }
        break;
    case 3:
        if (ni_me_probe(world->victim, 0, &me, choice & 8 ? NI_SEARCH_DELETE : NI_SEARCH_ONLY,
                        &event) == NI_OK) {
            world->claimed[world->claims++ % CLAIMS] = event.unexpected;
        }
        break;
    case 4:
        if (choice & 8) {
            (void)ni_unexpected_receive(world->victim, handle, &me, NULL);
        } else if (choice & 16) {
            (void)ni_unexpected_revoke(
                world->victim, choice >> 5 & 1,
                choice & 4 ? NI_INITIATOR_SELF : ni_peer_initiator(world->peer), choice >> 6, 0, 0);
        } else {
            (void)ni_unexpected_drop(world->victim, handle);
        }
        break;
    default:
        if (choice & 128) {
            append_rare(world, choice);
            break;
        }
        (void)ni_progress(choice & 1 ? world->victim : world->other);
    }
}

/* A get or atomic. */
static void request(struct world *world, uint8_t choice)
{
    static const uint32_t lengths[] = {8, 0, 64, 40000}, short_lengths[] = {8, 0, 64, 1024};
    struct ni_peer *target = choice & 8 ? NULL : world->peer;
    bool pieces = (choice & 32) != 0;
    const struct ni_md *get_md = pieces ? &world->to : &world->md;
    const struct ni_md *put_md = pieces ? &world->from : &world->md;
    uint64_t to = pieces ? 9997 : (uintptr_t)world->answer;
    uint64_t from = pieces ? 9997 : (uintptr_t)world->source;
    void *user = (void *)(uintptr_t)world->puts;
    uint32_t length = (choice & 3) == 0 ? lengths[choice >> 6] : short_lengths[choice >> 6];
    unsigned put = world->puts;
    int result;

    if (put >= PUTS) {
        return;
    }
    world->only_asks[put] = (choice & 3) == 0;
    world->fetches[put] = (choice & 3) != 1;
    world->puts++;
    if ((choice & 3) == 0) {
        length = pieces ? length / 2 : length;
        result = ni_get(world->victim, get_md, to, length, target, choice >> 4 & 1, choice >> 6, 0,
                        user);
    } else if ((choice & 3) == 1) {
        result =
            ni_atomic(world->victim, put_md, from, length, choice & 4 ? NI_ACK_REQ : NI_NO_ACK_REQ,
                      target, choice >> 4 & 1, choice >> 6, 0, user, 0, NI_SUM, NI_INT64_T);
    } else if ((choice & 3) == 2) {
        result = ni_fetch_atomic(world->victim, get_md, to, put_md, from, length, target,
                                 choice >> 4 & 1, choice >> 6, 0, user, 0, NI_BXOR, NI_UINT16_T);
    } else {
        result = ni_swap(world->victim, get_md, to, put_md, from, 8, target, choice >> 4 & 1,
                         choice >> 6, 0, user, 0, world->source, NI_MSWAP, NI_UINT64_T);
    }
    if (result != NI_OK) { /* the peer has been found out */
        world->only_asks[put] = world->fetches[put] = false;
        world->puts--;
    }
}

/* Of one of those under way to the peer. */
static uint64_t some_token(struct world *world, unsigned n)
{
    struct ni_list *node = world->peer->puts.next;

    if (ni_list_empty(&world->peer->puts)) {
        return 0;
    }
    for (n %= (unsigned)ni_list_length(&world->peer->puts); n != 0; n--) {
        node = node->next;
    }
    return ni_container_of(node, struct ni_put, all)->header.token;
}

/* A get, an atomic or an answer, right but for what the input makes of it. */
static void send_request(struct world *world, struct input *in)
{
    uint8_t choice, *bytes = aligned_alloc(NI_LINE, ROOM);
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    struct ni_packet_combine fields;
    unsigned kind, head = NI_LINE;

    must(bytes != NULL, "memory");
    take(in, &choice, 1);
    memset(bytes, 0x33, ROOM);
    take(in, bytes, NI_LINE);
    kind = NI_PACKET_GET + (choice & 3) % 3;
    packet->body[0] = kind == NI_PACKET_REPLY ? some_token(world, choice >> 4)
                      : choice & 4            ? packet->body[0] % 4
                                              : packet->body[0];
    packet->word1 = ni_packet_word1(ni_packet_len(packet->word1) % 97, NI_HANDLE_PORTAL);
    if (kind == NI_PACKET_GET && (choice & 8) != 0) {
        packet->body[1] = 0;
        packet->word1 = ni_packet_word1(choice & 16 ? 16 : 0, NI_HANDLE_PORTAL);
    } else if (kind == NI_PACKET_COMBINE && (choice & 8) != 0) {
        memcpy(&fields, packet->body, sizeof(fields));
        fields.op %= NI_MSWAP + 1;
        fields.type %= NI_LONG_DOUBLE_COMPLEX + 1;
        fields.fetch &= 1;
        fields.zero = 0;
        fields.handle = choice & 32 ? fields.handle : 0;
        memcpy(packet->body, &fields, sizeof(fields));
        packet->word1 = ni_packet_word1(ni_packet_len(packet->word1) & ~7U, NI_HANDLE_PORTAL);
    } else if (kind == NI_PACKET_REPLY && (choice & 8) != 0) {
        packet->body[1] = ni_packet_len(packet->word1);
    }
    if (choice & 64) {
        head = NI_PACKET_HEADER + (kind == NI_PACKET_REPLY ? 24 : 40);
    }
    atomic_store_explicit(
        &packet->word0,
        ni_packet_word0(0, kind, head,
                        (choice & 128) != 0 || kind == NI_PACKET_REPLY
                            ? 0
                            : (choice & 16 ? NI_PUT_MORE : 0) | (choice >> 5 & 1)),
        memory_order_relaxed);
    (void)ni_deliver(world->victim, world->peer, packet, ROOM);
    free(bytes);
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
    word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    if (choice & 1) {
        word0 = ni_packet_word0(0, NI_PACKET_PUT + (choice >> 1 & 3) % 3,
                                ni_packet_head(word0) % 65, ni_packet_tag(word0) & 0x101);
        atomic_store_explicit(&packet->word0, word0, memory_order_relaxed);
        packet->word1 = ni_packet_word1(ni_packet_len(packet->word1) % 512, NI_HANDLE_PORTAL);
    }
    if (choice & 8) {
        packet->word1 = ni_packet_word1(choice & 16 ? 16 : 0, NI_HANDLE_PORTAL);
    }
    if (choice & 32) {
        packet->body[0] %= 4;
    }
    if (choice & 64) {
        packet->body[0] = some_token(world, 0); /* struct ni_packet_ack */
        packet->body[1] %= 40001;
    }
    (void)ni_deliver(world->victim, world->peer, packet, ROOM);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct input in = {data, size};

    setup(&world);
    for (unsigned step = 0; step < STEPS && in.left != 0; step++) {
        uint8_t what[2];

        take(&in, what, sizeof(what));
        if (what[0] % 16 < 6) {
            act(&world, what[0] % 16, what[1]);
        } else if (what[0] % 16 == 15) {
            request(&world, what[1]);
        } else if (what[0] % 16 == 14) {
            send_request(&world, &in);
        } else {
            send_packet(&world, &in);
        }
    }
    teardown(&world);
    return 0;
}
