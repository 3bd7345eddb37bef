/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_COMMAND_OPS_H
#define NI_ENGINE_COMMAND_OPS_H

#include <apeni/ni.h>

/* What the layer of command regions does for an NI that has one, and that of queue pairs. The
 * progress lock is ours. */
struct ni_command_ops {
    /* Look for descriptors or requests that are there, and serve those that wait; returns
     * events. */
    unsigned (*progress)(struct ni *ni);
    /* The NI closes; its regions are gone. */
    void (*close)(struct ni *ni);
};

#endif
