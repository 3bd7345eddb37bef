/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ENGINE_H
#define NI_ENGINE_ENGINE_H

/*
 * The engine: gives packets their meaning. It knows regions and operations; how packets travel is
 * the links' business.
 *
 * This header is for the layers above: all of the engine but its inline paths, fast.h for messages
 * and direct.h for requests and answers. The engine's own files include what they use. Its headers,
 * each knowing only those before it in its column:
 *
 *   lock.h         locks, and their order        send.h      packets composed and sent
 *   work.h         what progress looks after     control.h   small ones, that wait in order
 *   portal_ops.h   what portals do with packets  stream.h    long transfers cut into packets
 *   command_ops.h  and command regions           waiting.h   what waits for room
 *   ni.h           the NI: open.c, fork.c        job.h       a transfer described in the lane
 *   peer.h         peers: peer.c, peer_down.c,   copy.h      which its initiator copies
 *                  connect.c                     help.h      and its target helps to copy
 *   counts.h       statistics added up late      ask.h       long reads, answered or taken
 *   op.h           operations, and their ends    transfer.h  Write, Read: which way; fetch.c
 *   regions.h      regions                                   atomics, store.c to queues, counters,
 *   counter.h      counters: firing.c, setting.c             dequeue.c from queues
 *   queue.h        queues, and their numbers     stores.h    remote stores; load.c
 *   multi.h        those with many readers       arrive.h    packets in; arrival.h, arrive_*.c:
 *   atomic.h       applying atomics                          their handlers
 *   chore.h        what is done later
 *   lanes.h        the lanes that are polled     progress.h  polling; wait.c: waiting
 *   probe.h        how far a peer is             errand.h    copies without the turn
 *   place.h        where the thread runs         thread.h    the engine thread: back.c, front.c
 */

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/arrive.h"
#include "engine/ask.h"
#include "engine/atomic.h"
#include "engine/chore.h"
#include "engine/command_ops.h"
#include "engine/control.h"
#include "engine/copy.h"
#include "engine/counter.h"
#include "engine/counts.h"
#include "engine/errand.h"
#include "engine/help.h"
#include "engine/job.h"
#include "engine/lanes.h"
#include "engine/lock.h"
#include "engine/ni.h"
#include "engine/op.h"
#include "engine/peer.h"
#include "engine/portal_ops.h"
#include "engine/probe.h"
#include "engine/progress.h"
#include "engine/regions.h"
#include "engine/send.h"
#include "engine/stores.h"
#include "engine/stream.h"
#include "engine/thread.h"
#include "engine/transfer.h"
#include "engine/waiting.h"
#include "engine/work.h"

#endif
