/* SPDX-License-Identifier: BSD-3-Clause */
#include "second.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void second_must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "%s: %s: %s\n", second_program, what, ni_status_text(status));
        exit(1);
    }
}

void *second_memory(size_t size, int sharing)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        fprintf(stderr, "%s: no %zu bytes of memory: %s\n", second_program, size, strerror(errno));
        exit(1);
    }
    return memory;
}

/* In the second process. */
static _Noreturn void run(void (*serve)(void *arg), void *arg, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) {
        serve(arg);
    }
    _exit(0);
}

pid_t second_start(void (*serve)(void *arg), void *arg, const atomic_bool *ready)
{
    pid_t parent = getpid(), child;

    fflush(NULL);
    child = fork();
    if (child < 0) {
        fprintf(stderr, "%s: no second process: %s\n", second_program, strerror(errno));
        exit(1);
    }
    if (child == 0) {
        run(serve, arg, parent);
    }
    /* Pairs with the release store that the second process makes when it can be reached. */
    while (!atomic_load_explicit(ready, memory_order_acquire)) {
        if (waitpid(child, NULL, WNOHANG) != 0) {
            fprintf(stderr, "%s: the target's process has ended\n", second_program);
            exit(1);
        }
        usleep(100);
    }
    return child;
}
