/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/launch_threads.c presto/core/buffer.c. */
/* PR_THREAD_MULTIPLE: several threads of each rank at once, each in its own tags or its own group,
 * among them ones that wait for what another thread's progress brings. */
#include "job.h"

enum { THREADS = 3, ROUNDS = 60, LONG = 20000 };

struct worker {
    pthread_t thread;
    pr_mgr_t m, group;
    int rank, size, number;
};

static void fill(unsigned char *buf, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++) {
        buf[i] = (unsigned char)(seed + (int)(i % 127));
    }
}

static void expect(const unsigned char *buf, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++) {
        CHECK_EQUAL(buf[i], (unsigned char)(seed + (int)(i % 127)));
    }
}

/* Round the ring, in a tag of the thread's own. */
static void ring(const struct worker *w, int round, unsigned char *out, unsigned char *in)
{
    int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size;
    size_t bytes = round % 7 == 3 ? LONG : (size_t)(round * 13 % 200);
    pr_req_t reqs[2];
    struct pr_status st;

    fill(out, bytes, w->rank + round + w->number);
    CHECK_EQUAL(pr_irecv_bytes(w->m, left, w->number, in, bytes, &reqs[0]), PR_OK);
    CHECK_EQUAL(pr_isend_bytes(w->m, right, w->number, out, bytes, &reqs[1]), PR_OK);
    CHECK_EQUAL(pr_wait_status(w->m, &reqs[0], &st), PR_OK);
    CHECK_EQUAL(st.bytes, bytes);
    CHECK_EQUAL(pr_wait(w->m, &reqs[1]), PR_OK);
    expect(in, bytes, left + round + w->number);
}

/* A request that nobody waits for, a receive that is cancelled, a send that is. */
static void odds(const struct worker *w, int round, const unsigned char *out)
{
    int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size, in = 0;
    pr_req_t req;
    struct pr_status st;

    CHECK_EQUAL(pr_isend_bytes(w->m, right, 100 + w->number, &w->number, sizeof(int), &req), PR_OK);
    CHECK_EQUAL(pr_req_free(w->m, &req), PR_OK);
    CHECK_EQUAL(pr_recv_bytes(w->m, left, 100 + w->number, &in, sizeof(int), NULL), PR_OK);
    CHECK_EQUAL(in, w->number);
    CHECK_EQUAL(pr_irecv_bytes(w->m, PR_ANY_SOURCE, 200 + w->number, &in, sizeof(int), &req),
                PR_OK);
    CHECK_EQUAL(pr_cancel(w->m, &req), PR_OK);
    CHECK_EQUAL(pr_wait_status(w->m, &req, &st), PR_OK);
    CHECK_EQUAL(st.cancelled, 1);
    CHECK_EQUAL(pr_isend_bytes(w->m, right, 300 + w->number, out, round % 8 ? LONG : 9, &req),
                PR_OK);
    CHECK_EQUAL(pr_cancel(w->m, &req), PR_OK);
    CHECK_EQUAL(pr_wait_status(w->m, &req, &st), PR_OK);
    CHECK_EQUAL(st.cancelled, 1);
}

static void together(const struct worker *w, int round)
{
    int64_t mine = w->rank + round, sum = 0;

    CHECK_EQUAL(pr_allreduce(w->group, &mine, &sum, 1, PR_INT64, PR_SUM), PR_OK);
    CHECK_EQUAL(sum, w->size * (w->size - 1) / 2 + w->size * round);
}

static void *work(void *arg)
{
    const struct worker *w = arg;
    unsigned char *out = malloc(LONG), *in = malloc(LONG);

    CHECK(out != NULL && in != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        ring(w, round, out, in);
        if (round % 4 == 0) {
            odds(w, round, out);
            together(w, round);
        }
    }
    free(out);
    free(in);
    return NULL;
}

static void body(pr_mgr_t m, int rank, int size)
{
    struct worker workers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.m = m, .rank = rank, .size = size, .number = i};
        CHECK_EQUAL(pr_split(m, 0, 0, &workers[i].group), PR_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_join(workers[i].thread, NULL), 0);
        CHECK_EQUAL(pr_group_free(&workers[i].group), PR_OK);
    }
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_MULTIPLE, body);
}
