/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

/*
 * What many cases of the suite do.
 */

uint64_t suite_stat(const struct suite_ni *ni, const char *name)
{
    size_t index = ni_stat_find(name);

    CHECK(index < ni_stat_count);
    return ni_stat_read(ni->ni, index);
}

/* Bytes are made and compared by blocks: a sanitizer asks once for each copy and comparison,
 * however long it is. */
enum { BLOCK = 512 };

/* The bytes from `at` on, a multiple of BLOCK. Returns how many of them are before `len`. */
static size_t make_block(uint64_t block[BLOCK / 8], size_t at, size_t len, uint64_t seed)
{
    size_t n = len - at < BLOCK ? len - at : BLOCK;

    for (size_t i = 0; i < (n + 7) / 8; i++) {
        uint64_t state = seed + (at / 8 + i) * UINT64_C(0x9e3779b97f4a7c15);

        block[i] = ni_splitmix64(&state);
    }
    return n;
}

void suite_fill(void *data, size_t len, uint64_t seed)
{
    uint64_t block[BLOCK / 8];

    for (size_t at = 0; at < len; at += BLOCK) {
        size_t n = make_block(block, at, len, seed);

        memcpy((uint8_t *)data + at, block, n);
    }
}

bool suite_filled(const void *data, size_t len, uint64_t seed)
{
    uint64_t block[BLOCK / 8];

    for (size_t at = 0; at < len; at += BLOCK) {
        size_t n = make_block(block, at, len, seed);

        if (memcmp((const uint8_t *)data + at, block, n) != 0) {
            return false;
        }
    }
    return true;
}

struct region_call {
    void *base;
    size_t len;
    unsigned access;
    struct ni_rkey rkey;
};

static void make_region(struct suite_ni *ni, void *arg)
{
    struct region_call *call = arg;

    CHECK(ni_region_memory(ni->ni, call->base, call->len, call->access, &call->rkey) == NI_OK);
}

struct ni_rkey suite_region(struct suite *suite, unsigned i, void *base, size_t len,
                            unsigned access)
{
    struct region_call *call = suite_alloc(suite, sizeof(*call));

    *call = (struct region_call){.base = base, .len = len, .access = access};
    suite_call(suite, i, make_region, call);
    return call->rkey;
}

static void on_done(void *arg, ni_status status, uint64_t value)
{
    struct suite_done *done = arg;

    atomic_store(&done->status, status);
    atomic_store(&done->value, value);
    atomic_fetch_add(&done->count, 1);
}

struct ni_ack suite_ack(struct suite_done *done)
{
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = on_done, .arg = done};
}

/* The end of an operation that was accepted with this status. */
static ni_status finish(struct suite_ni *ni, ni_status status, struct suite_done *done)
{
    if (status != NI_OK) {
        CHECK(atomic_load(&done->count) == 0);
        return status;
    }
    while (atomic_load(&done->count) == 0) {
        suite_turn(ni);
    }
    CHECK(atomic_load(&done->count) == 1);
    return (ni_status)atomic_load(&done->status);
}

ni_status suite_write(struct suite_ni *ni, unsigned to, const void *src, size_t len,
                      const struct ni_remote *dst)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    ni_status status;

    while ((status = ni_write(ni->ni, ni->peers[to], src, len, dst, &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    status = finish(ni, status, &done);
    CHECK(status != NI_OK || atomic_load(&done.value) == len);
    return status;
}

ni_status suite_read(struct suite_ni *ni, unsigned from, void *dst, size_t len,
                     const struct ni_remote *src)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    ni_status status;

    while ((status = ni_read(ni->ni, ni->peers[from], dst, len, src, &ack)) == NI_AGAIN) {
        suite_turn(ni);
    }
    status = finish(ni, status, &done);
    CHECK(status != NI_OK || atomic_load(&done.value) == len);
    return status;
}

ni_status suite_fetch_op(struct suite_ni *ni, unsigned to, enum ni_atomic_op op, unsigned width,
                         uint64_t operand, uint64_t compare, const struct ni_remote *dst,
                         uint64_t *old)
{
    struct suite_done done = {0};
    struct ni_ack ack = suite_ack(&done);
    ni_status status;

    while ((status = ni_fetch_op(ni->ni, ni->peers[to], op, width, operand, compare, dst, &ack)) ==
           NI_AGAIN) {
        suite_turn(ni);
    }
    status = finish(ni, status, &done);
    *old = atomic_load(&done.value);
    return status;
}

ni_status suite_message(struct suite_ni *ni, unsigned to, ni_handle queue, uint16_t tag,
                        const void *data, size_t len)
{
    ni_status status;

    while ((status = ni_message(ni->ni, ni->peers[to], queue, tag, NULL, 0, data, len)) ==
           NI_AGAIN) {
        suite_turn(ni);
    }
    return status;
}
