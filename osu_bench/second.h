/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_BENCH_SECOND_H
#define OSU_BENCH_SECOND_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include <apeni/apeni.h>

/*
 * For benchmarks of the NI between this process and a second one, its target. What fails here ends
 * the program with a sentence that begins with the program's name; each program says that in its
 * main file.
 */
extern const char second_program[];

/* End the program unless status is NI_OK. */
void second_must(ni_status status, const char *what);

/* Zeroed memory; sharing: MAP_SHARED, for both processes if it is got before second_start, or
 * MAP_PRIVATE. */
void *second_memory(size_t size, int sharing);

/* Have another process run serve(arg), which ends with it and with this one. Returns when *ready,
 * in shared memory, is set; by a release store, with which all that was written before can be
 * read. */
pid_t second_start(void (*serve)(void *arg), void *arg, const atomic_bool *ready);

#endif
