/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_PORTALS_PORTALS_H
#define NI_PORTALS_PORTALS_H

#include "engine/core/memory.h"
#include "portals/arrive.h"
#include "portals/combine.h"
#include "portals/ct.h"
#include "portals/entry.h"
#include "portals/eq.h"
#include "portals/iovec.h"
#include "portals/unexpected.h"
#include "portals/message.h"
#include "portals/pt.h"
#include "portals/put.h"
#include "portals/request.h"
#include "portals/state.h"

/*
 * Portals 4 over the engine: what a packet to the PORTAL region does.
 *
 *   open.c      ni_portals_open, limits, statistics, close
 *   eq_queue.c  event queues that store events   ct.c        counting events
 *   queues.c    event queues, events             table.c     the portal table
 *   later.c     events that wait for a caller
 *   put.c       puts at their initiator: put_send.c packets, put_open.c what stays open
 *   self.c      puts to the own NI
 *   request.c   gets and atomics at their initiator, request_send.c their packets
 *   serve.c     gets and atomics at their target: peers' (answer.c the answer) and the own
 *   combine.c   what atomics do to an element, combine_float.c if it is not an integer
 *   incoming.c  puts, and their ends, from peers; request_in.c gets, atomics and theirs
 *   plain.c     the put that has to be fast, at its target; take.c, without an entry
 *   entry.c     match entries                    deliver.c   a put has met an entry
 *   iovec.c     I/O vectors, iovec_request.c those of gets and atomics
 *   append.c    entries that are not common      overflow.c  messages in overflow buffers
 *   unexpected.c      unexpected messages: bounded memory, searches
 *   fail.c      entries that wait in vain         triggered.c, triggered_ops.c, trigger_heap.c
 *   map.c       ranks                             registers.c status
 *
 * A put that arrives is looked up among the posted entries; an entry that is posted is looked up
 * among the kept messages; both under one lock of the NI (portals->lock; untouched without
 * NI_THREADS), so that no two can miss each other. The lock is given back before anything is
 * copied to a buffer of the user's, sent or told. It is the innermost lock but for the memory
 * allocator's.
 *
 * A put at its initiator has a struct ni_put only if something about it is still open when ni_put
 * returns. A message at its target has a struct ni_unexpected only if it must wait: for an entry,
 * or for data to be fetched. All others need no memory.
 */

#endif
