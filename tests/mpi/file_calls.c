/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/mpi/file_data.c presto/mpi/file_error.c presto/mpi/file_info.c
 * presto/mpi/file_make.c presto/mpi/file_read.c presto/mpi/file_view.c presto/mpi/file_write.c
 * presto/io/open.c pointer.c view.c layout.c
 *
 * Files, function by function: modes, sizes, pointers, views, representations, errors. What random
 * accesses give is in file_model.c. A plain MPI program for any number of ranks. */
#include "mt.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[4096];
static const int all_modes = MPI_MODE_CREATE | MPI_MODE_RDWR;

static MPI_File open_new(int amode)
{
    MPI_File file;
    mt_ok(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file));
    return file;
}

/* ---- opening ---- */

static void modes(void)
{
    MPI_File file;
    MPI_Comm world = MPI_COMM_WORLD;
    int amode;
    mt_class(MPI_File_open(world, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
             MPI_ERR_NO_SUCH_FILE);
    mt_class(MPI_File_open(world, path, MPI_MODE_CREATE, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    mt_class(MPI_File_open(world, path, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
             MPI_ERR_AMODE);
    mt_class(MPI_File_open(world, path, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
             MPI_ERR_AMODE);
    mt_class(MPI_File_open(world, "/", MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
    mt_class(MPI_File_open(world, "/no/such/folder/x", all_modes, MPI_INFO_NULL, &file),
             MPI_ERR_NO_SUCH_FILE);
    if (mt_size > 1) {
        mt_class(MPI_File_open(world, path, all_modes | (mt_rank == 1 ? MPI_MODE_APPEND : 0),
                               MPI_INFO_NULL, &file),
                 MPI_ERR_NOT_SAME);
    }
    mt_class(MPI_File_delete(path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    MPI_Barrier(world);

    file = open_new(all_modes | MPI_MODE_EXCL);
    mt_ok(MPI_File_get_amode(file, &amode));
    mt_equal(amode, all_modes | MPI_MODE_EXCL, "the access mode");
    mt_ok(MPI_File_close(&file));
    mt_class(MPI_File_open(world, path, all_modes | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
             MPI_ERR_FILE_EXISTS);
    mt_class(MPI_File_close(&file), MPI_ERR_FILE);
    mt_close_and_delete(open_new(MPI_MODE_RDWR), path);
}

static void modes_of_data(void)
{
    char byte = 'x';
    MPI_Status status;
    MPI_File file = open_new(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    if (mt_rank == 0) {
        mt_ok(MPI_File_write_at(file, 3, &byte, 1, MPI_BYTE, &status));
        mt_equal(mt_bytes(&status), 1, "written");
    }
    mt_class(MPI_File_read(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
    mt_ok(MPI_File_close(&file));
    file = open_new(MPI_MODE_RDONLY);
    mt_class(MPI_File_write(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
    mt_class(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY);
    byte = 0;
    mt_ok(MPI_File_read_at_all(file, 3, &byte, 1, MPI_BYTE, &status));
    mt_equal(byte, 'x', "read");
    mt_ok(MPI_File_read_at(file, 4, &byte, 1, MPI_BYTE, &status));
    mt_equal(mt_bytes(&status), 0, "behind the end");
    mt_close_and_delete(file, path);
}

/* ---- sizes and pointers ---- */

static void sizes(void)
{
    MPI_Offset size, at;
    MPI_File file = open_new(all_modes);
    mt_ok(MPI_File_set_size(file, 1000));
    mt_ok(MPI_File_get_size(file, &size));
    mt_equal(size, 1000, "set_size");
    mt_ok(MPI_File_preallocate(file, 500));
    mt_ok(MPI_File_get_size(file, &size));
    mt_equal(size, 1000, "preallocate of less");
    mt_ok(MPI_File_preallocate(file, 5000));
    mt_ok(MPI_File_get_size(file, &size));
    mt_equal(size, 5000, "preallocate");
    mt_class(MPI_File_set_size(file, -1), MPI_ERR_ARG);
    if (mt_size > 1) {
        mt_class(MPI_File_set_size(file, mt_rank), MPI_ERR_NOT_SAME);
    }
    mt_ok(MPI_File_set_size(file, 102));
    MPI_Barrier(MPI_COMM_WORLD);
    mt_ok(MPI_File_seek(file, -2, MPI_SEEK_END));
    mt_ok(MPI_File_seek(file, 1, MPI_SEEK_CUR));
    mt_ok(MPI_File_get_position(file, &at));
    mt_equal(at, 101, "the position");
    mt_class(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    mt_class(MPI_File_seek(file, 0, 7), MPI_ERR_ARG);
    mt_ok(MPI_File_get_position(file, &at));
    mt_equal(at, 101, "the position after errors");
    mt_ok(MPI_File_sync(file));
    mt_ok(MPI_File_close(&file));
    file = open_new(MPI_MODE_RDWR | MPI_MODE_APPEND);
    mt_ok(MPI_File_get_position(file, &at));
    mt_equal(at, 102, "the position with MPI_MODE_APPEND");
    mt_ok(MPI_File_get_position_shared(file, &at));
    mt_equal(at, 102, "the shared one");
    mt_close_and_delete(file, path);
}

static void far_away(void)
{
    const MPI_Offset far = (MPI_Offset)5 << 30;
    MPI_Offset size;
    int mine = mt_rank, read = -1;
    MPI_File file = open_new(all_modes);
    mt_ok(MPI_File_write_at_all(file, far + 4 * mt_rank, &mine, 1, MPI_INT, MPI_STATUS_IGNORE));
    mt_ok(MPI_File_get_size(file, &size));
    MPI_Barrier(MPI_COMM_WORLD);
    mt_ok(MPI_File_get_size(file, &size));
    mt_equal(size, far + 4 * mt_size, "a long file");
    mt_ok(MPI_File_read_at(file, far + 4 * ((mt_rank + 1) % mt_size), &read, 1, MPI_INT,
                           MPI_STATUS_IGNORE));
    mt_equal(read, (mt_rank + 1) % mt_size, "the neighbour's");
    mt_close_and_delete(file, path);
}

/* ---- the shared pointer ---- */

/* Each of a rank's records is there once. */
static void count_records(MPI_File file, int each)
{
    int total = each * mt_size, *there = calloc((size_t)total, sizeof(int));
    MPI_Offset size;
    mt_ok(MPI_File_get_size(file, &size));
    mt_equal(size, 4 * total, "the size");
    for (int i = 0; i < total; i++) {
        int value;
        mt_ok(MPI_File_read_at(file, 4 * i, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        mt_check(value >= 0 && value < total && there[value]++ == 0, "record %d", value);
    }
    free(there);
}

static void shared_pointer(void)
{
    enum { EACH = 20 };
    MPI_Request request;
    MPI_Offset at;
    int value;
    MPI_File file = open_new(all_modes);
    for (int i = 0; i < EACH; i++) {
        value = mt_rank * EACH + i;
        if (i % 2 == 0) {
            mt_ok(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        } else {
            mt_ok(MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request));
            mt_ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    count_records(file, EACH);
    mt_ok(MPI_File_get_position_shared(file, &at));
    mt_equal(at, 4 * EACH * mt_size, "the shared pointer");
    MPI_Barrier(MPI_COMM_WORLD);
    mt_ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    int sum = 0, whole = EACH * mt_size;
    for (int i = 0; i < EACH; i++) {
        mt_ok(MPI_File_read_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        sum += value;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mt_equal(sum, whole * (whole - 1) / 2, "what all have read");
    if (mt_size > 1) {
        mt_class(MPI_File_seek_shared(file, mt_rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
    }
    mt_class(MPI_File_seek_shared(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    mt_close_and_delete(file, path);
}

static void ordered(void)
{
    MPI_File file = open_new(all_modes);
    int values[64], n = mt_rank % 3 + 1, before = 0, got;
    MPI_Status status;
    MPI_Exscan(&n, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    before = mt_rank == 0 ? 0 : before;
    for (int i = 0; i < n; i++) {
        values[i] = before + i;
    }
    mt_ok(MPI_File_write_ordered(file, values, n, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &got);
    mt_equal(got, n, "written in order");
    mt_ok(MPI_File_write_ordered_begin(file, values, n, MPI_INT));
    mt_ok(MPI_File_write_ordered_end(file, values, &status));
    mt_ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    memset(values, 0xff, sizeof(values));
    mt_ok(MPI_File_read_ordered(file, values, n, MPI_INT, &status));
    for (int i = 0; i < n; i++) {
        mt_equal(values[i], before + i, "read in order");
    }
    memset(values, 0xff, sizeof(values));
    mt_ok(MPI_File_read_ordered_begin(file, values, n, MPI_INT));
    mt_class(MPI_File_read_all_begin(file, values, 1, MPI_INT), MPI_ERR_OTHER);
    mt_class(MPI_File_read_all_end(file, values, &status), MPI_ERR_OTHER);
    mt_ok(MPI_File_read_ordered_end(file, values, &status));
    for (int i = 0; i < n; i++) {
        mt_equal(values[i], before + i, "read in order, split");
    }
    mt_close_and_delete(file, path);
}

static void sequential(void)
{
    MPI_File file = open_new(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    char byte = 'a';
    MPI_Offset at;
    mt_class(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
             MPI_ERR_UNSUPPORTED_OPERATION);
    mt_class(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    mt_ok(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    mt_class(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_DISP);
    mt_ok(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native",
                            MPI_INFO_NULL));
    mt_ok(MPI_File_get_byte_offset(file, 0, &at));
    mt_equal(at, mt_size, "the displacement of the shared pointer");
    mt_close_and_delete(file, path);
}

/* ---- views ---- */

static void view_arguments(void)
{
    MPI_File file = open_new(all_modes);
    MPI_Datatype pair, backward, etype, filetype;
    MPI_Offset disp;
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Aint extent;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){3, 0}, MPI_INT, &backward);
    MPI_Type_commit(&backward);
    mt_class(MPI_File_set_view(file, 0, pair, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
    mt_class(MPI_File_set_view(file, 0, MPI_INT, backward, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
    mt_class(MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL),
             MPI_ERR_TYPE);
    mt_class(MPI_File_set_view(file, -4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_DISP);
    mt_class(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "ebcdic", MPI_INFO_NULL),
             MPI_ERR_UNSUPPORTED_DATAREP);
    mt_ok(MPI_File_set_view(file, 8, MPI_INT, pair, "internal", MPI_INFO_NULL));
    mt_ok(MPI_File_get_view(file, &disp, &etype, &filetype, rep));
    mt_check(disp == 8 && etype == MPI_INT && strcmp(rep, "internal") == 0, "the view");
    MPI_Type_get_extent(filetype, &(MPI_Aint){0}, &extent);
    mt_equal(extent, 8, "the filetype's extent");
    MPI_Type_free(&filetype);
    mt_ok(MPI_File_get_byte_offset(file, 3, &disp));
    mt_equal(disp, 20, "a byte offset");
    mt_ok(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    mt_equal(extent, sizeof(long), "the extent of a long");
    int value = 1;
    mt_class(MPI_File_write_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    mt_class(MPI_File_write_at(file, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    mt_class(MPI_File_write_at(file, 0, NULL, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    mt_class(MPI_File_write_at(file, 0, &value, 3, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    mt_ok(MPI_File_write_at(file, 0, NULL, 0, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Type_free(&pair);
    MPI_Type_free(&backward);
    mt_close_and_delete(file, path);
}

/* A matrix whose columns are dealt out lies in the file row by row. */
static void columns(void)
{
    enum { ROWS = 37, EACH = 3 };
    int sizes[2] = {ROWS, EACH * mt_size}, sub[2] = {ROWS, EACH}, start[2] = {0, EACH * mt_rank};
    int part[ROWS][EACH], *whole = calloc((size_t)(ROWS * EACH * mt_size), sizeof(int));
    MPI_Datatype type;
    MPI_File file = open_new(all_modes);
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < EACH; k++) {
            part[i][k] = i * EACH * mt_size + EACH * mt_rank + k;
        }
    }
    MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    mt_ok(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
    mt_ok(MPI_File_write_all(file, part, ROWS * EACH, MPI_INT, MPI_STATUS_IGNORE));
    memset(part, 0, sizeof(part));
    mt_ok(MPI_File_read_at_all(file, 0, part, ROWS * EACH, MPI_INT, MPI_STATUS_IGNORE));
    mt_equal(part[ROWS - 1][1], (ROWS - 1) * EACH * mt_size + EACH * mt_rank + 1, "read back");
    mt_ok(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    mt_ok(MPI_File_read_all(file, whole, ROWS * EACH * mt_size, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < ROWS * EACH * mt_size; i++) {
        mt_equal(whole[i], i, "the matrix");
    }
    MPI_Type_free(&type);
    free(whole);
    mt_close_and_delete(file, path);
}

/* Numbers that are shorter there, with gaps, and in pairs with others. */
static void external(void)
{
    struct mixed {
        long wide;
        short narrow;
        double real;
    } mixed[3] = {{-2, 3, 1.0}, {5, -6, -2.0}, {7, 8, 0.5}}, read[3];
    const unsigned char first[14] = {0xff, 0xff, 0xff, 0xfe, 0, 3, 0x3f, 0xf0};
    unsigned char raw[14];
    MPI_Datatype type, spaced;
    MPI_Aint extent;
    int n;
    MPI_Status status;
    MPI_File file = open_new(all_modes);
    MPI_Type_create_struct(3, (int[]){1, 1, 1},
                           (MPI_Aint[]){offsetof(struct mixed, wide),
                                        offsetof(struct mixed, narrow),
                                        offsetof(struct mixed, real)},
                           (MPI_Datatype[]){MPI_LONG, MPI_SHORT, MPI_DOUBLE}, &type);
    MPI_Type_commit(&type);
    MPI_Type_vector(2, 1, 2, MPI_LONG, &spaced);
    MPI_Type_commit(&spaced);
    mt_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
    mt_ok(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    mt_equal(extent, 4, "the extent of a long in external32");
    if (mt_rank == 0) {
        mt_ok(MPI_File_write_at(file, 0, mixed, 3, type, &status));
        MPI_Get_count(&status, type, &n);
        mt_equal(n, 3, "elements written");
        mt_ok(MPI_File_read_at(file, 0, raw, sizeof(raw), MPI_BYTE, &status));
        mt_check(memcmp(raw, first, sizeof(raw)) == 0, "the representation");
        memset(read, 0, sizeof(read));
        mt_ok(MPI_File_read_at(file, 0, read, 3, type, &status));
        for (int i = 0; i < 3; i++) {
            mt_check(read[i].wide == mixed[i].wide && read[i].narrow == mixed[i].narrow &&
                         read[i].real == mixed[i].real,
                     "element %d", i);
        }
    }
    /* A filetype of longs: every second one, of four bytes. */
    long longs[4] = {10, 11, 12, 13}, back[4] = {0};
    mt_ok(MPI_File_set_view(file, 100, MPI_LONG, spaced, "external32", MPI_INFO_NULL));
    if (mt_rank == 0) {
        MPI_Offset at;
        mt_ok(MPI_File_write_at(file, 0, longs, 4, MPI_LONG, &status));
        mt_ok(MPI_File_read_at(file, 0, back, 4, MPI_LONG, &status));
        mt_check(memcmp(longs, back, sizeof(longs)) == 0, "longs");
        mt_ok(MPI_File_get_byte_offset(file, 1, &at));
        mt_equal(at, 108, "the second long");
    }
    MPI_Type_free(&type);
    MPI_Type_free(&spaced);
    mt_close_and_delete(file, path);
}

/* ---- errors ---- */

static int told;

static void handler(MPI_File *file, int *code, ...)
{
    (void)file;
    MPI_Error_class(*code, &told);
}

static void handlers(void)
{
    MPI_Errhandler own, got;
    MPI_File file;
    mt_ok(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    mt_check(got == MPI_ERRORS_RETURN, "the handler of MPI_FILE_NULL");
    mt_ok(MPI_File_create_errhandler(handler, &own));
    mt_ok(MPI_File_set_errhandler(MPI_FILE_NULL, own));
    (void)MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    mt_equal(told, MPI_ERR_NO_SUCH_FILE, "the handler's class");
    file = open_new(all_modes);
    mt_ok(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    told = 0;
    (void)MPI_File_seek(file, -5, MPI_SEEK_SET);
    mt_equal(told, MPI_ERR_ARG, "the handler that the file began with");
    mt_ok(MPI_File_call_errhandler(file, MPI_ERR_QUOTA));
    mt_equal(told, MPI_ERR_QUOTA, "called");
    mt_ok(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    told = 0;
    mt_class(MPI_File_seek(file, -5, MPI_SEEK_SET), MPI_ERR_ARG);
    mt_equal(told, 0, "another handler");
    MPI_Errhandler_free(&own);
    mt_check(MPI_File_f2c(MPI_File_c2f(file)) == file, "the handle's number");
    mt_close_and_delete(file, path);
}

static void full(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    static char data[20000];
    mt_ok(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    mt_class(MPI_File_write_at(file, 0, data, 100, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    mt_equal(mt_bytes(&status), 0, "nothing was written");
    mt_class(MPI_File_write_at_all(file, 0, data, 100, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    mt_ok(MPI_File_iwrite_at(file, 0, data, 100, MPI_BYTE, &request));
    mt_class(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
    mt_ok(MPI_File_close(&file));
}

/* No signal ends the job where files may not be longer, and all hear of it. */
static void limited(void)
{
    struct rlimit was, limit;
    static char data[20000];
    MPI_Status status;
    MPI_Datatype type;
    MPI_Info info;
    getrlimit(RLIMIT_FSIZE, &was);
    limit = was;
    limit.rlim_cur = 30000;
    MPI_File file = open_new(all_modes);
    mt_ok(MPI_File_close(&file));
    setrlimit(RLIMIT_FSIZE, &limit);
    file = open_new(all_modes);
    if (mt_rank == 0) {
        mt_class(MPI_File_write_at(file, 20000, data, 20000, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
        mt_equal(mt_bytes(&status), 10000, "written up to the limit");
    }
    mt_class(MPI_File_set_size(file, 50000), MPI_ERR_NO_SPACE);
    mt_class(MPI_File_preallocate(file, 50000), MPI_ERR_NO_SPACE);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Type_vector(100, 100, 100 * mt_size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    mt_ok(MPI_File_set_view(file, 25000 + 100 * mt_rank, MPI_BYTE, type, "native", info));
    mt_class(MPI_File_write_all(file, data, 10000, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    MPI_Type_free(&type);
    MPI_Info_free(&info);
    setrlimit(RLIMIT_FSIZE, &was);
    mt_close_and_delete(file, path);
}

static void infos(void)
{
    MPI_Info info, got;
    char value[64];
    int flag;
    MPI_File file;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "65536");
    MPI_Info_set(info, "romio_cb_write", "disable");
    MPI_Info_set(info, "cb_nodes", "many");
    MPI_Info_set(info, "no_such_hint", "1");
    mt_ok(MPI_File_open(MPI_COMM_WORLD, path, all_modes, info, &file));
    MPI_Info_set(info, "romio_ds_read", "enable");
    mt_ok(MPI_File_set_info(file, info));
    mt_ok(MPI_File_get_info(file, &got));
    MPI_Info_get(got, "cb_buffer_size", 63, value, &flag);
    mt_check(flag && strcmp(value, "65536") == 0, "cb_buffer_size");
    MPI_Info_get(got, "romio_cb_write", 63, value, &flag);
    mt_check(flag && strcmp(value, "disable") == 0, "romio_cb_write");
    MPI_Info_get(got, "romio_ds_read", 63, value, &flag);
    mt_check(flag && strcmp(value, "enable") == 0, "romio_ds_read");
    MPI_Info_get(got, "cb_nodes", 63, value, &flag);
    mt_check(flag && atoi(value) == (mt_size < 8 ? mt_size : 8), "cb_nodes");
    MPI_Info_get(got, "no_such_hint", 63, value, &flag);
    mt_check(!flag, "a hint that is none");
    MPI_Info_free(&got);
    MPI_Info_free(&info);
    MPI_Group group;
    int size;
    mt_ok(MPI_File_get_group(file, &group));
    MPI_Group_size(group, &size);
    mt_equal(size, mt_size, "the group");
    MPI_Group_free(&group);
    mt_close_and_delete(file, path);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_path(path, sizeof(path), NULL, "file_calls");
    modes();
    modes_of_data();
    sizes();
    far_away();
    shared_pointer();
    ordered();
    sequential();
    view_arguments();
    columns();
    external();
    handlers();
    full();
    limited();
    infos();
    return mt_finish();
}
