/* SPDX-License-Identifier: BSD-3-Clause */
/* How a type's loops and bounds come together, whatever it is made of. */
#include "type/type.h"

#include <stdlib.h>
#include <string.h>

static void *array_of(int count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

struct pri_type *pri_type_begin(enum pri_combiner combiner, int ints, int addrs, int types)
{
    struct pri_type *type = calloc(1, sizeof(*type));
    struct pri_recipe *recipe = calloc(1, sizeof(*recipe));
    if (type == NULL || recipe == NULL) {
        free(type);
        free(recipe);
        return NULL;
    }
    recipe->combiner = combiner;
    recipe->ints = ints;
    recipe->addrs = addrs;
    recipe->types = types;
    recipe->integer = array_of(ints, sizeof(long long));
    recipe->addr = array_of(addrs, sizeof(ptrdiff_t));
    recipe->type = array_of(types, sizeof(struct pri_type *));
    type->recipe = recipe;
    type->align = 1;
    atomic_init(&type->refs, 1);
    if (recipe->integer != NULL && recipe->addr != NULL && recipe->type != NULL) {
        return type;
    }
    return pri_type_finish(type, false);
}

bool pri_type_hold(struct pri_type *type, struct pri_type *part)
{
    struct pri_recipe *recipe = type->recipe;
    if (part == NULL) {
        return false;
    }
    struct pri_type **held =
        realloc(recipe->held, ((size_t)recipe->helds + 1) * sizeof(struct pri_type *));
    if (held == NULL) {
        pri_type_release(part);
        return false;
    }
    recipe->held = held;
    held[recipe->helds++] = part;
    return true;
}

/* Whether the list's last loop and a new one become one; then they have. */
static bool merge(struct pri_type *type, const struct pri_loop *loop)
{
    if (type->parts == 0 || loop->body != NULL || loop->count != 1) {
        return false;
    }
    struct pri_loop *last = (struct pri_loop *)&type->part[type->parts - 1];
    if (last->body != NULL) {
        return false;
    }
    if (last->count == 1 && last->disp + (ptrdiff_t)last->size == loop->disp) {
        last->size += loop->size;
        return true;
    }
    if (last->size != loop->size) {
        return false;
    }
    if (last->count == 1) {
        last->stride = loop->disp - last->disp;
    } else if (last->disp + (ptrdiff_t)last->count * last->stride != loop->disp) {
        return false;
    }
    last->count++;
    return true;
}

/* Puts a loop behind the others. */
static bool append(struct pri_type *type, struct pri_loop loop)
{
    if (loop.body == NULL && (ptrdiff_t)loop.size == loop.stride) {
        loop.size *= loop.count;
        loop.count = 1;
    }
    loop.at = type->size;
    if (merge(type, &loop)) {
        return true;
    }
    if (type->parts == type->room) {
        size_t room = type->room == 0 ? 1 : 2 * type->room;
        struct pri_loop *part = realloc((void *)type->part, room * sizeof(*part));
        if (part == NULL) {
            return false;
        }
        type->part = part;
        type->room = room;
    }
    *(struct pri_loop *)&type->part[type->parts++] = loop;
    return true;
}

static ptrdiff_t lower(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static ptrdiff_t higher(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* A bound so far; one that the application marked wins over those that follow from data. */
static void widen(ptrdiff_t *bound, bool *marked, bool *known, ptrdiff_t with, bool with_marked,
                  ptrdiff_t (*choose)(ptrdiff_t, ptrdiff_t))
{
    if (!*known || (with_marked && !*marked)) {
        *bound = with;
    } else if (with_marked == *marked) {
        *bound = choose(*bound, with);
    }
    *known = true;
    *marked |= with_marked;
}

/* The bounds with elements of which the lowest begins at `from` and the highest at `to`. While a
 * type is being made, its extents hold upper bounds. */
static void widen_all(struct pri_type *type, ptrdiff_t from, ptrdiff_t to,
                      const struct pri_type *old)
{
    struct pri_recipe *recipe = type->recipe;
    bool mark = old->predefined && (old->lb_marked || old->ub_marked);
    if (!mark || old->lb_marked) {
        widen(&type->lb, &type->lb_marked, &recipe->lb_known, from + old->lb, old->lb_marked,
              lower);
    }
    if (!mark || old->ub_marked) {
        widen(&type->extent, &type->ub_marked, &recipe->ub_known, to + old->lb + old->extent,
              old->ub_marked, higher);
    }
    if (old->size == 0) {
        return;
    }
    ptrdiff_t first = from + old->true_lb, last = to + old->true_lb + old->true_extent;
    type->true_lb = type->size == 0 ? first : lower(type->true_lb, first);
    type->true_extent = type->size == 0 ? last : higher(type->true_extent, last);
}

/* What all basic elements have in common. */
static void count_elements(struct pri_type *type, size_t n, const struct pri_type *old)
{
    if (old->elements == 0) {
        return;
    }
    bool first = type->elements == 0;
    type->kind = first || type->kind == old->kind ? old->kind : PRI_KIND_NONE;
    type->unit = first || type->unit == old->unit ? old->unit : 0;
    type->elements += n * old->elements;
    if (type->align < old->align) {
        type->align = old->align;
    }
}

/* The loop of blocks whose elements have holes. */
static bool append_holey(struct pri_type *type, ptrdiff_t disp, size_t count, ptrdiff_t stride,
                         size_t length, struct pri_type *old)
{
    if (length > 1 && count > 1 && stride != (ptrdiff_t)length * old->extent) {
        struct pri_type *block = pri_type_begin(PRI_COMBINER_CONTIGUOUS, 0, 0, 0);
        bool ok = block != NULL && pri_type_add(block, 0, 1, 0, length, old);
        block = pri_type_finish(block, ok);
        if (!pri_type_hold(type, block)) {
            return false;
        }
        old = block;
    } else if (length > 1) {
        stride = old->extent;
        count *= length;
    }
    if (old->parts == 1 && (count == 1 || old->part->count == 1)) {
        struct pri_loop loop = *old->part;
        loop.disp += disp;
        if (count > 1) {
            loop.count = count;
            loop.stride = stride;
        }
        return append(type, loop);
    }
    return append(type, (struct pri_loop){.disp = disp,
                                          .count = count,
                                          .stride = stride,
                                          .size = old->size,
                                          .body = old->part,
                                          .parts = old->parts});
}

bool pri_type_add(struct pri_type *type, ptrdiff_t disp, size_t count, ptrdiff_t stride,
                  size_t length, struct pri_type *old)
{
    if (count == 0 || length == 0) {
        return true;
    }
    ptrdiff_t block = (ptrdiff_t)(length - 1) * old->extent, all = (ptrdiff_t)(count - 1) * stride;
    widen_all(type, disp + lower(0, all) + lower(0, block),
              disp + higher(0, all) + higher(0, block), old);
    count_elements(type, count * length, old);
    if (old->size == 0) {
        return true;
    }
    bool ok;
    if (old->contiguous) {
        ok = append(type, (struct pri_loop){.disp = disp + old->true_lb,
                                            .count = count,
                                            .stride = stride,
                                            .size = length * old->size});
    } else {
        ok = append_holey(type, disp, count, stride, length, old);
    }
    type->size += count * length * old->size;
    return ok;
}

static void free_recipe(struct pri_recipe *recipe)
{
    for (int i = 0; recipe->type != NULL && i < recipe->types; i++) {
        if (recipe->type[i] != NULL) {
            pri_type_release(recipe->type[i]);
        }
    }
    for (int i = 0; i < recipe->helds; i++) {
        pri_type_release(recipe->held[i]);
    }
    free(recipe->integer);
    free(recipe->addr);
    free(recipe->type);
    free(recipe->held);
    free(recipe);
}

static void destroy(struct pri_type *type)
{
    free_recipe(type->recipe);
    free((void *)type->part);
    free((void *)type->name);
    free(type);
}

struct pri_type *pri_type_finish(struct pri_type *type, bool ok)
{
    if (type == NULL) {
        return NULL;
    }
    if (!ok) {
        destroy(type);
        return NULL;
    }
    type->true_extent -= type->true_lb;
    type->extent -= type->lb;
    ptrdiff_t excess = type->extent % type->align;
    if (!type->ub_marked && excess > 0) {
        type->extent += type->align - excess;
    }
    type->contiguous =
        type->size == 0 || (type->parts == 1 && type->part->count == 1 &&
                            type->part->body == NULL && (ptrdiff_t)type->size == type->extent);
    return type;
}

void pri_type_retain(struct pri_type *type)
{
    if (!type->predefined) {
        atomic_fetch_add_explicit(&type->refs, 1, memory_order_relaxed);
    }
}

void pri_type_release(struct pri_type *type)
{
    /* The last user sees what the others did: each release pairs with the last one's acquire. */
    if (!type->predefined && atomic_fetch_sub_explicit(&type->refs, 1, memory_order_acq_rel) == 1) {
        destroy(type);
    }
}

size_t pri_type_span(const struct pri_type *type, size_t count, ptrdiff_t *gap)
{
    ptrdiff_t more = count > 0 ? (ptrdiff_t)(count - 1) * type->extent : 0;
    *gap = type->true_lb + lower(0, more);
    return count == 0 ? 0 : (size_t)(type->true_extent + (more < 0 ? -more : more));
}
