/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_device.c pml_hooks_help.c
 *
 * Sends and receives from memory that a stand-in for libcuda, the first argument, takes for that of
 * a GPU, with the policy that is the second. Two ranks. Prints "good", or what is wrong.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, wrong, refuse;

static void expect(int condition, const char *text)
{
    if (!condition) {
        printf("wrong: rank %d: %s\n", rank, text);
        wrong = 1;
    }
}

/* Whether a call has ended as it has to, with a buffer on the device if `device`. */
static int ended(int rc, int device, const char *text)
{
    int class = MPI_SUCCESS, expected = device && refuse ? MPI_ERR_BUFFER : MPI_SUCCESS;

    MPI_Error_class(rc, &class);
    expect(class == expected, text);
    return rc == MPI_SUCCESS;
}

/* A message from a buffer of rank 0 to one of rank 1. What is refused is sent from the host. */
static void message(char *from, int from_device, char *to, int to_device, int bytes)
{
    static char host[5000];
    MPI_Request request;

    if (rank == 0) {
        memset(from, bytes % 100, (size_t)bytes);
        if (!ended(MPI_Send(from, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD), from_device, "send")) {
            MPI_Send(host, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        }
        if (ended(MPI_Isend(from, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request), from_device,
                  "isend")) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(host, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        }
        return;
    }
    if (!ended(MPI_Recv(to, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), to_device,
               "recv")) {
        MPI_Recv(host, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (ended(MPI_Irecv(to, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request), to_device, "irecv")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(refuse || to[bytes - 1] == bytes % 100, "what is received");
    } else {
        MPI_Recv(host, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static char device[5000], shared[5000], host[5000];
    void (*mark)(const void *, uint64_t, unsigned) = NULL;
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (library != NULL) {
        mark = (void (*)(const void *, uint64_t, unsigned))dlsym(library, "cuda_like_mark");
    }
    if (mark == NULL) {
        fprintf(stderr, "usage: hooks_device LIBRARY pass|refuse\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    refuse = strcmp(argv[2], "refuse") == 0;
    mark(device, sizeof(device), 0);
    mark(shared, sizeof(shared), 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    message(host, 0, host, 0, 100);
    message(device, 1, host, 0, 1000);
    message(device, 1, device, 1, 3000);
    message(host, 0, device, 1, 4000);
    message(shared, 0, shared, 0, 5000);
    MPI_Finalize();
    if (!wrong) {
        puts("good");
    }
    return wrong;
}
