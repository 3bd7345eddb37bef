/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_BOOT_H
#define NI_BASE_BOOT_H

#include <stdint.h>

/* Names of what processes share, as numbers that are compared only. All thread-safe. */

/* The host since it was booted. */
uint64_t ni_boot_id(void);

/* A name space of this process, such as "/proc/self/ns/pid"; 0 if the kernel does not know it. */
uint64_t ni_name_space(const char *path);

/* The clock that ni_now_ns reads: that of the host, or of this process's time name space. */
uint64_t ni_clock_name(void);

#endif
