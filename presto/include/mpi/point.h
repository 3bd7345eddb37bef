/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: point-to-point messages and requests. */
#ifndef PRESTO_MPI_POINT_H
#define PRESTO_MPI_POINT_H

#define PRESTO_SEND_ARGS \
    const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
#define PRESTO_RECV_ARGS void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm

PRESTO_FN(int, Send, (PRESTO_SEND_ARGS));
PRESTO_FN(int, Ssend, (PRESTO_SEND_ARGS));
PRESTO_FN(int, Bsend, (PRESTO_SEND_ARGS));
PRESTO_FN(int, Rsend, (PRESTO_SEND_ARGS));
PRESTO_FN(int, Recv, (PRESTO_RECV_ARGS, MPI_Status *status));
PRESTO_FN(int, Isend, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Issend, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Ibsend, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Irsend, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Irecv, (PRESTO_RECV_ARGS, MPI_Request *request));
PRESTO_FN(int, Send_init, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Ssend_init, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Bsend_init, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Rsend_init, (PRESTO_SEND_ARGS, MPI_Request *request));
PRESTO_FN(int, Recv_init, (PRESTO_RECV_ARGS, MPI_Request *request));
PRESTO_FN(int, Start, (MPI_Request * request));
PRESTO_FN(int, Startall, (int count, MPI_Request requests[]));
PRESTO_FN(int, Buffer_attach, (void *buffer, int size));
PRESTO_FN(int, Buffer_detach, (void *buffer, int *size));

PRESTO_FN(int, Sendrecv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
           MPI_Comm comm, MPI_Status *status));
PRESTO_FN(int, Sendrecv_replace,
          (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
           MPI_Comm comm, MPI_Status *status));
PRESTO_FN(int, Isendrecv,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
           void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
           MPI_Comm comm, MPI_Request *request));
PRESTO_FN(int, Isendrecv_replace,
          (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
           MPI_Comm comm, MPI_Request *request));

PRESTO_FN(int, Wait, (MPI_Request * request, MPI_Status *status));
PRESTO_FN(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]));
PRESTO_FN(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status));
PRESTO_FN(int, Waitsome,
          (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
PRESTO_FN(int, Test, (MPI_Request * request, int *flag, MPI_Status *status));
PRESTO_FN(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]));
PRESTO_FN(int, Testany,
          (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status));
PRESTO_FN(int, Testsome,
          (int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
PRESTO_FN(int, Request_free, (MPI_Request * request));
PRESTO_FN(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status));
PRESTO_FN(int, Cancel, (MPI_Request * request));
PRESTO_FN(int, Test_cancelled, (const MPI_Status *status, int *flag));
PRESTO_FN(int, Grequest_start,
          (MPI_Grequest_query_function * query, MPI_Grequest_free_function *release,
           MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request));
PRESTO_FN(int, Grequest_complete, (MPI_Request request));

PRESTO_FN(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status));
PRESTO_FN(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status));
PRESTO_FN(int, Mprobe,
          (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status));
PRESTO_FN(int, Improbe,
          (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
           MPI_Status *status));
PRESTO_FN(int, Mrecv,
          (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status));
PRESTO_FN(int, Imrecv,
          (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request));
PRESTO_FN(int, Get_count, (const MPI_Status *status, MPI_Datatype type, int *count));
PRESTO_FN(int, Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count));
PRESTO_FN(int, Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));
PRESTO_FN(int, Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count));
PRESTO_FN(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count));
PRESTO_FN(int, Status_set_cancelled, (MPI_Status * status, int flag));

#endif
