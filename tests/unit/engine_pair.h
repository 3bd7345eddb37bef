/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_ENGINE_PAIR_H
#define TESTS_UNIT_ENGINE_PAIR_H

#include "unit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include <apeni/apeni.h>

#include "link/inproc/hooks.h"

/*
 * Two NIs on a fabric, connected to each other, in one thread: nothing moves unless the test says
 * so, at whose turn it is.
 */

struct pair {
    struct ni_fabric *fabric;
    struct ni *a, *b;
    struct ni_peer *ab, *ba; /* b as a sees it, a as b sees it */
};

struct pair_attr {
    enum ni_fabric_copy copy;
    unsigned flags;
    size_t ring, bulk;
};

/* A parameter, for the NIs that are opened from now on. */
static inline void pair_set(const char *name, const char *value)
{
    char error[256];

    assert_int_equal(ni_param_set(name, value, "test", error, sizeof(error)), NI_OK);
}

static inline struct ni_peer *pair_connect(struct ni *from, const struct ni *to)
{
    uint8_t blob[NI_BLOB_MAX];
    struct ni_peer *peer = NULL;
    size_t len = ni_address(to, blob, sizeof(blob));

    assert_int_equal(ni_connect(from, blob, len, &peer), NI_OK);
    return peer;
}

static inline void pair_open(struct pair *pair, const struct pair_attr *attr)
{
    struct ni_fabric_attr fabric = {.ring_size = attr->ring, .bulk_size = attr->bulk};
    struct ni_open_attr open = {.flags = attr->flags};

    assert_int_equal(ni_fabric_create(&fabric, &pair->fabric), NI_OK);
    ni_fabric_set_copy(pair->fabric, attr->copy);
    open.fabric = pair->fabric;
    assert_int_equal(ni_open(&open, &pair->a), NI_OK);
    assert_int_equal(ni_open(&open, &pair->b), NI_OK);
    pair->ab = pair_connect(pair->a, pair->b);
    pair->ba = pair_connect(pair->b, pair->a);
}

static inline void pair_close(struct pair *pair)
{
    ni_close(pair->a);
    ni_close(pair->b);
    ni_fabric_destroy(pair->fabric);
}

/* Let everything move that can. */
static inline void pair_settle(struct pair *pair)
{
    for (int i = 0; i < 400; i++) {
        (void)ni_progress(pair->a);
        (void)ni_progress(pair->b);
    }
}

/* B goes, as seen from a: it closes, it dies, or a disconnects. */
enum { PAIR_PARTINGS = 3 };

static inline void pair_part(struct pair *pair, unsigned way)
{
    switch (way) {
    case 0:
        ni_close(pair->b);
        pair->b = NULL;
        break;
    case 1:
        assert_true(ni_fabric_kill(pair->fabric, 1));
        break;
    default:
        ni_disconnect(pair->a, pair->ab);
    }
}

/* What completions did. An engine thread may be the one that tells it: who has seen the count sees
 * the rest. */
struct pair_done {
    _Atomic unsigned count;
    ni_status status;
    uint64_t value;
};

static inline void pair_on_done(void *arg, ni_status status, uint64_t value)
{
    struct pair_done *done = arg;

    done->status = status;
    done->value = value;
    /* Pairs with the acquire in pair_is_done. */
    (void)atomic_fetch_add_explicit(&done->count, 1, memory_order_release);
}

static inline bool pair_is_done(const struct pair_done *done)
{
    return atomic_load_explicit(&done->count, memory_order_acquire) != 0;
}

static inline struct ni_ack pair_ack(struct pair_done *done)
{
    return (struct ni_ack){.kind = NI_ACK_CALL, .fn = pair_on_done, .arg = done};
}

static inline struct ni_remote pair_remote(const void *at, const struct ni_rkey *rkey)
{
    return (struct ni_remote){.addr = (uintptr_t)at, .key = rkey->key, .handle = rkey->handle};
}

static inline uint64_t pair_stat(const struct ni *ni, const char *name)
{
    size_t index = ni_stat_find(name);

    assert_true(index < ni_stat_count);
    return ni_stat_read(ni, index);
}

/* Counts messages. */
static inline void pair_count(void *arg, const struct ni_message_info *message)
{
    (void)message;
    (*(unsigned *)arg)++;
}

#endif
