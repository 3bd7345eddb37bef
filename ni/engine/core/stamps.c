/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/stamps.h"
#include "engine/core/progress_lock.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/boot.h"

#define PERIOD_NS UINT64_C(1000000000)

/* ---- life ------------------------------------------------------------------------------------ */

/* What reading the clock takes. */
static uint64_t reading_error(void)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < 32; i++) {
        uint64_t before = ni_now_ns();

        least = ni_min_u64(least, ni_now_ns() - before);
    }
    return ni_max_u64(least, 1);
}

ni_status ni_stamps_open(struct ni *ni, uint64_t host_key)
{
    uint32_t room = (uint32_t)ni->config->stamps;

    if (room == 0) {
        return NI_OK;
    }
    ni->stamps = ni_calloc(1, sizeof(*ni->stamps) + room * sizeof(ni->stamps->ring[0]));
    if (ni->stamps == NULL) {
        return NI_ERR_NOMEM;
    }
    ni->stamps->clock = ni_clock_name() ^ host_key * UINT64_C(0x9e3779b97f4a7c15);
    ni->stamps->error_ns = reading_error();
    ni->stamps->room = room;
    ni->poll_cases |= NI_POLL_STAMPS;
    return NI_OK;
}

void ni_stamps_close(struct ni *ni)
{
    ni_free(ni->stamps);
}

ni_status ni_stamps_open_peer(struct ni_peer *peer)
{
    if (peer->ni->stamps == NULL) {
        return NI_OK;
    }
    peer->stamps = ni_calloc(1, sizeof(*peer->stamps));
    if (peer->stamps == NULL) {
        return NI_ERR_NOMEM;
    }
    peer->stamps->told = NI_STAMPS_NONE;
    peer->stamps->least_before = NI_STAMPS_NONE;
    peer->stamps->least_of_period = NI_STAMPS_NONE;
    atomic_init(&peer->stamps->least, NI_STAMPS_NONE);
    ni_peer_wait_for(peer, NI_WAITING_STAMPS);
    return NI_OK;
}

void ni_stamps_close_peer(struct ni_peer *peer)
{
    ni_free(peer->stamps);
}

/* ---- sending --------------------------------------------------------------------------------- */

void ni_stamps_begin(struct ni_peer_stamps *stamps)
{
    stamps->post = stamps->waited != 0 ? stamps->waited : ni_now_ns();
}

struct ni_packet_stamp ni_stamps_depart(const struct ni_peer *peer, uint32_t seq)
{
    return (struct ni_packet_stamp){
        .post = peer->stamps->post,
        .clock = peer->ni->stamps->clock,
        .least = atomic_load_explicit(&peer->stamps->least, memory_order_relaxed),
        .seq = seq,
        .depart = ni_now_ns(),
    };
}

/* ---- receiving ------------------------------------------------------------------------------- */

static struct ni_stamp_pending *find_stamp(struct ni_peer_stamps *stamps, uint32_t seq)
{
    for (uint64_t i = 0; i < NI_STAMPS_PENDING && i < stamps->arrivals; i++) {
        uint64_t at = (stamps->arrivals - i) % NI_STAMPS_PENDING;

        if (stamps->seqs[at] == seq && stamps->pending[at].id != 0) {
            return &stamps->pending[at];
        }
    }
    return NULL;
}

static const char *kind_name(unsigned kind)
{
    static const char *const names[NI_PACKET_KINDS] = {
        [NI_PACKET_MESSAGE] = "message", [NI_PACKET_WRITE] = "write",
        [NI_PACKET_READ] = "read",       [NI_PACKET_ATOMIC] = "atomic",
        [NI_PACKET_PUT] = "put",         [NI_PACKET_PUT_LONG] = "long put",
        [NI_PACKET_GET] = "get",         [NI_PACKET_COMBINE] = "combine",
    };

    return names[kind];
}

uint64_t ni_stamps_arrive(struct ni_peer *peer, uint64_t word0, uint64_t word1)
{
    struct ni_peer_stamps *stamps = peer->stamps;
    struct ni_stamp_pending *pending;

    if (!ni_stamps_kind(ni_packet_kind(word0))) {
        return 0;
    }
    pending = ni_packet_seq(word0) != 0 ? find_stamp(stamps, ni_packet_seq(word0)) : NULL;
    if (pending != NULL && pending->stamp.deliver == 0) {
        return pending->id; /* it could not be taken before */
    }
    pending = &stamps->pending[++stamps->arrivals % NI_STAMPS_PENDING];
    stamps->seqs[stamps->arrivals % NI_STAMPS_PENDING] = ni_packet_seq(word0);
    *pending = (struct ni_stamp_pending){
        .id = stamps->arrivals,
        .stamp = {.source = peer,
                  .kind = kind_name(ni_packet_kind(word0)),
                  .len = ni_packet_len(word1),
                  .tag = ni_packet_tag(word0),
                  .arrive = ni_now_ns()},
    };
    return pending->id;
}

void ni_stamps_convert(struct ni_stamp *stamp, int64_t least, int64_t told)
{
    /* Halves, so that no numbers of a peer's choice overflow. */
    int64_t difference = least / 2 - told / 2, error = least / 2 + told / 2;

    if (least == NI_STAMPS_NONE || told == NI_STAMPS_NONE) {
        stamp->error_ns = NI_STAMP_UNKNOWN;
        return;
    }
    stamp->post += (uint64_t)difference;
    stamp->depart += (uint64_t)difference;
    stamp->error_ns += error > 0 ? (uint64_t)error : 0;
}

/* All four times are known. */
static void keep_stamp(struct ni *ni, struct ni_peer_stamps *peer, struct ni_stamp_pending *pending)
{
    struct ni_stamps *stamps = ni->stamps;
    struct ni_stamp *stamp = &stamps->ring[stamps->count++ % stamps->room];

    *stamp = pending->stamp;
    stamp->error_ns = stamps->error_ns;
    if (peer->clock != stamps->clock) {
        ni_stamps_convert(stamp, atomic_load_explicit(&peer->least, memory_order_relaxed),
                          peer->told);
    }
    pending->id = 0;
    ni_stat_add(&ni->stats.stamps, 1);
}

void ni_stamps_deliver(struct ni *ni, struct ni_peer *peer, uint64_t id)
{
    struct ni_stamp_pending *pending = &peer->stamps->pending[id % NI_STAMPS_PENDING];

    if (id == 0 || pending->id != id) {
        return;
    }
    pending->stamp.deliver = ni_now_ns();
    if (pending->departed) {
        keep_stamp(ni, peer->stamps, pending);
    }
}

/* The least difference counts for its period and the next one. */
static void learn_difference(struct ni_peer_stamps *stamps, int64_t difference, uint64_t now)
{
    int64_t least;

    if (now - stamps->since > PERIOD_NS) {
        stamps->least_before = stamps->since == 0 ? NI_STAMPS_NONE : stamps->least_of_period;
        stamps->least_of_period = NI_STAMPS_NONE;
        stamps->since = now;
    }
    if (difference < stamps->least_of_period) {
        stamps->least_of_period = difference;
    }
    least = stamps->least_before < stamps->least_of_period ? stamps->least_before
                                                           : stamps->least_of_period;
    atomic_store_explicit(&stamps->least, least, memory_order_relaxed);
}

void ni_stamps_told(struct ni *ni, struct ni_peer *peer, const struct ni_packet_stamp *told)
{
    struct ni_peer_stamps *stamps = peer->stamps;
    struct ni_stamp_pending *pending;

    if (stamps == NULL) {
        return;
    }
    stamps->clock = told->clock;
    stamps->told = told->least;
    pending = find_stamp(stamps, (uint32_t)told->seq);
    if (pending == NULL || pending->departed) {
        return;
    }
    pending->stamp.post = told->post;
    pending->stamp.depart = told->depart;
    pending->departed = true;
    learn_difference(stamps, (int64_t)(pending->stamp.arrive - told->depart),
                     pending->stamp.arrive);
    if (pending->stamp.deliver != 0) {
        keep_stamp(ni, stamps, pending);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

ni_status ni_stamps_read(struct ni *ni, uint64_t *next, struct ni_stamp *stamps, size_t *count)
{
    ni_status status = ni_usable(ni);
    size_t done = 0;
    bool taken;

    if (status != NI_OK) {
        return status;
    }
    if (next == NULL || count == NULL || (stamps == NULL && *count != 0)) {
        return NI_ERR_INVALID;
    }
    if (ni->stamps == NULL) {
        return NI_ERR_UNSUPPORTED;
    }
    taken = ni_progress_lock_take(ni);
    if (ni->stamps->count - ni_min_u64(*next, ni->stamps->count) > ni->stamps->room) {
        *next = ni->stamps->count - ni->stamps->room;
    }
    while (done < *count && *next < ni->stamps->count) {
        stamps[done++] = ni->stamps->ring[(*next)++ % ni->stamps->room];
    }
    *count = done;
    ni_progress_lock_give(ni, taken);
    return NI_OK;
}
