/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/cable.c, dnp/sensors.c, dnp/board/stream.c. */
#include <sys/socket.h>
#include <unistd.h>

#include "dnp/board/stream.h"
#include "dnp/cable.h"
#include "dnp/sensors.h"
#include "fuzz_input.h"

/*
 * Datagrams of anybody. As they come nearly none has the right MAC, so a second copy gets one: then
 * the sender has the key and lies. Whatever is taken has the words that the datagram has. The same
 * bytes come as a stream, in pieces, and are read as a file of sensors.
 */

static void take_as(const uint8_t *data, size_t size, bool sealed)
{
    static const struct dnp_key key = {{7, 8}};
    uint8_t frame[2 * DNP_FRAME_MAX];
    struct dnp_register_file registers;
    struct apelink_word words[DNP_FRAME_WORDS];
    struct dnp_cable cable;
    size_t len = size < sizeof frame ? size : sizeof frame;
    uint32_t n;

    memcpy(frame, data, len);
    dnp_registers_reset(&registers);
    dnp_cable_init(&cable, &key, 0, 0x0101010101010101U);
    if (sealed && len >= 8) {
        apelink_bytes_put64(frame + len - 8, dnp_mac(&key, frame, len - 8));
    }
    if (dnp_cable_take(&cable, &registers, frame, len, words, &n) == DNP_FRAME_GOOD) {
        must(n <= DNP_FRAME_WORDS && len == DNP_FRAME_HEAD + (size_t)n * APELINK_WORD + 8,
             "length");
        for (uint32_t i = 0; i < n; i++) {
            uint8_t bytes[APELINK_WORD];

            apelink_word_to(words[i], bytes);
            must(memcmp(bytes, frame + DNP_FRAME_HEAD + (size_t)i * APELINK_WORD, APELINK_WORD) ==
                     0,
                 "words");
        }
        must(dnp_cable_take(&cable, &registers, frame, len, words, &n) == DNP_FRAME_STALE, "twice");
    }
    must(n <= DNP_FRAME_WORDS, "words of a frame that does not count");
}

/* A stream is its frames one behind the other, in whatever pieces it comes, up to what is none. */
static void take_stream(const uint8_t *data, size_t size)
{
    static struct board_stream stream;
    size_t piece = 1 + (size > 0 ? data[0] % 97U : 0), put = 0, taken = 0, len;
    const uint8_t *bytes;
    int fds[2];

    size = size < 32768 ? size : 32768; /* which a pipe takes */
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0, "no sockets");
    board_stream_open(&stream, fds[0]);
    while (put < size) {
        size_t now = piece < size - put ? piece : size - put;

        must(send(fds[1], data + put, now, MSG_NOSIGNAL) == (ssize_t)now, "a socket is full");
        put += now;
        piece *= 2;
        while (board_stream_next(&stream, &bytes, &len) == BOARD_STREAM_FRAME) {
            must(taken + len <= put && memcmp(bytes, data + taken, len) == 0, "bytes");
            if (len < DNP_FRAME_EMPTY) {
                must(dnp_frame_length(data + taken) == 0, "a frame is refused");
                put = size;
                break;
            }
            must(len == dnp_frame_length(data + taken), "length of a frame");
            taken += len;
        }
    }
    close(fds[1]);
    board_stream_close(&stream);
}

/* The same with heads where frames begin, so that there are some. */
static void take_frames(const uint8_t *data, size_t size)
{
    static const uint8_t head[5] = {'A', 'P', 'E', 'C', 3};
    uint8_t copy[8192];
    size_t len;

    size = size < sizeof copy ? size : sizeof copy;
    memcpy(copy, data, size);
    for (size_t at = 0; size - at >= DNP_FRAME_HEAD; at += len) {
        memcpy(copy + at, head, sizeof head);
        copy[at + 7] &= 0xf8; /* short ones */
        len = dnp_frame_length(copy + at);
        if (len == 0 || len > size - at) {
            break;
        }
    }
    take_stream(copy, size);
}

static void read_sensors(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), error[128];
    struct dnp_register_file registers;

    must(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    dnp_registers_reset(&registers);
    if (dnp_sensors_parse(&registers, text, error, sizeof error) != NI_OK) {
        must(strlen(error) > 10, "an error without a sentence");
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take_as(data, size, false);
    take_as(data, size, true);
    take_stream(data, size);
    take_frames(data, size);
    read_sensors(data, size);
    return 0;
}
