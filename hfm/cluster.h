/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_CLUSTER_H
#define HFM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/torus.h>

#include "hfm/lease.h"

enum { HFM_MASTERS_MAX = 8 };

/* What all daemons of a cluster know of it, and which of its nodes this is. Times in ns. */
struct hfm_cluster {
    struct ni_torus torus;
    uint32_t nodes; /* of the torus */
    uint32_t self;
    unsigned masters; /* candidates, by rank, at least one; all of them vote */
    unsigned voters;
    unsigned quorum;                /* votes that a master needs */
    uint32_t voter[HFM_VOTERS_MAX]; /* the masters first */
    uint64_t period;                /* of pings */
    uint64_t silent;                /* how long a node may not be heard */
    uint64_t gone;                  /* and with it its card, if there are cards */
    uint64_t hold;                  /* and with it its host, if there are none */
    uint64_t lease;
    uint64_t grace; /* until nodes have to be heard first */
    unsigned
        news; /* that a master sends between two steps; what is left out goes with later pings */
    bool cards;
    bool asks;     /* hosts whose daemons are silent, or whose cards say that they do not live */
    uint32_t mask; /* of fault words: what cards do not say */
};

#endif
