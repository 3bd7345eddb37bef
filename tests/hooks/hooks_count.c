/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_component.c pml_hooks_pass.c pml_hooks_receives.c pml_hooks_persistent.c
 * pml_hooks_requests.c pml_hooks_gather.c pml_hooks_params.c pml_hooks_follow.c
 *
 * Sends messages in every way that there is and counts them itself, for comparison with a record:
 * prints "count RANK PEER SENT BYTES RECEIVED BYTES" for each pair, ranks in MPI_COMM_WORLD, and
 * "kind RANK NAME NUMBER" for what is counted by kind. All ranks walk the same sequence of
 * messages, and each does its part.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 600, RANKS = 16, LONGEST = 70000 };

static struct count {
    long long sent, sent_bytes, received, received_bytes;
} counts[RANKS];

enum kind {
    SYNCHRONOUS,
    BUFFERED,
    READY,
    SENDS_PERSISTENT,
    RECEIVES_PERSISTENT,
    ANY_SOURCE,
    MATCHED,
    PROBES,
    PROBES_NONBLOCKING,
    MATCHED_PROBES,
    CANCELLED,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "synchronous",
    "buffered",
    "ready",
    "sends_persistent",
    "receives_persistent",
    "receives_any_source",
    "receives_matched",
    "probes",
    "probes_nonblocking",
    "matched_probes",
    "cancelled",
};
static long long kinds[KINDS];

static int me, size;
static MPI_Comm comms[3];
static char out[LONGEST], in[LONGEST];

/* The same on all ranks. */
static uint32_t draw(uint32_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

/* The rank in a communicator of a rank of MPI_COMM_WORLD; the third one has them in reverse. */
static int in_comm(int which, int rank)
{
    return which == 2 ? size - 1 - rank : rank;
}

static void send(int how, int to, int tag, int bytes, int which)
{
    MPI_Comm comm = comms[which];
    MPI_Request request = MPI_REQUEST_NULL;
    int peer = in_comm(which, to);

    switch (how) {
    case 0:
        MPI_Send(out, bytes, MPI_BYTE, peer, tag, comm);
        break;
    case 1:
        MPI_Isend(out, bytes, MPI_BYTE, peer, tag, comm, &request);
        break;
    case 2:
        kinds[SYNCHRONOUS]++;
        MPI_Ssend(out, bytes, MPI_BYTE, peer, tag, comm);
        break;
    case 3:
        kinds[BUFFERED]++;
        MPI_Bsend(out, bytes, MPI_BYTE, peer, tag, comm);
        break;
    case 4:
        kinds[SENDS_PERSISTENT]++;
        MPI_Send_init(out, bytes, MPI_BYTE, peer, tag, comm, &request);
        MPI_Start(&request);
        break;
    default:
        kinds[SYNCHRONOUS]++;
        MPI_Issend(out, bytes, MPI_BYTE, peer, tag, comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (how == 4) {
        MPI_Request_free(&request);
    }
    counts[to].sent++;
    counts[to].sent_bytes += bytes;
}

static void receive(int how, int from, int tag, int bytes, int which)
{
    MPI_Comm comm = comms[which];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    int peer = in_comm(which, from);

    switch (how) {
    case 0:
        MPI_Recv(in, LONGEST, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Irecv(in, LONGEST, MPI_BYTE, peer, tag, comm, &request);
        break;
    case 2:
        kinds[ANY_SOURCE]++;
        MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
        break;
    case 3:
        kinds[PROBES]++;
        kinds[MATCHED_PROBES]++;
        kinds[MATCHED]++;
        MPI_Mprobe(peer, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, LONGEST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        break;
    case 4:
        kinds[RECEIVES_PERSISTENT]++;
        MPI_Recv_init(in, LONGEST, MPI_BYTE, peer, tag, comm, &request);
        MPI_Start(&request);
        break;
    default:
        kinds[PROBES]++;
        kinds[ANY_SOURCE]++;
        MPI_Probe(peer, tag, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (how == 4) {
        MPI_Request_free(&request);
    }
    counts[from].received++;
    counts[from].received_bytes += bytes;
}

static void exchange_all(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        int from = (int)draw((uint32_t)size), to = (int)draw((uint32_t)size);
        int send_how = (int)draw(6), receive_how = (int)draw(6), which = (int)draw(3);
        int bytes = (int)draw(draw(2) ? 64 : LONGEST),
            tag = i; /* its own: any source may be asked for it */

        if (from == to) {
            continue;
        }
        if (me == from) {
            send(send_how, to, tag, bytes, which);
        } else if (me == to) {
            receive(receive_how, from, tag, bytes, which);
        }
        if (i % 50 == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

/* What the list above does not have, with the neighbours: ready sends, probes that do not wait, a
 * matched receive that does not, and a receive that is cancelled. */
static void others(void)
{
    enum { TAG = MESSAGES, NEVER };
    int next = (me + 1) % size, before = (me + size - 1) % size, found = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    MPI_Irecv(in, 100, MPI_BYTE, before, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(out, 100, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    kinds[READY]++;
    MPI_Send(out, 10, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
    while (!found) {
        MPI_Iprobe(before, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        kinds[PROBES_NONBLOCKING]++;
    }
    for (found = 0; !found; kinds[PROBES_NONBLOCKING]++) {
        MPI_Improbe(before, TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    }
    kinds[MATCHED_PROBES]++;
    MPI_Imrecv(in, 10, MPI_BYTE, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    kinds[MATCHED]++;
    MPI_Irecv(in, 10, MPI_BYTE, before, NEVER, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &found);
    kinds[CANCELLED] += found;
    counts[next].sent += 2;
    counts[next].sent_bytes += 110;
    counts[before].received += 2;
    counts[before].received_bytes += 110;
}

int main(int argc, char **argv)
{
    static char buffer[4 * LONGEST];
    int given;
    void *old;

    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > RANKS) {
        fprintf(stderr, "at most %d ranks\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Buffer_attach(buffer, sizeof(buffer));
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comms[2]);
    exchange_all();
    others();
    MPI_Buffer_detach(&old, &given);
    for (int peer = 0; peer < size; peer++) {
        const struct count *count = &counts[peer];

        printf("count %d %d %lld %lld %lld %lld\n", me, peer, count->sent, count->sent_bytes,
               count->received, count->received_bytes);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        printf("kind %d %s %lld\n", me, kind_names[kind], kinds[kind]);
    }
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}
