/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/log.h"
#include "link/dev/dev.h"

/*
 * Looks. Each peer that was greeted is looked at now and then, by a GET of what it says of itself,
 * and sooner while lines that were sent to it are not acknowledged. Its card answers, so that
 * nothing follows from its being quiet:
 *
 *   the memory is not there          its process has ended: NI_ERR_PEER_DEAD
 *   another key is there             another process has its channel: likewise
 *   no answer for dev_timeout_s      a cable or its card: NI_ERR_CABLE
 *   our own driver says so           our card has gone: NI_ERR_CARD (card.c)
 *
 * A line that is not acknowledged although the look after it has come back was lost, or is unread:
 * the first of them is sent again, with pauses that double.
 */

#define BLINK_NS  UINT64_C(100000000) /* the clock goes on by this at most */
#define TICK_NS   UINT64_C(4000000)   /* from one walk over the peers to the next */
#define CARD_NS   UINT64_C(100000000) /* from one look for our card to the next */
#define SOON_NS   UINT64_C(20000000)  /* until a look at who does not acknowledge */
#define REST_NS   UINT64_C(250000000) /* from one look at a peer to the next */
#define PEER_NS   UINT64_C(2000000)   /* of that at least for each peer */
#define AGAIN_NS  UINT64_C(30000000)  /* until the first repetition */
#define AGAIN_MAX UINT64_C(1000000000)
#define ANSWER_NS UINT64_C(2000000000) /* what a look that failed stands for at most */
#define LATE_NS   UINT64_C(4000000000) /* no card waits so long for an answer */

void ni_dev_touch(struct ni_dev_peer *peer)
{
    peer->moved_ns = peer->link->now_ns;
    peer->again_ns = AGAIN_NS;
}

/* Whether it is time to say something again. */
static bool is_time(struct ni_dev_peer *peer)
{
    if (peer->link->now_ns - peer->moved_ns < peer->again_ns) {
        return false;
    }
    peer->moved_ns = peer->link->now_ns;
    peer->again_ns = peer->again_ns * 2 < AGAIN_MAX ? peer->again_ns * 2 : AGAIN_MAX;
    return true;
}

/* ---- what a look has found ------------------------------------------------------------------- */

static void silent(struct ni_dev_peer *peer, uint64_t ns)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(4);
    uint64_t timeout_s = peer->link->config->dev_timeout_s;
    uint32_t place = peer->blob.place;
    char parameter[96];

    peer->silent_ns += ns;
    if (timeout_s == 0 || peer->silent_ns < timeout_s * 1000000000 ||
        ni_far_ending(&peer->far) != NI_OK) {
        return;
    }
    ni_config_name("dev_timeout_s", parameter, sizeof(parameter));
    ni_log_limited(&limit, NI_LOG_ERROR,
                   "dev: the card at %u %u %u has not answered for %u s: a process there is given "
                   "up. See whether the cables between are whole (apeni-info --board) and its "
                   "apelink-board runs. If they may be away for longer, set %s to more seconds",
                   place & 0x3ff, place >> 10 & 0x3ff, place >> 20, (unsigned)timeout_s, parameter);
    ni_dev_end(peer, NI_ERR_CABLE);
}

void ni_dev_looked(struct ni_dev_peer *peer, const struct ni_dev_state *state)
{
    uint64_t took = peer->link->now_ns - peer->looked_ns;

    if (state == NULL) {
        silent(peer, took < ANSWER_NS ? took : ANSWER_NS);
        return;
    }
    peer->silent_ns = 0;
    peer->doubted = false;
    if (state->key != peer->blob.key ||
        (peer->known && state->serial != 0 && state->serial != peer->theirs)) {
        peer->refused = true; /* another process, or connection, is there now */
        ni_dev_end(peer, NI_ERR_PEER_DEAD);
        return;
    }
    if (!peer->known) {
        return; /* of the identity only the key counts */
    }
    peer->flushed = peer->said && peer->looked_ns >= peer->buried_ns;
    ni_dev_on_state(peer, state);
    peer->dirty = peer->dirty || (peer->said && !peer->parted); /* bye may have been lost */
    if (peer->acked != peer->sent && is_time(peer)) {
        peer->repeat = true;
    }
}

/* ---- now and then ---------------------------------------------------------------------------- */

static uint64_t look_interval(const struct ni_dev_peer *peer)
{
    uint64_t each = (uint64_t)peer->link->peer_count * PEER_NS;

    if (peer->acked != peer->sent || (peer->said && !(peer->flushed && peer->parted))) {
        return SOON_NS;
    }
    return each > REST_NS ? each : REST_NS;
}

static void watch_peer(struct ni_dev_peer *peer, uint64_t passed)
{
    uint64_t since = peer->link->now_ns - peer->looked_ns;

    if (!ni_dev_answers(peer)) {
        return;
    }
    if (peer->greeted && !peer->known && is_time(peer)) {
        peer->hellos = true;
        ni_dev_moved(peer);
    }
    if (peer->look == NI_DEV_NO_LOOK && since >= look_interval(peer)) {
        peer->look = NI_DEV_LOOK_WANTED;
        ni_dev_moved(peer);
    } else if (peer->look == NI_DEV_LOOKING && since > LATE_NS) {
        silent(peer, passed);
    }
}

static void watch_list(struct ni_list *peers, uint64_t passed)
{
    for (NI_LIST_EACH(node, peers)) {
        watch_peer(ni_container_of(node, struct ni_dev_peer, far.list), passed);
    }
}

/* Events that found no room: those of PUTs are made good, those of GETs have to be. */
static void watch_lost(struct ni_dev_link *link)
{
    uint32_t lost = __atomic_load_n(&link->client.doorbell->event_lost, __ATOMIC_RELAXED);

    if (lost != link->lost) {
        link->lost = lost;
        link->lost_ns = link->now_ns;
    }
    if (link->lost_ns != 0) {
        ni_dev_lost_gets(link);
    }
}

void ni_dev_watch(struct ni_dev_link *link)
{
    uint64_t now = ni_now_ns(), passed = now - link->clock_ns;

    if (passed < TICK_NS) {
        return;
    }
    passed = passed < BLINK_NS ? passed : BLINK_NS;
    link->clock_ns = now;
    link->now_ns += passed;
    if (link->now_ns - link->card_ns > CARD_NS) {
        link->card_ns = link->now_ns;
        (void)ni_dev_card_there(link);
    }
    if (!atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        watch_lost(link);
        watch_list(&link->far.peers, passed);
        watch_list(&link->graves, passed);
    }
    ni_dev_graves(link);
}
