/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_FAULTS_H
#define NI_ENGINE_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/core/ni.h"
#include "engine/core/peer.h"

/*
 * What the host's fault manager says (base/fault_page.h), heeded: a peer whose host is lost is lost
 * with it, at once and for a stated reason, instead of when the network has waited long enough.
 *
 *   ni_open       which host this is: the number that the page gives it, and its name
 *   ni_address    carries both, in a part of its own
 *   ni_connect    whose host it is: ni_faults_meet
 *   the links     call ni_faults_tick now and then, from within progress: the page is looked at
 *                 each fault_check_ms, which is a load where nothing has changed
 *
 * A host is a node of our page if the page has its name there: that of its number, or else the only
 * one with the name. A peer is lost only after its host was seen to be well, or at least not lost,
 * while we knew the peer: one on a node that comes back, while the page has yet to say so, is not.
 * Of the own host nothing is heeded: we are there.
 *
 * A peer that is reached through the torus of cards (ni_link_ops.torus) is lost, too, when the page
 * has said for fault_parted_ms without a break that broken cables leave no way between its card
 * and ours, and was current all that time, in which we knew the peer. A cable that heals before
 * costs nobody a peer; nor is one lost before anything was to be exchanged with it.
 */

struct ni_faults;

/* In ni_open, before there are links; ni->life.host is set, too. NI_ERR_NOMEM. */
ni_status ni_faults_open(struct ni *ni, bool fabric);
void ni_faults_close(struct ni *ni);

/* The peer is connected by this address, in which the host is named, or not. Without the memory for
 * that it is as one whose host is unknown. */
void ni_faults_meet(struct ni *ni, struct ni_peer *peer, const void *blob, size_t len);
/* What was kept of a peer that is freed. */
void ni_faults_forget(struct ni_peer *peer);

/* See struct ni_core_ops. */
void ni_faults_tick(void *core, uint64_t now);

#endif
