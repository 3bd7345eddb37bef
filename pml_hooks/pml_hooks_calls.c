/* SPDX-License-Identifier: BSD-3-Clause */
/* What each thread does in MPI, for whoever looks at the record. */
#include <sys/syscall.h>
#include <unistd.h>

#include "pml_hooks/pml_hooks.h"

static opal_mutex_t calls_lock = OPAL_MUTEX_STATIC_INIT;
static _Thread_local struct pml_hooks_call_entry *mine;

/* An entry for this thread; the last one is shared by all that came too late. */
static __attribute__((noinline)) struct pml_hooks_call_entry *take_entry(void)
{
    struct pml_hooks_head *head = pml_hooks_record.head;
    uint32_t thread = (uint32_t)syscall(SYS_gettid), index;

    OPAL_THREAD_LOCK(&calls_lock);
    for (index = 0; index < head->call_count; index++) {
        if (pml_hooks_record.calls[index].thread == thread) {
            break;
        }
    }
    if (index == PML_HOOKS_CALLS) {
        index--;
    } else if (index == head->call_count) {
        pml_hooks_record.calls[index].thread = thread;
        head->call_count = index + 1;
    }
    OPAL_THREAD_UNLOCK(&calls_lock);
    return mine = &pml_hooks_record.calls[index];
}

/* Where only one thread at a time is in MPI the first entry serves all. */
static inline struct pml_hooks_call_entry *entry(void)
{
    if (__builtin_expect(!pml_hooks_threads, 1)) {
        return pml_hooks_record.calls;
    }
    return mine != NULL ? mine : take_entry();
}

struct pml_hooks_call_entry *pml_hooks_call_enter(enum pml_hooks_call kind,
                                                  const struct pml_hooks_peer *peer, int tag,
                                                  uint32_t context, uint64_t bytes, uint64_t now)
{
    struct pml_hooks_call_entry *call = entry();

    if (call->depth++ != 0) {
        return call; /* within another call, which is what the program asked for */
    }
    call->kind = kind;
    call->peer_job = peer != NULL ? peer->job : 0;
    call->peer = peer != NULL ? (int32_t)peer->rank : PML_HOOKS_ANY;
    call->tag = tag;
    call->context = context;
    call->bytes = bytes;
    call->requests = 0;
    call->calls++;
    __atomic_store_n(&call->since, now, __ATOMIC_RELAXED);
    return call;
}

void pml_hooks_call_leave(struct pml_hooks_call_entry *call, uint64_t now)
{
    if (--call->depth == 0) {
        __atomic_store_n(&call->since, now, __ATOMIC_RELAXED);
    }
}
