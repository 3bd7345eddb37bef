/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_events.h"

void events_expect(struct events *events, const struct request *request,
                   const struct model_outcome *outcome, const struct buffer *buffer, bool late)
{
    struct ni_event event = {
        .type = request_kind(request),
        .user_ptr = (void *)(uintptr_t)outcome->entry,
        .match_bits = request->what.who.bits,
        .hdr_data = request->what.verb == MODEL_GET ? 0 : outcome->number,
        .rlength = request->what.length,
        .mlength = outcome->mlength,
        .remote_offset = outcome->offset,
        .initiator = request->what.who.initiator,
    };

    event.start = event.mlength != 0 ? buffer_at(buffer, event.remote_offset) : NULL;
    if (outcome->unlinks && (outcome->options & NI_ME_EVENT_UNLINK_DISABLE) == 0) {
        events->expected[events->expected_count++] =
            (struct ni_event){.type = NI_EVENT_AUTO_UNLINK, .user_ptr = event.user_ptr};
    }
    if (late) {
        event.type = (enum ni_event_kind)((unsigned)event.type + NI_EVENT_PUT_OVERFLOW);
    }
    events->expected[events->expected_count++] = event;
}

bool events_see(struct events *events, const struct ni_event *event)
{
    if (events->seen_count == MODEL_EVENTS) {
        return false;
    }
    events->seen[events->seen_count++] = *event;
    return true;
}

static bool same(const struct ni_event *a, const struct ni_event *b)
{
    if (a->type != b->type || a->user_ptr != b->user_ptr) {
        return false;
    }
    return a->type == NI_EVENT_AUTO_UNLINK ||
           (a->ni_fail_type == b->ni_fail_type && a->match_bits == b->match_bits &&
            a->hdr_data == b->hdr_data && a->rlength == b->rlength && a->mlength == b->mlength &&
            a->remote_offset == b->remote_offset && a->initiator == b->initiator &&
            (a->mlength == 0 || a->start == b->start));
}

bool events_agree(struct events *events, bool in_order)
{
    bool agree = events->seen_count == events->expected_count;

    for (unsigned i = 0; agree && i < events->seen_count; i++) {
        unsigned k = i;

        while (!in_order && k < events->expected_count &&
               !same(&events->seen[i], &events->expected[k])) {
            k++;
        }
        agree = k < events->expected_count && same(&events->seen[i], &events->expected[k]);
        if (agree) {
            events->count[events->seen[i].type]++;
            events->expected[k] = events->expected[i];
        }
    }
    events->seen_count = events->expected_count = 0;
    return agree;
}
