/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_ATOMIC_H
#define APENI_PORTALS_ATOMIC_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_md.h>

/* Atomics. A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Operations: target = target OP data, element by element. SUM and PROD of integers wrap around. */
enum ni_ptl_op {
    NI_MIN,
    NI_MAX,
    NI_SUM,
    NI_PROD,
    NI_LOR, /* from here on to BXOR: of integers only */
    NI_LAND,
    NI_BOR,
    NI_BAND,
    NI_LXOR,
    NI_BXOR,
    NI_SWAP,     /* this and the following: of ni_swap */
    NI_CSWAP,    /* target = data if operand == target. All from here on: of one element. */
    NI_CSWAP_NE, /* the same if operand != target */
    NI_CSWAP_LE, /* <= */
    NI_CSWAP_LT, /* < */
    NI_CSWAP_GE, /* >= */
    NI_CSWAP_GT, /* > */
    NI_MSWAP,    /* the bits of data that are set in operand; integers only */
};

/* Complex numbers are two of their kind, and have no order: MIN, MAX and the CSWAPs that compare
 * are not for them. NI_LONG_DOUBLE is the compiler's long double, of 16 bytes on x86-64; both ends
 * have to mean the same by it. */
enum ni_ptl_datatype {
    NI_INT8_T,
    NI_UINT8_T,
    NI_INT16_T,
    NI_UINT16_T,
    NI_INT32_T,
    NI_UINT32_T,
    NI_FLOAT,
    NI_INT64_T,
    NI_UINT64_T,
    NI_DOUBLE,
    NI_FLOAT_COMPLEX,
    NI_DOUBLE_COMPLEX,
    NI_LONG_DOUBLE,
    NI_LONG_DOUBLE_COMPLEX,
};

/* PtlAtomic: combine length bytes (at most max_atomic_size, whole elements) of a descriptor with
 * those of the entry that matches, which must have NI_ME_OP_PUT. Events as those of ni_put, with
 * NI_EVENT_ATOMIC at the target. Of an element that does not fit any more nothing is changed.
 *
 * Each element is changed in one go as far as other atomics are concerned: of any NI, of this kind
 * or by ni_fetch_op with its width, and the processor's own. Where it is not aligned to its size,
 * or has more than 8 bytes, that holds among atomics through the target's NI only. What matches
 * nothing is refused, as gets are: there is nothing to combine it with. NI_PTL_ARG_INVALID: also
 * for a length, type or operation that is not possible. */
int ni_atomic(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
              enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
              uint64_t remote_offset, void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
              enum ni_ptl_datatype type);

/* PtlFetchAtomic: the same, and what was there before comes back to get_md, at most
 * max_fetch_atomic_size bytes. The entry must have NI_ME_OP_PUT and NI_ME_OP_GET. Events: SEND by
 * put_md when its data has left (where there was no room at first, with the REPLY), REPLY by
 * get_md, each once; FETCH_ATOMIC at the target. The two places may not overlap. */
int ni_fetch_atomic(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                    const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                    struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                    uint64_t remote_offset, void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
                    enum ni_ptl_datatype type);

/* PtlSwap: the same for NI_SWAP to NI_MSWAP. operand: one element, of any alignment, read by the
 * call; not used by NI_SWAP, may be NULL then. Numbers are compared as numbers: 0.0 equals -0.0,
 * NaN nothing. */
int ni_swap(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
            const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
            struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
            void *user_ptr, uint64_t hdr_data, const void *operand, enum ni_ptl_op op,
            enum ni_ptl_datatype type);

/* PtlAtomicSync: what this thread reads and writes from now on comes after the atomics whose events
 * it has seen, and what it has written comes before later ones. */
int ni_atomic_sync(struct ni *ni);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
