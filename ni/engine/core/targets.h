/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_TARGETS_H
#define NI_ENGINE_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>

/*
 * What the descriptors of a command region, and the requests of a queue pair, may name: regions of
 * peers, by number. Numbers are given in turn and not again. Used under the progress lock, which
 * those take that a program calls.
 */

struct ni_target {
    struct ni_peer *peer; /* NULL: taken back */
    struct ni_rkey rkey;
};

struct ni_targets {
    struct ni_target *list;
    uint32_t count;
};

/* The target of a number that somebody else wrote; NULL: there is none. Valid until one is
 * added. */
static inline const struct ni_target *ni_targets_find(const struct ni_targets *targets,
                                                      uint64_t number)
{
    return number < targets->count && targets->list[number].peer != NULL ? &targets->list[number]
                                                                         : NULL;
}

/* The targets of the region of a handle; NULL: it is no such region. The progress lock is ours: it
 * keeps the region from being freed. */
typedef struct ni_targets *(*ni_targets_of_fn)(const struct ni *ni, ni_handle handle);

/* One more, its number in *number. NI_ERR_REGION: of what is no such region. NI_ERR_LIMIT: there
 * have been 65536. NI_ERR_NOMEM; NI_ERR_INVALID: something is NULL. */
ni_status ni_targets_add(struct ni *ni, ni_handle handle, ni_targets_of_fn of, struct ni_peer *peer,
                         const struct ni_rkey *rkey, uint16_t *number);
/* Take one back. NI_ERR_NOTFOUND: there is none. */
ni_status ni_targets_remove(struct ni *ni, ni_handle handle, ni_targets_of_fn of, uint16_t number);
void ni_targets_free(struct ni_targets *targets);

#endif
