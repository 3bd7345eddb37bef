/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks tell each other beside messages: puts without data to a portal of their own. */
#include "core/recorder.h"

int pri_control_put(struct pri_rank *self, struct ni_peer *to, uint64_t bits, uint64_t request,
                    enum pri_control what)
{
    static const struct ni_md no_data = {0};

    return pri_error_of(ni_put(self->ni, &no_data, 0, 0, NI_NO_ACK_REQ, to, PRI_PT_CONTROL, bits, 0,
                               NULL, request | (uint64_t)what));
}

static NI_COLD void on_control(void *arg, const struct ni_event *event)
{
    struct pri_rank *self = arg;

    switch (pri_header_name(event->hdr_data)) {
    case PRI_CONTROL_CANCEL:
        pri_on_cancel(self, event);
        break;
    case PRI_CONTROL_KEPT:
    case PRI_CONTROL_CANCELLED:
        pri_on_cancel_answer(self, event,
                             pri_header_name(event->hdr_data) == PRI_CONTROL_CANCELLED);
        break;
    case PRI_CONTROL_REVOKE:
        pri_on_revoke(self, pri_peer_of(self, event), (uint32_t)event->match_bits);
        break;
    case PRI_CONTROL_LEAD:
        pri_on_lead(self, pri_peer_of(self, event), (uint32_t)(event->match_bits >> 32),
                    (uint32_t)event->match_bits);
        break;
    case PRI_CONTROL_FOLLOW:
        pri_on_follow(self, pri_peer_of(self, event), (uint32_t)(event->match_bits >> 32),
                      (uint32_t)event->match_bits);
        break;
    case PRI_CONTROL_DEAD:
        pri_on_taken_for_dead(self, pri_peer_of(self, event));
    default:
        pri_recorder_on_control(self, event, (enum pri_control)pri_header_name(event->hdr_data));
    }
}

int pri_control_open(struct pri_rank *self)
{
    const struct ni_me me = {
        .ignore_bits = UINT64_MAX, .match_id = NI_INITIATOR_ANY, .options = NI_ME_OP_PUT};
    uint32_t index;
    int result = ni_eq_alloc_handler(self->ni, on_control, self, &self->cold->control);

    if (result == NI_OK) {
        result = ni_pt_alloc(self->ni, 0, self->cold->control, PRI_PT_CONTROL, &index);
    }
    if (result == NI_OK) {
        result = ni_me_append(self->ni, PRI_PT_CONTROL, &me, NI_PRIORITY_LIST, NULL, NULL);
    }
    return result;
}
