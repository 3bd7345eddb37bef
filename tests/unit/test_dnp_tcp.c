/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/stream.c, dnp/board/tcp.c. Both ends of a cable by TCP, and who is none of
 * them. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dnp/board/tcp.h"

enum { LIMIT_S = 60 };

struct side {
    struct board_tcp *tcp;
    unsigned link;
    struct dnp_cable cable;
    struct dnp_register_file registers;
    uint64_t sent, came; /* words, which are numbered */
};

static const struct dnp_key key = {{1, 2}}, other_key = {{3, 4}};
static struct side plus, minus;
static struct sockaddr_in address;
static uint64_t session;

static void init(struct side *side, unsigned link, const struct dnp_key *its_key)
{
    side->link = link;
    side->sent = side->came = 0;
    dnp_registers_reset(&side->registers);
    dnp_set(&side->registers, DNP_REG_board_torus, 0, 4 | 1 << 10 | 1 << 20);
    dnp_set(&side->registers, DNP_REG_board_place, 0, link % 2);
    dnp_cable_init(&side->cable, its_key, link, ++session);
}

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = port};

    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return local;
}

static void open_side(struct side *side, unsigned link)
{
    struct sockaddr_in any = loopback(0);
    socklen_t len = sizeof address;

    init(side, link, &key);
    side->tcp = calloc(1, sizeof *side->tcp);
    assert_non_null(side->tcp);
    if (link % 2 == 0) {
        assert_int_equal(board_tcp_open(side->tcp, link, &any, &address), 0);
    } else {
        assert_int_equal(
            board_tcp_open(side->tcp, link, address.sin_port != 0 ? &address : &any, &any), 0);
        assert_int_equal(getsockname(side->tcp->listener, (struct sockaddr *)&address, &len), 0);
    }
}

static void close_side(struct side *side)
{
    if (side->tcp != NULL) {
        board_tcp_close(side->tcp);
    }
    free(side->tcp);
    side->tcp = NULL;
}

static size_t pack(struct side *side, uint32_t n, uint8_t *bytes)
{
    struct apelink_word words[DNP_FRAME_WORDS] = {{0, 0}};

    for (uint32_t i = 0; i < n; i++) {
        words[i] = (struct apelink_word){side->sent + i, ~side->sent};
    }
    side->sent += n;
    return dnp_cable_pack(&side->cable, &side->registers, words, n, bytes);
}

static void say(struct side *side, uint32_t n)
{
    if (board_tcp_there(side->tcp) && !board_tcp_full(side->tcp)) {
        board_tcp_send(side->tcp, pack(side, n, side->tcp->cable->out));
    }
}

/* Take what has come, of which no word is missing or another. */
static void hear(struct side *side)
{
    struct board_stream *from;
    const uint8_t *bytes;
    size_t len;

    board_tcp_hear(side->tcp);
    while ((from = board_tcp_next(side->tcp, &bytes, &len)) != NULL) {
        struct apelink_word words[DNP_FRAME_WORDS];
        uint64_t before = side->cable.peer_session;
        uint32_t n;
        enum dnp_frame_verdict verdict =
            dnp_cable_take(&side->cable, &side->registers, bytes, len, words, &n);

        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(words[i].lo, side->came + i);
        }
        side->came += n;
        board_tcp_judge(side->tcp, from, verdict, side->cable.peer_session != before);
    }
}

/* A round of both, which say something as boards do that send credits. */
static void meet(void)
{
    struct pollfd fds[2];
    unsigned count = 0;
    struct side *sides[] = {&plus, &minus};

    for (unsigned i = 0; i < 2; i++) {
        if (sides[i]->tcp != NULL) {
            hear(sides[i]);
            say(sides[i], 0);
            fds[count++] = (struct pollfd){.fd = sides[i]->tcp->poll, .events = POLLIN};
        }
    }
    (void)poll(fds, count, 5);
}

#define UNTIL(condition)                                                   \
    for (uint64_t begun = ni_now_ns(); !(condition); meet()) {             \
        assert_true(ni_now_ns() - begun < LIMIT_S * (uint64_t)1000000000); \
    }

static bool know_each_other(void)
{
    return board_tcp_there(plus.tcp) && board_tcp_there(minus.tcp) &&
           plus.cable.peer_session == minus.cable.session &&
           minus.cable.peer_session == plus.cable.session &&
           plus.cable.verdicts[DNP_FRAME_GOOD] > 0 && minus.cable.verdicts[DNP_FRAME_GOOD] > 0;
}

/* Words that are said now arrive at the other end. */
static void words_arrive(void)
{
    plus.sent = minus.came = 0;
    minus.sent = plus.came = 0;
    say(&plus, 1000);
    say(&minus, DNP_FRAME_WORDS);
    UNTIL(minus.came == 1000 && plus.came == DNP_FRAME_WORDS)
}

static int setup(void **state)
{
    (void)state;
    address = loopback(0);
    open_side(&minus, 1);
    open_side(&plus, 0);
    UNTIL(know_each_other())
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_side(&plus);
    close_side(&minus);
    return 0;
}

/* ---- a stream -------------------------------------------------------------------------------- */

static struct board_stream *pair(int *there, int room)
{
    struct board_stream *stream = calloc(1, sizeof *stream);
    int fds[2];

    assert_non_null(stream);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    board_stream_open(stream, fds[0]);
    *there = fds[1];
    return stream;
}

static void part(struct board_stream *stream, int there)
{
    board_stream_close(stream);
    free(stream);
    close(there);
}

static void test_frames_come_in_pieces(void **state)
{
    static const uint32_t words[] = {0, 5, DNP_FRAME_WORDS, 1, 0, 700};
    static const size_t pieces[] = {1, 7, 39, 41, 1000, 20000, 100000};
    static uint8_t bytes[sizeof words / sizeof words[0] * DNP_FRAME_MAX];
    size_t end = 0, lens[6];
    int there;

    (void)state;
    init(&plus, 0, &key);
    for (unsigned i = 0; i < 6; i++) {
        lens[i] = pack(&plus, words[i], bytes + end);
        end += lens[i];
    }
    for (unsigned i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct board_stream *stream = pair(&there, 1 << 20);
        size_t written = 0, taken = 0;
        const uint8_t *frame;
        unsigned count = 0;
        size_t len;

        while (taken < end) {
            size_t piece = pieces[i] < end - written ? pieces[i] : end - written;
            ssize_t put = write(there, bytes + written, piece);

            written += put > 0 ? (size_t)put : 0;
            while (board_stream_next(stream, &frame, &len) == BOARD_STREAM_FRAME) {
                assert_int_equal(len, lens[count++]);
                assert_memory_equal(frame, bytes + taken, len);
                taken += len;
            }
            assert_true(taken <= written);
        }
        assert_int_equal(count, 6);
        assert_int_equal(board_stream_next(stream, &frame, &len), BOARD_STREAM_NOTHING);
        part(stream, there);
    }
}

/* A frame that does not leave at once leaves later, from where it was. */
static void test_a_socket_that_takes_little(void **state)
{
    static uint8_t got[8 * DNP_FRAME_MAX];
    size_t end = 0, all = 0;
    unsigned waits = 0;
    int there;
    struct board_stream *stream = pair(&there, 4096);

    (void)state;
    init(&plus, 0, &key);
    for (unsigned i = 0; i < 8; i++) {
        size_t len = pack(&plus, DNP_FRAME_WORDS, stream->out);

        assert_true(board_stream_send(stream, len));
        all += len;
        while (board_stream_busy(stream)) {
            ssize_t more = read(there, got + end, 3000);

            waits++;
            end += more > 0 ? (size_t)more : 0;
            assert_true(board_stream_flush(stream));
        }
    }
    assert_true(waits > 8);
    for (ssize_t more; end < all && (more = read(there, got + end, all - end)) > 0;) {
        end += (size_t)more;
    }
    assert_int_equal(end, all);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(dnp_frame_length(got + i * DNP_FRAME_MAX), DNP_FRAME_MAX);
    }
    close(there);
    assert_false(board_stream_send(stream, DNP_FRAME_EMPTY));
    board_stream_close(stream);
    free(stream);
}

static void test_damaged_lengths_and_the_end(void **state)
{
    uint8_t bytes[DNP_FRAME_MAX];
    const uint8_t *frame;
    struct board_stream *stream;
    size_t len;
    int there;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        init(&plus, 0, &key);
        stream = pair(&there, 1 << 20);
        len = pack(&plus, 3, bytes);
        bytes[i == 0 ? 0 : i == 1 ? 4 : 7] ^= 4; /* magic, version, words: 1027 */
        assert_int_equal(write(there, bytes, len), len);
        assert_int_equal(board_stream_next(stream, &frame, &len), BOARD_STREAM_FRAME);
        assert_true(len < DNP_FRAME_EMPTY);
        close(there);
        part(stream, -1);
    }
    stream = pair(&there, 1 << 20);
    assert_int_equal(write(there, bytes, 20), 20);
    assert_int_equal(board_stream_next(stream, &frame, &len), BOARD_STREAM_NOTHING);
    close(there);
    assert_int_equal(board_stream_next(stream, &frame, &len), BOARD_STREAM_ENDED);
    part(stream, -1);
}

/* ---- a cable --------------------------------------------------------------------------------- */

static void test_words_go_both_ways(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        words_arrive();
    }
}

/* Who takes nothing holds up nobody: the cable is full, and goes on where it was. */
static void test_a_cable_that_is_full(void **state)
{
    unsigned frames = 0;

    (void)state;
    plus.sent = minus.came = 0;
    for (; !board_tcp_full(plus.tcp) && frames < 100000; frames++) {
        say(&plus, DNP_FRAME_WORDS);
    }
    assert_true(board_tcp_full(plus.tcp));
    UNTIL(minus.came == (uint64_t)frames * DNP_FRAME_WORDS)
    assert_false(board_tcp_full(plus.tcp));
    words_arrive();
}

static void test_an_end_that_begins_anew(void **state)
{
    (void)state;
    close_side(&plus);
    UNTIL(!board_tcp_there(minus.tcp))
    open_side(&plus, 0);
    UNTIL(know_each_other())
    words_arrive();
    close_side(&minus);
    UNTIL(!board_tcp_there(plus.tcp))
    open_side(&minus, 1); /* at the same address */
    UNTIL(know_each_other())
    words_arrive();
}

/* A connection whose other end has gone without a word gives way to the next. */
static void test_a_neighbour_that_calls_again(void **state)
{
    struct board_tcp *old = plus.tcp;

    (void)state;
    plus.tcp = NULL;
    assert_true(board_tcp_there(minus.tcp));
    open_side(&plus, 0);
    UNTIL(know_each_other())
    words_arrive();
    board_tcp_close(old);
    free(old);
}

/* The connection has ended, and both ends stay what they are; neither had heard of the other. */
static void test_a_connection_that_breaks(void **state)
{
    (void)state;
    assert_int_equal(shutdown(plus.tcp->cable->fd, SHUT_RDWR), 0);
    plus.cable.peer_session = 0;
    plus.cable.verdicts[DNP_FRAME_GOOD] = 0;
    UNTIL(!board_tcp_there(plus.tcp))
    UNTIL(know_each_other())
    words_arrive();
}

/* ---- strangers ------------------------------------------------------------------------------- */

/* Who says this instead of a neighbour is parted from, and the cable stays. */
static void refused(const void *bytes, size_t len)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char byte;

    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    UNTIL(recv(fd, &byte, 1, 0) == 0 || errno == ECONNRESET)
    close(fd);
    assert_true(know_each_other());
    words_arrive();
}

static void test_strangers_are_refused(void **state)
{
    uint8_t recorded[DNP_FRAME_MAX], bytes[DNP_FRAME_MAX];
    size_t len = pack(&plus, 0, recorded);
    struct side stranger;

    (void)state;
    words_arrive(); /* what is said later is newer */
    memset(bytes, 'x', sizeof bytes);
    refused(bytes, 100);
    assert_int_equal(minus.cable.verdicts[DNP_FRAME_MALFORMED], 1);
    init(&stranger, 0, &other_key);
    refused(bytes, pack(&stranger, 0, bytes));
    assert_int_equal(minus.cable.verdicts[DNP_FRAME_STRANGER], 1);
    init(&stranger, 2, &key);
    refused(bytes, pack(&stranger, 0, bytes));
    assert_int_equal(minus.cable.verdicts[DNP_FRAME_MISPLACED], 1);
    refused(recorded, len);
    refused(recorded, 20); /* and no more: it is waited for a while */
}

/* Who listens where the neighbour should, and is none. */
static void test_a_stranger_is_called(void **state)
{
    uint8_t bytes[DNP_FRAME_HEAD] = {0};
    int listener, fd = -1, on = 1;

    (void)state;
    close_side(&minus);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    for (unsigned i = 0; i < 2; i++) {
        UNTIL((fd = accept(listener, NULL, NULL)) >= 0)
        assert_int_equal(send(fd, bytes, sizeof bytes, MSG_NOSIGNAL), sizeof bytes);
        UNTIL(plus.cable.verdicts[DNP_FRAME_MALFORMED] == i + 1)
        assert_false(board_tcp_there(plus.tcp));
        close(fd);
    }
    close(listener);
    open_side(&minus, 1);
    UNTIL(know_each_other())
    words_arrive();
}

static void test_an_address_that_is_none_of_ours(void **state)
{
    struct sockaddr_in bad = loopback(htons(9));
    struct board_tcp *tcp = calloc(1, sizeof *tcp);

    (void)state;
    assert_non_null(tcp);
    assert_int_equal(inet_pton(AF_INET, "203.0.113.1", &bad.sin_addr), 1);
    for (unsigned link = 0; link < 2; link++) {
        assert_int_equal(board_tcp_open(tcp, link, &bad, &address), EADDRNOTAVAIL);
        board_tcp_close(tcp);
    }
    free(tcp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_come_in_pieces),
        cmocka_unit_test(test_a_socket_that_takes_little),
        cmocka_unit_test(test_damaged_lengths_and_the_end),
        cmocka_unit_test_setup_teardown(test_words_go_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_cable_that_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_end_that_begins_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_neighbour_that_calls_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_connection_that_breaks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strangers_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_stranger_is_called, setup, teardown),
        cmocka_unit_test(test_an_address_that_is_none_of_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
