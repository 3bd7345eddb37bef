/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/node.c, hfm/node_take.c, hfm/node_master.c, hfm/node.h, hfm/node_private.h,
 * hfm/lease.c, hfm/lease.h, hfm/presence.c, hfm/presence.h, hfm/cluster.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "hfm/node.h"
#include "hfm/verdict.h"
#include "master_history.h"
#include "rounds.h"

/*
 * Daemons of a cluster in virtual time, over a network that loses, doubles, delays and parts;
 * daemons are stopped, go on and begin anew; cards say what fails at random. Each second seed has
 * no cards, but hosts that fail with their daemons, and answer otherwise. What the history of all
 * events must hold:
 *
 *   never are there two masters at a time
 *   never do two act with one term, unless a voter has forgotten what it promised
 *   a master that says "silent" or "gone" has a cause: the node, or the network, has failed lately
 *   a master that says that a card's part fails has it from somebody who said so
 *   with cards, a node that has ended or is stopped is gone in the end, but not lost if its host is
 *   asked and answers; without, it is gone if its host fails, and never before nothing of the host
 *   could be heard for the hold time
 *   when all is well again, all nodes know the same: what is so
 *   without parted masters, everything that was ever reported has been said by a master
 *
 *   model_hfm_cluster [SEED]   repeats one seed
 */

enum { SEEDS = 150, NODES = 6, FLIGHT = 4096, PERIOD = 10, STEPS = 6000, SETTLE = 1500 };
enum { VOTERS = 5, LIMIT = 4 * PERIOD, GONE = 8 * PERIOD, LEASE = 3 * PERIOD, GRACE = 200 };
enum { HOLD = 40 * PERIOD, ASK = HOLD / 8 };

struct daemon {
    struct hfm_node node;
    bool runs;            /* its process exists */
    bool stopped;         /* but does not run */
    uint64_t lives_again; /* when it last began or went on */
    uint64_t failed;      /* when it last was stopped or ended */
    bool dead;            /* its host has failed */
    uint64_t acts_since;
    uint64_t session;
    uint32_t truth[HFM_SUBJECTS]; /* what its card says */
};

struct sent {
    struct hfm_message message; /* kind 0: the host's answer to a question */
    uint32_t from, to;
    uint64_t at;
};

static struct daemon daemons[NODES];
static struct sent flight[FLIGHT];
static unsigned flying;
static uint64_t seed, now, sessions;
static struct ni_rng rng;
static unsigned loss;        /* percent */
static uint32_t parted;      /* bits: on the other side */
static uint64_t net_failed;  /* when the network was bad last */
static uint32_t said[NODES]; /* by cards, ever, about a node: fault words */
static uint32_t told[NODES]; /* by masters, ever */
static uint32_t said_by[NODES][NODES], unsaid[NODES]; /* of whom; by those that ended */
static bool masters_change;                           /* this run parts or ends masters */
static bool cards, asks;
static uint64_t reached[NODES][NODES]; /* when a host could be heard by a daemon last */
static uint64_t heard[NODES][NODES];   /* when it was */
static unsigned hosts_gone;
static uint64_t changes;

static void fail(const char *what, uint32_t node)
{
    fprintf(stderr, "model_hfm_cluster: %s %u at %llu. Repeat with: model_hfm_cluster %llu\n", what,
            node, (unsigned long long)now, (unsigned long long)seed);
    exit(1);
}

static bool chance(uint64_t one_in)
{
    return ni_rng_below(&rng, one_in) == 0;
}

static bool passes(uint32_t from, uint32_t to)
{
    return (parted >> from & 1) == (parted >> to & 1) && ni_rng_below(&rng, 100) >= loss;
}

static void send_message(void *arg, uint32_t to, const struct hfm_message *message)
{
    struct daemon *daemon = arg;
    uint32_t from = (uint32_t)(daemon - daemons);

    if (message->from != from || to == from) {
        fail("a message of another node, or to itself, from", from);
    }
    for (unsigned copies = loss > 0 && chance(10) ? 2 : 1; copies > 0; copies--) {
        if (flying < FLIGHT && passes(from, to)) {
            flight[flying++] =
                (struct sent){*message, from, to, now + ni_rng_below(&rng, loss > 0 ? 8 : 2)};
        }
    }
}

/* The host of a node is asked whether it lives; its kernel answers, whatever its daemon does. */
static void ask_host(void *arg, uint32_t to)
{
    uint32_t from = (uint32_t)((struct daemon *)arg - daemons);

    if (!asks || to == from) {
        fail("a host is asked and shall not be, or by itself, by", from);
    }
    if (flying < FLIGHT && !daemons[to].dead && passes(from, to) && passes(to, from)) {
        flight[flying++] = (struct sent){.from = to, .to = from, .at = now + ni_rng_below(&rng, 3)};
    }
}

/* Whether a node was not to be heard by a master for a while, lately. */
static bool may_be_silent(uint32_t about, uint32_t master)
{
    uint64_t lately = GONE + 4 * PERIOD;

    return !daemons[about].runs || daemons[about].stopped ||
           now - daemons[about].lives_again < lately ||
           now - daemons[master].lives_again < lately || now - net_failed < lately;
}

static void on_event(void *arg, const struct hfm_event *event)
{
    struct daemon *daemon = arg;
    uint32_t self = (uint32_t)(daemon - daemons);
    uint32_t worse;

    changes++;
    if (event->kind == HFM_EVENT_MASTER && event->fault == 1 &&
        !master_history_acts(self, event->term, now)) {
        fail("another has acted with the term of", self);
    }
    if (event->kind == HFM_EVENT_MASTER && event->fault == 1) {
        daemon->acts_since = now;
    }
    if (event->kind != HFM_EVENT_STATE) {
        return;
    }
    worse = event->fault & ~event->before;
    if (event->fault == event->before) {
        fail("an event without a change on", self);
    }
    if (!daemon->node.acts) {
        return;
    }
    told[event->about] |= event->fault;
    if ((worse & (HFM_SILENT | HFM_GONE)) != 0 && !may_be_silent(event->about, self)) {
        fail("silence without a cause of", event->about);
    }
    if ((worse & HFM_GONE) != 0 && !cards) {
        hosts_gone++;
        if (now - heard[self][event->about] < HOLD ||
            (now - net_failed > HOLD + ASK &&
             now - reached[self][event->about] + ASK + 2 * PERIOD < HOLD)) {
            fail("gone, though its host could be heard, is", event->about);
        }
    }
    if (cards && asks && hfm_verdict_of(event->fault) == HFM_LOST &&
        hfm_verdict_of(event->before) != HFM_LOST && now - net_failed > HOLD + ASK) {
        fail("lost, though its host would have answered, is", event->about);
    }
    if ((worse & ~(HFM_FAULT_OURS | 3U) & ~said[event->about]) != 0) {
        fail("a fault that nobody has reported of", event->about);
    }
}

static struct hfm_node_ops ops[NODES];

static void begin(uint32_t i)
{
    struct hfm_cluster cluster = {.torus = {{NODES, 1, 1}},
                                  .nodes = NODES,
                                  .self = i,
                                  .masters = 3,
                                  .voters = VOTERS,
                                  .quorum = VOTERS / 2 + 1,
                                  .voter = {0, 2, 4, 1, 3},
                                  .period = PERIOD,
                                  .silent = LIMIT,
                                  .gone = GONE,
                                  .lease = LEASE,
                                  .grace = GRACE,
                                  .news = 4,
                                  .hold = HOLD,
                                  .cards = cards,
                                  .asks = asks};
    struct daemon *daemon = &daemons[i];

    ops[i] = (struct hfm_node_ops){send_message, on_event, ask_host, daemon};
    daemon->runs = true;
    daemon->stopped = false;
    daemon->dead = false;
    daemon->lives_again = now;
    sessions += 1000;
    daemon->session = chance(4) ? 1 + ni_rng_below(&rng, sessions) : sessions; /* clock set back */
    if (i < VOTERS) {
        master_history_forgets(now + LEASE);
    }
    if (hfm_node_init(&daemon->node, &cluster, &ops[i], daemon->session, now) != NI_OK) {
        abort();
    }
    for (unsigned s = 0; s < HFM_SUBJECTS && cards; s++) {
        hfm_node_card(&daemon->node, s, daemon->truth[s], now, now);
    }
}

static void end(uint32_t i)
{
    if (daemons[i].runs) {
        hfm_node_fini(&daemons[i].node);
        daemons[i].runs = false;
        daemons[i].failed = now;
        for (uint32_t j = 0; j < NODES; j++) { /* perhaps nobody has heard it yet */
            unsaid[j] |= said_by[i][j];
        }
    }
}

static uint32_t about(uint32_t node, unsigned subject)
{
    const struct ni_torus torus = {{NODES, 1, 1}};

    return subject == HFM_OWN ? node
                              : ni_torus_neighbour(&torus, node, (enum ni_torus_direction)subject);
}

/* A card says something. Links stay out of it, so that nothing is gone by them. */
static void change_card(void)
{
    uint32_t i = (uint32_t)ni_rng_below(&rng, NODES);
    unsigned subject = chance(2) ? HFM_OWN : (unsigned)ni_rng_below(&rng, 2);
    uint32_t verdict = chance(2) ? 0 : (uint32_t)(1 + ni_rng_below(&rng, 2));
    uint32_t fault = verdict << 2 * (3 + ni_rng_below(&rng, 4));

    if (!cards || !daemons[i].runs || daemons[i].stopped) {
        return;
    }
    daemons[i].truth[subject] = fault;
    said[about(i, subject)] |= fault;
    said_by[i][about(i, subject)] |= fault;
    hfm_node_card(&daemons[i].node, subject, fault, now, now);
}

static void trouble(void)
{
    uint32_t i = (uint32_t)ni_rng_below(&rng, NODES);
    bool master = i % 2 == 0 && i < 5;

    if (chance(60)) {
        change_card();
    }
    if (chance(400)) {
        loss = chance(2) ? 0 : (unsigned)ni_rng_below(&rng, 51);
    }
    if (chance(600)) {
        parted = chance(2) || !masters_change ? 0 : (uint32_t)ni_rng_below(&rng, 1U << NODES);
    }
    if ((master && !masters_change) || !chance(300)) {
        return;
    }
    if (!daemons[i].runs) {
        begin(i);
    } else if (daemons[i].stopped) {
        daemons[i].stopped = false;
        daemons[i].lives_again = now;
    } else if (chance(2)) {
        daemons[i].stopped = true;
        daemons[i].failed = now;
    } else {
        end(i);
        daemons[i].dead = !cards && chance(2);
        if (!daemons[i].dead && chance(2)) {
            begin(i); /* at once: it has forgotten what it promised */
        }
    }
}

static void deliver(void)
{
    for (unsigned i = 0; i < flying;) {
        struct daemon *to = &daemons[flight[i].to];

        if (flight[i].at > now || (to->runs && to->stopped)) {
            i++;
        } else {
            struct sent sent = flight[i];

            flight[i] = flight[--flying];
            if (to->runs && sent.message.kind == 0) {
                hfm_node_answered(&to->node, sent.from, now);
                heard[sent.to][sent.from] = now;
            } else if (to->runs) {
                hfm_node_take(&to->node, &sent.message, now);
            }
        }
    }
}

/* One that is stopped believes what it believed; it does nothing. */
static void check_masters(void)
{
    unsigned masters = 0;

    for (uint32_t i = 0; i < NODES; i++) {
        const struct hfm_node *node = &daemons[i].node;

        masters += daemons[i].runs && node->acts && now < node->election.acts_until;
    }
    if (masters > 1) {
        fail("two masters; nodes", NODES);
    }
}

/* Whether nothing of a node can be heard. */
static bool is_gone(const struct daemon *daemon)
{
    return cards ? !daemon->runs || daemon->stopped : daemon->dead;
}

static void note_reached(void)
{
    for (uint32_t i = 0; i < NODES && loss == 0; i++) {
        for (uint32_t j = 0; j < NODES; j++) {
            if (!daemons[j].dead && (parted >> i & 1) == (parted >> j & 1)) {
                reached[i][j] = now;
            }
        }
    }
}

/* A node that has not run for long is gone for a master that has heard all the time. */
static void check_gone(void)
{
    uint64_t long_ago = (cards ? GONE : HOLD + ASK + LEASE) + 6 * PERIOD;

    for (uint32_t i = 0; i < NODES; i++) {
        const struct daemon *master = &daemons[i];

        if (!master->runs || master->stopped || !master->node.acts ||
            now - master->lives_again < GRACE + long_ago || now - net_failed < long_ago ||
            (!cards && now - master->acts_since < long_ago) ||
            hfm_presence_alone(&master->node.presence)) {
            continue;
        }
        for (uint32_t j = 0; j < NODES; j++) {
            if (is_gone(&daemons[j]) && now - daemons[j].failed > long_ago &&
                (master->node.known[j].fault & HFM_GONE) == 0) {
                fail("the master does not know that it is gone, node", j);
            }
        }
    }
}

static void step(void)
{
    now++;
    if (loss > 0 || parted != 0) {
        net_failed = now;
    }
    note_reached();
    deliver();
    for (uint32_t i = 0; i < NODES; i++) {
        if (daemons[i].runs && !daemons[i].stopped && hfm_node_due(&daemons[i].node) <= now) {
            hfm_node_step(&daemons[i].node, now);
        }
    }
    check_masters();
    check_gone();
}

static void check_end(void)
{
    uint32_t master = UINT32_MAX;

    for (uint32_t i = 0; i < NODES; i++) {
        master = daemons[i].node.acts ? i : master;
    }
    if (master == UINT32_MAX) {
        fail("nobody is the master; nodes", NODES);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        for (uint32_t j = 0; j < NODES; j++) {
            uint32_t truth = 0;

            for (uint32_t k = 0; k < NODES; k++) {
                for (unsigned s = 0; s < HFM_SUBJECTS; s++) {
                    truth = about(k, s) == j ? hfm_fault_worst(truth, daemons[k].truth[s]) : truth;
                }
            }
            if (daemons[i].node.known[j].fault != truth) {
                fprintf(stderr, "%u knows %x of %u, true is %x\n", i,
                        daemons[i].node.known[j].fault, j, truth);
                fail("not all know what is so of", j);
            }
        }
        if (daemons[i].node.service != DNP_NORMAL) {
            fail("a good service network is broken for", i);
        }
        if (!masters_change && master_history_untold(said[i], told[i], unsaid[i])) {
            fail("a fault was never told of", i);
        }
    }
}

static void run(void)
{
    ni_rng_seed(&rng, seed);
    memset(daemons, 0, sizeof daemons);
    memset(said, 0, sizeof said);
    memset(told, 0, sizeof told);
    memset(said_by, 0, sizeof said_by);
    memset(unsaid, 0, sizeof unsaid);
    memset(reached, 0, sizeof reached);
    memset(heard, 0, sizeof heard);
    flying = 0;
    sessions = 0;
    loss = 0;
    parted = 0;
    now = 1000;
    net_failed = 0;
    master_history_begin();
    masters_change = seed % 3 != 0;
    cards = seed % 2 == 0;
    asks = seed % 4 != 0;
    for (uint32_t i = 0; i < NODES; i++) {
        begin(i);
    }
    for (unsigned i = 0; i < 300; i++) {
        step();
    }
    for (unsigned i = 0; i < STEPS; i++) {
        trouble();
        step();
    }
    loss = 0;
    parted = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        if (!daemons[i].runs) {
            begin(i);
        } else if (daemons[i].stopped) {
            daemons[i].stopped = false;
            daemons[i].lives_again = now;
        }
    }
    for (unsigned i = 0; i < SETTLE; i++) {
        step();
    }
    check_end();
    for (uint32_t i = 0; i < NODES; i++) {
        end(i);
    }
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    do {
        run();
    } while (argc <= 1 && (seed += test_rounds(1, 5)) <= SEEDS);
    printf("%llu events in %d runs, %u times a host without a card was gone\n",
           (unsigned long long)changes, argc > 1 ? 1 : (int)(SEEDS / test_rounds(1, 5)),
           hosts_gone);
    return changes > 0 && (argc > 1 || hosts_gone > 0) ? 0 : 1;
}
