/* SPDX-License-Identifier: BSD-3-Clause */
#include "thr.h"

struct start {
    pthread_t id;
    int thread;
    void (*fn)(int thread, void *arg);
    void *arg;
};

static void *run(void *p)
{
    struct start *s = p;

    s->fn(s->thread, s->arg);
    return NULL;
}

void thr_run(int n, void (*fn)(int thread, void *arg), void *arg)
{
    struct start *s = calloc((size_t)n, sizeof *s);

    if (!s) {
        mt_fail("no memory for %d threads", n);
    }
    for (int i = 0; i < n; ++i) {
        s[i] = (struct start){.thread = i, .fn = fn, .arg = arg};
        if (0 != pthread_create(&s[i].id, NULL, run, &s[i])) {
            mt_fail("thread %d cannot be made", i);
        }
    }
    for (int i = 0; i < n; ++i) {
        pthread_join(s[i].id, NULL);
    }
    free(s);
}
