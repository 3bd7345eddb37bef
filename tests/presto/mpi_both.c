/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that holds two MPIs: this file is compiled with -DSIDE=one by one compiler and with
 * -DSIDE=other by another, one of them with -DBOTH_MAIN. Both are started, work in turns and at the
 * same time, and end; each sees the same ranks, and gets its own messages.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define JOINED(a, b)   a##_##b
#define NAMED(a, b)    JOINED(a, b)
#define MINE(function) NAMED(SIDE, function)

enum { LONG = 100000 };

/* What a side offers; calls with a non-zero result have failed. */
struct side {
    int (*start)(int *argc, char ***argv, int *rank, int *size);
    int (*begin)(int shift); /* a long message to the next rank, not waited for */
    int (*finish)(void);     /* the one from the rank before */
    int (*sum)(int number, int *total);
    int (*stop)(void);
};

extern const struct side one_side, other_side;

static MPI_Request requests[2];
static int out[LONG], in[LONG], me, all, shifted;

static int start(int *argc, char ***argv, int *rank, int *size)
{
    int given;

    if (MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &given) != MPI_SUCCESS) {
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    *rank = me;
    *size = all;
    return 0;
}

static int begin(int shift)
{
    shifted = shift;
    for (int i = 0; i < LONG; i++) {
        out[i] = shift + me + i;
    }
    memset(in, -1, sizeof(in));
    return MPI_Irecv(in, LONG, MPI_INT, (me + all - 1) % all, 3, MPI_COMM_WORLD, &requests[0]) !=
               MPI_SUCCESS ||
           MPI_Isend(out, LONG, MPI_INT, (me + 1) % all, 3, MPI_COMM_WORLD, &requests[1]) !=
               MPI_SUCCESS;
}

static int finish(void)
{
    int wrong = 0;

    if (MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
        return 1;
    }
    for (int i = 0; i < LONG; i++) {
        wrong += in[i] != shifted + (me + all - 1) % all + i;
    }
    return wrong;
}

static int sum(int number, int *total)
{
    return MPI_Allreduce(&number, total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int stop(void)
{
    return MPI_Finalize() != MPI_SUCCESS;
}

extern const struct side MINE(side);
const struct side MINE(side) = {start, begin, finish, sum, stop};

#ifdef BOTH_MAIN

static int checks, failures;

static void check(int holds, int rank, const char *what)
{
    checks++;
    if (!holds) {
        failures++;
        fprintf(stderr, "mpi_both: rank %d: %s\n", rank, what);
    }
}

/* Long messages of both are under way at the same time; sums in between. */
static void round_of(int number, int rank, int size)
{
    int first = 0, second = 0, expected = size * (size - 1) / 2;

    check(one_side.begin(number) == 0, rank, "one begins");
    check(other_side.begin(1000 * number) == 0, rank, "the other begins");
    check(one_side.sum(rank + number, &first) == 0 && first == expected + size * number, rank,
          "one sums");
    check(other_side.sum(rank, &second) == 0 && second == expected, rank, "the other sums");
    check(other_side.finish() == 0, rank, "the other finishes");
    check(one_side.finish() == 0, rank, "one finishes");
}

int main(int argc, char **argv)
{
    int ranks[2], sizes[2];

    check(one_side.start(&argc, &argv, &ranks[0], &sizes[0]) == 0, -1, "one starts");
    check(other_side.start(&argc, &argv, &ranks[1], &sizes[1]) == 0, ranks[0], "the other starts");
    check(ranks[0] == ranks[1] && sizes[0] == sizes[1], ranks[0], "both see the same job");
    for (int number = 1; number <= 20 && failures == 0; number++) {
        round_of(number, ranks[0], sizes[0]);
    }
    /* One can go before the other. */
    check(other_side.stop() == 0, ranks[0], "the other stops");
    check(one_side.begin(7) == 0 && one_side.finish() == 0, ranks[0], "one works alone");
    check(one_side.stop() == 0, ranks[0], "one stops");
    if (failures == 0 && ranks[0] == 0) {
        printf("MT-OK mpi_both ranks=%d checks=%d\n", sizes[0], checks);
    }
    return failures != 0;
}

#endif
