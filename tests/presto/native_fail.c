/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 is killed in the middle of a row of collective operations, which is the argument. All
 * others come to the end of the row: each operation ends well and with the right data, or with
 * PR_ERR_PEER, and those that need all ranks fail everywhere. Groups that rank 1 was not in work as
 * before, receives from any source among them. Run with prestorun --keep-going and three ranks or
 * more.
 *
 * Argument stop: rank 1 is only stopped for a while, and nothing fails. Argument thread: ranks are
 * threads, and one ends without pr_fini, which ends the process.
 */
#include <signal.h>
#include <stdbool.h>

#include "job.h"

enum { ROW = 12, DIES_AT = 4, LONG_WORDS = 20000, WORDS_MOST = 64 * 1024 };

struct scene {
    pr_mgr_t m;
    int rank, size;
    uint32_t *in, *out; /* [WORDS_MOST] */
};

/* One operation of a row: whether the data is right is told only if it ended well. */
struct row {
    const char *name;
    bool needs_all; /* after the death nobody can have succeeded */
    int (*call)(struct scene *s, uint32_t seed, bool *right);
};

static int call_barrier(struct scene *s, uint32_t seed, bool *right)
{
    (void)seed;
    *right = true;
    return pr_group_barrier(s->m);
}

static int reduce_words(struct scene *s, uint32_t seed, bool *right, size_t words)
{
    uint32_t sum = (uint32_t)(s->size * (s->size - 1) / 2) + (uint32_t)s->size * seed;
    int error;

    for (size_t i = 0; i < words; i++) {
        s->in[i] = (uint32_t)s->rank + seed;
    }
    error = pr_allreduce(s->m, s->in, s->out, words, PR_UINT32, PR_SUM);
    *right = s->out[0] == sum && s->out[words - 1] == sum;
    return error;
}

static int call_allreduce(struct scene *s, uint32_t seed, bool *right)
{
    return reduce_words(s, seed, right, 1);
}

static int call_allreduce_long(struct scene *s, uint32_t seed, bool *right)
{
    return reduce_words(s, seed, right, LONG_WORDS);
}

static int call_alltoall(struct scene *s, uint32_t seed, bool *right)
{
    int error;

    for (int i = 0; i < s->size; i++) {
        s->in[i] = seed * 1000 + (uint32_t)s->rank;
    }
    error = pr_alltoall(s->m, s->in, sizeof(uint32_t), s->out);
    *right = true;
    for (int i = 0; i < s->size; i++) {
        *right = *right && s->out[i] == seed * 1000 + (uint32_t)i;
    }
    return error;
}

static int call_allgather(struct scene *s, uint32_t seed, bool *right)
{
    uint32_t mine = seed * 1000 + (uint32_t)s->rank;
    int error = pr_allgather(s->m, &mine, sizeof(mine), s->out);

    *right = true;
    for (int i = 0; i < s->size; i++) {
        *right = *right && s->out[i] == seed * 1000 + (uint32_t)i;
    }
    return error;
}

static int bcast_words(struct scene *s, uint32_t seed, bool *right, size_t words)
{
    int error;

    for (size_t i = 0; i < words; i++) {
        s->out[i] = s->rank == 0 ? seed : 0;
    }
    error = pr_bcast_bytes(s->m, 0, s->out, words * sizeof(uint32_t));
    *right = s->out[0] == seed && s->out[words - 1] == seed;
    return error;
}

static int call_bcast(struct scene *s, uint32_t seed, bool *right)
{
    return bcast_words(s, seed, right, 2);
}

static int call_bcast_long(struct scene *s, uint32_t seed, bool *right)
{
    return bcast_words(s, seed, right, LONG_WORDS);
}

static int call_gather(struct scene *s, uint32_t seed, bool *right)
{
    uint32_t mine = seed * 1000 + (uint32_t)s->rank;
    int error = pr_gather(s->m, 0, &mine, sizeof(mine), s->out);

    *right = true;
    for (int i = 0; s->rank == 0 && i < s->size; i++) {
        *right = *right && s->out[i] == seed * 1000 + (uint32_t)i;
    }
    return error;
}

static const struct row rows[] = {
    {"barrier", true, call_barrier},
    {"allreduce", true, call_allreduce},
    {"allreduce-long", true, call_allreduce_long},
    {"alltoall", true, call_alltoall},
    {"allgather", true, call_allgather},
    {"bcast", false, call_bcast},
    {"bcast-long", false, call_bcast_long},
    {"gather", false, call_gather},
};

static const struct row *row;

static void go_through(struct scene *s)
{
    int error = PR_OK;

    for (uint32_t i = 0; i < ROW; i++) {
        bool right = false;

        if (i == DIES_AT && s->rank == 1) {
            (void)raise(SIGKILL);
        }
        error = row->call(s, i + 1, &right);
        CHECK(error == PR_OK || error == PR_ERR_PEER);
        CHECK(error != PR_OK || right);
    }
    CHECK(!row->needs_all || error == PR_ERR_PEER);
}

/* The group without rank 1: two of its ranks pass a word on by receives from any source. */
static void go_on(pr_mgr_t group)
{
    int self, n, word = 0, one = 1, sum = 0;
    struct pr_status st;

    CHECK_EQUAL(pr_get_self_rank(group, &self), PR_OK);
    CHECK_EQUAL(pr_get_num_procs(group, &n), PR_OK);
    CHECK_EQUAL(pr_allreduce(group, &one, &sum, 1, PR_INT32, PR_SUM), PR_OK);
    CHECK_EQUAL(sum, n);
    for (int i = 1; self == 0 && i < n; i++) {
        CHECK_EQUAL(pr_recv_bytes(group, PR_ANY_SOURCE, 5, &word, sizeof(word), &st), PR_OK);
        CHECK_EQUAL(word, st.source);
    }
    if (self != 0) {
        CHECK_EQUAL(pr_send_bytes(group, 0, 5, &self, sizeof(self)), PR_OK);
    }
    CHECK_EQUAL(pr_group_barrier(group), PR_OK);
}

static void stopped_body(pr_mgr_t m, int rank, int size)
{
    struct scene s = {.m = m, .rank = rank, .size = size};
    uint32_t words[2 * 64];
    pid_t pid = getpid();
    bool right;

    CHECK(size >= 2 && size <= 64);
    s.in = words;
    s.out = words + 64;
    CHECK_EQUAL(pr_bcast_bytes(m, 1, &pid, sizeof(pid)), PR_OK);
    for (uint32_t i = 0; i < ROW; i++) {
        if (i == DIES_AT && rank == 1) {
            (void)raise(SIGSTOP);
        }
        if (i == DIES_AT && rank == 0) {
            usleep(300000);
            (void)kill(pid, SIGCONT);
        }
        CHECK_EQUAL(call_alltoall(&s, i, &right), PR_OK);
        CHECK(right);
    }
}

static void thread_body(pr_mgr_t m, int rank, int size)
{
    int word;

    (void)size;
    if (rank == 1) {
        pthread_exit(NULL);
    }
    (void)pr_recv_bytes(m, 1, 1, &word, sizeof(word), NULL);
    CHECK(!"a receive from a thread that has gone ends");
}

static void body(pr_mgr_t m, int rank, int size)
{
    struct scene s = {.m = m, .rank = rank, .size = size};
    pr_mgr_t group;
    int failed, word;

    CHECK(size >= 3);
    s.in = calloc(WORDS_MOST, sizeof(*s.in));
    s.out = calloc(WORDS_MOST, sizeof(*s.out));
    CHECK(s.in != NULL && s.out != NULL);
    CHECK_EQUAL(pr_split(m, rank == 1 ? PR_UNDEFINED : 0, rank, &group), PR_OK);
    CHECK_EQUAL(pr_get_failed_rank(m, &failed), PR_OK);
    CHECK_EQUAL(failed, PR_ANY_SOURCE);
    CHECK_EQUAL(pr_barrier(), PR_OK);
    go_through(&s);
    /* By now, or soon. */
    CHECK_EQUAL(pr_recv_bytes(m, 1, 7, &word, sizeof(word), NULL), PR_ERR_PEER);
    CHECK_EQUAL(pr_get_failed_rank(m, &failed), PR_OK);
    CHECK_EQUAL(failed, 1);
    CHECK_EQUAL(pr_recv_bytes(m, PR_ANY_SOURCE, 7, &word, sizeof(word), NULL), PR_ERR_PEER);
    go_on(group);
    CHECK_EQUAL(pr_group_free(&group), PR_OK);
    free(s.in);
    free(s.out);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "stop") == 0) {
        return job_main(0, argv, PR_THREAD_SINGLE, stopped_body);
    }
    if (argc == 2 && strcmp(argv[1], "thread") == 0) {
        char *threads[] = {argv[0], (char[]){"threads"}, (char[]){"3"}, NULL};

        return job_main(3, threads, PR_THREAD_SINGLE, thread_body);
    }
    for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(argv[1], rows[i].name) == 0) {
            row = &rows[i];
        }
    }
    if (row == NULL) {
        fprintf(stderr, "%s: an operation is needed: barrier, allreduce and so on\n", argv[0]);
        return 2;
    }
    return job_main(0, argv, PR_THREAD_SINGLE, body);
}
