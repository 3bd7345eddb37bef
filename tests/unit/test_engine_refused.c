/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/arrive/arrive.c ni/engine/arrive/arrive_read.c. */
#include "engine_pair.h"

#include <limits.h>

#include <apeni/log.h>
#include <apeni/portals.h>

#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/drive/peer_down.h"
#include "engine/drive/progress.h"

/* What is refused, and who is told how. */

struct heard {
    unsigned errors;
    char last[256];
};

static void hear(enum ni_log_level level, const char *text, void *arg)
{
    struct heard *heard = arg;

    heard->errors += level == NI_LOG_ERROR;
    snprintf(heard->last, sizeof(heard->last), "%s", text);
}

static void wrong_attributes_are_refused(void **state)
{
    static const struct {
        struct ni_open_attr attr;
        const char *value; /* as the message has it */
    } wrong[] = {
        {{.flags = 0x80}, "0x80"},
        {{.flags = NI_THREADS | 8}, "0x9"},
        {{.placement = (enum ni_placement)77}, "placement 77"},
        {{.placement = (enum ni_placement) - 1}, "placement -1"},
        {{.rails = 9}, "rails is 9"},
        {{.multipath = (enum ni_multipath)4}, "multipath 4"},
    };
    struct ni_fabric *fabric;

    (void)state;
    assert_int_equal(ni_fabric_create(NULL, &fabric), NI_OK);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct ni_open_attr attr = wrong[i].attr;
        struct heard heard = {0};
        struct ni *ni = NULL;

        attr.fabric = fabric;
        ni_log_set_sink(hear, &heard);
        assert_int_equal(ni_open(&attr, &ni), NI_ERR_INVALID);
        ni_log_set_sink(NULL, NULL);
        assert_null(ni);
        assert_int_equal(heard.errors, 1);
        assert_non_null(strstr(heard.last, wrong[i].value));
    }
    ni_fabric_destroy(fabric);
}

static const enum ni_fabric_copy ways[] = {NI_FABRIC_SAME_MEMORY, NI_FABRIC_BY_CALL,
                                           NI_FABRIC_BY_PACKETS};

/* A counter that waits for the bytes of a transfer is not deceived by one that failed. */
static void a_failure_counts_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pair pair;
        struct ni_rkey rkey, counter;
        _Alignas(8) static uint8_t memory[65536], local[65536];
        struct ni_remote remote;
        int64_t value = 0;

        pair_open(&pair, &(struct pair_attr){.copy = ways[i]});
        assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey),
                         NI_OK);
        assert_int_equal(ni_counter_create(pair.a, -8, &counter), NI_OK);
        struct ni_ack ack = {.kind = NI_ACK_COUNTER, .counter = counter.handle};

        remote = pair_remote(memory, &rkey);
        remote.key++;
        assert_int_equal(ni_write(pair.a, pair.ab, local, 8, &remote, &ack), NI_OK);
        assert_int_equal(ni_write(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
        assert_int_equal(ni_read(pair.a, pair.ab, local, 8, &remote, &ack), NI_OK);
        assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
        pair_settle(&pair);
        assert_int_equal(ni_counter_read(pair.a, counter.handle, &value), NI_OK);
        assert_int_equal(value, -8);
        remote.key--;
        assert_int_equal(ni_write(pair.a, pair.ab, local, 7, &remote, &ack), NI_OK);
        pair_settle(&pair);
        assert_int_equal(ni_counter_read(pair.a, counter.handle, &value), NI_OK);
        assert_int_equal(value, -1);
        assert_int_equal(pair_stat(pair.a, "pending_ops"), 0);
        pair_close(&pair);
    }
}

/* An answer that is refused in its middle has none of the bytes that its place in the lane held
 * before. */
static void a_refusal_says_nothing(void **state)
{
    static uint8_t memory[1 << 20], local[1 << 20];
    const struct ni_lane_tx *tx;
    struct pair_done done = {0};
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct ni_ack ack;
    struct pair pair;
    uint32_t end;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .bulk = 64 << 10});
    memset(memory, 0xab, sizeof(memory));
    assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(memory, &rkey);
    ack = pair_ack(&done);
    assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.status, NI_OK);
    assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
    (void)ni_progress(pair.b);
    assert_int_equal(ni_region_deregister(pair.b, rkey.handle), NI_OK);
    pair_settle(&pair);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, NI_ERR_REGION);

    tx = &pair.ba->ep->tx;
    assert_true(tx->record_head != 0 && tx->last_bulk >= 1024);
    end = tx->records[(tx->record_head - 1) % NI_LANE_BULK_RECORDS].end;
    for (uint32_t i = end - tx->last_bulk; i < end; i++) {
        assert_int_equal(tx->bulk[i], 0);
    }
    pair_close(&pair);
}

/* A refusal of what this peer asked last, by any sender. */
static ni_status refuse_last(struct ni *ni, const struct ni_peer *asked, struct ni_peer *from)
{
    struct ni_op *op = ni_container_of(asked->ops.prev, struct ni_op, list);
    const struct ni_packet_ack fields = {.token = ni_op_token(op)};
    _Alignas(NI_LINE) uint8_t line[NI_LINE] = {0};
    struct ni_packet *packet = (struct ni_packet *)line;

    memcpy(packet->body, &fields, sizeof(fields));
    packet->word1 = ni_packet_word1(0, 0);
    atomic_store_explicit(&packet->word0,
                          ni_packet_word0(0, NI_PACKET_ACK, NI_LINE, (uint16_t)NI_ERR_KEY),
                          memory_order_relaxed);
    return ni_deliver(ni, from, packet, NI_LINE);
}

/* Nobody answers for a peer, whatever token he has guessed. */
static void others_do_not_answer(void **state)
{
    static uint8_t memory[64], local[64];
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_open_attr open = {0};
    struct ni_remote remote;
    struct ni_peer *other;
    struct ni_rkey rkey;
    struct pair pair;
    struct ni *third;

    (void)state;
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS});
    open.fabric = pair.fabric;
    assert_int_equal(ni_open(&open, &third), NI_OK);
    other = pair_connect(pair.a, third);
    assert_int_equal(ni_region_memory(pair.b, memory, sizeof(memory), NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(memory, &rkey);
    assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
    assert_int_equal(refuse_last(pair.a, pair.ab, other), NI_OK);
    assert_int_equal(done.count, 0);
    pair_settle(&pair);
    assert_int_equal(done.count, 1);
    assert_int_equal(done.status, NI_OK);
    assert_int_equal(ni_read(pair.a, pair.ab, local, sizeof(local), &remote, &ack), NI_OK);
    assert_int_equal(refuse_last(pair.a, pair.ab, pair.ab), NI_OK);
    assert_int_equal(done.count, 2);
    assert_int_equal(done.status, NI_ERR_KEY);
    pair_settle(&pair);
    assert_int_equal(done.count, 2);
    ni_close(third);
    pair_close(&pair);
}

/* Who comes is let in, but not with an address that no link has, nor after it broke the protocol,
 * nor by one that closes. */
static void some_are_not_let_in(void **state)
{
    uint8_t nonsense[NI_BLOB_MAX + 1] = {0};
    struct ni_peer *known;
    struct pair pair;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    known = pair.ba;
    assert_ptr_equal(ni_peer_accept(pair.b, known->link, known->core.blob, known->core.blob_len),
                     known);
    assert_non_null(ni_peer_accept(pair.b, known->link, nonsense, NI_BLOB_MAX));
    assert_null(ni_peer_accept(pair.b, known->link, nonsense, NI_BLOB_MAX + 1));
    pair.b->closing = true;
    assert_null(ni_peer_accept(pair.b, known->link, known->core.blob, known->core.blob_len));
    pair.b->closing = false;
    ni_peer_down(pair.b, known, NI_ERR_PROTOCOL);
    assert_null(ni_peer_accept(pair.b, known->link, known->core.blob, known->core.blob_len));
    pair_close(&pair);
}

static void results_have_names(void **state)
{
    (void)state;
    for (int i = NI_PTL_ARG_INVALID; i <= NI_PTL_CT_NONE_REACHED; i++) {
        assert_int_equal(strncmp(ni_ptl_result_name(i), "NI_PTL_", 7), 0);
        for (int j = NI_PTL_ARG_INVALID; j < i; j++) {
            assert_string_not_equal(ni_ptl_result_name(i), ni_ptl_result_name(j));
        }
    }
    assert_string_equal(ni_ptl_result_name(NI_PTL_ARG_INVALID), "NI_PTL_ARG_INVALID");
    assert_string_equal(ni_ptl_result_name(NI_PTL_NO_MATCH), "NI_PTL_NO_MATCH");
    assert_string_equal(ni_ptl_result_name(NI_PTL_CT_NONE_REACHED), "NI_PTL_CT_NONE_REACHED");
    assert_string_equal(ni_ptl_result_name(NI_OK), "NI_OK");
    assert_string_equal(ni_ptl_result_name(NI_ERR_FORKED), "NI_ERR_FORKED");
    assert_string_equal(ni_ptl_result_name(INT_MIN), ni_status_name((ni_status)INT_MIN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_attributes_are_refused), cmocka_unit_test(a_failure_counts_nothing),
        cmocka_unit_test(a_refusal_says_nothing),       cmocka_unit_test(others_do_not_answer),
        cmocka_unit_test(some_are_not_let_in),          cmocka_unit_test(results_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
