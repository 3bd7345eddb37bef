/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_H
#define APENI_PORTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>

/*
 * Matching in the network interface, with the semantics of Portals 4. Names are those of its
 * specification with the prefix ni_: PtlMEAppend is ni_me_append, PTL_ME_USE_ONCE is
 * NI_ME_USE_ONCE. Results are NI_OK or one of enum ni_ptl_result.
 *
 * Life: ni_portals_open; event queues; ni_pt_alloc gives portal table entries, which peers name by
 * their index; ni_me_append posts buffers with match bits, ni_put sends to a peer's entry. What
 * arrives goes into the buffer of the first entry, in order of appending, that matches. Everything
 * moves in ni_progress and in the calls themselves. ni_close ends all of it: operations under way
 * give events with NI_NI_UNDELIVERABLE.
 *
 * Threads: as the NI. Handlers of event queues are called from ni_progress, or from the call that
 * caused the event before it returns, with no lock held: they may call anything, also what caused
 * the event. In an NI with NI_THREADS two events of different entries may be handled by two threads
 * at the same time.
 *
 * Extensions of the specification, each marked by "Extension" where it is declared:
 *   - an event queue may be a function, called in place: no event is ever stored or lost;
 *   - a portal table entry may keep what matches nothing by itself, in bounded memory
 *     (NI_PT_UNEXPECTED), instead of buffers of the user's on an overflow list. A long put that is
 *     kept so leaves its data at its initiator until an entry matches ("deferred"). In either case
 *     the event PUT_OVERFLOW comes when all data is in the entry's own buffer, nothing is left to
 *     copy; and the put is acknowledged when it has matched, not when it is kept;
 *   - initiators are named by 32-bit ids that each NI gives to its peers (ni_peer_initiator)
 *     instead of ranks or node and process ids;
 *   - ni_me_probe searches and answers at once, ni_unexpected_receive takes a message that a search
 *     has claimed into a buffer.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What functions return besides NI_OK: the specification's PTL_*. Also NI_ERR_FORKED, NI_ERR_CLOSED
 * or the status of a peer that is gone (status.h). */
enum ni_ptl_result {
    NI_PTL_ARG_INVALID = 101, /* no such entry, stale handle, bad flags */
    NI_PTL_IN_USE,            /* cannot be removed now */
    NI_PTL_NO_SPACE,          /* memory, or a limit */
    NI_PTL_NO_INIT,           /* ni_portals_open comes first */
    NI_PTL_PT_FULL,           /* no free portal table entry */
    NI_PTL_PT_IN_USE,         /* that index is taken; or it has entries still */
    NI_PTL_PT_EQ_NEEDED,      /* flow control needs an event queue */
    NI_PTL_NO_MATCH,          /* Extension: of ni_me_probe */
    NI_PTL_SENT,              /* Extension: of ni_put, see NI_MD_SENT_BY_RESULT */
    NI_PTL_EQ_EMPTY,          /* no event */
    NI_PTL_EQ_DROPPED,        /* an event, before which others were lost */
    NI_PTL_CT_NONE_REACHED,   /* no counting event has got there in time */
};

/* How an operation ended, in events. */
enum ni_ni_fail {
    NI_NI_OK,
    NI_NI_UNDELIVERABLE,  /* the peer is gone, or the NI was closed */
    NI_NI_PT_DISABLED,    /* the target's entry is disabled */
    NI_NI_DROPPED,        /* nothing matched, or the target has no such entry */
    NI_NI_PERM_VIOLATION, /* the target's entry does not accept this initiator */
    NI_NI_OP_VIOLATION,   /* the target's entry does not accept this operation */
    NI_NI_NO_MATCH,       /* a search found nothing */
    NI_NI_SEGV,           /* the buffer is not there */
};

/* A name for people, such as "NI_NI_DROPPED"; never NULL. */
const char *ni_ni_fail_name(enum ni_ni_fail fail);

/* What an event tells. The first four and their _OVERFLOW kin come in the same order. */
enum ni_event_kind {
    NI_EVENT_PUT,             /* target: data is in the buffer of a posted entry */
    NI_EVENT_GET,             /* target: data of the entry has left */
    NI_EVENT_ATOMIC,          /* target: the entry's data has been combined */
    NI_EVENT_FETCH_ATOMIC,    /* target: the same, and what was there has left */
    NI_EVENT_PUT_OVERFLOW,    /* target: the entry just appended matched what had come before */
    NI_EVENT_GET_OVERFLOW,    /* the same of a get */
    NI_EVENT_ATOMIC_OVERFLOW, /* the same of an atomic */
    NI_EVENT_FETCH_ATOMIC_OVERFLOW, /* the same of a fetching atomic */
    NI_EVENT_SEND,                  /* initiator: the buffer may be used again */
    NI_EVENT_ACK,                   /* initiator: matched and delivered */
    NI_EVENT_REPLY,                 /* initiator: the answer is in the buffer */
    NI_EVENT_AUTO_UNLINK,           /* target: an entry was used once, or its space was used up */
    NI_EVENT_AUTO_FREE,             /* target: the buffer of such an overflow entry is free */
    NI_EVENT_LINK,                  /* target: an entry with NI_ME_EVENT_LINK is in its list */
    NI_EVENT_PT_DISABLED,           /* target: flow control has disabled the portal table entry */
    NI_EVENT_SEARCH,                /* result of ni_me_search */
};

/* Initiators. An NI numbers its peers in the order in which it comes to know them, whether it
 * connected or they sent first; a number is never used again. */
typedef uint32_t ni_initiator;
#define NI_INITIATOR_ANY  ((ni_initiator)0xffffffffU)
#define NI_INITIATOR_SELF ((ni_initiator)0) /* the NI itself, unless ni_set_map gave it a rank */

/* Extension: the number of a peer. Stable from the moment it is known; the same for all
 * connections to the same address. Thread-safe, costs a load. */
ni_initiator ni_peer_initiator(const struct ni_peer *peer);

typedef uint64_t ni_me_handle;         /* an appended entry; 0 names nothing */
typedef uint64_t ni_unexpected_handle; /* a message that a search has claimed; 0 names nothing */

struct ni_event {
    enum ni_event_kind type;
    enum ni_ni_fail ni_fail_type;
    void *user_ptr;         /* of the entry or search (target), of the put (initiator) */
    void *start;            /* where the data is (target) */
    uint64_t match_bits;    /* of the put */
    uint64_t hdr_data;      /* of the put */
    uint64_t rlength;       /* bytes that the initiator wanted to send */
    uint64_t mlength;       /* bytes that were moved, or would be (SEARCH) */
    uint64_t remote_offset; /* where in the target's entry they went */
    ni_initiator initiator; /* who sent it (target) */
    uint16_t pt_index;      /* target */
    struct ni_peer *peer;   /* target: who sent it, NULL for the NI itself; initiator: the target */
    ni_unexpected_handle unexpected; /* SEARCH with NI_SEARCH_DELETE: what was claimed */
};

/* ---- the interface ----------------------------------------------------------------------------
 */

/* PtlNIInit's limits. 0 in `desired` means the default. */
struct ni_limits {
    uint32_t max_entries;            /* match entries appended at one time */
    uint32_t max_unexpected_headers; /* kept by NI_PT_UNEXPECTED entries */
    uint32_t max_pt_index;           /* largest index, at most 255 */
    uint32_t max_iovecs;             /* elements of one descriptor or entry, at most 2^20 */
    uint64_t max_msg_size;           /* bytes of one put or get */
    uint32_t max_triggered_ops;      /* armed at one time */
    /* Of those below one gets what there is, at most: 1024, 1024, 32, 24. */
    uint64_t max_atomic_size;       /* bytes of one ni_atomic */
    uint64_t max_fetch_atomic_size; /* of one ni_fetch_atomic or ni_swap */
    uint64_t max_waw_ordered_size;  /* a put or atomic of so many bytes is in place before a later
                                       one of the same initiator; those of any length match in order */
    uint64_t max_war_ordered_size;  /* a get of so many bytes reads before a later put writes */
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

/* PtlNIStatus: since the NI was opened. Any thread may call it. NI_PTL_ARG_INVALID, NI_PTL_NO_INIT. */
int ni_portals_status(struct ni *ni, enum ni_sr reg, uint64_t *value);

/* ---- ranks -------------------------------------------------------------------------------------
 */

/* PtlSetMap: logical addressing. Rank n is peers[n]; the NI itself, NULL, has to have one. From then on
 * the peers' numbers, in events, in match_id and from ni_peer_initiator, are their ranks; peers
 * without a rank get numbers behind all ranks. match_id of an entry has to be a rank or
 * NI_INITIATOR_ANY. size is 1 to 2^24. Before the first portal table entry (else NI_PTL_IN_USE), and
 * not while another thread uses the NI. The same again sets another map. NI_PTL_ARG_INVALID (size,
 * a peer twice, none NULL, a peer of another NI), NI_PTL_NO_SPACE. */
int ni_set_map(struct ni *ni, uint32_t size, struct ni_peer *const *peers);

/* PtlGetMap: the first `size` of the map, and how many there are. NI_PTL_ARG_INVALID: there is none. */
int ni_get_map(struct ni *ni, uint32_t size, struct ni_peer **peers, uint32_t *actual);

/* Extension: the peer, NULL for the NI itself, that has a rank: the target of a put to that rank.
 * NI_PTL_ARG_INVALID: nobody has it. Costs two loads. */
int ni_rank_peer(struct ni *ni, uint32_t rank, struct ni_peer **peer);

/* PtlGetId: what this NI is called in what it puts to itself: its rank, or NI_INITIATOR_SELF. */
int ni_get_id(struct ni *ni, ni_initiator *id);

/* PtlGetPhysId: the address that peers connect to, as ni_address. NI_PTL_ARG_INVALID: size is too
 * small, NI_BLOB_MAX is enough. */
int ni_get_phys_id(struct ni *ni, void *blob, size_t size, size_t *length);

/* ---- event queues ------------------------------------------------------------------------------
 */

struct ni_eq;

/* Extension: an event queue that is a function, called in place for each event, with no lock held.
 * The event is valid during the call. */
typedef void (*ni_event_fn)(void *arg, const struct ni_event *event);
int ni_eq_alloc_handler(struct ni *ni, ni_event_fn fn, void *arg, struct ni_eq **eq);

/* PtlEQAlloc: a queue that stores events, up to count (rounded up to a power of two; at most 2^24) at
 * one time. What finds it full is lost. NI_PTL_ARG_INVALID, NI_PTL_NO_SPACE. */
int ni_eq_alloc(struct ni *ni, size_t count, struct ni_eq **eq);

/* PtlEQGet: take the oldest event; makes progress if there is none yet. NI_OK; NI_PTL_EQ_EMPTY;
 * NI_PTL_EQ_DROPPED: *event is valid, and events between it and the one taken before were lost.
 * NI_PTL_ARG_INVALID: the queue is a handler. Threads may take from the same queue. */
int ni_eq_get(struct ni *ni, struct ni_eq *eq, struct ni_event *event);

/* PtlEQWait: the same, and waits until there is one (as ni_wait does: spins, yields, sleeps). */
int ni_eq_wait(struct ni *ni, struct ni_eq *eq, struct ni_event *event);

/* PtlEQPoll: the same for the first of several queues that has one, whose number goes to *which; at
 * most timeout_us, then NI_PTL_EQ_EMPTY. */
int ni_eq_poll(struct ni *ni, struct ni_eq *const *eqs, unsigned size, uint64_t timeout_us,
               struct ni_event *event, unsigned *which);

/* Nothing may use the queue any more: no portal table entry (else NI_PTL_IN_USE), no memory
 * descriptor, no put under way. Those that are left are freed by ni_close. */
int ni_eq_free(struct ni *ni, struct ni_eq *eq);

/* ---- counting events ---------------------------------------------------------------------------
 */

struct ni_ct;

struct ni_ct_event {
    uint64_t success; /* operations, or bytes */
    uint64_t failure; /* operations */
};

/* PtlCTAlloc: both counts 0. PtlCTFree: nothing may name it any more; operations that it was to trigger
 * are cancelled. Those that are left are freed by ni_close. NI_PTL_NO_SPACE, NI_PTL_NO_INIT. */
int ni_ct_alloc(struct ni *ni, struct ni_ct **ct);
int ni_ct_free(struct ni *ni, struct ni_ct *ct);

/* PtlCTGet, PtlCTSet, PtlCTInc (one of the two counts of `increment` must be 0, else
 * NI_PTL_ARG_INVALID). Any thread may call them. They make no progress. */
int ni_ct_get(const struct ni_ct *ct, struct ni_ct_event *event);
int ni_ct_set(struct ni_ct *ct, struct ni_ct_event value);
int ni_ct_inc(struct ni_ct *ct, struct ni_ct_event increment);

/* PtlCTWait: make progress until success is at least `test` or there is a failure. */
int ni_ct_wait(struct ni *ni, const struct ni_ct *ct, uint64_t test, struct ni_ct_event *event);

/* PtlCTPoll: the same for the first of several, whose number goes to *which; at most timeout_us, then
 * NI_PTL_CT_NONE_REACHED. */
int ni_ct_poll(struct ni *ni, struct ni_ct *const *cts, const uint64_t *tests, unsigned size,
               uint64_t timeout_us, struct ni_ct_event *event, unsigned *which);

/* ---- portal table entries ----------------------------------------------------------------------
 */

enum ni_pt_options {
    NI_PT_UNEXPECTED = 1,     /* Extension: keep what matches nothing, see above */
    NI_PT_FLOWCTRL = 2,       /* what finds no place disables the entry, instead of being dropped */
    NI_PT_ALLOC_DISABLED = 4, /* disabled until ni_pt_enable */
    NI_PT_ONLY_USE_ONCE = 8,  /* all entries of the priority list are NI_ME_USE_ONCE; another is
                                 refused (NI_PTL_ARG_INVALID) */
    NI_PT_ONLY_TRUNCATE = 0x10, /* no entry is NI_ME_NO_TRUNCATE; such a one is refused */
    NI_PT_MATCH_UNORDERED =
        0x20,                 /* messages need not match in order: a hint, which changes nothing */
    NI_PT_NO_MATCHING = 0x40, /* takes list entries, and no match entries. (In the specification
                                     a property of the whole interface.) */
};

#define NI_PT_ANY 0xffffffffU

/* PtlPTAlloc. eq may be NULL. wanted is an index or NI_PT_ANY. NI_PTL_PT_IN_USE, NI_PTL_PT_FULL,
 * NI_PTL_ARG_INVALID, NI_PTL_PT_EQ_NEEDED (NI_PT_FLOWCTRL without eq). Puts to entries that are not
 * allocated are dropped (NI_NI_DROPPED). */
int ni_pt_alloc(struct ni *ni, unsigned options, struct ni_eq *eq, uint32_t wanted,
                uint32_t *pt_index);

/* PtlPTDisable: what arrives from now on is refused with NI_NI_PT_DISABLED; appending, searching and
 * messages that are being fetched go on. PtlPTEnable: the reverse.
 *
 * An entry with NI_PT_FLOWCTRL disables itself, and gives NI_EVENT_PT_DISABLED once, when a put
 * matches nothing and is not kept, or when max_unexpected_headers are kept. That put too is refused:
 * nothing is lost without its initiator learning it, if it has asked (NI_ACK_REQ; long puts always):
 * its ACK has NI_NI_PT_DISABLED, and it may put again when the target has told that it has enabled
 * the entry. Without NI_PT_FLOWCTRL kept messages at their limit hold their senders back. */
int ni_pt_disable(struct ni *ni, uint32_t pt_index);
int ni_pt_enable(struct ni *ni, uint32_t pt_index);

/* PtlPTFree. NI_PTL_PT_IN_USE while entries are appended; kept messages are dropped. */
int ni_pt_free(struct ni *ni, uint32_t pt_index);

/* ---- memory descriptors (initiator) ------------------------------------------------------------
 */

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
    NI_MD_IOVEC = 0x80,              /* for ni_put: start is an array of struct ni_iovec, length the
                                        number of its elements, offsets count the bytes of all */
};

/* PtlIOVec: with NI_MD_IOVEC and NI_ME_IOVEC. At most limits.max_iovecs elements. The elements of a
 * descriptor are read by ni_put only, those of an entry must stay until its last event. What does
 * not lie in one element is copied together before it is sent: the elements' memory is the user's
 * again at SEND all the same. */
struct ni_iovec {
    void *iov_base;
    size_t iov_len; /* bytes */
};

/* A memory descriptor: plain data, which must stay in place while puts that name it are under way.
 * (PtlMDBind without a table: start NULL and length SIZE_MAX describe all memory, and then a
 * local_offset is an address.) */
struct ni_md {
    const void *start; /* written to by what gives a REPLY */
    size_t length;
    unsigned options; /* enum ni_md_options */
    struct ni_eq *eq; /* SEND, ACK and REPLY events; NULL: none */
    struct ni_ct *ct; /* with NI_MD_EVENT_CT_* */
};

enum ni_ack_req {
    NI_NO_ACK_REQ,
    NI_ACK_REQ, /* an ACK event when the data has been delivered to an entry that matched */
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
 * Events at the initiator: SEND always once (with NI_ACK_REQ, and no room at first, not before ACK),
 * ACK once if asked for, both in any case, with the reason if it failed (peer gone, dropped, disabled). Eager puts without NI_ACK_REQ report no
 * failure at the target. NI_PTL_ARG_INVALID (range outside of the descriptor, index > 255),
 * NI_PTL_NO_SPACE, or the peer's status: then there is no event. */
int ni_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
           uint64_t remote_offset, void *user_ptr, uint64_t hdr_data);

/* PtlGet: read length bytes of the entry that matches, from remote_offset, into a descriptor's memory at
 * local_offset. Matched in order with puts and atomics of the same thread to the same peer, by an
 * entry that must have NI_ME_OP_GET; one that is shorter gives what it has.
 *
 * Event at the initiator: REPLY, always once, also when it failed: mlength bytes have come, from
 * remote_offset. At the target: GET when they have left, hdr_data 0. Up to 24 bytes, or what fits a
 * packet when there is room, come in one; longer data the target's NI writes into the descriptor's
 * memory, which it may until the REPLY. An entry of the overflow list answers at once, too, and
 * GET_OVERFLOW tells the entry that matches later. What matches neither is refused with NI_NI_DROPPED,
 * also by an entry of the portal table with NI_PT_UNEXPECTED: that keeps data, of which a get has
 * none. Returns as ni_put, and never NI_AGAIN. */
int ni_get(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
           struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
           void *user_ptr);

/* ---- atomics -----------------------------------------------------------------------------------
 */

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

/* PTL_LONG_DOUBLE and the complex types are not there: no processor changes them in one go. */
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
};

/* PtlAtomic: combine length bytes (at most max_atomic_size, whole elements) of a descriptor with those
 * of the entry that matches, which must have NI_ME_OP_PUT. Events as those of ni_put, with
 * NI_EVENT_ATOMIC at the target. Of an element that does not fit any more nothing is changed.
 *
 * Each element is changed in one go as far as other atomics are concerned: of any NI, of this kind or by
 * ni_fetch_op with its width, and the processor's own. Where it is not aligned to its size that
 * holds among atomics through the target's NI only. What matches nothing is refused, as gets are:
 * there is nothing to combine it with. NI_PTL_ARG_INVALID: also for a length, type or operation that is
 * not possible. */
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

/* PtlSwap: the same for NI_SWAP to NI_MSWAP. operand: one element, of any alignment, read by the call;
 * not used by NI_SWAP, may be NULL then. Numbers are compared as numbers: 0.0 equals -0.0, NaN
 * nothing. */
int ni_swap(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
            const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
            struct ni_peer *target, uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
            void *user_ptr, uint64_t hdr_data, const void *operand, enum ni_ptl_op op,
            enum ni_ptl_datatype type);

/* PtlAtomicSync: what this thread reads and writes from now on comes after the atomics whose events it
 * has seen, and what it has written comes before later ones. */
int ni_atomic_sync(struct ni *ni);

/* ---- match entries (target) --------------------------------------------------------------------
 */

enum ni_me_options {
    NI_ME_OP_PUT = 1,               /* accepts puts and atomics: what matches an entry that does not
                                        accept it ends with NI_NI_OP_VIOLATION */
    NI_ME_USE_ONCE = 2,             /* unlinked by the first match */
    NI_ME_EVENT_COMM_DISABLE = 4,   /* no PUT, GET, .. events of successes */
    NI_ME_EVENT_UNLINK_DISABLE = 8, /* no AUTO_UNLINK event, and no AUTO_FREE */
    NI_ME_EVENT_OVER_DISABLE = 0x10, /* no _OVERFLOW event of successes */
    NI_ME_NO_TRUNCATE = 0x20,        /* passed over by messages that are longer than what is left */
    NI_ME_MANAGE_LOCAL = 0x40,       /* messages one behind the other, whatever their remote_offset;
                                        events and ACK say at which offset. Unlinked when less than
                                        min_free bytes are left. */
    NI_ME_EVENT_CT_COMM = 0x80,      /* what would be such an event is counted in ct, too */
    NI_ME_EVENT_CT_OVERFLOW = 0x100, /* the same for _OVERFLOW */
    NI_ME_EVENT_CT_BYTES = 0x200,    /* successes count as their bytes */
    NI_ME_OP_GET = 0x400,            /* accepts gets; with NI_ME_OP_PUT, fetching atomics */
    NI_ME_UNEXPECTED_HDR_DISABLE = 0x10000, /* overflow list: of a message no header is kept, and
                                               nobody will match it; PUT says that it came */
    NI_ME_LOCAL_INC_UH_RLENGTH = 0x20000,   /* with NI_ME_MANAGE_LOCAL: each message in an overflow
                                             buffer that it matches uses up rlength bytes of space,
                                             though none is written */
    NI_ME_MAY_ALIGN = 0x80000, /* messages may be put behind each other with gaps, for alignment:
                                  accepted, this NI leaves none */
    NI_ME_IOVEC = 0x100000,    /* start is an array of struct ni_iovec, length the number of its
                               elements. Priority list, puts; another entry with it is refused
                               (NI_PTL_ARG_INVALID). An event's start is its first byte's place. */
    NI_ME_IS_ACCESSIBLE = 0x200000, /* all of the buffer is there now: accepted as a hint */
    NI_ME_EVENT_LINK = 0x40000, /* LINK event when it is in its list. The specification has it the
                                   other way round: unless PTL_ME_EVENT_LINK_DISABLE. */
};

/* What to post. Plain data, copied by the call. */
struct ni_me {
    void *start; /* the user's until unlinked; not touched afterwards */
    size_t length;
    uint64_t match_bits;
    uint64_t ignore_bits;  /* bits that may differ */
    ni_initiator match_id; /* NI_INITIATOR_ANY or one */
    unsigned options;      /* enum ni_me_options */
    uint64_t min_free;     /* bytes; with NI_ME_MANAGE_LOCAL, at most length */
    struct ni_ct *ct;      /* with NI_ME_EVENT_CT_* */
};

enum ni_list_kind {
    NI_PRIORITY_LIST,
    NI_OVERFLOW_LIST,
};

/* The overflow list: where a message goes that matches nothing on the priority list. Its data is put
 * into the buffer of the first entry there that matches, as a rule one with NI_ME_MANAGE_LOCAL, an
 * acknowledgement goes out, the entry gives PUT (unless NI_ME_EVENT_COMM_DISABLE) and the header is
 * kept, at most max_unexpected_headers. An entry that is appended to the priority list later and
 * matches the header gives PUT_OVERFLOW: start and remote_offset are where the data is, in the
 * overflow entry's buffer, mlength is what is there. Nothing is copied, and what is there ends at
 * the next AUTO_FREE of that overflow entry: of one that has unlinked itself and of whose messages
 * all have been matched or deleted (unless NI_ME_EVENT_UNLINK_DISABLE).
 *
 * In a portal table entry with NI_PT_UNEXPECTED the NI keeps what matches nothing on the overflow
 * list either: so both go together. Then it depends on the message whether start of a PUT_OVERFLOW
 * is in the buffer of the entry that matched or of one on the overflow list.
 *
 * A message that finds as many headers kept as may be is dropped, with NI_PT_FLOWCTRL disables the
 * portal table entry, with NI_PT_UNEXPECTED and no flow control holds its sender back. */

/* PtlMEAppend. First matched against what was kept before, in order of arrival: each match gives
 * PUT_OVERFLOW when its data is in the buffer, which may be before the call returns (then also
 * before *handle is set) or, if it has to be fetched, later. An entry with NI_ME_USE_ONCE that
 * matched so is never linked. To the overflow list it is appended without that. *handle (may be NULL) is for ni_me_unlink. Data longer than the
 * buffer is truncated: mlength < rlength. NI_PTL_NO_SPACE, NI_PTL_ARG_INVALID.
 *
 * An entry that unlinks itself, by NI_ME_USE_ONCE or min_free, gives AUTO_UNLINK, unless it has
 * NI_ME_EVENT_UNLINK_DISABLE, before the event of its last message; events of earlier ones that are
 * still being fetched may come after it. */
int ni_me_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle);

/* PtlMEUnlink. NI_OK: removed, no event of it comes any more. NI_PTL_IN_USE: data is arriving in
 * it just now (try again); or, on the overflow list, messages in it have not been matched.
 * NI_PTL_ARG_INVALID: it was unlinked, by use too: its last event has come or is coming. So a USE_ONCE entry
 * either gives its event or is unlinked by one call that returns NI_OK, never both. */
int ni_me_unlink(struct ni *ni, ni_me_handle handle);

/* Extension: end entries that wait in vain, for example for a peer that is gone. Each posted entry of
 * the portal table entry that `choose` accepts is unlinked and gives PUT with NI_NI_UNDELIVERABLE,
 * hdr_data and lengths 0. choose gets the entry's user_ptr and match_id; it may not call the NI.
 * Entries of which a message is arriving just now are not asked for. O(entries). */
typedef bool (*ni_me_choose_fn)(void *arg, void *user_ptr, ni_initiator match_id);
int ni_me_fail(struct ni *ni, uint32_t pt_index, ni_me_choose_fn choose, void *arg);

/* ---- list entries (target) ---------------------------------------------------------------------
 *
 * Entries that match every message, for portal table entries with NI_PT_NO_MATCHING: the first one of
 * the priority list takes what comes, whoever sends it. All else is as for match entries, of which
 * they are a kind: the same options but those that are about lengths and offsets, handles, limits,
 * events (where match_bits are those that the initiator gave).
 */

enum ni_le_options {
    NI_LE_OP_PUT = NI_ME_OP_PUT,
    NI_LE_OP_GET = NI_ME_OP_GET,
    NI_LE_USE_ONCE = NI_ME_USE_ONCE,
    NI_LE_EVENT_COMM_DISABLE = NI_ME_EVENT_COMM_DISABLE,
    NI_LE_EVENT_UNLINK_DISABLE = NI_ME_EVENT_UNLINK_DISABLE,
    NI_LE_EVENT_OVER_DISABLE = NI_ME_EVENT_OVER_DISABLE,
    NI_LE_EVENT_LINK = NI_ME_EVENT_LINK,
    NI_LE_EVENT_CT_COMM = NI_ME_EVENT_CT_COMM,
    NI_LE_EVENT_CT_OVERFLOW = NI_ME_EVENT_CT_OVERFLOW,
    NI_LE_EVENT_CT_BYTES = NI_ME_EVENT_CT_BYTES,
    NI_LE_UNEXPECTED_HDR_DISABLE = NI_ME_UNEXPECTED_HDR_DISABLE,
    NI_LE_IOVEC = NI_ME_IOVEC,
    NI_LE_IS_ACCESSIBLE = NI_ME_IS_ACCESSIBLE,
};

/* As struct ni_me. */
struct ni_le {
    void *start;
    size_t length;
    unsigned options; /* enum ni_le_options */
    struct ni_ct *ct;
};

/* PtlLEAppend, PtlLEUnlink, PtlLESearch: as ni_me_append, ni_me_unlink and ni_me_search. */
int ni_le_append(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle);
int ni_le_unlink(struct ni *ni, ni_me_handle handle);

enum ni_search_op {
    NI_SEARCH_ONLY,
    NI_SEARCH_DELETE, /* claim it: nobody else will match it */
};

/* Extension: look for the first kept message that the entry (match_bits, ignore_bits, match_id,
 * length) would match, and answer at once. NI_OK fills *event as NI_EVENT_SEARCH, mlength as if it
 * were received into the entry's length, and start NULL; of a message in an overflow buffer they are
 * what is there (start NULL while it is still being fetched). With NI_SEARCH_DELETE event->unexpected names it until
 * ni_unexpected_receive or ni_unexpected_drop. NI_PTL_NO_MATCH if there is none; does not poll. */
int ni_me_probe(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                struct ni_event *event);

/* PtlMESearch: the same, told by an event NI_EVENT_SEARCH of the portal table entry's queue with
 * NI_NI_OK or NI_NI_NO_MATCH. With NI_SEARCH_DELETE a message in an overflow buffer is done with
 * instead: PUT_OVERFLOW with this user_ptr, as if the entry had been appended to be used once. */
int ni_me_search(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                 void *user_ptr);

int ni_le_search(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_search_op op,
                 void *user_ptr);

/* Extension: have a claimed message delivered (one in an overflow buffer: told of) as if me (start, length and options; it need not
 * match) had been appended and matched it: PUT_OVERFLOW with this user_ptr, before the call returns
 * or later. The handle is used up. NI_PTL_ARG_INVALID if stale. */
int ni_unexpected_receive(struct ni *ni, ni_unexpected_handle handle, const struct ni_me *me,
                          void *user_ptr);

/* Extension: drop a claimed message. A put that waits to be fetched ends with NI_NI_DROPPED. */
int ni_unexpected_drop(struct ni *ni, ni_unexpected_handle handle);

/* ---- triggered operations ----------------------------------------------------------------------
 *
 * Each arms an operation that is started when successes and failures of trig_ct together reach
 * threshold, at once if they have. Operations of one counter start in the order of their thresholds,
 * those with the same threshold in the order in which they were armed, each when the one before it
 * has been started; what an operation triggers starts behind all that was triggered before it.
 *
 * They start where the counting event is counted: in ni_progress, in the call that counts, or in
 * another thread that is starting operations just then. The program has to do nothing, but to make
 * progress. A chain of any length needs no more stack than one operation.
 *
 * Arguments are those of the function that is delayed. They are checked, and copied, when it is
 * armed; what they point to (memory, queues, counters) must stay until the operation has ended or was
 * cancelled. What becomes of it later is told by its events and counters as ever, also that it could
 * not be sent. Where memory is short an operation waits, and those that were triggered after it.
 *
 * NI_OK; NI_PTL_NO_SPACE (memory, or limits.max_triggered_ops are armed), NI_PTL_ARG_INVALID,
 * NI_PTL_NO_INIT. Any thread may call them. Those that are left when the NI is closed, and those that
 * are triggered by that, never run.
 */

/* PtlTriggeredPut. NI_MD_SENT_BY_RESULT has no meaning: SEND is an event. */
int ni_triggered_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                     enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index,
                     uint64_t match_bits, uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                     struct ni_ct *trig_ct, uint64_t threshold);

/* PtlTriggeredGet, PtlTriggeredAtomic, PtlTriggeredFetchAtomic, PtlTriggeredSwap. The operand of a swap is
 * read when it is armed. */
int ni_triggered_get(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                     struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                     uint64_t remote_offset, void *user_ptr, struct ni_ct *trig_ct,
                     uint64_t threshold);
int ni_triggered_atomic(struct ni *ni, const struct ni_md *md, uint64_t local_offset,
                        uint64_t length, enum ni_ack_req ack, struct ni_peer *target,
                        uint32_t pt_index, uint64_t match_bits, uint64_t remote_offset,
                        void *user_ptr, uint64_t hdr_data, enum ni_ptl_op op,
                        enum ni_ptl_datatype type, struct ni_ct *trig_ct, uint64_t threshold);
int ni_triggered_fetch_atomic(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                              const struct ni_md *put_md, uint64_t local_put_offset,
                              uint64_t length, struct ni_peer *target, uint32_t pt_index,
                              uint64_t match_bits, uint64_t remote_offset, void *user_ptr,
                              uint64_t hdr_data, enum ni_ptl_op op, enum ni_ptl_datatype type,
                              struct ni_ct *trig_ct, uint64_t threshold);
int ni_triggered_swap(struct ni *ni, const struct ni_md *get_md, uint64_t local_get_offset,
                      const struct ni_md *put_md, uint64_t local_put_offset, uint64_t length,
                      struct ni_peer *target, uint32_t pt_index, uint64_t match_bits,
                      uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                      const void *operand, enum ni_ptl_op op, enum ni_ptl_datatype type,
                      struct ni_ct *trig_ct, uint64_t threshold);

/* PtlTriggeredCTInc, PtlTriggeredCTSet. */
int ni_triggered_ct_inc(struct ni *ni, struct ni_ct *ct, struct ni_ct_event increment,
                        struct ni_ct *trig_ct, uint64_t threshold);
int ni_triggered_ct_set(struct ni *ni, struct ni_ct *ct, struct ni_ct_event value,
                        struct ni_ct *trig_ct, uint64_t threshold);

/* PtlTriggeredMEAppend. The entry is taken from limits.max_entries, and *handle is set, when it is
 * armed; until it is appended ni_me_unlink finds nothing by that handle. Nothing is appended if the
 * portal table entry has been freed by then. */
int ni_triggered_me_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me,
                           enum ni_list_kind list, void *user_ptr, ni_me_handle *handle,
                           struct ni_ct *trig_ct, uint64_t threshold);

/* PtlTriggeredMEUnlink. Unlike ni_me_unlink it needs not wait for data that is arriving: the entry
 * accepts no message any more, and that one gives its event. Nothing happens if the entry is unlinked
 * already, or not appended yet. */
int ni_triggered_me_unlink(struct ni *ni, ni_me_handle handle, struct ni_ct *trig_ct,
                           uint64_t threshold);

/* PtlCTCancelTriggered: operations that wait for this counter never run. Those that it has triggered
 * are not concerned. The counter keeps its value and can be used on. */
int ni_ct_cancel_triggered(struct ni *ni, struct ni_ct *ct);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
