/* SPDX-License-Identifier: BSD-3-Clause */
/* How many basic elements the beginning of some data holds. */
#include "type/named.h"

/* Takes as many basic elements as fit off `bytes`, from up to `n` elements of a type; false where
 * one is cut. */
static bool take(const struct pri_type *type, size_t n, size_t *bytes, size_t *count);

/* A basic element or a pair, once. */
static bool take_named(const struct pri_type *type, size_t *bytes, size_t *count)
{
    size_t pair[2] = {type->size, 0};
    pri_type_pair_sizes(type, pair);
    for (int i = 0; i < 2 && pair[i] > 0 && *bytes > 0; i++) {
        if (*bytes < pair[i])
            return false;
        *bytes -= pair[i];
        ++*count;
    }
    return true;
}

/* The part of one element that is there, by the blocks of the type's recipe. */
static bool take_part(const struct pri_type *type, size_t *bytes, size_t *count)
{
    const struct pri_recipe *recipe = type->recipe;
    if (recipe == NULL)
        return take_named(type, bytes, count);
    if (recipe->combiner != PRI_COMBINER_STRUCT)
        return take(recipe->type[0], SIZE_MAX, bytes, count);
    for (int i = 0; i<recipe->types && * bytes> 0; i++)
        if (!take(recipe->type[i], (size_t)recipe->integer[1 + i], bytes, count))
            return false;
    return true;
}

static bool take(const struct pri_type *type, size_t n, size_t *bytes, size_t *count)
{
    if (type->size == 0)
        return true;
    size_t whole = *bytes / type->size < n ? *bytes / type->size : n;
    *bytes -= whole * type->size;
    *count += whole * type->elements;
    return whole == n || *bytes == 0 || take_part(type, bytes, count);
}

size_t pri_type_elements(const struct pri_type *type, size_t bytes)
{
    size_t count = 0;
    if (type->size == 0)
        return bytes == 0 ? 0 : SIZE_MAX;
    return take(type, SIZE_MAX, &bytes, &count) ? count : SIZE_MAX;
}
