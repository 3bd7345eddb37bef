/* SPDX-License-Identifier: BSD-3-Clause */
#include "apelink_config.h"

#include <stdio.h>

#include "base/bits.h"
#include "link/link.h"

/* The links that were compiled in, and what they share. */

const struct ni_link_ops *const ni_links[] = {
    &ni_link_shm,
    &ni_link_inproc,
#ifdef NI_HAVE_UCX
    &ni_link_ucx,
#endif
    &ni_link_dev,
};

const size_t ni_link_count = NI_ARRAY_LENGTH(ni_links);

ni_status ni_link_refuse(ni_status status, const char *why, char *reason, size_t reason_size)
{
    if (reason != NULL && reason_size != 0) {
        snprintf(reason, reason_size, "%s", why);
    }
    return status;
}
