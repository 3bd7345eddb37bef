/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_match/buffer.c. */
/* Pack and Unpack of every layout, at once and in pieces; packed messages against typed ones. */
#include "dt.h"

enum { TAG = 14, BACKGROUND = 7 };

static int packed_size(int count, MPI_Datatype type)
{
    int n;

    MPI_Pack_size(count, type, MPI_COMM_WORLD, &n);
    return n;
}

/* Packed element by element, unpacked all at once into another memory of the same layout. */
static void round_trip(const struct dt *t, int count)
{
    int room = packed_size(1, t->type) * count + 64, at = 0, end;
    unsigned char *packed = mt_alloc((size_t)room);
    struct dt_memory m;

    dt_room(&m, t, count);
    dt_background(&m, BACKGROUND);
    dt_put(&m, t, count, 5);
    for (int i = 0; i < count; ++i) {
        MPI_Pack(m.at + i * t->extent, 1, t->type, packed, room, &at, MPI_COMM_WORLD);
    }
    mt_check(at <= room, "packed %d bytes into %d", at, room);
    end = at;
    dt_background(&m, BACKGROUND);
    at = 0;
    MPI_Unpack(packed, end, &at, m.at, count, t->type, MPI_COMM_WORLD);
    mt_equal(at, end, "bytes unpacked of %s", t->name);
    dt_check(&m, t, count, t->ints * (size_t)count, 5, BACKGROUND, "unpack");
    dt_unroom(&m);
    mt_free(packed);
}

/* Packed here, received typed there; and the other way round. */
static void across(const struct dt *t, int count)
{
    int room = packed_size(count, t->type) + 64, at = 0;
    unsigned char *packed = mt_alloc((size_t)room);
    struct dt_memory m;
    MPI_Status st;

    dt_room(&m, t, count);
    dt_background(&m, BACKGROUND);
    if (0 == mt_rank) {
        dt_put(&m, t, count, 9);
        MPI_Pack(m.at, count, t->type, packed, room, &at, MPI_COMM_WORLD);
        MPI_Send(packed, at, MPI_PACKED, 1, TAG, MPI_COMM_WORLD);
        MPI_Send(m.at, count, t->type, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank) {
        MPI_Recv(m.at, count, t->type, 0, TAG, MPI_COMM_WORLD, &st);
        dt_check(&m, t, count, t->ints * (size_t)count, 9, BACKGROUND, "receive of packed");
        MPI_Recv(packed, room, MPI_PACKED, 0, TAG, MPI_COMM_WORLD, &st);
        dt_background(&m, BACKGROUND);
        MPI_Unpack(packed, room, &at, m.at, count, t->type, MPI_COMM_WORLD);
        dt_check(&m, t, count, t->ints * (size_t)count, 9, BACKGROUND, "unpack of a message");
    }
    dt_unroom(&m);
    mt_free(packed);
}

/* Different basic types, names and numbers, in one packed message. */
static void mixture(void)
{
    unsigned char packed[4096];
    char name[16] = "apples", got_name[16] = "";
    double d[3] = {1.5, -2.25, 1e300}, got_d[3] = {0};
    short s = -7, got_s = 0;
    long long big = 1LL << 60, got_big = 0;
    int at = 0, end = sizeof packed;
    MPI_Status st;

    if (0 == mt_rank) {
        MPI_Pack(name, 16, MPI_CHAR, packed, end, &at, MPI_COMM_WORLD);
        MPI_Pack(&s, 1, MPI_SHORT, packed, end, &at, MPI_COMM_WORLD);
        MPI_Pack(d, 3, MPI_DOUBLE, packed, end, &at, MPI_COMM_WORLD);
        MPI_Pack(&big, 1, MPI_LONG_LONG, packed, end, &at, MPI_COMM_WORLD);
        MPI_Send(packed, at, MPI_PACKED, 1, TAG, MPI_COMM_WORLD);
    } else if (1 == mt_rank) {
        MPI_Recv(packed, end, MPI_PACKED, 0, TAG, MPI_COMM_WORLD, &st);
        MPI_Unpack(packed, end, &at, got_name, 16, MPI_CHAR, MPI_COMM_WORLD);
        MPI_Unpack(packed, end, &at, &got_s, 1, MPI_SHORT, MPI_COMM_WORLD);
        MPI_Unpack(packed, end, &at, got_d, 3, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Unpack(packed, end, &at, &got_big, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
        mt_check(0 == strcmp(name, got_name), "name is '%s'", got_name);
        mt_equal(got_s, s, "short in a mixture");
        mt_check(0 == memcmp(d, got_d, sizeof d), "doubles %g %g %g", got_d[0], got_d[1], got_d[2]);
        mt_equal(got_big, big, "long long in a mixture");
    }
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv);
    mt_need(2);
    for (int k = 0; k < dt_kinds(); ++k) {
        struct dt t;
        dt_make(&t, k, 3);
        for (int count = 0; count < 4000; count = 3 * count + 1) {
            round_trip(&t, count);
            across(&t, count);
        }
        dt_drop(&t);
    }
    mixture();
    return mt_finish();
}
