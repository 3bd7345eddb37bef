/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Covers: driver/linux/ioctl.c, driver/apelink_ioctl.h, driver/apelink_bar.h,
 * driver/apelink_layout.h, driver/apelink_abi.h. What programs and cards share, as this compiler
 * lays it out, and how structures of other versions are taken. */
#include <linux/uaccess.h>

#include "driver/apelink_layout.h"

#include "fixture.h"

static void is(struct kunit *test, const char *name, size_t found, size_t wanted)
{
    KUNIT_EXPECT_EQ_MSG(test, found, wanted, "%s", name);
}

#define CODE(command, code)     is(test, #command, command, code)
#define SIZE(type, bytes)       is(test, "size of " #type, sizeof(struct type), bytes);
#define AT(type, field, offset) is(test, #type "." #field, offsetof(struct type, field), offset);

static void programs(struct kunit *test)
{
    APELINK_LAYOUTS(SIZE, AT)
}

/* Whose size is that of version 1. */
static void codes(struct kunit *test)
{
    CODE(APELINK_GET_FEATURES, 0xc048b900);
    CODE(APELINK_OPEN_CHANNEL, 0xc060b901);
    CODE(APELINK_REGISTER, 0xc038b902);
    CODE(APELINK_DEREGISTER, 0xc010b903);
    CODE(APELINK_READ_REGISTER, 0xc018b904);
    CODE(APELINK_WRITE_REGISTER, 0xc018b905);
    CODE(APELINK_WAIT, 0xc020b906);
    CODE(APELINK_LIST, 0xc128b907);
}

/* Version 2 of what the card shares. Each side's words are on lines of their own. */
static void cards(struct kunit *test)
{
    is(test, "version", APELINK_BAR_VERSION, 2);
    SIZE(apelink_bar, 352)
    AT(apelink_bar, version, 8)
    AT(apelink_bar, channels, 12)
    AT(apelink_bar, there, 64)
    AT(apelink_bar, beat, 68)
    AT(apelink_bar, answered, 72)
    AT(apelink_bar, posted, 128)
    AT(apelink_bar, master, 132)
    AT(apelink_bar, wanted, 136)
    AT(apelink_bar, request, 192)
    SIZE(apelink_bar_request, 160)
    AT(apelink_bar_request, status, 4)
    AT(apelink_bar_request, port, 8)
    AT(apelink_bar_request, handle, 12)
    AT(apelink_bar_request, offset, 16)
    AT(apelink_bar_request, value, 20)
    AT(apelink_bar_request, access, 24)
    AT(apelink_bar_request, switched, 28)
    AT(apelink_bar_request, address, 32)
    AT(apelink_bar_request, len, 40)
    AT(apelink_bar_request, list, 48)
    AT(apelink_bar_request, probe, 56)
    AT(apelink_bar_request, tx_base, 64)
    AT(apelink_bar_request, event_base, 72)
    AT(apelink_bar_request, tx_entries, 80)
    AT(apelink_bar_request, event_entries, 84)
    AT(apelink_bar_request, features, 88)
    SIZE(apelink_bar_list, PAGE_SIZE)
    AT(apelink_bar_list, page, 8)
    SIZE(apelink_bar_switches, 1088)
    AT(apelink_bar_switches, on, 64)
}

/* Pages of BAR 2 and keys of maps, none of which overlap. */
static void places(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    const u8 *bar = (const u8 *)fixture->card.bar;
    int port;

    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        KUNIT_EXPECT_PTR_EQ(test, (const u8 *)apelink_doorbell(&fixture->card, port),
                            bar + (1 + port) * PAGE_SIZE);
    }
    KUNIT_EXPECT_PTR_EQ(test, (const u8 *)apelink_switches(&fixture->card), bar + 5 * PAGE_SIZE);
    KUNIT_EXPECT_LE(test, 6 * PAGE_SIZE, (unsigned long)APELINK_BAR_BYTES);
    KUNIT_EXPECT_LE(test, APELINK_BAR_CHANNELS * PAGE_SIZE, (unsigned long)APELINK_EVENT_KEY);
    KUNIT_EXPECT_LE(test, APELINK_EVENT_KEY + APELINK_BAR_RING_MAX * APELINK_EVENT_BYTES,
                    (int)APELINK_TX_KEY);
}

/* GET_FEATURES as a program does it that knows `given` bytes, and says `size`. */
static long features(struct fixture *fixture, u64 size, size_t given, const u8 *structure)
{
    unsigned int command = _IOC(_IOC_READ | _IOC_WRITE, APELINK_IOCTL_TYPE, 0, given);
    void __user *program = (void __user *)fixture->page;

    KUNIT_EXPECT_EQ(fixture->test, copy_to_user(program, structure, given), 0UL);
    KUNIT_EXPECT_EQ(fixture->test, copy_to_user(program, &size, sizeof size), 0UL);
    return apelink_ioctl(fixture->opened, command, fixture->page);
}

static void versions(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    size_t own = sizeof(struct apelink_features);
    u8 *structure = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

    KUNIT_ASSERT_PTR_NE(test, structure, NULL);
    KUNIT_EXPECT_EQ(test, features(fixture, own, own, structure), 0L);
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, fixture->page), (u32)own);
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, fixture->page + 8), (u32)APELINK_IOCTL_VERSION);
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, fixture->page + 32), (u32)APELINK_BAR_RING_MAX);
    KUNIT_EXPECT_EQ(test, features(fixture, own - 8, own - 8, structure), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, features(fixture, own, own + 8, structure), (long)-EINVAL);
    /* A later program, which wants nothing new, and one that does. */
    KUNIT_EXPECT_EQ(test, features(fixture, own + 64, own + 64, structure), 0L);
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, fixture->page), (u32)own + 64);
    structure[own + 40] = 1;
    KUNIT_EXPECT_EQ(test, features(fixture, own + 64, own + 64, structure), (long)-E2BIG);
    structure[own - 1] = 1; /* reserved */
    KUNIT_EXPECT_EQ(test, features(fixture, own, own, structure), (long)-EINVAL);
}

static void unknown(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    unsigned int both = _IOC_READ | _IOC_WRITE, type = APELINK_IOCTL_TYPE;

    KUNIT_EXPECT_EQ(test, apelink_ioctl(fixture->opened, _IOC(both, type, 8, 32), fixture->page),
                    (long)-ENOTTY);
    KUNIT_EXPECT_EQ(test, apelink_ioctl(fixture->opened, _IOC(both, 'T', 0, 72), fixture->page),
                    (long)-ENOTTY);
    KUNIT_EXPECT_EQ(test,
                    apelink_ioctl(fixture->opened, _IOC(_IOC_READ, type, 0, 72), fixture->page),
                    (long)-ENOTTY);
    KUNIT_EXPECT_EQ(test, apelink_ioctl(fixture->opened, APELINK_GET_FEATURES, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_FEATURES], 0U);
}

static struct kunit_case cases[] = {
    KUNIT_CASE(programs),
    KUNIT_CASE(codes),
    KUNIT_CASE(cards),
    KUNIT_CASE(places),
    KUNIT_CASE(versions),
    KUNIT_CASE(unknown),
    {},
};

static struct kunit_suite suite = {
    .name = "apelink-layouts", .init = fixture_init, .exit = fixture_exit, .test_cases = cases};
kunit_test_suite(suite);
