/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon's duties on the service network. */
#include "hfm/node.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "hfm/node_private.h"

static void learn_own(struct hfm_node *node)
{
    hfm_notifier_learn(&node->notifier, HFM_OWN,
                       hfm_fault_worst(node->card, hfm_node_host_word(node)));
}

ni_status hfm_node_init(struct hfm_node *node, const struct hfm_cluster *cluster,
                        const struct hfm_node_ops *ops, uint64_t session, uint64_t now)
{
    uint32_t about[HFM_SUBJECTS];

    *node = (struct hfm_node){.cluster = *cluster,
                              .ops = ops,
                              .session = session,
                              .follows = UINT32_MAX,
                              .voter_index = -1,
                              .settle = UINT64_MAX,
                              .review = UINT64_MAX,
                              .ask_due = UINT64_MAX,
                              .news_left = cluster->news,
                              .begun = now,
                              .answered_at = now,
                              .judged_at = now,
                              .now = now};
    node->known = ni_calloc(cluster->nodes, sizeof *node->known);
    node->asker = ni_calloc(cluster->nodes, sizeof *node->asker);
    if (node->known == NULL || node->asker == NULL ||
        hfm_presence_init(&node->presence, cluster->self, cluster->nodes, cluster->period,
                          cluster->silent, now, cluster->grace) != NI_OK) {
        return NI_ERR_NOMEM;
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        about[link] =
            ni_torus_neighbour(&cluster->torus, cluster->self, (enum ni_torus_direction)link);
    }
    about[HFM_OWN] = cluster->self;
    hfm_notifier_init(&node->notifier, cluster->self, about, session, cluster->period);
    for (unsigned i = 0; i < cluster->masters; i++) {
        hfm_service_init(&node->master_link[i].service, cluster->period, now);
    }
    hfm_voter_init(&node->voter, cluster->lease, now);
    for (unsigned i = 0; i < cluster->voters; i++) {
        if (cluster->voter[i] == cluster->self) {
            node->voter_index = (int)i;
        }
    }
    node->candidate = node->voter_index >= 0 && node->voter_index < (int)cluster->masters;
    if (node->candidate) {
        hfm_candidate_init(&node->election, (uint32_t)node->voter_index, cluster->voters,
                           cluster->quorum, cluster->period, cluster->lease, session, now);
    }
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        node->seen[i] = now;
        if (!cluster->cards) {
            hfm_notifier_learn(&node->notifier, i, 0);
        }
    }
    return NI_OK;
}

void hfm_node_fini(struct hfm_node *node)
{
    hfm_node_close_duty(node);
    hfm_presence_fini(&node->presence);
    ni_free(node->known);
    ni_free(node->asker);
    node->known = NULL;
    node->asker = NULL;
}

void hfm_node_tell(struct hfm_node *node, const struct hfm_event *event)
{
    struct hfm_event told = *event;

    told.at = node->now;
    node->ops->event(node->ops->arg, &told);
}

void hfm_node_send(struct hfm_node *node, uint32_t to, struct hfm_message *message)
{
    message->from = node->cluster.self;
    if (to == node->cluster.self) {
        hfm_node_take(node, message, node->now);
    } else {
        node->ops->send(node->ops->arg, to, message);
    }
}

uint64_t hfm_node_due(const struct hfm_node *node)
{
    uint64_t due = hfm_notifier_due(&node->notifier);

    for (unsigned i = 0; i < node->cluster.masters; i++) {
        if (node->cluster.voter[i] != node->cluster.self) {
            due = ni_min_u64(due, hfm_service_due(&node->master_link[i].service));
        }
    }
    if (node->candidate) {
        due = ni_min_u64(due, hfm_candidate_due(&node->election));
        due = ni_min_u64(due, node->presence.due);
    }
    return ni_min_u64(ni_min_u64(due, node->ask_due), ni_min_u64(node->settle, node->review));
}

static void ping(struct hfm_node *node, unsigned rank, uint8_t flags)
{
    struct hfm_master_link *link = &node->master_link[rank];
    struct hfm_message message = {.kind = HFM_PING,
                                  .flags = flags,
                                  .session = node->session,
                                  .answers = link->session,
                                  .number = link->service.asked,
                                  .term = node->term,
                                  .have = node->have};

    hfm_node_send(node, node->cluster.voter[rank], &message);
}

/* Whether pings of another node are heard here. */
static bool hears_somebody(const struct hfm_node *node)
{
    for (uint32_t i = 0; i < node->cluster.nodes && node->candidate; i++) {
        if (i != node->cluster.self && node->presence.of[i].session != 0 &&
            !node->presence.of[i].silent) {
            return true;
        }
    }
    return false;
}

/* The own service network: broken when no other master answers and nobody is heard. */
static void judge_service(struct hfm_node *node)
{
    enum dnp_status status =
        node->candidate && hfm_presence_alone(&node->presence) ? DNP_BROKEN : DNP_NORMAL;
    unsigned others = 0, broken = 0;

    for (unsigned i = 0; i < node->cluster.masters; i++) {
        if (node->cluster.voter[i] != node->cluster.self) {
            others++;
            broken += hfm_service_status(&node->master_link[i].service) == DNP_BROKEN;
        }
    }
    if (others > 0) {
        status = others == broken && !hears_somebody(node) ? DNP_BROKEN : DNP_NORMAL;
    }
    if (!node->answered && node->now < node->begun + node->cluster.grace) {
        status = DNP_NORMAL; /* the masters may begin later than this node */
    }
    if (status != node->service) {
        hfm_node_tell(node, &(struct hfm_event){.kind = HFM_EVENT_SERVICE,
                                                .about = node->cluster.self,
                                                .fault = status,
                                                .before = node->service});
        node->service = status;
        node->seen[HFM_OWN] = status == DNP_BROKEN ? node->answered_at : node->judged_at;
        learn_own(node);
    }
    node->judged_at = node->now;
}

static void ask_voters(struct hfm_node *node)
{
    for (unsigned i = 0; i < node->cluster.voters; i++) {
        struct hfm_message message = {.kind = HFM_ASK,
                                      .flags = node->acts ? HFM_FLAG_ACTS : 0,
                                      .session = node->session,
                                      .answers = node->cluster.voter[i] == node->cluster.self
                                                     ? node->session
                                                     : node->voter_session[i],
                                      .number = node->election.asked,
                                      .term = node->election.term};

        hfm_node_send(node, node->cluster.voter[i], &message);
    }
}

void hfm_node_step(struct hfm_node *node, uint64_t now)
{
    struct hfm_message message;

    node->now = now;
    node->news_left = node->cluster.news;
    if (node->candidate) {
        bool asks = hfm_candidate_step(&node->election, now);

        hfm_node_duty(node);
        if (asks) {
            ask_voters(node);
            hfm_node_duty(node);
        }
        if (hfm_presence_step(&node->presence, now) || now >= node->settle || now >= node->review) {
            node->settle = now >= node->settle ? UINT64_MAX : node->settle;
            hfm_node_review(node);
        }
        hfm_node_ask(node);
    }
    for (unsigned i = 0; i < node->cluster.masters; i++) {
        if (node->cluster.voter[i] != node->cluster.self &&
            hfm_service_step(&node->master_link[i].service, now)) {
            ping(node, i, 0);
        }
    }
    judge_service(node);
    while (hfm_notifier_next(&node->notifier, now, &message)) {
        message.age_us =
            (uint32_t)ni_min_u64((now - node->seen[message.subject]) / 1000, UINT32_MAX);
        hfm_node_send(node, node->follows, &message);
    }
}

void hfm_node_leave(struct hfm_node *node, uint64_t now)
{
    node->now = now;
    for (unsigned i = 0; i < node->cluster.masters; i++) {
        if (node->cluster.voter[i] != node->cluster.self) {
            node->master_link[i].service.asked++;
            ping(node, i, HFM_FLAG_LEAVES);
        }
    }
}

void hfm_node_follow(struct hfm_node *node, uint32_t master, uint64_t term)
{
    if (term < node->term) {
        return;
    }
    if (term > node->term) {
        node->term = term;
        node->have = 0;
        node->follows = master;
        for (uint32_t i = 0; i < node->cluster.nodes; i++) {
            node->known[i].version = 0;
        }
        hfm_notifier_found(&node->notifier, term);
        hfm_node_tell(
            node, &(struct hfm_event){.kind = HFM_EVENT_FOLLOWS, .about = master, .term = term});
    }
    node->heard_master = node->now;
}

void hfm_node_card(struct hfm_node *node, unsigned subject, uint32_t fault, uint64_t seen,
                   uint64_t now)
{
    node->now = now;
    node->seen[subject] = seen;
    if (subject == HFM_OWN) {
        node->card = fault;
        learn_own(node);
    } else {
        hfm_notifier_learn(&node->notifier, subject, fault);
    }
}

void hfm_node_host(struct hfm_node *node, uint32_t fault, uint64_t seen, uint64_t now)
{
    node->now = now;
    if (fault != node->host) {
        node->host = fault;
        node->seen[HFM_OWN] = seen;
        learn_own(node);
    }
}

uint32_t hfm_node_host_word(const struct hfm_node *node)
{
    return hfm_fault_worst(node->host, (uint32_t)node->service);
}

uint32_t hfm_node_master(const struct hfm_node *node, uint64_t now)
{
    if (node->acts) {
        return node->cluster.self;
    }
    return node->follows != UINT32_MAX && node->follows != node->cluster.self &&
                   now - node->heard_master < 4 * node->cluster.period
               ? node->follows
               : UINT32_MAX;
}
