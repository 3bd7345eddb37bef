/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random traffic between all pairs, with an exact model of what must arrive.
 *
 * The messages of a pair form a fixed stream (tag, size, mode of sending) that both ends can
 * compute. Each rank mixes its streams at random, with a bounded window for each target. It
 * receives in two ways that alternate: wild, one at a time, where the next of the source's stream
 * must come; and exact, several at a time, posted in any order of the tags, where the k-th receive
 * of a tag must get the k-th message of that tag.
 *
 * It cannot lock up: a receive is only posted for a message whose predecessors in the stream have
 * been received or have receives too, and a full window to one target does not hold up the others.
 */
#include "mt.h"

enum { TAGS = 4, WINDOW = 4, BATCH = 12, LARGEST = 300000, TAG0 = 200 };

struct message {
    int tag;
    int bytes;
    bool sync;
};

struct slot {
    unsigned char *buf;
    int src;
    int seq;
};

/* The streams to one rank and from it. */
struct lane {
    struct slot slot[WINDOW];
    MPI_Request rq[WINDOW];
    int sent;
    int taken;
};

static int per_pair;
static uint64_t seed;
static uint64_t dice;
static struct lane *lanes; /* by rank */
static struct slot batch[BATCH];
static MPI_Request batch_rq[BATCH];
static long left_to_send, left_to_take;

static struct message message_of(int src, int dst, int seq)
{
    uint64_t s = mt_seed(seed, (uint64_t)src, (uint64_t)dst, (uint64_t)seq);
    struct message m;
    uint64_t kind = mt_below(&s, 20);

    m.tag = TAG0 + (int)mt_below(&s, TAGS);
    m.sync = 0 == mt_below(&s, 10);
    if (kind < 12) {
        m.bytes = (int)mt_below(&s, 300);
    } else if (kind < 17) {
        m.bytes = (int)mt_below(&s, 9000);
    } else if (kind < 19) {
        m.bytes = (int)mt_below(&s, 70000);
    } else {
        m.bytes = (int)mt_below(&s, LARGEST);
    }
    return m;
}

static uint64_t content(int src, int dst, int seq)
{
    return mt_seed(seed + 1, (uint64_t)src, (uint64_t)dst, (uint64_t)seq);
}

static void start_send(int dst, int w)
{
    struct lane *l = &lanes[dst];
    struct message m = message_of(mt_rank, dst, l->sent);

    mt_fill(l->slot[w].buf, (size_t)m.bytes, content(mt_rank, dst, l->sent));
    (m.sync ? MPI_Issend : MPI_Isend)(l->slot[w].buf, m.bytes, MPI_BYTE, dst, m.tag, MPI_COMM_WORLD,
                                      &l->rq[w]);
    ++l->sent;
    --left_to_send;
}

/* Starts up to a few sends, to random targets. */
static void push_sends(void)
{
    for (int k = 0; k < WINDOW && left_to_send > 0; ++k) {
        int dst = (int)mt_below(&dice, (uint64_t)mt_size), w, done;
        struct lane *l = &lanes[dst];
        if (l->sent == per_pair) {
            continue;
        }
        MPI_Testany(WINDOW, l->rq, &w, &done, MPI_STATUS_IGNORE);
        for (w = 0; w < WINDOW && MPI_REQUEST_NULL != l->rq[w]; ++w) {
        }
        if (w < WINDOW) {
            start_send(dst, w);
        }
    }
}

static void verify(const struct slot *s, const MPI_Status *st)
{
    struct message m = message_of(s->src, mt_rank, s->seq);
    int count;

    mt_equal(st->MPI_SOURCE, s->src, "source of message %d", s->seq);
    mt_equal(st->MPI_TAG, m.tag, "tag of message %d from %d", s->seq, s->src);
    MPI_Get_count(st, MPI_BYTE, &count);
    mt_equal(count, m.bytes, "size of message %d from %d", s->seq, s->src);
    mt_verify(s->buf, (size_t)m.bytes, content(s->src, mt_rank, s->seq), "message %d from %d",
              s->seq, s->src);
}

/* One message, wild in source and tag, by one of three ways to receive. */
static void receive_wild(void)
{
    struct slot s = batch[0];
    MPI_Message msg;
    MPI_Status st;
    MPI_Request rq;
    int flag = 0;

    switch (mt_below(&dice, 3)) {
    case 0:
        MPI_Irecv(s.buf, LARGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &rq);
        while (!flag) {
            push_sends();
            MPI_Test(&rq, &flag, &st);
        }
        break;
    case 1:
        while (!flag) {
            push_sends();
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &msg, &st);
        }
        MPI_Mrecv(s.buf, LARGEST, MPI_BYTE, &msg, &st);
        break;
    default:
        while (!flag) {
            push_sends();
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &st);
        }
        MPI_Recv(s.buf, LARGEST, MPI_BYTE, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD, &st);
    }
    s.src = st.MPI_SOURCE;
    s.seq = lanes[s.src].taken++;
    --left_to_take;
    verify(&s, &st);
}

/* Posts receives for the next `count` messages from `src`, one tag after the other. */
static void post_exact(int src, int count, int *pending)
{
    struct lane *l = &lanes[src];
    int first_tag = (int)mt_below(&dice, TAGS);

    for (int t = 0; t < TAGS; ++t) {
        int tag = TAG0 + (first_tag + t) % TAGS;
        for (int seq = l->taken; seq < l->taken + count; ++seq) {
            if (message_of(src, mt_rank, seq).tag == tag) {
                batch[*pending].src = src;
                batch[*pending].seq = seq;
                MPI_Irecv(batch[*pending].buf, LARGEST, MPI_BYTE, src, tag, MPI_COMM_WORLD,
                          &batch_rq[*pending]);
                ++*pending;
            }
        }
    }
    l->taken += count;
    left_to_take -= count;
}

/* A batch of exact receives, from one source or several, completed in any order. */
static void receive_exact(void)
{
    int pending = 0, w, flag;
    MPI_Status st;

    for (int tries = 0; tries < 4; ++tries) {
        int src = (int)mt_below(&dice, (uint64_t)mt_size);
        int left = per_pair - lanes[src].taken, room = BATCH - pending;
        int most = left < room ? left : room;
        if (most > 0) {
            post_exact(src, 1 + (int)mt_below(&dice, (uint64_t)most), &pending);
        }
    }
    for (int k = pending; k < BATCH; ++k) {
        batch_rq[k] = MPI_REQUEST_NULL;
    }
    while (pending > 0) {
        push_sends();
        MPI_Testany(BATCH, batch_rq, &w, &flag, &st);
        if (flag && MPI_UNDEFINED != w) {
            verify(&batch[w], &st);
            --pending;
        }
    }
}

static void setup(void)
{
    lanes = calloc((size_t)mt_size, sizeof *lanes);
    if (!lanes) {
        mt_fail("no memory");
    }
    for (int r = 0; r < mt_size; ++r) {
        for (int w = 0; w < WINDOW; ++w) {
            lanes[r].slot[w].buf = mt_alloc(LARGEST);
            lanes[r].rq[w] = MPI_REQUEST_NULL;
        }
    }
    for (int k = 0; k < BATCH; ++k) {
        batch[k].buf = mt_alloc(LARGEST);
    }
    left_to_send = left_to_take = (long)per_pair * mt_size;
    dice = mt_seed(seed + 2, (uint64_t)mt_rank, 0, 0);
}

static void teardown(void)
{
    for (int r = 0; r < mt_size; ++r) {
        MPI_Waitall(WINDOW, lanes[r].rq, MPI_STATUSES_IGNORE);
        for (int w = 0; w < WINDOW; ++w) {
            mt_free(lanes[r].slot[w].buf);
        }
    }
    for (int k = 0; k < BATCH; ++k) {
        mt_free(batch[k].buf);
    }
    free(lanes);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    per_pair = (int)mt_option(argc, argv, "-n", 3000);
    seed = (uint64_t)mt_option(argc, argv, "-seed", 1);
    setup();
    while (left_to_send > 0 || left_to_take > 0) {
        push_sends();
        if (left_to_take > 0) {
            if (mt_below(&dice, 2)) {
                receive_wild();
            } else {
                receive_exact();
            }
        }
    }
    teardown();
    return mt_finish();
}
