/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose pings are heard. */
#include "hfm/presence.h"

#include "base/alloc.h"
#include "base/bits.h"

ni_status hfm_presence_init(struct hfm_presence *presence, uint32_t self, uint32_t nodes,
                            uint64_t period, uint64_t limit, uint64_t now, uint64_t grace)
{
    *presence = (struct hfm_presence){.self = self,
                                      .nodes = nodes,
                                      .period = period,
                                      .limit = limit,
                                      .due = now + grace,
                                      .stepped = now};
    presence->of = ni_calloc(nodes, sizeof *presence->of);
    for (uint32_t node = 0; node < nodes && presence->of != NULL; node++) {
        presence->of[node].heard = now + grace > limit ? now + grace - limit : 0;
    }
    return presence->of != NULL ? NI_OK : NI_ERR_NOMEM;
}

void hfm_presence_fini(struct hfm_presence *presence)
{
    ni_free(presence->of);
    presence->of = NULL;
}

bool hfm_presence_ping(struct hfm_presence *presence, uint32_t node, uint64_t session,
                       uint64_t number, bool leaves, uint64_t now)
{
    struct hfm_present *of = &presence->of[node];

    if (session < of->session || (session == of->session && number <= of->number)) {
        return false;
    }
    of->session = session;
    of->number = number;
    of->leaves = leaves;
    of->heard = now; /* also when it had more time to begin */
    if (of->silent || leaves != of->left) {
        presence->due = 0;
    } else {
        presence->due = ni_min_u64(presence->due, now + presence->limit);
    }
    return true;
}

void hfm_presence_answered(struct hfm_presence *presence, uint32_t node, uint64_t now)
{
    presence->of[node].answered = now;
}

uint64_t hfm_presence_last(const struct hfm_presence *presence, uint32_t node)
{
    return ni_max_u64(presence->of[node].heard, presence->of[node].answered);
}

/* The listener was late, perhaps together with others. */
static void excuse(struct hfm_presence *presence, uint64_t late, uint64_t now)
{
    for (uint32_t node = 0; node < presence->nodes; node++) {
        struct hfm_present *of = &presence->of[node];
        uint64_t last = hfm_presence_last(presence, node);

        if (of->silent) {
            of->answered = ni_max_u64(last, ni_min_u64(last + late, now));
        } else {
            of->heard = ni_max_u64(of->heard, ni_min_u64(of->heard + late, now));
        }
    }
}

bool hfm_presence_step(struct hfm_presence *presence, uint64_t now)
{
    uint64_t away = now - presence->stepped;
    bool changed = false, late = away > 2 * presence->period;

    presence->stepped = now;
    if (late && !presence->excused) {
        excuse(presence, away, now);
    } else if (away > presence->period) {
        excuse(presence, away - presence->period, now);
    }
    presence->excused = late;
    if (now < presence->due) {
        return false;
    }
    presence->due = UINT64_MAX;
    for (uint32_t node = 0; node < presence->nodes; node++) {
        struct hfm_present *of = &presence->of[node];
        bool silent = node != presence->self && !of->leaves && now >= of->heard + presence->limit;

        changed = changed || silent != of->silent || of->leaves != of->left;
        of->silent = silent;
        of->left = of->leaves;
        if (!silent && !of->left && node != presence->self) {
            presence->due = ni_min_u64(presence->due, of->heard + presence->limit);
        }
    }
    return changed;
}

bool hfm_presence_alone(const struct hfm_presence *presence)
{
    bool heard = false;

    for (uint32_t node = 0; node < presence->nodes; node++) {
        heard = heard || (node != presence->self && !presence->of[node].silent);
    }
    return !heard && presence->nodes > 2;
}

bool hfm_presence_silent_for(const struct hfm_presence *presence, uint32_t node, uint64_t time,
                             uint64_t now)
{
    return presence->of[node].silent && now >= hfm_presence_last(presence, node) + time;
}
