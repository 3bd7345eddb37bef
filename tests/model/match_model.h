/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_MATCH_MODEL_H
#define TESTS_MODEL_MATCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/*
 * The linear reference for the match list, from the function of MATCH Fig. 1: an array in the order
 * of appending, walked from its beginning. It knows neither groups nor tables. The same array
 * serves both directions, since ignored bits and "any" may stand on either side.
 */

#define MODEL_ANY UINT32_MAX

struct model_item {
    uint64_t bits;
    uint64_t ignore;
    uint32_t initiator;
    uint32_t number; /* of the node in the list under test */
};

struct model_walk {
    struct model_item *item;
    size_t count;
    size_t room;
};

/* Whether an item (bits, ignore, initiator) and what is wanted match. */
bool model_matches(const struct model_item *item, const struct model_item *wanted);

/* The number of the first item that matches, from place `from` on, and its place; or -1. */
long model_first(const struct model_walk *walk, size_t from, const struct model_item *wanted,
                 size_t *place);

/* Ends the program when out of memory. */
void model_append(struct model_walk *walk, const struct model_item *item);
void model_remove(struct model_walk *walk, size_t place);
void model_free(struct model_walk *walk);

/* What a trace is made of: few or many different bits, initiators and masks. */
struct model_taste {
    uint64_t contexts, tags, initiators;
    uint64_t mask[64];
    size_t masks;
    unsigned wild; /* of 16: how often the mask is not 0 */
    unsigned any;  /* of 16: how often the initiator is any */
    size_t most;   /* nodes at one time */
};

/* A taste drawn at random. */
struct model_taste model_draw_taste(struct ni_rng *rng);

/* Bits and an initiator, as a header has them. */
struct model_item model_draw_exact(const struct model_taste *taste, struct ni_rng *rng);

/* Bits, mask and initiator, as an entry or a search for headers has them. */
struct model_item model_draw_wild(const struct model_taste *taste, struct ni_rng *rng);

#endif
