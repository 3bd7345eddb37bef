/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_RCACHE_MODEL_H
#define TESTS_MODEL_RCACHE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/rcache.h>

#include "base/random.h"

/*
 * The registration cache as a plain array of entries that follows the same rules by walking over
 * all of them, and a registrar that refuses some ranges, for good or for want of resources. The
 * model asks the registrar's judgement too, but registers nothing.
 */

enum { ENTRIES_MAX = 256, HELD_MAX = 24, PAGE = 4096, PAGES = 256 };

/* Ranges in pages; the cache sees addresses. */
struct range {
    uint64_t begin, end;
};

struct registration {
    struct range range;
    unsigned access;
    bool live;
};

struct entry {
    struct ni_rcache_entry *theirs; /* NULL until the cache has told */
    struct range range;
    unsigned access;
    unsigned holders;
    bool served;
    uint64_t used; /* when it was last released; 0: free place */
};

struct model {
    struct ni_rcache *cache;
    struct ni_rng rng;
    uint64_t seed, step;
    struct registration real[ENTRIES_MAX];
    unsigned real_count;
    struct entry entry[ENTRIES_MAX];
    struct entry *held[HELD_MAX]; /* one per acquire */
    unsigned held_count;
    struct ni_rcache_counts stats;
    uint64_t clock;
    size_t max_entries, max_pages;
    uint64_t refuse_len;    /* ranges as long as this are refused, 0: none */
    unsigned refuse_access; /* so are these, where a range includes page PAGES / 2 */
    unsigned room;          /* registrations that the registrar can hold */
    uint64_t refusals;
};

/* Print what is wrong and how to repeat it; exit. */
_Noreturn void model_fail(const struct model *model, const char *what);

/* Its argument is the model. */
extern const struct ni_rcache_ops model_registrar;

bool model_overlap(struct range a, struct range b);

/* Whether an entry would be served for a range. */
bool model_serves(const struct entry *entry, struct range range, unsigned access);

/* Register a range that no entry covers; *entry is NULL on failure. */
ni_status model_admit(struct model *model, struct range range, unsigned access,
                      struct entry **entry);

/* Serve an entry no more, and end it unless it is held. */
void model_withdraw(struct model *model, struct entry *entry);

/* End an entry that is not held. */
void model_end(struct model *model, struct entry *entry);

/* Evict until at most so many entries and pages are unheld. */
void model_trim(struct model *model, size_t max_entries, size_t max_pages);

#endif
