/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread does in MPI, for the program that looks at the record. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/account.h"

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct record_call_entry *mine;

/* An entry for this thread; the last one is shared by all that came too late. */
static __attribute__((noinline)) struct record_call_entry *take_entry(void)
{
    struct record_head *head = record_own.head;
    uint32_t thread = (uint32_t)syscall(SYS_gettid), index;

    (void)pthread_mutex_lock(&calls_lock);
    for (index = 0; index < head->call_count; index++) {
        if (record_own.calls[index].thread == thread) {
            break;
        }
    }
    if (index == RECORD_CALLS) {
        index--;
    } else if (index == head->call_count) {
        record_own.calls[index].thread = thread;
        head->call_count = index + 1;
    }
    (void)pthread_mutex_unlock(&calls_lock);
    return mine = &record_own.calls[index];
}

struct record_call_entry *record_call_of_thread(void)
{
    return mine != NULL ? mine : take_entry();
}
