/* SPDX-License-Identifier: BSD-3-Clause */
/* A node as the master. */
#include "base/bits.h"
#include "hfm/node_private.h"
#include "hfm/verdict.h"

enum {
    CATCH_UP = 32, /* news sent for one ping */
    ASKS = 8,      /* of a host, before it is gone */
    ANSWERS = 3,   /* pings that a host with a card has to answer when it is asked */
};

static void send_news(struct hfm_node *node, uint32_t to, uint32_t about, uint64_t after)
{
    const struct hfm_known *known = &node->known[about];
    struct hfm_message message = {.kind = HFM_NEWS,
                                  .subject = known->subject,
                                  .flags = known->acked ? HFM_FLAG_ACKED : 0,
                                  .about = about,
                                  .fault = known->fault,
                                  .session = node->session,
                                  .answers = node->presence.of[to].session,
                                  .number = known->version,
                                  .term = node->term,
                                  .have = after,
                                  .via = known->via,
                                  .age_us = known->age_us};

    if (to != node->cluster.self && message.answers != 0 && node->news_left > 0) {
        node->news_left--;
        hfm_node_send(node, to, &message);
    }
}

void hfm_node_catch_up(struct hfm_node *node, uint32_t to, uint64_t have)
{
    for (int sent = 0; sent < CATCH_UP && have < node->version && node->news_left > 0; sent++) {
        uint32_t next = UINT32_MAX;

        for (uint32_t i = 0; i < node->cluster.nodes; i++) {
            if (node->known[i].version > have &&
                (next == UINT32_MAX || node->known[i].version < node->known[next].version)) {
                next = i;
            }
        }
        if (next == UINT32_MAX) {
            return;
        }
        send_news(node, to, next, have);
        have = node->known[next].version;
    }
}

/* What is known of a node has changed: all hear of it, those for whom nothing is left with their
 * next ping. */
static void spread(struct hfm_node *node, uint32_t about)
{
    uint64_t after = node->version++;

    node->known[about].version = node->version;
    for (uint32_t to = 0; to < node->cluster.nodes && node->news_left > 0; to++) {
        send_news(node, to, about, after);
    }
}

/* Whether the links say that nothing of a silent node lives: all those neighbours that are heard,
 * of which there is one at least, have no credits from it. */
static bool links_say_gone(const struct hfm_node *node, uint32_t about)
{
    unsigned broken = 0;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        enum ni_torus_direction there = (enum ni_torus_direction)link;
        uint32_t neighbour = ni_torus_neighbour(&node->cluster.torus, about, there);
        uint32_t says = node->master.member[neighbour].source[HFM_OWN].fault;

        if (neighbour == about || node->presence.of[neighbour].silent) {
            continue;
        }
        if ((says >> dnp_fault_link_low(link ^ 1) & 3) != DNP_BROKEN) {
            return false;
        }
        broken++;
    }
    return broken > 0;
}

/* Whether a silent node is only cut off: a neighbour that is heard has from its card that the host
 * lives and has no service network, and has credits from it. A link whose end cannot be seen says
 * nothing. */
static bool card_says_alive(const struct hfm_node *node, uint32_t about)
{
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        enum ni_torus_direction there = (enum ni_torus_direction)link;
        uint32_t neighbour = ni_torus_neighbour(&node->cluster.torus, about, there);
        const struct hfm_source *source = node->master.member[neighbour].source;
        unsigned back = link ^ 1, low = dnp_fault_link_low(back);
        uint32_t host = source[back].fault & DNP_FAULT_HOST;

        if (neighbour != about && !node->presence.of[neighbour].silent &&
            !node->presence.of[neighbour].left && source[back].about == about &&
            (host & 3) == DNP_BROKEN && host != DNP_FAULT_HOST_LOST &&
            (source[HFM_OWN].fault >> low & 3) != DNP_BROKEN &&
            (node->cluster.mask >> low & 3) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a silent node is gone: nothing of it was heard for so long. Of a host with a card its
 * kernel is asked only when that is so. */
static bool is_gone(const struct hfm_node *node, uint32_t about)
{
    if (!node->cluster.cards) {
        return hfm_presence_silent_for(&node->presence, about, node->cluster.hold, node->now);
    }
    return links_say_gone(node, about) ||
           (node->now >= node->presence.of[about].heard + node->cluster.gone &&
            !card_says_alive(node, about));
}

/* Cards say that a host is lost, but see no more of it than its daemon: its kernel is asked before
 * anybody acts on it. If it does not answer for some pings the host is lost; if it does it has the
 * hold time anew. */
static uint32_t doubt(struct hfm_node *node, uint32_t about, uint32_t fault)
{
    const struct hfm_cluster *cluster = &node->cluster;
    const struct hfm_present *present = &node->presence.of[about];
    struct hfm_member *member = &node->master.member[about];
    uint64_t until;

    if (!cluster->cards || !cluster->asks || hfm_verdict_of(fault) != HFM_LOST) {
        member->doubted = 0;
        return fault;
    }
    if (member->doubted == 0) {
        member->doubted = node->now;
        node->ask_due = node->now;
    }
    until = ni_max_u64(member->doubted, present->heard) + ANSWERS * cluster->period;
    if (present->answered >= member->doubted) {
        until = ni_max_u64(until, present->answered + cluster->hold);
    }
    if (node->now >= until) {
        return fault;
    }
    node->review = ni_min_u64(node->review, until);
    return fault | HFM_ASKED;
}

/* All that is heard of a node now. */
static uint32_t judge_heard(struct hfm_node *node, uint32_t about)
{
    uint32_t fault = node->master.member[about].fault;

    if (node->presence.of[about].left) {
        return fault | HFM_LEFT;
    }
    if (!node->presence.of[about].silent || hfm_presence_alone(&node->presence)) {
        return fault;
    }
    fault |= HFM_SILENT | (node->presence.of[about].session == 0 ? HFM_UNHEARD : 0);
    return fault | (is_gone(node, about) ? HFM_GONE : 0);
}

/* All that is known of a node now. */
static uint32_t judge(struct hfm_node *node, uint32_t about)
{
    return doubt(node, about, judge_heard(node, about));
}

/* Tell what is known of a node, if that has changed. */
static void publish(struct hfm_node *node, uint32_t about, uint32_t fault)
{
    struct hfm_known *known = &node->known[about];
    const struct hfm_message *cause = node->cause;
    uint32_t before = known->fault;
    uint64_t heard = ni_min_u64(node->presence.of[about].heard, node->now);
    uint64_t silence = (node->now - heard) / 1000;

    if (node->settle != UINT64_MAX) {
        fault = hfm_fault_worst(fault, before);
    }
    if (fault == before) {
        return;
    }
    known->fault = fault;
    known->acked = known->acked && fault != 0 && hfm_fault_worst(fault, before) == before;
    known->at = node->now;
    known->via = cause != NULL ? cause->from : node->cluster.self;
    known->subject = cause != NULL ? cause->subject : HFM_SILENCE;
    known->age_us = cause != NULL ? cause->age_us : (uint32_t)ni_min_u64(silence, UINT32_MAX);
    spread(node, about);
    hfm_node_tell(node, &(struct hfm_event){.kind = HFM_EVENT_STATE,
                                            .about = about,
                                            .fault = fault,
                                            .before = before,
                                            .via = known->via,
                                            .subject = known->subject,
                                            .age_us = known->age_us,
                                            .term = node->term});
}

/* The master has heard something about a node. */
static void heard_about(void *arg, uint32_t about, uint32_t fault, uint32_t before)
{
    struct hfm_node *node = arg;

    (void)fault;
    (void)before;
    publish(node, about, judge(node, about));
}

/* Whether a node's host is asked: with a card, if that says it does not live. */
static bool is_asked(const struct hfm_node *node, uint32_t about)
{
    return node->cluster.asks && about != node->cluster.self &&
           (node->cluster.cards ? node->master.member[about].doubted != 0
                                : node->presence.of[about].silent);
}

void hfm_node_review(struct hfm_node *node)
{
    const struct hfm_observer observer = {heard_about, node};

    node->review = UINT64_MAX;
    for (uint32_t about = 0; about < node->cluster.nodes && node->acts; about++) {
        uint32_t fault = judge(node, about);

        publish(node, about, fault);
        hfm_master_gone(&node->master, about, (fault & (HFM_GONE | HFM_LEFT)) != 0, &observer);
        if ((fault & (HFM_SILENT | HFM_GONE)) == HFM_SILENT) {
            uint64_t gone = node->cluster.cards
                                ? node->presence.of[about].heard + node->cluster.gone
                                : hfm_presence_last(&node->presence, about) + node->cluster.hold;

            /* When it is gone, if it stays silent, and neither card nor host says otherwise. */
            node->review =
                ni_min_u64(node->review, ni_max_u64(gone, node->now + node->cluster.period));
        }
        if (is_asked(node, about) && node->ask_due == UINT64_MAX) {
            node->ask_due = node->now;
        }
    }
}

void hfm_node_ask(struct hfm_node *node)
{
    const struct hfm_cluster *cluster = &node->cluster;

    if (node->now < node->ask_due) {
        return;
    }
    node->ask_due = UINT64_MAX;
    for (uint32_t about = 0; about < cluster->nodes && node->acts; about++) {
        if (is_asked(node, about)) {
            bool soon = node->now < node->master.member[about].doubted + ANSWERS * cluster->period;
            uint64_t time =
                soon ? cluster->period : ni_max_u64(cluster->hold / ASKS, cluster->period);

            node->ask_due = ni_min_u64(node->ask_due, node->now + time);
            node->ops->ask(node->ops->arg, about);
        }
    }
}

void hfm_node_answered(struct hfm_node *node, uint32_t about, uint64_t now)
{
    node->now = now;
    if (node->acts && about < node->cluster.nodes) {
        hfm_presence_answered(&node->presence, about, now);
        if (hfm_verdict_of(node->known[about].fault) == HFM_LOST) {
            hfm_node_review(node);
        }
    }
}

void hfm_node_take_report(struct hfm_node *node, const struct hfm_message *message)
{
    const struct hfm_observer observer = {heard_about, node};
    struct hfm_message answer;

    if (!node->acts || node->now >= node->election.acts_until ||
        node->master.member[message->from].gone) {
        return; /* one that was gone is heard again first; it repeats what it has to say */
    }
    node->cause = message;
    if (hfm_master_take(&node->master, message, &observer, &answer)) {
        if (message->subject == HFM_OWN) {
            hfm_node_review(node); /* its links tell of its neighbours */
        }
        node->cause = NULL;
        hfm_node_send(node, message->from, &answer);
    }
    node->cause = NULL;
}

static void begin(struct hfm_node *node)
{
    const struct hfm_cluster *cluster = &node->cluster;
    uint64_t term = node->election.term;

    if (hfm_master_init(&node->master, cluster->self, cluster->nodes, term) != NI_OK) {
        hfm_master_fini(&node->master);
        return; /* without memory it is tried again at the next vote */
    }
    node->acts = true;
    hfm_node_follow(node, cluster->self, term);
    node->settle = node->now + cluster->lease + 4 * cluster->period;
    for (uint32_t i = 0; i < cluster->nodes && !cluster->cards; i++) {
        if (node->presence.of[i].silent && (node->known[i].fault & HFM_GONE) == 0) {
            hfm_presence_answered(&node->presence, i, node->now); /* perhaps to the last master */
        }
    }
    node->version = 0;
    for (uint32_t i = 0; i < cluster->nodes; i++) {
        node->known[i].version = ++node->version;
    }
    hfm_node_tell(node, &(struct hfm_event){.kind = HFM_EVENT_MASTER,
                                            .about = cluster->self,
                                            .fault = 1,
                                            .term = term,
                                            .until = node->election.acts_until});
    hfm_node_review(node);
}

void hfm_node_close_duty(struct hfm_node *node)
{
    if (node->acts) {
        node->acts = false;
        node->settle = UINT64_MAX;
        node->review = UINT64_MAX;
        node->ask_due = UINT64_MAX;
        hfm_master_fini(&node->master);
        hfm_node_tell(node, &(struct hfm_event){.kind = HFM_EVENT_MASTER,
                                                .about = node->cluster.self,
                                                .before = 1,
                                                .term = node->term,
                                                .until = node->election.acts_until});
    }
}

void hfm_node_duty(struct hfm_node *node)
{
    if (node->acts && (!node->election.acts || node->election.term != node->term)) {
        hfm_node_close_duty(node);
    }
    if (!node->acts && node->election.acts) {
        begin(node);
    }
}

ni_status hfm_node_acknowledge(struct hfm_node *node, uint32_t about, uint64_t now)
{
    node->now = now;
    if (!node->acts || now >= node->election.acts_until) {
        return NI_ERR_UNREACHABLE;
    }
    if (about >= node->cluster.nodes || node->known[about].fault == 0) {
        return NI_ERR_NOTFOUND;
    }
    if (!node->known[about].acked) {
        node->known[about].acked = true;
        spread(node, about);
        hfm_node_tell(node, &(struct hfm_event){.kind = HFM_EVENT_ACKED,
                                                .about = about,
                                                .fault = node->known[about].fault,
                                                .before = node->known[about].fault,
                                                .term = node->term});
    }
    return NI_OK;
}
