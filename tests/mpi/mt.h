/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the MPI test programs share: start and end, checks, files, patterns, guarded memory.
 *
 * A program calls mt_init, runs its checks and returns mt_finish(). The first failed check prints
 * one line with the rank and the values and aborts the job. mt_finish adds up the checks of all
 * ranks and prints "MT-OK <program> checks=N" from rank 0; the runner wants to see that line and
 * N > 0, so that neither a silent exit nor an empty test counts as a success.
 *
 * Only MPI-3 and POSIX: the same sources are built against every MPI library under test.
 */
#ifndef TESTS_MPI_MT_H
#define TESTS_MPI_MT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define MT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define MT_PRINTF(f, a)
#endif

/* Largest message of the size sweeps, in bytes. */
#define MT_BIG ((size_t)4 << 20)

/* Rank and size in MPI_COMM_WORLD, set by mt_init. */
extern int mt_rank;
extern int mt_size;

/* Starts MPI (mt_init_thread: with at least the given thread level, or the job fails). */
void mt_init(int *argc, char ***argv);
void mt_init_thread(int *argc, char ***argv, int required);

/* Fails unless MPI_COMM_WORLD has at least `least` ranks. */
void mt_need(int least);

/* The path of a file that all ranks are to share, of this name, in `dir` or, where that is NULL, in
 * TMPDIR or /tmp. Collective over MPI_COMM_WORLD. */
void mt_path(char *path, size_t size, const char *dir, const char *name);

/* Closes a file of this path and deletes it. Collective over MPI_COMM_WORLD. */
void mt_close_and_delete(MPI_File file, const char *path);

/* How many bytes a message or an access has moved. */
int mt_bytes(const MPI_Status *status);

/* Ends MPI; collective over MPI_COMM_WORLD. Returns the exit status for main. */
int mt_finish(void);

/* Prints where, which rank and what, and aborts the job. Any thread. */
_Noreturn void mt_fail_at(const char *file, int line, const char *fmt, ...) MT_PRINTF(3, 4);
#define mt_fail(...) mt_fail_at(__FILE__, __LINE__, __VA_ARGS__)

/* Counts a check and fails if it does not hold. Any thread. */
void mt_check_at(bool ok, const char *file, int line, const char *fmt, ...) MT_PRINTF(4, 5);
#define mt_check(ok, ...) mt_check_at((ok), __FILE__, __LINE__, __VA_ARGS__)

/* Fails unless two integers are equal; prints both. */
void mt_equal_at(long long got, long long want, const char *file, int line, const char *fmt, ...)
    MT_PRINTF(5, 6);
#define mt_equal(got, want, ...) mt_equal_at((got), (want), __FILE__, __LINE__, __VA_ARGS__)

/* Fails unless `rc` is MPI_SUCCESS; prints MPI's own text. */
void mt_ok_at(int rc, const char *file, int line);
#define mt_ok(rc) mt_ok_at((rc), __FILE__, __LINE__)

/* Fails unless `rc` belongs to error class `want`. */
void mt_class_at(int rc, int want, const char *file, int line);
#define mt_class(rc, want) mt_class_at((rc), (want), __FILE__, __LINE__)

/* Next value of a splitmix64 generator; the state may start anywhere. */
uint64_t mt_next(uint64_t *state);

/* Uniform in [0, n), n > 0. */
uint64_t mt_below(uint64_t *state, uint64_t n);

/* A seed that depends on all four numbers: for example source, target, tag, sequence. */
uint64_t mt_seed(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Writes the pattern of `seed`, n bytes. */
void mt_fill(void *buf, size_t n, uint64_t seed);

/* Fails, naming the first wrong byte, unless buf holds the pattern of `seed`. */
void mt_verify_at(const void *buf, size_t n, uint64_t seed, const char *file, int line,
                  const char *fmt, ...) MT_PRINTF(6, 7);
#define mt_verify(buf, n, seed, ...) \
    mt_verify_at((buf), (n), (seed), __FILE__, __LINE__, __VA_ARGS__)

/* Number of the first byte that differs from the pattern, or n. */
size_t mt_differs(const void *buf, size_t n, uint64_t seed);

/* 64-byte aligned memory with canaries on both sides; mt_free (or mt_guards) checks them. */
void *mt_alloc(size_t n);
void mt_guards(const void *p);
void mt_free(void *p);

/* Fills `out` (room for `max`) with sizes from 0 to `limit` bytes: 0, every power of two and its
 * two neighbours, and the same less the room of common headers. Returns how many. */
size_t mt_sizes(size_t *out, size_t max, size_t limit);

/* Value after the option `name` in argv, or `dflt`; mt_flag: whether `name` is there at all. */
const char *mt_text(int argc, char **argv, const char *name); /* NULL: it is not there */
long mt_option(int argc, char **argv, const char *name, long dflt);
bool mt_flag(int argc, char **argv, const char *name);

/* What this process has in memory now, or had at most: "VmRSS:", "VmHWM:"; KiB. */
long mt_memory(const char *which);

/* Sleeps while other processes run; milliseconds. */
void mt_sleep(int ms);

#endif
