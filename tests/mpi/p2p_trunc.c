/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_glue/get_bound.c */
/*
 * A message longer than its receive: MPI_ERR_TRUNCATE, not a byte written past the buffer, and the
 * next message arrives as if nothing had happened. For each kind of receive, posted and late.
 *
 * Options: -small sends up to 4 KiB, -large from there on (both by default); -guard puts a page
 * that cannot be touched right behind the buffer.
 */
#include "mt.h"

#include <sys/mman.h>
#include <unistd.h>

enum kind { RECV, IRECV, WAITALL, PERSISTENT, MRECV, SENDRECV, KINDS };
enum { TAG = 21, LARGEST = 4 << 20, LIMIT_SMALL = 4096 };

static const char *const kind_name[] = {"Recv",       "Irecv and Wait", "Waitall",
                                        "persistent", "Mrecv",          "Sendrecv"};
static const int pairs[][2] = {
    {1, 0},
    {8, 7},
    {16, 8},
    {100, 1},
    {1000, 999},
    {3000, 64},
    {4000, 3999},
    {5000, 4999},
    {5000, 100},
    {9000, 4096},
    {30000, 29999},
    {33000, 100},
    {65536, 1},
    {65537, 65536},
    {100000, 0},
    {300000, 4097},
    {1 << 20, 65536},
    {1 << 20, 17},
    {LARGEST, 1},
    {LARGEST, 4 << 10},
    {LARGEST, LARGEST - 1},
};

static MPI_Comm comm;
static unsigned char *area; /* LARGEST bytes to write to, then as many again of canary or no page */
static bool guard;

static unsigned char *map_area(void)
{
    int access = guard ? PROT_NONE : PROT_READ | PROT_WRITE;
    unsigned char *p =
        mmap(NULL, 2 * (size_t)LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (MAP_FAILED == p || 0 != mprotect(p + LARGEST, LARGEST, access)) {
        mt_fail("mmap of %d bytes failed", 2 * LARGEST);
    }
    return p;
}

/* One receive of `room` bytes at `in`. Returns its error code. */
static int receive(enum kind k, unsigned char *in, int room)
{
    MPI_Request rq;
    MPI_Status st = {.MPI_ERROR = MPI_SUCCESS};
    MPI_Message msg;
    int rc;

    switch (k) {
    case RECV:
        return MPI_Recv(in, room, MPI_BYTE, 0, TAG, comm, &st);
    case IRECV:
        MPI_Irecv(in, room, MPI_BYTE, 0, TAG, comm, &rq);
        return MPI_Wait(&rq, &st);
    case WAITALL:
        MPI_Irecv(in, room, MPI_BYTE, 0, TAG, comm, &rq);
        mt_class(MPI_Waitall(1, &rq, &st), MPI_ERR_IN_STATUS);
        return st.MPI_ERROR;
    case PERSISTENT:
        MPI_Recv_init(in, room, MPI_BYTE, 0, TAG, comm, &rq);
        MPI_Start(&rq);
        rc = MPI_Wait(&rq, &st);
        /* Open MPI 4.1 frees a request that failed, persistent or not */
        if (MPI_REQUEST_NULL != rq) {
            MPI_Request_free(&rq);
        }
        return rc;
    case MRECV:
        MPI_Mprobe(0, TAG, comm, &msg, &st);
        return MPI_Mrecv(in, room, MPI_BYTE, &msg, &st);
    default:
        return MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, TAG + 2, in, room, MPI_BYTE, 0, TAG, comm, &st);
    }
}

static void check_behind(const unsigned char *end, enum kind k, int sent, int room)
{
    size_t n = guard ? 0 : (size_t)LARGEST;

    for (size_t i = 0; i < n; ++i) {
        if (0xc5 != end[i]) {
            mt_fail("%s of %d bytes into %d: byte %zu past the end is 0x%02x", kind_name[k], sent,
                    room, i, end[i]);
        }
    }
    mt_check(true, "nothing past the end");
}

static void receiver(enum kind k, bool late, int sent, int room)
{
    unsigned char *in = area + LARGEST - room;
    size_t kept = (size_t)(room < 4096 ? room : 4096);
    unsigned char *next = mt_alloc(4096);

    memset(area + LARGEST - room, 0xb7, (size_t)room);
    if (!guard) {
        memset(area + LARGEST, 0xc5, LARGEST);
    }
    if (late) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG + 1, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG + 1, comm);
    }
    mt_class(receive(k, in, room), MPI_ERR_TRUNCATE);
    check_behind(in + room, k, sent, room);
    mt_ok(MPI_Recv(next, 4096, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE));
    mt_verify(next, 4096, 99, "message after a truncated one");
    mt_ok(MPI_Recv(in, (int)kept, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE));
    mt_verify(in, kept, 100, "second message after a truncated one");
    check_behind(in + room, k, sent, room);
    mt_free(next);
}

static void sender(enum kind k, bool late, int sent, int room, unsigned char *out)
{
    size_t kept = (size_t)(room < 4096 ? room : 4096);
    MPI_Request rq;

    if (!late) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG + 1, comm, MPI_STATUS_IGNORE);
        mt_sleep(1);
    }
    mt_fill(out, (size_t)sent, 1);
    MPI_Isend(out, sent, MPI_BYTE, 1, TAG, comm, &rq);
    if (late) {
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG + 1, comm);
    }
    if (SENDRECV == k) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG + 2, comm, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    mt_fill(out, 4096, 99);
    MPI_Send(out, 4096, MPI_BYTE, 1, TAG, comm);
    mt_fill(out, kept, 100);
    MPI_Send(out, (int)kept, MPI_BYTE, 1, TAG, comm);
}

static void one(enum kind k, bool late, int sent, int room, unsigned char *out)
{
    /* a matched receive is late by nature */
    if (MRECV == k && !late) {
        return;
    }
    if (0 == mt_rank) {
        sender(k, late, sent, room, out);
    } else if (1 == mt_rank) {
        receiver(k, late, sent, room);
    }
}

int main(int argc, char **argv)
{
    unsigned char *out;
    bool small, large;

    mt_init(&argc, &argv);
    mt_need(2);
    small = !mt_flag(argc, argv, "-large");
    large = !mt_flag(argc, argv, "-small");
    guard = mt_flag(argc, argv, "-guard");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    area = map_area();
    out = mt_alloc(LARGEST);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        if (pairs[i][0] <= LIMIT_SMALL ? !small : !large) {
            continue;
        }
        for (int k = 0; k < KINDS; ++k) {
            one(k, false, pairs[i][0], pairs[i][1], out);
            one(k, true, pairs[i][0], pairs[i][1], out);
        }
    }
    munmap(area, 2 * (size_t)LARGEST);
    mt_free(out);
    MPI_Comm_free(&comm);
    return mt_finish();
}
