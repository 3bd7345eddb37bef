/* SPDX-License-Identifier: BSD-3-Clause */
/* The last events of a daemon. */
#include "hfm/history.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "hfm/verdict.h"

ni_status hfm_history_init(struct hfm_history *history, uint32_t room, int64_t realtime)
{
    *history = (struct hfm_history){.room = room, .realtime = realtime};
    history->event = ni_calloc(room, sizeof *history->event);
    return history->event != NULL ? NI_OK : NI_ERR_NOMEM;
}

void hfm_history_fini(struct hfm_history *history)
{
    ni_free(history->event);
    history->event = NULL;
}

void hfm_history_add(struct hfm_history *history, const struct hfm_event *event)
{
    history->event[history->count++ % history->room] = *event;
}

uint32_t hfm_history_length(const struct hfm_history *history)
{
    return (uint32_t)ni_min_u64(history->count, history->room);
}

const struct hfm_event *hfm_history_back(const struct hfm_history *history, uint32_t back)
{
    return &history->event[(history->count - 1 - back) % history->room];
}

static const char *const kinds[] = {"state", "acknowledged", "master", "follows", "service"};

void hfm_event_json(FILE *out, const struct hfm_history *history, const struct hfm_event *event)
{
    char text[200];
    uint64_t unix_us = (uint64_t)((int64_t)event->at + history->realtime) / 1000;

    fprintf(out, "{\"event\": \"%s\", \"at_ns\": %llu, \"unix_s\": %llu.%06u, \"node\": %u",
            kinds[event->kind], (unsigned long long)event->at,
            (unsigned long long)(unix_us / 1000000), (unsigned)(unix_us % 1000000), event->about);
    switch (event->kind) {
    case HFM_EVENT_STATE:
    case HFM_EVENT_ACKED:
        hfm_fault_print(event->fault, text, sizeof text);
        fprintf(out, ", \"state\": \"%s\", \"fault\": \"%s\", \"word\": %u",
                hfm_verdict_name(hfm_verdict_of(event->fault)), text, event->fault);
        fprintf(out, ", \"state_before\": \"%s\", \"word_before\": %u",
                hfm_verdict_name(hfm_verdict_of(event->before)), event->before);
        hfm_path_print(event->about, event->via, event->subject, text, sizeof text);
        fprintf(out, ", \"via\": %u, \"path\": \"%s\", \"took_us\": %u", event->via, text,
                event->age_us);
        break;
    case HFM_EVENT_MASTER:
        fprintf(out, ", \"acts\": %s, \"until_ns\": %llu", event->fault != 0 ? "true" : "false",
                (unsigned long long)event->until);
        break;
    case HFM_EVENT_FOLLOWS:
        break;
    case HFM_EVENT_SERVICE:
        fprintf(out, ", \"status\": \"%s\"", event->fault == DNP_BROKEN ? "broken" : "normal");
        break;
    }
    fprintf(out, ", \"term\": %llu}", (unsigned long long)event->term);
}

void hfm_event_text(FILE *out, const struct hfm_event *event)
{
    char fault[200], path[120];

    switch (event->kind) {
    case HFM_EVENT_STATE:
        hfm_fault_print(event->fault, fault, sizeof fault);
        hfm_path_print(event->about, event->via, event->subject, path, sizeof path);
        fprintf(out, "node %u is %s: %s (%s; seen otherwise %u.%03u ms before)", event->about,
                hfm_verdict_name(hfm_verdict_of(event->fault)), fault, path, event->age_us / 1000,
                event->age_us % 1000);
        break;
    case HFM_EVENT_ACKED:
        fprintf(out, "the alarm of node %u has been acknowledged", event->about);
        break;
    case HFM_EVENT_MASTER:
        fprintf(out,
                event->fault != 0 ? "node %u is the master" : "node %u is not the master any more",
                event->about);
        break;
    case HFM_EVENT_FOLLOWS:
        fprintf(out, "node %u is the master that is followed", event->about);
        break;
    case HFM_EVENT_SERVICE:
        fprintf(out, "the service network of node %u is %s", event->about,
                event->fault == DNP_BROKEN ? "broken: no master answers" : "normal again");
        break;
    }
}
