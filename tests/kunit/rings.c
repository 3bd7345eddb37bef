/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Covers: driver/linux/channel.c, driver/linux/file.c. Rings: what a channel has, what a program
 * reaches of it, and how pointers go on. */
#include <linux/mman.h>
#include <linux/poll.h>

#include "fixture.h"

enum { ENTRIES = 8, TURNS = 5, WORDS = APELINK_COMMAND_BYTES / 4 };

static u32 *ring_of(u64 physical, u32 entry, u32 bytes)
{
    return (u32 *)((u8 *)phys_to_virt(physical) + (size_t)entry * bytes);
}

/* The doorbell page as the card has it. */
static struct apelink_doorbell *doorbell(struct fixture *fixture)
{
    return apelink_doorbell(&fixture->card, apelink_port(fixture_file(fixture)));
}

static long wait_for(struct fixture *fixture, u32 seen, u64 ns, u32 *event_wr_ptr)
{
    struct apelink_wait wait = {.timeout_ns = ns, .seen = seen};
    long status = fixture_ioctl(fixture, APELINK_WAIT, &wait);

    *event_wr_ptr = wait.event_wr_ptr;
    return status;
}

static void one_ring(struct kunit *test, u32 tx_entries, u32 event_entries)
{
    struct fixture *fixture = test->priv;
    const struct apelink_bar_request *request = &fixture->last[APELINK_BAR_OPEN];
    struct apelink_file *file = fixture_file(fixture);
    struct apelink_channel channel;

    KUNIT_ASSERT_EQ(test, fixture_open_channel(fixture, tx_entries, event_entries, &channel), 0L);
    KUNIT_EXPECT_EQ(test, channel.port, 0U);
    KUNIT_EXPECT_EQ(test, channel.tx_bytes, 64ULL * tx_entries);
    KUNIT_EXPECT_EQ(test, channel.event_bytes, 32ULL * event_entries);
    KUNIT_EXPECT_EQ(test, channel.doorbell_bytes, (u64)PAGE_SIZE);
    KUNIT_EXPECT_EQ(test, request->tx_entries, tx_entries);
    KUNIT_EXPECT_EQ(test, request->event_entries, event_entries);
    KUNIT_EXPECT_EQ(test, request->tx_base, (u64)virt_to_phys(file->tx));
    KUNIT_EXPECT_EQ(test, request->event_base, (u64)virt_to_phys(file->events));
    KUNIT_EXPECT_EQ(test, (request->tx_base | request->event_base) % PAGE_SIZE, 0ULL);
    KUNIT_EXPECT_EQ(test, file->tx_bytes, PAGE_ALIGN(64UL * tx_entries));
    KUNIT_EXPECT_EQ(test, file->event_bytes, PAGE_ALIGN(32UL * event_entries));
    KUNIT_EXPECT_PTR_EQ(test, memchr_inv(file->tx, 0, file->tx_bytes), NULL);
    KUNIT_EXPECT_PTR_EQ(test, memchr_inv(file->events, 0, file->event_bytes), NULL);
    KUNIT_EXPECT_TRUE(test, request->tx_base + file->tx_bytes <= request->event_base ||
                                request->event_base + file->event_bytes <= request->tx_base);
    fixture_close(fixture);
    fixture_open(fixture);
}

/* All powers of two; what is less than a page is one. Others get a ring of another's file. */
static void sizes(struct kunit *test)
{
    u32 entries;

    for (entries = 1; entries <= APELINK_BAR_RING_MAX; entries *= 2) {
        one_ring(test, entries, APELINK_BAR_RING_MAX / entries);
    }
    one_ring(test, APELINK_BAR_RING_MAX, APELINK_BAR_RING_MAX);
}

static void refused(struct kunit *test)
{
    static const u32 wrong[] = {0, 3, 5, 63, 65535, 65537, 65536 * 2, 1U << 31, ~0U};
    struct fixture *fixture = test->priv;
    struct apelink_channel channel;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(wrong); i++) {
        KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, wrong[i], 64, &channel), (long)-EINVAL);
        KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, wrong[i], &channel), (long)-EINVAL);
    }
    channel = (struct apelink_channel){.tx_entries = 64, .event_entries = 64, .flags = 1};
    KUNIT_EXPECT_EQ(test, fixture_ioctl(fixture, APELINK_OPEN_CHANNEL, &channel), (long)-EINVAL);
    channel = (struct apelink_channel){.tx_entries = 64, .event_entries = 64, .reserved = {0, 1}};
    KUNIT_EXPECT_EQ(test, fixture_ioctl(fixture, APELINK_OPEN_CHANNEL, &channel), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_OPEN], 0U);
    KUNIT_EXPECT_PTR_EQ(test, fixture_file(fixture)->tx, NULL);
    fixture->opened->f_mode &= ~FMODE_WRITE;
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EACCES);
    fixture->opened->f_mode |= FMODE_WRITE;
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EBUSY);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_OPEN], 1U);
}

/* The card has the last word, and rings end with its refusal. */
static void refused_by_card(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct apelink_file *file = fixture_file(fixture);
    struct apelink_channel channel;

    fixture->refuses = -EBUSY;
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EBUSY);
    fixture->refuses = 0;
    fixture->gives_port = APELINK_BAR_CHANNELS;
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EPROTO);
    fixture->gives_port = -1;
    KUNIT_EXPECT_PTR_EQ(test, file->tx, NULL);
    KUNIT_EXPECT_PTR_EQ(test, file->events, NULL);
    KUNIT_EXPECT_EQ(test, apelink_port(file), -1);
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
}

static void several(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct file *opened[APELINK_BAR_CHANNELS];
    struct apelink_channel channel;
    u32 port;

    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
        KUNIT_EXPECT_EQ(test, channel.port, port);
        KUNIT_EXPECT_EQ(test, channel.doorbell_key, (u64)port * PAGE_SIZE);
        opened[port] = fixture->opened;
        fixture_open(fixture);
    }
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EBUSY);
    swap(fixture->opened, opened[2]);
    fixture_close(fixture);
    swap(fixture->opened, opened[2]);
    KUNIT_EXPECT_EQ(test, fixture->last[APELINK_BAR_CLOSE].port, 2U);
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
    KUNIT_EXPECT_EQ(test, channel.port, 2U);
    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        fixture_close(fixture);
        fixture->opened = opened[port];
    }
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_CLOSE], 4U);
}

/* Nobody maps without a channel, or what is not there. */
static void maps(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct apelink_channel channel;

    KUNIT_EXPECT_EQ(test, fixture_map(fixture, APELINK_TX_KEY, PAGE_SIZE), 0UL);
    KUNIT_ASSERT_EQ(test, fixture_open_channel(fixture, 64, 1, &channel), 0L);
    KUNIT_EXPECT_NE(test, fixture_map(fixture, channel.tx_key, PAGE_SIZE), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.tx_key, 2 * PAGE_SIZE), 0UL);
    KUNIT_EXPECT_NE(test, fixture_map(fixture, channel.event_key, channel.event_bytes), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.event_key, 2 * PAGE_SIZE), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.event_key + PAGE_SIZE, PAGE_SIZE), 0UL);
    KUNIT_EXPECT_NE(test, fixture_map(fixture, channel.doorbell_key, PAGE_SIZE), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.doorbell_key, 2 * PAGE_SIZE), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.doorbell_key + PAGE_SIZE, PAGE_SIZE), 0UL);
    KUNIT_EXPECT_TRUE(test,
                      IS_ERR_VALUE(vm_mmap(fixture->opened, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE, channel.tx_key)));
    apelink_card_lose(&fixture->card, "test");
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, channel.tx_key, PAGE_SIZE), 0UL);
}

struct view {
    struct apelink_channel channel;
    u64 tx_base, event_base;
    unsigned long tx, events, doorbell; /* of the program */
};

static void map_all(struct kunit *test, u32 entries, struct view *view)
{
    struct fixture *fixture = test->priv;
    struct apelink_channel *channel = &view->channel;

    KUNIT_ASSERT_EQ(test, fixture_open_channel(fixture, entries, entries, channel), 0L);
    view->tx_base = fixture->last[APELINK_BAR_OPEN].tx_base;
    view->event_base = fixture->last[APELINK_BAR_OPEN].event_base;
    view->tx = fixture_map(fixture, channel->tx_key, channel->tx_bytes);
    view->events = fixture_map(fixture, channel->event_key, channel->event_bytes);
    view->doorbell = fixture_map(fixture, channel->doorbell_key, channel->doorbell_bytes);
    KUNIT_ASSERT_NE(test, view->tx, 0UL);
    KUNIT_ASSERT_NE(test, view->events, 0UL);
    KUNIT_ASSERT_NE(test, view->doorbell, 0UL);
}

/* All entries of a ring that is full, on several pages: what the program writes is where the card
 * was told that it reads, and the other way round. */
static void full(struct kunit *test)
{
    enum { MANY = 256 };
    struct fixture *fixture = test->priv;
    struct view view;
    u32 i, seen;

    map_all(test, MANY, &view);
    for (i = 0; i < MANY * WORDS; i++) {
        fixture_store(fixture, view.tx + 4UL * i, i * 2654435761U);
    }
    fixture_store(fixture, view.doorbell, MANY);
    KUNIT_EXPECT_EQ(test, doorbell(fixture)->wr_ptr - doorbell(fixture)->rd_ptr, (u32)MANY);
    for (i = 0; i < MANY * WORDS; i++) {
        KUNIT_ASSERT_EQ(test, ring_of(view.tx_base, 0, 0)[i], i * 2654435761U);
    }
    for (i = 0; i < MANY * APELINK_EVENT_BYTES / 4; i++) {
        ring_of(view.event_base, 0, 0)[i] = ~i;
    }
    doorbell(fixture)->event_wr_ptr = MANY;
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), EPOLLIN | EPOLLRDNORM);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, 0, 0, &seen), 0L);
    KUNIT_EXPECT_EQ(test, seen, (u32)MANY);
    for (i = 0; i < MANY * APELINK_EVENT_BYTES / 4; i++) {
        KUNIT_ASSERT_EQ(test, fixture_load(fixture, view.events + 4UL * i), ~i);
    }
    fixture_store(fixture, view.doorbell + 4, MANY);
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), (__poll_t)0);
}

/* A packet and its event: both pointers go through the ring, and beyond 2^32. */
static void one_turn(struct kunit *test, const struct view *view, u32 count)
{
    struct fixture *fixture = test->priv;
    struct apelink_doorbell *card = doorbell(fixture);
    u32 entry = count % ENTRIES, seen;

    fixture_store(fixture, view->tx + (unsigned long)entry * APELINK_COMMAND_BYTES, count);
    fixture_store(fixture, view->doorbell, count + 1);
    KUNIT_EXPECT_EQ(test, card->wr_ptr - card->rd_ptr, 1U);
    KUNIT_EXPECT_EQ(test, *ring_of(view->tx_base, card->rd_ptr % ENTRIES, APELINK_COMMAND_BYTES),
                    count);
    card->rd_ptr++;
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, view->doorbell + 64), count + 1);
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), (__poll_t)0);
    KUNIT_EXPECT_FALSE(test, apelink_channel_news(&fixture->card, view->channel.port, count));
    KUNIT_EXPECT_EQ(test, wait_for(fixture, count, 0, &seen), (long)-ETIMEDOUT);
    *ring_of(view->event_base, entry, APELINK_EVENT_BYTES) = ~count;
    card->event_wr_ptr++;
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), EPOLLIN | EPOLLRDNORM);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, count, ~0ULL, &seen), 0L);
    KUNIT_EXPECT_EQ(test, seen, count + 1);
    KUNIT_EXPECT_EQ(test, fixture_load(fixture, view->doorbell + 68), count + 1);
    KUNIT_EXPECT_EQ(
        test, fixture_load(fixture, view->events + (unsigned long)entry * APELINK_EVENT_BYTES),
        ~count);
    fixture_store(fixture, view->doorbell + 4, count + 1);
}

static void wrap(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    u32 count = 0U - ENTRIES * TURNS / 2, turn;
    struct apelink_doorbell *card;
    struct view view;

    map_all(test, ENTRIES, &view);
    card = doorbell(fixture);
    card->wr_ptr = card->rd_ptr = card->event_wr_ptr = card->event_rd_ptr = count;
    for (turn = 0; turn < ENTRIES * TURNS; turn++) {
        one_turn(test, &view, count + turn);
    }
    KUNIT_EXPECT_EQ(test, card->wr_ptr, (u32)ENTRIES * TURNS / 2);
}

struct event {
    struct delayed_work work;
    struct fixture *fixture;
    bool lose, seen_wanted;
};

static void happen(struct work_struct *work)
{
    struct event *event = container_of(work, struct event, work.work);
    struct apelink_card *card = &event->fixture->card;

    event->seen_wanted = card->bar->wanted[0] != 0;
    if (event->lose) {
        apelink_card_lose(card, "test");
    } else {
        WRITE_ONCE(apelink_doorbell(card, 0)->event_wr_ptr, 1);
        wake_up_all(&card->events[0]);
    }
}

/* Who waits says so to the card, and is woken by an event, time, or the card's end. */
static void waits(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct event event = {.fixture = fixture};
    struct apelink_channel channel;
    u32 seen;

    KUNIT_EXPECT_EQ(test, wait_for(fixture, 0, 0, &seen), (long)-ENXIO);
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), EPOLLERR);
    KUNIT_ASSERT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
    KUNIT_EXPECT_EQ(test, fixture->card.bar->wanted[0], 0U);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, 0, 1000000, &seen), (long)-ETIMEDOUT);
    KUNIT_EXPECT_EQ(test, fixture->card.bar->wanted[0], 1U);
    INIT_DELAYED_WORK_ONSTACK(&event.work, happen);
    fixture->card.bar->wanted[0] = 0;
    schedule_delayed_work(&event.work, 5);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, 0, ~0ULL, &seen), 0L);
    KUNIT_EXPECT_EQ(test, seen, 1U);
    KUNIT_EXPECT_TRUE(test, event.seen_wanted);
    flush_delayed_work(&event.work);
    event.lose = true;
    schedule_delayed_work(&event.work, 5);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, 1, ~0ULL, &seen), (long)-ENODEV);
    flush_delayed_work(&event.work);
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), EPOLLERR);
    destroy_delayed_work_on_stack(&event.work);
}

/* The channel ends with its process, though the file is open, and its doorbell page is taken. */
static void process_ends(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    struct mm_struct *mm = fixture->mm;
    struct apelink_channel channel;
    struct view view;
    u32 seen;

    map_all(test, ENTRIES, &view);
    fixture_store(fixture, view.doorbell, 1);
    fixture_end_process(fixture);
    fixture_new_process(fixture);
    KUNIT_EXPECT_PTR_NE(test, fixture->mm, mm);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_CLOSE], 1U);
    KUNIT_EXPECT_FALSE(test, fixture->port[0]);
    KUNIT_EXPECT_EQ(test, wait_for(fixture, 0, ~0ULL, &seen), (long)-ENXIO);
    KUNIT_EXPECT_EQ(test, vfs_poll(fixture->opened, NULL), EPOLLERR);
    KUNIT_EXPECT_EQ(test, fixture_map(fixture, view.channel.tx_key, PAGE_SIZE), 0UL);
    KUNIT_EXPECT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), (long)-EBUSY);
    fixture_close(fixture);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_CLOSE], 1U);
}

static struct kunit_case cases[] = {
    KUNIT_CASE(sizes),
    KUNIT_CASE(refused),
    KUNIT_CASE(refused_by_card),
    KUNIT_CASE(several),
    KUNIT_CASE(maps),
    KUNIT_CASE(full),
    KUNIT_CASE(wrap),
    KUNIT_CASE(waits),
    KUNIT_CASE(process_ends),
    {},
};

static struct kunit_suite suite = {
    .name = "apelink-rings", .init = fixture_init, .exit = fixture_exit, .test_cases = cases};
kunit_test_suite(suite);
