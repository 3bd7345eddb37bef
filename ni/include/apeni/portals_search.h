/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_SEARCH_H
#define APENI_PORTALS_SEARCH_H

#include <stdint.h>

#include <apeni/portals_le.h>
#include <apeni/portals_me.h>

/* Searches (target). A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ni_search_op {
    NI_SEARCH_ONLY,
    NI_SEARCH_DELETE, /* claim it: nobody else will match it */
};

/* Extension: look for the first kept message that the entry (match_bits, ignore_bits, match_id,
 * length) would match, and answer at once. NI_OK fills *event as NI_EVENT_SEARCH, mlength as if it
 * were received into the entry's length, and start NULL; of a message in an overflow buffer they
 * are what is there (start NULL while it is still being fetched). With NI_SEARCH_DELETE
 * event->unexpected names it until ni_unexpected_receive or ni_unexpected_drop. NI_PTL_NO_MATCH if
 * there is none; NI_PTL_ARG_INVALID (no such portal table entry, op). Makes no progress. */
int ni_me_probe(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                struct ni_event *event);

/* PtlMESearch: the same, told by an event NI_EVENT_SEARCH of the portal table entry's queue with
 * NI_NI_OK or NI_NI_NO_MATCH. With NI_SEARCH_DELETE a message in an overflow buffer is done with
 * instead: PUT_OVERFLOW with this user_ptr, as if the entry had been appended to be used once. */
int ni_me_search(struct ni *ni, uint32_t pt_index, const struct ni_me *me, enum ni_search_op op,
                 void *user_ptr);

/* PtlLESearch: the same for list entries. */
int ni_le_search(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_search_op op,
                 void *user_ptr);

/* Extension: have a claimed message delivered (one in an overflow buffer: told of) as if me (start,
 * length and options; it need not match) had been appended and matched it: PUT_OVERFLOW with this
 * user_ptr, before the call returns or later. The handle is used up. NI_PTL_ARG_INVALID if
 * stale. */
int ni_unexpected_receive(struct ni *ni, ni_unexpected_handle handle, const struct ni_me *me,
                          void *user_ptr);

/* Extension: drop a claimed message. A put that waits to be fetched ends with NI_NI_DROPPED.
 * NI_PTL_ARG_INVALID if stale. */
int ni_unexpected_drop(struct ni *ni, ni_unexpected_handle handle);

/* Extension: drop the last kept message of an initiator that has exactly these match bits, and
 * whose header data is this but for the bits in hdr_ignore; claimed ones are not looked at. So an
 * initiator can have a put taken back: messages with equal match bits match in their order, hence
 * as long as one of them is kept, so are those behind it. NI_OK: it is gone, as with
 * ni_unexpected_drop. NI_PTL_NO_MATCH: it has matched, or was claimed; NI_PTL_ARG_INVALID (no such
 * portal table entry). Time: linear in the messages with these match bits. */
int ni_unexpected_revoke(struct ni *ni, uint32_t pt_index, ni_initiator initiator,
                         uint64_t match_bits, uint64_t hdr_data, uint64_t hdr_ignore);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
