/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_PT_H
#define APENI_PORTALS_PT_H

#include <stdint.h>

#include <apeni/portals_eq.h>

/* Portal table entries. A part of portals.h. */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

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

/* PtlPTAlloc. eq may be NULL. wanted is an index, up to limits.max_pt_index, or NI_PT_ANY.
 * NI_PTL_PT_IN_USE, NI_PTL_PT_FULL, NI_PTL_ARG_INVALID (options, wanted), NI_PTL_PT_EQ_NEEDED
 * (NI_PT_FLOWCTRL without eq). Puts to entries that are not allocated are dropped
 * (NI_NI_DROPPED). */
int ni_pt_alloc(struct ni *ni, unsigned options, struct ni_eq *eq, uint32_t wanted,
                uint32_t *pt_index);

/* PtlPTDisable: what arrives from now on is refused with NI_NI_PT_DISABLED; appending, searching
 * and messages that are being fetched go on. PtlPTEnable: the reverse.
 *
 * An entry with NI_PT_FLOWCTRL disables itself, and gives NI_EVENT_PT_DISABLED once, when a put
 * matches nothing and is not kept, or when max_unexpected_headers are kept, and when an event
 * leaves less than three places in its event queue: so none is lost but of what is under way by
 * then. A put that cannot be accepted is refused:
 * nothing is lost without its initiator learning it, if it has asked (NI_ACK_REQ; long puts
 * always): its ACK has NI_NI_PT_DISABLED, and it may put again when the target has told that it has
 * enabled the entry. Without NI_PT_FLOWCTRL kept messages at their limit hold their senders
 * back. */
int ni_pt_disable(struct ni *ni, uint32_t pt_index);
int ni_pt_enable(struct ni *ni, uint32_t pt_index);

/* PtlPTFree. NI_PTL_PT_IN_USE while entries are appended; kept messages are dropped. Of all three:
 * NI_PTL_ARG_INVALID (no such entry). */
int ni_pt_free(struct ni *ni, uint32_t pt_index);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
