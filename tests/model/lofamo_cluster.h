/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_LOFAMO_CLUSTER_H
#define TESTS_MODEL_LOFAMO_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

#include "base/random.h"
#include "dnp/card.h"
#include "hfm/watchdog.h"

/*
 * A torus of cards and hosts in virtual time, for tests of fault awareness. Cards are those of dnp,
 * connected by cables, hosts have hfm's watchdogs and send what is new over the service network to
 * the master, node 0, which tells all the others.
 *
 *   card --credit--> neighbour's card --registers--> its host --service network--> master --> all
 *
 * Only what is due is done, so that many cards are quick. Time is in cycles of a microsecond.
 */

enum {
    CLUSTER_WRITE = 5000, /* periods of hosts and cards */
    CLUSTER_READ = 8000,
    CLUSTER_CREDIT = 35,    /* from a change to the credit that has it */
    CLUSTER_IDLE = 3500,    /* between credits otherwise */
    CLUSTER_TIMEOUT = 9000, /* without a credit: broken */
    CLUSTER_LATENCY = 8,    /* of a cable */
    CLUSTER_SERVICE = 500,  /* of the service network */
};

enum cluster_fault {
    CLUSTER_HOST_STOPS,
    CLUSTER_CARD_STOPS,
    CLUSTER_ALL_STOPS,
    CLUSTER_SERVICE_BROKEN,
    CLUSTER_LINK_CUT, /* X+, in both directions */
    CLUSTER_TOO_HOT,
    CLUSTER_FAULTS,
};

/* What happened, in the order in which it did. about: the node that has the fault; fault: the words
 * of dnp/lofamo/fault.h, or HFM_CARD_LOST. */
enum cluster_kind {
    CLUSTER_HAPPENS,    /* fault: enum cluster_fault */
    CLUSTER_CARD_KNOWS, /* about its host, or its neighbour's node */
    CLUSTER_HOST_KNOWS, /* about its card, or its neighbour's node */
    CLUSTER_MASTER_KNOWS,
    CLUSTER_ALL_KNOW, /* the host of a node has heard of it from the master */
};

struct cluster_record {
    uint64_t at;
    enum cluster_kind kind;
    uint32_t node;
    uint32_t about;
    uint32_t fault;
};

struct cluster_host {
    struct cluster *cluster;
    uint32_t node;
    struct hfm_card card;
    struct hfm_watchdog watchdog;
    bool stopped, cut_off; /* without a service network */
};

struct cluster_message {
    uint64_t at;
    uint32_t to;
    uint32_t from;
    uint32_t about;
    uint32_t fault;
};

struct cluster_word {
    uint64_t at;
    struct apelink_word word;
    uint32_t node; /* where it arrives */
    uint32_t link;
};

struct cluster {
    struct ni_torus shape;
    uint32_t nodes;
    struct dnp_card *card;
    struct dnp_host no_memory;
    struct cluster_host *host;
    bool *card_stopped;
    bool (*cut)[DNP_LINKS]; /* what leaves there does not arrive */
    uint64_t *due;          /* of each node, its card and its host */
    uint64_t now;
    uint32_t lose; /* one word in so many is lost; 0: none */
    struct ni_rng rng;
    struct cluster_word *word; /* under way, those that arrive first first */
    size_t word_first, word_end;
    struct cluster_message *message;
    size_t message_first, message_end;
    struct cluster_record *record;
    size_t records;
};

/* All cards are enabled, and the periods of hosts and cards begin at random times. */
void cluster_init(struct cluster *cluster, struct ni_torus shape, uint64_t seed);
void cluster_fini(struct cluster *cluster);

void cluster_run(struct cluster *cluster, uint64_t cycles);
void cluster_strike(struct cluster *cluster, uint32_t node, enum cluster_fault fault);

/* The first record of this kind at a node about another with all of these bits; NULL: none. */
const struct cluster_record *cluster_find(const struct cluster *cluster, enum cluster_kind kind,
                                          uint32_t node, uint32_t about, uint32_t fault);

/* What may be said about a node because of what has happened to it and its neighbours; what has
 * happened is in the records before `end`. */
uint32_t cluster_cause(const struct cluster *cluster, uint32_t about, size_t end);

/* The first record that says something without a cause; NULL: none. */
const struct cluster_record *cluster_without_cause(const struct cluster *cluster);

#endif
