/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbours of a board: cards 0 and 2 of a ring of four, of which card 1 is apelink-board.
 *
 *   dnp_board_ends PORT0 PORT1 PORT2 PORT3 lossy|good
 *
 * PORT0 - PORT1 is the cable between 0 and 1, PORT2 - PORT3 that between 1 and 2. Sends PUTs from 0
 * to 2 through the board, and to the board's ends what strangers send; all PUTs must arrive, or, on
 * lossy cables, some.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "dnp/cable.h"
#include "dnp_host.h"

enum { PUTS = 400, LIMIT_S = 60 };

struct card_end {
    struct dnp_card *card;
    struct test_host host;
    struct dnp_cable cable;
    unsigned link;
    int fd;
    struct sockaddr_in there;
};

static const struct dnp_key key = {{0x0123456789abcdefU, 0xfedcba9876543210U}};
static struct card_end end[2];
static struct ni_rng rng;
static uint64_t start;
static bool lossy;

static void fail(const char *what)
{
    fprintf(stderr, "dnp_board_ends: %s\n", what);
    exit(1);
}

static struct sockaddr_in local(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void open_end(struct card_end *one, uint32_t x, unsigned link, const char *here,
                     const char *there)
{
    struct sockaddr_in address = local(here);

    one->card = ni_aligned_zero(NI_CACHE_LINE, sizeof *one->card);
    one->link = link;
    one->there = local(there);
    one->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (one->card == NULL || bind(one->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("a port is in use");
    }
    test_host_init(&one->host, one->card, &rng);
    if (dnp_card_init(one->card, 1024, &one->host.host, 0) != NI_OK) {
        fail("no card");
    }
    dnp_set(&one->card->registers, DNP_REG_board_torus, 0, 4 | 1 << 10 | 1 << 20);
    dnp_set(&one->card->registers, DNP_REG_board_place, 0, x);
    test_host_open(&one->host);
    test_host_register(&one->host, 0, HOST_BASE, HOST_SIZE, NI_ACCESS_ALL);
    dnp_cable_init(&one->cable, &key, link, 1 + ni_now_ns());
    one->cable.fifo = 1024;
}

static void send_words(struct card_end *one, const struct apelink_word *words, uint32_t n)
{
    uint8_t bytes[DNP_FRAME_MAX];
    size_t len = dnp_cable_pack(&one->cable, &one->card->registers, words, n, bytes);

    (void)!sendto(one->fd, bytes, len, 0, (struct sockaddr *)&one->there, sizeof one->there);
}

static void work(struct card_end *one)
{
    uint64_t now = (ni_now_ns() - start) / 1000;
    struct apelink_word words[DNP_FRAME_WORDS];
    uint8_t bytes[DNP_FRAME_MAX + 1];
    uint32_t n = 0;
    ssize_t len;

    while ((len = recv(one->fd, bytes, sizeof bytes, 0)) >= 0) {
        (void)dnp_cable_take(&one->cable, &one->card->registers, bytes, (size_t)len, words, &n);
        for (uint32_t i = 0; i < n; i++) {
            dnp_link_receive(&one->card->link[one->link], now, words[i]);
        }
    }
    n = 0;
    for (int i = 0; i < 600; i++) {
        (void)dnp_card_step(one->card, now);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            struct apelink_word other;

            if (link != one->link) {
                (void)dnp_link_send(&one->card->link[link], now, &other);
            } else if (dnp_link_send(&one->card->link[link], now, &words[n]) &&
                       ++n == DNP_FRAME_WORDS) {
                send_words(one, words, n);
                n = 0;
            }
        }
    }
    if (n > 0) {
        send_words(one, words, n);
    }
}

/* Frames of who has no key, another key, or is not where it should be. */
static void be_a_stranger(const char *here_port)
{
    const struct dnp_key other = {{1, 1}};
    struct card_end stranger = end[0];
    struct sockaddr_in there = local(here_port);

    (void)!sendto(end[0].fd, "hello", 5, 0, (struct sockaddr *)&there, sizeof there);
    dnp_cable_init(&stranger.cable, &other, 0, UINT64_MAX);
    send_words(&stranger, NULL, 0);
    dnp_cable_init(&stranger.cable, &key, 2, UINT64_MAX);
    send_words(&stranger, NULL, 0);
}

/* Where the bytes of a PUT come from. Eight PUTs may be under way, each with a page of its own; on
 * lossy cables nobody knows how many, so that all of a page have the same bytes. */
static uint64_t source(uint32_t i)
{
    return HOST_BASE + i % (lossy ? 8 : 16) * 100;
}

static bool post(uint32_t i)
{
    struct apelink_command command = {
        .header = {.address = HOST_BASE + i % 8 * DNP_PAGE, .to = {2, 0, 0}},
        .footer = {.tag = i},
        .address = source(i),
        .tag = APELINK_COMP_NONE,
    };

    command.len = command.header.len = (uint16_t)(i * 37 % (APELINK_PAYLOAD_MAX + 1));
    return test_host_post(&end[0].host, 0, &command);
}

/* Events at card 2 since the last call; their bytes must be those that were sent. */
static uint32_t arrived(void)
{
    struct dnp_event event;
    uint32_t count = 0;

    while (test_host_event(&end[1].host, 0, &event)) {
        uint32_t i = (uint32_t)(event.second.lo >> 32), len = i * 37 % (APELINK_PAYLOAD_MAX + 1);

        for (uint32_t at = 0; at < len; at++) {
            if (*test_host_byte(&end[1].host, 0, HOST_BASE + i % 8 * DNP_PAGE + at) !=
                *test_host_byte(&end[0].host, 0, source(i) + at)) {
                fail("a wrong byte");
            }
        }
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    uint32_t sent = 0, came = 0;

    if (argc != 6) {
        fail("five arguments are wanted");
    }
    lossy = strcmp(argv[5], "lossy") == 0;
    start = ni_now_ns();
    ni_rng_seed(&rng, 1);
    open_end(&end[0], 0, NI_TORUS_X_PLUS, argv[1], argv[2]);
    open_end(&end[1], 2, NI_TORUS_X_MINUS, argv[4], argv[3]);
    for (uint32_t i = 0; i < HOST_SIZE; i++) {
        *test_host_byte(&end[0].host, 0, HOST_BASE + i) = (uint8_t)ni_rng_next(&rng);
    }
    be_a_stranger(argv[2]);
    while (came < (lossy ? PUTS / 4 : PUTS)) {
        struct pollfd fds[2] = {{.fd = end[0].fd, .events = POLLIN},
                                {.fd = end[1].fd, .events = POLLIN}};

        if (ni_now_ns() - start > LIMIT_S * (uint64_t)1000000000) {
            fprintf(stderr, "%u of %u PUTs have arrived\n", came, sent);
            fail("nothing goes on");
        }
        /* On lossy cables those that are lost are made up for by others. */
        if (dnp_get(&end[0].card->registers, DNP_REG_link_up, 0) == 1 && (sent < PUTS || lossy) &&
            sent - came < 8 + (lossy ? sent : 0) && post(sent)) {
            sent++;
        }
        work(&end[0]);
        work(&end[1]);
        came += arrived();
        (void)poll(fds, 2, 1);
    }
    printf("%u of %u PUTs have arrived\n", came, sent);
    for (int i = 0; i < 2; i++) {
        dnp_card_fini(end[i].card);
        free(end[i].card);
        test_host_fini(&end[i].host);
        close(end[i].fd);
    }
    return 0;
}
