/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/cable.c, dnp/mac.c. */
#include "unit.h"

#include "dnp/cable.h"

static struct dnp_register_file left, right; /* at 0 0 0 and 1 0 0 of 3x2x1 */
static struct dnp_cable a, b;                /* X+ of left, X- of right */
static const struct dnp_key key = {{1, 2}};
static uint8_t frame[DNP_FRAME_MAX];
static struct apelink_word words[DNP_FRAME_WORDS];
static uint32_t count;

static int setup(void **state)
{
    (void)state;
    dnp_registers_reset(&left);
    dnp_registers_reset(&right);
    dnp_set(&left, DNP_REG_board_torus, 0, 3 | 2 << 10 | 1 << 20);
    dnp_set(&right, DNP_REG_board_torus, 0, 3 | 2 << 10 | 1 << 20);
    dnp_set(&right, DNP_REG_board_place, 0, 1);
    dnp_cable_init(&a, &key, 0, 1000);
    dnp_cable_init(&b, &key, 1, 2000);
    return 0;
}

static size_t pack(struct dnp_cable *cable, const struct dnp_register_file *registers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        words[i] = (struct apelink_word){i, cable->sent};
    }
    return dnp_cable_pack(cable, registers, words, n, frame);
}

static enum dnp_frame_verdict take(struct dnp_cable *cable,
                                   const struct dnp_register_file *registers, size_t len)
{
    return dnp_cable_take(cable, registers, frame, len, words, &count);
}

/* Both ends know each other's session. */
static void meet(void)
{
    assert_int_equal(take(&b, &right, pack(&a, &left, 0)), DNP_FRAME_STALE);
    assert_int_equal(take(&a, &left, pack(&b, &right, 0)), DNP_FRAME_GOOD);
    assert_int_equal(take(&b, &right, pack(&a, &left, 0)), DNP_FRAME_GOOD);
}

/* The test vector of the paper on SipHash. */
static void test_mac(void **state)
{
    const struct dnp_key counted = {{0x0706050403020100U, 0x0f0e0d0c0b0a0908U}};
    uint8_t bytes[15];

    (void)state;
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i;
    }
    assert_true(dnp_mac(&counted, bytes, sizeof bytes) == 0xa129ca6149be45e5U);
}

static void test_words_pass_once_both_have_met(void **state)
{
    (void)state;
    assert_int_equal(take(&b, &right, pack(&a, &left, 5)), DNP_FRAME_STALE);
    assert_int_equal(count, 0);
    meet();
    for (uint32_t n = 0; n <= DNP_FRAME_WORDS; n++) {
        uint64_t sent = a.sent;
        size_t len = pack(&a, &left, n);

        memset(words, 0, sizeof words);
        assert_int_equal(take(&b, &right, len), DNP_FRAME_GOOD);
        assert_int_equal(count, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(words[i].lo == i && words[i].hi == sent);
        }
    }
    assert_int_equal(b.verdicts[DNP_FRAME_STRANGER], 0);
}

static void test_strangers(void **state)
{
    const struct dnp_key other = {{1, 3}};
    struct dnp_cable stranger;
    size_t len;

    (void)state;
    meet();
    dnp_cable_init(&stranger, &other, 0, 5000);
    stranger.peer_session = b.session;
    assert_int_equal(take(&b, &right, pack(&stranger, &left, 3)), DNP_FRAME_STRANGER);
    assert_int_equal(b.peer_session, 1000);
    /* Any bit that somebody changes. */
    len = pack(&a, &left, 2);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(take(&b, &right, len), DNP_FRAME_GOOD);
        assert_int_equal(count, 0);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t shorter = 0; shorter < len; shorter++) {
        assert_int_equal(take(&b, &right, shorter), DNP_FRAME_MALFORMED);
    }
    assert_int_equal(take(&b, &right, len), DNP_FRAME_GOOD);
}

static void test_old_frames(void **state)
{
    uint8_t kept[DNP_FRAME_MAX];
    size_t len;

    (void)state;
    meet();
    len = pack(&a, &left, 4);
    memcpy(kept, frame, len);
    assert_int_equal(take(&b, &right, len), DNP_FRAME_GOOD);
    assert_int_equal(take(&b, &right, len), DNP_FRAME_STALE);
    /* Of a session before ours: a card that was switched off and on. */
    dnp_cable_init(&b, &key, 1, 3000);
    memcpy(frame, kept, len);
    assert_int_equal(take(&b, &right, len), DNP_FRAME_STALE);
    assert_int_equal(count, 0);
    assert_int_equal(take(&a, &left, pack(&b, &right, 0)), DNP_FRAME_GOOD);
    assert_int_equal(take(&b, &right, pack(&a, &left, 4)), DNP_FRAME_GOOD);
    /* And of one before the neighbour's. */
    dnp_cable_init(&a, &key, 0, 900);
    a.peer_session = 3000;
    assert_int_equal(take(&b, &right, pack(&a, &left, 4)), DNP_FRAME_STALE);
    dnp_cable_init(&a, &key, 0, 1100);
    a.peer_session = 3000;
    assert_int_equal(take(&b, &right, pack(&a, &left, 4)), DNP_FRAME_GOOD);
}

static void test_cables_that_lead_elsewhere(void **state)
{
    struct dnp_cable wrong;

    (void)state;
    meet();
    dnp_cable_init(&wrong, &key, 1, 5000); /* the X- of left */
    assert_int_equal(take(&b, &right, pack(&wrong, &left, 0)), DNP_FRAME_MISPLACED);
    dnp_set(&left, DNP_REG_board_place, 0, 2);
    assert_int_equal(take(&b, &right, pack(&a, &left, 0)), DNP_FRAME_MISPLACED);
    assert_int_equal(b.peer_place.x, 2);
    dnp_set(&left, DNP_REG_board_place, 0, 0);
    dnp_set(&left, DNP_REG_board_torus, 0, 4 | 2 << 10 | 1 << 20);
    assert_int_equal(take(&b, &right, pack(&a, &left, 0)), DNP_FRAME_MISPLACED);
    /* Around the end of the ring. */
    dnp_set(&left, DNP_REG_board_torus, 0, 3 | 2 << 10 | 1 << 20);
    dnp_set(&right, DNP_REG_board_place, 0, 2);
    dnp_cable_init(&a, &key, 1, 6000);
    dnp_cable_init(&b, &key, 0, 6000);
    a.peer_session = 6000;
    assert_int_equal(take(&b, &right, pack(&a, &left, 1)), DNP_FRAME_GOOD);
}

/* A neighbour that has less room would drop what it is sent, one that has more has it said. */
static void test_fifos_of_two_sizes(void **state)
{
    (void)state;
    a.fifo = b.fifo = 1024;
    meet();
    for (b.fifo = 512; b.fifo <= 16384; b.fifo *= 2) {
        assert_int_equal(take(&b, &right, pack(&a, &left, DNP_FRAME_WORDS)),
                         b.fifo == 1024 ? DNP_FRAME_GOOD : DNP_FRAME_MISFIT);
        assert_int_equal(count, b.fifo == 1024 ? DNP_FRAME_WORDS : 0);
    }
    assert_int_equal(b.peer_fifo, 1024);
    a.fifo = 0; /* who does not say */
    b.fifo = 1024;
    assert_int_equal(take(&b, &right, pack(&a, &left, 1)), DNP_FRAME_MISFIT);
    assert_int_equal(b.verdicts[DNP_FRAME_MISFIT], 6);
}

static void test_faults(void **state)
{
    struct dnp_cable_faults faults = {0};
    struct ni_rng rng;
    uint32_t left_over = 0, wrong = 0;

    (void)state;
    ni_rng_seed(&rng, 1);
    faults.lose_ppm = 300000;
    faults.corrupt_ppm = 200000;
    for (int i = 0; i < 1000; i++) {
        struct apelink_word ten[10] = {{0, 0}};
        uint32_t n = dnp_cable_spoil(&faults, &rng, ten, 10);

        left_over += n;
        for (uint32_t j = 0; j < n; j++) {
            wrong += ten[j].lo != 0;
        }
    }
    assert_in_range(left_over, 6800, 7200);
    assert_in_range(wrong, 1800, 2200);
    faults = (struct dnp_cable_faults){0};
    assert_int_equal(dnp_cable_spoil(&faults, &rng, words, 10), 10);
    faults.broken = true;
    assert_int_equal(dnp_cable_spoil(&faults, &rng, words, 10), 0);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(dnp_frame_verdict_name(DNP_FRAME_MISPLACED), "misplaced");
    assert_string_equal(dnp_frame_verdict_name(DNP_FRAME_VERDICTS), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_mac, setup),
        cmocka_unit_test_setup(test_words_pass_once_both_have_met, setup),
        cmocka_unit_test_setup(test_strangers, setup),
        cmocka_unit_test_setup(test_old_frames, setup),
        cmocka_unit_test_setup(test_cables_that_lead_elsewhere, setup),
        cmocka_unit_test_setup(test_fifos_of_two_sizes, setup),
        cmocka_unit_test_setup(test_faults, setup),
        cmocka_unit_test_setup(test_names, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
