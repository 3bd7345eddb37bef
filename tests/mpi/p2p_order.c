/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of one sender don't overtake each other, whatever their protocols: random mixes of
 * small, eager and rendezvous messages received by wildcards, by exact source and tag, posted
 * early and late, from one sender and from several at once.
 */
#include "mt.h"

enum { WINDOW = 16, LARGEST = 400000, TAG = 9 };

struct lane {
    MPI_Request rq[WINDOW];
    unsigned char *buf[WINDOW];
};

static void lane_open(struct lane *l)
{
    for (int i = 0; i < WINDOW; ++i) {
        l->rq[i] = MPI_REQUEST_NULL;
        l->buf[i] = mt_alloc(LARGEST);
    }
}

static void lane_close(struct lane *l)
{
    for (int i = 0; i < WINDOW; ++i) {
        mt_free(l->buf[i]);
    }
}

/* Size of the k-th message from `src`: 4 bytes at least, for its number. */
static int size_of(int src, int k)
{
    uint64_t s = mt_seed(4242, (uint64_t)src, (uint64_t)k, 0);

    switch (mt_below(&s, 8)) {
    case 0:
        return (int)(100000 + mt_below(&s, LARGEST - 100000));
    case 1:
    case 2:
        return (int)(4000 + mt_below(&s, 60000));
    case 3:
        return (int)(512 + mt_below(&s, 3600));
    default:
        return (int)(4 + mt_below(&s, 400));
    }
}

static void stream_out(int dst, int count, bool two_tags)
{
    struct lane l;

    lane_open(&l);
    for (int k = 0; k < count; ++k) {
        int w = k % WINDOW, n = size_of(mt_rank, k);
        MPI_Wait(&l.rq[w], MPI_STATUS_IGNORE);
        memcpy(l.buf[w], &k, sizeof k);
        mt_fill(l.buf[w] + sizeof k, (size_t)n - sizeof k, (uint64_t)k);
        MPI_Isend(l.buf[w], n, MPI_BYTE, dst, TAG + (two_tags ? k % 2 : 0), MPI_COMM_WORLD,
                  &l.rq[w]);
    }
    MPI_Waitall(WINDOW, l.rq, MPI_STATUSES_IGNORE);
    lane_close(&l);
}

static void check_next(const unsigned char *buf, const MPI_Status *st, int want)
{
    int got, count, n = size_of(st->MPI_SOURCE, want);

    memcpy(&got, buf, sizeof got);
    mt_equal(got, want, "number of the message from %d", st->MPI_SOURCE);
    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, n, "size of message %d from %d", want, st->MPI_SOURCE);
    mt_verify(buf + sizeof got, (size_t)n - sizeof got, (uint64_t)want, "message %d from %d", want,
              st->MPI_SOURCE);
}

/* One sender, receives posted several ahead, alternately exact and wild. */
static void pair_posted(int count)
{
    struct lane l;
    MPI_Status st;

    if (0 == mt_rank) {
        stream_out(1, count, false);
    }
    if (1 != mt_rank) {
        return;
    }
    lane_open(&l);
    for (int k = 0; k < count + WINDOW; ++k) {
        int w = k % WINDOW;
        if (k >= WINDOW) {
            MPI_Wait(&l.rq[w], &st);
            check_next(l.buf[w], &st, k - WINDOW);
        }
        if (k >= count) {
            continue;
        }
        memset(l.buf[w], 0, 8);
        MPI_Irecv(l.buf[w], LARGEST, MPI_BYTE, k % 3 ? 0 : MPI_ANY_SOURCE,
                  k % 2 ? TAG : MPI_ANY_TAG, MPI_COMM_WORLD, &l.rq[w]);
    }
    lane_close(&l);
}

/* One sender with two tags; the odd tag is received ahead of the even one. */
static void pair_two_tags(int count)
{
    unsigned char *buf;
    MPI_Status st;

    if (0 == mt_rank) {
        stream_out(1, count, true);
    }
    if (1 != mt_rank) {
        return;
    }
    buf = mt_alloc(LARGEST);
    for (int k = 0; k + 1 < count; k += 2) {
        MPI_Recv(buf, LARGEST, MPI_BYTE, 0, TAG + 1, MPI_COMM_WORLD, &st);
        check_next(buf, &st, k + 1);
        MPI_Recv(buf, LARGEST, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &st);
        check_next(buf, &st, k);
    }
    mt_free(buf);
}

/* All others send to rank 0, which takes whatever comes; each stream stays in order. */
static void many_to_one(int count)
{
    unsigned char *buf;
    int *next;
    MPI_Status st;

    if (0 != mt_rank) {
        stream_out(0, count, false);
        return;
    }
    buf = mt_alloc(LARGEST);
    next = calloc((size_t)mt_size, sizeof *next);
    if (!next) {
        mt_fail("no memory");
    }
    for (int k = 0; k < count * (mt_size - 1); ++k) {
        MPI_Recv(buf, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
        check_next(buf, &st, next[st.MPI_SOURCE]++);
    }
    for (int i = 1; i < mt_size; ++i) {
        mt_equal(next[i], count, "messages from %d", i);
    }
    free(next);
    mt_free(buf);
}

int main(int argc, char **argv)
{
    int count;

    mt_init(&argc, &argv);
    mt_need(2);
    count = (int)mt_option(argc, argv, "-n", 2000);
    pair_posted(count);
    MPI_Barrier(MPI_COMM_WORLD);
    pair_two_tags(count);
    MPI_Barrier(MPI_COMM_WORLD);
    many_to_one(count / mt_size);
    return mt_finish();
}
