/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/error.c. */
/*
 * Memory that runs out while a long message is fetched, though both live: both sides get
 * PR_ERR_NOMEM, and what comes after works. Two ranks, which are processes.
 */
#include <stdbool.h>

#include <apeni/fault.h>

#include "job.h"

enum { LONG = 300000, DATA = 1, TOLD = 2 };

static unsigned char bytes[LONG];

static void fill(int with)
{
    memset(bytes, with, LONG);
}

static void check_filled(int with)
{
    CHECK(bytes[0] == with && bytes[LONG / 2] == with && bytes[LONG - 1] == with);
}

/* One that has come before is received, and its nth allocation is refused: *struck says whether it
 * was. PR_OK: again, with memory. Those after it are not refused: a link that copies through its
 * bulk area may want more of it, too, and tries again. */
static int receive(pr_mgr_t m, unsigned nth, bool *struck)
{
    struct pr_status status;
    pr_req_t req;
    int error, end = PR_OK;

    CHECK_EQUAL(pr_probe(m, 0, DATA, &status), PR_OK);
    ni_fault_arm(NI_FAULT_ALLOC, nth, 0);
    error = pr_irecv_bytes(m, 0, DATA, bytes, LONG, &req);
    if (error == PR_OK) {
        end = pr_wait(m, &req);
    }
    *struck = ni_fault_struck(NI_FAULT_ALLOC) != 0;
    ni_fault_reset();
    CHECK(error == PR_OK || (error == PR_ERR_NOMEM && *struck));
    CHECK(end == PR_OK || (end == PR_ERR_NOMEM && *struck));
    if (error != PR_OK) {
        CHECK_EQUAL(pr_recv_bytes(m, 0, DATA, bytes, LONG, NULL), PR_OK);
    }
    return end;
}

/* Each allocation of the fetch in turn, until none is asked for. */
static void message(pr_mgr_t m, int rank)
{
    int told[2] = {PR_OK, true}, failed = 0; /* how the receive ended; whether to go on */

    for (unsigned nth = 1; told[1]; nth++) {
        fill(rank == 0 ? (int)nth : 0);
        if (rank == 0) {
            int error = pr_send_bytes(m, 1, DATA, bytes, LONG);

            CHECK_EQUAL(pr_recv_bytes(m, 1, TOLD, told, sizeof(told), NULL), PR_OK);
            CHECK_EQUAL(error, told[0]);
        } else {
            bool struck;

            told[0] = receive(m, nth, &struck);
            told[1] = struck;
            failed += told[0] != PR_OK;
            if (told[0] == PR_OK) {
                check_filled((int)nth);
            }
            CHECK_EQUAL(pr_send_bytes(m, 0, TOLD, told, sizeof(told)), PR_OK);
        }
    }
    CHECK_EQUAL(told[0], PR_OK);
    CHECK(rank == 0 || failed > 0);
}

static void body(pr_mgr_t m, int rank, int size)
{
    CHECK_EQUAL(size, 2);
    CHECK_EQUAL(pr_barrier(),
                PR_OK); /* to have a peer takes memory, too, without which there is none */
    message(m, rank);
    CHECK_EQUAL(pr_barrier(), PR_OK);
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
