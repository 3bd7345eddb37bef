/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_RULES_H
#define PML_HOOKS_RULES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/*
 * The schedule of faults that are injected: what pml_hooks_inject says. Rules are separated by
 * semicolons, a rule is
 *
 *     ACTION[=VALUE][@CONDITION=VALUE,...]
 *
 * docs/pml_hooks.md lists actions and conditions. Knows nothing of Open MPI's inside.
 */

/* What is injected, with its value. */
enum pml_hooks_action {
    PML_HOOKS_DELAY = RECORD_FAULT_DELAY,       /* nanoseconds */
    PML_HOOKS_ERROR = RECORD_FAULT_ERROR,       /* an error class of MPI */
    PML_HOOKS_REORDER = RECORD_FAULT_REORDER,   /* messages to other peers that go first */
    PML_HOOKS_TRUNCATE = RECORD_FAULT_TRUNCATE, /* bytes that there is room for */
    PML_HOOKS_STOP = RECORD_FAULT_STOP,
    PML_HOOKS_DIE = RECORD_FAULT_DIE,
    PML_HOOKS_ACTIONS
};

/* Operations, and messages, that a rule is about: bits. */
enum { PML_HOOKS_OP_SEND = 1, PML_HOOKS_OP_RECEIVE = 2 };
enum { PML_HOOKS_OF_PROGRAM = 1, PML_HOOKS_OF_COLLECTIVES = 2 };

struct pml_hooks_rule {
    enum pml_hooks_action action;
    unsigned ops, of;
    uint64_t value;
    int64_t first_rank, last_rank; /* who does it */
    int64_t peer, tag;             /* -1: any */
    uint64_t nth, every;           /* 0: not given */
    uint64_t times;                /* the most times */
    double chance;                 /* below 0: not given */
    _Atomic uint64_t seen, done;   /* operations that the rule is about, and those that it hit */
};

enum { PML_HOOKS_RULES = 32 };

struct pml_hooks_rules {
    struct pml_hooks_rule rules[PML_HOOKS_RULES];
    size_t count;
};

/* An operation that is about to begin. */
struct pml_hooks_operation {
    unsigned op, of; /* one bit of each */
    int64_t peer;    /* rank in its MPI_COMM_WORLD, -1: any source */
    int64_t tag;
};

/* Read a schedule. Returns NULL, or what is wrong with it and what would be right, in a text that
 * is valid until the next call. */
const char *pml_hooks_rules_read(const char *text, struct pml_hooks_rules *rules);

/* Whether the rule hits this operation of a rank, which it counts. Depends only on the seed, the
 * rule's index, the rank, and how many operations the rule was about before. Thread-safe. */
bool pml_hooks_rule_hits(struct pml_hooks_rules *rules, size_t index, uint64_t seed, int64_t rank,
                         const struct pml_hooks_operation *operation);

#endif
