/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_TARGETS_H
#define NI_ENGINE_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/region.h>

/*
 * What the descriptors of a command region, and the requests of a queue pair, may name: regions of
 * peers, by number. Numbers are given in turn and not again. The progress lock is held.
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

/* One more, its number in *number. NI_ERR_LIMIT: there have been 65536. NI_ERR_NOMEM. */
ni_status ni_targets_add(struct ni_targets *targets, struct ni_peer *peer,
                         const struct ni_rkey *rkey, uint16_t *number);
/* Take one back. NI_ERR_NOTFOUND: there is none. */
ni_status ni_targets_remove(struct ni_targets *targets, uint16_t number);
void ni_targets_free(struct ni_targets *targets);

#endif
