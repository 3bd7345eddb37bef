/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_SPAWN_H
#define HFM_DAEMON_SPAWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts programs, one after the other, on a thread of its own with the ordinary priority: who
 * starts one waits until the kernel has read its file.
 */
enum hfm_spawn_turn { HFM_SPAWN_IDLE, HFM_SPAWN_ASKED, HFM_SPAWN_DONE };

struct hfm_spawn {
    pthread_t thread;
    bool started;
    int asked, done;  /* eventfds: done is for the loop */
    _Atomic int turn; /* who has what follows: the thread while it is asked */
    char *const *argv;
    pid_t pid;
    int error;
    _Atomic bool ends;
};

/* Start the thread. false: logged, and nothing is to be stopped, though it may be. */
bool hfm_spawn_start(struct hfm_spawn *spawn);

/* Start a program: argv has its path first and stays until it is done. The one before is taken. */
void hfm_spawn_ask(struct hfm_spawn *spawn, char *const argv[]);

/* What has become of it. false: nothing yet. pid 0: errno is in error. */
bool hfm_spawn_take(struct hfm_spawn *spawn, pid_t *pid, int *error);

/* End the thread. false: it waits for a program's file, and uses *spawn until the process ends. */
bool hfm_spawn_stop(struct hfm_spawn *spawn);

#endif
