/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_APENI_H
#define APENI_APENI_H

/* Everything that a program using the network interface needs. */

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
#include <apeni/stats.h>
#include <apeni/status.h>
#include <apeni/store.h>
#include <apeni/tasks.h>
#include <apeni/torus.h>
#include <apeni/transfer.h>

#endif
