/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_LE_H
#define APENI_PORTALS_LE_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/portals_me.h>

/*
 * List entries (target). A part of portals.h.
 *
 * Entries that match every message, for portal table entries with NI_PT_NO_MATCHING: the first one
 * of the priority list takes what comes, from any sender. All else is as for match entries, of
 * which they are a kind: the same options but those that are about lengths and offsets, handles,
 * limits, events (where match_bits are those that the initiator gave).
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

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
    NI_LE_EVENT_SUCCESS_DISABLE = NI_ME_EVENT_SUCCESS_DISABLE,
    NI_LE_EVENT_FLOWCTRL_DISABLE = NI_ME_EVENT_FLOWCTRL_DISABLE,
    NI_LE_UID = NI_ME_UID,
};

/* As struct ni_me. */
struct ni_le {
    void *start;
    size_t length;    /* bytes; with NI_LE_IOVEC elements */
    unsigned options; /* enum ni_le_options */
    struct ni_ct *ct;
    uint32_t uid;
};

/* PtlLEAppend and PtlLEUnlink: as ni_me_append and ni_me_unlink. NI_PTL_ARG_INVALID: also where the
 * portal table entry is none with NI_PT_NO_MATCHING. */
int ni_le_append(struct ni *ni, uint32_t pt_index, const struct ni_le *le, enum ni_list_kind list,
                 void *user_ptr, ni_me_handle *handle);
int ni_le_unlink(struct ni *ni, ni_me_handle handle);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
