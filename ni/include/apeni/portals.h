/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_PORTALS_H
#define APENI_PORTALS_H

#include <apeni/portals_atomic.h>
#include <apeni/portals_ct.h>
#include <apeni/portals_eq.h>
#include <apeni/portals_event.h>
#include <apeni/portals_le.h>
#include <apeni/portals_md.h>
#include <apeni/portals_me.h>
#include <apeni/portals_ni.h>
#include <apeni/portals_pt.h>
#include <apeni/portals_search.h>
#include <apeni/portals_triggered.h>

/*
 * Matching in the network interface, with the semantics of Portals 4. Names are those of its
 * specification with the prefix ni_: PtlMEAppend is ni_me_append, PTL_ME_USE_ONCE is
 * NI_ME_USE_ONCE. Results are NI_OK or one of enum ni_ptl_result: each function names those of its
 * own, and any may return NI_PTL_NO_INIT (ni_portals_open has not been called) and NI_ERR_FORKED.
 *
 * Life: ni_portals_open; event queues; ni_pt_alloc gives portal table entries, which peers name by
 * their index; ni_me_append posts buffers with match bits, ni_put sends to a peer's entry. What
 * arrives goes into the buffer of the first entry, in order of appending, that matches. Everything
 * moves in ni_progress and in the calls themselves. ni_close ends all of it: operations under way
 * give events with NI_NI_UNDELIVERABLE.
 *
 * Objects: an event queue, counting event or entry is for the NI that made it.
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
 *     has claimed into a buffer;
 *   - ni_unexpected_revoke drops what its initiator wants back.
 */

#endif
