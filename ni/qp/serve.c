/* SPDX-License-Identifier: BSD-3-Clause */
#include "qp/pair.h"

/*
 * The back of the pipeline (soNUMA-NI 4.2): a request is unrolled into units, one operation of the
 * engine each, and when the last of them has completed its completion is written. Units of
 * different requests overlap; one that finds no room in the network is tried again at the next
 * poll, with all behind it: a queue pair is in order where it begins.
 */

static const ni_status statuses[] = {
    [NI_QP_DONE] = NI_OK,
    [NI_QP_BAD_REQUEST] = NI_ERR_INVALID,
    [NI_QP_BAD_TARGET] = NI_ERR_NOTFOUND,
    [NI_QP_BAD_LOCAL] = NI_ERR_BOUNDS,
    [NI_QP_BAD_NOTE] = NI_ERR_NOTFOUND,
};

static uint64_t value_of(const struct ni_qp_flight *flight)
{
    if (flight->status != NI_OK) {
        return 0;
    }
    return ni_qp_op_of(flight->word[0]) == NI_QP_ATOMIC ? flight->value : flight->issued;
}

/* The end of a request. take.c saw to it that there is room. */
static void finish_request(struct ni_qp_flight *flight)
{
    struct ni_qpair *pair = flight->pair;
    uint32_t count = pair->attr.completion_count;
    bool silent = flight->status == NI_OK && (ni_qp_flags_of(flight->word[0]) & NI_QP_SILENT) != 0;

    ni_stat_add(&pair->ni->stats.qp_refused, flight->status != NI_OK);
    if (!pair->gone && !silent) {
        ni_word *word = pair->attr.completions[pair->completed & (count - 1)].word;
        uint64_t toggle = ni_qp_toggle(pair->completed, count);

        ni_qp_store(&word[1], value_of(flight));
        /* Q3 */
        ni_qp_store(&word[0], toggle | (uint64_t)flight->reason << 8 |
                                  (uint64_t)(uint16_t)(int16_t)flight->status << 16 |
                                  flight->word[5] << 32);
        pair->completed++;
    }
    flight->next = pair->free;
    pair->free = flight;
    pair->out--;
}

static void fail_request(struct ni_qp_flight *flight, ni_status status, enum ni_qp_reason reason)
{
    if (flight->status == NI_OK) {
        flight->status = status;
        flight->reason = reason;
    }
}

static void on_unit(void *arg, ni_status status, uint64_t value)
{
    struct ni_qp_flight *flight = arg;
    struct ni_qpair *pair = flight->pair;

    flight->units--;
    pair->units--;
    flight->value = value; /* of an atomic, which is one unit */
    if (status != NI_OK) {
        fail_request(flight, status, NI_QP_FAILED);
    }
    if (flight->units == 0 && !flight->issuing) {
        finish_request(flight);
    }
    if (pair->gone) {
        ni_qp_settle(pair);
    }
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Units end where a multiple of their size does at the target, as cache lines do. */
static uint64_t unit_len(const struct ni_qp_flight *flight)
{
    uint64_t left = ni_qp_len_of(flight->word[0]) - flight->issued;
    uint32_t unroll = flight->pair->attr.unroll;

    if (unroll == 0 || (ni_qp_flags_of(flight->word[0]) & NI_QP_NOTE) != 0) {
        return left;
    }
    return ni_min_u64(left, unroll - (flight->word[2] + flight->issued) % unroll);
}

static ni_status start_write(struct ni_qp_flight *flight, const void *local, uint64_t len,
                             const struct ni_remote *remote, const struct ni_ack *ack)
{
    unsigned flags = ni_qp_flags_of(flight->word[0]);
    struct ni *ni = flight->pair->ni;
    bool departed = (flags & NI_QP_DEPARTED) != 0;

    if (NI_LIKELY((flags & (NI_QP_NOTE | NI_QP_DEPARTED)) == 0)) {
        return ni_write(ni, flight->peer, local, len, remote, ack);
    }
    return ni_write_notify(ni, flight->peer, local, len, remote,
                           (flags & NI_QP_NOTE) != 0 ? &flight->note : NULL, departed ? ack : NULL,
                           departed ? NULL : ack);
}

/* As the calls of transfer.h: NI_OK, and on_unit comes or has come. */
static ni_status start_unit(struct ni_qp_flight *flight, uint64_t len)
{
    struct ni *ni = flight->pair->ni;
    uint8_t *local = (uint8_t *)(uintptr_t)(flight->word[1] + flight->issued);
    struct ni_remote remote = {.addr = flight->word[2] + flight->issued,
                               .key = flight->target.key,
                               .handle = flight->target.handle};
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_unit, .arg = flight};
    ni_status status = ni_peer_status(flight->peer);

    if (status != NI_OK) {
        return status;
    }
    switch (ni_qp_op_of(flight->word[0])) {
    case NI_QP_READ:
        return ni_read(ni, flight->peer, local, len, &remote, &ack);
    case NI_QP_WRITE:
        return start_write(flight, local, len, &remote, &ack);
    default:
        return ni_fetch_op(ni, flight->peer, (enum ni_atomic_op)(flight->word[5] >> 32),
                           (unsigned)len, flight->word[3], flight->word[4], &remote, &ack);
    }
}

/* Send the next unit; false: there is no room for it. */
static bool issue(struct ni_qp_flight *flight)
{
    struct ni_qpair *pair = flight->pair;
    bool atomic = ni_qp_op_of(flight->word[0]) == NI_QP_ATOMIC;
    uint64_t len = atomic ? ni_qp_len_of(flight->word[0]) : unit_len(flight);
    ni_status status;

    if (pair->units == NI_QP_UNITS_OUT) {
        return false;
    }
    if (!ni_qp_is_owners(flight, len)) {
        fail_request(flight, NI_ERR_BOUNDS, NI_QP_BAD_LOCAL);
        return true;
    }
    pair->units++;
    flight->units++;
    status = start_unit(flight, len);
    if (status == NI_OK) {
        flight->issued += len;
        ni_stat_add(&pair->ni->stats.qp_units, 1);
        return true;
    }
    pair->units--;
    flight->units--;
    if (status != NI_AGAIN) {
        fail_request(flight, status, NI_QP_FAILED);
    }
    return status != NI_AGAIN;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* What a request needs before its first unit; false: others have to complete first. */
static bool begin_request(struct ni_qp_flight *flight)
{
    struct ni_qpair *pair = flight->pair;
    enum ni_qp_reason reason;

    if ((ni_qp_flags_of(flight->word[0]) & NI_QP_FENCE) != 0 && pair->out > 1) {
        return false;
    }
    reason = ni_qp_judge(flight);
    if (reason != NI_QP_DONE) {
        fail_request(flight, statuses[reason], reason);
    }
    flight->begun = true;
    return true;
}

/* One unit of the current request; false: not now. */
static bool step_pair(struct ni_qpair *pair)
{
    struct ni_qp_flight *flight = pair->current;
    bool nop;

    if (!flight->begun && !begin_request(flight)) {
        return false;
    }
    nop = ni_qp_op_of(flight->word[0]) == NI_QP_NOP;
    if (flight->status == NI_OK && !nop && !issue(flight)) {
        return false;
    }
    if (nop || flight->status != NI_OK || flight->issued >= ni_qp_len_of(flight->word[0])) {
        pair->current = NULL;
        flight->issuing = false;
        if (flight->units == 0) {
            finish_request(flight);
        }
    }
    return true;
}

unsigned ni_qp_serve(struct ni_qpair *pair)
{
    unsigned events = 0;

    if (pair->serving) {
        return 0; /* a callback of ours polls */
    }
    pair->serving = true;
    while (events < NI_QP_BUDGET && !pair->gone && (pair->current != NULL || ni_qp_take(pair)) &&
           step_pair(pair)) {
        events++;
    }
    pair->serving = false;
    if (pair->gone) {
        ni_qp_settle(pair);
    } else if (pair->taken != pair->published) {
        ni_qp_store(&pair->attr.ends->taken,
                    pair->taken); /* Q1: the entries may be written again */
        pair->published = pair->taken;
    }
    return events;
}
