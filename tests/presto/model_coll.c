/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules against results worked out element by element: random operations, several of them at
 * once, 1 to 16 ranks, messages that arrive in a random order; in some rounds one fails, and a
 * rank that ends without an error has the right result all the same. model_coll [SEED [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "coll_cases.h"
#include "coll_mock.h"

enum { AT_ONCE = 4, STEPS = 2000000 };

static struct coll_case cases[AT_ONCE];
static struct pri_request requests[AT_ONCE][COLL_CASE_RANKS];

/* Low thresholds, so that short data takes the ways of long data: each a random power of two. */
static void draw_thresholds(uint64_t *seed)
{
    static const char *const names[] = {"BCAST_SHORT",         "BCAST_CHAIN",     "REDUCE_SHORT",
                                        "REDUCE_CHAIN",        "ALLREDUCE_SHORT", "ALLREDUCE_RING",
                                        "GATHER_SHORT",        "ALLGATHER_SHORT", "ALLTOALL_SHORT",
                                        "REDUCE_SCATTER_SHORT"};

    for (size_t i = 0; i < NI_ARRAY_LENGTH(names); i++) {
        char name[64], value[16];

        snprintf(name, sizeof name, "PRESTO_COLL_%s", names[i]);
        snprintf(value, sizeof value, "%u", 1U << coll_random(seed, 13));
        setenv(name, value, 1);
    }
    setenv("PRESTO_COLL_SEGMENT", coll_random(seed, 2) != 0 ? "256" : "1K", 1);
    setenv("PRESTO_COLL_WINDOW", coll_random(seed, 2) != 0 ? "1" : "5", 1);
}

static bool all_done(int operations, int n)
{
    for (int i = 0; i < operations; i++) {
        for (int r = 0; r < n; r++) {
            if (!pri_done(&requests[i][r])) {
                return false;
            }
        }
    }
    return true;
}

/* Ranks start their operations one after the other, but not in step with each other. */
static void start_all(struct pri_team *teams, int operations, int n, uint64_t *seed)
{
    int started[COLL_CASE_RANKS] = {0}, left = operations * n;

    while (left > 0) {
        int r = (int)coll_random(seed, (unsigned)n);

        if (started[r] < operations) {
            int i = started[r]++;

            left--;
            if (coll_case_start(&cases[i], r, &teams[r], &requests[i][r]) != PRI_OK) {
                fprintf(stderr, "model_coll: an operation did not start\n");
                exit(1);
            }
        }
        mock_step();
    }
}

/* What an operation has brought to those ranks that have no error of it. */
static bool check(int operation, int n, int *errors)
{
    uint32_t failed = 0;
    bool right = true;

    for (int r = 0; r < n; r++) {
        int error = requests[operation][r].status.error;

        failed |= (uint32_t)(error != PRI_OK) << r;
        *errors += error != PRI_OK;
        right = right && (error == PRI_OK || error == PRI_ERR_NOMEM);
    }
    return coll_case_check(&cases[operation], failed) && right;
}

static bool run_round(uint64_t *seed)
{
    int n = 1 + (int)coll_random(seed, COLL_CASE_RANKS);
    int operations = 1 + (int)coll_random(seed, AT_ONCE), steps = 0;
    struct pri_team teams[COLL_CASE_RANKS];
    int members[COLL_CASE_RANKS], errors = 0;
    bool right = true;

    draw_thresholds(seed);
    mock_begin(n, *seed);
    if (coll_random(seed, 4) == 0) {
        mock_fail(1 + coll_random(seed, 20U * (unsigned)n));
    }
    for (int r = 0; r < n; r++) {
        members[r] = n - 1 - r;
    }
    for (int r = 0; r < n; r++) {
        if (pri_team_init(&teams[r], mock_rank(n - 1 - r), 2, r, n, members) != PRI_OK) {
            return false;
        }
    }
    for (int i = 0; i < operations; i++) {
        coll_case_make(&cases[i], seed, n);
    }
    start_all(teams, operations, n, seed);
    while (!all_done(operations, n) && steps++ < STEPS) {
        mock_step();
    }
    if (!all_done(operations, n)) {
        fprintf(stderr, "model_coll: operation %d does not end, with %d ranks\n", cases[0].kind, n);
        return false;
    }
    for (int i = 0; i < operations; i++) {
        right = check(i, n, &errors) && right;
        coll_case_free(&cases[i]);
    }
    if ((errors != 0) != mock_failed()) {
        fprintf(stderr, "model_coll: %d ranks have errors\n", errors);
        right = false;
    }
    return mock_end() && right;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 1000;

    seed = seed * 0x9e3779b97f4a7c15u + 1;
    if (!coll_cases_begin()) {
        return 1;
    }
    for (int i = 0; i < rounds; i++) {
        uint64_t before = seed;

        if (!run_round(&seed)) {
            fprintf(stderr, "model_coll: round %d, state 0x%llx\n", i, (unsigned long long)before);
            return 1;
        }
    }
    coll_cases_end();
    return 0;
}
