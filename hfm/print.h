/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_PRINT_H
#define HFM_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "hfm/config.h"
#include "hfm/history.h"
#include "hfm/host.h"
#include "hfm/node.h"

/* Messages of a daemon, since it began. */
struct hfm_counts {
    uint64_t sent, unsent, received, refused;
    uint64_t events[5];   /* by kind */
    uint64_t took_us[20]; /* histogram: state changes that took less than 2^i us */
    uint64_t took_count, took_sum_us;
};

/* Count an event. */
void hfm_counts_add(struct hfm_counts *counts, const struct hfm_event *event);

/* All that a daemon tells about itself and its cluster. */
struct hfm_state {
    const struct hfm_config *config;
    const struct hfm_node *node;
    const struct hfm_history *history;
    const struct hfm_host *host;
    const struct hfm_counts *counts;
    const char *card; /* its state; NULL: there is none */
    uint64_t now;     /* ns */
    const char *version;
};

/* What `status` exits with. */
enum { HFM_EXIT_NORMAL, HFM_EXIT_SICK, HFM_EXIT_BROKEN, HFM_EXIT_UNKNOWN };

/* By the worst that nobody has acknowledged; unknown if there is no master. */
int hfm_print_exit(const struct hfm_state *state);

void hfm_print_text(FILE *out, const struct hfm_state *state);
void hfm_print_json(FILE *out, const struct hfm_state *state);
void hfm_print_metrics(FILE *out, const struct hfm_state *state);
/* A page of HTML that needs nothing else (print_page.c). */
void hfm_print_page(FILE *out, const struct hfm_state *state);

/* Text as a string of JSON, which is one of Prometheus, too. */
void hfm_print_quoted(FILE *out, const char *text);

#endif
