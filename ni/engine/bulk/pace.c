/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "base/clock.h"
#include "engine/core/ni.h"
#include "engine/bulk/pace.h"

/* See pace.h. With an engine thread nothing is cut: callers poll beside its copies. */

static bool is_cut(const struct ni *ni, uint64_t len)
{
    return len >= NI_PACE_MIN && !ni_has_back_end(ni) && ni->config->bulk_pass != 0;
}

void ni_pace_hear(struct ni *ni)
{
    ni->pace.heard = true;
}

bool ni_pace_allows(struct ni *ni, uint64_t len)
{
    if (!ni->pace.rests || !is_cut(ni, len)) {
        return true;
    }
    ni->pace.rests = ni_now_ns() < ni->pace.rest_to;
    return !ni->pace.rests;
}

/* Packets make pieces shorter faster than silence makes them longer: of two sides that both copy
 * and talk, each hears something once in two pieces only. */
uint64_t ni_pace_piece(struct ni *ni, uint64_t len, uint64_t left, unsigned times,
                       uint64_t *began_ns)
{
    struct ni_pace *pace = &ni->pace;
    uint64_t most = ni->config->bulk_pass * times;

    *began_ns = 0;
    if (!is_cut(ni, len)) {
        return left;
    }
    if (pace->piece == 0 || pace->piece > most) {
        pace->piece = most;
    }
    if (pace->heard) {
        pace->piece = ni_max_u64(pace->piece / 4, ni_min_u64(NI_PACE_LEAST, most));
    } else {
        pace->piece = ni_min_u64(pace->piece * 2, most);
    }
    pace->heard = false;
    *began_ns = pace->piece <= 2 * NI_PACE_LEAST ? ni_now_ns() : 0;
    return ni_min_u64(pace->piece, left);
}

void ni_pace_copied(struct ni *ni, uint64_t began_ns)
{
    uint64_t now;

    if (began_ns != 0) {
        now = ni_now_ns();
        /* Longer than the most, and we were not running all the time. */
        ni->pace.rest_to = now + ni_min_u64(now - began_ns, NI_PACE_REST_NS);
        ni->pace.rests = true;
    }
}
