/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 dies after it has joined the job and before any other has connected to it. The others
 * start, meet its death in what they do with it, and go on with each other. Run with prestorun
 * --keep-going and three ranks or more; the argument is the name of a file that is not there yet,
 * for the pid of rank 1.
 */
#include <signal.h>
#include <stdio.h>

#include <apeni/ni.h>

#include "core/wire_up.h"
#include "job.h"

enum { ABSENT = 1 };

/* All of it at once. */
static void leave_pid(const char *name)
{
    char whole[4096];
    FILE *file;

    snprintf(whole, sizeof(whole), "%s.new", name);
    file = fopen(whole, "we");
    CHECK(file != NULL);
    fprintf(file, "%d", (int)getpid());
    CHECK_EQUAL(fclose(file), 0);
    CHECK_EQUAL(rename(whole, name), 0);
}

/* Say hello as pri_launch_prestorun does, and nothing after it. */
static _Noreturn void join_and_die(const char *name)
{
    uint8_t message[sizeof(struct pri_wire_head) + NI_BLOB_MAX];
    struct ni_open_attr attr = {.host_processes = 2,
                                .job_key = strtoull(getenv("PRESTO_KEY"), NULL, 16)};
    struct pri_wire_head head = {.kind = PRI_WIRE_HELLO};
    struct ni *ni;
    size_t length;

    CHECK_EQUAL(ni_open(&attr, &ni), NI_OK);
    head.length = (uint32_t)ni_address(ni, message + sizeof(head), NI_BLOB_MAX);
    length = sizeof(head) + head.length;
    memcpy(message, &head, sizeof(head));
    CHECK_EQUAL(write(atoi(getenv("PRESTO_FD")), message, length), length);
    leave_pid(name);
    (void)raise(SIGKILL);
    abort();
}

/* Until prestorun has seen its end. */
static void wait_for_death(const char *name)
{
    FILE *file;
    int pid;

    while ((file = fopen(name, "re")) == NULL) {
        usleep(1000);
    }
    CHECK_EQUAL(fscanf(file, "%d", &pid), 1);
    (void)fclose(file);
    while (kill(pid, 0) == 0) {
        usleep(1000);
    }
}

static void body(pr_mgr_t m, int rank, int size)
{
    int token = rank, right = (rank + 1) % size, left = (rank + size - 1) % size;

    right = right == ABSENT ? ABSENT + 1 : right;
    left = left == ABSENT ? ABSENT - 1 : left;
    CHECK_EQUAL(pr_send_bytes(m, ABSENT, 7, &token, sizeof(token)), PR_ERR_PEER);
    CHECK_EQUAL(pr_recv_bytes(m, ABSENT, 7, &token, sizeof(token), NULL), PR_ERR_PEER);
    CHECK_EQUAL(pr_recv_bytes(m, PR_ANY_SOURCE, 7, &token, sizeof(token), NULL), PR_ERR_PEER);
    CHECK_EQUAL(
        pr_sendrecv_bytes(m, right, 9, &rank, sizeof(int), left, 9, &token, sizeof(int), NULL),
        PR_OK);
    CHECK_EQUAL(token, left);
    CHECK_EQUAL(pr_barrier(), PR_ERR_PEER);
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(argc, 2);
    if (atoi(getenv("PRESTO_RANK")) == ABSENT) {
        join_and_die(argv[1]);
    }
    wait_for_death(argv[1]);
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
