/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that come to a node. */
#include "hfm/node_private.h"

/* The rank of a master, or -1. */
static int rank_of(const struct hfm_node *node, uint32_t from)
{
    for (unsigned i = 0; i < node->cluster.masters; i++) {
        if (node->cluster.voter[i] == from) {
            return (int)i;
        }
    }
    return -1;
}

/* Somebody knows a later session of this node: the clock that made this one was set back. Go on
 * above that one, with a session that no earlier one has taken in the same way; numbers go on. */
static bool begin_anew(struct hfm_node *node, uint64_t later)
{
    if (later <= node->session || later > UINT64_MAX / 2) {
        return false;
    }
    node->session = later + 1 + (node->now & 0xfffffU);
    node->notifier.session = node->session;
    return true;
}

static void take_ping(struct hfm_node *node, const struct hfm_message *message)
{
    struct hfm_message pong = {.kind = HFM_PONG,
                               .session = node->session,
                               .answers = message->session,
                               .number = message->number,
                               .term = node->acts ? node->term : 0,
                               .flags = node->acts ? HFM_FLAG_ACTS : 0};
    bool counts;

    if (!node->candidate) {
        return;
    }
    counts = message->answers == node->session &&
             hfm_presence_ping(&node->presence, message->from, message->session, message->number,
                               (message->flags & HFM_FLAG_LEAVES) != 0, node->now);
    if (counts && message->term > node->term) {
        hfm_candidate_raise(&node->election, message->term);
        hfm_node_duty(node);
        return;
    }
    pong.have = node->presence.of[message->from].session;
    hfm_node_send(node, message->from, &pong);
    if (counts && node->acts && message->term == node->term && message->have < node->version) {
        hfm_node_catch_up(node, message->from, message->have);
    }
}

static void take_pong(struct hfm_node *node, const struct hfm_message *message)
{
    int rank = rank_of(node, message->from);
    struct hfm_service *service;

    if (rank < 0 || message->answers != node->session || begin_anew(node, message->have)) {
        return;
    }
    service = &node->master_link[rank].service;
    if (message->number > service->asked || service->asked - message->number > 1) {
        return;
    }
    node->master_link[rank].session = message->session;
    hfm_service_pong(service, message->number);
    node->answered = true;
    node->answered_at = node->now;
    if ((message->flags & HFM_FLAG_ACTS) != 0 && !node->acts) {
        hfm_node_follow(node, message->from, message->term);
    }
}

/* A vote is wanted. What was made for another session of this voter is answered, so that the
 * candidate learns the session, and does nothing else. */
static void take_ask(struct hfm_node *node, const struct hfm_message *message)
{
    struct hfm_asker *asker = &node->asker[message->from];
    struct hfm_message answer = {.kind = HFM_GRANT,
                                 .session = node->session,
                                 .answers = message->session,
                                 .number = message->number,
                                 .have = asker->session};
    int rank = rank_of(node, message->from);

    if (node->voter_index < 0 || rank < 0 ||
        (message->session == asker->session && message->number <= asker->number)) {
        return;
    }
    if (message->answers == node->session && message->session >= asker->session) {
        asker->session = message->session;
        asker->number = message->number;
        if (hfm_voter_asked(&node->voter, message->from, message->term, node->now)) {
            answer.flags = HFM_FLAG_GRANTED;
        }
        if (node->candidate && message->from != node->cluster.self) {
            hfm_candidate_heard(&node->election, (uint32_t)rank,
                                (message->flags & HFM_FLAG_ACTS) != 0, message->term, node->now);
        }
    }
    answer.term = node->voter.term;
    hfm_node_send(node, message->from, &answer);
}

static void take_grant(struct hfm_node *node, const struct hfm_message *message)
{
    if (!node->candidate || message->answers != node->session || begin_anew(node, message->have)) {
        return;
    }
    for (unsigned i = 0; i < node->cluster.voters; i++) {
        if (node->cluster.voter[i] == message->from && message->number <= node->election.asked &&
            node->election.asked - message->number < HFM_ASKS) {
            node->voter_session[i] = message->session;
            hfm_candidate_answered(&node->election, i, message->number,
                                   (message->flags & HFM_FLAG_GRANTED) != 0, message->term,
                                   node->now);
        }
    }
    hfm_node_duty(node);
}

static void take_news(struct hfm_node *node, const struct hfm_message *message)
{
    struct hfm_known *known = &node->known[message->about];
    struct hfm_event event = {.kind = HFM_EVENT_STATE,
                              .about = message->about,
                              .fault = message->fault,
                              .before = known->fault,
                              .via = message->via,
                              .subject = message->subject,
                              .age_us = message->age_us,
                              .term = message->term};
    bool acked = (message->flags & HFM_FLAG_ACKED) != 0, was = known->acked;

    if (node->acts || rank_of(node, message->from) < 0 || message->answers != node->session) {
        return;
    }
    hfm_node_follow(node, message->from, message->term);
    if (message->term != node->term || message->number <= node->have ||
        message->have > node->have) {
        return;
    }
    node->have = message->number;
    *known = (struct hfm_known){.fault = message->fault,
                                .via = message->via,
                                .subject = message->subject,
                                .acked = acked,
                                .age_us = message->age_us,
                                .version = message->number,
                                .at = message->fault != known->fault ? node->now : known->at};
    if (event.fault != event.before) {
        hfm_node_tell(node, &event);
    } else if (acked && !was) {
        event.kind = HFM_EVENT_ACKED;
        hfm_node_tell(node, &event);
    }
}

void hfm_node_take(struct hfm_node *node, const struct hfm_message *message, uint64_t now)
{
    node->now = now;
    if (message->from >= node->cluster.nodes || message->about >= node->cluster.nodes ||
        message->via >= node->cluster.nodes) {
        return;
    }
    switch (message->kind) {
    case HFM_PING:
        take_ping(node, message);
        break;
    case HFM_PONG:
        take_pong(node, message);
        break;
    case HFM_REPORT:
        hfm_node_take_report(node, message);
        break;
    case HFM_ACK:
        hfm_notifier_acknowledged(&node->notifier, message);
        break;
    case HFM_ASK:
        take_ask(node, message);
        break;
    case HFM_GRANT:
        take_grant(node, message);
        break;
    case HFM_NEWS:
        take_news(node, message);
        break;
    case HFM_KINDS:
        break;
    }
}
