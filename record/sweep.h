/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_SWEEP_H
#define RECORD_SWEEP_H

#include <stdint.h>

/* Remove what processes of this user have left in a folder long ago: records whose process has
 * ended, and that have not been written to for `age_s` seconds. Younger ones stay: somebody may
 * want to read them. Returns how many it has removed. Thread-safe. */
unsigned record_sweep(const char *folder, uint64_t age_s);

#endif
