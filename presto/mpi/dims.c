/* SPDX-License-Identifier: BSD-3-Clause */
/* Which grid a number of ranks makes. */
#include "mpi/state.h"

#include <string.h>

/* A number below 2^31 has at most 1600 divisors (2095133040). */
enum { MOST_DIVISORS = 1600 };

struct divisors {
    int count;
    int number[MOST_DIVISORS]; /* from 1 on */
};

static void divisors_of(int n, struct divisors *divisors)
{
    int low = 0, high = MOST_DIVISORS;
    for (int d = 1; d <= n / d; d++) {
        if (n % d == 0) {
            divisors->number[low++] = d;
            if (d != n / d) {
                divisors->number[--high] = n / d;
            }
        }
    }
    for (; high < MOST_DIVISORS; high++) {
        divisors->number[low++] = divisors->number[high];
    }
    divisors->count = low;
}

/* Whether d to the power of k is at most n. */
static bool within(int d, int k, int n)
{
    long long power = 1;
    for (int i = 0; i < k && power <= n && d > 1; i++) {
        power *= d;
    }
    return power <= n;
}

/* n as a product of k factors between two bounds, largest first: the smallest one is as large as it
 * can be, and so on with what remains. False: there are none. `divisors` has all of n's. */
static bool factorise(const struct divisors *divisors, int n, int k, int least, int most,
                      int *factor)
{
    if (k == 1) {
        factor[0] = n;
        return n >= least && n <= most;
    }
    for (int i = divisors->count; i-- > 0 && divisors->number[i] >= least;) {
        int d = divisors->number[i];
        if (n % d != 0 || !within(d, k, n)) {
            continue;
        }
        if (within(most, k - 1, n / d - 1)) {
            return false; /* and a smaller d leaves even more to the others */
        }
        factor[k - 1] = d;
        if (factorise(divisors, n / d, k - 1, d, most, factor)) {
            return true;
        }
    }
    return false;
}

/* A number below 2^31 has at most 30 factors that are not 1. With one more there is always a 1, and
 * any others are 1 as well. */
enum { MOST_FACTORS = 31 };

/* n as a product of k factors, largest first, as close to each other as can be: the difference
 * between the largest and the smallest one is the least, and of those that are equal in that the
 * one whose smallest factors are larger is taken. */
static void balance(int n, int k, int *factor)
{
    struct divisors divisors;
    int found[MOST_FACTORS];
    int apart = n; /* more than any difference */
    divisors_of(n, &divisors);
    for (int i = divisors.count; i-- > 0;) {
        int least = divisors.number[i];
        while (within(least, k, n) &&
               factorise(&divisors, n, k, least, apart - 1 < n - least ? least + apart - 1 : n,
                         found)) {
            memcpy(factor, found, (size_t)k * sizeof(*factor));
            apart = factor[0] - factor[k - 1];
        }
    }
}

int MPI_Dims_create(int ranks, int count, int dims[])
{
    int open = 0, rest = ranks, factor[MOST_FACTORS];
    if (ranks < 1 || count < 0) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    for (int i = 0; i < count; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i] != 0)) {
            return pri_fail(NULL, __func__, MPI_ERR_DIMS);
        }
        open += dims[i] == 0;
        rest /= dims[i] > 0 ? dims[i] : 1;
    }
    if (open == 0) {
        return rest == 1 || count == 0 ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_DIMS);
    }
    int factors = open < MOST_FACTORS ? open : MOST_FACTORS;
    balance(rest, factors, factor);
    for (int i = 0, next = 0; i < count; i++) {
        if (dims[i] == 0) {
            dims[i] = next < factors ? factor[next] : 1;
            next++;
        }
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Dims_create);
