/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ENGINE_H
#define NI_ENGINE_ENGINE_H

/*
 * The engine: gives packets their meaning. It knows regions and operations; how packets travel is
 * the links' business.
 *
 * This header is for the layers above: all of the engine but its inline paths, fast.h for messages
 * and direct.h for requests and answers. The engine's own files include what they use. The folders,
 * each of which may use those before it in this list, and says in one header what it is:
 *
 *   core            core/ni.h: the NI, peers, operations, regions, locks
 *   send            send/send.h: packets out
 *   bulk            bulk/transfer.h: Writes and Reads, long transfers
 *   object/notify   object/notify/note.h: what tells of Writes
 *   object/store    object/store/stores.h: stores, loads, words
 *   object/queue    object/queue/queue.h: queues
 *   object/counter  object/counter/counter.h: counters
 *   arrive          arrive/arrive.h: packets in
 *   drive           drive/progress.h: polling and waiting, the engine thread,
 *                   the loss of a peer
 *   life            life/life.h: open, connect, fork
 */

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/arrive/arrive.h"
#include "engine/bulk/pull_request.h"
#include "engine/core/atomic.h"
#include "engine/core/deferred.h"
#include "engine/core/command_ops.h"
#include "engine/send/control.h"
#include "engine/bulk/copy.h"
#include "engine/object/counter/counter.h"
#include "engine/core/counts.h"
#include "engine/bulk/unlocked_copy.h"
#include "engine/bulk/shared_copy_in.h"
#include "engine/bulk/shared_copy.h"
#include "engine/core/lanes.h"
#include "engine/core/lock.h"
#include "engine/core/ni.h"
#include "engine/core/op.h"
#include "engine/core/peer.h"
#include "engine/core/peer_ops.h"
#include "engine/core/portal_ops.h"
#include "engine/send/probe.h"
#include "engine/drive/progress.h"
#include "engine/core/regions.h"
#include "engine/send/send.h"
#include "engine/object/store/stores.h"
#include "engine/send/stream.h"
#include "engine/drive/thread.h"
#include "engine/bulk/transfer.h"
#include "engine/send/waiting.h"
#include "engine/core/work.h"
#include "engine/core/engine_thread.h"
#include "engine/core/progress_lock.h"

#endif
