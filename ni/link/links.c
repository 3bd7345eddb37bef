/* SPDX-License-Identifier: BSD-3-Clause */
#include "apelink_config.h"

#include "base/bits.h"
#include "link/link.h"

/* The links that were compiled in. */

const struct ni_link_ops *const ni_links[] = {
    &ni_link_shm,
    &ni_link_inproc,
#ifdef NI_HAVE_UCX
    &ni_link_ucx,
#endif
    &ni_link_dev,
};

const size_t ni_link_count = NI_ARRAY_LENGTH(ni_links);
