/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_PRIVATE_H
#define TESTS_LINKS_SUITE_PRIVATE_H

#include <pthread.h>
#include <sys/types.h>

#include "link/inproc/hooks.h"
#include "suite.h"

/*
 * Between the parts of the fixture: suite_run.c runs cases, suite.c gives them their NIs,
 * suite_exec.c has the process of one execute another program.
 */

enum {
    SUITE_ARENA = 256 << 20, /* address space; memory only where it is touched */
    SUITE_LIMIT_S = 120,     /* a case that takes longer hangs */
};

/* How an NI in a thread or process of its own is told what to do. */
struct suite_server {
    _Atomic int command; /* release by the controller, acquire by the server; back by the server */
    suite_fn fn;
    void *arg;
    pthread_t thread;
    pid_t pid;
    bool running; /* a call was begun and not ended */
    bool gone;    /* killed, or another program */
    int talk[2];  /* with that one: the controller's end and the other */
};

struct suite_private {
    struct suite_server servers[SUITE_NIS];
    struct ni_fabric *fabric;
    uint8_t *arena;
    size_t used;
};

/* Before a server's process is made, in that process, and first of all in any: see suite_exec. */
void suite_exec_prepare(struct suite_server *server);
void suite_exec_await(const struct suite *suite, const struct suite_server *server);
void suite_exec_main(int argc, char **argv);

/* From now on messages are about this case, which ends with one if it hangs. */
void suite_watch(struct suite *suite);

/* Start the threads and processes, open all NIs and connect them; and the reverse. */
void suite_start(struct suite *suite);
void suite_stop(struct suite *suite);

/* Whether suite_over_rails was called. */
bool suite_is_over_rails(void);

#endif
