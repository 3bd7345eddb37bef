/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A buffer that is no memory, of one side of a message. Argument errors: where the kernel copies,
 * both sides get PR_ERR_MEMORY, all ranks do in a broadcast, and what comes after works. Argument
 * short, or long: rank 0 sends such a buffer, for runs in which it is not the kernel that touches
 * it. Argument works: the same messages, from memory. Two ranks or more.
 */
#include <stdbool.h>
#include <sys/mman.h>

#include "job.h"

enum { MOST = 1 << 20, SHORT = 100 };

/* Parts of them, in a broadcast, are long messages as well: of a short one it is the sender that
 * touches the buffer. */
static const size_t lengths[] = {131072, 300000, MOST};
static unsigned char *good, *bad; /* [MOST] */

/* From rank 0 to rank 1; posted: the receive comes first. */
static int pass(pr_mgr_t m, int rank, bool posted, void *out, void *in, size_t bytes)
{
    pr_req_t req;
    int error, ready = 0;

    if (rank > 1) {
        return PR_OK;
    }
    if (rank == 0) {
        if (posted) {
            CHECK_EQUAL(pr_recv_bytes(m, 1, 2, &ready, sizeof(ready), NULL), PR_OK);
        }
        CHECK_EQUAL(pr_isend_bytes(m, 1, 1, out, bytes, &req), PR_OK);
        if (!posted) {
            CHECK_EQUAL(pr_send_bytes(m, 1, 2, &ready, sizeof(ready)), PR_OK);
        }
        return pr_wait(m, &req);
    }
    if (posted) {
        CHECK_EQUAL(pr_irecv_bytes(m, 0, 1, in, bytes, &req), PR_OK);
        CHECK_EQUAL(pr_send_bytes(m, 0, 2, &ready, sizeof(ready)), PR_OK);
        return pr_wait(m, &req);
    }
    error = pr_recv_bytes(m, 0, 2, &ready, sizeof(ready), NULL);
    CHECK_EQUAL(error, PR_OK);
    return pr_recv_bytes(m, 0, 1, in, bytes, NULL);
}

static void pass_right(pr_mgr_t m, int rank, size_t bytes)
{
    memset(good, rank == 0 ? 7 : 0, bytes);
    CHECK_EQUAL(pass(m, rank, true, good, good, bytes), PR_OK);
    CHECK(rank > 1 || (good[0] == 7 && good[bytes / 2] == 7 && good[bytes - 1] == 7));
}

static void errors(pr_mgr_t m, int rank)
{
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        for (int posted = 0; posted < 2; posted++) {
            int want = rank > 1 ? PR_OK : PR_ERR_MEMORY;

            CHECK_EQUAL(pass(m, rank, posted != 0, bad, good, lengths[i]), want);
            CHECK_EQUAL(pass(m, rank, posted != 0, good, bad, lengths[i]), want);
            pass_right(m, rank, lengths[i]);
        }
        CHECK_EQUAL(pr_bcast_bytes(m, 0, rank == 0 ? bad : good, lengths[i]), PR_ERR_MEMORY);
        CHECK_EQUAL(pr_bcast_bytes(m, 0, good, lengths[i]), PR_OK);
        CHECK(good[lengths[i] - 1] == 7);
    }
    CHECK_EQUAL(pr_barrier(), PR_OK);
}

static const char *what;

static void body(pr_mgr_t m, int rank, int size)
{
    CHECK(size >= 2);
    good = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bad = mmap(NULL, MOST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(good != MAP_FAILED && bad != MAP_FAILED);
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (strcmp(what, "errors") == 0) {
        errors(m, rank);
    } else if (strcmp(what, "works") == 0) {
        pass_right(m, rank, MOST);
    } else {
        (void)pass(m, rank, true, bad, good, strcmp(what, "short") == 0 ? SHORT : MOST);
        CHECK(rank != 0 || !"a send of what is no memory ends well");
        (void)pause();
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "%s: an argument is needed: errors, short, long, works\n", argv[0]);
        return 2;
    }
    what = argv[1];
    return job_main(0, argv, PR_THREAD_SINGLE, body);
}
