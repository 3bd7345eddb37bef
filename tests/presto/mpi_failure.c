/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/mpi/failure.c presto/core/agree.c presto/core/agree_kept.c
 * Covers: presto/core/revoke.c presto/core/members.c presto/core/control.c
 *
 * Going on when ranks die, each case by its name: the argument. All ranks that end print a line. */
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int rank, size;

static void must(int holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "mpi_failure: rank %d, line %d: not so: %s\n", rank, line, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
#define MUST(holds) must(holds, #holds, __LINE__)

static int class_of(int code)
{
    int class;

    MPI_Error_class(code, &class);
    return class;
}
#define FAILED(code)  (class_of(code) == MPIX_ERR_PROC_FAILED)
#define REVOKED(code) (class_of(code) == MPIX_ERR_REVOKED)

static void die(void)
{
    raise(SIGKILL);
}

static MPI_Comm copy_of_world(void)
{
    MPI_Comm copy;

    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    return copy;
}

/* A communicator works, with all that it has. */
static void use(MPI_Comm comm)
{
    int me, n, sum, from, tag = 7;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MUST(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    MUST(sum == n * (n - 1) / 2);
    for (int i = 0; i < 6; i++) {
        MUST(MPI_Barrier(comm) == MPI_SUCCESS);
        MUST(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, tag, &from, 1, MPI_INT, (me + n - 1) % n,
                          tag, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MUST(from == (me + n - 1) % n);
    }
}

static int group_size(MPI_Group *group)
{
    int n;

    MPI_Group_size(*group, &n);
    if (*group != MPI_GROUP_EMPTY) {
        MPI_Group_free(group);
    }
    return n;
}

/* ---- revoke ---------------------------------------------------------------------------------- */

enum { LONG = 1 << 20 };
static char data[LONG];

/* What begins on a busy machine may find it revoked already. */
static bool begins(int code)
{
    MUST(code == MPI_SUCCESS || REVOKED(code));
    return code == MPI_SUCCESS;
}

/* What each rank is in when the last one revokes. */
static int wait_in(MPI_Comm comm, int way)
{
    MPI_Request requests[2];
    int code, index, value = 0;

    switch (way % 7) {
    case 0:
        return MPI_Recv(&value, 1, MPI_INT, size - 1, 1, comm, MPI_STATUS_IGNORE);
    case 1:
        return MPI_Ssend(data, LONG, MPI_CHAR, size - 1, 2, comm);
    case 2:
        return MPI_Barrier(comm);
    case 3:
        if (!begins(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &requests[0]))) {
            return MPIX_ERR_REVOKED;
        }
        if (!begins(MPI_Ibarrier(comm, &requests[1]))) {
            return MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        code = MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MUST(REVOKED(code));
        return MPI_Wait(&requests[1 - index], MPI_STATUS_IGNORE);
    case 4:
        return MPI_Probe(MPI_ANY_SOURCE, 4, comm, MPI_STATUS_IGNORE);
    case 5:
        if (begins(MPI_Isend(data, LONG, MPI_CHAR, size - 1, 5, comm, &requests[0]))) {
            code = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MUST(code == MPI_SUCCESS || REVOKED(code)); /* it is gone */
        }
        return MPI_Bcast(data, LONG, MPI_CHAR, size - 1, comm);
    default:
        if (!begins(
                MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, comm, &requests[0]))) {
            return MPIX_ERR_REVOKED;
        }
        return MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

static void revoked(int way)
{
    MPI_Comm comm = copy_of_world(), shrunk, none;
    int flag = -1, code;

    MUST(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag == 0);
    use(comm);
    MUST(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS); /* all have used it before it is revoked */
    if (rank == size - 1) {
        usleep(20000);
        MUST(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
        MUST(MPIX_Comm_revoke(comm) == MPI_SUCCESS); /* once more is nothing */
    } else {
        code = wait_in(comm, way + rank);
        /* A synchronous send ends as if it had been received. */
        MUST(REVOKED(code) || ((way + rank) % 7 == 1 && code == MPI_SUCCESS));
    }
    do {
        MUST(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS);
    } while (!flag);
    MUST(REVOKED(MPI_Send(data, 4, MPI_CHAR, (rank + 1) % size, 6, comm)));
    MUST(REVOKED(MPI_Recv(data, 4, MPI_CHAR, (rank + 1) % size, 6, comm, MPI_STATUS_IGNORE)));
    MUST(REVOKED(MPI_Barrier(comm)));
    MUST(REVOKED(MPI_Comm_dup(comm, &none)) && none == MPI_COMM_NULL);
    MUST(REVOKED(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE)));

    flag = ~(1 << rank);
    MUST(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == ~((1 << size) - 1));
    MUST(MPIX_Comm_shrink(comm, &shrunk) == MPI_SUCCESS);
    use(shrunk);
    MUST(MPI_Comm_free(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
    use(shrunk);
    use(MPI_COMM_WORLD);
    MUST(MPI_Comm_free(&shrunk) == MPI_SUCCESS);
}

/* One that this rank has not made yet. */
static void revoke_early(void)
{
    for (int i = 0; i < 50; i++) {
        MPI_Comm comm = MPI_COMM_NULL;
        int code, flag = 0;

        if (rank == size - 1) {
            usleep(500 * (i % 3));
        }
        code = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MUST(code == MPI_SUCCESS);
        if (rank == 0) {
            MUST(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
        }
        code = MPI_Barrier(comm);
        MUST(code == MPI_SUCCESS || REVOKED(code));
        do {
            MUST(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS);
        } while (!flag);
        MUST(MPI_Comm_free(&comm) == MPI_SUCCESS);
    }
    use(MPI_COMM_WORLD);
}

/* ---- acknowledge ----------------------------------------------------------------------------- */

/* The last two ranks die, one after the other. */
static void acknowledge(void)
{
    MPI_Comm comm = copy_of_world();
    int value = rank, count, flag = 0;
    MPI_Group group;

    MUST(MPIX_Comm_get_failed(comm, &group) == MPI_SUCCESS && group_size(&group) == 0);
    MUST(MPIX_Comm_ack_failed(comm, 9, &count) == MPI_SUCCESS && count == 0);
    use(comm);
    if (rank == size - 1) {
        die();
    }
    if (rank == size - 2) {
        MUST(FAILED(MPI_Recv(&value, 1, MPI_INT, size - 1, 1, comm, MPI_STATUS_IGNORE)));
        die();
    }
    MUST(FAILED(MPI_Recv(&value, 1, MPI_INT, size - 2, 1, comm, MPI_STATUS_IGNORE)));
    MUST(FAILED(MPI_Recv(&value, 1, MPI_INT, size - 1, 1, comm, MPI_STATUS_IGNORE)));
    MUST(FAILED(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE)));
    MUST(MPIX_Comm_get_failed(comm, &group) == MPI_SUCCESS && group_size(&group) == 2);

    MUST(FAILED(MPIX_Comm_agree(comm, &flag)) && flag == 0);
    MUST(MPIX_Comm_ack_failed(comm, 1, &count) == MPI_SUCCESS && count == 1);
    MUST(FAILED(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE)));
    MUST(MPIX_Comm_failure_get_acked(comm, &group) == MPI_SUCCESS && group_size(&group) == 1);
    flag = 3;
    MUST(FAILED(MPIX_Comm_agree(comm, &flag)) && flag == 3);
    if (rank == 0) {
        MUST(MPIX_Comm_failure_ack(comm) == MPI_SUCCESS);
    }
    MUST(FAILED(MPIX_Comm_agree(comm, &flag)) && flag == 3);
    MUST(MPIX_Comm_ack_failed(comm, 2, &count) == MPI_SUCCESS && count == 2);
    MUST(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 3);

    /* From any that lives. */
    if (rank == 0) {
        for (int i = 1; i < size - 2; i++) {
            MUST(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE) ==
                 MPI_SUCCESS);
        }
    } else {
        MUST(MPI_Send(&rank, 1, MPI_INT, 0, 1, comm) == MPI_SUCCESS);
    }
    MUST(FAILED(MPI_Barrier(comm)));
}

/* The last rank dies while all make a copy, which some get: who has it revokes and frees it. What
 * an agreement says of the death is known when it has ended. */
static void some(void)
{
    MPI_Comm copy = MPI_COMM_NULL;
    int flag = 1, n;

    if (rank == size - 1) {
        die();
    }
    if (MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS) {
        MUST(copy != MPI_COMM_NULL);
    } else {
        MUST(copy == MPI_COMM_NULL);
    }
    if (MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS) {
        MUST(FAILED(MPI_Recv(&n, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
        MUST(FAILED(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)));
    }
    MUST(MPIX_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS);
    MUST(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 1);
    if (copy != MPI_COMM_NULL) {
        MUST(MPIX_Comm_revoke(copy) == MPI_SUCCESS);
        MUST(MPI_Comm_free(&copy) == MPI_SUCCESS);
    }
}

/* ---- agree ----------------------------------------------------------------------------------- */

static void on_timer(int signal)
{
    (void)signal;
    die();
}

/* Die in so many microseconds. */
static void die_in(long us)
{
    struct itimerval timer = {.it_value = {.tv_sec = us / 1000000, .tv_usec = us % 1000000 + 1}};

    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static int flag_of(int of, int round)
{
    unsigned mix = (unsigned)(of * 7919 + round * 104729) * 2654435761U;

    return (int)(mix | mix >> 7); /* most bits */
}

/* All but two ranks die while all agree, again and again. What the living have agreed on is the
 * same, has no bit that one of them had not, and has each that all had. */
static void agree(unsigned seed)
{
    enum { ROUNDS = 400 };
    static int result[ROUNDS], least[ROUNDS], most[ROUNDS], code[ROUNDS];
    MPI_Comm comm, shrunk;
    int all_could;

    MUST(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);

    srand(seed * 1000 + (unsigned)rank);
    if (rank % 3 != 2) {
        die_in(rand() % 60000);
    }
    for (int i = 0; i < ROUNDS; i++) {
        result[i] = flag_of(rank, i);
        code[i] = class_of(MPIX_Comm_agree(comm, &result[i]));
        MUST(code[i] == MPI_SUCCESS || code[i] == MPIX_ERR_PROC_FAILED);
        if (i % 8 == 0) {
            usleep(1000);
        }
    }
    MUST(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
    /* Others may die until here: then all shrink once more. */
    do {
        MUST(MPIX_Comm_shrink(comm, &shrunk) == MPI_SUCCESS);
        all_could = MPI_Allreduce(result, least, ROUNDS, MPI_INT, MPI_MIN, shrunk) == MPI_SUCCESS;
        all_could &= MPI_Allreduce(result, most, ROUNDS, MPI_INT, MPI_MAX, shrunk) == MPI_SUCCESS;
        MPIX_Comm_agree(shrunk, &all_could);
    } while (!all_could);
    for (int i = 0; i < ROUNDS; i++) {
        int all = -1;

        for (int of = 0; of < size; of++) {
            all &= flag_of(of, i);
        }
        MUST(least[i] == most[i]);
        MUST((result[i] & ~flag_of(rank, i)) == 0 && (all & ~result[i]) == 0);
    }
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Those who live, in *comm, and from where all can go on. */
static void recover(MPI_Comm *comm, int *done)
{
    int least, all_could;

    do {
        MPI_Comm less;

        MPIX_Comm_revoke(*comm);
        MUST(MPIX_Comm_shrink(*comm, &less) == MPI_SUCCESS);
        MUST(MPI_Comm_free(comm) == MPI_SUCCESS);
        *comm = less;
        all_could = MPI_Allreduce(done, &least, 1, MPI_INT, MPI_MIN, less) == MPI_SUCCESS;
        MPIX_Comm_agree(less, &all_could);
    } while (!all_could);
    *done = least;
}

/* A program as they are written: work, and when that fails revoke, shrink and go on. */
static void work(unsigned seed)
{
    enum { STEPS = 300, TOGETHER = 10 };
    MPI_Comm comm;
    int done = 0;

    MUST(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    srand(seed * 1000 + (unsigned)rank);
    if (rank % 4 != 1) {
        die_in(rand() % 300000);
    }
    while (done < STEPS) {
        int one = 1, sum = 0, code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), flag;

        if (code == MPI_SUCCESS && done % 16 == 0) {
            code = MPI_Barrier(comm);
        }
        if (code != MPI_SUCCESS) {
            MUST(FAILED(code) || REVOKED(code));
            MPIX_Comm_revoke(comm);
        }
        flag = code == MPI_SUCCESS;
        /* Who has noticed nothing hears of it here, or by its next operation. */
        if (!flag || done % TOGETHER == TOGETHER - 1) {
            MPIX_Comm_agree(comm, &flag);
        }
        if (flag) {
            done++;
            usleep(500);
        } else {
            recover(&comm, &done);
        }
    }
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(argv[1], "revoke") == 0) {
        revoked(number);
    } else if (strcmp(argv[1], "early") == 0) {
        revoke_early();
    } else if (strcmp(argv[1], "acknowledge") == 0) {
        acknowledge();
    } else if (strcmp(argv[1], "some") == 0) {
        some();
    } else if (strcmp(argv[1], "agree") == 0) {
        agree((unsigned)number);
    } else {
        work((unsigned)number);
    }
    printf("rank %d ends\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
