/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_glue/take.c. */
/* Covers: btl_apelink/btl_apelink_parts.c. */
/* Messages of the BTL that arrive in parts: whole ones, mixed ones, and parts that make no
 * sense. */
#include "unit.h"

#include <stdlib.h>

#include "btl_apelink/btl_apelink_copy_inl.h"
#include "btl_apelink/btl_apelink_parts.h"
#include "engine/engine.h"
#include "ompi_glue/take.h"

enum { TAG = 0x41, PART_TAG = MCA_BTL_APELINK_PART | TAG };

static struct ni_peer peers[2];

/* What the layer above was handed last. */
static struct {
    unsigned count;
    size_t len;
    uint8_t data[4096];
} delivered;

static void take(struct mca_btl_base_module_t *btl, unsigned tag, const void *data, size_t len,
                 void *arg)
{
    (void)arg;
    assert_int_equal(tag, TAG);
    assert_ptr_equal(btl, &mca_btl_apelink.super);
    assert_true(len <= sizeof(delivered.data));
    delivered.count++;
    delivered.len = len;
    memcpy(delivered.data, data, len);
}

static int setup(void **state)
{
    (void)state;
    memset(&delivered, 0, sizeof(delivered));
    ni_list_init(&mca_btl_apelink.assemblies);
    ompi_glue_take(TAG, take, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mca_btl_apelink_drop_parts(&mca_btl_apelink, NULL);
    ompi_glue_take(TAG, NULL, NULL);
    return ni_list_empty(&mca_btl_apelink.assemblies) ? 0 : -1;
}

static uint8_t byte_at(uint32_t offset, unsigned seed)
{
    return (uint8_t)(offset * 7 + seed);
}

/* A part arrives; false if it was dropped. */
static bool part(struct ni_peer *from, uint16_t tag, uint32_t total, uint32_t offset, uint32_t len,
                 unsigned seed)
{
    uint8_t bytes[4200];
    struct mca_btl_apelink_part head = {.total = total, .offset = offset};
    struct ni_message_info message = {
        .source = from, .data = bytes, .len = (uint32_t)sizeof(head) + len, .tag = tag};

    memcpy(bytes, &head, sizeof(head));
    for (uint32_t i = 0; i < len; i++) {
        bytes[sizeof(head) + i] = byte_at(offset + i, seed);
    }
    return mca_btl_apelink_recv_part(&mca_btl_apelink, &message);
}

static void assert_delivered(unsigned count, size_t len, unsigned seed)
{
    assert_int_equal(delivered.count, count);
    assert_int_equal(delivered.len, len);
    for (uint32_t i = 0; i < len; i++) {
        assert_int_equal(delivered.data[i], byte_at(i, seed));
    }
}

static void in_order(void **state)
{
    (void)state;
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 400, 1));
    assert_true(part(&peers[0], PART_TAG, 1000, 400, 400, 1));
    assert_int_equal(delivered.count, 0);
    assert_true(part(&peers[0], PART_TAG, 1000, 800, 200, 1));
    assert_delivered(1, 1000, 1);
    assert_true(ni_list_empty(&mca_btl_apelink.assemblies));
}

/* Parts of two senders come mixed; each message is put together by itself. */
static void two_senders(void **state)
{
    (void)state;
    assert_true(part(&peers[0], PART_TAG, 600, 0, 300, 1));
    assert_true(part(&peers[1], PART_TAG, 500, 0, 100, 2));
    assert_true(part(&peers[0], PART_TAG, 600, 300, 300, 1));
    assert_delivered(1, 600, 1);
    assert_true(part(&peers[1], PART_TAG, 500, 100, 400, 2));
    assert_delivered(2, 500, 2);
}

static void dropped(struct ni_peer *from)
{
    assert_int_equal(delivered.count, 0);
    for (NI_LIST_EACH(node, &mca_btl_apelink.assemblies)) {
        fail_msg("something of peer %d is kept", (int)(from - peers));
    }
}

static void nonsense(void **state)
{
    struct ni_message_info tiny = {.source = &peers[0], .data = "abc", .len = 3, .tag = PART_TAG};

    (void)state;
    assert_false(mca_btl_apelink_recv_part(&mca_btl_apelink, &tiny));
    dropped(&peers[0]);
    assert_false(part(&peers[0], PART_TAG, 1000, 400, 100, 1)); /* no beginning */
    dropped(&peers[0]);
    assert_false(part(&peers[0], PART_TAG, 100, 0, 200, 1)); /* longer than it says */
    dropped(&peers[0]);
    assert_false(part(&peers[0], PART_TAG, UINT32_MAX, 0, 100, 1)); /* too long to be true */
    dropped(&peers[0]);
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_false(part(&peers[0], PART_TAG, 1000, 200, 100, 1)); /* a gap */
    dropped(&peers[0]);
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_false(part(&peers[0], PART_TAG, 900, 100, 100, 1)); /* another length */
    dropped(&peers[0]);
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_false(part(&peers[0], PART_TAG + 1, 1000, 100, 100, 1)); /* another tag */
    dropped(&peers[0]);
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_false(part(&peers[0], PART_TAG, 1000, UINT32_MAX - 4, 100, 1)); /* wraps */
    dropped(&peers[0]);
}

/* A message that begins anew replaces the one that was not finished. */
static void begins_anew(void **state)
{
    (void)state;
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_true(part(&peers[0], PART_TAG, 300, 0, 100, 2));
    assert_true(part(&peers[0], PART_TAG, 300, 100, 200, 2));
    assert_delivered(1, 300, 2);
    assert_true(ni_list_empty(&mca_btl_apelink.assemblies));
}

static void peer_goes(void **state)
{
    (void)state;
    assert_true(part(&peers[0], PART_TAG, 1000, 0, 100, 1));
    assert_true(part(&peers[1], PART_TAG, 200, 0, 100, 2));
    mca_btl_apelink_drop_parts(&mca_btl_apelink, &peers[0]);
    assert_false(part(&peers[0], PART_TAG, 1000, 100, 100, 1));
    assert_true(part(&peers[1], PART_TAG, 200, 100, 100, 2));
    assert_delivered(1, 200, 2);
}

/* ---- copies of the hot path ------------------------------------------------------------------ */

static void copies(void **state)
{
    uint8_t from[160], to[160];

    (void)state;
    for (size_t i = 0; i < sizeof(from); i++) {
        from[i] = (uint8_t)(i * 5 + 1);
    }
    for (size_t size = 0; size <= 128; size++) {
        for (size_t skew = 0; skew < 8; skew++) {
            memset(to, 0, sizeof(to));
            mca_btl_apelink_copy(to + 8, from + skew, size);
            assert_memory_equal(to + 8, from + skew, size);
            assert_int_equal(to[7], 0);
            assert_int_equal(to[8 + size], 0);
            memset(to, 0, sizeof(to));
            mca_btl_apelink_copy_header(to + 8, from + skew, size);
            assert_memory_equal(to + 8, from + skew, size);
            assert_int_equal(to[7], 0);
            assert_int_equal(to[8 + size], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(two_senders, setup, teardown),
        cmocka_unit_test_setup_teardown(nonsense, setup, teardown),
        cmocka_unit_test_setup_teardown(begins_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(peer_goes, setup, teardown),
        cmocka_unit_test(copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
