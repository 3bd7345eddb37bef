/* SPDX-License-Identifier: BSD-3-Clause */
/* Infos and names. A plain MPI program for any number of
 * ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, checks;

#define EXPECT(condition)                                                                   \
    do {                                                                                    \
        checks++;                                                                           \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "mpi_objects.c:%d: rank %d: %s\n", __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
        }                                                                                   \
    } while (0)

/* ---- infos ---------------------------------------------------------------------------------------- */

/* A value goes where it is wanted, with its end, and touches nothing behind that. */
static void infos(void)
{
    char room[64];
    int flag;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "file", "runfile");
    for (int length = 0; length < 40; length++) {
        int kept = length < 7 ? length : 7;
        memset(room, 'x', sizeof(room));
        MPI_Info_get(info, "file", length, room, &flag);
        EXPECT(flag == 1);
        EXPECT(strncmp(room, "runfile", (size_t)kept) == 0 && room[kept] == '\0');
        for (int i = kept + 1; i < (int)sizeof(room); i++)
            EXPECT(room[i] == 'x');
    }
    MPI_Info_free(&info);
}

/* ---- names of types ------------------------------------------------------------------------------- */

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_set_name(MPI_INT, "count");
    MPI_Type_set_name(MPI_DOUBLE, "weight");
    MPI_Type_set_name(MPI_INT, "number");
    MPI_Type_get_name(MPI_INT, name, &length);
    EXPECT(strcmp(name, "number") == 0 && length == 6);
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT(strcmp(name, "weight") == 0 && length == 6);
    MPI_Type_get_name(MPI_FLOAT, name, &length);
    EXPECT(strcmp(name, "MPI_FLOAT") == 0);
    MPI_Type_set_name(MPI_INT, "");
    MPI_Type_get_name(MPI_INT, name, &length);
    EXPECT(name[0] == '\0' && length == 0);
    MPI_Type_set_name(MPI_INT, "MPI_INT");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    infos();
    names();
    if (rank == 0)
        printf("MT-OK mpi_objects checks=%d\n", checks);
    MPI_Finalize();
    return 0;
}
