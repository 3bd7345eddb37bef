/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a posted contiguous receive costs in copies. Of each message, short or long:
 *
 *   - as many bytes are taken from the wire as it has: the component counts those that came in
 *     packets, those that the kernel copied for the receiver, and those that it copied for the
 *     sender;
 *   - when it has come, no memory of the process but its buffer holds any part of it: it was not
 *     put down anywhere on the way. All memory that is written by this process alone is looked
 *     through; what is shared with others is the wire.
 *
 * That the search finds what is there is shown by a message that was not expected.
 *
 * Arguments: the prefix of the component's statistics; and in how many other places a message may
 * be. Between hosts the wire ends in the memory of this process: in the buffers of the library that
 * reads from the network, which may put pieces together in another one, and in the lane, from which
 * the bytes are counted.
 */
#include "mt.h"

#include <inttypes.h>

enum { TAG = 7, PIECE = 16, PIECES = 6, ROUNDS = 3, AREAS = 4096 };

static const size_t sizes[] = {8,    32,    33,    200,   1000,    2000,
                               4096, 16384, 32768, 65536, 1 << 20, MT_BIG};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle counters[3];
static unsigned places;

struct area {
    const uint8_t *from, *to;
};

/* ---- from the wire --------------------------------------------------------------------------- */

static void find_counters(const char *prefix)
{
    static const char *const names[] = {"rx_bytes", "bulk_bytes_self", "bulk_bytes_shared"};

    for (int i = 0; i < 3; i++) {
        char full[256];
        int index, count;

        snprintf(full, sizeof(full), "%s%s", prefix, names[i]);
        mt_ok(MPI_T_pvar_get_index(full, MPI_T_PVAR_CLASS_COUNTER, &index));
        mt_ok(MPI_T_pvar_handle_alloc(session, index, NULL, &counters[i], &count));
    }
}

/* Bytes that were copied into the receiver's memory: there, in packets or by the kernel; or by the
 * sender's kernel. */
static uint64_t copied(void)
{
    unsigned long long bytes[3];

    for (int i = 0; i < 3; i++) {
        mt_ok(MPI_T_pvar_read(session, counters[i], &bytes[i]));
    }
    return mt_rank == 0 ? bytes[2] : bytes[0] + bytes[1];
}

/* ---- the search ------------------------------------------------------------------------------ */

static size_t list_areas(struct area *areas)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], mode[5];
    uintptr_t from, to;
    size_t n = 0;

    mt_check(maps != NULL, "no /proc/self/maps");
    while (fgets(line, sizeof(line), maps) != NULL && n < AREAS) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, mode) == 3 &&
            strcmp(mode, "rw-p") == 0) {
            areas[n++] = (struct area){(const uint8_t *)from, (const uint8_t *)to};
        }
    }
    fclose(maps);
    return n;
}

static unsigned count_piece(struct area area, const uint8_t *piece, size_t len)
{
    const uint8_t *at = area.from;
    unsigned found = 0;

    while (at < area.to && (at = memmem(at, (size_t)(area.to - at), piece, len)) != NULL) {
        found++;
        at += len;
    }
    return found;
}

/* How often pieces of the message in the buffer, which are unlike all else, are elsewhere. */
static unsigned count_elsewhere(const uint8_t *buffer, size_t len)
{
    static struct area areas[AREAS];
    size_t n = list_areas(areas), piece = len < PIECE ? len : PIECE;
    const uint8_t *end = buffer + len;
    unsigned found = 0;

    for (size_t i = 0; i < n; i++) {
        struct area before = areas[i], behind = areas[i];

        before.to = before.to < buffer ? before.to : buffer;
        behind.from = behind.from > end ? behind.from : end;
        for (size_t k = 0; k < PIECES; k++) {
            const uint8_t *at = buffer + (len - piece) / (PIECES - 1) * k;

            found += before.from < before.to ? count_piece(before, at, piece) : 0;
            found += behind.from < behind.to ? count_piece(behind, at, piece) : 0;
        }
    }
    return found;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void expected(uint8_t *buffer, size_t len, uint64_t seed)
{
    uint64_t before, here, there = 0;
    MPI_Request request;
    unsigned found;

    if (mt_rank == 0) {
        mt_fill(buffer, len, seed);
        before = copied();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(buffer, (int)len, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        there = copied() - before;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&there, 1, MPI_UINT64_T, 1, TAG, MPI_COMM_WORLD);
        return;
    }
    memset(buffer, 0, len);
    before = copied();
    MPI_Irecv(buffer, (int)len, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    here = copied() - before;
    MPI_Barrier(MPI_COMM_WORLD); /* before any other bytes come */
    found = count_elsewhere(buffer, len);
    mt_check(found <= places * PIECES, "%u pieces of a message of %zu bytes elsewhere", found, len);
    mt_verify(buffer, len, seed, "%zu bytes", len);
    MPI_Recv(&there, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mt_equal((long long)(here + there), (long long)len, "bytes copied of %zu", len);
}

static void unexpected(uint8_t *buffer, size_t len, uint64_t seed)
{
    mt_fill(buffer, len, seed);
    if (mt_rank == 0) {
        MPI_Send(buffer, (int)len, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mt_check(count_elsewhere(buffer, len) >= PIECES, "%zu kept bytes are not found", len);
        MPI_Recv(buffer, (int)len, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    uint8_t *buffer;
    int provided;

    mt_init(&argc, &argv);
    mt_need(2);
    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mt_ok(MPI_T_pvar_session_create(&session));
    places = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    find_counters(argc > 1 ? argv[1] : "mtl_match_");
    buffer = mt_alloc(MT_BIG);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            expected(buffer, sizes[i], mt_seed(TAG, round, i, 0));
        }
        unexpected(buffer, 64, mt_seed(TAG, round, 0, 1));
        unexpected(buffer, 4096, mt_seed(TAG, round, 1, 1));
    }
    mt_free(buffer);
    mt_ok(MPI_T_pvar_session_free(&session));
    mt_ok(MPI_T_finalize());
    return mt_finish();
}
