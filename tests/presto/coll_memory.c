/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the cases, and what is in it: see coll_parts.h. */
#include "coll_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "type/named.h"

void *coll_get(size_t bytes)
{
    void *memory = malloc(bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "coll_cases: no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

/* Room for `span` bytes of data that begin `gap` bytes behind the buffer's address, all of them
 * 0x5a. */
static void memory_make(struct coll_memory *m, size_t span, ptrdiff_t gap)
{
    m->bytes = span;
    m->mem = coll_get(span);
    m->want = coll_get(span);
    m->buf = m->mem - gap;
    memset(m->mem, 0x5a, span);
    memset(m->want, 0x5a, span);
}

void coll_memory_elements(struct coll_memory *m, const struct pri_type *type, size_t count)
{
    ptrdiff_t gap = 0;
    size_t span = count == 0 ? 0 : pri_type_span(type, count, &gap);

    memory_make(m, span, gap);
}

/* Element `first` on of what must be in the memory; with `now`, of what is in it, too. */
void coll_memory_put(struct coll_memory *m, struct pri_type *type, ptrdiff_t place, size_t count,
                     const char *packed, bool now)
{
    if (now) {
        pri_type_unpack(type, count, m->buf + place, 0, packed, count * type->size);
    }
    pri_type_unpack(type, count, m->want + (m->buf - m->mem) + place, 0, packed,
                    count * type->size);
}

/* Random packed elements. Doubles are small whole numbers, so that sums are exact in any order. */
static void fill(char *packed, struct pri_type *type, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        char *at = packed + i * type->size;

        for (size_t j = 0; j < type->size; j += 4) {
            uint32_t bits = coll_random(seed, UINT32_MAX);

            memcpy(at + j, &bits, 4);
        }
        if (type == &presto_type_double || type == &presto_type_double_int) {
            double value = (double)coll_random(seed, 20) - 10;

            memcpy(at, &value, sizeof value);
        }
    }
}

char *coll_filled(struct pri_type *type, size_t count, uint64_t *seed)
{
    char *packed = coll_get(count * type->size);

    fill(packed, type, count, seed);
    return packed;
}

size_t coll_random_count(uint64_t *seed)
{
    switch (coll_random(seed, 8)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
    case 3:
        return coll_random(seed, 2000);
    default:
        return coll_random(seed, 60);
    }
}
