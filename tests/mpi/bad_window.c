/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank of a window dies by SIGKILL, and the error handlers are MPI_ERRORS_RETURN. The job must
 * end with the component's sentence: nobody hangs, and nothing happens twice in the window. The
 * runner watches the end; the window is watched here.
 *
 * -mode idle    the dead had accumulated; the others only make progress
 *       held    the dead held an exclusive lock, for which another one asks
 *       fence   the others are in a fence
 *       post    the others wait in the end of an exposure epoch for the dead
 *       get     the dead had been asked for more than fits into one message
 *       late    the others come back to the window when they know of the death
 *       busy    the others have messages of the window under way all the time
 *       apart   the others have a window without the dead: that one works on, and nothing ends
 */
#include "mt.h"

#include <signal.h>
#include <unistd.h>

enum { WORDS = 1 << 20, SLOT = 5, ADDED = 3, TAG = 6 };

static int *memory, *other;
static MPI_Win win;
static int last;

/* The last rank goes; only after this do the others go on, and they know nothing of it yet. */
static void die(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == last) {
        fprintf(stderr, "rank %d kills itself\n", mt_rank);
        kill(getpid(), SIGKILL);
    }
}

/* Progress without the window, until the job ends. */
static void idle_on(int value)
{
    for (;;) {
        int flag;

        MPI_Iprobe(0, TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (mt_rank == 0) {
            mt_equal(*(volatile int *)&memory[SLOT], value, "the window after the death");
        }
    }
}

static void idle(void)
{
    int one = 1;

    for (int i = 0; i < ADDED && mt_rank == last; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, SLOT, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_unlock(0, win);
    }
    die();
    idle_on(ADDED);
}

static void held(void)
{
    int one = 1;

    if (mt_rank == last) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, SLOT, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    die();
    if (mt_rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Win_unlock(0, win);
        mt_fail("got a lock that a dead rank holds");
    }
    idle_on(1);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
    die();
    MPI_Win_fence(0, win);
    idle_on(0);
}

static void post(void)
{
    MPI_Group all, dead;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &last, &dead);
    if (mt_rank != last) {
        MPI_Win_post(dead, 0, win);
    }
    die();
    MPI_Win_wait(win);
    mt_fail("the end of an epoch that a dead rank had never begun");
}

static void get(void)
{
    if (mt_rank != last) {
        MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win);
        MPI_Get(other, WORDS, MPI_INT, last, 0, WORDS, MPI_INT, win);
    }
    die();
    MPI_Win_unlock(last, win);
    idle_on(0);
}

/* The living go on until they hear of the death, however long that takes. */
static void busy(void)
{
    for (int i = 0;; ++i) {
        if (i == 50 && mt_rank == last) {
            fprintf(stderr, "rank %d kills itself\n", mt_rank);
            kill(getpid(), SIGKILL);
        }
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&i, 1, MPI_INT, 0, SLOT + mt_rank, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
}

static void late(void)
{
    die();
    mt_sleep(1500);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Win_unlock(0, win);
    idle_on(0);
}

/* A message of the dead tells that the others know of the death: to wait for it is an error then.
 */
static void apart(void)
{
    int word = 0, rc;
    MPI_Comm living;
    MPI_Win own;

    MPI_Win_free(&win);
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank == last, 0, &living);
    MPI_Win_create(memory, WORDS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, living, &own);
    die();
    rc = MPI_Recv(&word, 1, MPI_INT, last, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mt_check(MPI_SUCCESS != rc, "a message of a dead rank");
    for (int i = 1; i <= 1000; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, own);
        MPI_Put(&i, 1, MPI_INT, 0, SLOT + mt_rank, 1, MPI_INT, own);
        MPI_Get(&word, 1, MPI_INT, 0, SLOT + mt_rank, 1, MPI_INT, own);
        MPI_Win_unlock(0, own);
    }
    MPI_Win_free(&own);
    if (mt_rank == 0) {
        mt_equal(memory[SLOT + 1], 1000, "the window of the living");
        fprintf(stderr, "the window of the living works on\n");
    }
    _exit(0);
}

static const struct {
    const char *name;
    void (*fn)(void);
} modes[] = {
    {"idle", idle}, {"held", held}, {"fence", fence}, {"post", post},
    {"get", get},   {"late", late}, {"busy", busy},   {"apart", apart},
};

int main(int argc, char **argv)
{
    const char *mode = mt_text(argc, argv, "-mode");

    mt_init(&argc, &argv);
    mt_need(3);
    last = mt_size - 1;
    memory = mt_alloc(WORDS * sizeof *memory);
    other = mt_alloc(WORDS * sizeof *other);
    memset(memory, 0, WORDS * sizeof *memory);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create(memory, WORDS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        if (mode && 0 == strcmp(mode, modes[i].name)) {
            modes[i].fn();
        }
    }
    mt_fail("unknown -mode '%s', or worked on although a rank is dead", mode ? mode : "");
}
