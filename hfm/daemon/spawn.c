/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of programs, on a thread of its own. */
#include "hfm/daemon/spawn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <apeni/log.h>

#include "dnp/board/realtime.h"

/* In a group of processes of its own, with the ordinary priority. Returns an errno. */
static int start(char *const argv[], pid_t *pid)
{
    posix_spawnattr_t how;
    const struct sched_param ordinary = {0};
    sigset_t none, usual;
    int error;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE); /* which we ignore */
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSCHEDULER);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
    posix_spawnattr_setschedparam(&how, &ordinary);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    error = posix_spawn(pid, argv[0], NULL, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    return error;
}

static void *run(void *arg)
{
    struct hfm_spawn *spawn = arg;
    uint64_t count, one = 1;

    while (!atomic_load_explicit(&spawn->ends, memory_order_relaxed)) {
        (void)!read(spawn->asked, &count, sizeof count);
        /* Pairs with the release in hfm_spawn_ask. */
        if (atomic_load_explicit(&spawn->turn, memory_order_acquire) == HFM_SPAWN_ASKED) {
            spawn->pid = 0;
            spawn->error = start(spawn->argv, &spawn->pid);
            /* Pairs with the acquire in hfm_spawn_take. */
            atomic_store_explicit(&spawn->turn, HFM_SPAWN_DONE, memory_order_release);
            (void)!write(spawn->done, &one, sizeof one);
        }
    }
    return NULL;
}

static void close_both(const struct hfm_spawn *spawn)
{
    if (spawn->asked >= 0) {
        close(spawn->asked);
    }
    if (spawn->done >= 0) {
        close(spawn->done);
    }
}

bool hfm_spawn_start(struct hfm_spawn *spawn)
{
    int error;

    memset(spawn, 0, sizeof *spawn);
    spawn->asked = eventfd(0, EFD_CLOEXEC);
    spawn->done = spawn->asked >= 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    error = spawn->done < 0 ? errno : board_thread_start(&spawn->thread, run, spawn, true);
    spawn->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: no thread for hooks: %s", strerror(error));
        close_both(spawn);
    }
    return error == 0;
}

static void wake(const struct hfm_spawn *spawn)
{
    uint64_t one = 1;

    (void)!write(spawn->asked, &one, sizeof one);
}

void hfm_spawn_ask(struct hfm_spawn *spawn, char *const argv[])
{
    spawn->argv = argv;
    /* Pairs with the acquire in run. */
    atomic_store_explicit(&spawn->turn, HFM_SPAWN_ASKED, memory_order_release);
    wake(spawn);
}

bool hfm_spawn_take(struct hfm_spawn *spawn, pid_t *pid, int *error)
{
    uint64_t count;

    (void)!read(spawn->done, &count, sizeof count);
    /* Pairs with the release in run. */
    if (atomic_load_explicit(&spawn->turn, memory_order_acquire) != HFM_SPAWN_DONE) {
        return false;
    }
    *pid = spawn->error == 0 ? spawn->pid : 0;
    *error = spawn->error;
    atomic_store_explicit(&spawn->turn, HFM_SPAWN_IDLE, memory_order_relaxed);
    return true;
}

bool hfm_spawn_stop(struct hfm_spawn *spawn)
{
    if (!spawn->started) {
        return true;
    }
    atomic_store_explicit(&spawn->ends, true, memory_order_relaxed);
    wake(spawn);
    if (!board_thread_end(spawn->thread)) {
        return false;
    }
    spawn->started = false;
    close_both(spawn);
    return true;
}
