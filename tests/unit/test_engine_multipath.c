/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/multipath_in.c. */
#include "engine_pair.h"

#include "base/config.h"
#include "engine/engine.h"
#include "engine/send/multipath.h"

/*
 * Parts of spread transfers as no honest sender writes them: numbers twice, too far ahead, or
 * never; more bytes than there are; fields that contradict each other. Each is refused and counted,
 * and ends the connection; none is waited for without end. And numbers that begin again at 0.
 */

enum { LEN = 4096, PART = 64, ROOM = 2048 };

static _Alignas(64) uint8_t there[LEN], here[8 * LEN];

struct setup {
    struct pair pair;
    struct ni_rkey region;
};

static void open_setup(struct setup *setup)
{
    pair_open(&setup->pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    assert_int_equal(ni_region_memory(setup->pair.b, there, LEN, NI_ACCESS_ALL, &setup->region),
                     NI_OK);
    memset(there, 0, LEN);
}

/* A part as the test wants it. */
struct lie {
    uint32_t seq;
    uint64_t flags, offset, total, key;
    uint32_t len; /* of its data */
    uint16_t counter, zero;
    uint64_t token;
    int short_by;               /* bytes that its payload lacks */
    const struct ni_rkey *told; /* by its note; NULL: a word */
};

static ni_status deliver(struct setup *setup, const struct lie *lie)
{
    _Alignas(64) uint8_t bytes[ROOM] = {0};
    struct ni_packet *packet = (struct ni_packet *)(void *)bytes;
    struct ni_packet_part part = {.seq = lie->seq, .counter = lie->counter, .zero = lie->zero};
    const struct ni_rkey *told = lie->told != NULL ? lie->told : &setup->region;
    struct ni_packet_note note = {
        .handle = told->handle, .key = told->key, .addr = (uintptr_t)there + LEN - 8, .value = 99};
    uint32_t skip = sizeof(part) + ((lie->flags & NI_PART_NOTED) != 0 ? sizeof(note) : 0);
    unsigned head = NI_PACKET_HEADER + sizeof(struct ni_packet_remote);

    memcpy(bytes + head, &part, sizeof(part));
    memcpy(bytes + head + sizeof(part), &note, sizeof(note));
    memset(bytes + head + skip, 0x40 + (int)(lie->seq % 32), lie->len);
    packet->body[0] = (uintptr_t)there;
    packet->body[1] = (lie->flags & NI_PART_ANSWER) != 0 ? lie->key : setup->region.key;
    packet->body[2] = lie->token;
    packet->body[3] = NI_WRITE_PART | lie->flags | lie->offset;
    packet->body[4] = lie->total;
    packet->word1 =
        ni_packet_word1(skip + lie->len - (uint32_t)lie->short_by, setup->region.handle);
    atomic_store_explicit(&packet->word0, ni_packet_word0(1, NI_PACKET_WRITE, head, 0),
                          memory_order_relaxed);
    return ni_deliver(setup->pair.b, setup->pair.ba, packet, ROOM);
}

static struct lie honest(uint32_t seq, uint64_t flags, uint64_t parts, uint64_t at)
{
    return (struct lie){
        .seq = seq, .flags = flags, .offset = at * PART, .total = parts * PART, .len = PART};
}

static bool flag_is_up(void)
{
    uint64_t value;

    memcpy(&value, there + LEN - 8, sizeof(value));
    return value != 0;
}

static void check_part(uint64_t at, uint32_t seq)
{
    for (unsigned i = 0; i < PART; i++) {
        assert_int_equal(there[at * PART + i], 0x40 + seq % 32);
    }
}

/* ---- honest ones, out of order --------------------------------------------------------------- */

/* The last to arrive completes, also where it is not the last one. */
static void any_order(void **state)
{
    static const uint32_t order[] = {3, 1, 0, 2};
    struct setup setup;
    struct lie lie;

    (void)state;
    open_setup(&setup);
    for (unsigned i = 0; i < 4; i++) {
        lie = honest(order[i], order[i] == 3 ? NI_PART_NOTED : 0, 4, order[i]);
        assert_false(flag_is_up());
        assert_int_equal(deliver(&setup, &lie), NI_OK);
        check_part(order[i], order[i]);
    }
    assert_true(flag_is_up());
    assert_int_equal(pair_stat(setup.pair.b, "parts_early"), 2);
    assert_int_equal(setup.pair.ba->arrive.parts->base, 4);
    pair_close(&setup.pair);
}

/* The last one waits for all before it, whichever transfer they are of. */
static void held(void **state)
{
    struct setup setup;
    struct lie last = honest(4, NI_PART_ORDERED | NI_PART_NOTED, 2, 1), lie;

    (void)state;
    open_setup(&setup);
    for (uint32_t seq = 3; seq < 4; seq--) {
        for (unsigned i = 0; i < 1000; i++) {
            assert_int_equal(deliver(&setup, &last), NI_AGAIN);
        }
        lie = honest(seq, seq == 3 ? NI_PART_ORDERED : 0, seq == 3 ? 2 : 3, seq % 3);
        assert_int_equal(deliver(&setup, &lie), NI_OK);
        assert_false(flag_is_up());
    }
    assert_int_equal(deliver(&setup, &last), NI_OK);
    assert_true(flag_is_up());
    assert_int_equal(pair_stat(setup.pair.b, "parts_held"), 1);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_OK);
    pair_close(&setup.pair);
}

/* Whom a note calls may poll for long: what is next in order does not wait until it returns. */
static void poll_on(void *arg, const struct ni_message_info *message)
{
    struct setup *setup = arg;
    struct lie last = honest(1, NI_PART_ORDERED | NI_PART_NOTED, 2, 1);

    assert_int_equal(message->len, sizeof(uint64_t));
    assert_int_equal(deliver(setup, &last), NI_OK);
    assert_true(flag_is_up());
}

static void in_a_call(void **state)
{
    struct setup setup;
    struct ni_rkey consumer;
    struct lie lie = honest(0, NI_PART_NOTED, 1, 0);

    (void)state;
    open_setup(&setup);
    assert_int_equal(ni_region_consumer(setup.pair.b, poll_on, &setup, 0, &consumer), NI_OK);
    lie.told = &consumer;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_true(flag_is_up());
    assert_int_equal(setup.pair.ba->arrive.parts->base, 2);
    lie = honest(2, 0, 2, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    pair_close(&setup.pair);
}

/* ---- lies ------------------------------------------------------------------------------------ */

/* The connection ends, what we had asked for ends with it, and it is counted. */
static void expect_cut(struct setup *setup, const struct lie *lie, uint64_t refused)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote nowhere = {.addr = 4096, .key = 1, .handle = 1};

    assert_int_equal(ni_read(setup->pair.b, setup->pair.ba, here, 8, &nowhere, &ack), NI_OK);
    assert_int_equal(deliver(setup, lie), NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup->pair.ba), NI_ERR_PROTOCOL);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_ERR_PROTOCOL);
    assert_int_equal(pair_stat(setup->pair.b, "parts_refused"), refused);
    assert_int_equal(pair_stat(setup->pair.b, "rx_malformed"), 1);
    pair_settle(&setup->pair);
    pair_close(&setup->pair);
}

static void twice(void **state)
{
    struct setup setup;
    struct lie lie = honest(5, 0, 9, 5);

    (void)state;
    open_setup(&setup);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    expect_cut(&setup, &lie, 1);

    open_setup(&setup);
    lie = honest(0, 0, 9, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.offset = 8 * PART; /* bytes that are missing, but a number that is not */
    expect_cut(&setup, &lie, 1);
}

static void too_far_ahead(void **state)
{
    struct setup setup;
    struct lie lie = honest(NI_PARTS_WINDOW - 1, 0, 9, 5);

    (void)state;
    open_setup(&setup);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.seq++;
    expect_cut(&setup, &lie, 1);
}

static void too_many_bytes(void **state)
{
    struct setup setup;
    struct lie lie = honest(0, 0, 2, 0);

    (void)state;
    open_setup(&setup);
    lie.len = PART + 1;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie.seq = 1;
    lie.offset = PART - 1;
    expect_cut(&setup, &lie, 1);

    open_setup(&setup);
    lie = honest(0, 0, 2, 0);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    lie = honest(1, 0, 3, 1); /* of the same transfer, which has another length now */
    expect_cut(&setup, &lie, 1);
}

/* A number that was never given to a part: the last part that waits for it is given up. */
static void never_sent(void **state)
{
    struct setup setup;
    struct lie last = honest(1, NI_PART_ORDERED, 2, 1);
    uint64_t looks = 0;
    ni_status status;

    (void)state;
    open_setup(&setup);
    do {
        status = deliver(&setup, &last);
        assert_true(++looks <= NI_PARTS_LOOKS + 1);
    } while (status == NI_AGAIN);
    assert_int_equal(status, NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_ERR_PROTOCOL);
    assert_int_equal(pair_stat(setup.pair.b, "parts_refused"), 1);
    pair_settle(&setup.pair);
    pair_close(&setup.pair);
}

static void contradictions(void **state)
{
    const struct lie lies[] = {
        {.len = 8, .total = 16, .counter = NI_PARTS_COUNTERS},
        {.len = 8, .total = 16, .zero = 1},
        {.len = 8, .total = 16, .offset = 9},
        {.len = 8, .total = 16, .offset = 17},
        {.len = 8, .total = 16, .offset = NI_PART_OFFSET},
        {.len = 8, .total = 16, .flags = NI_PART_NOTED},
        {.len = 8, .total = 8, .flags = NI_PART_NOTED | NI_PART_ANSWER},
        {.len = 0, .total = 16, .short_by = 1},
        {.len = 0, .total = 0, .flags = NI_PART_NOTED, .short_by = 1},
    };
    struct setup setup;

    (void)state;
    for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        open_setup(&setup);
        expect_cut(&setup, &lies[i], 0);
    }
}

static void send_credit(struct setup *setup, uint64_t seq, ni_status expected)
{
    static _Alignas(64) struct ni_packet packet;

    packet.word1 = 0;
    packet.body[0] = seq;
    atomic_store_explicit(&packet.word0, ni_packet_word0(1, NI_PACKET_NOP, NI_LINE, NI_NOP_TAKEN),
                          memory_order_relaxed);
    assert_int_equal(ni_deliver(setup->pair.b, setup->pair.ba, &packet, sizeof(packet)), expected);
}

/* Parts that we have never sent cannot have been taken. */
static void false_credits(void **state)
{
    struct setup setup;

    (void)state;
    open_setup(&setup);
    send_credit(&setup, 0, NI_ERR_PROTOCOL);
    assert_int_equal(ni_peer_status(setup.pair.ba), NI_ERR_PROTOCOL);
    pair_close(&setup.pair);
}

/* ---- answers --------------------------------------------------------------------------------- */

static uint64_t start_read(struct setup *setup, uint32_t len, struct pair_done *done)
{
    struct ni_ack ack = pair_ack(done);
    struct ni_remote where = {.addr = 4096, .key = 1, .handle = 1};

    assert_int_equal(ni_read(setup->pair.b, setup->pair.ba, here, len, &where, &ack), NI_OK);
    return ni_op_token(ni_container_of(setup->pair.ba->ops.next, struct ni_op, list));
}

static void answers(void **state)
{
    struct setup setup;
    struct pair_done done = {0};
    struct lie lie = honest(1, NI_PART_ANSWER, 2, 1);

    (void)state;
    open_setup(&setup);
    memset(here, 0, sizeof(here));
    lie.token = start_read(&setup, 2 * PART, &done);
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 0);
    lie.seq = 0;
    lie.offset = 0;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.value, 2 * PART);
    assert_int_equal(here[0] + here[2 * PART - 1], 0x40 + 0x41);
    assert_int_equal(here[2 * PART], 0);
    /* Late ones name nothing, but count in the window. */
    lie.seq = 2;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(setup.pair.ba->arrive.parts->base, 3);
    /* A refusal ends it. */
    lie = honest(3, NI_PART_ANSWER, 2, 0);
    lie.token = start_read(&setup, 2 * PART, &done);
    lie.key = (uint16_t)NI_ERR_KEY;
    assert_int_equal(deliver(&setup, &lie), NI_OK);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, NI_ERR_KEY);
    pair_close(&setup.pair);
}

static void false_answers(void **state)
{
    struct setup setup;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct pair_done done = {0};
        struct lie lie = honest(0, NI_PART_ANSWER, 2, 0);

        open_setup(&setup);
        lie.token = start_read(&setup, 2 * PART, &done);
        if (i == 0) {
            lie.total = 4 * PART;
            lie.offset = 3 * PART; /* behind the end of what was asked */
        } else if (i == 1) {
            lie.key = NI_AGAIN;
        } else {
            lie.len = 2 * PART - 1;
            assert_int_equal(deliver(&setup, &lie), NI_OK);
            lie.seq = 1;
        }
        assert_int_equal(deliver(&setup, &lie), NI_ERR_PROTOCOL);
        assert_int_equal(done.count, 1);
        assert_int_equal(done.status, NI_ERR_PROTOCOL);
        pair_settle(&setup.pair);
        pair_close(&setup.pair);
    }
}

/* ---- numbers that begin again ---------------------------------------------------------------- */

static void write_long(struct setup *setup, enum ni_multipath how)
{
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote where = pair_remote(there, &setup->region);

    memset(there, 0, LEN);
    for (unsigned i = 0; i < LEN; i++) {
        here[i] = (uint8_t)(i * 7 + i / 251);
    }
    assert_int_equal(
        ni_write_multipath(setup->pair.a, setup->pair.ab, here, LEN, &where, NULL, NULL, &ack, how),
        NI_OK);
    pair_settle(&setup->pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(there, here, LEN);
}

static void wrap(void **state)
{
    struct setup setup;
    char error[128];

    (void)state;
    assert_int_equal(ni_param_set("rails", "4", "test", error, sizeof(error)), NI_OK);
    assert_int_equal(ni_param_set("segment_size", "1K", "test", error, sizeof(error)), NI_OK);
    open_setup(&setup);
    write_long(&setup, NI_MULTIPATH_COUNTERS);
    setup.pair.ab->send.spread->seq = setup.pair.ab->send.spread->taken = UINT32_MAX - 49;
    setup.pair.ba->arrive.parts->base = setup.pair.ba->arrive.parts->told = UINT32_MAX - 49;
    for (unsigned i = 0; i < 60; i++) {
        write_long(&setup, i % 3 == 0 ? NI_MULTIPATH_COUNTERS : NI_MULTIPATH_RESEQUENCE);
    }
    assert_true(setup.pair.ab->send.spread->seq > UINT32_MAX);
    assert_true(setup.pair.ba->arrive.parts->base < 1000);
    /* More than were sent. */
    setup.pair.ba->send.spread = setup.pair.ab->send.spread;
    send_credit(&setup, (uint32_t)setup.pair.ab->send.spread->seq + 1, NI_ERR_PROTOCOL);
    setup.pair.ba->send.spread = NULL;
    pair_close(&setup.pair);
    ni_config_reload();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),     cmocka_unit_test(held),
        cmocka_unit_test(in_a_call),     cmocka_unit_test(twice),
        cmocka_unit_test(too_far_ahead), cmocka_unit_test(too_many_bytes),
        cmocka_unit_test(never_sent),    cmocka_unit_test(contradictions),
        cmocka_unit_test(false_credits), cmocka_unit_test(answers),
        cmocka_unit_test(false_answers), cmocka_unit_test(wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
