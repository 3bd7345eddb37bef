/* SPDX-License-Identifier: BSD-3-Clause */
/* More elements than an int counts, and displacements as far. The memory is one piece that lies
 * again and again behind itself. */
#include "mpi_large.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t piece = 4 << 20;
static const MPI_Count many = (1LL << 31) + 12345;
static size_t room;

/* `room` bytes: the piece, whose bytes begin with `first`. */
static unsigned char *map(int first)
{
    int fd = memfd_create("mpi_large", MFD_CLOEXEC);
    unsigned char *at =
        mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EQUAL(fd >= 0 && at != MAP_FAILED && ftruncate(fd, (off_t)piece) == 0, 1);
    for (size_t i = 0; i < room; i += piece) {
        void *part = mmap(at + i, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
        EQUAL(part == at + i, 1);
    }
    close(fd);
    for (size_t i = 0; i < piece; i++) {
        at[i] = (unsigned char)(first + i % 251);
    }
    return at;
}

/* All of the piece was overwritten, the last bytes of all last. */
static void holds(const unsigned char *at, int first)
{
    for (size_t i = 0; i < piece; i += 4099) {
        EQUAL(at[i], (unsigned char)(first + i % 251));
    }
}

static void message(const unsigned char *in, unsigned char *out)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Count count;
    int plain;
    if (large_rank > 1) {
        return;
    }
    const int other = large_size > 1 ? 1 - large_rank : 0;
    if (large_rank == 0) {
        OK(MPI_Isend_c(in, many, MPI_BYTE, other, 1, MPI_COMM_WORLD, &request));
    }
    if (large_rank == other || large_rank == 1) {
        OK(MPI_Recv_c(out, many + 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
        EQUAL(count, many);
        OK(MPI_Get_count(&status, MPI_BYTE, &plain));
        EQUAL(plain, MPI_UNDEFINED);
        OK(MPI_Get_elements(&status, MPI_BYTE, &plain));
        EQUAL(plain, MPI_UNDEFINED);
        holds(out, 0);
    }
    if (large_rank == 0) {
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/* Elements without data cost nothing, however many they are. */
static void nothing(void)
{
    const int next = (large_rank + 1) % large_size,
              last = (large_rank + large_size - 1) % large_size;
    MPI_Datatype none;
    MPI_Status status;
    char byte = 0;
    OK(MPI_Type_contiguous_c(0, MPI_CHAR, &none));
    OK(MPI_Type_commit(&none));
    OK(MPI_Sendrecv_c(&byte, many, none, next, 2, &byte, 2 * many, none, last, 2, MPI_COMM_WORLD,
                      &status));
    OK(MPI_Bcast_c(&byte, many, none, 0, MPI_COMM_WORLD));
    OK(MPI_Status_set_elements_c(&status, MPI_INT, many));
    MPI_Count count;
    OK(MPI_Get_elements_c(&status, MPI_INT, &count));
    EQUAL(count, many);
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    EQUAL(count, many);
    OK(MPI_Type_free(&none));
}

/* Parts that lie further away than an int says. */
static void far_parts(unsigned char *in, unsigned char *out)
{
    MPI_Count counts[2] = {1, 2};
    MPI_Aint at[2] = {0, many};
    MPI_Comm pair;
    OK(MPI_Comm_split(MPI_COMM_WORLD, large_rank < 2 ? 0 : MPI_UNDEFINED, large_rank, &pair));
    if (pair == MPI_COMM_NULL) {
        return;
    }
    memset(out, 0, piece);
    OK(MPI_Allgatherv_c(in + 3, large_rank + 1, MPI_BYTE, out, counts, at, MPI_BYTE, pair));
    EQUAL(out[0], 3);
    EQUAL(out[many], large_size > 1 ? 3 : 0);
    EQUAL(out[many + 1], large_size > 1 ? 4 : 0);
    memset(out, 0, piece);
    OK(MPI_Scatterv_c(in, counts, at, MPI_BYTE, out, large_rank + 1, MPI_BYTE, 0, pair));
    EQUAL(out[0], in[large_rank == 0 ? 0 : many % (MPI_Count)piece]);
    OK(MPI_Comm_free(&pair));
}

static long long called, elements;

static void count_ints(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)type;
    called++;
    elements += *len;
}

static void count_large(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)type;
    called++;
    elements += *len;
}

static void reductions(const unsigned char *in, unsigned char *out)
{
    MPI_Op ints, large;
    OK(MPI_Op_create(count_ints, 1, &ints));
    OK(MPI_Op_create_c(count_large, 1, &large));
    called = elements = 0;
    OK(MPI_Reduce_local_c(in, out, many, MPI_BYTE, ints));
    EQUAL(called, 2);
    EQUAL(elements, many);
    called = elements = 0;
    OK(MPI_Reduce_local_c(in, out, many, MPI_BYTE, large));
    EQUAL(called, 1);
    EQUAL(elements, many);
    called = elements = 0;
    int one = 1, two = 2;
    OK(MPI_Reduce_local(&one, &two, 1, MPI_INT, large));
    EQUAL(called * 10 + elements, 11);
    OK(MPI_Op_free(&ints));
    OK(MPI_Op_free(&large));
    memset(out, 0, piece);
    OK(MPI_Reduce_local_c(in, out, many, MPI_BYTE, MPI_BOR));
    holds(out, 0);
}

static void packing(const unsigned char *in, unsigned char *out)
{
    MPI_Count size, position = 5;
    int plain;
    OK(MPI_Pack_size_c(many, MPI_BYTE, MPI_COMM_WORLD, &size));
    EQUAL(size, many);
    OK(MPI_Pack_external_size_c("external32", many, MPI_INT, &size));
    EQUAL(size, 4 * many);
    const MPI_Count absurd = 1LL << 61; /* times 8 is 0 */
    OK(MPI_Pack_size_c(absurd, MPI_DOUBLE, MPI_COMM_WORLD, &size));
    EQUAL(size, MPI_UNDEFINED);
    OK(MPI_Pack_external_size_c("external32", absurd, MPI_DOUBLE, &size));
    EQUAL(size, MPI_UNDEFINED);
    CLASS(MPI_Pack_c(in, absurd, MPI_DOUBLE, out, many, &position, MPI_COMM_WORLD),
          MPI_ERR_TRUNCATE);
    CLASS(MPI_Unpack_c(in, many, &position, out, absurd, MPI_DOUBLE, MPI_COMM_WORLD),
          MPI_ERR_TRUNCATE);
    CLASS(MPI_Pack_external_c("external32", in, absurd, MPI_DOUBLE, out, many, &position),
          MPI_ERR_TRUNCATE);
    CLASS(MPI_Unpack_external_c("external32", in, many, &position, out, absurd, MPI_DOUBLE),
          MPI_ERR_TRUNCATE);
    OK(MPI_Pack_c(in, many, MPI_BYTE, out, many + 5, &position, MPI_COMM_WORLD));
    EQUAL(position, many + 5);
    position = many;
    OK(MPI_Unpack_c(in, many + 8, &position, out, 2, MPI_INT, MPI_COMM_WORLD));
    EQUAL(position, many + 8);
    EQUAL(memcmp(out, in + many, 8), 0);
    position = many;
    OK(MPI_Pack_external_c("external32", in, 1, MPI_CHAR, out, many + 1, &position));
    EQUAL(position, many + 1);
    OK(MPI_Buffer_attach_c(out, many));
    OK(MPI_Buffer_detach(&(void *){NULL}, &plain));
    EQUAL(plain, MPI_UNDEFINED);
    OK(MPI_Buffer_attach_c(out, many));
    OK(MPI_Buffer_detach_c(&(void *){NULL}, &size));
    EQUAL(size, many);
}

static void windows(const unsigned char *in, unsigned char *out)
{
    const int next = (large_rank + 1) % large_size;
    MPI_Win win;
    MPI_Aint size, unit;
    int less;
    void *base;
    memset(out, 0, piece);
    OK(MPI_Win_create_c(out, many, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    if (large_rank == 0) {
        OK(MPI_Put_c(in, many, MPI_BYTE, next, 0, many, MPI_BYTE, win));
    }
    OK(MPI_Win_fence(0, win));
    if (large_rank == next || large_rank == 1) {
        holds(out, 0);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_shared_c(64, 1LL << 35, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    OK(MPI_Win_shared_query_c(win, 0, &size, &unit, &base));
    EQUAL(size, 64);
    EQUAL(unit, 1LL << 35);
    OK(MPI_Win_shared_query(win, 0, &size, &less, &base));
    EQUAL(less, INT_MAX);
    OK(MPI_Win_free(&win));
}

/* A file with a hole, in memory, where that costs nothing, and one that takes everything. */
static void files(const unsigned char *in, unsigned char *out)
{
    char name[] = "/dev/shm/mpi_large.XXXXXX";
    MPI_File file;
    MPI_Status status;
    MPI_Count count, extent;
    MPI_Offset where;
    if (large_rank != 0) {
        return;
    }
    int fd = mkstemp(name);
    EQUAL(fd >= 0 && ftruncate(fd, (off_t)many + 77) == 0 && pwrite(fd, "end", 3, many) == 3, 1);
    close(fd);
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_read_c(file, out, many + 3, MPI_BYTE, &status));
    OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    EQUAL(count, many + 3);
    EQUAL(memcmp(out + many, "end", 3), 0);
    OK(MPI_File_get_position(file, &where));
    EQUAL(where, many + 3);
    OK(MPI_File_get_type_extent_c(file, MPI_DOUBLE, &extent));
    EQUAL(extent, 8);
    OK(MPI_File_close(&file));
    OK(MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    OK(MPI_File_write_at_c(file, 0, in, many, MPI_BYTE, &status));
    OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    EQUAL(count, many);
    OK(MPI_File_close(&file));
}

void large_many(void)
{
    room = ((size_t)many / piece + 2) * piece;
    unsigned char *in = map(0), *out = map(100);
    nothing();
    far_parts(in, out);
    message(in, out);
    MPI_Barrier(MPI_COMM_WORLD);
    windows(in, out);
    if (large_rank == 0) {
        reductions(in, out);
        packing(in, out);
    }
    files(in, out);
    munmap(in, room);
    munmap(out, room);
}
