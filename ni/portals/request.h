/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_REQUEST_H
#define NI_PORTALS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "portals/combine.h"
#include "portals/unexpected.h"
#include "portals/message.h"
#include "portals/put.h"

/* Gets and atomics at their target: serve.c, answer.c. */

/* A get or an atomic, as its target sees it. */
struct ni_request {
    struct ni_arriving from;
    const uint8_t *data;           /* atomics: from.rlength bytes */
    struct ni_combination what;    /* the same */
    struct ni_remote to;           /* of the answer, in the peer; handle 0: none */
    struct ni_target target;       /* once matched */
    struct ni_unexpected *spilled; /* it met an entry of the overflow list */
};

/* It is done, and answered: tell its event, release its entry. */
void ni_request_end(struct ni *ni, struct ni_request *request, enum ni_ni_fail fail);
/* Combine what an atomic brings with an entry's bytes, or a part of both; old may be NULL. */
void ni_combine_in(struct ni *ni, const struct ni_combination *what, uint8_t *target,
                   const uint8_t *data, uint8_t *old, uint64_t length);
/* A peer's: NI_OK; NI_AGAIN (too many headers), NI_ERR_NOMEM: nothing has been done. */
ni_status ni_request_serve(struct ni *ni, struct ni_request *request, uint32_t pt_index);
/* One to the own NI; what ni_get and its kin return. */
int ni_request_self(struct ni *ni, struct ni_put *put);

/* An answer that may take longer than a packet. */
struct ni_answer {
    struct ni_list all; /* in portals->answers; under the NI's lock */
    struct ni_portal_task task;
    struct ni_request request;
    enum ni_ni_fail fail;
    struct ni_pieces pieces; /* of a vector, being written */
    uint8_t old[];           /* fetching atomics: what was there */
};

/* With room for so many old values; NULL out of memory. */
struct ni_answer *ni_answer_new(struct ni *ni, uint64_t length);
void ni_answer_free(struct ni *ni, struct ni_answer *answer);
/* Answer with what is at src (NULL: in the vector of the entry), in one packet, now (or, if it is
 * short, when there is room); false if that is not possible. */
bool ni_answer_at_once(const struct ni_request *request, const uint8_t *src);
/* Have the answer written to the initiator, tell the event and leave the entry. Ends `answer`. */
void ni_answer_write(struct ni *ni, struct ni_answer *answer, const uint8_t *src);
/* It has been written, or not. */
void ni_answer_written(struct ni_answer *answer, ni_status status);
/* The same for all of it in one Write; ni_done_fn. */
void ni_answer_done(void *arg, ni_status status, uint64_t value);

#endif
