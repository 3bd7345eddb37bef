/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "base/clock.h"
#include "engine/core/ni.h"
#include "engine/bulk/throttle.h"

/* See throttle.h. With an engine thread nothing is cut: callers poll beside its copies. */

static bool is_cut(const struct ni *ni, uint64_t len)
{
    return len >= NI_THROTTLE_MIN && !ni_has_back_end(ni) && ni->config->bulk_pass != 0;
}

void ni_throttle_hear(struct ni *ni)
{
    ni->bulk.throttle.heard = true;
}

bool ni_throttle_allows(struct ni *ni, uint64_t len)
{
    if (!ni->bulk.throttle.rests || !is_cut(ni, len)) {
        return true;
    }
    ni->bulk.throttle.rests = ni_now_ns() < ni->bulk.throttle.rest_to;
    return !ni->bulk.throttle.rests;
}

/* Packets make pieces shorter faster than silence makes them longer: of two sides that both copy
 * and talk, each hears something once in two pieces only. */
uint64_t ni_throttle_piece(struct ni *ni, uint64_t len, uint64_t left, unsigned times,
                           uint64_t *began_ns)
{
    struct ni_throttle *throttle = &ni->bulk.throttle;
    uint64_t most = ni->config->bulk_pass * times;

    *began_ns = 0;
    if (!is_cut(ni, len)) {
        return left;
    }
    if (throttle->piece == 0 || throttle->piece > most) {
        throttle->piece = most;
    }
    if (throttle->heard) {
        throttle->piece = ni_max_u64(throttle->piece / 4, ni_min_u64(NI_THROTTLE_LEAST, most));
    } else {
        throttle->piece = ni_min_u64(throttle->piece * 2, most);
    }
    throttle->heard = false;
    *began_ns = throttle->piece <= 2 * NI_THROTTLE_LEAST ? ni_now_ns() : 0;
    return ni_min_u64(throttle->piece, left);
}

void ni_throttle_copied(struct ni *ni, uint64_t began_ns)
{
    uint64_t now;

    if (began_ns != 0) {
        now = ni_now_ns();
        /* Longer than the most, and we were not running all the time. */
        ni->bulk.throttle.rest_to = now + ni_min_u64(now - began_ns, NI_THROTTLE_REST_NS);
        ni->bulk.throttle.rests = true;
    }
}
