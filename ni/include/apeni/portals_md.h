/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_MD_H
#define APENI_PORTALS_MD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_ct.h>
#include <apeni/portals_eq.h>

/* Memory descriptors (initiator). A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ni_md_options {
    NI_MD_EVENT_SEND_DISABLE = 1,    /* no SEND events */
    NI_MD_EVENT_SUCCESS_DISABLE = 2, /* only events of failures */
    NI_MD_SENT_BY_RESULT = 4,        /* Extension: when the data has left (been copied) by the time
                                        ni_put returns, ni_put returns NI_PTL_SENT and there is no
                                        SEND event for this put */
    NI_MD_EVENT_CT_SEND = 8,         /* what would be a SEND event is counted in ct, too: also
                                        where the event itself is disabled, or told by result */
    NI_MD_EVENT_CT_ACK = 0x10,       /* the same for ACK */
    NI_MD_EVENT_CT_BYTES = 0x20,     /* successes count as their bytes */
    NI_MD_EVENT_CT_REPLY = 0x40,     /* what would be a REPLY event is counted in ct, too */
    NI_MD_VOLATILE = 0x100,          /* what up to max_volatile_size bytes are sent from may be
                                        changed as soon as the call has returned (the specification
                                        has it for puts) */
    NI_MD_UNORDERED = 0x200,         /* need not match in order: a hint, which changes nothing */
    NI_MD_UNTIL_MATCHED = 0x400,     /* Extension: a short put to a target whose kept messages take
                                        half of match_unexpected has its SEND event when it has
                                        matched, as a longer one has, whose data stays until then.
                                        So what a target has to keep is no more than is under way */
    NI_MD_ATTENDED = 0x800, /* Extension: the caller makes progress until the put has ended,
                               so that no thread need stand in for it (placement TILE) */
    NI_MD_IOVEC = 0x80,     /* start is an array of struct ni_iovec, length the number of its
                                            elements, offsets count the bytes of all */
};

/* PtlIOVec: with NI_MD_IOVEC and NI_ME_IOVEC. At most limits.max_iovecs elements. The elements of a
 * descriptor that data leaves from are read when the operation is started; those of one that an
 * answer comes to must stay until the REPLY, those of an entry until its last event. What does not
 * lie in one element is copied together before it is sent, and an answer comes to one block first,
 * which is copied before the REPLY: the elements' memory is the user's again at SEND and REPLY all
 * the same. An entry's memory is read and written piece by piece. */
struct ni_iovec {
    void *iov_base;
    size_t iov_len; /* bytes */
};

/* A memory descriptor: plain data, which must stay in place while puts that name it are under way.
 * (PtlMDBind without a table: start NULL and length SIZE_MAX describe all memory, and then a
 * local_offset is an address.) */
struct ni_md {
    const void *start; /* written to by what gives a REPLY */
    size_t length;     /* bytes; with NI_MD_IOVEC elements */
    unsigned options;  /* enum ni_md_options */
    struct ni_eq *eq;  /* SEND, ACK and REPLY events; NULL: none */
    struct ni_ct *ct;  /* with NI_MD_EVENT_CT_* */
};

enum ni_ack_req {
    NI_NO_ACK_REQ,
    NI_ACK_REQ,    /* an ACK event when the data has been delivered to an entry that matched */
    NI_CT_ACK_REQ, /* the same, only counted (NI_MD_EVENT_CT_ACK): no event, nor of failures */
    NI_OC_ACK_REQ, /* the same. (The specification lets it say less, and sooner.) */
};

/* PtlPut: send length bytes of a descriptor, from local_offset, to the entries of a peer's portal
 * table entry. target NULL is this NI itself. match_bits and the initiator decide what it matches;
 * remote_offset is where in the matching entry the bytes go (unless that manages its offset
 * itself); hdr_data goes to the event.
 *
 * Never NI_AGAIN: what finds no room waits in order (Extension of what is said of memory in
 * transfer.h). Up to match_eager bytes (parameter) are copied out at once if there is room, so that
 * the SEND event comes before the call returns; longer ones, and those to a target whose kept
 * messages are half of match_unexpected, are sent as a header and fetched by the target's NI when
 * it has matched: then SEND comes when it has fetched them. Puts of one thread to one peer match in
 * the order in which they were made.
 *
 * Events at the initiator: SEND always once (with NI_ACK_REQ, and no room at first, not before
 * ACK), ACK once if asked for, both in any case, with the reason if it failed (peer gone, dropped,
 * disabled). Eager puts without NI_ACK_REQ report no failure at the target. NI_PTL_ARG_INVALID
 * (range outside of the descriptor, index > 255), NI_PTL_NO_SPACE, or the peer's status: then there
 * is no event. */
int ni_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
           uint64_t remote_offset, void *user_ptr, uint64_t hdr_data);

enum { NI_PUT_SHORT = 2048 }; /* bytes */

/* Extension. A put of up to NI_PUT_SHORT bytes that leaves now, without a descriptor, an
 * acknowledgement, an offset or an event: what ni_put does with NI_MD_SENT_BY_RESULT and
 * NI_NO_ACK_REQ where nothing is in the way, in fewer instructions. True: sent, as if ni_put had
 * returned NI_PTL_SENT. False: nothing has happened (no room, target NULL, a peer that is gone or
 * keeps too much, more than match_eager, a range that is not allowed): call ni_put, which also says
 * what is wrong. The limit max_msg_size is not looked at. Both match in the order in which they
 * were called. */
bool ni_put_short(struct ni_peer *target, const void *data, uint64_t length, uint32_t pt_index,
                  uint64_t match_bits, uint64_t hdr_data);

/* PtlGet: read length bytes of the entry that matches, from remote_offset, into a descriptor's
 * memory at local_offset. Matched in order with puts and atomics of the same thread to the same
 * peer, by an entry that must have NI_ME_OP_GET; one that is shorter gives what it has.
 *
 * Event at the initiator: REPLY, always once, also when it failed: mlength bytes have come, from
 * remote_offset. At the target: GET when they have left, hdr_data 0. Up to 24 bytes, or what fits a
 * packet when there is room, come in one; longer data the target's NI writes into the descriptor's
 * memory, which it may until the REPLY. An entry of the overflow list answers at once, too, and
 * GET_OVERFLOW tells the entry that matches later. What matches neither is refused with
 * NI_NI_DROPPED, also by an entry of the portal table with NI_PT_UNEXPECTED: that keeps data, of
 * which a get has none. Returns as ni_put, and never NI_AGAIN. */
int ni_get(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
           void *user_ptr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
