/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_pair.h"

#include <malloc.h>

#include <apeni/portals.h>

#include "base/compiler.h"

#if NI_ASAN || NI_TSAN
/* Of the sanitizers' allocator_interface.h, which not every compiler brings. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

/*
 * What a posted entry costs: at most 128 bytes of all memory that there is, at each length of the
 * list, while its table grows, too.
 */

enum {
    MOST = NI_ASAN || NI_TSAN ? 100000 : 1000000,
    LEAST = 40000, /* below it what an interface and its pools have anyway shows */
    PER_ENTRY = NI_ASAN || NI_TSAN ? 144 : 128, /* their allocators have coarse sizes */
    LOOKS = 101,                                /* each so many entries */
};

static size_t bytes_in_use(void)
{
#if NI_ASAN || NI_TSAN
    return __sanitizer_get_current_allocated_bytes();
#else
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
#endif
}

struct target {
    struct pair pair;
    struct ni_eq *eq;
    uint32_t pt;
    uint64_t told;        /* events */
    const void *user_ptr; /* of the last one */
    uint64_t word;        /* all buffers */
};

static void on_event(void *arg, const struct ni_event *event)
{
    struct target *target = arg;

    target->told++;
    target->user_ptr = event->user_ptr;
}

static struct target *open_target(void)
{
    const struct pair_attr attr = {.copy = NI_FABRIC_SAME_MEMORY};
    struct target *target = calloc(1, sizeof(*target));

    assert_non_null(target);
    pair_open(&target->pair, &attr);
    assert_int_equal(ni_portals_open(target->pair.a, NULL, NULL), NI_OK);
    assert_int_equal(ni_portals_open(target->pair.b, NULL, NULL), NI_OK);
    assert_int_equal(ni_eq_alloc_handler(target->pair.b, on_event, target, &target->eq), NI_OK);
    assert_int_equal(ni_pt_alloc(target->pair.b, 0, target->eq, 0, &target->pt), NI_OK);
    return target;
}

/* What an entry waits for: of `kinds` kinds of ignore bits, none that another entry matches. */
static struct ni_me entry_of(struct target *target, size_t number, size_t kinds)
{
    uint64_t kind = kinds > 1 ? number % kinds : 0;

    return (struct ni_me){.start = &target->word,
                          .length = sizeof(target->word),
                          .match_bits = (uint64_t)number << 32,
                          .ignore_bits = kind,
                          .match_id = number % 2 == 0 ? NI_INITIATOR_ANY
                                                      : ni_peer_initiator(target->pair.ba),
                          .options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE};
}

static void fill(struct target *target, size_t kinds)
{
    size_t before = bytes_in_use();

    for (size_t i = 0; i < MOST; i++) {
        struct ni_me me = entry_of(target, i, kinds);
        void *name = (char *)target + i;

        assert_int_equal(
            ni_me_append(target->pair.b, target->pt, &me, NI_PRIORITY_LIST, name, NULL), NI_OK);
        if (i >= LEAST && i % LOOKS == 0) {
            assert_in_range(bytes_in_use() - before, i * 80, i * PER_ENTRY);
        }
    }
}

/* Some of them get a message. */
static void match_some(struct target *target)
{
    const struct ni_md md = {.start = &target->word, .length = sizeof(target->word)};

    for (size_t i = 0; i < 1000; i++) {
        size_t number = i * 7919 % MOST;

        assert_int_equal(ni_put(target->pair.a, &md, 0, sizeof(target->word), NI_NO_ACK_REQ,
                                target->pair.ab, target->pt, (uint64_t)number << 32, 0, NULL, 0),
                         NI_OK);
        for (int polls = 0; target->told == i && polls < 100; polls++) {
            (void)ni_progress(target->pair.a);
            (void)ni_progress(target->pair.b);
        }
        assert_int_equal(target->told, i + 1);
        assert_ptr_equal(target->user_ptr, (char *)target + number);
    }
}

static void check(size_t kinds)
{
    struct target *target = open_target();

    fill(target, kinds);
    match_some(target);
    pair_close(&target->pair);
    free(target);
}

static void test_equal_masks(void **state)
{
    (void)state;
    check(1);
}

static void test_some_masks(void **state)
{
    (void)state;
    check(4);
}

/* Too many kinds to have a table each: the entries lie in blocks. */
static void test_odd_masks(void **state)
{
    (void)state;
    check(MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_masks),
        cmocka_unit_test(test_some_masks),
        cmocka_unit_test(test_odd_masks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
