/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PRESTO_JOB_H
#define TESTS_PRESTO_JOB_H

/*
 * The frame of tests whose ranks are processes (prestorun, mpirun, alone) or, with the arguments
 * "threads N", N threads of one process. A test is a body that each rank calls between pr_init and
 * pr_fini.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "presto.h"

typedef void (*job_body)(pr_mgr_t m, int rank, int size);

/* A condition that has to hold; otherwise the whole job ends with code 1. */
#define CHECK(condition) job_check((condition) != 0, #condition, __FILE__, __LINE__)
/* The same for two numbers, which are shown. */
#define CHECK_EQUAL(a, b) \
    job_check_equal((long long)(a), (long long)(b), #a, #b, __FILE__, __LINE__)

static inline void job_check(int holds, const char *text, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: %s does not hold\n", file, line, text);
        pr_abort(NULL, 1);
    }
}

static inline void job_check_equal(long long a, long long b, const char *text_a, const char *text_b,
                                   const char *file, int line)
{
    if (a != b) {
        fprintf(stderr, "%s:%d: %s is %lld, and %s is %lld\n", file, line, text_a, a, text_b, b);
        pr_abort(NULL, 1);
    }
}

struct job_rank {
    pthread_t thread;
    job_body body;
    enum pr_thread_level level;
    int number;
};

/* number -1: any. */
static inline void job_rank(job_body body, enum pr_thread_level level, int number)
{
    pr_mgr_t m;
    int rank, size;

    if (number >= 0) {
        CHECK_EQUAL(pr_thread_rank(number), PR_OK);
    }
    CHECK_EQUAL(pr_init_thread(&m, level), PR_OK);
    CHECK_EQUAL(pr_get_self_rank(m, &rank), PR_OK);
    CHECK_EQUAL(pr_get_num_procs(m, &size), PR_OK);
    CHECK(number < 0 || rank == number);
    body(m, rank, size);
    CHECK_EQUAL(pr_fini(m), PR_OK);
}

static inline void *job_thread(void *arg)
{
    const struct job_rank *rank = arg;

    job_rank(rank->body, rank->level, rank->number);
    return NULL;
}

static inline int job_main(int argc, char **argv, enum pr_thread_level level, job_body body)
{
    struct job_rank ranks[64];
    int n = argc > 2 && strcmp(argv[1], "threads") == 0 ? atoi(argv[2]) : 0;

    if (n < 1 || n > 64) {
        job_rank(body, level, -1);
        return 0;
    }
    CHECK_EQUAL(pr_threads(n), PR_OK);
    for (int i = 0; i < n; i++) {
        ranks[i] = (struct job_rank){.body = body, .level = level, .number = i};
        CHECK_EQUAL(pthread_create(&ranks[i].thread, NULL, job_thread, &ranks[i]), 0);
    }
    for (int i = 0; i < n; i++) {
        CHECK_EQUAL(pthread_join(ranks[i].thread, NULL), 0);
    }
    return 0;
}

#endif
