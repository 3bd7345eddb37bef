/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_ME_H
#define APENI_PORTALS_ME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_ct.h>
#include <apeni/portals_event.h>

/* Match entries (target). A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

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
                               elements, all of which stay until the last event. An event's start
                               is its first byte's place; that of AUTO_FREE the array. */
    NI_ME_IS_ACCESSIBLE = 0x200000, /* all of the buffer is there now: accepted as a hint */
    /* No events of successes but AUTO_UNLINK and AUTO_FREE. */
    NI_ME_EVENT_SUCCESS_DISABLE = NI_ME_EVENT_COMM_DISABLE | NI_ME_EVENT_OVER_DISABLE,
    /* Overflow list: no PT_DISABLED event if a message for it finds max_unexpected_headers kept. */
    NI_ME_EVENT_FLOWCTRL_DISABLE = 0x800000,
    NI_ME_UID = 0x400000,       /* uid is looked at. (The specification has a value for any user
                                       instead.) An entry for another user than that of ni_get_uid
                                       refuses what matches it, with NI_NI_PERM_VIOLATION. */
    NI_ME_EVENT_LINK = 0x40000, /* LINK event when it is in its list. The specification has it the
                                   other way round: unless PTL_ME_EVENT_LINK_DISABLE. */
};

/* What to post. Plain data, copied by the call. */
struct ni_me {
    void *start;   /* the NI's until unlinked; not touched afterwards */
    size_t length; /* bytes; with NI_ME_IOVEC elements */
    uint64_t match_bits;
    uint64_t ignore_bits;  /* bits that may differ */
    ni_initiator match_id; /* NI_INITIATOR_ANY or one */
    unsigned options;      /* enum ni_me_options */
    uint64_t min_free;     /* bytes; with NI_ME_MANAGE_LOCAL, at most length */
    struct ni_ct *ct;      /* with NI_ME_EVENT_CT_*; NULL: nothing is counted */
    uint32_t uid;          /* with NI_ME_UID: whose messages are accepted */
};

enum ni_list_kind {
    NI_PRIORITY_LIST,
    NI_OVERFLOW_LIST,
};

/* The overflow list: where a message goes that matches nothing on the priority list. Its data is
 * put into the buffer of the first entry there that matches, as a rule one with NI_ME_MANAGE_LOCAL,
 * an acknowledgement goes out, the entry gives PUT (unless NI_ME_EVENT_COMM_DISABLE) and the header
 * is kept, at most max_unexpected_headers. An entry that is appended to the priority list later and
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
 * matched so is never linked. To the overflow list it is appended without that. *handle (may be
 * NULL) is for ni_me_unlink. Data longer than the buffer is truncated: mlength < rlength.
 * NI_PTL_NO_SPACE (memory, or limits.max_entries), NI_PTL_ARG_INVALID (no such portal table entry,
 * list, options, min_free, match_id).
 *
 * An entry that unlinks itself, by NI_ME_USE_ONCE or min_free, gives AUTO_UNLINK, unless it has
 * NI_ME_EVENT_UNLINK_DISABLE, before the event of its last message; events of earlier ones that are
 * still being fetched may come after it. */
int ni_me_append(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle);

/* PtlMEUnlink. NI_OK: removed, no event of it comes any more. NI_PTL_IN_USE: data is arriving in it
 * just now (try again); or, on the overflow list, messages in it have not been matched.
 * NI_PTL_ARG_INVALID: it was unlinked, by use too: its last event has come or is coming. So a
 * USE_ONCE entry either gives its event or is unlinked by one call that returns NI_OK, never
 * both. */
int ni_me_unlink(struct ni *ni, ni_me_handle handle);

/* What ni_me_take has received. */
struct ni_taken {
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t rlength; /* bytes that were sent */
    uint64_t mlength; /* bytes in the buffer */
};

/* Extension. An entry that is appended and waited for at once, in fewer instructions. True: a put
 * of this peer has been received into start[length], as by an entry with these bits, the peer's
 * match_id, NI_ME_OP_PUT and NI_ME_USE_ONCE; *taken says which, and there is no event. False:
 * nothing has happened; append the entry, and make progress.
 *
 * It is only for a put that comes in one packet and wants no acknowledgement, while nothing is
 * posted or kept in the portal table entry and nothing is under way in the NI. It looks for the
 * packet up to `looks` times, without other progress, and one call in 16 returns false in any case,
 * so that the thread that makes progress then makes enough. Not within callbacks; always false in
 * an NI with threads. */
bool ni_me_take(struct ni_peer *source, uint32_t pt_index, uint64_t match_bits,
                uint64_t ignore_bits, void *start, uint64_t length, unsigned looks,
                struct ni_taken *taken);

/* Extension: end entries that wait in vain, for example for a peer that is gone. Each posted entry
 * of the portal table entry that `choose` accepts is unlinked and gives PUT with
 * NI_NI_UNDELIVERABLE, hdr_data and lengths 0. choose gets the entry's user_ptr and match_id; it
 * may not call the NI. Entries of which a message is arriving just now are not asked for.
 * O(entries). */
typedef bool (*ni_me_choose_fn)(void *arg, void *user_ptr, ni_initiator match_id);
int ni_me_fail(struct ni *ni, uint32_t pt_index, ni_me_choose_fn choose, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
