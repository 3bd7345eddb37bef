/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/config.c. */
#include "dnp/board/config.h"
#include "fuzz_input.h"

/* Any text as a configuration and as a key: what is accepted is in range, what is not has a
 * sentence. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), error[300] = "";
    struct board_config config;
    struct dnp_key key;

    must(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    if (board_config_parse(&config, text, error, sizeof error) == NI_OK) {
        must(config.fifo >= DNP_FIFO_MIN && config.fifo <= DNP_FIFO_MAX, "fifo");
        must(config.cycle_ns > 0 && config.key[0] != '\0', "cycle or key");
        for (unsigned i = 0; i < 3; i++) {
            must(config.place.at[i] < config.torus.size[i] && config.torus.size[i] < 1024, "place");
        }
    } else {
        must(strlen(error) > 10, "an error without a sentence");
    }
    (void)board_key_parse(text, &key);
    free(text);
    return 0;
}
