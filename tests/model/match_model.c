/* SPDX-License-Identifier: BSD-3-Clause */
#include "match_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool model_matches(const struct model_item *item, const struct model_item *wanted)
{
    uint64_t dont_ignore = ~item->ignore & ~wanted->ignore;

    if (((item->bits ^ wanted->bits) & dont_ignore) != 0) {
        return false;
    }
    if (item->initiator == MODEL_ANY || wanted->initiator == MODEL_ANY) {
        return true;
    }
    return item->initiator == wanted->initiator;
}

long model_first(const struct model_walk *walk, size_t from, const struct model_item *wanted,
                 size_t *place)
{
    for (size_t i = from; i < walk->count; i++) {
        if (!model_matches(&walk->item[i], wanted)) {
            continue;
        }
        *place = i;
        return (long)walk->item[i].number;
    }
    return -1;
}

void model_append(struct model_walk *walk, const struct model_item *item)
{
    if (walk->count == walk->room) {
        walk->room = 2 * walk->room + 64;
        walk->item = realloc(walk->item, walk->room * sizeof(*walk->item));
        if (walk->item == NULL) {
            fprintf(stderr, "match model: out of memory\n");
            exit(1);
        }
    }
    walk->item[walk->count++] = *item;
}

void model_remove(struct model_walk *walk, size_t place)
{
    walk->count--;
    memmove(&walk->item[place], &walk->item[place + 1],
            (walk->count - place) * sizeof(*walk->item));
}

void model_free(struct model_walk *walk)
{
    free(walk->item);
    *walk = (struct model_walk){0};
}

/* Masks as they occur: of whole fields, and of any bits. */
static uint64_t draw_mask(struct ni_rng *rng)
{
    switch (ni_rng_below(rng, 6)) {
    case 0:
        return 0x7fffffff; /* the tag but for its sign */
    case 1:
        return UINT32_MAX;
    case 2:
        return UINT64_MAX;
    case 3:
        return ni_rng_next(rng) & 0x7;
    case 4:
        return (uint64_t)1 << ni_rng_below(rng, 34);
    default:
        return ni_rng_next(rng) & ni_rng_next(rng) & 0xff000000ffU;
    }
}

struct model_taste model_draw_taste(struct ni_rng *rng)
{
    static const size_t most[] = {3, 10, 16, 20, 40, 100, 300, 1000, 4000};
    static const uint64_t kinds[] = {1, 2, 4, 30, 500, 100000};
    static const size_t masks[] = {1, 2, 3, 4, 6, 10, 64};
    struct model_taste taste = {
        .contexts = 1 + ni_rng_below(rng, 3),
        .tags = kinds[ni_rng_below(rng, 6)],
        .initiators = kinds[ni_rng_below(rng, 5)],
        .masks = masks[ni_rng_below(rng, 7)],
        .wild = (unsigned)ni_rng_below(rng, 17),
        .any = (unsigned)ni_rng_below(rng, 17),
        .most = most[ni_rng_below(rng, 9)],
    };

    if (ni_rng_below(rng, 2) == 0) {
        taste.wild = (unsigned)ni_rng_below(rng, 3);
    }
    for (size_t i = 0; i < taste.masks; i++) {
        taste.mask[i] = draw_mask(rng);
    }
    return taste;
}

struct model_item model_draw_exact(const struct model_taste *taste, struct ni_rng *rng)
{
    uint64_t tag = ni_rng_below(rng, taste->tags);

    if (ni_rng_below(rng, 32) == 0) {
        tag |= 0x80000000U;
    }
    return (struct model_item){.bits = ni_rng_below(rng, taste->contexts) << 32 | tag,
                               .initiator = (uint32_t)ni_rng_below(rng, taste->initiators)};
}

struct model_item model_draw_wild(const struct model_taste *taste, struct ni_rng *rng)
{
    struct model_item item = model_draw_exact(taste, rng);

    if (ni_rng_below(rng, 16) < taste->wild) {
        item.ignore = taste->mask[ni_rng_below(rng, taste->masks)];
    }
    if (ni_rng_below(rng, 16) < taste->any) {
        item.initiator = MODEL_ANY;
    }
    return item;
}
