/* SPDX-License-Identifier: BSD-3-Clause */
/* Votes for a master. */
#include "hfm/lease.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

void hfm_voter_init(struct hfm_voter *voter, uint64_t lease, uint64_t now)
{
    *voter = (struct hfm_voter){.lease = lease, .until = now + lease, .candidate = UINT32_MAX};
}

bool hfm_voter_asked(struct hfm_voter *voter, uint32_t candidate, uint64_t term, uint64_t now)
{
    bool other = candidate != voter->candidate;

    if (term < voter->term || (other && (term == voter->term || now < voter->until))) {
        return false;
    }
    voter->candidate = candidate;
    voter->term = term;
    voter->until = now + voter->lease;
    return true;
}

void hfm_candidate_init(struct hfm_candidate *candidate, uint32_t rank, unsigned voters,
                        unsigned quorum, uint64_t period, uint64_t lease, uint64_t term,
                        uint64_t now)
{
    NI_ASSERT(quorum >= 1 && quorum <= voters && voters <= HFM_VOTERS_MAX);
    *candidate = (struct hfm_candidate){.rank = rank,
                                        .quorum = quorum,
                                        .voters = voters,
                                        .period = period,
                                        .lease = lease,
                                        .term = term,
                                        .wait = now + rank * period,
                                        .next = now};
}

/* Votes are for a term: those for another do not count in this one. */
static void set_term(struct hfm_candidate *candidate, uint64_t term)
{
    if (term != candidate->term) {
        candidate->term = term;
        memset(candidate->granted, 0, sizeof candidate->granted);
    }
}

uint64_t hfm_candidate_due(const struct hfm_candidate *candidate)
{
    uint64_t due = ni_max_u64(candidate->next, candidate->acts ? 0 : candidate->wait);

    return candidate->acts ? ni_min_u64(due, candidate->acts_until) : due;
}

/* The time until which so many votes as are needed last: of their ends the quorum-th latest. */
static uint64_t votes_until(const struct hfm_candidate *candidate)
{
    uint64_t best = 0;

    for (unsigned i = 0; i < candidate->voters; i++) {
        unsigned later = 0;

        for (unsigned j = 0; j < candidate->voters; j++) {
            later += candidate->granted[j] >= candidate->granted[i];
        }
        if (later >= candidate->quorum) {
            best = ni_max_u64(best, candidate->granted[i]);
        }
    }
    return best;
}

bool hfm_candidate_step(struct hfm_candidate *candidate, uint64_t now)
{
    if (candidate->acts && now >= candidate->acts_until) {
        candidate->acts = false;
        set_term(candidate, candidate->term + 1);
        candidate->wait = now + candidate->rank * candidate->period;
    }
    if (now < candidate->next || (!candidate->acts && now < candidate->wait)) {
        return false;
    }
    candidate->asked++;
    candidate->asked_at[candidate->asked % HFM_ASKS] = now;
    candidate->next = now + candidate->period;
    return true;
}

void hfm_candidate_answered(struct hfm_candidate *candidate, unsigned voter, uint64_t number,
                            bool granted, uint64_t term, uint64_t now)
{
    if (!granted && term >= candidate->term && !candidate->acts) {
        set_term(candidate, term + 1);
    }
    if (!granted || term != candidate->term || voter >= candidate->voters ||
        number > candidate->asked || candidate->asked - number >= HFM_ASKS) {
        return;
    }
    candidate->granted[voter] = ni_max_u64(
        candidate->granted[voter], candidate->asked_at[number % HFM_ASKS] + candidate->lease);
    if (votes_until(candidate) > now) {
        candidate->acts_until = votes_until(candidate);
        candidate->acts = true;
    }
}

void hfm_candidate_raise(struct hfm_candidate *candidate, uint64_t term)
{
    if (term < candidate->term || (candidate->acts && term == candidate->term)) {
        return;
    }
    set_term(candidate, term + 1);
    candidate->acts = false;
}

/* Whether to give way to one with a better rank that does not act: for some leases, and not again
 * for as long, as it may be one that hears nobody. */
static bool gives_way(struct hfm_candidate *candidate, uint64_t now)
{
    if (candidate->yields_since == 0 || now - candidate->yields_since > 16 * candidate->lease) {
        candidate->yields_since = now;
    }
    return now - candidate->yields_since < 8 * candidate->lease;
}

void hfm_candidate_heard(struct hfm_candidate *candidate, uint32_t rank, bool acts, uint64_t term,
                         uint64_t now)
{
    if (candidate->acts) {
        return;
    }
    set_term(candidate, ni_max_u64(candidate->term, term + 1));
    if (acts) {
        candidate->yields_since = 0;
    }
    if (acts || (rank < candidate->rank && gives_way(candidate, now))) {
        candidate->wait = ni_max_u64(candidate->wait,
                                     now + candidate->lease + candidate->rank * candidate->period);
    }
}
