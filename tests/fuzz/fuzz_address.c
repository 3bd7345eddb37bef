/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_input.h"

#include <apeni/apeni.h>

/*
 * Address blobs with several parts, from anywhere. The input is a blob as it stands, or changes to
 * a good one. A blob that is not well-formed in the eyes of a plain parser must be refused, by any
 * NI; what is read lies within it.
 */

enum {
    RAW = 0x80,    /* of the first byte: the rest is the blob */
    LENGTH = 0x40, /* bytes are cut off, or added */
    CHANGES = 0x1f,
    HEAD = 8,
    PART = 4,
};

static struct ni *near, *both; /* with shared memory alone, and with whatever else there is */
static uint8_t good[NI_BLOB_MAX];
static size_t good_len;

static void close_all(void)
{
    ni_close(near);
    ni_close(both);
}

static void open_all(void)
{
    struct ni_open_attr attr = {.host_processes = 2};

    if (near != NULL) {
        return;
    }
    ni_log_set_sink(quiet, NULL);
    must(ni_open(&attr, &near) == NI_OK, "open");
    attr.hosts = 2;
    must(ni_open(&attr, &both) == NI_OK, "open with several links");
    good_len = ni_address(both, good, sizeof(good));
    must(good_len != 0, "address");
    must(atexit(close_all) == 0, "atexit");
}

/* The format, as docs/wire.md says it. */
static bool is_well_formed(const uint8_t *blob, size_t len)
{
    size_t at = HEAD;

    if (len < HEAD || len > NI_BLOB_MAX || memcmp(blob, "APNI\2", 5) != 0 ||
        blob[6] + 256U * blob[7] != len - HEAD) {
        return false;
    }
    for (unsigned i = 0; i < blob[5]; i++) {
        size_t part;

        if (at + PART > len) {
            return false;
        }
        part = blob[at + 2] + 256U * blob[at + 3];
        at += PART + part;
        if (part == 0 || at > len) {
            return false;
        }
    }
    return at == len;
}

static void judge(const struct ni *ni, const uint8_t *blob, size_t len)
{
    char reason[96] = "";
    bool reached = ni_reachable(ni, blob, len, reason, sizeof(reason));

    must(memchr(reason, '\0', sizeof(reason)) != NULL, "reason without an end");
    must(reached || reason[0] != '\0', "no reason");
    must(!reached || is_well_formed(blob, len), "a broken blob is said to lead somewhere");
}

/* In a block of its own size: AddressSanitizer sees what is read behind the end. */
static void judge_all(const uint8_t *blob, size_t len)
{
    uint8_t *copy = malloc(len + (len == 0));

    must(copy != NULL, "memory");
    memcpy(copy, blob, len);
    judge(near, copy, len);
    judge(both, copy, len);
    free(copy);
}

static void change(struct input *in, uint8_t what)
{
    uint8_t blob[NI_BLOB_MAX + 64] = {0};
    size_t len = good_len;

    memcpy(blob, good, good_len);
    for (unsigned i = 0; i < (what & CHANGES); i++) {
        uint8_t step[3];

        take(in, step, sizeof(step));
        blob[(step[0] + 256U * step[1]) % good_len] = step[2];
    }
    if ((what & LENGTH) != 0) {
        uint8_t length[2];

        take(in, length, sizeof(length));
        len = (length[0] + 256U * length[1]) % sizeof(blob);
    }
    judge_all(blob, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    uint8_t what;

    open_all();
    take(&in, &what, 1);
    if ((what & RAW) != 0) {
        judge_all(in.data, in.left < NI_BLOB_MAX + 8 ? in.left : NI_BLOB_MAX + 8);
    } else {
        change(&in, what);
    }
    must(ni_reachable(near, good, good_len, NULL, 0) && ni_reachable(both, good, good_len, NULL, 0),
         "the good blob leads nowhere any more");
    return 0;
}
