/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mtl_match/mtl_match_recv.c mtl_match/mtl_match_send.c ompi_match/recv.c
 * ompi_match/send.c. */
/*
 * Which message meets which receive: random lists of receives with and without wildcards against
 * random tags, compared with a plain list model. Posted first, so that messages search the
 * receives; and unexpected, so that receives search the messages.
 */
#include "mt.h"

enum { N = 300, TAGS = 5, ROUNDS = 20 };

static MPI_Comm meeting;

struct want {
    int source; /* or MPI_ANY_SOURCE */
    int tag;    /* or MPI_ANY_TAG */
};

/* What rank 0 sends in a round: the tags, in order. A message carries its number, in a size that
 * changes the protocol. */
static void script(int round, int *tags, int *ints)
{
    uint64_t s = mt_seed(1, (uint64_t)round, 2, 3);

    for (int i = 0; i < N; ++i) {
        tags[i] = (int)mt_below(&s, TAGS);
        ints[i] = 0 == mt_below(&s, 10) ? 30000 : (int)(1 + mt_below(&s, 300));
    }
}

/* N receives in random order, the tags of all messages among them, some of them wild. */
static void shuffle_wants(int round, const int *tags, struct want *w)
{
    uint64_t s = mt_seed(9, (uint64_t)round, 8, 7);

    for (int i = 0; i < N; ++i) {
        w[i].source = mt_below(&s, 3) ? 0 : MPI_ANY_SOURCE;
        w[i].tag = mt_below(&s, 4) ? tags[i] : MPI_ANY_TAG;
    }
    for (int i = N - 1; i > 0; --i) {
        int k = (int)mt_below(&s, (uint64_t)i + 1);
        struct want t = w[i];
        w[i] = w[k];
        w[k] = t;
    }
}

static bool fits(const struct want *w, int tag)
{
    return MPI_ANY_TAG == w->tag || tag == w->tag;
}

/* The models: taken[i] is the message that receive i gets, or -1. A wild receive may take what a
 * later exact one would need; such a receive is not posted, which changes nothing for the rest. */
static void model_posted(const int *tags, const struct want *w, int *taken)
{
    for (int i = 0; i < N; ++i) {
        taken[i] = -1;
    }
    for (int m = 0; m < N; ++m) {
        for (int i = 0; i < N; ++i) {
            if (taken[i] < 0 && fits(&w[i], tags[m])) {
                taken[i] = m;
                break;
            }
        }
    }
}

static void model_unexpected(const int *tags, const struct want *w, int *taken)
{
    bool used[N] = {false};

    for (int i = 0; i < N; ++i) {
        taken[i] = -1;
        for (int m = 0; m < N && taken[i] < 0; ++m) {
            if (!used[m] && fits(&w[i], tags[m])) {
                taken[i] = m;
                used[m] = true;
            }
        }
    }
}

/* Both sides have got here, and what they sent before has arrived or been announced. A communicator
 * of its own, out of reach of the wild receives. */
static void meet(int peer)
{
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 0, NULL, 0, MPI_INT, peer, 0, meeting, MPI_STATUS_IGNORE);
}

static void send_all(int round, int *buf[N])
{
    static int tags[N], ints[N];
    static MPI_Request rq[N];

    script(round, tags, ints);
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < ints[i]; ++k) {
            buf[i][k] = i + k;
        }
        MPI_Isend(buf[i], ints[i], MPI_INT, 1, tags[i], MPI_COMM_WORLD, &rq[i]);
    }
    meet(1);
    MPI_Waitall(N, rq, MPI_STATUSES_IGNORE);
}

static void check(int round, int i, int want, const int *buf, const MPI_Status *st)
{
    static int tags[N], ints[N];
    int count;

    script(round, tags, ints);
    mt_equal(buf[0], want, "round %d: message that receive %d got", round, i);
    mt_equal(st->MPI_TAG, tags[want], "tag at receive %d", i);
    mt_equal(st->MPI_SOURCE, 0, "source at receive %d", i);
    MPI_Get_count(st, MPI_INT, &count);
    mt_equal(count, ints[want], "count at receive %d", i);
    for (int k = 0; k < count; ++k) {
        if (buf[k] != want + k) {
            mt_fail("receive %d: int %d is %d, want %d", i, k, buf[k], want + k);
        }
    }
}

/* The messages that no receive of the list took: still there, in order. */
static void drain(int round, const int *taken, int *buf)
{
    bool used[N] = {false};
    MPI_Status st;

    for (int i = 0; i < N; ++i) {
        if (taken[i] >= 0) {
            used[taken[i]] = true;
        }
    }
    for (int m = 0; m < N; ++m) {
        if (!used[m]) {
            MPI_Recv(buf, 30000, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
            check(round, N, m, buf, &st);
        }
    }
}

static void receive_all(int round, bool posted, int *buf[N])
{
    static int tags[N], ints[N], taken[N];
    static struct want w[N];
    static MPI_Request rq[N];
    static MPI_Status st[N];

    script(round, tags, ints);
    shuffle_wants(round, tags, w);
    (posted ? model_posted : model_unexpected)(tags, w, taken);
    if (!posted) {
        meet(0);
    }
    for (int i = 0; i < N; ++i) {
        rq[i] = MPI_REQUEST_NULL;
        if (taken[i] < 0) {
            continue;
        }
        MPI_Irecv(buf[i], 30000, MPI_INT, w[i].source, w[i].tag, MPI_COMM_WORLD, &rq[i]);
        if (!posted) {
            MPI_Wait(&rq[i], &st[i]);
        }
    }
    if (posted) {
        MPI_Barrier(MPI_COMM_WORLD);
        meet(0);
        MPI_Waitall(N, rq, st);
    }
    for (int i = 0; i < N; ++i) {
        if (taken[i] >= 0) {
            check(round, i, taken[i], buf[i], &st[i]);
        }
    }
    drain(round, taken, buf[0]);
}

int main(int argc, char **argv)
{
    int *buf[N];

    mt_init(&argc, &argv);
    mt_need(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
    for (int i = 0; i < N; ++i) {
        buf[i] = mt_alloc(30000 * sizeof(int));
    }
    for (int round = 0; round < ROUNDS; ++round) {
        bool posted = 0 == round % 2;
        if (posted && 1 != mt_rank) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (0 == mt_rank) {
            send_all(round, buf);
        } else if (1 == mt_rank) {
            receive_all(round, posted, buf);
        }
    }
    for (int i = 0; i < N; ++i) {
        mt_free(buf[i]);
    }
    MPI_Comm_free(&meeting);
    return mt_finish();
}
