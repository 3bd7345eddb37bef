/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: presto/io/data.c collective.c exchange.c aggregate.c view.c presto/type/runs.c
 *
 * Files against a plain array: each round all ranks take random views in which their parts do not
 * overlap, and read or write by one of the ways that MPI has. What every rank writes is known to
 * all, so that each has the whole file in memory; rank 0 compares it with the file byte by byte.
 *
 * -n rounds (default 60), -seed S, -dir FOLDER (default $TMPDIR or /tmp)
 */
#include "mt.h"

#include <fcntl.h>
#include <unistd.h>

enum { BLOCKS = 24, FILE_MAX = 4 << 20, DATA_MAX = 1 << 18 };

static unsigned char *model;
static size_t model_size;
static uint64_t shared; /* the same numbers in all ranks */
static MPI_File file;
static char path[4096];

/* One rank's part of a tile. */
struct part {
    int blocks;
    int length[BLOCKS]; /* bytes */
    MPI_Aint at[BLOCKS];
    MPI_Aint extent;
    size_t size;
};

/* What a rank does in a round. */
struct move {
    struct part part;
    size_t offset, count; /* etypes */
};

static struct {
    int unit; /* bytes of an etype */
    MPI_Offset disp;
    bool write, external, holes, atomic;
    int way;
    uint64_t seed;
} now;

enum { WAYS = 10 };

/* ---- the naive reference ---- */

/* Where byte `i` of a rank's stream is in the file. */
static size_t place_of(const struct part *part, size_t i)
{
    size_t tile = i / part->size, left = i % part->size;
    int block = 0;
    while (left >= (size_t)part->length[block]) {
        left -= (size_t)part->length[block++];
    }
    return (size_t)now.disp + tile * (size_t)part->extent + (size_t)part->at[block] + left;
}

/* Byte i of data in memory is byte swapped(i) in the file. */
static size_t swapped(size_t i)
{
    return now.external ? i / 4 * 4 + 3 - i % 4 : i;
}

static void model_write(const struct move *move, const unsigned char *data)
{
    size_t bytes = move->count * (size_t)now.unit, from = move->offset * (size_t)now.unit;
    for (size_t i = 0; i < bytes; i++) {
        size_t place = place_of(&move->part, from + swapped(i));
        model[place] = data[i];
        model_size = place >= model_size ? place + 1 : model_size;
    }
}

/* How many bytes there are up to the end of the file. */
static size_t model_read(const struct move *move, unsigned char *data)
{
    size_t bytes = move->count * (size_t)now.unit, from = move->offset * (size_t)now.unit,
           there = 0;
    while (there < bytes && place_of(&move->part, from + there) < model_size) {
        there++;
    }
    there = now.external ? there / 4 * 4 : there;
    for (size_t i = 0; i < there; i++) {
        data[i] = model[place_of(&move->part, from + swapped(i))];
    }
    return there;
}

/* ---- what all do ---- */

static int one_of(int n)
{
    return (int)mt_below(&shared, (uint64_t)n);
}

/* Deals the blocks of a tile to the ranks. */
static void deal(struct move *move)
{
    int longest = (int[]){4, 40, 600, 20000}[one_of(4)] / now.unit + 1;
    int blocks = mt_size * (1 + one_of(4));
    MPI_Aint at = 0;
    blocks = blocks < BLOCKS ? blocks : BLOCKS;
    for (int r = 0; r < mt_size; r++) {
        move[r].part.blocks = 0;
        move[r].part.size = 0;
    }
    for (int i = 0; i < blocks || i < mt_size; i++) {
        /* Each rank gets one at least. */
        int owner = i < mt_size ? i : one_of(mt_size), length = (1 + one_of(longest)) * now.unit;
        struct part *part = &move[owner].part;
        at += one_of(3) == 0 ? one_of(3) * now.unit : 0;
        part->at[part->blocks] = at;
        part->length[part->blocks++] = length;
        part->size += (size_t)length;
        at += length;
    }
    for (int r = 0; r < mt_size; r++) {
        move[r].part.extent = at;
    }
}

static void plan(struct move *move)
{
    now.external = one_of(5) == 0;
    now.unit = now.external ? 4 : (int[]){1, 4, 12}[one_of(3)];
    now.disp = one_of(1000);
    now.write = one_of(3) > 0;
    now.holes = one_of(2) == 0;
    now.atomic = one_of(6) == 0;
    now.way = one_of(WAYS);
    now.seed = mt_next(&shared);
    deal(move);
    for (int r = 0; r < mt_size; r++) {
        size_t tiles = 1 + (size_t)one_of(4);
        size_t most = tiles * move[r].part.size;
        most = (most < DATA_MAX ? most : DATA_MAX) / (size_t)now.unit;
        move[r].offset = (size_t)one_of(6) * (size_t)one_of(100);
        move[r].count = one_of(8) == 0 ? 0 : mt_below(&shared, most + 1);
    }
}

static MPI_Info hints(void)
{
    static const char *const choices[] = {"enable", "disable", "automatic"};
    static const char *const sizes[] = {"4096", "10000", "1048576"};
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", choices[one_of(3)]);
    MPI_Info_set(info, "romio_cb_write", choices[one_of(3)]);
    MPI_Info_set(info, "romio_ds_read", choices[one_of(3)]);
    MPI_Info_set(info, "cb_buffer_size", sizes[one_of(3)]);
    MPI_Info_set(info, "ind_rd_buffer_size", sizes[one_of(3)]);
    MPI_Info_set(info, "cb_nodes", one_of(2) == 0 ? "1" : "7");
    return info;
}

static void set_view(const struct part *part)
{
    MPI_Datatype etype, blocks, filetype;
    int length[BLOCKS];
    MPI_Info info = hints();
    if (now.unit == 12) {
        MPI_Type_contiguous(3, MPI_INT, &etype);
    } else {
        MPI_Type_dup(now.unit == 4 ? MPI_INT : MPI_BYTE, &etype);
    }
    MPI_Type_commit(&etype);
    for (int i = 0; i < part->blocks; i++) {
        length[i] = part->length[i] / now.unit;
    }
    MPI_Type_create_hindexed(part->blocks, length, part->at, etype, &blocks);
    MPI_Type_create_resized(blocks, 0, part->extent, &filetype);
    MPI_Type_commit(&filetype);
    mt_ok(MPI_File_set_atomicity(file, now.atomic));
    mt_ok(MPI_File_set_view(file, now.disp, etype, filetype, now.external ? "external32" : "native",
                            info));
    MPI_Type_free(&etype);
    MPI_Type_free(&blocks);
    MPI_Type_free(&filetype);
    MPI_Info_free(&info);
}

/* The program's memory: etypes next to each other, or with as much between them. */
static void memory_type(MPI_Datatype *type)
{
    MPI_Datatype unit;
    if (now.unit == 1) {
        MPI_Type_dup(MPI_BYTE, &unit);
    } else {
        MPI_Type_contiguous(now.unit / 4, MPI_INT, &unit);
    }
    MPI_Type_create_resized(unit, 0, now.holes ? 2 * now.unit : now.unit, type);
    MPI_Type_commit(type);
    MPI_Type_free(&unit);
}

static void spread(const unsigned char *data, unsigned char *memory, size_t count, bool back)
{
    size_t unit = (size_t)now.unit, step = now.holes ? 2 * unit : unit;
    for (size_t i = 0; i < count; i++) {
        if (back) {
            memcpy((unsigned char *)data + i * unit, memory + i * step, unit);
        } else {
            memcpy(memory + i * step, data + i * unit, unit);
        }
    }
}

/* ---- the ways ---- */

static int do_read(MPI_Offset at, void *buf, int count, MPI_Datatype type, MPI_Status *status)
{
    MPI_Request request;
    int rc;
    switch (now.way) {
    case 0:
        return MPI_File_read_at(file, at, buf, count, type, status);
    case 1:
        return MPI_File_read_at_all(file, at, buf, count, type, status);
    case 2:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        return MPI_File_read(file, buf, count, type, status);
    case 3:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        return MPI_File_read_all(file, buf, count, type, status);
    case 4:
        rc = MPI_File_iread_at(file, at, buf, count, type, &request);
        break;
    case 5:
        rc = MPI_File_iread_at_all(file, at, buf, count, type, &request);
        break;
    case 6:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        rc = MPI_File_iread(file, buf, count, type, &request);
        break;
    case 7:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        rc = MPI_File_iread_all(file, buf, count, type, &request);
        break;
    case 8:
        mt_ok(MPI_File_read_at_all_begin(file, at, buf, count, type));
        return MPI_File_read_at_all_end(file, buf, status);
    default:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        mt_ok(MPI_File_read_all_begin(file, buf, count, type));
        return MPI_File_read_all_end(file, buf, status);
    }
    mt_ok(rc);
    return MPI_Wait(&request, status);
}

static int do_write(MPI_Offset at, const void *buf, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    MPI_Request request;
    int rc;
    switch (now.way) {
    case 0:
        return MPI_File_write_at(file, at, buf, count, type, status);
    case 1:
        return MPI_File_write_at_all(file, at, buf, count, type, status);
    case 2:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        return MPI_File_write(file, buf, count, type, status);
    case 3:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        return MPI_File_write_all(file, buf, count, type, status);
    case 4:
        rc = MPI_File_iwrite_at(file, at, buf, count, type, &request);
        break;
    case 5:
        rc = MPI_File_iwrite_at_all(file, at, buf, count, type, &request);
        break;
    case 6:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        rc = MPI_File_iwrite(file, buf, count, type, &request);
        break;
    case 7:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        rc = MPI_File_iwrite_all(file, buf, count, type, &request);
        break;
    case 8:
        mt_ok(MPI_File_write_at_all_begin(file, at, buf, count, type));
        return MPI_File_write_at_all_end(file, buf, status);
    default:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        mt_ok(MPI_File_write_all_begin(file, buf, count, type));
        return MPI_File_write_all_end(file, buf, status);
    }
    mt_ok(rc);
    return MPI_Wait(&request, status);
}

static bool has_pointer(void)
{
    return now.way == 2 || now.way == 3 || now.way == 6 || now.way == 7 || now.way == 9;
}

/* ---- rounds ---- */

static void compare_file(void)
{
    unsigned char *bytes = mt_alloc(FILE_MAX);
    int fd = open(path, O_RDONLY);
    ssize_t size = pread(fd, bytes, FILE_MAX, 0);
    close(fd);
    mt_equal((long long)size, (long long)model_size, "the size of the file");
    for (size_t i = 0; i < model_size; i++) {
        if (bytes[i] != model[i]) {
            mt_fail("byte %zu of the file is %d, not %d (way %d)", i, bytes[i], model[i], now.way);
        }
    }
    mt_check(true, "the file");
    mt_free(bytes);
}

static void round_of(struct move *move, unsigned char *data, unsigned char *memory)
{
    struct move *own = &move[mt_rank];
    MPI_Datatype type;
    MPI_Status status;
    int got;
    size_t there = own->count * (size_t)now.unit;

    set_view(&own->part);
    memory_type(&type);
    if (now.write) {
        for (int r = 0; r < mt_size; r++) {
            mt_fill(data, move[r].count * (size_t)now.unit, mt_seed(now.seed, (uint64_t)r, 0, 0));
            model_write(&move[r], data);
        }
        mt_fill(data, there, mt_seed(now.seed, (uint64_t)mt_rank, 0, 0));
        spread(data, memory, own->count, false);
        mt_ok(do_write((MPI_Offset)own->offset, memory, (int)own->count, type, &status));
    } else {
        memset(memory, 0xee, 2 * DATA_MAX);
        there = model_read(own, data);
        mt_ok(do_read((MPI_Offset)own->offset, memory, (int)own->count, type, &status));
        unsigned char *read = mt_alloc(DATA_MAX);
        spread(read, memory, own->count, true);
        mt_check(memcmp(read, data, there) == 0, "what was read (way %d)", now.way);
        mt_free(read);
    }
    MPI_Get_elements(&status, MPI_BYTE, &got);
    mt_equal(got, (long long)there, "bytes in the status (way %d)", now.way);
    if (has_pointer()) {
        MPI_Offset at;
        mt_ok(MPI_File_get_position(file, &at));
        mt_equal(at, (long long)(own->offset + own->count), "the pointer");
    }
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == 0) {
        compare_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    long rounds = mt_option(argc, argv, "-n", 60);
    shared = mt_seed((uint64_t)mt_option(argc, argv, "-seed", 1), 0, 0, 0);
    mt_path(path, sizeof(path), mt_text(argc, argv, "-dir"), "file_model");
    model = calloc(1, FILE_MAX);
    struct move *move = calloc((size_t)mt_size, sizeof(*move));
    unsigned char *data = mt_alloc(DATA_MAX), *memory = mt_alloc(2 * DATA_MAX);

    mt_ok(MPI_File_open(MPI_COMM_WORLD, path,
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
    for (long i = 0; i < rounds; i++) {
        plan(move);
        round_of(move, data, memory);
    }
    mt_ok(MPI_File_close(&file));
    mt_check(access(path, F_OK) != 0, "the file is gone");
    mt_free(data);
    mt_free(memory);
    free(move);
    free(model);
    return mt_finish();
}
