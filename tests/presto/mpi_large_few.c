/* SPDX-License-Identifier: BSD-3-Clause */
/* Few elements, for which a plain form has to do the same: what the large ones make of their
 * arguments, arrays of counts above all. */
#include "mpi_large.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROOM = 4 * MOST * MOST };

/* Rank i's part for rank j has 1 + (i + 2 * j) % 3 elements. */
static int part(int from, int to)
{
    return 1 + (from + 2 * to) % 3;
}

struct parts {
    MPI_Count send[MOST], recv[MOST];
    MPI_Aint send_at[MOST], recv_at[MOST];
    int plain_send[MOST], plain_recv[MOST], plain_send_at[MOST], plain_recv_at[MOST];
    MPI_Datatype types[MOST];
    int in[ROOM], out[ROOM], want[ROOM];
};

static void fill(struct parts *p)
{
    MPI_Aint at = 0, to = 0;
    for (int i = 0; i < large_size; i++) {
        p->send[i] = p->plain_send[i] = part(large_rank, i);
        p->recv[i] = p->plain_recv[i] = part(i, large_rank);
        p->send_at[i] = p->plain_send_at[i] = (int)at;
        p->recv_at[i] = p->plain_recv_at[i] = (int)to;
        at += p->send[i] + 1;
        to += p->recv[i] + 1;
    }
    for (int i = 0; i < MOST; i++) {
        p->types[i] = MPI_INT;
    }
    for (int i = 0; i < ROOM; i++) {
        p->in[i] = 1000 * large_rank + i;
    }
}

static void clear(struct parts *p)
{
    memset(p->out, 0xff, sizeof(p->out));
    memset(p->want, 0xff, sizeof(p->want));
}

static void same(const struct parts *p)
{
    EQUAL(memcmp(p->out, p->want, sizeof(p->out)), 0);
}

static void finish(MPI_Request *request)
{
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void again(MPI_Request *request)
{
    OK(MPI_Start(request));
    finish(request);
    OK(MPI_Request_free(request));
}

static void each_to_each(struct parts *p)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    clear(p);
    OK(MPI_Alltoallv(p->in, p->plain_send, p->plain_send_at, MPI_INT, p->want, p->plain_recv,
                     p->plain_recv_at, MPI_INT, comm));
    OK(MPI_Alltoallv_c(p->in, p->send, p->send_at, MPI_INT, p->out, p->recv, p->recv_at, MPI_INT,
                       comm));
    same(p);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Ialltoallv_c(p->in, p->send, p->send_at, MPI_INT, p->out, p->recv, p->recv_at, MPI_INT,
                        comm, &request));
    finish(&request);
    same(p);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Alltoallv_init_c(p->in, p->send, p->send_at, MPI_INT, p->out, p->recv, p->recv_at,
                            MPI_INT, comm, MPI_INFO_NULL, &request));
    again(&request);
    same(p);
    for (int i = 0; i < large_size; i++) {
        p->send_at[i] *= (MPI_Aint)sizeof(int);
        p->recv_at[i] *= (MPI_Aint)sizeof(int);
    }
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Alltoallw_c(p->in, p->send, p->send_at, p->types, p->out, p->recv, p->recv_at, p->types,
                       comm));
    same(p);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Alltoallw_init_c(p->in, p->send, p->send_at, p->types, p->out, p->recv, p->recv_at,
                            p->types, comm, MPI_INFO_NULL, &request));
    again(&request);
    same(p);
    for (int i = 0; i < large_size; i++) {
        p->send_at[i] /= (MPI_Aint)sizeof(int);
        p->recv_at[i] /= (MPI_Aint)sizeof(int);
    }
}

/* All to rank 0, from it, and to all: with this rank's counts of what each has for rank 0. */
static void to_and_from(struct parts *p)
{
    const int root = 0;
    MPI_Count counts[MOST];
    MPI_Aint places[MOST];
    int plain[MOST], plain_places[MOST];
    MPI_Request request;
    for (int i = 0; i < large_size; i++) {
        counts[i] = plain[i] = part(i, root);
        places[i] = plain_places[i] = 4 * i;
    }
    clear(p);
    OK(MPI_Gatherv(p->in, plain[large_rank], MPI_INT, p->want, plain, plain_places, MPI_INT, root,
                   MPI_COMM_WORLD));
    OK(MPI_Gatherv_c(p->in, counts[large_rank], MPI_INT, p->out, counts, places, MPI_INT, root,
                     MPI_COMM_WORLD));
    same(p);
    clear(p);
    OK(MPI_Scatterv(p->in, plain, plain_places, MPI_INT, p->want, plain[large_rank], MPI_INT, root,
                    MPI_COMM_WORLD));
    OK(MPI_Iscatterv_c(p->in, counts, places, MPI_INT, p->out, counts[large_rank], MPI_INT, root,
                       MPI_COMM_WORLD, &request));
    finish(&request);
    same(p);
    clear(p);
    OK(MPI_Allgatherv(p->in, plain[large_rank], MPI_INT, p->want, plain, plain_places, MPI_INT,
                      MPI_COMM_WORLD));
    OK(MPI_Allgatherv_init_c(p->in, counts[large_rank], MPI_INT, p->out, counts, places, MPI_INT,
                             MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    again(&request);
    same(p);
    clear(p);
    OK(MPI_Reduce_scatter(p->in, p->want, plain, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter_c(p->in, p->out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    same(p);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Reduce_scatter_init_c(p->in, p->out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &request));
    again(&request);
    same(p);
    counts[large_size - 1] = -1;
    CLASS(MPI_Reduce_scatter_c(p->in, p->out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          MPI_ERR_COUNT);
}

static void neighbours(struct parts *p)
{
    const int all = large_size, periodic = 1;
    const int left = (large_rank + large_size - 1) % large_size;
    MPI_Count two[2] = {2, 3};
    MPI_Aint at[2] = {0, 5}, bytes[2] = {0, 5 * (MPI_Aint)sizeof(int)};
    MPI_Comm ring;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &periodic, 0, &ring));
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Neighbor_alltoallv_c(p->in, two, at, MPI_INT, p->out, (MPI_Count[]){3, 2}, at, MPI_INT,
                                ring));
    EQUAL(p->out[0], 1000 * left + 5); /* what it sends upwards */
    EQUAL(p->out[3], -1);
    EQUAL(p->out[5] % 1000, 0);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Neighbor_alltoallw_c(p->in, two, bytes, p->types, p->out, (MPI_Count[]){3, 2}, bytes,
                                p->types, ring));
    EQUAL(p->out[2], 1000 * left + 7);
    memset(p->out, 0xff, sizeof(p->out));
    OK(MPI_Neighbor_allgatherv_c(p->in, 2, MPI_INT, p->out, (MPI_Count[]){2, 2}, at, MPI_INT,
                                 ring));
    EQUAL(p->out[1], 1000 * left + 1);
    OK(MPI_Comm_free(&ring));
}

/* Messages in all modes to the next rank, from the one before. */
static void messages(void)
{
    const int next = (large_rank + 1) % large_size,
              last = (large_rank + large_size - 1) % large_size;
    int (*const start[])(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                         MPI_Request *) = {MPI_Isend_c, MPI_Issend_c, MPI_Ibsend_c, MPI_Irsend_c};
    char buffer[1024];
    int in[3] = {large_rank, 1, 2}, out[3], plain;
    MPI_Count count;
    MPI_Request request[2];
    MPI_Status status;
    MPI_Message message;
    OK(MPI_Buffer_attach_c(buffer, sizeof(buffer)));
    for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
        OK(MPI_Irecv_c(out, 3, MPI_INT, last, 7, MPI_COMM_WORLD, &request[0]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(start[i](in, 2 + (i & 1), MPI_INT, next, 7, MPI_COMM_WORLD, &request[1]));
        OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request[0], &status));
        OK(MPI_Get_count_c(&status, MPI_INT, &count));
        EQUAL(count, 2 + (i & 1));
        OK(MPI_Get_elements_c(&status, MPI_INT, &count));
        EQUAL(count, 2 + (i & 1));
        EQUAL(out[0], last);
    }
    OK(MPI_Buffer_detach(&(void *){NULL}, &plain));
    EQUAL(plain, sizeof(buffer));
    OK(MPI_Sendrecv_c(in, 3, MPI_INT, next, 8, out, 3, MPI_INT, last, 8, MPI_COMM_WORLD, &status));
    EQUAL(out[0], last);
    OK(MPI_Sendrecv_replace_c(out, 3, MPI_INT, last, 9, next, 9, MPI_COMM_WORLD, &status));
    EQUAL(out[0], large_rank);
    OK(MPI_Send_init_c(in, 1, MPI_INT, next, 10, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Start(&request[0]));
    OK(MPI_Mprobe(last, 10, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv_c(out, 1, MPI_INT, &message, &status));
    EQUAL(out[0], last);
    OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request[0]));
    CLASS(MPI_Send_c(in, -1, MPI_INT, next, 7, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Bcast_c(in, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
}

void large_few(void)
{
    struct parts *p = malloc(sizeof(*p));
    EQUAL(p != NULL && large_size <= MOST, 1);
    fill(p);
    each_to_each(p);
    to_and_from(p);
    neighbours(p);
    messages();
    free(p);
}
