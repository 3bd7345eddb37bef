/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include "engine/core/peer.h"
#include "engine/send/control.h"

/* Covers: bulk/shared_copy_in.c
 * A target that is asked to copy a part of a long transfer, and has no memory to remember what it
 * has begun, claims nothing: the initiator would wait for that chunk for ever. */

enum { LEN = 5 << 20, ITEMS = 4096, TURNS = 100000 };

/* Over shared memory, as if in two processes: the link inproc takes no packets without memory. */
static void open_apart(struct pair *pair)
{
    assert_int_equal(ni_open(NULL, &pair->a), NI_OK);
    assert_int_equal(ni_open(NULL, &pair->b), NI_OK);
    pair->ab = pair_connect(pair->a, pair->b);
    pair->ba = pair_connect(pair->b, pair->a);
    pair->ab->ep->same_memory = false;
    pair->ba->ep->same_memory = false;
    for (int i = 0; i < 10; i++) { /* until there is a lane */
        assert_int_equal(ni_message(pair->a, pair->ab, 1, 0, NULL, 0, NULL, 0), NI_OK);
        pair_settle(pair);
    }
}

/* The target has what answers need, and nothing for shared copies; it looks at what has come. */
static void look_without_memory(struct ni *ni)
{
    static void *items[ITEMS];
    unsigned count = 0;

    assert_true(ni_send_can_answer(ni)); /* or it takes no request at all */
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (count < ITEMS && (items[count] = ni_pool_get(&ni->bulk.shared_in_pool)) != NULL) {
        count++;
    }
    assert_true(count < ITEMS);
    for (unsigned i = 0; i < 10; i++) {
        (void)ni_progress(ni);
    }
    ni_fault_reset();
    while (count != 0) {
        ni_pool_put(&ni->bulk.shared_in_pool, items[--count]);
    }
}

static void claims_nothing(void **state)
{
    uint8_t *here = malloc(LEN), *there = calloc(1, LEN);
    struct pair_done done = {0};
    struct ni_ack ack = pair_ack(&done);
    struct ni_remote remote;
    struct ni_rkey rkey;
    struct pair pair;

    (void)state;
    pair_set("bulk_chunk", "256K");
    pair_set("bulk_pass", "64K"); /* so that a chunk takes several polls */
    pair_set("patience_us", "0");
    open_apart(&pair);
    assert_int_equal(ni_region_memory(pair.b, there, LEN, NI_ACCESS_ALL, &rkey), NI_OK);
    remote = pair_remote(there, &rkey);
    for (size_t i = 0; i < LEN; i++) {
        here[i] = (uint8_t)(i * 7 + i / 4096);
    }
    assert_int_equal(ni_write(pair.a, pair.ab, here, LEN, &remote, &ack), NI_OK);
    look_without_memory(pair.b);
    for (unsigned turns = 0; done.count == 0; turns++) {
        (void)ni_progress(pair.a);
        (void)ni_progress(pair.b);
        assert_true(turns < TURNS);
    }
    assert_int_equal(done.status, NI_OK);
    assert_memory_equal(here, there, LEN);
    ni_close(pair.a);
    ni_close(pair.b);
    free(here);
    free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
