/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/notifier.c, hfm/notifier.h, hfm/master.c, hfm/master.h, hfm/service.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "hfm/master.h"
#include "hfm/notifier.h"
#include "hfm/service.h"
#include "rounds.h"

/*
 * Daemons that report to a master over a network that loses half of all messages, doubles them,
 * lets them come in any order, and repeats ones from long ago. Daemons and the master begin anew at
 * any time. When the network is good again the master knows of each node what is so, and without a
 * new beginning it has heard of everything that ever was.
 *
 *   model_hfm_report [SEED]   repeats one seed
 */

enum { SEEDS = 300, NODES = 5, STEPS = 1500, SETTLE = 600, FLIGHT = 64, PERIOD = 7, PAST = 256 };

struct daemon {
    struct hfm_notifier notifier;
    struct hfm_service service;
    uint32_t truth[HFM_SUBJECTS];
    uint32_t ever[HFM_SUBJECTS]; /* all that was so */
    uint64_t session;
};

struct sent {
    struct hfm_message message;
    uint32_t to; /* NODES: the master */
};

static struct daemon daemon_[NODES];
static struct hfm_master master;
static struct sent flight[FLIGHT], past[PAST];
static unsigned flying;
static uint64_t passed, seed, now;
static uint32_t known[NODES], ever_known[NODES];
static struct ni_rng rng;
static bool good;

static void fail(const char *what, uint32_t node)
{
    fprintf(stderr, "model_hfm_report: %s %u at %llu. Repeat with: model_hfm_report %llu\n", what,
            node, (unsigned long long)now, (unsigned long long)seed);
    exit(1);
}

static bool chance(uint64_t one_in)
{
    return ni_rng_below(&rng, one_in) == 0;
}

static void send_to(uint32_t to, const struct hfm_message *message)
{
    past[passed++ % PAST] = (struct sent){*message, to};
    for (unsigned copies = good || chance(8) ? 1 + !good : chance(2); copies > 0; copies--) {
        if (flying < FLIGHT) {
            flight[flying++] = (struct sent){*message, to};
        }
    }
}

static void changed(void *arg, uint32_t node, uint32_t fault, uint32_t before)
{
    (void)arg;
    if (known[node] != before || fault == before) {
        fail("the master contradicts itself about", node);
    }
    known[node] = fault;
    ever_known[node] = hfm_fault_worst(ever_known[node], fault);
}

static void arrive(const struct sent *sent)
{
    static const struct hfm_observer observer = {changed, NULL};
    struct daemon *to = &daemon_[sent->to % NODES];
    struct hfm_message answer;

    if (sent->to == NODES) {
        if (hfm_master_take(&master, &sent->message, &observer, &answer)) {
            send_to(sent->message.from, &answer);
        }
    } else if (sent->message.kind == HFM_ACK) {
        hfm_notifier_acknowledged(&to->notifier, &sent->message);
    } else if (sent->message.kind == HFM_PONG && sent->message.answers == to->session) {
        hfm_service_pong(&to->service, sent->message.number);
        hfm_notifier_found(&to->notifier, sent->message.session);
    }
}

/* The node that a subject of a node is about: its neighbours in a ring, some of them twice. */
static uint32_t about(uint32_t node, unsigned subject)
{
    return subject == HFM_OWN ? node : (node + 1 + subject / 2) % NODES;
}

static void begin_daemon(uint32_t node)
{
    struct daemon *daemon = &daemon_[node];
    uint32_t abouts[HFM_SUBJECTS];

    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        abouts[i] = about(node, i);
    }
    daemon->session++;
    hfm_notifier_init(&daemon->notifier, node, abouts, daemon->session, PERIOD);
    hfm_service_init(&daemon->service, PERIOD, now);
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) { /* as after the watchdog's first read */
        hfm_notifier_learn(&daemon->notifier, i, daemon->truth[i]);
    }
}

static void begin_master(uint64_t session)
{
    hfm_master_fini(&master);
    if (hfm_master_init(&master, 0, NODES, session) != NI_OK) {
        abort();
    }
    memset(known, 0, sizeof known);
}

static void work(uint32_t node)
{
    struct daemon *daemon = &daemon_[node];
    struct hfm_message message;

    if (hfm_service_step(&daemon->service, now)) {
        message = (struct hfm_message){.kind = HFM_PING,
                                       .from = node,
                                       .session = daemon->session,
                                       .number = daemon->service.asked};
        send_to(NODES, &message);
    }
    while (hfm_notifier_next(&daemon->notifier, now, &message)) {
        send_to(NODES, &message);
    }
    if (hfm_notifier_due(&daemon->notifier) <= now) {
        fail("something is due again at once on", node);
    }
}

static void change_something(void)
{
    struct daemon *daemon = &daemon_[ni_rng_below(&rng, NODES)];
    unsigned subject = (unsigned)ni_rng_below(&rng, HFM_SUBJECTS);
    uint32_t fault = (uint32_t)ni_rng_below(&rng, 3) << 2 * ni_rng_below(&rng, 13);

    fault |= chance(4) && subject == HFM_OWN ? HFM_CARD_LOST : 0;
    daemon->truth[subject] = fault;
    daemon->ever[subject] = hfm_fault_worst(daemon->ever[subject], fault);
    hfm_notifier_learn(&daemon->notifier, subject, fault);
}

static void one_step(bool restarts)
{
    now++;
    if (!good && chance(6)) {
        change_something();
    }
    if (!good && restarts && chance(150)) {
        begin_daemon((uint32_t)ni_rng_below(&rng, NODES));
    }
    if (!good && restarts && chance(400)) {
        begin_master(master.session + 1);
    }
    if (chance(10) && passed > 0) {
        arrive(&past[ni_rng_below(&rng, ni_min_u64(passed, PAST))]);
    }
    for (uint32_t node = 0; node < NODES; node++) {
        work(node);
    }
    for (unsigned n = flying; n > 0; n--) {
        unsigned which = (unsigned)ni_rng_below(&rng, flying);
        struct sent sent = flight[which];

        if (good || chance(2)) {
            flight[which] = flight[--flying];
            arrive(&sent);
        }
    }
}

static void check(bool restarts)
{
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t truth = 0, ever = 0;

        for (uint32_t from = 0; from < NODES; from++) {
            for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
                if (about(from, i) == node) {
                    truth = hfm_fault_worst(truth, daemon_[from].truth[i]);
                    ever = hfm_fault_worst(ever, daemon_[from].ever[i]);
                }
            }
        }
        if (known[node] != truth) {
            fail("the master does not know what is so of", node);
        }
        if (!restarts && ever_known[node] != ever) {
            fail("the master has not heard all of", node);
        }
        if (hfm_service_status(&daemon_[node].service) != DNP_NORMAL) {
            fail("a good service network is broken for", node);
        }
    }
}

static void run(void)
{
    bool restarts = seed % 2 == 0;

    ni_rng_seed(&rng, seed);
    memset(daemon_, 0, sizeof daemon_);
    memset(ever_known, 0, sizeof ever_known);
    flying = 0;
    passed = 0;
    now = 1000;
    good = false;
    begin_master(1);
    for (uint32_t node = 0; node < NODES; node++) {
        begin_daemon(node);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        one_step(restarts);
    }
    good = true;
    for (unsigned i = 0; i < SETTLE; i++) {
        one_step(restarts);
    }
    check(restarts);
}

int main(int argc, char **argv)
{
    seed = 1;
    if (argc > 1) {
        seed = strtoull(argv[1], NULL, 10);
        run();
    }
    for (; argc <= 1 && seed <= SEEDS; seed += test_rounds(1, 5)) {
        run();
    }
    hfm_master_fini(&master);
    return 0;
}
