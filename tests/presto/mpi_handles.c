/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles as integers, and data in the representation external32. A plain MPI program for any
 * number of ranks. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, checks;

#define EXPECT(condition)                                                                   \
    do {                                                                                    \
        checks++;                                                                           \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "mpi_handles.c:%d: rank %d: %s\n", __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
        }                                                                                   \
    } while (0)

/* From C to module mpi_f08, on to mpif.h's, and back both ways. */
static void statuses_of_f08(const MPI_Status *status)
{
    MPI_F08_status f08, again;
    MPI_Status copy;
    MPI_Fint numbers[MPI_F_STATUS_SIZE];
    EXPECT(MPI_Status_c2f08(status, &f08) == MPI_SUCCESS);
    EXPECT(f08.MPI_SOURCE == rank && f08.MPI_TAG == 7);
    EXPECT(MPI_Status_f082f(&f08, numbers) == MPI_SUCCESS);
    EXPECT(MPI_Status_f2f08(numbers, &again) == MPI_SUCCESS);
    EXPECT(PMPI_Status_f082c(&again, &copy) == MPI_SUCCESS);
    EXPECT(memcmp(&copy, status, sizeof(copy)) == 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT(MPI_Status_f082c(MPI_F08_STATUS_IGNORE, &copy) == MPI_ERR_ARG);
    EXPECT(MPI_Status_f2f08(numbers, MPI_F08_STATUSES_IGNORE) == MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void handles(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Info info;
    MPI_Win win;
    MPI_Status status, copy;
    MPI_Fint numbers[sizeof(MPI_Status) / sizeof(MPI_Fint) + 1];
    int value = 5, got = 0, count;
    EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
    EXPECT(MPI_Comm_c2f(MPI_COMM_WORLD) == MPI_Comm_c2f(MPI_COMM_WORLD));
    EXPECT(MPI_Comm_c2f(MPI_COMM_WORLD) != MPI_Comm_c2f(MPI_COMM_SELF));
    EXPECT(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    EXPECT(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    EXPECT(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    EXPECT(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
    EXPECT(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Info_create(&info);
    MPI_Win_create(&value, sizeof(value), 1, info, comm, &win);
    EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    EXPECT(MPI_Group_f2c(MPI_Group_c2f(group)) == group);
    EXPECT(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
    EXPECT(MPI_Info_f2c(MPI_Info_c2f(info)) == info);
    EXPECT(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    MPI_Win_free(&win);
    MPI_Irecv(&got, 1, MPI_INT, rank, 7, comm, &request);
    MPI_Send(&value, 1, MPI_INT, rank, 7, MPI_Comm_f2c(MPI_Comm_c2f(comm)));
    request = MPI_Request_f2c(MPI_Request_c2f(request));
    MPI_Wait(&request, &status);
    EXPECT(got == 5);
    MPI_Status_c2f(&status, numbers);
    memset(&copy, 0, sizeof(copy));
    MPI_Status_f2c(numbers, &copy);
    MPI_Get_count(&copy, MPI_INT, &count);
    EXPECT(copy.MPI_SOURCE == rank && copy.MPI_TAG == 7 && count == 1);
    statuses_of_f08(&status);
    /* Many at once have different numbers. */
    for (int i = 0; i < 300; i++) {
        MPI_Datatype other;
        MPI_Type_contiguous(i + 1, MPI_INT, &other);
        EXPECT(MPI_Type_c2f(other) != MPI_Type_c2f(type));
        EXPECT(MPI_Type_f2c(MPI_Type_c2f(other)) == other);
        MPI_Type_free(&other);
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
}

/* An element of many kinds, with holes. */
struct mixed {
    char letter;
    short small[2];
    int number;
    long long large;
    float real;
    double wide;
    unsigned char flag;
};

static MPI_Datatype mixed_type(void)
{
    const int lengths[] = {1, 2, 1, 1, 1, 1, 1};
    const MPI_Aint places[] = {offsetof(struct mixed, letter), offsetof(struct mixed, small),
                               offsetof(struct mixed, number), offsetof(struct mixed, large),
                               offsetof(struct mixed, real),   offsetof(struct mixed, wide),
                               offsetof(struct mixed, flag)};
    const MPI_Datatype types[] = {MPI_CHAR,  MPI_SHORT,  MPI_INT, MPI_LONG_LONG,
                                  MPI_FLOAT, MPI_DOUBLE, MPI_BYTE};
    MPI_Datatype one, type;
    MPI_Type_create_struct(7, lengths, places, types, &one);
    MPI_Type_create_resized(one, 0, sizeof(struct mixed), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&one);
    return type;
}

static void external(void)
{
    /* 1, "A"; -2 and 258; 0x01020304; -3; 1.0f; -2.5; 0xff: as MPI 3.1 13.5.2 has them. */
    static const unsigned char want[] = {
        0x41, 0xff, 0xfe, 0x01, 0x02, 0x01, 0x02, 0x03, 0x04, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xfd, 0x3f, 0x80, 0x00, 0x00, 0xc0, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff};
    struct mixed in[2], out[2];
    MPI_Datatype type = mixed_type();
    unsigned char packed[2 * sizeof(want) + 8];
    MPI_Aint size = 0, position = 0;
    memset(in, 0, sizeof(in));
    memset(out, 0, sizeof(out));
    in[0] = (struct mixed){'A', {-2, 258}, 0x01020304, -3, 1.0F, -2.5, 0xff};
    in[1] = (struct mixed){'z', {1, -1}, -7, 1LL << 40, -0.5F, 1e300, 3};
    MPI_Pack_external_size("external32", 2, type, &size);
    EXPECT(size == 2 * (MPI_Aint)sizeof(want));
    MPI_Pack_external("external32", in, 2, type, packed, sizeof(packed), &position);
    EXPECT(position == size);
    EXPECT(memcmp(packed, want, sizeof(want)) == 0);
    position = 0;
    MPI_Unpack_external("external32", packed, size, &position, out, 2, type);
    EXPECT(position == size);
    for (int i = 0; i < 2; i++) {
        EXPECT(out[i].letter == in[i].letter && out[i].small[0] == in[i].small[0] &&
               out[i].small[1] == in[i].small[1] && out[i].number == in[i].number &&
               out[i].large == in[i].large && !(out[i].real < in[i].real) &&
               !(out[i].real > in[i].real) && !(out[i].wide < in[i].wide) &&
               !(out[i].wide > in[i].wide) && out[i].flag == in[i].flag);
    }
    MPI_Type_free(&type);
}

#ifdef PRESTO_MPI
/* Where implementations differ: numbers whose size does, pairs, and what is refused. */
static void external_more(void)
{
    struct {
        long value;
        int index;
    } pair = {-5, 9}, pair2 = {0, 0};
    long longs[2] = {-1, 77}, longs2[2];
    long double real = -3.25L, real2 = 0;
    unsigned char packed[32];
    static const unsigned char quad[16] = {0xc0, 0x00, 0xa0};
    static const unsigned char two[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 77};
    MPI_Aint position = 0, size;
    int class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Pack_external("external32", longs, 2, MPI_LONG, packed, 8, &position);
    EXPECT(position == 8 && memcmp(packed, two, 8) == 0);
    position = 0;
    MPI_Unpack_external("external32", packed, 8, &position, longs2, 2, MPI_LONG);
    EXPECT(longs2[0] == -1 && longs2[1] == 77);
    position = 4;
    MPI_Pack_external("external32", &real, 1, MPI_LONG_DOUBLE, packed, 20, &position);
    EXPECT(position == 20 && memcmp(packed + 4, quad, 16) == 0);
    position = 4;
    MPI_Unpack_external("external32", packed, 20, &position, &real2, 1, MPI_LONG_DOUBLE);
    EXPECT(!(real2 < real) && !(real2 > real));
    position = 0;
    MPI_Pack_external("external32", &pair, 1, MPI_LONG_INT, packed, 8, &position);
    position = 0;
    MPI_Unpack_external("external32", packed, 8, &position, &pair2, 1, MPI_LONG_INT);
    EXPECT(pair2.value == -5 && pair2.index == 9);
    position = 1;
    MPI_Error_class(MPI_Pack_external("external32", longs, 2, MPI_LONG, packed, 8, &position),
                    &class);
    EXPECT(class == MPI_ERR_TRUNCATE && position == 1);
    MPI_Error_class(MPI_Pack_external_size("native", 1, MPI_INT, &size), &class);
    EXPECT(class == MPI_ERR_ARG);
    MPI_Error_class(MPI_Pack_external_size("external32", 1, MPI_PACKED, &size), &class);
    EXPECT(class == MPI_ERR_TYPE);
    EXPECT(MPI_Comm_f2c(123456) == MPI_COMM_NULL && MPI_Comm_f2c(-1) == MPI_COMM_NULL);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    handles();
    external();
#ifdef PRESTO_MPI
    external_more();
#endif
    if (rank == 0) {
        printf("MT-OK mpi_handles checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
