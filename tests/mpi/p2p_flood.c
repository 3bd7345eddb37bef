/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thousands of messages from every other rank arrive, or are announced, before rank 0 posts a
 * receive. Taken in the order of arrival and against it.
 */
#include "mt.h"

enum { TAG_MARK = 1, TAG0 = 100 };

struct flood {
    const char *what;
    int count; /* per sender */
    int bytes; /* largest message */
    bool reversed;
};

static int size_of(const struct flood *f, int src, int k)
{
    return (int)(mt_seed((uint64_t)src, (uint64_t)k, 3, 3) % ((uint64_t)f->bytes + 1));
}

static void pour(const struct flood *f)
{
    MPI_Request *rq = malloc((size_t)f->count * sizeof *rq);
    unsigned char **buf = malloc((size_t)f->count * sizeof *buf);

    if (!rq || !buf) {
        mt_fail("no memory");
    }
    for (int k = 0; k < f->count; ++k) {
        int n = size_of(f, mt_rank, k);
        buf[k] = malloc((size_t)n + 1);
        mt_fill(buf[k], (size_t)n, mt_seed((uint64_t)mt_rank, (uint64_t)k, 0, 0));
        MPI_Isend(buf[k], n, MPI_BYTE, 0, TAG0 + k, MPI_COMM_WORLD, &rq[k]);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_MARK, MPI_COMM_WORLD);
    MPI_Waitall(f->count, rq, MPI_STATUSES_IGNORE);
    for (int k = 0; k < f->count; ++k) {
        free(buf[k]);
    }
    free(buf);
    free(rq);
}

static void drink(const struct flood *f)
{
    unsigned char *in = mt_alloc((size_t)f->bytes);
    MPI_Status st;
    int count;

    for (int src = 1; src < mt_size; ++src) {
        MPI_Recv(NULL, 0, MPI_BYTE, src, TAG_MARK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < f->count; ++i) {
        int k = f->reversed ? f->count - 1 - i : i;
        for (int src = 1; src < mt_size; ++src) {
            int tag = f->reversed ? TAG0 + k : MPI_ANY_TAG;
            MPI_Recv(in, f->bytes, MPI_BYTE, src, tag, MPI_COMM_WORLD, &st);
            mt_equal(st.MPI_TAG, TAG0 + k, "%s: tag of message %d from %d", f->what, k, src);
            MPI_Get_count(&st, MPI_BYTE, &count);
            mt_equal(count, size_of(f, src, k), "%s: size of message %d from %d", f->what, k, src);
            mt_verify(in, (size_t)count, mt_seed((uint64_t)src, (uint64_t)k, 0, 0),
                      "%s: message %d from %d", f->what, k, src);
        }
    }
    mt_free(in);
}

int main(int argc, char **argv)
{
    static const struct flood floods[] = {
        {"small", 6000, 64, false},    {"small reversed", 3000, 64, true},
        {"eager", 3000, 3000, false},  {"eager reversed", 1500, 3000, true},
        {"long", 300, 100000, false},  {"long reversed", 200, 100000, true},
        {"mixed", 1000, 20000, false}, {"mixed reversed", 500, 20000, true},
    };

    mt_init(&argc, &argv);
    mt_need(2);
    for (size_t i = 0; i < sizeof floods / sizeof *floods; ++i) {
        struct flood f = floods[i];
        f.count /= mt_size - 1;
        if (0 == mt_rank) {
            drink(&f);
        } else {
            pour(&f);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return mt_finish();
}
