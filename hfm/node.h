/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_NODE_H
#define HFM_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

#include "hfm/cluster.h"
#include "hfm/lease.h"
#include "hfm/master.h"
#include "hfm/message.h"
#include "hfm/notifier.h"
#include "hfm/presence.h"
#include "hfm/service.h"

/*
 * What a daemon does besides its watchdog: all duties of Table 7 on the service network.
 *
 *   pings each master --> service network broken if none answers --> host_watchdog
 *   own card, host ----> reports to the master, until it has them
 *   candidate ---------> votes; the master: hears pings, takes reports, tells all nodes what it
 * knows
 *
 * The master numbers what it knows of nodes: each change gets the next version. News is sent at
 * once to all nodes that are heard, and again to those whose pings say that they have less. So each
 * node knows of all others what the master knows, a ping later at the most. A new master begins
 * with what it knew as a node; for a while it only takes what is worse, so that what nodes have not
 * told it yet does not look as if it were well.
 *
 * A function of its state, messages and the time, in ns. Not thread-safe.
 */

/* What a node knows of another. */
struct hfm_known {
    uint32_t fault;
    uint32_t via; /* who reported the last change, by subject */
    uint8_t subject;
    bool acked;
    uint32_t age_us;  /* how long before it became known it was seen otherwise for the last time */
    uint64_t version; /* in this term; 0: not told in it */
    uint64_t at;      /* when it became known here */
};

enum hfm_event_kind {
    HFM_EVENT_STATE,   /* what is known of node `about` has changed */
    HFM_EVENT_ACKED,   /* an operator has acknowledged its alarm */
    HFM_EVENT_MASTER,  /* this node acts as the master now, or does not any more */
    HFM_EVENT_FOLLOWS, /* another master is followed */
    HFM_EVENT_SERVICE, /* this node's service network */
};

struct hfm_event {
    enum hfm_event_kind kind;
    uint64_t at;
    uint32_t about;         /* MASTER, FOLLOWS: the master */
    uint32_t fault, before; /* MASTER: 1: acts; SERVICE: a status */
    uint32_t via;
    uint8_t subject;
    uint32_t age_us;
    uint64_t term;
    uint64_t until; /* MASTER: acts, or has acted, until then at least */
};

struct hfm_node_ops {
    void (*send)(void *arg, uint32_t to, const struct hfm_message *message);
    void (*event)(void *arg, const struct hfm_event *event); /* not called again from within */
    /* Ask the kernel of a node's host whether it lives: hfm_node_answered, if it answers. */
    void (*ask)(void *arg, uint32_t about);
    void *arg;
};

/* Of a master, by its rank. */
struct hfm_master_link {
    struct hfm_service service;
    uint64_t session;
};

/* Of a voter or candidate, by node. */
struct hfm_asker {
    uint64_t session, number;
};

struct hfm_node {
    struct hfm_cluster cluster;
    const struct hfm_node_ops *ops;
    uint64_t session;
    struct hfm_master_link master_link[HFM_MASTERS_MAX];
    enum dnp_status service;     /* the own service network */
    uint32_t host, card;         /* fault words of the own node */
    uint64_t seen[HFM_SUBJECTS]; /* when a subject was seen otherwise for the last time */
    struct hfm_notifier notifier;
    struct hfm_known *known; /* of each node */
    uint64_t term, have;     /* of the master that is followed; its version */
    uint32_t follows;        /* its node; UINT32_MAX: none yet */
    uint64_t heard_master;   /* when */
    int voter_index;         /* of this node; -1: it does not vote */
    struct hfm_voter voter;
    struct hfm_asker *asker; /* of each node */
    uint64_t voter_session[HFM_VOTERS_MAX];
    bool candidate;
    struct hfm_candidate election;
    bool acts;
    struct hfm_master master; /* while it acts */
    struct hfm_presence presence;
    uint64_t version;
    unsigned news_left; /* that may be sent until the next step: votes must not end meanwhile */
    uint64_t settle;    /* until then only what is worse counts; UINT64_MAX: it has settled */
    uint64_t review;    /* when to look at all nodes again; UINT64_MAX: not */
    uint64_t ask_due;   /* when to ask hosts whose daemons are silent; UINT64_MAX: not */
    const struct hfm_message *cause; /* the report that is being taken */
    uint64_t begun;
    bool answered;        /* by some master, once */
    uint64_t answered_at; /* by some master, last */
    uint64_t judged_at;   /* the own service network */
    uint64_t now;
};

/* session: not 0, another than those of this node before, and larger unless its clock was set back;
 * then it gets a larger one from who knows such a one. NI_ERR_NOMEM. */
ni_status hfm_node_init(struct hfm_node *node, const struct hfm_cluster *cluster,
                        const struct hfm_node_ops *ops, uint64_t session, uint64_t now);
void hfm_node_fini(struct hfm_node *node);

/* When there is something to do, if nothing comes. */
uint64_t hfm_node_due(const struct hfm_node *node);
/* Do what is due. What has come has to be taken before. */
void hfm_node_step(struct hfm_node *node, uint64_t now);

/* A message has come. Any is judged. */
void hfm_node_take(struct hfm_node *node, const struct hfm_message *message, uint64_t now);

/* A host that was asked lives: what is heard by its kernel is no word of its daemon, but tells a
 * daemon that ended or was stopped from a host that did. */
void hfm_node_answered(struct hfm_node *node, uint32_t about, uint64_t now);

/* What the watchdog says about the own card or a neighbour (hfm/watchdog.h), and when it was seen
 * otherwise for the last time. */
void hfm_node_card(struct hfm_node *node, unsigned subject, uint32_t fault, uint64_t seen,
                   uint64_t now);

/* The host's status: memory and peripheral of a fault word, and its service network if that is
 * worse than what pings say. */
void hfm_node_host(struct hfm_node *node, uint32_t fault, uint64_t seen, uint64_t now);

/* The host's status as host_watchdog has to say it. */
uint32_t hfm_node_host_word(const struct hfm_node *node);

/* The daemon ends as it was told: say so to the masters. Pings after this one begin anew. */
void hfm_node_leave(struct hfm_node *node, uint64_t now);

/* An operator acknowledges the alarm of a node. Only the master can:
 * NI_ERR_UNREACHABLE; NI_ERR_NOTFOUND: that node has none. */
ni_status hfm_node_acknowledge(struct hfm_node *node, uint32_t about, uint64_t now);

/* The master that is followed, or this node if it acts; UINT32_MAX: none is heard. */
uint32_t hfm_node_master(const struct hfm_node *node, uint64_t now);

#endif
