/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/channel.c. */
#include "unit.h"

#include "dnp/channel.h"
#include "dnp_torus.h"

enum { PORT = 1, HALF = HOST_SIZE / 2 };

static struct torus torus;
static struct test_host *host; /* of node 0, whose process PORT comes and goes */

static int setup(void **state)
{
    (void)state;
    torus_init(&torus, (struct ni_torus){{2, 1, 1}}, 1);
    host = &torus.host[0];
    for (uint32_t node = 0; node < 2; node++) {
        test_host_open(&torus.host[node]);
        test_host_register(&torus.host[node], PORT, HOST_BASE, HOST_SIZE, NI_ACCESS_ALL);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    torus_fini(&torus);
    return 0;
}

/* Something of each kind: GETs and PUTs of both, to both. */
static void post_all(void)
{
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t node = 0; node < 2; node++) {
            struct apelink_command command = {
                .header = {.operation = i % 2 == 0 ? APELINK_PUT : APELINK_GET,
                           .address = HOST_BASE,
                           .port = PORT,
                           .len = i % 2 == 0 ? APELINK_PAYLOAD_MAX : APELINK_WORD,
                           .to = torus_place(&torus, i / 2 % 2)},
                .address = HOST_BASE + HALF,
                .len = i % 2 == 0 ? APELINK_PAYLOAD_MAX : HALF,
            };

            assert_true(test_host_post(&torus.host[node], PORT, &command));
        }
    }
}

static struct dnp_rings rings(void)
{
    const struct dnp_register_file *registers = &host->card->registers;

    return (struct dnp_rings){dnp_get64(registers, DNP_REG_tx_ring_base, PORT),
                              dnp_get64(registers, DNP_REG_event_ring_base, PORT), HOST_COMMANDS,
                              HOST_EVENTS};
}

/* Whenever a process goes, its channel becomes idle, and the next one that has it, and its memory,
 * sees nothing of what was under way. */
static void test_a_process_goes_at_any_moment(void **state)
{
    struct dnp_rings same = rings();
    uint8_t *before = malloc(HOST_PHYSICAL);
    uint32_t waited = 0, left_something = 0;

    (void)state;
    assert_non_null(before);
    host->latest = 20;
    for (uint32_t moment = 0; moment < 60; moment++) {
        post_all();
        torus_run(&torus, moment * 29);
        dnp_channel_close(host->card, PORT);
        left_something += !dnp_channel_idle(host->card, PORT);
        for (waited = 0; waited < 100000 && !dnp_channel_idle(host->card, PORT); waited++) {
            torus_run(&torus, 1);
        }
        assert_true(dnp_channel_idle(host->card, PORT));
        test_host_register(host, PORT, HOST_BASE, HOST_SIZE, NI_ACCESS_READ);
        dnp_channel_open(host->card, PORT, &same);
        assert_false(dnp_channel_idle(host->card, PORT));
        memcpy(before, host->memory, HOST_PHYSICAL);
        torus_run(&torus, 20000);
        assert_memory_equal(before, host->memory, HOST_PHYSICAL);
        assert_int_equal(dnp_get(&host->card->registers, DNP_REG_event_wr_ptr, PORT), 0);
        assert_int_equal(dnp_get(&host->card->registers, DNP_REG_rd_ptr, PORT), 0);
        /* For the next round as it was. */
        dnp_channel_close(host->card, PORT);
        test_host_register(host, PORT, HOST_BASE, HOST_SIZE, NI_ACCESS_ALL);
        dnp_channel_open(host->card, PORT, &same);
        while (test_host_event(&torus.host[1], PORT, &(struct dnp_event){0})) {
        }
    }
    assert_true(left_something > 0);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_process_goes_at_any_moment, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
