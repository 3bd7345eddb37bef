/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * osu_steps with the native interface: rank 0 sends when the receive of rank 1 is posted, and rank
 * 1 waits for it when pr_send_bytes has returned. The ranks take turns by a word in a shared
 * segment, not by messages. Run by "instructions".
 */
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <presto.h>

#define TAG  1
#define MOST (1 << 20)

static char data[MOST];
static pr_mgr_t job;

static void must(int error, const char *what)
{
    if (error == PR_OK) {
        return;
    }
    fprintf(stderr, "pr_steps: %s: %s\n", what, pr_error_string(error));
    pr_abort(job, 1);
}

/* The word, which both ranks map; rank 0 makes the segment, and has unlinked it when both have
 * it. */
static _Atomic int *open_turn(int rank)
{
    char name[64] = "";
    int file = -1;
    void *at = MAP_FAILED;

    if (rank == 0) {
        snprintf(name, sizeof(name), "/pr_steps.%d", (int)getpid());
        file = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (file >= 0 && ftruncate(file, sizeof(_Atomic int)) != 0) {
            perror("pr_steps: ftruncate");
        }
    }
    must(pr_bcast_bytes(job, 0, name, sizeof(name)), "broadcast");
    file = rank == 0 ? file : shm_open(name, O_RDWR, 0);
    if (file >= 0) {
        at = mmap(NULL, sizeof(_Atomic int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    must(pr_barrier(), "barrier");
    if (rank == 0) {
        shm_unlink(name);
    }
    if (at == MAP_FAILED) {
        perror("pr_steps: the shared segment");
        pr_abort(job, 1);
    }
    close(file);
    return at;
}

/* Wait for the other rank. Acquire pairs with the release in pass. */
static void await(const _Atomic int *turn, int value)
{
    while (atomic_load_explicit(turn, memory_order_acquire) != value) {
        sched_yield();
    }
}

static void pass(_Atomic int *turn, int value)
{
    atomic_store_explicit(turn, value, memory_order_release);
}

static void sends(_Atomic int *turn, int messages, size_t bytes)
{
    for (int i = 0; i < messages; i++) {
        await(turn, 2 * i + 1);
        must(pr_send_bytes(job, 1, TAG, data, bytes), "send");
        pass(turn, 2 * i + 2);
    }
}

static void receives(_Atomic int *turn, int messages, size_t bytes)
{
    pr_req_t request;

    for (int i = 0; i < messages; i++) {
        must(pr_irecv_bytes(job, 0, TAG, data, bytes, &request), "receive");
        pass(turn, 2 * i + 1);
        await(turn, 2 * i + 2);
        must(pr_wait(job, &request), "wait");
    }
}

static const char usage[] = "Usage: pr_steps MESSAGES BYTES, of two ranks, at most 1048576 bytes\n"
                            "Sends messages; osu_bench/instructions counts what they take.";

int main(int argc, char **argv)
{
    long messages = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    long bytes = argc == 3 ? strtol(argv[2], NULL, 10) : -1;
    int rank, ranks;

    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        printf("%s\n", usage);
        return 0;
    }
    if (messages < 1 || messages > 1 << 29 || bytes < 0 || bytes > MOST) {
        fprintf(stderr, "pr_steps: %s\n", usage);
        return 1;
    }
    must(pr_init(&job), "start");
    must(pr_get_self_rank(job, &rank), "rank");
    must(pr_get_num_procs(job, &ranks), "size");
    if (ranks != 2) {
        fprintf(stderr, "pr_steps: it needs exactly two ranks (prestorun -n 2)\n");
        pr_abort(job, 1);
    }
    _Atomic int *turn = open_turn(rank);
    if (rank == 0) {
        sends(turn, (int)messages, (size_t)bytes);
    } else {
        receives(turn, (int)messages, (size_t)bytes);
    }
    must(pr_fini(job), "end");
    return 0;
}
