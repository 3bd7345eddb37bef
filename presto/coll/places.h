/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_COLL_PLACES_H
#define PRI_COLL_PLACES_H

/* Where the parts of one side are that go to or come from each rank: equal ones, those of `parts`,
 * or one for all. */

#include "coll/private.h"

struct pri_places {
    struct pri_some some;
    const struct pri_parts *parts; /* NULL: some */
    bool same;                     /* every part is `some` itself */
};

static inline struct pri_data pri_place(const struct pri_places *p, int i)
{
    if (p->parts != NULL) {
        return pri_parts_part(p->parts, i);
    }
    return p->same ? pri_some_data(p->some) : pri_some_part(p->some, i);
}

/* Keeps the types of n parts, of those with elements, until the operation is complete. */
static inline void pri_parts_hold(struct pri_sched *s, const struct pri_parts *parts, int n)
{
    for (int i = 0; i < n; i++) {
        if (pri_parts_count(parts, i) > 0) {
            pri_sched_hold(s, pri_parts_type(parts, i));
            if (parts->types == NULL) {
                return; /* it is that of all */
            }
        }
    }
}

static inline void pri_places_hold(struct pri_sched *s, const struct pri_places *p, int n)
{
    if (p->parts != NULL) {
        pri_parts_hold(s, p->parts, n);
    } else if (n > 0) {
        pri_sched_hold(s, p->some.type);
    }
}

#endif
