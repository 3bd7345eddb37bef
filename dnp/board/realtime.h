/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_REALTIME_H
#define DNP_BOARD_REALTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What keeps a card or a daemon (hfm/) in time on a host with too much to do. Threads that have to
 * be in time have a real-time priority, and wait for nothing that only an ordinary thread or a disk
 * can give:
 *
 *   what they share with ordinary threads   a lock that lends its holder the waiter's priority
 *   log and record                          another thread writes (writer.h)
 *   hooks                                   another thread starts (hfm/daemon/spawn.h)
 *   files of the host, and its sensors      another thread reads (hfm/daemon/look.h, sensor.h)
 *   memory                                  stays where it is
 *
 * Ordinary threads open and close no streams, nor allocate: the C library has locks of its own for
 * these.
 */

/* Take the priority (0: none), which threads begun from now on have, too; without the right to it
 * the program goes on as it is, which is logged by its name. Before rights are dropped. */
void board_realtime_begin(const char *program, uint32_t priority);

/* Keep all memory, once there is all that is needed. Does nothing without a priority. */
void board_realtime_keep_memory(const char *program, uint32_t priority);

/* A lock between threads of both kinds. */
void board_realtime_lock(pthread_mutex_t *lock);

/* Start a thread, with its creator's priority or the ordinary one; signals stay with the creator.
 * Returns an errno. */
int board_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, bool ordinary);

/* Wait for the end of a thread, which has been told, for a second. false: it goes on. */
bool board_thread_end(pthread_t thread);

#endif
