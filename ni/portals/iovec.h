/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_IOVEC_H
#define NI_PORTALS_IOVEC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "portals/unexpected.h"
#include "portals/message.h"
#include "portals/put.h"
#include "portals/request.h"

/* I/O vectors. A walk over one begins at its first element: their number is bounded, and few are
 * long. Offsets and lengths were compared with the sum of the elements before. */

struct ni_walk {
    const struct ni_iovec *at;
    uint64_t skip; /* bytes of it */
};

/* Begin at an offset, at which there is a byte. */
static inline struct ni_walk ni_walk_from(const void *vector, uint64_t offset)
{
    struct ni_walk walk = {.at = (const struct ni_iovec *)vector, .skip = offset};

    while (walk.skip >= walk.at->iov_len) {
        walk.skip -= walk.at++->iov_len;
    }
    return walk;
}

/* Where it is. */
static inline uint8_t *ni_walk_place(const struct ni_walk *walk)
{
    return (uint8_t *)walk->at->iov_base + walk->skip;
}

/* The next piece, of at most `most` bytes, which are not 0; its length. */
static inline uint64_t ni_walk_on(struct ni_walk *walk, uint64_t most, uint8_t **piece)
{
    uint64_t len;

    while (walk->skip == walk->at->iov_len) {
        walk->at++;
        walk->skip = 0;
    }
    len = ni_min_u64(most, walk->at->iov_len - walk->skip);
    *piece = ni_walk_place(walk);
    walk->skip += len;
    return len;
}

/* A block to which the elements of a vector were copied: with a reference for the one that puts it,
 * and one for the put if it stays open. */
struct ni_packed {
    _Atomic uint32_t references;
    uint8_t data[];
};

void ni_packed_drop(struct ni_packed *packed); /* NULL: nothing */

/* The bytes of all elements; false if there are too many of either. */
bool ni_iovec_measure(const struct ni *ni, const void *vector, uint64_t elements, uint64_t *bytes);
/* Copy a message's data to where it goes, which may overlap. data: of target->mlength bytes, from
 * an offset in the entry. */
void ni_target_write(struct ni_target *target, uint64_t offset, const void *data);
/* Have it come from its initiator; ends with ni_unexpected_delivered. The target is a vector. */
void ni_iovec_fetch(struct ni *ni, struct ni_unexpected *unexpected, const struct ni_remote *from);
/* One piece has come; ni_done_fn. */
void ni_iovec_fetched(void *arg, ni_status status, uint64_t value);
void ni_unexpected_delivered(struct ni *ni, struct ni_unexpected *unexpected, enum ni_ni_fail fail);
/* ni_put of what is not common, or whose arguments are wrong. */
NI_COLD int ni_put_vector(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                          uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                          uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                          void *user_ptr, uint64_t hdr_data);

/* Whether bytes lie in a descriptor that is a vector. */
bool ni_iovec_within(const struct ni *ni, const struct ni_md *md, uint64_t offset, uint64_t length);
/* Where the data of an operation is, copied together if need be; false out of memory. */
bool ni_iovec_collect(struct ni_put *put, const void *vector, uint64_t offset);

/* ---- iovec_request.c ---- */

/* ni_request_start of a get or an atomic of which a descriptor is a vector. */
NI_COLD int ni_request_vector(struct ni *ni, struct ni_put *put);
/* It has ended: its answer, of so many bytes, goes to where it belongs. */
void ni_iovec_land(struct ni_extra *extra, uint64_t mlength);
/* Copy what a get reads from its entry. */
void ni_iovec_read(const struct ni_request *request, uint8_t *to);
void ni_iovec_combine(struct ni *ni, const struct ni_request *request, uint8_t *old);
/* Have the answer to a get written to its initiator, each piece by itself. */
void ni_iovec_write(struct ni *ni, struct ni_answer *answer);
/* One piece has been written; ni_done_fn. */
void ni_iovec_written(void *arg, ni_status status, uint64_t value);

#endif
