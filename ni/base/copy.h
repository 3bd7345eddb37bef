/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_COPY_H
#define NI_BASE_COPY_H

#include <stddef.h>

/*
 * memcpy past the caches: the lines of dst, which another core has, are not fetched first. Pays
 * where fetching is slow. All stores are visible before those that follow. The ranges must not
 * overlap. Thread-safe.
 */
void ni_copy_past_caches(void *dst, const void *src, size_t len);

#endif
