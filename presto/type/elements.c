/* SPDX-License-Identifier: BSD-3-Clause */
/* How many basic elements the beginning of some data holds, and how many bytes they are. */
#include "type/named.h"

/* A way into some data: how far it goes on, in bytes or in basic elements, and how far it is. */
struct walk {
    bool by_elements;
    size_t left;
    size_t bytes, elements;
};

/* Passes over as many basic elements as there are left, of up to `n` elements of a type; false
 * where one is cut. */
static bool pass(const struct pri_type *type, size_t n, struct walk *walk);

/* A basic element or a pair, once. */
static bool pass_named(const struct pri_type *type, struct walk *walk)
{
    size_t pair[2] = {type->size, 0};
    pri_type_pair_sizes(type, pair);
    for (int i = 0; i < 2 && pair[i] > 0 && walk->left > 0; i++) {
        size_t cost = walk->by_elements ? 1 : pair[i];
        if (walk->left < cost) {
            return false;
        }
        walk->left -= cost;
        walk->bytes += pair[i];
        walk->elements++;
    }
    return true;
}

/* The part of one element that is there, by the blocks of the type's recipe. */
static bool pass_part(const struct pri_type *type, struct walk *walk)
{
    const struct pri_recipe *recipe = type->recipe;
    if (type->predefined) {
        return pass_named(type, walk);
    }
    if (recipe->combiner != PRI_COMBINER_STRUCT) {
        return pass(recipe->type[0], SIZE_MAX, walk);
    }
    for (int i = 0; i < recipe->types && walk->left > 0; i++) {
        if (!pass(recipe->type[i], (size_t)recipe->integer[1 + i], walk)) {
            return false;
        }
    }
    return true;
}

static bool pass(const struct pri_type *type, size_t n, struct walk *walk)
{
    size_t unit = walk->by_elements ? type->elements : type->size;
    if (unit == 0) {
        return true;
    }
    size_t whole = walk->left / unit < n ? walk->left / unit : n;
    walk->left -= whole * unit;
    walk->bytes += whole * type->size;
    walk->elements += whole * type->elements;
    return whole == n || walk->left == 0 || pass_part(type, walk);
}

size_t pri_type_elements(const struct pri_type *type, size_t bytes)
{
    struct walk walk = {.left = bytes};
    if (type->size == 0) {
        return bytes == 0 ? 0 : SIZE_MAX;
    }
    return pass(type, SIZE_MAX, &walk) ? walk.elements : SIZE_MAX;
}

size_t pri_type_bytes(const struct pri_type *type, size_t elements)
{
    struct walk walk = {.by_elements = true, .left = elements};
    pass(type, SIZE_MAX, &walk);
    return walk.bytes;
}
