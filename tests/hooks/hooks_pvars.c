/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: pml_hooks_pvars.c
 *
 * The variables of pml_hooks: there before MPI_Init, right while it runs, there after MPI_Finalize.
 * Prints "good", or what is wrong. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(int condition, const char *text)
{
    if (!condition) {
        printf("wrong: %s\n", text);
        wrong = 1;
    }
}

/* The index of a variable, or -1. */
static int find(const char *wanted)
{
    int count = 0;

    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        char name[256];
        int length = sizeof(name), zero = 0, level, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_T_pvar_get_info(i, name, &length, &level, &class, &type, &values, NULL, &zero,
                                &bind, &readonly, &continuous, &atomic) == MPI_SUCCESS &&
            strcmp(name, wanted) == 0) {
            return i;
        }
    }
    return -1;
}

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 12345;

    expect(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, "it cannot be read");
    return value;
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int given, rank, index, number, word = 0;
    unsigned long long before;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &given);
    expect(find("pml_hooks_sends_blocking") >= 0, "no variable before MPI_Init");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    index = find("pml_hooks_sends_blocking");
    expect(index >= 0, "no variable after MPI_Init");
    MPI_T_pvar_session_create(&session);
    expect(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &number) == MPI_SUCCESS,
           "it has no handle");
    before = value_of(session, handle);
    for (int i = 0; i < 10; i++) {
        if (rank == 0) {
            MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    expect(value_of(session, handle) == before + (rank == 0 ? 10 : 0), "it has not counted");
    MPI_Finalize();
    expect(find("pml_hooks_sends_blocking") == index, "no variable after MPI_Finalize");
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    /* MPI_T_finalize after MPI_Finalize crashes in Open MPI 4.1's vader, with or without us. */
    if (!wrong) {
        puts("good");
    }
    return wrong;
}
