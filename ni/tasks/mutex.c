/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>

#include <apeni/ni.h>
#include <apeni/tasks.h>

#include "base/bits.h"
#include "base/clock.h"

/* Locks: a multi-reader queue with one token. */

enum { NI_MUTEX_WAITERS = 4096, NI_MUTEX_NAP_US = 100 };

ni_status ni_mutex_create(struct ni *ni, struct ni_rkey *rkey)
{
    uint64_t turn = 1;
    ni_status status = ni_region_multi_queue(ni, sizeof(turn), NI_MUTEX_WAITERS, 0,
                                             NI_ACCESS_READ | NI_ACCESS_WRITE, rkey);

    return status == NI_OK ? ni_queue_push(ni, rkey->handle, &turn, sizeof(turn)) : status;
}

void ni_mutex_open(struct ni *ni, struct ni_peer *peer, const struct ni_rkey *rkey,
                   struct ni_mutex *mutex)
{
    mutex->ni = ni;
    mutex->peer = peer;
    mutex->rkey = *rkey;
    mutex->turn = 0;
    mutex->request = 0;
    mutex->asked = false;
    mutex->locked = false;
    atomic_init(&mutex->word, 0);
}

ni_status ni_mutex_ask(struct ni_mutex *mutex)
{
    struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &mutex->word};
    ni_status status;

    if (mutex->asked || mutex->locked) {
        return NI_ERR_INVALID;
    }
    atomic_store_explicit(&mutex->word, 0, memory_order_relaxed);
    status = ni_dequeue(mutex->ni, mutex->peer, &mutex->rkey, &mutex->turn, sizeof(mutex->turn),
                        &ack, &mutex->request);
    mutex->asked = status == NI_OK;
    return status;
}

ni_status ni_mutex_test(struct ni_mutex *mutex)
{
    /* Pairs with the release store of the ack: who sees it sees the token. */
    uint64_t word = atomic_load_explicit(&mutex->word, memory_order_acquire);

    if (!mutex->asked) {
        return mutex->locked ? NI_OK : NI_ERR_INVALID;
    }
    if (word == 0) {
        return NI_INPROGRESS;
    }
    mutex->asked = false;
    mutex->locked = ni_ack_status(word) == NI_OK;
    return ni_ack_status(word);
}

static ni_status wait_until(struct ni_mutex *mutex, uint64_t end)
{
    ni_status status;
    uint64_t now;

    while ((status = ni_mutex_test(mutex)) == NI_INPROGRESS) {
        now = ni_now_ns() / 1000;
        if (now >= end) {
            break;
        }
        (void)ni_wait(mutex->ni, ni_min_u64(end - now, NI_MUTEX_NAP_US));
    }
    return status;
}

ni_status ni_mutex_lock(struct ni_mutex *mutex, uint64_t timeout_us)
{
    uint64_t now = ni_now_ns() / 1000;
    ni_status status = ni_mutex_ask(mutex);

    if (status == NI_OK) {
        status = wait_until(mutex, now + ni_min_u64(timeout_us, UINT64_MAX - now));
    }
    if (status == NI_INPROGRESS) {
        while (ni_dequeue_cancel(mutex->ni, mutex->peer, &mutex->rkey, mutex->request) ==
               NI_ERR_NOMEM) {
            (void)ni_progress(mutex->ni);
        }
        status = wait_until(mutex, UINT64_MAX);
        status = status == NI_ERR_CANCELED ? NI_ERR_TIMEOUT : status;
    }
    return status;
}

ni_status ni_mutex_unlock(struct ni_mutex *mutex)
{
    uint64_t next = mutex->turn + 1;
    ni_status status;

    if (!mutex->locked) {
        return NI_ERR_INVALID;
    }
    status = mutex->peer == NULL ? ni_queue_push(mutex->ni, mutex->rkey.handle, &next, sizeof(next))
                                 : ni_message(mutex->ni, mutex->peer, mutex->rkey.handle, 0, NULL,
                                              0, &next, sizeof(next));
    mutex->locked = status == NI_AGAIN; /* otherwise it is on its way, or nobody can have it */
    return status;
}
