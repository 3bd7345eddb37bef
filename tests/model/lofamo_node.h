/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_LOFAMO_NODE_H
#define TESTS_MODEL_LOFAMO_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "dnp/lofamo/manager.h"

/*
 * A node of a ring for model_dnp_lofamo: the fault manager of a card with two links, X+ and X-, and
 * a host, as few words that can be compared and copied. What the card does is done by dnp/lofamo;
 * there is no clock: each function is one thing that happens at some time.
 */

enum { LOFAMO_LINKS = 2 };

/* Statuses that cause an alarm, as a fault word has them. */
enum lofamo_fault {
    LOFAMO_NO_FAULT,
    LOFAMO_HOST_STOPS,
    LOFAMO_SERVICE_BROKEN,
    LOFAMO_SERVICE_BROKEN_FOR_A_WHILE,
    LOFAMO_CARD_STOPS,
    LOFAMO_ALL_STOPS,
    LOFAMO_LINK_CUT, /* X+, in both directions */
    LOFAMO_CORE_BROKEN,
    LOFAMO_CORE_BROKEN_FOR_A_WHILE,
    LOFAMO_FAULTS,
};

struct lofamo_link {
    uint32_t tx_spare, told, waiting, rx_spare, rx_worst, shown, remote_fault;
    uint32_t down;    /* no credit came for long */
    uint32_t known;   /* to the host: all that was wrong with the neighbour, ever */
    uint32_t arrived; /* the same to the card, in messages */
    uint32_t owed;    /* what the card wanted to tell this neighbour, ever */
};

struct lofamo_node {
    struct lofamo_link link[LOFAMO_LINKS];
    uint32_t host_watchdog, dnp_watchdog, emulation;
    uint32_t host, card; /* of the manager */
    uint32_t known;      /* to the host: all that was wrong with the card, ever */
    uint32_t found;      /* the same to the manager */
    uint32_t says;       /* what the host writes */
    struct dnp_watch watch, host_watch;
    uint8_t send, host_stopped, card_stopped, host_wrote, card_wrote;
    uint8_t fault;  /* enum lofamo_fault: it has, or had */
    uint8_t healed; /* the one for a while is over */
    uint8_t filler;
};

/* A node whose manager has just been enabled. */
void lofamo_node_init(struct lofamo_node *node);

/* The host writes host_watchdog; reads dnp_watchdog, what it points at, and acknowledges. */
void lofamo_host_writes(struct lofamo_node *node);
void lofamo_host_reads(struct lofamo_node *node);

/* The card reads host_watchdog, late or not; writes dnp_watchdog. */
void lofamo_card_reads(struct lofamo_node *node, bool late);
void lofamo_card_writes(struct lofamo_node *node);

/* A credit leaves a node by one link and arrives at the other end, or is lost on the way. */
void lofamo_credit(struct lofamo_node *from, struct lofamo_node *to, unsigned link, bool lost);

#endif
