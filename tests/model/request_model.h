/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_REQUEST_MODEL_H
#define TESTS_MODEL_REQUEST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/portals.h>

#include "base/random.h"
#include "match_model.h"

/*
 * The linear reference for a portal table entry: posted entries in an array, walked from its
 * beginning for each put, get and atomic, with the bytes that their buffers must hold. What it
 * cannot match it keeps, if it is to, in another array. No sockets, no tables, no time: an
 * operation is done when it is called.
 */

enum { BUFFER_PIECES = 6, BUFFER_GAP = 3, MODEL_ENTRIES = 48, MODEL_GONE = 16, MODEL_KEPT = 64 };

/* Bytes of the program's: in one piece, or in several that do not even lie in order. */
struct buffer {
    uint8_t *memory;
    uint64_t length; /* bytes in all pieces */
    struct ni_iovec piece[BUFFER_PIECES];
    unsigned pieces; /* 0: memory itself */
};

void buffer_make(struct buffer *buffer, uint64_t length, bool vector, struct ni_rng *rng);
void buffer_free(struct buffer *buffer);
uint8_t *buffer_at(const struct buffer *buffer, uint64_t offset);
void buffer_write(struct buffer *buffer, uint64_t offset, const uint8_t *from, uint64_t length);
/* Whether it holds these bytes, and nothing between its pieces was touched. */
bool buffer_holds(const struct buffer *buffer, const uint8_t *bytes);

enum model_verb { MODEL_PUT, MODEL_GET, MODEL_ATOMIC, MODEL_FETCH, MODEL_SWAP };

struct model_op {
    enum model_verb verb;
    struct model_item who; /* bits and initiator; number: of the operation */
    uint64_t length, offset;
    const uint8_t *data;
    enum ni_ptl_op op;
    enum ni_ptl_datatype type;
    uint8_t operand[8];
};

struct model_entry {
    struct model_item what;
    unsigned options;
    uint64_t length, used, min_free;
    uint8_t *bytes; /* what must be there */
};

/* What became of an operation, or of a message that was kept. */
struct model_outcome {
    enum ni_ni_fail fail;
    bool kept;
    uint32_t number;  /* of the operation */
    uint32_t entry;   /* its number, where it has met one */
    unsigned options; /* of that */
    uint64_t mlength, offset;
    bool unlinks;
};

struct model_target {
    struct model_entry entry[MODEL_ENTRIES]; /* in the order of posting */
    unsigned entries;
    struct model_entry gone[MODEL_GONE]; /* unlinked by use, to be looked at and forgotten */
    unsigned gone_count;
    struct model_op kept[MODEL_KEPT]; /* in the order of arrival */
    unsigned kept_count;
    bool keeps;
};

/* An operation arrives. old: bytes that it fetches. */
struct model_outcome model_arrive(struct model_target *target, const struct model_op *op,
                                  uint8_t *old);
/* An entry is posted: what it does with kept messages, in order; their number. Then it is in
 * `entry`, or in `gone`. */
unsigned model_post(struct model_target *target, struct model_entry *entry,
                    struct model_outcome *outcomes);
/* Take out the entry at a place. */
struct model_entry model_unpost(struct model_target *target, unsigned place);

#endif
