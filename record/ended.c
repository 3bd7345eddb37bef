/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends this process. */
#include "record/ended.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/record.h"

static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU,
                              SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGABRT};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static struct sigaction before[NUMBERS];
static bool taken[NUMBERS];

/* A child that this process has forked is not what the record is about. */
static void note(uint32_t what)
{
    struct record_head *head = record_own.head;

    if (head != NULL && head->state == RECORD_RUNNING && head->pid == (uint32_t)getpid()) {
        __atomic_store_n(&head->ended_by, what, __ATOMIC_RELAXED);
    }
}

/* What is done next is what would have been done. An instruction that faults does so again. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    note((uint32_t)number);
    for (int i = 0; i < NUMBERS; i++) {
        if (numbers[i] == number) {
            (void)sigaction(number, &before[i], NULL);
        }
    }
    if (info->si_code <= 0) {
        (void)raise(number);
    }
}

static void on_exit_called(void)
{
    note(RECORD_ENDED_EXIT);
}

/* The address of a function: a pointer to it is as large. */
static const void *library_of(const void *function)
{
    Dl_info info;

    return dladdr(function, &info) != 0 ? info.dli_fbase : NULL;
}

static bool is_nobodys(const struct sigaction *action, const void *library)
{
    return action->sa_handler == SIG_DFL ||
           (action->sa_handler != SIG_IGN && library != NULL &&
            library_of(*(void *const *)&action->sa_handler) == library);
}

void record_ended_begin(void (*runtime)(void))
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    const void *library = library_of(*(void **)&runtime);
    static bool registered;

    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < NUMBERS; i++) {
        taken[i] = sigaction(numbers[i], NULL, &before[i]) == 0 &&
                   is_nobodys(&before[i], library) && sigaction(numbers[i], &action, NULL) == 0;
    }
    if (!registered) {
        registered = atexit(on_exit_called) == 0;
    }
}

void record_ended_end(void)
{
    struct sigaction now;

    for (int i = 0; i < NUMBERS; i++) {
        if (taken[i] && sigaction(numbers[i], NULL, &now) == 0 && now.sa_sigaction == on_signal) {
            (void)sigaction(numbers[i], &before[i], NULL);
        }
        taken[i] = false;
    }
}
