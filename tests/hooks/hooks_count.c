/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_component.c pml_hooks_pass.c pml_hooks_receives.c pml_hooks_persistent.c
 * pml_hooks_requests.c pml_hooks_gather.c pml_hooks_params.c pml_hooks_follow.c
 *
 * Sends messages in every way that there is and counts them itself, for comparison with a record:
 * prints "count RANK PEER SENT BYTES RECEIVED BYTES" for each pair, ranks in MPI_COMM_WORLD. All
 * ranks walk the same sequence of messages, and each does its part.
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
        MPI_Ssend(out, bytes, MPI_BYTE, peer, tag, comm);
        break;
    case 3:
        MPI_Bsend(out, bytes, MPI_BYTE, peer, tag, comm);
        break;
    case 4:
        MPI_Send_init(out, bytes, MPI_BYTE, peer, tag, comm, &request);
        MPI_Start(&request);
        break;
    default:
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
        MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Mprobe(peer, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, LONGEST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_Recv_init(in, LONGEST, MPI_BYTE, peer, tag, comm, &request);
        MPI_Start(&request);
        break;
    default:
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
    MPI_Buffer_detach(&old, &given);
    for (int peer = 0; peer < size; peer++) {
        const struct count *count = &counts[peer];

        printf("count %d %d %lld %lld %lld %lld\n", me, peer, count->sent, count->sent_bytes,
               count->received, count->received_bytes);
    }
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}
