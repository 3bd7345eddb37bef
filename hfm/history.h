/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_HISTORY_H
#define HFM_HISTORY_H

#include <stdint.h>
#include <stdio.h>

#include <apeni/status.h>

#include "hfm/node.h"

/* The last events of a daemon, so many that memory does not grow. Not thread-safe. */
struct hfm_history {
    uint32_t room;
    uint64_t count;   /* since it began */
    int64_t realtime; /* what added to the clock of events gives the time of day, in ns */
    struct hfm_event *event;
};

ni_status hfm_history_init(struct hfm_history *history, uint32_t room, int64_t realtime);
void hfm_history_fini(struct hfm_history *history);
void hfm_history_add(struct hfm_history *history, const struct hfm_event *event);

/* How many are there still, and the one that came so many before the last. */
uint32_t hfm_history_length(const struct hfm_history *history);
const struct hfm_event *hfm_history_back(const struct hfm_history *history, uint32_t back);

/* An event as one JSON object, without a newline, and as a sentence. */
void hfm_event_json(FILE *out, const struct hfm_history *history, const struct hfm_event *event);
void hfm_event_text(FILE *out, const struct hfm_event *event);

#endif
