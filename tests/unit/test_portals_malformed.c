/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include <string.h>

#include "base/stats.h"
#include "engine/drive/progress.h"
#include "portals/portals.h"

/*
 * Packets to the portal table that no correct peer sends, one by one: each ends the peer it came
 * from, is counted and reported, changes no memory, and leaves other peers alone. And packets that
 * are right, but ask for what is not there: refused, counted, answered.
 */

enum { ROOM = 2048, BUFFER = 64, ALL_LINE = NI_LINE };

struct wrong {
    const char *what;
    unsigned kind, head;
    uint16_t tag;
    uint32_t len;
    uint64_t body[6];
    uint64_t payload[4];
};

/* The last word of a COMBINE. */
#define HOW(op, type, fetch, zero, handle) \
    ((op) | (type) << 8 | (fetch) << 16 | (zero) << 24 | UINT64_C(handle) << 32)

struct scene {
    struct pair pair;
    struct ni *third;
    struct ni_peer *third_to_b, *b_to_third;
    struct ni_eq *eq;
    unsigned events[NI_EVENT_SEARCH + 1], downs;
    uint64_t buffer[BUFFER];
};

static void on_event(void *arg, const struct ni_event *event)
{
    ((struct scene *)arg)->events[event->type]++;
}

static void on_down(void *arg, struct ni_peer *peer, ni_status status)
{
    struct scene *scene = arg;

    assert_ptr_equal(peer, scene->pair.ba);
    assert_int_equal(status, NI_ERR_PROTOCOL);
    scene->downs++;
}

static void open_scene(struct scene *scene)
{
    const struct pair_attr attr = {.copy = NI_FABRIC_SAME_MEMORY};
    const struct ni_me me = {.start = scene->buffer,
                             .length = sizeof(scene->buffer),
                             .ignore_bits = UINT64_MAX,
                             .match_id = NI_INITIATOR_ANY,
                             .options = NI_ME_OP_PUT | NI_ME_OP_GET};
    struct ni_open_attr open = {0};
    uint32_t pt;

    memset(scene, 0, sizeof(*scene));
    pair_open(&scene->pair, &attr);
    open.fabric = scene->pair.fabric;
    assert_int_equal(ni_open(&open, &scene->third), NI_OK);
    scene->third_to_b = pair_connect(scene->third, scene->pair.b);
    scene->b_to_third = pair_connect(scene->pair.b, scene->third);
    ni_on_peer_down(scene->pair.b, on_down, scene);
    assert_int_equal(ni_portals_open(scene->pair.b, NULL, NULL), NI_OK);
    assert_int_equal(ni_portals_open(scene->third, NULL, NULL), NI_OK);
    assert_int_equal(ni_eq_alloc_handler(scene->pair.b, on_event, scene, &scene->eq), NI_OK);
    assert_int_equal(ni_pt_alloc(scene->pair.b, 0, scene->eq, 0, &pt), NI_OK);
    assert_int_equal(ni_me_append(scene->pair.b, 0, &me, NI_PRIORITY_LIST, NULL, NULL), NI_OK);
}

static void close_scene(struct scene *scene)
{
    ni_close(scene->third);
    pair_close(&scene->pair);
}

static uint64_t stat(const struct scene *scene, const char *name)
{
    return ni_stat_read(scene->pair.b, ni_stat_find(name));
}

static ni_status deliver_from(struct scene *scene, struct ni_peer *from, const struct wrong *wrong)
{
    struct ni_packet *packet = aligned_alloc(NI_LINE, ROOM);
    ni_status status;

    assert_non_null(packet);
    memset(packet, 0x33, ROOM);
    memcpy(packet->body, wrong->body, sizeof(wrong->body));
    memcpy((uint8_t *)packet + wrong->head, wrong->payload,
           wrong->len < sizeof(wrong->payload) ? wrong->len : sizeof(wrong->payload));
    packet->word1 = ni_packet_word1(wrong->len, NI_HANDLE_PORTAL);
    atomic_store_explicit(&packet->word0, ni_packet_word0(0, wrong->kind, wrong->head, wrong->tag),
                          memory_order_relaxed);
    status = ni_deliver(scene->pair.b, from, packet, ROOM);
    free(packet);
    return status;
}

static ni_status deliver(struct scene *scene, const struct wrong *wrong)
{
    return deliver_from(scene, scene->pair.ba, wrong);
}

/* Another peer's put still comes. */
static void check_third(struct scene *scene)
{
    const uint64_t word = 77;
    const struct ni_md md = {.start = &word, .length = 8};

    assert_int_equal(
        ni_put(scene->third, &md, 0, 8, NI_NO_ACK_REQ, scene->third_to_b, 0, 0, 0, NULL, 0), NI_OK);
    for (int i = 0; i < 100; i++) {
        ni_progress(scene->third);
        ni_progress(scene->pair.b);
    }
    assert_int_equal(scene->events[NI_EVENT_PUT], 1);
    assert_int_equal(scene->buffer[0], 77);
}

static void ends_the_peer(const struct wrong *wrong)
{
    static struct scene scene;

    open_scene(&scene);
    (void)deliver(&scene, wrong);
    ni_progress(scene.pair.b);
    if (ni_peer_status(scene.pair.ba) != NI_ERR_PROTOCOL || stat(&scene, "rx_malformed") != 1) {
        fail_msg("not found out: %s", wrong->what);
    }
    assert_int_equal(scene.downs, 1);
    for (unsigned i = 0; i < BUFFER; i++) {
        assert_int_equal(scene.buffer[i], 0);
    }
    for (unsigned i = 0; i <= NI_EVENT_SEARCH; i++) {
        assert_int_equal(scene.events[i], 0);
    }
    check_third(&scene);
    ni_on_peer_down(scene.pair.b, NULL, NULL);
    close_scene(&scene);
}

#define HUGE (UINT64_C(1) << 63)

static const struct wrong of_no_peer[] = {
    {"fields behind the payload", NI_PACKET_PUT, 24, 0, 8, {0}, {0}},
    {"more fields behind the payload", NI_PACKET_PUT, 32, NI_PUT_MORE, 8, {0}, {0}},
    {"a tag with bits that mean nothing", NI_PACKET_PUT, ALL_LINE, 0x8000, 8, {0}, {0}},
    {"a long put without a token", NI_PACKET_PUT_LONG, ALL_LINE, 0, 0, {0}, {0}},
    {"a long put with data", NI_PACKET_PUT_LONG, ALL_LINE, 0, 8, {0, 0, 1}, {0}},
    {"a long put of a wrong length",
     NI_PACKET_PUT_LONG,
     ALL_LINE,
     NI_PUT_MORE,
     16,
     {0, 0, 1},
     {0, HUGE}},
    {"an answer that nobody can give",
     NI_PACKET_PUT_ACK,
     ALL_LINE,
     NI_NI_NO_SPACE + 1,
     0,
     {0},
     {0}},
    {"an answer of a search", NI_PACKET_PUT_ACK, ALL_LINE, NI_NI_NO_MATCH, 0, {0}, {0}},
    {"an answer with data", NI_PACKET_PUT_ACK, ALL_LINE, 0, 8, {0}, {0}},
    {"a get without a token", NI_PACKET_GET, ALL_LINE, 0, 0, {0}, {0}},
    {"a get with header data", NI_PACKET_GET, ALL_LINE, 0, 0, {0, 1, 1}, {0}},
    {"a get of a wrong length",
     NI_PACKET_GET,
     ALL_LINE,
     NI_PUT_MORE,
     16,
     {0, 0, 1, 1, 1, 1},
     {0, HUGE}},
    {"a get without a way back",
     NI_PACKET_GET,
     ALL_LINE,
     0,
     0,
     {0, 0, 1, 0, 0, UINT64_C(25) << 32},
     {0}},
    {"no such operation",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_MSWAP + 1, NI_UINT64_T, 0, 0, 0)},
     {1}},
    {"no such type",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_SUM, NI_LONG_DOUBLE_COMPLEX + 1, 0, 0, 0)},
     {1}},
    {"half an element",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     12,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 0, 0, 0)},
     {1}},
    {"a sum that does not end",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     NI_ATOMIC_MOST + 8,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 0, 0, 0)},
     {1}},
    {"a flag that is none",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 2, 0, 0)},
     {1}},
    {"a field that is 0",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 0, 1, 0)},
     {1}},
    {"a fetch without a token",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 1, 0, 0)},
     {1}},
    {"a way back for nothing",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     24,
     {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 0, 0, 5)},
     {0, 0, 1}},
    {"a swap that fetches nothing",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 0, 0, HOW(NI_SWAP, NI_UINT64_T, 0, 0, 0)},
     {1}},
    {"a swap without its operand",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     8,
     {0, 0, 1, 0, HOW(NI_CSWAP, NI_UINT64_T, 1, 0, 0)},
     {1}},
    {"a swap of half an operand",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     24,
     {0, 0, 1, 0, HOW(NI_CSWAP, NI_LONG_DOUBLE, 1, 0, 0)},
     {1}},
    {"bits of a complex number",
     NI_PACKET_COMBINE,
     ALL_LINE,
     0,
     16,
     {0, 0, 0, 0, HOW(NI_BXOR, NI_DOUBLE_COMPLEX, 0, 0, 0)},
     {1}},
    {"a reply with a tag", NI_PACKET_REPLY, ALL_LINE, 1, 0, {0}, {0}},
};

static void malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(of_no_peer) / sizeof(of_no_peer[0]); i++) {
        ends_the_peer(&of_no_peer[i]);
    }
}

/* An answer to a get may not bring more than was asked for, nor from somebody else. */
static void answers(void **state)
{
    static struct scene scene;
    const uint64_t asked = 8;

    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct wrong reply = {"", NI_PACKET_REPLY, 40, 0, 0, {0}, {5, 6}};
        struct ni_md md;
        struct ni_put *put;

        open_scene(&scene);
        md = (struct ni_md){.start = &scene.buffer[8], .length = 64, .eq = scene.eq};
        assert_int_equal(
            ni_get(scene.pair.b, &md, 0, asked, more ? scene.pair.ba : NULL, 3, 0, 0, NULL), NI_OK);
        put = more ? ni_container_of(scene.pair.ba->puts.next, struct ni_put, all) : NULL;
        reply.body[0] = put != NULL ? put->header.token : 0x100000001U;
        reply.body[1] = reply.len = asked + 8 * more;
        (void)deliver(&scene, &reply);
        ni_progress(scene.pair.b);
        assert_int_equal(ni_peer_status(scene.pair.ba), more ? NI_ERR_PROTOCOL : NI_OK);
        assert_int_equal(stat(&scene, "rx_malformed"), more);
        assert_int_equal(scene.buffer[8], 0);
        assert_int_equal(scene.buffer[9], 0);
        assert_int_equal(scene.downs, more);
        ni_on_peer_down(scene.pair.b, NULL, NULL);
        close_scene(&scene);
    }
}

/* Nor may that to a put say more, nor to a get that it is done, without what was asked for. What it
 * may say ends the one and the other. */
static void acks(void **state)
{
    static const struct {
        bool is_get;
        uint16_t tag;
        uint64_t value;
        ni_status status;
    } all[] = {{false, NI_NI_OK, 9, NI_ERR_PROTOCOL},
               {false, NI_NI_OK, 8, NI_OK},
               {false, NI_NI_NO_SPACE, 0, NI_OK},
               {true, NI_NI_OK, 8, NI_ERR_PROTOCOL},
               {true, NI_NI_DROPPED, 0, NI_OK}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        static struct scene scene;
        const bool ended = all[i].status == NI_ERR_PROTOCOL;
        const enum ni_event_kind kind = all[i].is_get ? NI_EVENT_REPLY : NI_EVENT_ACK;
        struct wrong ack = {"", NI_PACKET_PUT_ACK, ALL_LINE, all[i].tag, 0, {0}, {0}};
        struct ni_md md;

        open_scene(&scene);
        md = (struct ni_md){.start = &scene.buffer[8], .length = 64, .eq = scene.eq};
        assert_int_equal(
            all[i].is_get
                ? ni_get(scene.pair.b, &md, 0, 8, scene.pair.ba, 0, 0, 0, NULL)
                : ni_put(scene.pair.b, &md, 0, 8, NI_ACK_REQ, scene.pair.ba, 0, 0, 0, NULL, 0),
            NI_OK);
        ack.body[0] = ni_container_of(scene.pair.ba->puts.next, struct ni_put, all)->header.token;
        ack.body[1] = all[i].value;
        /* Who was not asked says nothing. */
        assert_int_equal(deliver_from(&scene, scene.b_to_third, &ack), NI_OK);
        assert_int_equal(scene.events[kind], 0);
        (void)deliver(&scene, &ack);
        ni_progress(scene.pair.b);
        assert_int_equal(ni_peer_status(scene.pair.ba), all[i].status);
        assert_int_equal(scene.downs, ended);
        assert_int_equal(stat(&scene, "rx_malformed"), ended);
        assert_int_equal(scene.events[kind], 1);
        ni_on_peer_down(scene.pair.b, NULL, NULL);
        close_scene(&scene);
    }
}

/* Right, but there is no such index, or nothing matches: dropped and counted, nobody is ended. */
static void not_there(void **state)
{
    static struct scene scene;
    const struct wrong all[] = {
        {"put", NI_PACKET_PUT, ALL_LINE, 200, 8, {0}, {1}},
        {"long put", NI_PACKET_PUT_LONG, ALL_LINE, 200, 0, {0, 0, 1}, {0}},
        {"get", NI_PACKET_GET, ALL_LINE, 200, 0, {0, 0, 1}, {0}},
        {"atomic",
         NI_PACKET_COMBINE,
         ALL_LINE,
         200,
         8,
         {0, 0, 0, 0, HOW(NI_SUM, NI_UINT64_T, 0, 0, 0)},
         {1}},
    };

    (void)state;
    open_scene(&scene);
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_int_equal(deliver(&scene, &all[i]), NI_OK);
        assert_int_equal(stat(&scene, "match_dropped"), i + 1);
    }
    assert_int_equal(ni_peer_status(scene.pair.ba), NI_OK);
    assert_int_equal(stat(&scene, "rx_malformed"), 0);
    check_third(&scene);
    ni_on_peer_down(scene.pair.b, NULL, NULL);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed),
        cmocka_unit_test(answers),
        cmocka_unit_test(acks),
        cmocka_unit_test(not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
