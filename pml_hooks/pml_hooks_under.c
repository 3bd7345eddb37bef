/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of pml ob1 under way, by their requests. The function that frees a request is
 * exchanged in it, so that it leaves the table before anyone may use it again.
 */
#include "pml_hooks/pml_hooks_survive.h"

#include "ompi/mca/pml/base/pml_base_request.h"
#include "record/clock.h"

enum { BUCKETS = 4096 /* a power of two */, AT_ONCE = 256 };

static struct pml_hooks_under_way *buckets[BUCKETS], *first_free;
/* A callback that is called when a request is ended may free it, or begin another. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static ompi_request_free_fn_t free_send, free_receive; /* the PML's own */

static struct pml_hooks_under_way **bucket_of(const ompi_request_t *request)
{
    return &buckets[((uintptr_t)request >> 7) % BUCKETS];
}

/* Where the entry of a request is named; a place that names none if there is no entry. */
static struct pml_hooks_under_way **find(const ompi_request_t *request)
{
    struct pml_hooks_under_way **place = bucket_of(request);

    while (*place != NULL && (*place)->request != request) {
        place = &(*place)->next;
    }
    return place;
}

static ompi_request_free_fn_t *free_below(const ompi_request_t *request)
{
    return ((const mca_pml_base_request_t *)request)->req_type == MCA_PML_REQUEST_SEND
               ? &free_send
               : &free_receive;
}

/* Its entry, which is free from now on, NULL if there is none. Under the lock. */
static struct pml_hooks_under_way *take_out(const ompi_request_t *request)
{
    struct pml_hooks_under_way **place = find(request), *entry = *place;

    if (entry != NULL) {
        *place = entry->next;
        entry->next = first_free;
        first_free = entry;
    }
    return entry;
}

static int free_request(ompi_request_t **request)
{
    (void)pthread_mutex_lock(&lock);
    (void)take_out(*request);
    /* While we waited it may have been ended, which has put another function there. */
    if ((*request)->req_free == free_request) {
        (*request)->req_free = *free_below(*request);
    }
    (void)pthread_mutex_unlock(&lock);
    return (*request)->req_free(request);
}

/* An entry that is in no bucket, NULL without memory. Under the lock. */
static struct pml_hooks_under_way *take(void)
{
    struct pml_hooks_under_way *entry = first_free;

    if (entry == NULL) {
        return malloc(sizeof(*entry));
    }
    first_free = entry->next;
    return entry;
}

void pml_hooks_under_way_add(const struct pml_hooks_under_way *what)
{
    ompi_request_t *request = what->request;
    struct pml_hooks_under_way **bucket = bucket_of(request), *entry;

    (void)pthread_mutex_lock(&lock);
    entry = take();
    if (entry != NULL) {
        /* One that the PML has freed by itself has ours still. */
        if (request->req_free != free_request) {
            *free_below(request) = request->req_free;
            request->req_free = free_request;
        }
        *entry = *what;
        entry->next = *bucket;
        *bucket = entry;
    }
    (void)pthread_mutex_unlock(&lock);
}

bool pml_hooks_under_way_take(ompi_request_t *request, struct pml_hooks_under_way *what)
{
    const struct pml_hooks_under_way *entry;

    (void)pthread_mutex_lock(&lock);
    entry = take_out(request);
    if (entry != NULL) {
        *what = *entry;
        what->since = record_stamp();
    }
    (void)pthread_mutex_unlock(&lock);
    return entry != NULL;
}

void pml_hooks_under_way_each(bool (*selects)(const struct pml_hooks_under_way *what),
                              void (*end)(const struct pml_hooks_under_way *what))
{
    static ompi_request_t *selected[AT_ONCE]; /* under the lock; the rest at the next call */
    static size_t next; /* bucket, for that: what cannot be ended now is not in the way */
    size_t count = 0;

    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS && count < AT_ONCE; i++) {
        const struct pml_hooks_under_way *entry = buckets[next];

        next = (next + 1) % BUCKETS;
        for (; entry != NULL && count < AT_ONCE; entry = entry->next) {
            if (selects(entry)) {
                selected[count++] = entry->request;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct pml_hooks_under_way *entry = *find(selected[i]);

        if (entry != NULL) {
            end(entry);
        }
    }
    (void)pthread_mutex_unlock(&lock);
}
