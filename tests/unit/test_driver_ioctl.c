/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: driver/apelink_ioctl.h, driver/apelink_abi.h, driver/apelink_layout.h. */
#include "unit.h"

#include "driver/apelink_abi.h"
#include "driver/apelink_layout.h"

#define ASSERT_SIZE(type, bytes)        assert_int_equal(sizeof(struct type), bytes);
#define ASSERT_AT(type, member, offset) assert_int_equal(offsetof(struct type, member), offset);

/* Version 1 stays as it is: programs that were built with it are there. */
static void test_layouts_of_version_1(void **state)
{
    (void)state;
    APELINK_LAYOUTS(ASSERT_SIZE, ASSERT_AT)
}

static void test_codes_of_version_1(void **state)
{
    (void)state;
    assert_int_equal(APELINK_IOCTL_VERSION, 1);
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(APELINK_GET_FEATURES == 0xc048b900U);
    assert_true(APELINK_OPEN_CHANNEL == 0xc060b901U);
    assert_true(APELINK_REGISTER == 0xc038b902U);
    assert_true(APELINK_DEREGISTER == 0xc010b903U);
    assert_true(APELINK_READ_REGISTER == 0xc018b904U);
    assert_true(APELINK_WRITE_REGISTER == 0xc018b905U);
    assert_true(APELINK_WAIT == 0xc020b906U);
    assert_true(APELINK_LIST == 0xc128b907U);
#endif
    assert_int_equal(APELINK_FEATURE_LIST, 4);
    assert_int_equal(apelink_struct_first(APELINK_WAIT), sizeof(struct apelink_wait));
    assert_int_equal(apelink_struct_first(APELINK_LIST), sizeof(struct apelink_list));
    assert_int_equal(apelink_struct_first(_IO(APELINK_IOCTL_TYPE, 8)), 0);
}

/* A structure of a version to come. */
struct longer {
    struct apelink_wait wait;
    __u64 more[2];
};

static void test_an_old_program_with_a_new_driver(void **state)
{
    struct apelink_wait wait = {.size = sizeof wait, .timeout_ns = 5, .seen = 6};
    struct longer own;

    (void)state;
    memset(&own, 0xff, sizeof own);
    assert_int_equal(
        apelink_struct_take(&own, sizeof own, &wait, sizeof wait, sizeof(struct apelink_wait)), 0);
    assert_int_equal(own.wait.seen, 6);
    assert_true(own.more[0] == 0 && own.more[1] == 0);
    own.wait.event_wr_ptr = 9;
    own.more[0] = 1;
    apelink_struct_give(&wait, wait.size, &own, sizeof own);
    assert_int_equal(wait.event_wr_ptr, 9);
    assert_int_equal(wait.size, sizeof wait);
}

static void test_a_new_program_with_an_old_driver(void **state)
{
    struct longer program = {.wait = {.size = sizeof program, .timeout_ns = 5, .seen = 6}};
    struct apelink_wait own;

    (void)state;
    assert_int_equal(apelink_struct_take(&own, sizeof own, &program, sizeof program, sizeof own),
                     0);
    assert_int_equal(own.seen, 6);
    own.event_wr_ptr = 9;
    program.more[1] = 3;
    apelink_struct_give(&program, program.wait.size, &own, sizeof own);
    assert_int_equal(program.wait.event_wr_ptr, 9);
    assert_int_equal(program.wait.size, sizeof program);
    assert_int_equal(program.more[1], 3);
    /* What it asks for in addition is not there. */
    assert_int_equal(apelink_struct_take(&own, sizeof own, &program, sizeof program, sizeof own),
                     -E2BIG);
}

static void test_sizes_without_sense(void **state)
{
    static unsigned char huge[APELINK_STRUCT_MAX + 8];
    struct apelink_wait wait = {.size = sizeof wait}, own;
    __u64 size = sizeof huge;

    (void)state;
    assert_int_equal(apelink_struct_take(&own, sizeof own, &wait, 8, sizeof own), -EINVAL);
    assert_int_equal(apelink_struct_take(&own, sizeof own, &wait, 0, 0), -EINVAL);
    wait.size = sizeof wait + 8;
    assert_int_equal(apelink_struct_take(&own, sizeof own, &wait, sizeof wait, sizeof own),
                     -EINVAL);
    memcpy(huge, &size, sizeof size);
    assert_int_equal(apelink_struct_take(&own, sizeof own, huge, sizeof huge, sizeof own), -EINVAL);
}

static void test_reserved_fields(void **state)
{
    const unsigned char bytes[5] = {0, 0, 0, 0, 1};

    (void)state;
    assert_true(apelink_all_zero(bytes, 4));
    assert_true(apelink_all_zero(bytes, 0));
    assert_false(apelink_all_zero(bytes, 5));
}

/* Registers of a list, of which the one at 8 is not to be reached. */
static __u32 word[4];
static unsigned reached;

static int reach(void *arg, struct apelink_item *item)
{
    assert_ptr_equal(arg, word);
    reached++;
    if (item->offset == 8) {
        return -EPERM;
    }
    if ((item->flags & APELINK_ITEM_WRITE) != 0) {
        word[item->offset / 4] = item->value;
    } else {
        item->value = word[item->offset / 4];
    }
    return 0;
}

static void run(struct apelink_list *list, int status, __u32 done, __u32 error)
{
    reached = 0;
    list->size = sizeof *list;
    assert_int_equal(apelink_list_run(list, reach, word), status);
    if (status == 0) {
        assert_int_equal(list->done, done);
        assert_int_equal(list->error, error);
    } else {
        assert_int_equal(reached, 0);
    }
}

static void test_a_list_is_done_in_its_order(void **state)
{
    struct apelink_list list = {.count = 3,
                                .item = {{.offset = 4, .value = 6, .flags = APELINK_ITEM_WRITE},
                                         {.offset = 4, .wanted = 4},
                                         {.offset = 4, .value = 1, .flags = APELINK_ITEM_WRITE}}};

    (void)state;
    run(&list, 0, 3, 0);
    assert_int_equal(list.item[1].value, 6);
    assert_int_equal(word[1], 1);
    list.item[1].wanted = 8; /* 6 has no such bit */
    run(&list, 0, 2, 0);
    assert_int_equal(reached, 2);
    assert_int_equal(word[1], 6);
    list.item[1] = (struct apelink_item){.offset = 8};
    run(&list, 0, 1, EPERM);
    assert_int_equal(reached, 2);
}

static void test_lists_without_sense(void **state)
{
    struct apelink_list list = {.count = 2, .item = {{.offset = 4}, {.offset = 4}}}, bad;

    (void)state;
    run(&list, 0, 2, 0);
    bad = list;
    bad.count = 0;
    run(&bad, -EINVAL, 0, 0);
    bad.count = APELINK_LIST_ITEMS + 1;
    run(&bad, -EINVAL, 0, 0);
    bad = list;
    bad.reserved[1] = 1;
    run(&bad, -EINVAL, 0, 0);
    bad = list;
    bad.reserved0 = 1;
    run(&bad, -EINVAL, 0, 0);
    bad = list;
    bad.item[1].flags = 2; /* of a version to come */
    run(&bad, -EINVAL, 0, 0);
    bad = list;
    bad.item[1] = (struct apelink_item){.offset = 4, .flags = APELINK_ITEM_WRITE, .wanted = 1};
    run(&bad, -EINVAL, 0, 0);
    bad.count = 1; /* what is behind is not looked at */
    run(&bad, 0, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts_of_version_1),
        cmocka_unit_test(test_codes_of_version_1),
        cmocka_unit_test(test_an_old_program_with_a_new_driver),
        cmocka_unit_test(test_a_new_program_with_an_old_driver),
        cmocka_unit_test(test_sizes_without_sense),
        cmocka_unit_test(test_reserved_fields),
        cmocka_unit_test(test_a_list_is_done_in_its_order),
        cmocka_unit_test(test_lists_without_sense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
