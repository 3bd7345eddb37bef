/* SPDX-License-Identifier: BSD-3-Clause */
/* Even ranks access pieces of odd ones that stay attached to a dynamic window, while these attach
 * and detach others below and above them: attaching is local, so nothing orders the two. */
#include "rma.h"

enum {
    OTHERS = 12, /* pieces that come and go */
    PAGE = 4096, /* one piece to a page: osc/rdma counts in pages */
    PLACES = 2 * OTHERS + 1,
    BYTES = 2 * PAGE, /* of the piece that stays: a word for each rank, then bytes to read */
};

struct part {
    unsigned char *area; /* places of one piece, a page between them; that in the middle stays */
    unsigned char *stays;
    MPI_Aint *at; /* per rank: where its piece that stays is */
    long *words;  /* per rank: what our word there holds */
};

static unsigned char *place(const struct part *part, int i)
{
    return part->area + (size_t)i * 4 * PAGE;
}

/* From above to below, and away in the other order: most of the list moves each time. */
static void change_once(const struct part *part, MPI_Win win)
{
    int flag;

    for (int i = PLACES - 1; i >= 0; --i) {
        if (i != OTHERS) {
            MPI_Win_attach(win, place(part, i), 64);
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < PLACES; ++i) {
        if (i != OTHERS) {
            MPI_Win_detach(win, place(part, i));
        }
    }
}

/* Until all even ranks have ended. */
static void change(const struct part *part, MPI_Win win)
{
    int left = (mt_size + 1) / 2, ended;

    while (left > 0) {
        change_once(part, win);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &ended, MPI_STATUS_IGNORE);
        if (ended) {
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            --left;
        }
    }
}

static unsigned char byte_of(int rank, int i)
{
    return (unsigned char)(i * 7 + rank);
}

static void use_word(const struct part *part, MPI_Win win, int to)
{
    MPI_Aint word = part->at[to] + (MPI_Aint)mt_rank * (MPI_Aint)sizeof(long);
    long before = part->words[to], next = before + 1, last = before + 3, got = -1, one = 1;

    MPI_Compare_and_swap(&next, &before, &got, MPI_LONG, to, word, win);
    MPI_Win_flush(to, win);
    mt_equal(got, before, "Compare_and_swap at %d", to);
    got = -1;
    MPI_Get(&got, 1, MPI_LONG, to, word, 1, MPI_LONG, win);
    MPI_Win_flush(to, win);
    mt_equal(got, next, "Get at %d", to);
    MPI_Accumulate(&one, 1, MPI_LONG, to, word, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(to, win);
    MPI_Fetch_and_op(&one, &got, MPI_LONG, to, word, MPI_SUM, win);
    MPI_Win_flush(to, win);
    mt_equal(got, next + 1, "Fetch_and_op at %d", to);
    MPI_Put(&last, 1, MPI_LONG, to, word, 1, MPI_LONG, win);
    MPI_Win_flush(to, win);
    part->words[to] = last;
}

static void read_bytes(const struct part *part, MPI_Win win, int to, int len)
{
    static unsigned char bytes[PAGE];

    memset(bytes, 0, sizeof(bytes));
    MPI_Get(bytes, len, MPI_BYTE, to, part->at[to] + PAGE, len, MPI_BYTE, win);
    MPI_Win_flush(to, win);
    for (int i = 0; i < len; ++i) {
        mt_equal(bytes[i], byte_of(to, i), "byte %d of Get of %d at %d", i, len, to);
    }
}

static void open_part(struct part *part, MPI_Win win)
{
    MPI_Aint at;

    if (posix_memalign((void **)&part->area, PAGE, (size_t)PLACES * 4 * PAGE) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    memset(part->area, 0, (size_t)PLACES * 4 * PAGE);
    part->stays = place(part, OTHERS);
    for (int i = 0; i < PAGE; ++i) {
        part->stays[PAGE + i] = byte_of(mt_rank, i);
    }
    MPI_Win_attach(win, part->stays, BYTES);
    MPI_Get_address(part->stays, &at);
    part->at = mt_alloc((size_t)mt_size * sizeof(*part->at));
    part->words = mt_alloc((size_t)mt_size * sizeof(*part->words));
    memset(part->words, 0, (size_t)mt_size * sizeof(*part->words));
    MPI_Allgather(&at, 1, MPI_AINT, part->at, 1, MPI_AINT, MPI_COMM_WORLD);
}

static void use(const struct part *part, MPI_Win win, long rounds)
{
    static const int lens[] = {1, 8, 100, PAGE};

    for (long round = 0; round < rounds; ++round) {
        int to = (int)(1 + round % (mt_size / 2) * 2);

        use_word(part, win, to);
        read_bytes(part, win, to, lens[round % 4]);
    }
    for (int to = 1; to < mt_size; to += 2) {
        MPI_Send(NULL, 0, MPI_BYTE, to, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct part part;
    MPI_Win win;

    mt_init(&argc, &argv);
    mt_need(2);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    open_part(&part, win);
    MPI_Win_lock_all(0, win);
    if (mt_rank % 2 == 0) {
        use(&part, win, mt_option(argc, argv, "-n", 5000));
    } else {
        change(&part, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, part.stays);
    MPI_Win_free(&win);
    mt_free(part.at);
    mt_free(part.words);
    free(part.area);
    return mt_finish();
}
