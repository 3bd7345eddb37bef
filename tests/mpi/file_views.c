/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: presto/io/view.c presto/type/runs.c presto/mpi/file_view.c
 *
 * Views that are legal though their filetypes overlap: with the next one of the row, when only one
 * of them is used, and in themselves, when the file is only read.
 *
 * -dir FOLDER (default $TMPDIR or /tmp)
 */
#include "mt.h"

enum { INTS = 4096, HEAD = 32, LANES = 6, FAR = 2048, MOST = HEAD + LANES * (int)sizeof(int) };

static char path[4096];

static MPI_File open_file(int mode)
{
    MPI_File file;

    mt_ok(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file));
    return file;
}

static void look(MPI_File file, const char *hint, MPI_Datatype etype, MPI_Datatype type)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", hint);
    MPI_Info_set(info, "romio_cb_read", hint);
    mt_ok(MPI_File_set_view(file, 0, etype, type, "native", info));
    MPI_Info_free(&info);
}

/* ---- tiles that overlap, of which one is used -------------------------------------------------
 */

/* 32 bytes for each rank at the beginning, then single ints in turn. Only the second part has
 * marked bounds, so that the whole has that one's, though it begins before. */
static MPI_Datatype two_parts(void)
{
    const int lengths[] = {HEAD, 1};
    const MPI_Aint places[] = {HEAD * mt_rank, FAR + (MPI_Aint)sizeof(int) * mt_rank};
    MPI_Datatype ints, marked, type, types[2];

    MPI_Type_vector(LANES, 1, mt_size, MPI_INT, &ints);
    MPI_Type_create_resized(ints, 0, 8, &marked);
    types[0] = MPI_BYTE;
    types[1] = marked;
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&ints);
    MPI_Type_free(&marked);
    return type;
}

static unsigned char byte_of(int rank, int i)
{
    return (unsigned char)(rank * 37 + i * 5 + 1);
}

static int place_of(int rank, int i)
{
    int lane = (i - HEAD) / (int)sizeof(int);

    return i < HEAD ? HEAD * rank + i
                    : FAR + (lane * mt_size + rank) * (int)sizeof(int) + i % (int)sizeof(int);
}

static void check_file(void)
{
    static unsigned char all[FAR + 1024 * sizeof(int)];
    MPI_File file = open_file(MPI_MODE_RDONLY);

    mt_ok(MPI_File_read_at(file, 0, all, sizeof(all), MPI_BYTE, MPI_STATUS_IGNORE));
    for (int rank = 0; rank < mt_size; rank++) {
        for (int i = 0; i < MOST; i++) {
            mt_equal(all[place_of(rank, i)], byte_of(rank, i), "byte %d of rank %d", i, rank);
        }
    }
    mt_ok(MPI_File_close(&file));
}

static void use_once(const char *hint, bool together)
{
    unsigned char data[MOST], got[MOST];
    MPI_Datatype type = two_parts();
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Offset place;

    mt_ok(MPI_File_set_size(file, 0));
    look(file, hint, MPI_BYTE, type);
    for (int i = 0; i < MOST; i++) {
        data[i] = byte_of(mt_rank, i);
    }
    /* in two accesses, the second one from the middle of an int */
    if (together) {
        mt_ok(MPI_File_write_at_all(file, 0, data, HEAD + 6, MPI_BYTE, MPI_STATUS_IGNORE));
        mt_ok(MPI_File_write_at_all(file, HEAD + 6, data + HEAD + 6, MOST - HEAD - 6, MPI_BYTE,
                                    MPI_STATUS_IGNORE));
    } else {
        mt_ok(MPI_File_write_at(file, 0, data, MOST, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    mt_ok(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    memset(got, 0, sizeof(got));
    if (together) {
        mt_ok(MPI_File_read_at_all(file, 0, got, MOST, MPI_BYTE, MPI_STATUS_IGNORE));
    } else {
        mt_ok(MPI_File_read_at(file, 0, got, MOST, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    mt_equal(memcmp(got, data, MOST), 0, "what was written");
    mt_ok(MPI_File_get_byte_offset(file, HEAD + 4, &place));
    mt_equal(place, place_of(mt_rank, HEAD + 4), "byte offset");
    mt_ok(MPI_File_close(&file));
    MPI_Type_free(&type);
    check_file();
}

/* ---- files that are only read ------------------------------------------------------------------
 */

static void fill(void)
{
    static int all[INTS];
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);

    for (int i = 0; i < INTS; i++) {
        all[i] = 3 * i;
    }
    if (mt_rank == 0) {
        mt_ok(MPI_File_write_at(file, 0, all, INTS, MPI_INT, MPI_STATUS_IGNORE));
    }
    mt_ok(MPI_File_close(&file));
}

/* Two ints each, of which the second is the first of the next two. */
static void read_pairs(MPI_File file, const char *hint)
{
    int got[2 * LANES];
    MPI_Datatype type;

    MPI_Type_create_hvector(LANES, 2, sizeof(int), MPI_INT, &type);
    MPI_Type_commit(&type);
    look(file, hint, MPI_INT, type);
    mt_ok(MPI_File_read_at_all(file, 0, got, 2 * LANES, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * LANES; i++) {
        mt_equal(got[i], 3 * (i / 2 + i % 2), "int %d of pairs", i);
    }
    MPI_Type_free(&type);
}

/* A window of four ints that moves on by one, used three times. */
static void read_windows(MPI_File file, const char *hint)
{
    int got[12];
    MPI_Datatype four, type;

    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_create_resized(four, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    look(file, hint, MPI_INT, type);
    mt_ok(MPI_File_read_at_all(file, 4 * mt_rank, got, 12, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < 12; i++) {
        mt_equal(got[i], 3 * (mt_rank + i / 4 + i % 4), "int %d of windows", i);
    }
    MPI_Type_free(&four);
    MPI_Type_free(&type);
}

/* Nobody may write through such a view; nor is it one whose data goes back. */
static void refuse(void)
{
    const int backward[] = {4, 0};
    MPI_File file = open_file(MPI_MODE_RDWR), only = open_file(MPI_MODE_RDONLY);
    MPI_Datatype pairs, turned;

    MPI_Type_create_hvector(LANES, 2, sizeof(int), MPI_INT, &pairs);
    MPI_Type_create_indexed_block(2, 1, backward, MPI_INT, &turned);
    MPI_Type_commit(&pairs);
    MPI_Type_commit(&turned);
    mt_class(MPI_File_set_view(file, 0, MPI_INT, pairs, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
    mt_class(MPI_File_set_view(only, 0, MPI_INT, turned, "native", MPI_INFO_NULL), MPI_ERR_TYPE);
    MPI_Type_free(&pairs);
    MPI_Type_free(&turned);
    mt_ok(MPI_File_close(&file));
    mt_ok(MPI_File_close(&only));
}

int main(int argc, char **argv)
{
    static const char *const hints[] = {"automatic", "enable", "disable"};
    const char *folder = getenv("TMPDIR");

    mt_init(&argc, &argv);
    if (mt_text(argc, argv, "-dir") != NULL) {
        folder = mt_text(argc, argv, "-dir");
    }
    if (mt_rank == 0) {
        snprintf(path, sizeof(path), "%s/file_views.%d", folder != NULL ? folder : "/tmp",
                 (int)(MPI_Wtime() * 1e6) & 0xffffff);
    }
    MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        use_once(hints[i], false);
        use_once(hints[i], true);
    }
    fill();
    MPI_File file = open_file(MPI_MODE_RDONLY);
    for (int i = 0; i < 3; i++) {
        read_pairs(file, hints[i]);
        read_windows(file, hints[i]);
    }
    mt_ok(MPI_File_close(&file));
    refuse();
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == 0) {
        mt_ok(MPI_File_delete(path, MPI_INFO_NULL));
    }
    return mt_finish();
}
