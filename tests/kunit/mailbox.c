/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Covers: driver/linux/mailbox.c. Requests, whose answers come at once, later, or never. */
#include "fixture.h"

static int ask(struct fixture *fixture)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_READ, .offset = 4};

    return apelink_ask(&fixture->card, &request);
}

static void answered(struct kunit *test)
{
    struct fixture *fixture = test->priv;

    KUNIT_EXPECT_EQ(test, ask(fixture), 0);
    KUNIT_EXPECT_EQ(test, fixture->last[APELINK_BAR_READ].offset, 4U);
    fixture->answers = FIXTURE_LATER;
    KUNIT_EXPECT_EQ(test, ask(fixture), 0);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_READ], 2U);
    fixture->refuses = -EIO;
    KUNIT_EXPECT_EQ(test, ask(fixture), -EIO);
}

/* What is no errno a program does not get. */
static void nonsense(struct kunit *test)
{
    struct fixture *fixture = test->priv;

    fixture->refuses = 1;
    KUNIT_EXPECT_EQ(test, ask(fixture), -EPROTO);
    fixture->refuses = -MAX_ERRNO - 1;
    KUNIT_EXPECT_EQ(test, ask(fixture), -EPROTO);
    fixture->refuses = INT_MIN;
    KUNIT_EXPECT_EQ(test, ask(fixture), -EPROTO);
    fixture->refuses = -MAX_ERRNO;
    KUNIT_EXPECT_EQ(test, ask(fixture), -MAX_ERRNO);
}

/* Requests are counted modulo 2^32. */
static void wrap(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct apelink_bar *bar = fixture->card.bar;
    int i;

    bar->posted = bar->answered = ~1U;
    for (i = 0; i < 4; i++) {
        fixture->answers = i % 2 == 0 ? FIXTURE_AT_ONCE : FIXTURE_LATER;
        KUNIT_EXPECT_EQ(test, ask(fixture), 0);
    }
    KUNIT_EXPECT_EQ(test, bar->posted, 2U);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_READ], 4U);
}

struct end {
    struct delayed_work work;
    struct apelink_card *card;
};

static void lose(struct work_struct *work)
{
    apelink_card_lose(container_of(work, struct end, work.work)->card, "test");
}

static void never(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct end end = {.card = &fixture->card};
    u32 posted;

    INIT_DELAYED_WORK_ONSTACK(&end.work, lose);
    fixture->answers = FIXTURE_NEVER;
    schedule_delayed_work(&end.work, 5);
    KUNIT_EXPECT_EQ(test, ask(fixture), -ENODEV);
    flush_delayed_work(&end.work);
    destroy_delayed_work_on_stack(&end.work);
    posted = fixture->card.bar->posted;
    KUNIT_EXPECT_EQ(test, ask(fixture), -ENODEV);
    KUNIT_EXPECT_EQ(test, fixture->card.bar->posted, posted);
    KUNIT_EXPECT_EQ(test, fixture->card.bar->master, 0U);
}

/* All channels are closed before the card may reach no memory. */
static void no_more(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct apelink_channel channel;

    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
    apelink_ask_no_more(&fixture->card, "test");
    KUNIT_EXPECT_FALSE(test, fixture->port[0]);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_CLOSE], (unsigned int)APELINK_BAR_CHANNELS);
    KUNIT_EXPECT_TRUE(test, apelink_card_gone(&fixture->card));
    KUNIT_EXPECT_EQ(test, fixture->card.bar->master, 0U);
    KUNIT_EXPECT_EQ(test, ask(fixture), -ENODEV);
}

static struct kunit_case cases[] = {
    KUNIT_CASE(answered), KUNIT_CASE(nonsense), KUNIT_CASE(wrap),
    KUNIT_CASE(never),    KUNIT_CASE(no_more),  {},
};

static struct kunit_suite suite = {
    .name = "apelink-mailbox", .init = fixture_init, .exit = fixture_exit, .test_cases = cases};
kunit_test_suite(suite);
