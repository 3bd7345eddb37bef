/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_NOTIFIER_H
#define HFM_NOTIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "hfm/message.h"
#include "hfm/watchdog.h"

/*
 * The fault notifier of Table 7: tells the master what the watchdog has learnt, until the master
 * says that it knows. For each subject one report is under way at most; what changes meanwhile goes
 * into the next, of which `worst` has the worst of each field since the last that was acknowledged.
 * So nothing is lost however long the service network is cut, and no room is needed for it.
 *
 *   settled --change--> owed --sent each period--> owed --its ACK--> settled, or owed if it changed
 *
 * A master that begins anew knows nothing: as soon as its session is known, it is told of all
 * faults again. Until a first master is known nothing is sent.
 *
 * A function of its state and the time, which is in any unit. Not thread-safe.
 */
struct hfm_subject {
    uint32_t about; /* the node */
    uint32_t fault; /* now */
    uint32_t worst; /* since the last report that was acknowledged was made */
    uint32_t said;  /* in the report that is under way */
    uint32_t said_worst;
    uint64_t number;  /* of it; 0: none */
    uint64_t sent_at; /* when it was sent last */
    bool owed;        /* there is something that no report says */
};

struct hfm_notifier {
    uint32_t node;
    uint64_t session;
    uint64_t master; /* its session; 0: not known */
    uint64_t period;
    uint64_t number; /* of the last report */
    struct hfm_subject subject[HFM_SUBJECTS];
};

/* about: the node of each subject. session: not 0, and larger than those of this node before. */
void hfm_notifier_init(struct hfm_notifier *notifier, uint32_t node,
                       const uint32_t about[HFM_SUBJECTS], uint64_t session, uint64_t period);

/* Something has changed: the listener of the watchdog. */
void hfm_notifier_learn(struct hfm_notifier *notifier, unsigned subject, uint32_t fault);

/* A pong that counts has come from a master of this session. Those of earlier sessions say nothing.
 */
void hfm_notifier_found(struct hfm_notifier *notifier, uint64_t master);

/* When there is something to send; UINT64_MAX: never, unless something is learnt. */
uint64_t hfm_notifier_due(const struct hfm_notifier *notifier);

/* The next message that is due. false: none is. */
bool hfm_notifier_next(struct hfm_notifier *notifier, uint64_t now, struct hfm_message *message);

/* An ACK has come. Those of other sessions, or of reports that are not under way, say nothing. */
void hfm_notifier_acknowledged(struct hfm_notifier *notifier, const struct hfm_message *message);

#endif
