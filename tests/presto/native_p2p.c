/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/cancel.c. */
/* Covers: presto/core/send.c presto/core/recv.c presto/core/request.c presto/core/probe.c
 * presto/core/task.c presto/core/context.c. */
/* Point-to-point messages of the native interface: all lengths, orders, ways to wait, wildcards,
 * probes, errors. Any number of ranks: each exchanges with all others and with itself. */
#include <limits.h>

#include "job.h"

enum { LONGEST = 300000 };

/* Byte i of a message is a function of who sent it, its tag and i. */
static unsigned char byte_of(int from, int tag, size_t i)
{
    return (unsigned char)(from * 31 + tag * 7 + (int)(i % 251));
}

static void fill(unsigned char *buf, size_t bytes, int from, int tag)
{
    for (size_t i = 0; i < bytes; i++) {
        buf[i] = byte_of(from, tag, i);
    }
}

static void expect(const unsigned char *buf, size_t bytes, int from, int tag)
{
    for (size_t i = 0; i < bytes; i++) {
        CHECK_EQUAL(buf[i], byte_of(from, tag, i));
    }
}

static unsigned char *bytes_new(size_t bytes)
{
    unsigned char *buf = malloc(bytes == 0 ? 1 : bytes);

    CHECK(buf != NULL);
    return buf;
}

/* Rank 0 lets the others go. */
static void release_all(pr_mgr_t m, int rank, int size)
{
    char token = 0;

    for (int i = 1; i < size && rank == 0; i++) {
        CHECK_EQUAL(pr_send_bytes(m, i, 98, &token, 1), PR_OK);
    }
    if (rank != 0) {
        CHECK_EQUAL(pr_recv_bytes(m, 0, 98, &token, 1, NULL), PR_OK);
    }
}

/* All ranks are here: between parts of which one uses wildcards, or depends on what has not come
 * yet. */
static void together(pr_mgr_t m, int rank, int size)
{
    char token = 0;

    for (int i = 1; i < size && rank == 0; i++) {
        CHECK_EQUAL(pr_recv_bytes(m, i, 99, &token, 1, NULL), PR_OK);
    }
    if (rank != 0) {
        CHECK_EQUAL(pr_send_bytes(m, 0, 99, &token, 1), PR_OK);
    }
    release_all(m, rank, size);
}

/* ---- a ring, in all lengths ------------------------------------------------------------------ */

static void ring_of(pr_mgr_t m, int rank, int size, size_t bytes)
{
    unsigned char *out = bytes_new(bytes), *in = bytes_new(bytes);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, tag = (int)(bytes % 1000);
    struct pr_status st;

    fill(out, bytes, rank, tag);
    memset(in, 0, bytes);
    CHECK_EQUAL(pr_sendrecv_bytes(m, right, tag, out, bytes, left, tag, in, bytes, &st), PR_OK);
    CHECK_EQUAL(st.source, left);
    CHECK_EQUAL(st.tag, tag);
    CHECK_EQUAL(st.bytes, bytes);
    expect(in, bytes, left, tag);
    free(out);
    free(in);
}

static void ring(pr_mgr_t m, int rank, int size)
{
    static const size_t lengths[] = {0,    1,    7,    8,     9,     31,    32,    33,     63,
                                     64,   100,  255,  256,   1000,  4095,  4096,  4097,   8191,
                                     8192, 8193, 9000, 32768, 32769, 65536, 65537, LONGEST};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        ring_of(m, rank, size, lengths[i]);
    }
}

/* ---- words, blocking ------------------------------------------------------------------------- */

static void words(pr_mgr_t m, int rank, int size)
{
    pr_word_t out[64], in[64];

    for (int i = 0; i < 64; i++) {
        out[i] = (pr_word_t)(rank * 1000 + i);
    }
    if (rank == 0) {
        for (int other = 1; other < size; other++) {
            CHECK_EQUAL(pr_send(m, other, out, 64), PR_OK);
            CHECK_EQUAL(pr_recv(m, other, in, 64), PR_OK);
            CHECK_EQUAL(in[0], other * 1000);
            CHECK_EQUAL(in[63], other * 1000 + 63);
        }
    } else {
        CHECK_EQUAL(pr_recv(m, 0, in, 64), PR_OK);
        CHECK_EQUAL(in[63], 63);
        CHECK_EQUAL(pr_send(m, 0, out, 64), PR_OK);
    }
}

/* ---- everybody to everybody, not blocking ---------------------------------------------------- */

enum { EACH = 3 };

static void mesh(pr_mgr_t m, int rank, int size)
{
    size_t bytes[EACH] = {40, 5000, 20000}, n = (size_t)size * EACH;
    pr_req_t *reqs = calloc(2 * n, sizeof(*reqs));
    unsigned char *out = bytes_new(EACH * 20000), *in = bytes_new(n * 20000);

    CHECK(reqs != NULL);
    for (int k = 0; k < EACH; k++) {
        fill(out + k * 20000, bytes[k], rank, k);
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_EQUAL(pr_irecv_bytes(m, (int)(i / EACH), (int)(i % EACH), in + i * 20000,
                                   bytes[i % EACH], &reqs[i]),
                    PR_OK);
    }
    for (size_t i = 0; i < n; i++) {
        int k = EACH - 1 - (int)(i % EACH);

        CHECK_EQUAL(pr_isend_bytes(m, (int)(i / EACH), k, out + k * 20000, bytes[k], &reqs[n + i]),
                    PR_OK);
    }
    CHECK_EQUAL(pr_waitall(m, reqs, 2 * n), PR_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(reqs[i] == PR_REQ_NULL);
        expect(in + i * 20000, bytes[i % EACH], (int)(i / EACH), (int)(i % EACH));
    }
    free(reqs);
    free(out);
    free(in);
}

/* ---- wildcards, order, probes ---------------------------------------------------------------- */

/* Messages of one sender that match come in the order in which they were sent. */
static void from_all(pr_mgr_t m, int size)
{
    int next[64] = {0}, value;
    struct pr_status st;

    for (int i = 0; i < size * EACH; i++) {
        CHECK_EQUAL(pr_recv_bytes(m, PR_ANY_SOURCE, PR_ANY_TAG, &value, sizeof(value), &st), PR_OK);
        CHECK(st.source >= 0 && st.source < size);
        CHECK_EQUAL(value, next[st.source]);
        CHECK_EQUAL(st.tag, 10 + value);
        next[st.source]++;
    }
}

static void wildcards(pr_mgr_t m, int rank, int size)
{
    pr_req_t reqs[EACH];
    int values[EACH];

    together(m, rank, size);
    for (int k = 0; k < EACH; k++) {
        values[k] = k;
        CHECK_EQUAL(pr_isend_bytes(m, 0, 10 + k, &values[k], sizeof(int), &reqs[k]), PR_OK);
    }
    if (rank == 0) {
        from_all(m, size);
    }
    CHECK_EQUAL(pr_waitall(m, reqs, EACH), PR_OK);
    release_all(m, rank, size);
}

static void probes(pr_mgr_t m, int rank, int size)
{
    unsigned char *buf = bytes_new(10000);
    int other = size - 1 - rank, found = 1;
    struct pr_status st;
    pr_req_t req;

    CHECK_EQUAL(pr_iprobe(m, other, 77, &found, NULL), PR_OK);
    CHECK_EQUAL(found, 0); /* nobody uses that tag */
    fill(buf, 5000, rank, 3);
    CHECK_EQUAL(pr_isend_bytes(m, other, 3, buf, (size_t)(4000 + rank), &req), PR_OK);
    CHECK_EQUAL(pr_probe(m, PR_ANY_SOURCE, 3, &st), PR_OK);
    CHECK_EQUAL(st.source, other);
    CHECK_EQUAL(st.bytes, 4000 + other);
    CHECK_EQUAL(pr_iprobe(m, other, PR_ANY_TAG, &found, &st), PR_OK);
    CHECK_EQUAL(found, 1);
    CHECK_EQUAL(st.tag, 3);
    CHECK_EQUAL(pr_recv_bytes(m, other, 3, buf + 5000, 5000, &st), PR_OK);
    CHECK_EQUAL(st.bytes, 4000 + other);
    expect(buf + 5000, (size_t)(4000 + other), other, 3);
    CHECK_EQUAL(pr_wait(m, &req), PR_OK);
    free(buf);
}

/* ---- ways to wait ---------------------------------------------------------------------------- */

static void waits(pr_mgr_t m, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, in[3] = {-1, -1, -1},
        out[3] = {rank, rank + 1, rank + 2}, error;
    pr_req_t reqs[3];
    struct pr_status st;
    size_t index;

    for (int k = 0; k < 3; k++) {
        CHECK_EQUAL(pr_irecv_bytes(m, left, 20 + k, &in[k], sizeof(int), &reqs[k]), PR_OK);
    }
    CHECK_EQUAL(pr_ssend_bytes(m, right, 21, &out[1], sizeof(int)), PR_OK);
    CHECK_EQUAL(pr_waitany(m, reqs, 3, &index, &st), PR_OK);
    CHECK_EQUAL(index, 1);
    CHECK_EQUAL(st.source, left);
    CHECK_EQUAL(in[1], left + 1);
    together(m, rank, size);
    CHECK_EQUAL(pr_send_bytes(m, right, 20, &out[0], sizeof(int)), PR_OK);
    while ((error = pr_test_status(m, &reqs[0], &st)) == PR_PENDING) {
        continue;
    }
    CHECK_EQUAL(error, PR_OK);
    CHECK_EQUAL(in[0], left);
    CHECK(reqs[0] == PR_REQ_NULL);
    CHECK_EQUAL(pr_cancel(m, &reqs[2]), PR_OK);
    CHECK_EQUAL(pr_wait_status(m, &reqs[2], &st), PR_OK);
    CHECK_EQUAL(st.cancelled, 1);
    CHECK_EQUAL(in[2], -1);
    together(m, rank, size);
    CHECK_EQUAL(pr_waitany(m, reqs, 3, &index, NULL), PR_OK);
    CHECK_EQUAL(index, 3);
    CHECK_EQUAL(pr_wait(m, &reqs[0]), PR_OK);
    CHECK_EQUAL(pr_isend_bytes(m, right, 22, &out[2], sizeof(int), &reqs[0]), PR_OK);
    CHECK_EQUAL(pr_req_free(m, &reqs[0]), PR_OK);
    CHECK_EQUAL(pr_recv_bytes(m, left, 22, &in[2], sizeof(int), NULL), PR_OK);
    CHECK_EQUAL(in[2], left + 2);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void wrong(pr_mgr_t m, int size)
{
    pr_word_t word = 0;
    pr_req_t req = PR_REQ_NULL;
    int found;

    CHECK_EQUAL(pr_send(NULL, 0, &word, 1), PR_ERR_COMM);
    CHECK_EQUAL(pr_send(m, size, &word, 1), PR_ERR_RANK);
    CHECK_EQUAL(pr_send(m, PR_ANY_SOURCE, &word, 1), PR_ERR_RANK);
    CHECK_EQUAL(pr_recv(m, size, &word, 1), PR_ERR_RANK);
    CHECK_EQUAL(pr_recv(m, INT_MIN, &word, 1), PR_ERR_RANK);
    CHECK_EQUAL(pr_send(m, 0, NULL, 1), PR_ERR_BUFFER);
    CHECK_EQUAL(pr_send(m, 0, &word, SIZE_MAX), PR_ERR_COUNT);
    CHECK_EQUAL(pr_send_bytes(m, 0, -1, &word, 1), PR_ERR_TAG);
    CHECK_EQUAL(pr_recv_bytes(m, 0, -2, &word, 1, NULL), PR_ERR_TAG);
    CHECK_EQUAL(pr_isend(m, 0, &word, 1, NULL), PR_ERR_REQUEST);
    CHECK_EQUAL(pr_iprobe(m, size, 0, &found, NULL), PR_ERR_RANK);
    CHECK_EQUAL(pr_req_free(m, &req), PR_ERR_REQUEST);
    CHECK_EQUAL(pr_wait(m, NULL), PR_ERR_REQUEST);
    CHECK_EQUAL(pr_init(&m), PR_ERR_STATE);
    CHECK(strcmp(pr_error_string(PR_ERR_RANK), "no such rank") == 0);
    CHECK(strcmp(pr_error_string(4711), "unknown error") == 0);
}

/* A message that is too long gives what fits, and touches nothing behind it. */
static void truncated(pr_mgr_t m, int rank, int size, size_t bytes)
{
    unsigned char *out = bytes_new(bytes), *in = bytes_new(bytes);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    struct pr_status st;
    pr_req_t req;

    fill(out, bytes, rank, 5);
    memset(in, 0xee, bytes);
    CHECK_EQUAL(pr_isend_bytes(m, right, 5, out, bytes, &req), PR_OK);
    CHECK_EQUAL(pr_recv_bytes(m, left, 5, in, bytes / 2, &st), PR_ERR_TRUNCATE);
    CHECK_EQUAL(st.error, PR_ERR_TRUNCATE);
    CHECK_EQUAL(st.bytes, bytes / 2);
    expect(in, bytes / 2, left, 5);
    CHECK_EQUAL(in[bytes / 2], 0xee);
    CHECK_EQUAL(in[bytes - 1], 0xee);
    CHECK_EQUAL(pr_wait(m, &req), PR_OK);
    free(out);
    free(in);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void facts(pr_mgr_t m)
{
    pr_clock_t before, after;
    pr_time_t day;
    int res = 0;

    CHECK_EQUAL(pr_get_clock_res(m, &res), PR_OK);
    CHECK(res >= 1);
    CHECK_EQUAL(pr_get_clock(m, &before), PR_OK);
    CHECK_EQUAL(pr_get_time(m, &day), PR_OK);
    CHECK_EQUAL(pr_get_clock(m, &after), PR_OK);
    CHECK(after >= before);
    CHECK(day > 1.7e12 && day < 1e13); /* after 2023 */
}

static void body(pr_mgr_t m, int rank, int size)
{
    facts(m);
    wrong(m, size);
    ring(m, rank, size);
    words(m, rank, size);
    mesh(m, rank, size);
    wildcards(m, rank, size);
    probes(m, rank, size);
    waits(m, rank, size);
    truncated(m, rank, size, 30);
    truncated(m, rank, size, 3000);
    truncated(m, rank, size, 100000);
}

int main(int argc, char **argv)
{
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
