/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/peer_ops.h, ni/engine/drive/peer_down.c. */
#include "engine_pair.h"

#include "engine/engine.h"

/* What each folder is told of a peer's end: once each, from the highest folder to the lowest when
 * it goes down and is freed, the other way round when its operations are completed. */

enum { CALLS_MAX = 64 };

static char calls[CALLS_MAX];

static void note(char call, unsigned folder)
{
    size_t len = strlen(calls);

    assert_true(len + 3 < CALLS_MAX);
    calls[len] = call;
    calls[len + 1] = (char)('0' + folder);
}

#define ROW(folder)                                                       \
    static void down_##folder(struct ni_peer *peer)                       \
    {                                                                     \
        assert_int_not_equal(ni_peer_state(peer), NI_OK);                 \
        note('d', folder);                                                \
    }                                                                     \
    static void complete_##folder(struct ni_peer *peer, ni_status status) \
    {                                                                     \
        (void)peer;                                                       \
        note(status == NI_ERR_CANCELED ? 'x' : 'c', folder);              \
    }                                                                     \
    static void settle_##folder(struct ni_peer *peer)                     \
    {                                                                     \
        (void)peer;                                                       \
        note('s', folder);                                                \
    }                                                                     \
    static void free_##folder(struct ni_peer *peer)                       \
    {                                                                     \
        assert_null(peer->ep);                                            \
        note('f', folder);                                                \
    }                                                                     \
    static const struct ni_peer_ops ops_##folder = {                      \
        .down = down_##folder,                                            \
        .complete = complete_##folder,                                    \
        .settle = settle_##folder,                                        \
        .free = free_##folder,                                            \
    };

ROW(3)
ROW(5)

static void each_folder_is_told(void **state)
{
    struct pair pair;
    const struct pair_attr attr = {.copy = NI_FABRIC_BY_PACKETS};

    (void)state;
    memset(calls, 0, sizeof(calls));
    pair_open(&pair, &attr);
    for (unsigned folder = 0; folder < NI_FOLDER_DRIVE; folder++) {
        assert_non_null(pair.a->core.peer_ops[folder]);
    }
    ni_peer_ops_register(pair.a, (enum ni_folder)3, &ops_3);
    ni_peer_ops_register(pair.a, (enum ni_folder)5, &ops_5);
    ni_disconnect(pair.a, pair.ab);
    assert_string_equal(calls, "x3x5");
    ni_close(pair.a);
    assert_string_equal(calls, "x3x5d5d3s3s5c3c5f5f3");
    ni_close(pair.b);
    ni_fabric_destroy(pair.fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_folder_is_told)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
