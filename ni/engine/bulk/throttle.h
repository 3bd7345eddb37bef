/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_THROTTLE_H
#define NI_ENGINE_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/parts.h"

struct ni;

/*
 * How much of long transfers one pass of progress copies, when the one that copies is also the one
 * that looks at what arrives. As long as nothing does, whole chunks. While packets arrive, pieces
 * of a few KiB, and after each as long a time for packets alone, so that a conversation goes on
 * beside a transfer and the two have half of the time each. Transfers shorter than NI_THROTTLE_MIN
 * are not cut: a message waits for one of them at most.
 */

enum {
    NI_THROTTLE_MIN = 4 << 20,   /* bytes of a transfer that is cut */
    NI_THROTTLE_REST_NS = 10000, /* most for packets alone behind a piece */
    NI_THROTTLE_LEAST =
        8 << 10, /* of a piece; below, calling the kernel takes longer than copying */
};

/* Packets have arrived in this pass. The progress lock is held, as for what follows. */
void ni_throttle_hear(struct ni *ni);
/* Whether a transfer of so many bytes may copy in this pass. */
bool ni_throttle_allows(struct ni *ni, uint64_t len);
/* Bytes to copy now of those that are left of a chunk. Where each call of the kernel takes long,
 * pieces become `times` as long as elsewhere, if nothing is heard. `began_ns` is for
 * ni_throttle_copied. */
uint64_t ni_throttle_piece(struct ni *ni, uint64_t len, uint64_t left, unsigned times,
                           uint64_t *began_ns);
/* The piece has been copied. */
void ni_throttle_copied(struct ni *ni, uint64_t began_ns);

#endif
