/* SPDX-License-Identifier: BSD-3-Clause */
#include "pml_hooks/pml_hooks_window.h"

enum { BUCKETS = 64 /* a power of two */ };

static struct pml_hooks_window *buckets[BUCKETS];
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

/* How many windows have been made of a communicator. */
static struct made {
    struct made *next;
    uint32_t context, count;
} * first_made;

static struct pml_hooks_window **bucket_of(const ompi_win_t *win)
{
    return &buckets[((uintptr_t)win >> 6) % BUCKETS];
}

struct pml_hooks_window *pml_hooks_window_find(const ompi_win_t *win)
{
    struct pml_hooks_window *window;

    OPAL_THREAD_LOCK(&lock);
    window = *bucket_of(win);
    while (window != NULL && window->win != win) {
        window = window->next;
    }
    OPAL_THREAD_UNLOCK(&lock);
    return window;
}

uint32_t pml_hooks_window_number(uint32_t context)
{
    struct made *made;
    uint32_t number = 0;

    OPAL_THREAD_LOCK(&lock);
    made = first_made;
    while (made != NULL && made->context != context) {
        made = made->next;
    }
    if (made == NULL && (made = calloc(1, sizeof(*made))) != NULL) {
        made->context = context;
        made->next = first_made;
        first_made = made;
    }
    if (made != NULL) {
        number = ++made->count;
    }
    OPAL_THREAD_UNLOCK(&lock);
    return number;
}

struct pml_hooks_window *pml_hooks_window_add(ompi_win_t *win, uint32_t context, uint32_t number)
{
    struct pml_hooks_window *window = pml_hooks_window_find(win), **bucket = bucket_of(win);
    bool is_new = window == NULL;

    if (is_new && (window = calloc(1, sizeof(*window))) == NULL) {
        return NULL;
    }
    window->win = win;
    window->below = *win->w_osc_module;
    window->context = context;
    window->number = number;
    window->locks = NULL;
    if (is_new) {
        OPAL_THREAD_LOCK(&lock);
        window->next = *bucket;
        *bucket = window;
        OPAL_THREAD_UNLOCK(&lock);
    }
    return window;
}

void pml_hooks_window_forget(struct pml_hooks_window *window)
{
    struct pml_hooks_window **place = bucket_of(window->win);

    OPAL_THREAD_LOCK(&lock);
    while (*place != window) {
        place = &(*place)->next;
    }
    *place = window->next;
    OPAL_THREAD_UNLOCK(&lock);
    free(window);
}

/* ---- locks ------------------------------------------------------------------------------------
 */

void pml_hooks_window_hold(struct pml_hooks_window *window, const struct record_peer *peer,
                           int type, uint64_t since)
{
    struct pml_hooks_follow *follow = pml_hooks_follow_take(record_threads);
    struct record_pending *pending;

    if (follow == NULL) {
        return;
    }
    pending = follow->pending;
    record_name(&pending->peer_job, peer);
    pending->persistent = 0;
    pending->tag = type;
    pending->context = window->context;
    pending->bytes = window->number;
    pending->since = since;
    follow->peer = (struct record_peer *)(uintptr_t)peer;
    __atomic_store_n(&pending->kind, RECORD_PENDING_LOCK, __ATOMIC_RELEASE);
    OPAL_THREAD_LOCK(&lock);
    follow->next_free = window->locks;
    window->locks = follow;
    OPAL_THREAD_UNLOCK(&lock);
}

void pml_hooks_window_release(struct pml_hooks_window *window, const struct record_peer *peer)
{
    struct pml_hooks_follow **place = &window->locks, *found;

    OPAL_THREAD_LOCK(&lock);
    while (*place != NULL && (*place)->peer != peer) {
        place = &(*place)->next_free;
    }
    found = *place;
    if (found != NULL) {
        *place = found->next_free;
    }
    OPAL_THREAD_UNLOCK(&lock);
    if (found != NULL) {
        __atomic_store_n(&found->pending->kind, RECORD_FREE, __ATOMIC_RELEASE);
        pml_hooks_follow_give(record_threads, found);
    }
}
