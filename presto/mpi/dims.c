/* SPDX-License-Identifier: BSD-3-Clause */
/* Which grid a number of ranks makes. */
#include "mpi/state.h"

#include <stdlib.h>

/* A number below 2^31 has at most 1600 divisors (2095133040). */
enum { MOST_DIVISORS = 1600 };

struct divisors {
    int count;
    int number[MOST_DIVISORS]; /* from 1 on */
};

static void divisors_of(int n, struct divisors *divisors)
{
    int low = 0, high = MOST_DIVISORS;
    for (int d = 1; d <= n / d; d++)
        if (n % d == 0) {
            divisors->number[low++] = d;
            if (d != n / d)
                divisors->number[--high] = n / d;
        }
    for (; high < MOST_DIVISORS; high++)
        divisors->number[low++] = divisors->number[high];
    divisors->count = low;
}

/* Whether k factors of at most d can make n. */
static bool reaches(int d, int k, int n)
{
    long long power = 1;
    for (int i = 0; i < k && power < n && d > 1; i++)
        power *= d;
    return power >= n;
}

/* n as a product of k factors of at most `most`, largest first: the largest one is as small as it
 * can be, and so on with what remains. False: there are none. `divisors` has all of n's. */
static bool factorise(const struct divisors *divisors, int n, int k, int most, int *factor)
{
    if (k == 1) {
        factor[0] = n;
        return n <= most;
    }
    for (int i = 0; i < divisors->count && divisors->number[i] <= most; i++) {
        int d = divisors->number[i];
        if (n % d != 0 || !reaches(d, k, n))
            continue;
        factor[0] = d;
        if (factorise(divisors, n / d, k - 1, d, factor + 1))
            return true;
    }
    return false;
}

int MPI_Dims_create(int ranks, int count, int dims[])
{
    int open = 0, rest = ranks;
    if (ranks < 1 || count < 0)
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    for (int i = 0; i < count; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i] != 0))
            return pri_fail(NULL, __func__, MPI_ERR_DIMS);
        open += dims[i] == 0;
        rest /= dims[i] > 0 ? dims[i] : 1;
    }
    if (open == 0)
        return rest == 1 || count == 0 ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_DIMS);
    int *factor = malloc((size_t)open * sizeof(*factor));
    struct divisors *divisors = malloc(sizeof(*divisors));
    if (factor == NULL || divisors == NULL) {
        free(factor);
        free(divisors);
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    divisors_of(rest, divisors);
    factorise(divisors, rest, open, rest, factor);
    for (int i = 0, next = 0; i < count; i++)
        if (dims[i] == 0)
            dims[i] = factor[next++];
    free(divisors);
    free(factor);
    return MPI_SUCCESS;
}
PRI_ALIAS(Dims_create);
