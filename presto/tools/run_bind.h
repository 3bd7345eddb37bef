/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_TOOLS_RUN_BIND_H
#define PRESTO_TOOLS_RUN_BIND_H

#include <sched.h>

enum run_bind { RUN_BIND_NONE, RUN_BIND_CORE, RUN_BIND_HWTHREAD };

/* Where Linux says which processors there are. */
#define RUN_BIND_FOLDER "/sys/devices/system/cpu"

/* The processors of rank `number`, of those that are allowed: all, or the core or hardware thread
 * whose turn it is, counted round and round in the order of their first processors. A core is all
 * of its hardware threads that are allowed. `folder` is that above; where it does not tell, each
 * processor is a core. */
void run_bind_choose(enum run_bind what, const char *folder, const cpu_set_t *allowed, int number,
                     cpu_set_t *chosen);

#endif
