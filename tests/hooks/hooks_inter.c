/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_peers.c
 *
 * Sends messages to processes of other jobs and over intercommunicators, and counts them itself:
 * prints "count ME PEER SENT BYTES RECEIVED BYTES" for each pair, where a process is called by the
 * letter of its job and its rank in it. Two processes, job a, spawn three, job b, and the two jobs
 * connect once more. "hooks_inter die": those of job b are killed before that. "leaders ONE OTHER"
 * names two processes between which MPI_Intercomm_create has sent messages of its own with the
 * program's tag.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 2, RANKS = 4, LONGEST = 9000, CHILDREN = 3 };

static struct count {
    long long sent, sent_bytes, received, received_bytes;
} counts[JOBS][RANKS];

static int me, job;
static char out[LONGEST], in[LONGEST];

static void send(MPI_Comm comm, int to, int peer_job, int peer, int bytes)
{
    MPI_Request request;

    MPI_Isend(out, bytes, MPI_BYTE, to, bytes, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    counts[peer_job][peer].sent++;
    counts[peer_job][peer].sent_bytes += bytes;
}

static void receive(MPI_Comm comm, int from, int peer_job, int peer, int bytes)
{
    MPI_Recv(in, bytes, MPI_BYTE, from, bytes, comm, MPI_STATUS_IGNORE);
    counts[peer_job][peer].received++;
    counts[peer_job][peer].received_bytes += bytes;
}

/* Both sides of an intercommunicator, first one then the other; ranks are those within the jobs. */
static void across(MPI_Comm comm, int first, int step)
{
    int others;

    MPI_Comm_remote_size(comm, &others);
    for (int turn = 0; turn < 2; turn++) {
        for (int peer = 0; peer < others; peer++) {
            if ((turn == 0) == (job == first)) {
                send(comm, peer, 1 - job, peer, step + 10 * me + peer);
            } else {
                receive(comm, peer, 1 - job, peer, step + 10 * peer + me);
            }
        }
    }
}

/* All processes in one communicator: those of job a come first. */
static void together(MPI_Comm comm, int of_a)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int from = 0; from < size; from++) {
        for (int to = 0; to < size; to++) {
            int bytes = 4000 + 16 * from + to;

            if (from == to) {
                continue;
            }
            if (rank == from) {
                send(comm, to, to >= of_a, to >= of_a ? to - of_a : to, bytes);
            } else if (rank == to) {
                receive(comm, from, from >= of_a, from >= of_a ? from - of_a : from, bytes);
            }
        }
    }
}

/* Two halves of a job talk over an intercommunicator; the ranks of each are in reverse order. */
static void halves(void)
{
    MPI_Comm half, inter;
    int size, lower = me == 0, others;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, lower, -me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? size - 1 : 0, 7, &inter);
    if (lower) {
        printf("leaders %c%d %c%d\n", 'a' + job, me, 'a' + job, size - 1);
    }
    MPI_Comm_remote_size(inter, &others);
    for (int i = 0; i < others; i++) {
        int peer = lower ? size - 1 - i : 0;

        if (lower) {
            send(inter, i, job, peer, 500 + i);
            receive(inter, i, job, peer, 600 + peer);
        } else {
            receive(inter, i, job, peer, 500 + size - 1 - me);
            send(inter, i, job, peer, 600 + me);
        }
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void tell(void)
{
    for (int other = 0; other < JOBS; other++) {
        for (int peer = 0; peer < RANKS; peer++) {
            const struct count *count = &counts[other][peer];

            if (count->sent + count->received > 0) {
                printf("count %c%d %c%d %lld %lld %lld %lld\n", 'a' + job, me, 'a' + other, peer,
                       count->sent, count->sent_bytes, count->received, count->received_bytes);
            }
        }
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char port[MPI_MAX_PORT_NAME];
    char *arguments[] = {argc > 1 ? argv[1] : NULL, NULL};
    MPI_Comm parent, spawned, all, connected;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    job = parent != MPI_COMM_NULL;
    if (job == 0) {
        MPI_Comm_spawn(argv[0], arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &spawned,
                       MPI_ERRCODES_IGNORE);
        if (me == 0) {
            MPI_Open_port(MPI_INFO_NULL, port);
        }
    } else {
        spawned = parent;
    }
    halves();
    across(spawned, 0, 100);
    MPI_Intercomm_merge(spawned, job, &all);
    together(all, job == 0 ? size : 2);
    if (job == 1 && argc > 1 && strcmp(argv[1], "die") == 0) {
        (void)raise(SIGKILL);
    }
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, all);
    if (job == 0) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &connected);
    } else {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &connected);
    }
    across(connected, 1, 7000);
    tell();
    MPI_Comm_disconnect(&connected);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&spawned);
    MPI_Finalize();
    return 0;
}
