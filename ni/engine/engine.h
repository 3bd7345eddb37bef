/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ENGINE_H
#define NI_ENGINE_ENGINE_H

/*
 * The engine: gives packets their meaning. It knows regions and operations; how packets travel is
 * the links' business.
 *
 * This header is for the layers above: all of the engine but its inline paths, fast.h for messages
 * and direct.h for requests and answers. The engine's own files include what they use. Its headers,
 * each knowing only those before it:
 *
 *   lock.h        locks, and their order         send.h        packets out
 *   work.h        what progress looks after      stream.h      long transfers cut into packets
 *   portal_ops.h  what portals do with packets   job.h         long transfers, both sides copy
 *   ni.h          the NI                         ask.h         long reads, answered or taken
 *   peer.h        peers, and when they go        transfer.h    Write, Read, atomics: which way
 *   op.h          operations, and their ends     arrive.h      packets in
 *   regions.h     regions, queues, counters      probe.h       how far a peer is
 *   atomic.h      applying atomics               progress.h    polling, waiting
 */

#include "base/alloc.h"
#include "base/bits.h"
#include "engine/arrive.h"
#include "engine/ask.h"
#include "engine/atomic.h"
#include "engine/command_ops.h"
#include "engine/control.h"
#include "engine/copy.h"
#include "engine/counts.h"
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
#include "engine/stream.h"
#include "engine/transfer.h"
#include "engine/waiting.h"
#include "engine/work.h"

#endif
