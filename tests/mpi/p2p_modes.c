/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_match_recv.c pml_match_send.c pml_match_buffered.c pml_match_persistent.c
 *
 * All send modes in all forms against all forms of receives, and what the modes promise: a
 * synchronous send does not complete before its receive is posted, a buffered one always does.
 *
 * Option -restart: start persistent buffered requests more than once as well. It is apart because
 * the PML ob1 of Open MPI 4.1 sends a restarted long one from the copy that it has freed.
 */
#include "mt.h"

enum mode { STD, SYNC, BUFFERED, READY, MODES };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
enum { TAG = 11, TAG_GO = 12, REPEAT = 3 };

static const char *const mode_name[] = {"standard", "synchronous", "buffered", "ready"};
static const char *const form_name[] = {"blocking", "nonblocking", "persistent"};
static const int sizes[] = {0, 1, 13, 62, 1000, 4095, 5000, 32768, 65537, 300001, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 1 << 20 };

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_fn *const send_of[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static isend_fn *const isend_of[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
static isend_fn *const init_of[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

static bool restart;

static uint64_t seed_of(enum mode m, enum form f, int n, int round)
{
    return mt_seed(m, f, (uint64_t)n, (uint64_t)round);
}

/* Room for one buffered send; detach waits until it has been delivered. */
static char attached[LARGEST + MPI_BSEND_OVERHEAD];

static void attach(void)
{
    mt_ok(MPI_Buffer_attach(attached, sizeof attached));
}

static void detach(void)
{
    void *back;
    int size;

    mt_ok(MPI_Buffer_detach(&back, &size));
    mt_check(back == (void *)attached, "detached %p, attached %p", back, (void *)attached);
}

static int rounds(enum mode m, enum form f)
{
    return BUFFERED == m && PERSISTENT == f && !restart ? 1 : REPEAT;
}

static void wait_for_go(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sender(enum mode m, enum form f, int n, void *buf)
{
    MPI_Request rq = MPI_REQUEST_NULL;

    if (PERSISTENT == f) {
        init_of[m](buf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &rq);
    }
    for (int round = 0; round < rounds(m, f); ++round) {
        mt_fill(buf, (size_t)n, seed_of(m, f, n, round));
        if (READY == m) {
            wait_for_go();
        }
        if (BUFFERED == m) {
            attach();
        }
        switch (f) {
        case BLOCKING:
            mt_ok(send_of[m](buf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD));
            break;
        case NONBLOCKING:
            mt_ok(isend_of[m](buf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &rq));
            mt_ok(MPI_Wait(&rq, MPI_STATUS_IGNORE));
            mt_check(MPI_REQUEST_NULL == rq, "request is not null after Wait");
            break;
        default:
            mt_ok(MPI_Start(&rq));
            mt_ok(MPI_Wait(&rq, MPI_STATUS_IGNORE));
            mt_check(MPI_REQUEST_NULL != rq, "persistent request is null after Wait");
        }
        if (BUFFERED == m) {
            detach();
        }
    }
    if (PERSISTENT == f) {
        mt_ok(MPI_Request_free(&rq));
    }
}

static void receiver(enum mode m, enum form f, enum form rf, int n, void *buf)
{
    MPI_Request rq = MPI_REQUEST_NULL;
    MPI_Status st;
    int count;

    if (PERSISTENT == rf) {
        MPI_Recv_init(buf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &rq);
    }
    for (int round = 0; round < rounds(m, f); ++round) {
        memset(buf, 0xaa, (size_t)n);
        if (PERSISTENT == rf) {
            mt_ok(MPI_Start(&rq));
        }
        if (NONBLOCKING == rf) {
            mt_ok(MPI_Irecv(buf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &rq));
        }
        if (READY == m) {
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD);
        }
        if (BLOCKING == rf) {
            mt_ok(MPI_Recv(buf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &st));
        } else {
            mt_ok(MPI_Wait(&rq, &st));
        }
        MPI_Get_count(&st, MPI_BYTE, &count);
        mt_equal(count, n, "count, %s %s to %s", form_name[f], mode_name[m], form_name[rf]);
        mt_verify(buf, (size_t)n, seed_of(m, f, n, round), "%s %s to %s, %d bytes", form_name[f],
                  mode_name[m], form_name[rf], n);
    }
    if (PERSISTENT == rf) {
        mt_ok(MPI_Request_free(&rq));
    }
}

static void all_combinations(void *buf)
{
    for (int m = 0; m < MODES; ++m) {
        for (int f = 0; f < FORMS; ++f) {
            for (int rf = 0; rf < FORMS; ++rf) {
                /* a ready send needs a receive that is posted before it */
                if (READY == m && BLOCKING == rf) {
                    continue;
                }
                for (int i = 0; i < SIZES; ++i) {
                    if (0 == mt_rank) {
                        sender(m, f, sizes[i], buf);
                    }
                    if (1 == mt_rank) {
                        receiver(m, f, rf, sizes[i], buf);
                    }
                }
            }
        }
    }
}

/* Issend stays incomplete until the other side has posted the receive. */
static void synchronous_promise(int n, void *buf)
{
    MPI_Request rq;
    int done = 0;

    if (0 == mt_rank) {
        mt_fill(buf, (size_t)n, 77);
        MPI_Issend(buf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &rq);
        for (int i = 0; i < 200; ++i) {
            MPI_Test(&rq, &done, MPI_STATUS_IGNORE);
            mt_check(!done, "Issend of %d bytes complete before its receive was posted", n);
            if (0 == i % 50) {
                mt_sleep(2);
            }
        }
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    } else if (1 == mt_rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(buf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_verify(buf, (size_t)n, 77, "Issend of %d bytes", n);
    }
}

/* All Bsends return although nobody receives until the barrier; detach waits for the rest. */
static void buffered_promise(unsigned char *buf)
{
    enum { N = 40 };
    size_t room = (size_t)8 << 20;
    char *many = malloc(room);
    void *back;
    int back_size;

    if (!many) {
        mt_fail("no memory for the attached buffer");
    }
    if (0 == mt_rank) {
        MPI_Buffer_attach(many, (int)room);
        for (int i = 0; i < N; ++i) {
            int n = sizes[i % (SIZES - 1)];
            mt_fill(buf, (size_t)n, (uint64_t)i);
            MPI_Bsend(buf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            memset(buf, 0, (size_t)n);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == mt_rank) {
        for (int i = 0; i < N; ++i) {
            int n = sizes[i % (SIZES - 1)];
            MPI_Recv(buf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_verify(buf, (size_t)n, (uint64_t)i, "Bsend %d of %d bytes", i, n);
        }
    }
    if (0 == mt_rank) {
        MPI_Buffer_detach(&back, &back_size);
        mt_check(back == (void *)many, "detached %p, attached %p", back, (void *)many);
        mt_equal(back_size, (long long)room, "size of the detached buffer");
    }
    free(many);
}

/* A persistent buffered send of a type that is started again while nobody has received the first.
 */
static void restarted(MPI_Datatype type, int count, unsigned char *buf)
{
    MPI_Request rq;
    int size, packed = 0;
    MPI_Aint lb, extent;
    char *many = malloc((size_t)8 << 20), *out = malloc(LARGEST), *want = malloc(LARGEST);
    void *back;

    if (!many || !out || !want) {
        mt_fail("no memory");
    }
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    if (0 == mt_rank) {
        MPI_Buffer_attach(many, 8 << 20);
        MPI_Bsend_init(buf, count, type, 1, TAG, MPI_COMM_WORLD, &rq);
    }
    for (int round = 0; round < REPEAT && 0 == mt_rank; ++round) {
        mt_fill(buf, (size_t)count * (size_t)extent, (uint64_t)round);
        mt_ok(MPI_Start(&rq));
        mt_ok(MPI_Wait(&rq, MPI_STATUS_IGNORE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < REPEAT && 1 == mt_rank; ++round) {
        MPI_Status st;
        int got;

        MPI_Recv(out, LARGEST, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &st);
        MPI_Get_count(&st, MPI_BYTE, &got);
        mt_equal(got, (long long)count * size, "bytes of start %d", round);
        mt_fill(buf, (size_t)count * (size_t)extent, (uint64_t)round);
        packed = 0;
        MPI_Pack(buf, count, type, want, LARGEST, &packed, MPI_COMM_WORLD);
        mt_check(0 == memcmp(out, want, (size_t)got), "bytes of start %d", round);
    }
    if (0 == mt_rank) {
        MPI_Request_free(&rq);
        MPI_Buffer_detach(&back, &size);
    }
    free(many);
    free(out);
    free(want);
}

static void restarted_types(unsigned char *buf)
{
    enum { DEPTH = 8 };
    MPI_Datatype pairs, deep, inner;

    MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Type_dup(pairs, &deep);
    for (int i = 1; i < DEPTH; ++i) {
        inner = deep;
        MPI_Type_create_hvector(2, 1, (MPI_Aint)16 << i, inner, &deep);
        MPI_Type_free(&inner);
    }
    MPI_Type_commit(&deep);
    restarted(deep, 1, buf);
    restarted(deep, 20, buf);
    MPI_Type_free(&deep);
    for (int count = 1; count <= 10000; count *= 10) {
        restarted(MPI_BYTE, count, buf);
        restarted(MPI_INT, count, buf);
        restarted(pairs, count, buf);
    }
    MPI_Type_free(&pairs);
}

int main(int argc, char **argv)
{
    unsigned char *buf;

    mt_init(&argc, &argv);
    mt_need(2);
    restart = mt_flag(argc, argv, "-restart");
    buf = mt_alloc(LARGEST);
    buffered_promise(buf);
    for (int i = 0; i < SIZES; ++i) {
        synchronous_promise(sizes[i], buf);
    }
    all_combinations(buf);
    if (restart) {
        restarted_types(buf);
    }
    mt_free(buf);
    return mt_finish();
}
