/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_ASSERT_H
#define NI_BASE_ASSERT_H

#include "base/compiler.h"

/*
 * Checks of our own logic, compiled in by configure --enable-debug. Never for what a user or a
 * peer gives us: that is checked always, and answered with a status.
 */

#if defined(APELINK_DEBUG) && APELINK_DEBUG
#define NI_DEBUG 1
#else
#define NI_DEBUG 0
#endif

/* Log the place and abort. */
NI_COLD _Noreturn void ni_assert_failed(const char *condition, const char *file, int line);

/* In a build without checks the condition is compiled, so that it stays correct, but not
 * evaluated. */
#define NI_ASSERT(condition)                                            \
    ((void)((NI_DEBUG && NI_UNLIKELY(!(condition)))                     \
                ? (ni_assert_failed(#condition, __FILE__, __LINE__), 0) \
                : 0))

#endif
