/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/core/address.c. */
#include "engine_pair.h"

#include <string.h>

/* Address blobs with several parts, put together by hand; docs/wire.md describes them. */

enum { HEAD = 8, PART = 4, INPROC = 2, UNKNOWN = 200 };

struct blob {
    uint8_t bytes[NI_BLOB_MAX + 64];
    size_t len;
};

static void finish(struct blob *blob, unsigned parts)
{
    memcpy(blob->bytes, "APNI\2", 5);
    blob->bytes[5] = (uint8_t)parts;
    blob->bytes[6] = (uint8_t)(blob->len - HEAD);
    blob->bytes[7] = (uint8_t)((blob->len - HEAD) >> 8);
}

static void add(struct blob *blob, unsigned id, const void *bytes, size_t len)
{
    uint8_t *part = blob->bytes + blob->len;

    part[0] = (uint8_t)id;
    part[1] = 0;
    part[2] = (uint8_t)len;
    part[3] = (uint8_t)(len >> 8);
    memcpy(part + PART, bytes, len);
    blob->len += PART + len;
}

/* What the link of an NI gave, and how long that is. */
static const uint8_t *part_of(const struct ni *ni, size_t *len)
{
    static uint8_t blob[NI_BLOB_MAX];

    *len = ni_address(ni, blob, sizeof(blob));
    assert_true(*len > HEAD + PART);
    assert_int_equal(blob[HEAD], INPROC);
    *len -= HEAD + PART;
    return blob + HEAD + PART;
}

static void other_links_are_passed_over(void **state)
{
    struct blob blob = {.len = HEAD};
    struct pair pair;
    struct ni_peer *peer;
    size_t len;
    const uint8_t *part;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    part = part_of(pair.b, &len);
    add(&blob, UNKNOWN, "nobody knows", 12);
    add(&blob, INPROC, part, len);
    add(&blob, UNKNOWN + 1, "x", 1);
    finish(&blob, 3);
    assert_true(ni_reachable(pair.a, blob.bytes, blob.len, NULL, 0));
    assert_int_equal(ni_connect(pair.a, blob.bytes, blob.len, &peer), NI_OK);
    assert_ptr_equal(peer, pair.ab); /* the same NI, whatever else its address says */
    pair_close(&pair);
}

static void without_ours_it_is_unreachable(void **state)
{
    struct blob blob = {.len = HEAD};
    struct pair pair;
    struct ni_peer *peer;
    char reason[128];

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    add(&blob, UNKNOWN, "nobody knows", 12);
    finish(&blob, 1);
    assert_false(ni_reachable(pair.a, blob.bytes, blob.len, reason, sizeof(reason)));
    assert_string_equal(reason, "it uses another link than ours, inproc");
    assert_int_equal(ni_connect(pair.a, blob.bytes, blob.len, &peer), NI_ERR_UNREACHABLE);
    blob.len = HEAD;
    finish(&blob, 0);
    assert_int_equal(ni_connect(pair.a, blob.bytes, blob.len, &peer), NI_ERR_UNREACHABLE);
    pair_close(&pair);
}

/* The blob with one change is no blob. */
static void refuse(const struct ni *ni, const struct blob *good, size_t at, uint8_t value,
                   const char *why)
{
    struct blob bad = *good;
    char reason[128] = "";

    bad.bytes[at] = value;
    assert_false(ni_reachable(ni, bad.bytes, bad.len, reason, sizeof(reason)));
    if (strstr(reason, why) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", reason, why);
    }
}

static void broken_ones_are_refused(void **state)
{
    struct blob blob = {.len = HEAD};
    struct pair pair;
    size_t len;
    const uint8_t *part;
    char reason[128];

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    part = part_of(pair.b, &len);
    add(&blob, UNKNOWN, "nobody knows", 12);
    add(&blob, INPROC, part, len);
    finish(&blob, 2);
    assert_true(ni_reachable(pair.a, blob.bytes, blob.len, NULL, 0));
    refuse(pair.a, &blob, 0, 'B', "not an address");
    refuse(pair.a, &blob, 4, 1, "version 1");
    refuse(pair.a, &blob, 5, 1, "bytes behind 1 parts");
    refuse(pair.a, &blob, 5, 3, "part 3 of 3 is not whole");
    refuse(pair.a, &blob, 6, blob.bytes[6] + 1, "length");
    refuse(pair.a, &blob, 7, 1, "length");
    refuse(pair.a, &blob, HEAD + 2, 255, "part 1 of 2 is not whole");
    refuse(pair.a, &blob, HEAD + 2, 0, "part 1 of 2 is not whole");
    refuse(pair.a, &blob, HEAD + PART + 12 + 2, (uint8_t)(len + 1), "part 2 of 2 is not whole");
    for (size_t cut = 0; cut < blob.len; cut++) {
        assert_false(ni_reachable(pair.a, blob.bytes, cut, reason, sizeof(reason)));
    }
    assert_false(ni_reachable(pair.a, blob.bytes, NI_BLOB_MAX + 1, reason, sizeof(reason)));
    pair_close(&pair);
}

static void too_little_room_gives_nothing(void **state)
{
    uint8_t blob[NI_BLOB_MAX];
    struct pair pair;
    size_t len;

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    len = ni_address(pair.a, blob, sizeof(blob));
    for (size_t size = 0; size < len; size++) {
        assert_int_equal(ni_address(pair.a, blob, size), 0);
    }
    assert_int_equal(ni_address(pair.a, blob, len), len);
    pair_close(&pair);
}

/* A host is known by its boot, and by the key that makes hosts of its parts. */
static void hosts_are_told_apart(void **state)
{
    struct ni_open_attr here = {0}, there = {.host_key = 1};
    uint8_t blob[NI_BLOB_MAX];
    struct ni *a, *b, *c;
    size_t len;

    (void)state;
    assert_int_equal(ni_open(&here, &a), NI_OK);
    assert_int_equal(ni_open(&here, &b), NI_OK);
    assert_int_equal(ni_open(&there, &c), NI_OK);
    len = ni_address(b, blob, sizeof(blob));
    assert_false(ni_elsewhere(a, blob, len));
    assert_true(ni_elsewhere(c, blob, len));
    len = ni_address(c, blob, sizeof(blob));
    assert_true(ni_elsewhere(a, blob, len));
    for (size_t cut = 0; cut < len; cut++) {
        assert_false(ni_elsewhere(a, blob, cut));
    }
    ni_close(a);
    ni_close(b);
    ni_close(c);
}

/* Where no link shares memory, that is not known. */
static void without_shared_memory_no_host_is_another(void **state)
{
    struct pair pair;
    size_t len;
    const uint8_t *part;
    struct blob blob = {.len = HEAD};

    (void)state;
    pair_open(&pair, &(struct pair_attr){0});
    part = part_of(pair.b, &len);
    add(&blob, INPROC, part, len);
    finish(&blob, 1);
    assert_false(ni_elsewhere(pair.a, blob.bytes, blob.len));
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_links_are_passed_over),
        cmocka_unit_test(without_ours_it_is_unreachable),
        cmocka_unit_test(broken_ones_are_refused),
        cmocka_unit_test(too_little_room_gives_nothing),
        cmocka_unit_test(hosts_are_told_apart),
        cmocka_unit_test(without_shared_memory_no_host_is_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
