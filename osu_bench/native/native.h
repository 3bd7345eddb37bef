/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_NATIVE_NATIVE_H
#define OSU_NATIVE_NATIVE_H

/*
 * The frame of common/bench.h for programs that use Presto's native interface instead of MPI:
 * osu_bench_main is defined again in bench.c. Options -z and -f are not taken.
 */

#include <presto.h>

#include "common/bench.h"

/* The manager of all ranks, while osu_bench_main runs. */
extern pr_mgr_t osu_native;

/* End the job, with a message, unless error is PR_OK. */
void osu_native_must(int error, const char *what);

/* Wait for all ranks. */
void osu_native_barrier(void);

#endif
