/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_APENI_H
#define APENI_APENI_H

/*
 * Everything that a program using the network interface needs. What all headers have in common, and
 * do not repeat:
 *
 *   Units     Lengths, sizes and offsets are in bytes, times in microseconds, if nothing else is
 *             said.
 *   Results   NI_OK, or what the comment of the function names. Besides, of all that an NI is
 *             asked: NI_ERR_FORKED in a forked child; and of what goes to a peer: what
 *             ni_peer_status says of it. What is given back through a pointer is set with NI_OK
 *             only, if nothing else is said.
 *   Pointers  May be NULL where a comment says so, nowhere else. Wrong handles, keys, lengths,
 *             flags and values of an enum are refused; whether a pointer leads to what it should is
 *             not looked at.
 *   Memory    What a pointer to const leads to is read, or copied, before the function returns.
 *             Buffers of transfers are the exception: they are the NI's until completion. Texts
 *             that are returned are static, or belong to the object that was asked.
 *   Objects   Regions of all types end with ni_region_deregister, or with ni_close. A peer belongs
 *             to the NI that connected to it, and is for no other. What has a function of its own
 *             to end it (ni_barrier_free, ni_rcache_destroy, ...) has to be ended by it, before its
 *             NI, if nothing else is said.
 *   Threads   As ni.h says, if nothing else is said. A function that is called "thread-safe" may be
 *             called from any thread, whatever the NI. One that "takes the progress lock" waits
 * while another thread is making progress on the NI. Papers    Comments name what they follow:
 *             FORTH-CC   Kalokerinos et al., Prototyping a Configurable Cache/Scratchpad Memory
 *                        with Virtualized User-Level RDMA Capability
 *             FORTH-PCI  Papaefstathiou et al., Prototyping Efficient Interprocessor Communication
 *                        Mechanisms
 *             soNUMA-NI  Daglis et al., Manycore Network Interfaces for In-Memory Rack-Scale
 *                        Computing, ISCA 2015
 *             MATCH      An Architecture to Perform NIC Based MPI Matching
 *             APEnet+    Ammendola et al., A heterogeneous many-core platform for experiments on
 *                        scalable custom interconnects and management of fault and critical events,
 *                        Vol. II, 2012 technical report (EURETILE)
 */

#include <apeni/barrier.h>
#include <apeni/command.h>
#include <apeni/counter.h>
#include <apeni/fault.h>
#include <apeni/inproc.h>
#include <apeni/log.h>
#include <apeni/multipath.h>
#include <apeni/ni.h>
#include <apeni/notify.h>
#include <apeni/param.h>
#include <apeni/portals.h>
#include <apeni/qp.h>
#include <apeni/queue.h>
#include <apeni/rcache.h>
#include <apeni/region.h>
#include <apeni/stamp.h>
#include <apeni/stats.h>
#include <apeni/status.h>
#include <apeni/store.h>
#include <apeni/tasks.h>
#include <apeni/torus.h>
#include <apeni/transfer.h>

#endif
