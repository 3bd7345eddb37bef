/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_DAEMON_H
#define HFM_DAEMON_DAEMON_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/fault_page.h"
#include "dnp/board/writer.h"
#include "dnp/mac.h"
#include "dnp/way.h"
#include "hfm/config.h"
#include "hfm/daemon/alarm.h"
#include "hfm/daemon/card.h"
#include "hfm/daemon/look.h"
#include "hfm/daemon/notify.h"
#include "hfm/history.h"
#include "hfm/host.h"
#include "hfm/node.h"
#include "hfm/print.h"

/* A node to which cards have no way, or from it. */
struct hfm_parted {
    uint64_t since; /* ns; 0: there are both */
    struct dnp_cable_end broken[2];
};

/*
 * apelink-hfm as a process: one thread on libevent for the service network and those who ask, one
 * for the card, and ordinary ones for what may take long (dnp/board/realtime.h): the status of the
 * host, log and record, and the start of hooks.
 *
 *   socket --messages--> node <--changes-- card thread        node --events--> history, log, record
 *   look thread --status-----^   ^--time-- alarm                 --messages--> socket
 */
struct hfm_daemon {
    struct hfm_config config;
    struct dnp_key key;
    struct event_base *base;
    int socket;
    struct hfm_alarm alarm;
    struct event *readable, *card_event, *look_event, *signals[3];
    struct hfm_node_ops ops;
    struct hfm_node node;
    struct hfm_host host;
    struct hfm_history history;
    struct card_thread card;
    uint32_t card_fault; /* of the own card, without what a stuck thread means */
    bool card_stuck;
    uint64_t took, excused; /* when the loop last looked at the card's thread; was late */
    bool late;
    struct look_thread look;
    bool left; /* a thread that waits for a card, a file or a program has been left */
    struct board_writer log, record;
    struct hfm_counts counts;
    struct hfm_notify notify;
    struct hfm_control *control;
    struct hfm_http *http;
    struct hfm_hooks *hooks;
    struct hfm_ask *asks; /* of each node; NULL: nobody was asked */
    struct ni_fault_page *page;
    struct hfm_parted *parted; /* of each node */
    bool cables;               /* what is known of nodes, and perhaps of cables, has changed */
};

/* Work until a signal ends it. The configuration's `here` is known. Returns an exit status. If a
 * thread was left, *daemon has to stay until the process ends. */
int hfm_daemon_run(struct hfm_daemon *daemon);

/* What there is to be told about the daemon. */
void hfm_daemon_state(struct hfm_daemon *daemon, struct hfm_state *state);

/* Socket, record, readers, hooks, page and card (files.c); gives up rights then. false: logged. */
bool hfm_files_open(struct hfm_daemon *daemon);
/* What is known of a node, to the page, which is there. */
void hfm_files_show(struct hfm_daemon *daemon, uint32_t node);

/* Have the card send round the cables that are known to be broken, and show of each node whether
 * there is a way to it (cables.c). */
void hfm_cables_follow(struct hfm_daemon *daemon, uint64_t now);

/* The service network (network.c). -1: logged. */
int hfm_network_open(const struct sockaddr_in *address);
/* Take all that has come. */
void hfm_network_drain(struct hfm_daemon *daemon);
void hfm_network_send(void *arg, uint32_t to, const struct hfm_message *message);

/* Ask a node's host whether it lives (ask.c). */
void hfm_ask(void *arg, uint32_t about);
void hfm_asks_close(struct hfm_daemon *daemon);

#endif
