/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_INPROC_HOOKS_H
#define NI_LINK_INPROC_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/inproc.h>

/*
 * What tests may do to a fabric beyond its public interface. NIs are numbered in the order in
 * which they were opened, from 0. Thread-safe.
 */

/* How transfers reach the memory of a peer. */
enum ni_fabric_copy {
    NI_FABRIC_SAME_MEMORY, /* plain memcpy by the initiator; the default */
    NI_FABRIC_BY_CALL,     /* as between processes whose kernel copies: through ni_link_ops.copy */
    NI_FABRIC_BY_PACKETS,  /* not at all: ni_fabric_attr.no_direct_copy */
};

/* For connections made from now on. */
void ni_fabric_set_copy(struct ni_fabric *fabric, enum ni_fabric_copy copy);

/* The NI dies like a process: no more of its packets are sent or taken, peers see
 * NI_ERR_PEER_DEAD. It must not be used any more, but has to be closed. false if there is no open
 * NI of this number. */
bool ni_fabric_kill(struct ni_fabric *fabric, uint32_t number);

/* Times that faults struck packets, and what receivers noticed. */
struct ni_fabric_counts {
    uint64_t dropped, delayed, duplicated, truncated, corrupted;
    uint64_t discarded; /* packets that had arrived before */
    uint64_t gaps;      /* connections ended because a packet was missing */
};

void ni_fabric_get_counts(struct ni_fabric *fabric, struct ni_fabric_counts *counts);

#endif
