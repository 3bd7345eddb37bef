/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/trigger.h"

/* What can be triggered: how each operation is armed, run and dropped. */

static int check_trigger_ct(const struct ni *ni, const struct ni_ct *trig_ct)
{
    if (ni->portals == NULL || ni_usable(ni) != NI_OK) {
        return ni->portals == NULL ? NI_PTL_NO_INIT : (int)NI_ERR_FORKED;
    }
    return trig_ct != NULL ? NI_OK : NI_PTL_ARG_INVALID;
}

static struct ni_trigger *new_trigger(struct ni *ni, const struct ni_trigger_kind *kind)
{
    struct ni_trigger *trigger;

    ni_portals_lock(ni);
    trigger = ni_trigger_new(ni, kind);
    ni_portals_unlock(ni);
    return trigger;
}

/* Why an operation could not even be sent. */
static enum ni_ni_fail fail_of(int result)
{
    return result < 0 ? ni_fail_of((ni_status)result) : NI_NI_UNDELIVERABLE;
}

/* ---- puts ------------------------------------------------------------------------------------ */

/* It cannot even be sent: its events say so. */
static void fail_put(const struct ni_trigger *trigger, int result)
{
    bool vector = (trigger->put.md.options & NI_MD_IOVEC) != 0;
    const uint8_t *start = vector ? NULL : trigger->put.md.start;
    const struct ni_put put = {
        .peer = trigger->put.target,
        .header =
            {
                .src = vector ? NULL : start + trigger->put.local_offset,
                .length = trigger->put.length,
                .match_bits = trigger->put.match_bits,
                .hdr_data = trigger->put.hdr_data,
                .remote_offset = trigger->put.remote_offset,
                .pt_index = trigger->put.pt_index,
            },
        .eq = trigger->put.md.eq,
        .ct = trigger->put.md.ct,
        .user_ptr = trigger->put.user_ptr,
        .options = ni_put_options(&trigger->put.md, trigger->put.ack),
        .ack = trigger->put.ack != NI_NO_ACK_REQ,
    };

    ni_put_tell_failed(&put, fail_of(result));
}

static int run_put(struct ni *ni, struct ni_trigger *trigger)
{
    int result = ni_put(ni, &trigger->put.md, trigger->put.local_offset, trigger->put.length,
                        trigger->put.ack, trigger->put.target, trigger->put.pt_index,
                        trigger->put.match_bits, trigger->put.remote_offset, trigger->put.user_ptr,
                        trigger->put.hdr_data);

    if (result != NI_OK && result != NI_PTL_NO_SPACE) {
        fail_put(trigger, result);
    }
    return result;
}

int ni_triggered_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                     enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index,
                     uint64_t match_bits, uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                     struct ni_ct *trig_ct, uint64_t threshold)
{
    static const struct ni_trigger_kind kind = {.run = run_put};
    struct ni_trigger *trigger;
    int result = check_trigger_ct(ni, trig_ct);

    if (result == NI_OK) {
        result = ni_put_rare_check(ni, md, local_offset, length, ack, pt_index);
    }
    if (result != NI_OK) {
        return result;
    }
    trigger = new_trigger(ni, &kind);
    if (trigger == NULL) {
        return NI_PTL_NO_SPACE;
    }
    trigger->put.md = *md;
    /* Nobody sees the result. */
    trigger->put.md.options &= ~(unsigned)NI_MD_SENT_BY_RESULT;
    trigger->put.local_offset = local_offset;
    trigger->put.length = length;
    ni_peer_name(target);
    trigger->put.target = target;
    trigger->put.match_bits = match_bits;
    trigger->put.remote_offset = remote_offset;
    trigger->put.hdr_data = hdr_data;
    trigger->put.user_ptr = user_ptr;
    trigger->put.pt_index = (uint16_t)pt_index;
    trigger->put.ack = ack;
    ni_trigger_arm(ni, trigger, trig_ct, threshold);
    return NI_OK;
}

/* ---- gets and atomics ------------------------------------------------------------------------ */

static int run_request(struct ni *ni, struct ni_trigger *trigger)
{
    struct ni_trigger_request request = *trigger->request;
    int result;

    request.put.extra = &request.extra;
    result = ni_request_start(ni, &request.put, NULL);
    if (result == NI_PTL_NO_SPACE) {
        return result;
    }
    ni_free(trigger->request);
    if (result != NI_OK) {
        ni_put_tell_failed(&request.put, fail_of(result));
    }
    return NI_OK;
}

static void drop_request(struct ni *ni, struct ni_trigger *trigger)
{
    (void)ni;
    ni_free(trigger->request);
}

int ni_triggered_request(struct ni *ni, const struct ni_put *put, const struct ni_when *when)
{
    static const struct ni_trigger_kind kind = {run_request, drop_request};
    struct ni_trigger_request *request;
    struct ni_trigger *trigger;
    int result = check_trigger_ct(ni, when->ct);

    if (result != NI_OK) {
        return result;
    }
    request = ni_malloc(sizeof(*request));
    if (request == NULL || (trigger = new_trigger(ni, &kind)) == NULL) {
        ni_free(request);
        return NI_PTL_NO_SPACE;
    }
    ni_peer_name(put->peer);
    request->put = *put;
    request->put.options &= ~(unsigned)NI_MD_SENT_BY_RESULT;
    request->extra = *put->extra;
    trigger->request = request;
    ni_trigger_arm(ni, trigger, when->ct, when->threshold);
    return NI_OK;
}

/* ---- counters -------------------------------------------------------------------------------- */

static int run_inc(struct ni *ni, struct ni_trigger *trigger)
{
    (void)ni;
    return ni_ct_inc(trigger->count.ct, trigger->count.value);
}

static int run_set(struct ni *ni, struct ni_trigger *trigger)
{
    (void)ni;
    return ni_ct_set(trigger->count.ct, trigger->count.value);
}

static int arm_count(struct ni *ni, const struct ni_trigger_kind *kind, struct ni_ct *ct,
                     struct ni_ct_event value, struct ni_ct *trig_ct, uint64_t threshold)
{
    struct ni_trigger *trigger = new_trigger(ni, kind);

    if (trigger == NULL) {
        return NI_PTL_NO_SPACE;
    }
    trigger->count.ct = ct;
    trigger->count.value = value;
    ni_trigger_arm(ni, trigger, trig_ct, threshold);
    return NI_OK;
}

int ni_triggered_ct_inc(struct ni *ni, struct ni_ct *ct, struct ni_ct_event increment,
                        struct ni_ct *trig_ct, uint64_t threshold)
{
    static const struct ni_trigger_kind kind = {.run = run_inc};
    int result = check_trigger_ct(ni, trig_ct);

    if (result == NI_OK && (ct == NULL || (increment.success != 0 && increment.failure != 0))) {
        result = NI_PTL_ARG_INVALID;
    }
    return result != NI_OK ? result : arm_count(ni, &kind, ct, increment, trig_ct, threshold);
}

int ni_triggered_ct_set(struct ni *ni, struct ni_ct *ct, struct ni_ct_event value,
                        struct ni_ct *trig_ct, uint64_t threshold)
{
    static const struct ni_trigger_kind kind = {.run = run_set};
    int result = check_trigger_ct(ni, trig_ct);

    if (result == NI_OK && ct == NULL) {
        result = NI_PTL_ARG_INVALID;
    }
    return result != NI_OK ? result : arm_count(ni, &kind, ct, value, trig_ct, threshold);
}

/* ---- match entries --------------------------------------------------------------------------- */

static int run_append(struct ni *ni, struct ni_trigger *trigger)
{
    return ni_entry_append(ni, trigger->append.entry, trigger->append.pt_index, &trigger->append.me,
                           trigger->append.list);
}

static void drop_append(struct ni *ni, struct ni_trigger *trigger)
{
    ni_pool_put(&ni->portals->entries, trigger->append.entry);
}

/* The entry is there from now on, so that it has a handle and nothing is missing later. */
static struct ni_trigger *new_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                                     enum ni_list_kind list, void *user_ptr, ni_me_handle *handle)
{
    static const struct ni_trigger_kind kind = {run_append, drop_append};
    struct ni_trigger *trigger = NULL;
    struct ni_entry *entry;

    ni_portals_lock(ni);
    entry = ni_entry_reserve(ni, me, user_ptr);
    if (entry != NULL && (trigger = ni_trigger_new(ni, &kind)) == NULL) {
        ni_pool_put(&ni->portals->entries, entry);
    }
    if (trigger != NULL) {
        trigger->append.entry = entry;
        trigger->append.me = *me;
        trigger->append.pt_index = pt_index;
        trigger->append.list = list;
        if (handle != NULL) {
            *handle = ni_pool_token(&ni->portals->entries, entry);
        }
    }
    ni_portals_unlock(ni);
    return trigger;
}

int ni_triggered_me_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                           enum ni_list_kind list, void *user_ptr, ni_me_handle *handle,
                           struct ni_ct *trig_ct, uint64_t threshold)
{
    struct ni_trigger *trigger;
    struct ni_me measured;
    int result = check_trigger_ct(ni, trig_ct);

    if (result == NI_OK) {
        result = ni_me_measure(ni, me, &measured);
    }
    if (result == NI_OK) {
        result = ni_entry_check(ni, pt_index, &measured, list);
    }
    if (result != NI_OK) {
        return result;
    }
    trigger = new_append(ni, pt_index, &measured, list, user_ptr, handle);
    if (trigger == NULL) {
        return NI_PTL_NO_SPACE;
    }
    ni_trigger_arm(ni, trigger, trig_ct, threshold);
    return NI_OK;
}

static int run_unlink(struct ni *ni, struct ni_trigger *trigger)
{
    ni_entry_unlink(ni, trigger->unlink.handle);
    return NI_OK;
}

int ni_triggered_me_unlink(struct ni *ni, ni_me_handle handle, struct ni_ct *trig_ct,
                           uint64_t threshold)
{
    static const struct ni_trigger_kind kind = {.run = run_unlink};
    struct ni_trigger *trigger;
    int result = check_trigger_ct(ni, trig_ct);

    if (result != NI_OK) {
        return result;
    }
    trigger = new_trigger(ni, &kind);
    if (trigger == NULL) {
        return NI_PTL_NO_SPACE;
    }
    trigger->unlink.handle = handle;
    ni_trigger_arm(ni, trigger, trig_ct, threshold);
    return NI_OK;
}
