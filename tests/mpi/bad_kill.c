/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank dies by SIGKILL in the middle of something. The others must end with an error, not hang;
 * the runner watches that. A rank that gets to the end of its work fails as well.
 *
 * -mode eager, long, flood, wait, any, coll, comms, rma: what the ranks are doing.
 */
#include "mt.h"

#include <signal.h>
#include <unistd.h>

enum { TAG = 5, LONG_BYTES = 1 << 20, BEFORE = 50 };

static unsigned char *buf;
static MPI_Win win;

/* The last rank goes away in its BEFORE-th round. */
static void maybe_die(int round)
{
    if (BEFORE == round && mt_rank == mt_size - 1) {
        /* the runner wants to see this, to know that there was something to survive */
        fprintf(stderr, "rank %d kills itself\n", mt_rank);
        kill(getpid(), SIGKILL);
    }
}

static void ring(int round, int n)
{
    int to = (mt_rank + 1) % mt_size, from = (mt_rank + mt_size - 1) % mt_size;

    maybe_die(round);
    MPI_Sendrecv(buf, n, MPI_BYTE, to, TAG, buf + LONG_BYTES, n, MPI_BYTE, from, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void eager(int round)
{
    ring(round, 100);
}

static void long_messages(int round)
{
    ring(round, LONG_BYTES);
}

/* All send to the dead one, which never receives. */
static void flood(int round)
{
    static MPI_Request rq[64];
    int w = round % 64;

    maybe_die(round);
    if (mt_rank == mt_size - 1) {
        MPI_Recv(buf, LONG_BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    if (round >= 64) {
        MPI_Wait(&rq[w], MPI_STATUS_IGNORE);
    }
    MPI_Isend(buf, round % 3 ? 200 : LONG_BYTES, MPI_BYTE, mt_size - 1, TAG, MPI_COMM_WORLD,
              &rq[w]);
}

/* The others only wait for a message of the dead one. */
static void wait_for_it(int round)
{
    if (round < BEFORE) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    maybe_die(round);
    MPI_Recv(buf, 1, MPI_BYTE, mt_size - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same, but they would take a message of whomever. */
static void wait_for_any(int round)
{
    if (round < BEFORE) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    maybe_die(round);
    MPI_Recv(buf, 1, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void coll(int round)
{
    maybe_die(round);
    MPI_Allreduce(MPI_IN_PLACE, buf, 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void comms(int round)
{
    MPI_Comm c;

    maybe_die(round);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_free(&c);
}

static void rma(int round)
{
    maybe_die(round);
    for (int t = 0; t < mt_size; ++t) {
        MPI_Put(buf, 5000, MPI_BYTE, t, 0, 5000, MPI_BYTE, win);
        MPI_Win_flush(t, win);
    }
    /* two-sided as well: a put to the memory of a dead process may succeed for ever */
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*fn)(int round);
} modes[] = {
    {"eager", eager},      {"long", long_messages}, {"flood", flood}, {"wait", wait_for_it},
    {"any", wait_for_any}, {"coll", coll},          {"comms", comms}, {"rma", rma},
};

int main(int argc, char **argv)
{
    void (*fn)(int) = NULL;
    const char *mode = argc > 2 ? argv[2] : "";

    mt_init(&argc, &argv);
    mt_need(2);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        fn = 0 == strcmp(mode, modes[i].name) ? modes[i].fn : fn;
    }
    if (!fn) {
        mt_fail("unknown -mode '%s'", mode);
    }
    buf = mt_alloc(2 * LONG_BYTES);
    if (rma == fn) {
        MPI_Win_create(buf, LONG_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_lock_all(0, win);
    }
    for (int round = 0; round < 100000; ++round) {
        fn(round);
    }
    mt_fail("worked on for 100000 rounds although a rank is dead");
}
