/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_PERF_CARDS_H
#define TOOLS_PERF_CARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/client.h"
#include "perf.h"

/* The card, or the two, that the mode board has opened, and memory that is registered there. */

struct perf_card {
    struct apelink_client client;
    uint16_t at[3];
    uint16_t size[3];
};

struct perf_cards {
    struct perf_card card[2];
    struct perf_card *to; /* PUTs go there, and GETs come from there */
    uint8_t *source, *target;
    uint16_t nowhere[3]; /* along an axis without cables */
    bool can_drop;
};

/* As the options say. End the program with a sentence if that cannot be. */
void perf_cards_open(struct perf_cards *bench, const struct perf_options *options);
void perf_cards_close(struct perf_cards *bench);

/* End the program with a sentence if there is an error, a negative errno. */
void perf_card_check(int error, const char *what, const char *device);
/* Memory, all of it there. */
void *perf_card_map(uint64_t len, int kind);

#endif
