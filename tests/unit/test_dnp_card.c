/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/card.c, dnp/tx.c, dnp/tx_fetch.c, dnp/rx.c, dnp/event.c, driver/command.c,
 * dnp/buffer.c, dnp/get.c. */
#include "unit.h"

#include "dnp_torus.h"

static struct torus torus;
static struct test_host *host; /* of node 0 */

/* Two cards; each process has registered its first half for writing and its second for reading. */
static int setup(void **state)
{
    (void)state;
    torus_init(&torus, (struct ni_torus){{2, 1, 1}}, 1);
    host = &torus.host[0];
    for (uint32_t node = 0; node < 2; node++) {
        test_host_open(&torus.host[node]);
        for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
            test_host_register(&torus.host[node], port, HOST_BASE, HOST_SIZE / 2, NI_ACCESS_WRITE);
            test_host_register(&torus.host[node], port, HOST_BASE + HOST_SIZE / 2, HOST_SIZE / 2,
                               NI_ACCESS_READ);
        }
        for (size_t i = 0; i < HOST_PAGES * DNP_CHANNELS * DNP_PAGE; i++) {
            torus.host[node].memory[i] = (uint8_t)ni_rng_next(&torus.rng);
        }
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    torus_fini(&torus);
    return 0;
}

static struct apelink_command put(uint32_t to, uint8_t port, uint64_t from, uint64_t address,
                                  uint16_t len)
{
    return (struct apelink_command){
        .header = {.address = address, .to = torus_place(&torus, to), .len = len, .port = port},
        .footer = {.tag = 0x1234},
        .address = from,
        .len = len,
        .data = 77,
        .magic = 0xabcdef,
    };
}

static void assert_event(struct test_host *at, uint8_t port, struct apelink_word first,
                         struct apelink_word second)
{
    struct dnp_event event = {0};

    assert_true(test_host_event(at, port, &event));
    assert_true(apelink_word_equal(event.first, first));
    assert_true(apelink_word_equal(event.second, second));
}

static void assert_no_event(void)
{
    struct dnp_event event = {0};

    for (uint32_t node = 0; node < 2; node++) {
        for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
            assert_false(test_host_event(&torus.host[node], port, &event));
        }
    }
}

static void assert_copied(struct test_host *to, uint8_t to_port, uint64_t to_address,
                          struct test_host *from, uint8_t from_port, uint64_t from_address,
                          uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        assert_int_equal(*test_host_byte(to, to_port, to_address + i),
                         *test_host_byte(from, from_port, from_address + i));
    }
}

/* Both events of Table 9, across pages that are apart in physical memory, at odd addresses. */
static void test_put(void **state)
{
    struct apelink_command command = put(1, 2, HOST_BASE + 3, HOST_BASE + 100, APELINK_PAYLOAD_MAX);
    struct apelink_footer footer = {.from = {0, 0, 0}, .port = 1, .tag = 0x1234};
    struct apelink_word cmd1;

    (void)state;
    command.header.last = true;
    command.port = 3; /* that of the channel is what counts */
    assert_true(test_host_post(host, 1, &command));
    torus_run(&torus, 2000);
    assert_copied(&torus.host[1], 2, HOST_BASE + 100, host, 1, HOST_BASE + 3, APELINK_PAYLOAD_MAX);
    command.port = 1;
    cmd1 = apelink_cmd1_pack(&command);
    assert_int_equal(cmd1.lo & 0xffffffff, 1U << 19);
    assert_event(host, 1, cmd1, APELINK_TX0_MAGIC);
    assert_event(
        &torus.host[1], 2, apelink_header_pack(&command.header),
        (struct apelink_word){apelink_footer_pack(&footer).lo, torus.host[1].pages[2][0] + 100});
    assert_no_event();
    assert_int_equal(dnp_get(&host->card->registers, DNP_REG_rd_ptr, 1), 1);
    assert_int_equal(dnp_get64(&torus.card[1].registers, DNP_REG_rx_bytes, 0), APELINK_PAYLOAD_MAX);
}

static void test_words_of_table_9(void **state)
{
    (void)state;
    assert_true(APELINK_TX0_MAGIC.hi == 0x11111111dad0dad0U);
    assert_true(APELINK_TX1_MAGIC.lo == 0x22222222dad0dad0U);
    assert_true(APELINK_GPCTX_MAGIC.lo == 0x00000000dad0dad0U);
    assert_true(APELINK_NIOS_MAGIC.hi == 0x33333333dad0dad0U);
}

/* DMA 0 and 1 in turn, completions only where they are asked for, all in order. */
static void test_many_puts(void **state)
{
    (void)state;
    host->latest = 40;
    for (uint32_t i = 0; i < HOST_COMMANDS; i++) {
        struct apelink_command command = put(1, 0, HOST_BASE, HOST_BASE + i * 64, 64);

        command.footer.tag = i;
        command.data = i;
        command.tag = i % 4 < 2 ? APELINK_COMP_EQ : APELINK_COMP_NONE;
        assert_true(test_host_post(host, 0, &command));
    }
    assert_false(test_host_post(host, 0, &(struct apelink_command){.len = 0}));
    torus_run(&torus, 4000);
    for (uint32_t i = 0; i < HOST_COMMANDS; i++) {
        struct dnp_event event = {0};

        if (i % 4 < 2) {
            assert_true(test_host_event(host, 0, &event));
            assert_int_equal(event.first.lo >> 32, i);
            assert_true(apelink_word_equal(event.second,
                                           i % 2 == 0 ? APELINK_TX0_MAGIC : APELINK_TX1_MAGIC));
        }
        assert_true(test_host_event(&torus.host[1], 0, &event));
        assert_int_equal(event.second.lo >> 32, i);
    }
    assert_no_event();
}

static void get_many_packets(void)
{
    struct apelink_command command = put(1, 2, HOST_BASE + 5, HOST_BASE + HOST_SIZE / 2 + 9, 0);

    command.header.operation = APELINK_GET;
    command.len = 20000;
    host->latest = 20;
    assert_true(test_host_post(host, 1, &command));
    torus_run(&torus, 10000);
    assert_copied(host, 1, HOST_BASE + 5, &torus.host[1], 2, HOST_BASE + HOST_SIZE / 2 + 9, 20000);
    command.port = 1;
    assert_event(host, 1, apelink_cmd1_pack(&command), APELINK_NIOS_MAGIC);
    assert_no_event();
    assert_int_equal(host->card->gets.count, 0);
}

static void test_get_of_many_packets(void **state)
{
    (void)state;
    get_many_packets();
}

/* Its time begins anew with each answer. */
static void test_a_get_that_takes_long(void **state)
{
    (void)state;
    dnp_set(&host->card->registers, DNP_REG_get_timeout, 0, 1200);
    get_many_packets();
}

/* More words in a step are the same packets. */
static void test_bursts(void **state)
{
    (void)state;
    dnp_card_burst(&torus.card[0], 1000);
    dnp_card_burst(&torus.card[1], 7);
    get_many_packets();
}

/* The event of a command that failed, with why. */
static void assert_failed(struct apelink_command command, ni_status status,
                          struct apelink_word magic)
{
    assert_true(test_host_post(host, 0, &command));
    torus_run(&torus, 3000);
    command.code = (uint16_t)-status;
    assert_event(host, 0, apelink_cmd1_pack(&command), magic);
    assert_no_event();
}

static void test_commands_that_are_refused(void **state)
{
    const uint64_t readable = HOST_BASE + HOST_SIZE / 2;
    struct apelink_command command;

    (void)state;
    /* Not asked for, and reported all the same. */
    command = put(1, 0, HOST_BASE - 1, HOST_BASE, 64);
    command.tag = APELINK_COMP_NONE;
    assert_failed(command, NI_ERR_BOUNDS, APELINK_TX0_MAGIC);
    command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    command.len = 65;
    assert_failed(command, NI_ERR_INVALID, APELINK_TX0_MAGIC);
    command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    command.header.physical = true;
    assert_failed(command, NI_ERR_INVALID, APELINK_TX0_MAGIC);
    command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    command.header.gpu = true;
    assert_failed(command, NI_ERR_INVALID, APELINK_TX0_MAGIC);
    command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    command.header.operation = APELINK_ANSWER; /* nobody may say that he has been asked */
    assert_failed(command, NI_ERR_INVALID, APELINK_TX0_MAGIC);
    assert_int_equal(dnp_get(&host->card->registers, DNP_REG_tx_refused, 0), 5);
    /* A GET into memory that is not ours, from memory that may not be read, without an answer. */
    command = put(1, 0, HOST_BASE + HOST_SIZE, readable, 0);
    command.header.operation = APELINK_GET;
    command.len = 64;
    assert_failed(command, NI_ERR_BOUNDS, APELINK_TX0_MAGIC);
    command.address = HOST_BASE;
    command.header.address = HOST_BASE;
    assert_failed(command, NI_ERR_ACCESS, APELINK_NIOS_MAGIC);
    torus.cable[0][NI_TORUS_X_PLUS].cut = true;
    dnp_set(&host->card->registers, DNP_REG_get_timeout, 0, 1000);
    command.header.address = readable;
    assert_failed(command, NI_ERR_TIMEOUT, APELINK_NIOS_MAGIC);
}

/* Nothing is written that the target has not allowed. */
static void test_puts_that_are_refused(void **state)
{
    static const struct {
        uint64_t address;
        uint8_t port;
    } rows[] = {
        {HOST_BASE - 1, 0},
        {HOST_BASE + HOST_SIZE / 2, 0},
        {HOST_BASE + HOST_SIZE / 2 - 63, 1},
        {UINT64_MAX - 10, 0},
    };
    uint8_t *before = malloc(HOST_PHYSICAL);

    (void)state;
    memcpy(before, torus.host[1].memory, HOST_PHYSICAL);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        struct apelink_command command = put(1, rows[i].port, HOST_BASE, rows[i].address, 64);

        command.tag = APELINK_COMP_NONE;
        assert_true(test_host_post(host, 0, &command));
        torus_run(&torus, 1000);
        assert_int_equal(dnp_get(&torus.card[1].registers, DNP_REG_rx_refused, 0), i + 1);
    }
    assert_no_event();
    assert_memory_equal(before, torus.host[1].memory, HOST_PHYSICAL);
    free(before);
}

/* A process that takes no events loses packets that are for it, and counts them; others go on. */
static void test_a_full_ring_of_events(void **state)
{
    struct dnp_register_file *registers = &torus.card[1].registers;
    struct apelink_command command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    struct dnp_event event = {0};
    uint32_t events = 0;

    (void)state;
    command.tag = APELINK_COMP_NONE;
    for (int i = 0; i < HOST_EVENTS + 10; i++) {
        assert_true(test_host_post(host, 0, &command));
        torus_run(&torus, 500);
    }
    assert_int_equal(dnp_get(registers, DNP_REG_event_lost, 0), 10);
    command.header.port = 1;
    assert_true(test_host_post(host, 0, &command));
    torus_run(&torus, 500);
    assert_true(test_host_event(&torus.host[1], 1, &event));
    while (test_host_event(&torus.host[1], 0, &event)) {
        events++;
    }
    assert_int_equal(events, HOST_EVENTS);
    assert_int_equal(dnp_get64(registers, DNP_REG_rx_bytes, 0), 64 * (HOST_EVENTS + 1));
}

/* What is written into registers is not believed. */
static void test_a_write_pointer_beyond_the_ring(void **state)
{
    struct dnp_register_file *registers = &host->card->registers;
    struct apelink_command command = put(1, 0, HOST_BASE, HOST_BASE, 64);

    (void)state;
    dnp_set(registers, DNP_REG_wr_ptr, 0, HOST_COMMANDS + 1);
    torus_run(&torus, 100);
    assert_int_equal(dnp_get(registers, DNP_REG_rd_ptr, 0), HOST_COMMANDS + 1);
    assert_int_equal(dnp_get(registers, DNP_REG_tx_refused, 0), 1);
    assert_no_event();
    /* A ring that is nowhere. */
    dnp_set64(registers, DNP_REG_tx_ring_base, 1, UINT64_MAX - 100);
    dnp_set(registers, DNP_REG_wr_ptr, 1, 3);
    torus_run(&torus, 100);
    assert_int_equal(dnp_get(registers, DNP_REG_tx_refused, 1), 3);
    assert_true(test_host_post(host, 0, &command));
    torus_run(&torus, 2000);
    assert_int_equal(dnp_get(registers, DNP_REG_rd_ptr, 0), HOST_COMMANDS + 2);
    assert_int_equal(dnp_get64(&torus.card[1].registers, DNP_REG_rx_packets, 0), 1);
}

/* Memory that is gone when it is needed. */
static void test_dma_that_fails(void **state)
{
    struct apelink_command command = put(1, 0, HOST_BASE, HOST_BASE, 64);
    const uint64_t nowhere[1] = {HOST_PHYSICAL};
    ni_handle handle;

    (void)state;
    assert_int_equal(
        dnp_buffers_add(&host->card->buffers, 0, 0x1000, 4096, NI_ACCESS_ALL, nowhere, &handle),
        NI_OK);
    assert_int_equal(
        dnp_buffers_add(&torus.card[1].buffers, 0, 0x1000, 4096, NI_ACCESS_ALL, nowhere, &handle),
        NI_OK);
    command.address = 0x1000;
    assert_failed(command, NI_ERR_BOUNDS, APELINK_TX0_MAGIC);
    command.address = HOST_BASE;
    command.header.operation = APELINK_GET;
    command.header.address = 0x1000;
    assert_failed(command, NI_ERR_ACCESS, APELINK_NIOS_MAGIC);
    command = put(1, 0, HOST_BASE, 0x1000, 64);
    command.tag = APELINK_COMP_NONE;
    assert_true(test_host_post(host, 0, &command));
    torus_run(&torus, 2000);
    assert_no_event();
    assert_int_equal(dnp_get(&torus.card[1].registers, DNP_REG_rx_refused, 0), 1);
}

/* Run until a card has taken a part of a payload. */
static void run_into_payload(uint32_t node)
{
    const struct dnp_rx *rx = &torus.card[node].rx;

    for (int i = 0; i < 2000 && (rx->state != DNP_RX_PAYLOAD || rx->words < 4); i++) {
        torus_run(&torus, 1);
    }
    assert_int_equal(rx->state, DNP_RX_PAYLOAD);
}

/* Nothing is written into a buffer that goes while a payload for it comes. */
static void test_a_buffer_that_goes_meanwhile(void **state)
{
    struct apelink_command command = put(1, 0, HOST_BASE, HOST_BASE, APELINK_PAYLOAD_MAX);
    uint8_t *before = malloc(HOST_PHYSICAL);

    (void)state;
    command.tag = APELINK_COMP_NONE;
    memcpy(before, torus.host[1].memory, HOST_PHYSICAL);
    assert_true(test_host_post(host, 0, &command));
    run_into_payload(1);
    dnp_buffers_clear(&torus.card[1].buffers, 0);
    torus_run(&torus, 2000);
    assert_memory_equal(before, torus.host[1].memory, HOST_PHYSICAL);
    assert_int_equal(dnp_get(&torus.card[1].registers, DNP_REG_rx_refused, 0), 1);
    assert_no_event();
    free(before);
}

/* The same of who has asked for the payload; he hears of it. */
static void test_a_buffer_of_a_get_that_goes_meanwhile(void **state)
{
    struct apelink_command command = put(1, 2, HOST_BASE, HOST_BASE + HOST_SIZE / 2, 0);
    uint8_t *before = malloc(HOST_PAGES * DNP_CHANNELS * DNP_PAGE);

    (void)state;
    command.header.operation = APELINK_GET;
    command.len = APELINK_PAYLOAD_MAX;
    memcpy(before, host->memory, HOST_PAGES * DNP_CHANNELS * DNP_PAGE);
    assert_true(test_host_post(host, 1, &command));
    run_into_payload(0);
    dnp_buffers_clear(&host->card->buffers, 1);
    torus_run(&torus, 2000);
    assert_memory_equal(before, host->memory, HOST_PAGES * DNP_CHANNELS * DNP_PAGE);
    command.port = 1;
    command.code = (uint16_t)-NI_ERR_BOUNDS;
    assert_event(host, 1, apelink_cmd1_pack(&command), APELINK_NIOS_MAGIC);
    assert_no_event();
    free(before);
}

static void test_a_packet_to_oneself(void **state)
{
    struct apelink_command command = put(0, 3, HOST_BASE, HOST_BASE, 33);

    (void)state;
    command.tag = APELINK_COMP_NONE;
    assert_true(test_host_post(host, 0, &command));
    torus_run(&torus, 500);
    assert_copied(host, 3, HOST_BASE, host, 0, HOST_BASE, 33);
    assert_int_equal(torus_sum(&torus, DNP_REG_link_sent_words, true), 0);
}

/* A host sees that a neighbour is silent without sending anything to it. */
static void test_a_silent_neighbour(void **state)
{
    struct dnp_register_file *registers = &host->card->registers;

    (void)state;
    dnp_set(registers, DNP_REG_link_timeout, 0, 5000);
    torus_run(&torus, 4000);
    assert_int_equal(dnp_get(registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 1);
    torus.cable[1][NI_TORUS_X_MINUS].cut = true;
    torus_run(&torus, 8000);
    assert_int_equal(dnp_get(registers, DNP_REG_link_up, NI_TORUS_X_PLUS), 0);
    assert_int_equal(dnp_get(registers, DNP_REG_link_up, NI_TORUS_X_MINUS), 1);
}

#define CARD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_table_9),
        CARD_TEST(test_put),
        CARD_TEST(test_many_puts),
        CARD_TEST(test_get_of_many_packets),
        CARD_TEST(test_a_get_that_takes_long),
        CARD_TEST(test_bursts),
        CARD_TEST(test_commands_that_are_refused),
        CARD_TEST(test_puts_that_are_refused),
        CARD_TEST(test_a_full_ring_of_events),
        CARD_TEST(test_a_write_pointer_beyond_the_ring),
        CARD_TEST(test_dma_that_fails),
        CARD_TEST(test_a_buffer_that_goes_meanwhile),
        CARD_TEST(test_a_buffer_of_a_get_that_goes_meanwhile),
        CARD_TEST(test_a_packet_to_oneself),
        CARD_TEST(test_a_silent_neighbour),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
