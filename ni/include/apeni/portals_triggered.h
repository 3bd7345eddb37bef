/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_TRIGGERED_H
#define APENI_PORTALS_TRIGGERED_H

#include <stdint.h>

#include <apeni/portals_atomic.h>
#include <apeni/portals_me.h>

/*
 * Triggered operations. A part of portals.h.
 *
 * Each arms an operation that is started when successes and failures of trig_ct together reach
 * threshold, at once if they have. Operations of one counter start in the order of their
 * thresholds, those with the same threshold in the order in which they were armed, each when the
 * one before it has been started; what an operation triggers starts behind all that was triggered
 * before it.
 *
 * They start where the counting event is counted: in ni_progress, in the call that counts, or in
 * another thread that is starting operations just then. The program has to do nothing, but to make
 * progress. A chain of any length needs no more stack than one operation.
 *
 * Arguments are those of the function that is delayed. They are checked, and copied, when it is
 * armed; what they point to (memory, queues, counters) must stay until the operation has ended or
 * was cancelled. What becomes of it later is told by its events and counters as ever, also that it
 * could not be sent. Where memory is short an operation waits, and those that were triggered after
 * it.
 *
 * NI_OK; NI_PTL_NO_SPACE (memory, or limits.max_triggered_ops are armed), NI_PTL_ARG_INVALID,
 * NI_PTL_NO_INIT. Any thread may call them. Those that are left when the NI is closed, and those
 * that are triggered by that, never run.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* PtlTriggeredPut. NI_MD_SENT_BY_RESULT has no meaning: SEND is an event. */
int ni_triggered_put(struct ni *ni, const struct ni_md *md, uint64_t local_offset, uint64_t length,
                     enum ni_ack_req ack, struct ni_peer *target, uint32_t pt_index,
                     uint64_t match_bits, uint64_t remote_offset, void *user_ptr, uint64_t hdr_data,
                     struct ni_ct *trig_ct, uint64_t threshold);

/* PtlTriggeredGet, PtlTriggeredAtomic, PtlTriggeredFetchAtomic, PtlTriggeredSwap. The operand of a
 * swap is read when it is armed. */
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
 * accepts no message any more, and that one gives its event. Nothing happens if the entry is
 * unlinked already, or not appended yet. */
int ni_triggered_me_unlink(struct ni *ni, ni_me_handle handle, struct ni_ct *trig_ct,
                           uint64_t threshold);

/* PtlCTCancelTriggered: operations that wait for this counter never run. Those that it has
 * triggered are not concerned. The counter keeps its value and can be used on. */
int ni_ct_cancel_triggered(struct ni *ni, struct ni_ct *ct);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
