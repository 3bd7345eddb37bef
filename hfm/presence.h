/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_PRESENCE_H
#define HFM_PRESENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * Whose pings are heard. Each node pings each period; one that has not been heard for so many
 * periods is silent, until it is heard again.
 *
 * Time in which the listener was away does not count (ours): if two steps are more than a period
 * apart, which they are not unless it is late, all nodes are granted what is beyond the period, and
 * the first time that it is more than another period all of it. So one that is late each time finds
 * what is silent after some steps, as one that never is. What has arrived meanwhile has to be given
 * to it before a step. A function of its state and the time, in any unit. Not thread-safe.
 */
struct hfm_present {
    uint64_t session;  /* the latest; 0: never heard */
    uint64_t number;   /* of its last ping */
    uint64_t heard;    /* when */
    uint64_t answered; /* when its host did, by what is no ping; 0: never */
    bool silent;
    bool leaves; /* it has said that it ends, and is not silent */
    bool left;   /* the same, at the last step */
};

struct hfm_presence {
    uint32_t self, nodes;
    uint64_t period, limit;
    uint64_t due;
    uint64_t stepped; /* the last time */
    bool excused;     /* all of the time before it, as it was late */
    struct hfm_present *of;
};

/* limit: in time, several periods. Nodes have until grace to be heard first. NI_ERR_NOMEM. */
ni_status hfm_presence_init(struct hfm_presence *presence, uint32_t self, uint32_t nodes,
                            uint64_t period, uint64_t limit, uint64_t now, uint64_t grace);
void hfm_presence_fini(struct hfm_presence *presence);

/* A ping that was made for this listener has come. false: it is an old one, which does not count.
 */
bool hfm_presence_ping(struct hfm_presence *presence, uint32_t node, uint64_t session,
                       uint64_t number, bool leaves, uint64_t now);

/* A node's host has answered, though perhaps not its daemon: it is silent, but not for so long. */
void hfm_presence_answered(struct hfm_presence *presence, uint32_t node, uint64_t now);

/* When anything of a node was heard last. */
uint64_t hfm_presence_last(const struct hfm_presence *presence, uint32_t node);

/* Look at the time. Returns whether some node has become silent, or is heard again. */
bool hfm_presence_step(struct hfm_presence *presence, uint64_t now);

/* Whether none of the others is heard, of two or more: then it is the listener who is cut off. */
bool hfm_presence_alone(const struct hfm_presence *presence);

/* Whether a node is silent, and nothing of it was heard for so long. */
bool hfm_presence_silent_for(const struct hfm_presence *presence, uint32_t node, uint64_t time,
                             uint64_t now);

#endif
