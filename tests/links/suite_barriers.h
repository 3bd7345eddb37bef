/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_BARRIERS_H
#define TESTS_LINKS_SUITE_BARRIERS_H

#include "suite.h"

/* What the cases about barriers have in common. */

enum { ROUNDS = 2, MANY = 20, MEMBERS = 16 };

struct member {
    struct ni_barrier *barrier;
    struct ni_barrier_address address;
};

struct group {
    unsigned members, arity, last;
    ni_status wanted;
    struct member member[MEMBERS]; /* at NI number index % n */
    _Atomic uint64_t entered[MANY];
    struct ni_rkey queues[SUITE_NIS]; /* by NI; what comes there is dropped */
    _Atomic uint64_t left;            /* times members have left */
};

struct group *bar_new_group(struct suite *suite, unsigned members, unsigned arity);
void bar_free_group(struct suite *suite, struct group *group);

/* Of NIs: all members there but group->last enter; all are freed. */
void bar_enter_others(struct suite_ni *ni, void *arg);
void bar_leave_for_good(struct suite_ni *ni, void *arg);

/* ---- suite_barriers_full.c: cases ------------------------------------------------------------ */

void bar_full_lane(struct suite *suite);
void bar_full_lane_and_death(struct suite *suite);
void bar_full_lanes(struct suite *suite);

#endif
