/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbours of a board: cards 0 and 2 of a ring of four, of which card 1 is apelink-board.
 *
 *   dnp_board_ends PORT0 PORT1 PORT2 PORT3 lossy|good [tcp]
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
#include "dnp/board/tcp.h"
#include "dnp/cable.h"
#include "dnp_host.h"

enum { PUTS = 400, LIMIT_S = 60 };

struct card_end {
    struct dnp_card *card;
    struct test_host host;
    struct dnp_cable cable;
    unsigned link;
    int fd; /* of a cable by UDP */
    struct sockaddr_in there;
    struct board_tcp tcp;
};

static const struct dnp_key key = {{0x0123456789abcdefU, 0xfedcba9876543210U}};
static struct card_end end[2];
static struct ni_rng rng;
static uint64_t start;
static bool lossy, by_tcp;

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
    one->fd = by_tcp ? -1 : socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (by_tcp ? board_tcp_open(&one->tcp, link, &address, &one->there) != 0
               : bind(one->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("a port is in use");
    }
    if (one->card == NULL) {
        fail("no memory");
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
    uint8_t bytes[DNP_FRAME_MAX], *to = by_tcp ? one->tcp.cable->out : bytes;
    size_t len;

    if (by_tcp && (!board_tcp_there(&one->tcp) || board_tcp_full(&one->tcp))) {
        return;
    }
    len = dnp_cable_pack(&one->cable, &one->card->registers, words, n, to);
    if (by_tcp) {
        board_tcp_send(&one->tcp, len);
    } else {
        (void)!sendto(one->fd, bytes, len, 0, (struct sockaddr *)&one->there, sizeof one->there);
    }
}

static void receive(struct card_end *one, uint64_t now)
{
    struct apelink_word words[DNP_FRAME_WORDS];
    uint8_t datagram[DNP_FRAME_MAX + 1];
    const uint8_t *bytes = datagram;
    struct board_stream *from = NULL;
    enum dnp_frame_verdict verdict;
    uint32_t n = 0;
    size_t len = 0;
    ssize_t got = 0;

    if (by_tcp) {
        board_tcp_hear(&one->tcp);
    }
    for (;;) {
        if (by_tcp) {
            from = board_tcp_next(&one->tcp, &bytes, &len);
        } else {
            got = recv(one->fd, datagram, sizeof datagram, 0);
            len = got > 0 ? (size_t)got : 0;
        }
        if (by_tcp ? from == NULL : got < 0) {
            return;
        }
        verdict = dnp_cable_take(&one->cable, &one->card->registers, bytes, len, words, &n);
        if (by_tcp) {
            board_tcp_judge(&one->tcp, from, verdict, true);
        }
        for (uint32_t i = 0; i < n; i++) {
            dnp_link_receive(&one->card->link[one->link], now, words[i]);
        }
    }
}

static void work(struct card_end *one)
{
    uint64_t now = (ni_now_ns() - start) / 1000;
    struct apelink_word words[DNP_FRAME_WORDS];
    uint32_t n = 0;

    receive(one, now);
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

/* Over TCP it is waited until the board has parted from who says that. */
static void speak(const char *port, const uint8_t *bytes, size_t len)
{
    struct sockaddr_in there = local(port);
    int fd = socket(AF_INET, by_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
    char byte;

    if (fd < 0 || connect(fd, (struct sockaddr *)&there, sizeof there) != 0 ||
        send(fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len ||
        (by_tcp && recv(fd, &byte, 1, 0) > 0)) {
        fail("a stranger is not heard, or answered");
    }
    close(fd);
}

/* Frames of who has no key, another key, or is not where it should be. */
static void be_a_stranger(const char *here_port)
{
    const struct dnp_key other = {{1, 1}};
    uint8_t bytes[DNP_FRAME_MAX] = "hello";
    struct dnp_cable cable;

    speak(here_port, bytes, 100);
    dnp_cable_init(&cable, &other, 0, UINT64_MAX);
    speak(here_port, bytes, dnp_cable_pack(&cable, &end[0].card->registers, NULL, 0, bytes));
    dnp_cable_init(&cable, &key, 2, UINT64_MAX);
    speak(here_port, bytes, dnp_cable_pack(&cable, &end[0].card->registers, NULL, 0, bytes));
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

/* Whether both ends have had credits for a second: the board lets nothing in for a while by a link
 * that was down, and what is dropped there is not sent again. */
static bool settled(void)
{
    static uint64_t since;
    uint64_t now = ni_now_ns();

    for (int i = 0; i < 2; i++) {
        if (dnp_get(&end[i].card->registers, DNP_REG_link_up, end[i].link) == 0) {
            since = 0;
            return false;
        }
    }
    since = since == 0 ? now : since;
    return now - since > 1000000000;
}

int main(int argc, char **argv)
{
    uint32_t sent = 0, came = 0;

    if (argc < 6) {
        fail("five or six arguments are wanted");
    }
    by_tcp = argc > 6;
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
        struct pollfd fds[2] = {{.fd = by_tcp ? end[0].tcp.poll : end[0].fd, .events = POLLIN},
                                {.fd = by_tcp ? end[1].tcp.poll : end[1].fd, .events = POLLIN}};

        if (ni_now_ns() - start > LIMIT_S * (uint64_t)1000000000) {
            fprintf(stderr, "%u of %u PUTs have arrived\n", came, sent);
            fail("nothing goes on");
        }
        /* On lossy cables those that are lost are made up for by others. */
        if ((sent > 0 || settled()) && (sent < PUTS || lossy) &&
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
        if (by_tcp) {
            board_tcp_close(&end[i].tcp);
        } else {
            close(end[i].fd);
        }
    }
    return 0;
}
