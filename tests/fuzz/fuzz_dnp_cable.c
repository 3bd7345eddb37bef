/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/cable.c, dnp/sensors.c. */
#include "dnp/cable.h"
#include "dnp/sensors.h"
#include "fuzz_input.h"

/*
 * Datagrams of anybody. As they come nearly none has the right MAC, so a second copy gets one: then
 * the sender has the key and lies. Whatever is taken has the words that the datagram has. The same
 * bytes are read as a file of sensors.
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
    read_sensors(data, size);
    return 0;
}
