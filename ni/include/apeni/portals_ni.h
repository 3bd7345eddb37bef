/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_NI_H
#define APENI_PORTALS_NI_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_event.h>

/* The interface. A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ni_features {
    NI_TARGET_BIND_INACCESSIBLE =
        1, /* memory of an entry need not be there until a message comes */
    NI_COHERENT_ATOMICS =
        2, /* ni_atomic_sync is not needed between atomics and the processor's own */
};

/* PtlNIInit's limits. 0 in `desired` means the default. */
struct ni_limits {
    uint32_t max_entries;            /* match entries appended at one time */
    uint32_t max_unexpected_headers; /* kept by NI_PT_UNEXPECTED entries */
    uint32_t max_pt_index;           /* largest index, at most 255 */
    uint32_t max_iovecs;             /* elements of one descriptor or entry, at most 2^20 */
    uint64_t max_msg_size;           /* bytes of one put or get */
    uint32_t max_triggered_ops;      /* armed at one time */
    uint32_t max_eqs;                /* event queues at one time, handlers included */
    uint32_t max_cts;                /* counting events at one time */
    uint32_t max_mds;                /* actual: UINT32_MAX, descriptors are plain data */
    uint32_t max_list_size;          /* actual: max_entries, of which one list may have all */
    unsigned features;               /* actual: enum ni_features */
    uint64_t max_volatile_size; /* bytes that NI_MD_VOLATILE copies, at most 2^20; default 4096 */
    /* Of those below one gets what there is, at most: 1024, 1024, 64, 24. */
    uint64_t max_atomic_size;       /* bytes of one ni_atomic */
    uint64_t max_fetch_atomic_size; /* of one ni_fetch_atomic or ni_swap */
    /* A put or atomic of so many bytes is in place before a later one of the same initiator. Those
     * of any length match in order. */
    uint64_t max_waw_ordered_size;
    uint64_t max_war_ordered_size; /* a get of so many bytes reads before a later put writes */
};

/* Make an NI able to match; before any other function here, once per NI. Peers' puts before this
 * are refused with NI_NI_DROPPED. desired and actual may be NULL. NI_PTL_NO_SPACE,
 * NI_PTL_ARG_INVALID (a limit out of range), NI_PTL_IN_USE (done already). */
int ni_portals_open(struct ni *ni, const struct ni_limits *desired, struct ni_limits *actual);

enum ni_sr {
    NI_SR_DROP_COUNT,            /* messages dropped, violations among them (match_dropped) */
    NI_SR_PERMISSION_VIOLATIONS, /* refused by handle, key, bounds or access (rx_refused) */
    NI_SR_OPERATION_VIOLATIONS,  /* matched what does not accept them (match_op_violations) */
};

/* PtlNIStatus: since the NI was opened. Any thread may call it. NI_PTL_ARG_INVALID,
 * NI_PTL_NO_INIT. */
int ni_portals_status(struct ni *ni, enum ni_sr reg, uint64_t *value);

/* ---- ranks ----------------------------------------------------------------------------------- */

/* PtlSetMap: logical addressing. Rank n is peers[n]; the NI itself, NULL, has to have one. From
 * then on the peers' numbers, in events, in match_id and from ni_peer_initiator, are their ranks;
 * peers without a rank get numbers behind all ranks. match_id of an entry has to be a rank or
 * NI_INITIATOR_ANY. size is 1 to 2^24. Before the first portal table entry (else NI_PTL_IN_USE),
 * and not while another thread uses the NI. The same again sets another map. NI_PTL_ARG_INVALID
 * (size, a peer twice, none NULL, a peer of another NI), NI_PTL_NO_SPACE. */
int ni_set_map(struct ni *ni, uint32_t size, struct ni_peer *const *peers);

/* PtlGetMap: the first `size` of the map, and how many there are. NI_PTL_ARG_INVALID: there is
 * none. */
int ni_get_map(struct ni *ni, uint32_t size, struct ni_peer **peers, uint32_t *actual);

/* Extension: the peer, NULL for the NI itself, that has a rank: the target of a put to that rank.
 * NI_PTL_ARG_INVALID: nobody has it. Costs two loads. */
int ni_rank_peer(struct ni *ni, uint32_t rank, struct ni_peer **peer);

/* PtlGetId: what this NI is called in what it puts to itself: its rank, or NI_INITIATOR_SELF. */
int ni_get_id(struct ni *ni, ni_initiator *id);

/* PtlGetPhysId: the address that peers connect to, as ni_address. NI_PTL_ARG_INVALID: size is too
 * small, NI_BLOB_MAX is enough. */
int ni_get_phys_id(struct ni *ni, void *blob, size_t size, size_t *length);

/* PtlGetUid: the user whose processes an NI talks to, this process' own. Other users cannot
 * connect, but for root, from whom nothing could be kept: it counts as the same. */
int ni_get_uid(struct ni *ni, uint32_t *uid);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
