/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_REALTIME_H
#define HFM_DAEMON_REALTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What keeps a daemon in time on a host with too much to do. Its loop and the thread of its card
 * have a real-time priority, and wait for nothing that only an ordinary thread or a disk can give:
 *
 *   what they share with ordinary threads   a lock that lends its holder the waiter's priority
 *   log and record                          another thread writes (writer.h)
 *   hooks                                   another thread starts (spawn.h)
 *   files of the host                       another thread reads (look.h)
 *   memory                                  stays where it is
 *
 * Ordinary threads open and close no streams, nor allocate: the C library has locks of its own for
 * these.
 */

/* Take the priority (0: none), which threads begun from now on have, too; without the right to it
 * the daemon goes on as it is, which is logged. Before rights are dropped. */
void hfm_realtime_begin(uint32_t priority);

/* Keep all memory, once there is all that a daemon needs. Does nothing without a priority. */
void hfm_realtime_keep_memory(uint32_t priority);

/* A lock between threads of both kinds. */
void hfm_realtime_lock(pthread_mutex_t *lock);

/* Start a thread, with its creator's priority or the ordinary one; signals stay with the creator.
 * Returns an errno. */
int hfm_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, bool ordinary);

/* Wait for the end of a thread, which has been told, for a second. false: it goes on. */
bool hfm_thread_end(pthread_t thread);

#endif
