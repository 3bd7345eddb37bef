/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_PATTERN_H
#define OSU_COMMON_PATTERN_H

/*
 * Data for -c. Each message has a seed made of its round, size, source and place in the window;
 * each byte follows from the seed and its offset, so a byte of another message, or of another
 * offset, is noticed. Before a message arrives, its buffer holds the complement, so a byte that was
 * never written is noticed as well, and OSU_GUARD bytes behind the message must stay as they were.
 */

#include <stddef.h>
#include <stdint.h>

/* Bytes behind each message that nobody may write. */
#define OSU_GUARD 64

/* Names one message. source and slot are small numbers: below 65536. */
uint64_t osu_pattern_seed(int round, size_t size, int source, int slot);

/*
 * A number from 1 to OSU_VALUES for element index, for tests that compute with their data. The sum
 * of two and a bit fits into a signed char: what MPI does when it does not fit is not defined (Open
 * MPI 4.1 saturates, or not, by the length of the array).
 */
#define OSU_VALUES 62
int osu_pattern_value(uint64_t seed, size_t index);

/* Write what the sender sends. */
void osu_pattern_fill(void *buffer, size_t length, uint64_t seed);

/* Write what the receiver has before the message arrives, guard included: length + OSU_GUARD
 * bytes. */
void osu_pattern_spoil(void *buffer, size_t length, uint64_t seed);

/* Count the wrong bytes of an arrived message, guard included, and say on stderr what the first one
 * is. */
size_t osu_pattern_check(const void *buffer, size_t length, uint64_t seed);

/* The same without the guard, for a message that another one follows in memory. */
size_t osu_pattern_check_open(const void *buffer, size_t length, uint64_t seed);

/* The guard alone. */
size_t osu_pattern_check_guard(const void *buffer, size_t length);

/* Say on stderr that a byte or an element is wrong. Only the first complaint of a process is
 * printed. */
void osu_pattern_complain(const char *what, size_t index, long long wanted, long long found);

#endif
