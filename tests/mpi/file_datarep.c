/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: presto/io/datarep.c presto/mpi/file_datarep.c presto/io/layout.c
 *
 * Representations of the program's own, against a plain array: each round all ranks take random
 * views in which their parts do not overlap, of elements that are longer or shorter in the file,
 * and read or write. Then what is refused, and what the functions are called with.
 *
 * -n rounds (default 60), -seed S, -dir FOLDER (default $TMPDIR or /tmp)
 */
#include "mt.h"

#include <fcntl.h>
#include <unistd.h>

enum { BLOCKS = 24, FILE_MAX = 8 << 20, COUNT_MAX = 1 << 13, KINDS = 4 };

/* One element in memory: what a conversion function knows of a type, as its attribute. */
struct layout {
    int items;
    MPI_Datatype type[3];
    MPI_Aint at[3];
    MPI_Aint extent;
};

struct part {
    int blocks;
    int length[BLOCKS]; /* etypes */
    MPI_Aint at[BLOCKS];
    MPI_Aint extent;
    size_t size; /* etypes */
};

struct move {
    struct part part;
    size_t offset, count; /* etypes */
};

static unsigned char *model;
static size_t model_size;
static uint64_t shared; /* the same numbers in all ranks */
static MPI_File file;
static char path[4096];
static int key;
static long extents_asked, conversions, furthest;

static struct {
    int kind, way;
    bool write, holes, large;
    MPI_Offset disp;
    uint64_t seed;
} now;

/* ---- the representation ---- */

static size_t in_file(MPI_Datatype type)
{
    return type == MPI_INT ? 7 : type == MPI_DOUBLE ? 10 : type == MPI_LONG ? 3 : 2;
}

static size_t in_memory(MPI_Datatype type)
{
    return type == MPI_INT ? 4 : type == MPI_SHORT ? 2 : 8;
}

/* Backwards, with something before and behind; of a long the lower bytes. */
static void encode(MPI_Datatype type, const unsigned char *from, unsigned char *to)
{
    size_t native = in_memory(type), first = type == MPI_INT || type == MPI_DOUBLE;
    if (type == MPI_LONG) {
        for (int i = 0; i < 3; i++) {
            to[i] = (unsigned char)~from[i];
        }
        return;
    }
    memset(to, 0x55, in_file(type));
    for (size_t i = 0; i < native; i++) {
        to[first + i] = from[native - 1 - i];
    }
}

static void decode(MPI_Datatype type, const unsigned char *from, unsigned char *to)
{
    size_t native = in_memory(type), first = type == MPI_INT || type == MPI_DOUBLE;
    if (type == MPI_LONG) {
        memset(to, 0, native);
        for (int i = 0; i < 3; i++) {
            to[i] = (unsigned char)~from[i];
        }
        return;
    }
    for (size_t i = 0; i < native; i++) {
        to[native - 1 - i] = from[first + i];
    }
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    mt_check(extra == &key, "the extra state");
    mt_check(type == MPI_INT || type == MPI_DOUBLE || type == MPI_LONG || type == MPI_SHORT,
             "only predefined types are asked about");
    *extent = (MPI_Aint)in_file(type);
    extents_asked++;
    return MPI_SUCCESS;
}

static int convert(bool write, unsigned char *user, MPI_Datatype type, MPI_Count count,
                   unsigned char *bytes, MPI_Offset position, void *extra)
{
    struct layout *layout = NULL;
    int flag = 0;
    mt_check(extra == &key, "the extra state");
    MPI_Type_get_attr(type, key, &layout, &flag);
    mt_check(flag && count > 0, "the program's type");
    for (MPI_Count i = 0; i < count; i++, position++) {
        int item = (int)(position % layout->items);
        unsigned char *at = user + position / layout->items * layout->extent + layout->at[item];
        if (write) {
            encode(layout->type[item], at, bytes);
        } else {
            decode(layout->type[item], bytes, at);
        }
        bytes += in_file(layout->type[item]);
    }
    conversions++;
    furthest = position > furthest ? (long)position : furthest;
    return MPI_SUCCESS;
}

static int read_plain(void *user, MPI_Datatype type, int count, void *bytes, MPI_Offset position,
                      void *extra)
{
    return convert(false, user, type, count, bytes, position, extra);
}

static int write_plain(void *user, MPI_Datatype type, int count, void *bytes, MPI_Offset position,
                       void *extra)
{
    return convert(true, user, type, count, bytes, position, extra);
}

static int read_large(void *user, MPI_Datatype type, MPI_Count count, void *bytes,
                      MPI_Offset position, void *extra)
{
    return convert(false, user, type, count, bytes, position, extra);
}

static int write_large(void *user, MPI_Datatype type, MPI_Count count, void *bytes,
                       MPI_Offset position, void *extra)
{
    return convert(true, user, type, count, bytes, position, extra);
}

/* ---- types ---- */

static void describe(struct layout *layout)
{
    static const struct layout plain[KINDS] = {
        {1, {MPI_INT}, {0}, 4},
        {1, {MPI_DOUBLE}, {0}, 8},
        {3, {MPI_SHORT, MPI_INT, MPI_DOUBLE}, {0, 4, 8}, 16},
        {1, {MPI_LONG}, {0}, 8},
    };
    *layout = plain[now.kind];
    layout->extent *= now.holes ? 3 : 1;
}

static size_t unit_of(const struct layout *layout)
{
    size_t bytes = 0;
    for (int i = 0; i < layout->items; i++) {
        bytes += in_file(layout->type[i]);
    }
    return bytes;
}

static MPI_Datatype structure(const struct layout *layout, bool of_file)
{
    MPI_Datatype made, type;
    MPI_Aint at[3] = {0}, behind = 0;
    for (int i = 0; i < layout->items; i++) {
        at[i] = of_file ? behind : layout->at[i];
        behind += (MPI_Aint)in_file(layout->type[i]);
    }
    MPI_Type_create_struct(layout->items, (int[]){1, 1, 1}, at, layout->type, &made);
    MPI_Type_create_resized(made, 0, of_file ? behind : layout->extent, &type);
    MPI_Type_free(&made);
    MPI_Type_commit(&type);
    return type;
}

static void set_view(const struct part *part, const struct layout *layout)
{
    MPI_Datatype etype, blocks, filetype;
    long asked = extents_asked;
    if (layout->items == 1) {
        MPI_Type_dup(layout->type[0], &etype);
    } else {
        etype = structure(layout, true);
    }
    MPI_Type_create_hindexed(part->blocks, part->length, part->at, etype, &blocks);
    MPI_Type_create_resized(blocks, 0, part->extent, &filetype);
    MPI_Type_commit(&filetype);
    mt_ok(MPI_File_set_view(file, now.disp, etype, filetype, now.large ? "mine, large" : "mine",
                            MPI_INFO_NULL));
    mt_equal(extents_asked, asked, "extents that are asked for by MPI_File_set_view");
    MPI_Type_free(&etype);
    MPI_Type_free(&blocks);
    MPI_Type_free(&filetype);
}

/* ---- the naive reference ---- */

static size_t place_of(const struct part *part, size_t unit, size_t i)
{
    size_t etype = i / unit, tile = etype / part->size, left = etype % part->size;
    int block = 0;
    while (left >= (size_t)part->length[block]) {
        left -= (size_t)part->length[block++];
    }
    return (size_t)now.disp + tile * (size_t)part->extent + (size_t)part->at[block] + left * unit +
           i % unit;
}

static void model_write(const struct move *move, const struct layout *layout, unsigned char *memory)
{
    size_t unit = unit_of(layout), i = move->offset * unit;
    for (size_t e = 0; e < move->count; e++) {
        for (int k = 0; k < layout->items; k++) {
            unsigned char bytes[16];
            encode(layout->type[k], memory + e * (size_t)layout->extent + layout->at[k], bytes);
            for (size_t b = 0; b < in_file(layout->type[k]); b++, i++) {
                size_t place = place_of(&move->part, unit, i);
                model[place] = bytes[b];
                model_size = place >= model_size ? place + 1 : model_size;
            }
        }
    }
}

/* How many etypes there are. */
static size_t model_read(const struct move *move, const struct layout *layout,
                         unsigned char *memory)
{
    size_t unit = unit_of(layout), i = move->offset * unit;
    for (size_t e = 0; e < move->count; e++) {
        if (place_of(&move->part, unit, i + unit - 1) >= model_size) {
            return e;
        }
        for (int k = 0; k < layout->items; k++) {
            unsigned char bytes[16];
            for (size_t b = 0; b < in_file(layout->type[k]); b++, i++) {
                bytes[b] = model[place_of(&move->part, unit, i)];
            }
            decode(layout->type[k], bytes, memory + e * (size_t)layout->extent + layout->at[k]);
        }
    }
    return move->count;
}

/* ---- rounds ---- */

static int one_of(int n)
{
    return (int)mt_below(&shared, (uint64_t)n);
}

static void plan(struct move *move, const struct layout *layout)
{
    MPI_Aint at = 0, unit = (MPI_Aint)unit_of(layout);
    for (int r = 0; r < mt_size; r++) {
        move[r].part.blocks = 0;
        move[r].part.size = 0;
    }
    for (int i = 0; i < BLOCKS; i++) {
        struct part *part = &move[i < mt_size ? i : one_of(mt_size)].part;
        at += one_of(3) == 0 ? one_of(20) : 0;
        part->at[part->blocks] = at;
        part->length[part->blocks] = 1 + one_of(40);
        part->size += (size_t)part->length[part->blocks];
        at += part->length[part->blocks++] * unit;
    }
    for (int r = 0; r < mt_size; r++) {
        move[r].part.extent = at;
        move[r].offset = (size_t)one_of(6) * (size_t)one_of(50);
        move[r].count = one_of(8) == 0 ? 0 : (size_t)one_of((int)(4 * move[r].part.size));
        move[r].count = move[r].count < COUNT_MAX ? move[r].count : COUNT_MAX;
    }
}

static void fill(unsigned char *memory, const struct layout *layout, size_t count, uint64_t seed)
{
    mt_fill(memory, count * (size_t)layout->extent, seed);
    for (size_t e = 0; layout->type[0] == MPI_LONG && e < count; e++) {
        long value = (long)(mt_seed(seed, e, 0, 0) & 0xffffff);
        memcpy(memory + e * (size_t)layout->extent, &value, sizeof(value));
    }
}

static int move_data(MPI_Offset at, void *buf, int count, MPI_Datatype type, MPI_Status *status)
{
    MPI_Request request;
    switch (now.way) {
    case 0:
        return now.write ? MPI_File_write_at(file, at, buf, count, type, status)
                         : MPI_File_read_at(file, at, buf, count, type, status);
    case 1:
        return now.write ? MPI_File_write_at_all(file, at, buf, count, type, status)
                         : MPI_File_read_at_all(file, at, buf, count, type, status);
    case 2:
        mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
        return now.write ? MPI_File_write_all(file, buf, count, type, status)
                         : MPI_File_read_all(file, buf, count, type, status);
    case 3:
        mt_ok(now.write ? MPI_File_iwrite_at(file, at, buf, count, type, &request)
                        : MPI_File_iread_at(file, at, buf, count, type, &request));
        return MPI_Wait(&request, status);
    default:
        mt_ok(now.write ? MPI_File_write_at_all_begin(file, at, buf, count, type)
                        : MPI_File_read_at_all_begin(file, at, buf, count, type));
        return now.write ? MPI_File_write_at_all_end(file, buf, status)
                         : MPI_File_read_at_all_end(file, buf, status);
    }
}

static void compare_file(void)
{
    unsigned char *bytes = mt_alloc(FILE_MAX);
    int fd = open(path, O_RDONLY);
    ssize_t size = pread(fd, bytes, FILE_MAX, 0);
    close(fd);
    mt_equal((long long)size, (long long)model_size, "the size of the file");
    mt_check(memcmp(bytes, model, model_size) == 0, "the file (kind %d, way %d)", now.kind,
             now.way);
    mt_free(bytes);
}

static void round_of(struct move *move, unsigned char *memory, unsigned char *wanted)
{
    struct move *own = &move[mt_rank];
    struct layout layout;
    MPI_Offset at;
    MPI_Status status;
    int got;

    now.kind = one_of(KINDS);
    now.way = one_of(5);
    now.write = one_of(3) > 0;
    now.holes = one_of(2) == 0;
    now.large = one_of(3) == 0;
    now.disp = one_of(1000);
    now.seed = mt_next(&shared);
    describe(&layout);
    plan(move, &layout);
    MPI_Datatype type = structure(&layout, false);
    MPI_Type_set_attr(type, key, &layout);
    set_view(&own->part, &layout);
    size_t there = own->count, bytes = own->count * (size_t)layout.extent;
    if (now.write) {
        for (int r = 0; r < mt_size; r++) {
            fill(wanted, &layout, move[r].count, mt_seed(now.seed, (uint64_t)r, 0, 0));
            model_write(&move[r], &layout, wanted);
        }
        fill(memory, &layout, own->count, mt_seed(now.seed, (uint64_t)mt_rank, 0, 0));
        mt_ok(move_data((MPI_Offset)own->offset, memory, (int)own->count, type, &status));
    } else {
        memset(memory, 0xee, bytes);
        memset(wanted, 0xee, bytes);
        there = model_read(own, &layout, wanted);
        mt_ok(move_data((MPI_Offset)own->offset, memory, (int)own->count, type, &status));
        mt_check(memcmp(memory, wanted, bytes) == 0, "what was read (kind %d, way %d)", now.kind,
                 now.way);
    }
    MPI_Get_count(&status, type, &got);
    mt_equal(got, (long long)there, "etypes in the status (kind %d, way %d)", now.kind, now.way);
    mt_ok(MPI_File_get_byte_offset(file, 7, &at));
    mt_equal(at, (long long)place_of(&own->part, unit_of(&layout), 7 * unit_of(&layout)),
             "a byte offset");
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == 0) {
        compare_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what is refused, and what functions are called with ---- */

static int fail_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    (void)type;
    *extent = 4;
    return extra == NULL ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int fail_convert(void *user, MPI_Datatype type, int count, void *bytes, MPI_Offset position,
                        void *extra)
{
    (void)user, (void)type, (void)count, (void)bytes, (void)position, (void)extra;
    return MPI_ERR_OTHER;
}

static void refuse(void)
{
    char name[MPI_MAX_DATAREP_STRING + 1];
    int value = 1;
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    mt_class(MPI_Register_datarep("mine", read_plain, write_plain, extent_of, &key),
             MPI_ERR_DUP_DATAREP);
    mt_class(MPI_Register_datarep("external32", read_plain, write_plain, extent_of, &key),
             MPI_ERR_DUP_DATAREP);
    mt_class(MPI_Register_datarep(name, read_plain, write_plain, extent_of, &key), MPI_ERR_ARG);
    mt_class(MPI_Register_datarep("none", read_plain, write_plain, NULL, &key), MPI_ERR_ARG);
    mt_class(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "none", MPI_INFO_NULL),
             MPI_ERR_UNSUPPORTED_DATAREP);
    mt_ok(MPI_Register_datarep("fails", fail_convert, fail_convert, fail_extent, NULL));
    mt_ok(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "fails", MPI_INFO_NULL));
    mt_class(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
    mt_class(MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
    mt_ok(MPI_Register_datarep("has no extents", fail_convert, fail_convert, fail_extent, &key));
    mt_ok(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "has no extents", MPI_INFO_NULL));
    mt_class(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_CONVERSION);
}

static void call_with(void)
{
    enum { MANY = 1 << 18 }; /* more than is converted at once */
    struct layout layout = {1, {MPI_INT}, {0}, 4};
    char name[MPI_MAX_DATAREP_STRING];
    int *out = calloc(MANY, sizeof(*out)), *in = calloc(MANY, sizeof(*in)), raw = 0;
    MPI_Datatype type, etype, filetype;
    MPI_Offset disp;
    MPI_Aint extent;

    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_set_attr(type, key, &layout);
    mt_ok(MPI_File_set_view(file, (MPI_Offset)mt_rank * 8 * MANY, MPI_INT, MPI_INT, "mine",
                            MPI_INFO_NULL));
    mt_ok(MPI_File_get_view(file, &disp, &etype, &filetype, name));
    mt_check(strcmp(name, "mine") == 0, "the name of the representation");
    mt_ok(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    mt_equal(extent, 10, "the extent of a double");
    for (int i = 0; i < MANY; i++) {
        out[i] = i * 3 + mt_rank;
    }
    conversions = furthest = 0;
    mt_ok(MPI_File_write_at(file, 0, out, MANY, type, MPI_STATUS_IGNORE));
    mt_ok(MPI_File_read_at(file, 0, in, MANY, type, MPI_STATUS_IGNORE));
    mt_check(memcmp(in, out, MANY * sizeof(*out)) == 0, "many elements");
    mt_check(conversions > 2 && furthest == MANY, "pieces, with a position");
    MPI_Type_free(&type);
    /* Without functions it is as in memory. */
    mt_ok(MPI_Register_datarep("as it is", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                               extent_of, &key));
    mt_ok(MPI_File_set_view(file, (MPI_Offset)mt_rank * 8 * MANY, MPI_INT, MPI_INT, "as it is",
                            MPI_INFO_NULL));
    mt_ok(MPI_File_write_at(file, 1, &out[77], 1, MPI_INT, MPI_STATUS_IGNORE));
    mt_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    mt_ok(MPI_File_read_at(file, (MPI_Offset)mt_rank * 8 * MANY + 4, &raw, 4, MPI_BYTE,
                           MPI_STATUS_IGNORE));
    mt_equal(raw, out[77], "without conversion");
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    long rounds = mt_option(argc, argv, "-n", 60);
    shared = mt_seed((uint64_t)mt_option(argc, argv, "-seed", 1), 0, 0, 0);
    mt_path(path, sizeof(path), mt_text(argc, argv, "-dir"), "file_datarep");
    model = calloc(1, FILE_MAX);
    struct move *move = calloc((size_t)mt_size, sizeof(*move));
    unsigned char *memory = mt_alloc(COUNT_MAX * 48), *wanted = mt_alloc(COUNT_MAX * 48);

    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    mt_ok(MPI_Register_datarep("mine", read_plain, write_plain, extent_of, &key));
    mt_ok(MPI_Register_datarep_c("mine, large", read_large, write_large, extent_of, &key));
    mt_ok(MPI_File_open(MPI_COMM_WORLD, path,
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file));
    for (long i = 0; i < rounds; i++) {
        round_of(move, memory, wanted);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    refuse();
    call_with();
    mt_ok(MPI_File_close(&file));
    MPI_Type_free_keyval(&key);
    mt_free(memory);
    mt_free(wanted);
    free(move);
    free(model);
    return mt_finish();
}
