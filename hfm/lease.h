/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_LEASE_H
#define HFM_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One master at a time (ours). Candidates ask the voters each period for their vote; each vote is
 * for one candidate and lasts a lease. Who has those of a quorum is the master, as long as they
 * last. A candidate counts a lease from when it asked, a voter from when it was asked, which is
 * later; so two quorums that have a voter in common never are there at the same time, whatever the
 * network loses, delays or repeats, as long as the clocks run equally fast.
 *
 *   candidate   waiting --nobody better asks for a while--> asking --votes of a quorum--> acting
 *               asking --a better one asks, or somebody acts--> waiting
 *               acting --a lease without a quorum--> waiting, with a new term
 *
 * The better candidate is the one with the smaller rank. One that comes back does not replace a
 * master that acts. A voter that begins anew promises nothing for a lease, as it does not know what
 * it had promised. A vote is for a term, which a voter gives to one candidate, and terms grow with
 * each new master; so a term has one master, unless a voter has begun anew. Functions of their
 * state and the time, in any unit. Not thread-safe.
 */

enum { HFM_VOTERS_MAX = 16, HFM_ASKS = 32 };

struct hfm_voter {
    uint64_t lease;
    uint64_t until;     /* its vote is not free before */
    uint32_t candidate; /* for whom it is */
    uint64_t term;      /* the largest it has heard of */
};

void hfm_voter_init(struct hfm_voter *voter, uint64_t lease, uint64_t now);

/* Somebody asks for the vote, for a term. Returns whether it is given. */
bool hfm_voter_asked(struct hfm_voter *voter, uint32_t candidate, uint64_t term, uint64_t now);

struct hfm_candidate {
    uint32_t rank;
    unsigned quorum, voters;
    uint64_t period, lease;
    uint64_t asked; /* number of the last question, from 1 */
    uint64_t asked_at[HFM_ASKS];
    uint64_t granted[HFM_VOTERS_MAX]; /* until when each vote lasts */
    uint64_t wait;                    /* it does not ask before */
    uint64_t next;                    /* nor before this, if it acts */
    uint64_t yields_since;            /* to a better one; 0: it does not */
    uint64_t term;
    bool acts;
    uint64_t acts_until; /* it acts, or has acted, until then */
};

/* 1 <= quorum <= voters <= HFM_VOTERS_MAX. term: above those that this node had before. */
void hfm_candidate_init(struct hfm_candidate *candidate, uint32_t rank, unsigned voters,
                        unsigned quorum, uint64_t period, uint64_t lease, uint64_t term,
                        uint64_t now);

/* When there is something to do. */
uint64_t hfm_candidate_due(const struct hfm_candidate *candidate);

/* Look at the time. Has to be called before anything is done as the master. Returns whether to ask
 * all voters, with the number `asked` and the term. */
bool hfm_candidate_step(struct hfm_candidate *candidate, uint64_t now);

/* A voter has answered the question of this number; term: the largest it knows. */
void hfm_candidate_answered(struct hfm_candidate *candidate, unsigned voter, uint64_t number,
                            bool granted, uint64_t term, uint64_t now);

/* Somebody has heard of this term: those of this candidate have to be larger. One that acts with a
 * smaller one does not act any more, until votes for a new one have come. */
void hfm_candidate_raise(struct hfm_candidate *candidate, uint64_t term);

/* Another candidate asks, or acts. */
void hfm_candidate_heard(struct hfm_candidate *candidate, uint32_t rank, bool acts, uint64_t term,
                         uint64_t now);

#endif
