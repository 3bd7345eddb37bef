/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_CARD_H
#define HFM_DAEMON_CARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/client.h"
#include "hfm/config.h"
#include "hfm/setup.h"
#include "hfm/watchdog.h"

/*
 * The watchdog of a card on a thread of its own: a card that has stopped answers no register, and
 * the thread that asks it waits. The thread starts the card's fault manager, keeps the watchdog,
 * writes the table of the router and opens the device again when the card has gone. The loop of the
 * daemon looks at what it has learnt, and at when it worked last.
 */
struct card_change {
    bool changed;
    uint32_t fault;
    uint32_t worst; /* since it was taken last */
    uint64_t seen;  /* ns: when it was seen otherwise for the last time */
};

struct card_thread {
    const struct hfm_config *config;
    pthread_t thread;
    bool started;
    int wake;                                    /* eventfd: there is something to take */
    _Atomic uint32_t host;                       /* for host_watchdog */
    _Atomic uint32_t reach[NI_TORUS_DIMENSIONS]; /* for route_reach */
    _Atomic uint64_t worked;                     /* ns */
    _Atomic bool ends;
    pthread_mutex_t lock; /* of what follows */
    struct card_change change[HFM_SUBJECTS];
    char state[320]; /* for people */

    /* Of the thread. */
    struct apelink_client client;
    struct hfm_card card;
    struct hfm_setup setup;
    enum { CARD_CLOSED, CARD_WAITS, CARD_WORKS } phase;
    struct hfm_watchdog watchdog;
    bool told[NI_TORUS_DIMENSIONS]; /* what reaches is in route_reach */
    uint32_t reaches[NI_TORUS_DIMENSIONS];
    bool gone; /* an ioctl has said so */
    uint64_t retry;
};

/* Start it; signals stay with the caller's thread. config has to stay. false: logged. */
bool card_thread_start(struct card_thread *card, const struct hfm_config *config);

/* Take what a subject has become. false: nothing new. */
bool card_thread_take(struct card_thread *card, unsigned subject, struct card_change *change);

/* What people want to know of it. */
void card_thread_state(struct card_thread *card, char *text, size_t size);

/* Disable the card's fault manager and end the thread. false: it waits for its card, and uses *card
 * until the process ends. */
bool card_thread_stop(struct card_thread *card);

#endif
