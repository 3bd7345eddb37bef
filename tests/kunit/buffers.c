/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Covers: driver/linux/buffer.c, driver/linux/dormant.c, driver/linux/pin.c. Registered buffers of
 * a process of Linux: what the card is told, and when memory stays pinned. */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "fixture.h"

enum { PAGES = 16, LONG = 2 * APELINK_BAR_LIST + 178 };

static struct fixture *begin(struct kunit *test, unsigned long *address)
{
    struct fixture *fixture = test->priv;
    struct apelink_channel channel;

    KUNIT_ASSERT_EQ(test, fixture_open_channel(fixture, 64, 64, &channel), 0L);
    *address = fixture_memory(fixture, PAGES * PAGE_SIZE);
    KUNIT_ASSERT_NE(test, *address, 0UL);
    return fixture;
}

static struct page *page_of(const struct fixture *fixture, unsigned int i)
{
    return pfn_to_page(fixture->list[i] >> PAGE_SHIFT);
}

/* Pages that are charged to the process, when nothing is left to be undone. */
static long pinned(struct fixture *fixture)
{
    flush_work(&fixture_file(fixture)->undo);
    return atomic64_read(&fixture->mm->pinned_vm);
}

/* What the program writes is on the pages that the card is told, in their order. */
static void check_pages(struct kunit *test, unsigned long address, unsigned int pages)
{
    struct fixture *fixture = test->priv;
    unsigned int i;

    KUNIT_ASSERT_EQ(test, fixture->pages, pages);
    for (i = 0; i < pages; i++) {
        fixture_store(fixture, address + i * PAGE_SIZE, 1000 + i);
    }
    for (i = 0; i < pages; i++) {
        KUNIT_ASSERT_EQ(test, fixture->list[i] % PAGE_SIZE, 0ULL);
        KUNIT_EXPECT_EQ(test, *(u32 *)phys_to_virt(fixture->list[i]), 1000 + i);
        KUNIT_EXPECT_TRUE(test, page_maybe_dma_pinned(page_of(fixture, i)));
    }
}

static void told(struct kunit *test)
{
    unsigned long address, more;
    struct fixture *fixture = begin(test, &address);
    const struct apelink_bar_request *request = &fixture->last[APELINK_BAR_REGISTER];
    u32 handle, other;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address + 100, 3 * PAGE_SIZE, &handle), 0L);
    KUNIT_EXPECT_EQ(test, request->port, 0U);
    KUNIT_EXPECT_EQ(test, request->address, (u64)address + 100);
    KUNIT_EXPECT_EQ(test, request->len, 3ULL * PAGE_SIZE);
    KUNIT_EXPECT_EQ(test, request->access, APELINK_ACCESS_READ | APELINK_ACCESS_WRITE);
    check_pages(test, address, 4);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 4L);
    more = fixture_memory(fixture, LONG * PAGE_SIZE);
    KUNIT_ASSERT_NE(test, more, 0UL);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, more, LONG * PAGE_SIZE, &other), 0L);
    check_pages(test, more, LONG);
    KUNIT_EXPECT_NE(test, handle, other);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, other), 0L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), 0L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), (long)-ENOENT);
}

static long try(struct fixture *fixture, u64 address, u64 len, u32 access, u32 flags)
{
    struct apelink_register buffer = {
        .address = address, .len = len, .access = access, .flags = flags};

    return fixture_ioctl(fixture, APELINK_REGISTER, &buffer);
}

static void refused(struct kunit *test)
{
    struct fixture *fixture = test->priv;
    unsigned long address, gone;
    u32 handle;

    KUNIT_EXPECT_EQ(test, try(fixture, fixture->page, 8, 1, 0), (long)-ENXIO);
    begin(test, &address);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 0, 3, 0), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, 0, 0), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, 4, 0), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, 3, 1), (long)-EINVAL);
    KUNIT_EXPECT_EQ(test, try(fixture, TASK_SIZE - 1, 2, 3, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, try(fixture, address, ~0ULL, 3, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, try(fixture, ~0ULL, 2, 3, 0), (long)-EFAULT);
    gone = fixture_memory(fixture, PAGE_SIZE);
    KUNIT_EXPECT_EQ(test, vm_munmap(gone, PAGE_SIZE), 0);
    KUNIT_EXPECT_EQ(test, try(fixture, gone, 8, 1, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 0L);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_REGISTER], 0U);
    fixture->refuses = -ENOSPC;
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8, &handle), (long)-ENOSPC);
    fixture->refuses = 0;
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, 1), (long)-ENOENT);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8, &handle), 0L);
}

/* Memory that may only be read is so for the card, too. */
static void read_only(struct kunit *test)
{
    unsigned long address;
    struct fixture *fixture = begin(test, &address);

    address = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ, MAP_ANONYMOUS | MAP_PRIVATE, 0);
    KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(address));
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, APELINK_ACCESS_WRITE, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, APELINK_ACCESS_READ, 0), 0L);
    KUNIT_EXPECT_EQ(test, fixture->list[0] % PAGE_SIZE, (u64)APELINK_BAR_READ_ONLY);
}

static void other_process(struct kunit *test)
{
    unsigned long address, page;
    struct fixture *fixture = begin(test, &address);
    struct mm_struct *mine = fixture->mm;

    page = fixture->page;
    kthread_unuse_mm(mine);
    fixture_new_process(fixture);
    KUNIT_EXPECT_EQ(test, try(fixture, fixture->page, 8, 1, 0), (long)-EPERM);
    fixture_end_process(fixture);
    kthread_use_mm(mine);
    fixture->mm = mine;
    fixture->page = page;
    KUNIT_EXPECT_EQ(test, try(fixture, address, 8, 1, 0), 0L);
}

/* A buffer within another costs no page; what is deregistered is found again and asks nothing. */
static void cache(struct kunit *test)
{
    unsigned long *hits = fixture_parameter("apelink.pin_cache_hits");
    unsigned long *misses = fixture_parameter("apelink.pin_cache_misses");
    unsigned long *unasked = fixture_parameter("apelink.pin_cache_unasked");
    unsigned long address, hits0 = *hits, misses0 = *misses, unasked0 = *unasked;
    struct fixture *fixture = begin(test, &address);
    u32 outer, inner, on;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8 * PAGE_SIZE, &outer), 0L);
    on = fixture->last[APELINK_BAR_REGISTER].switched;
    KUNIT_ASSERT_TRUE(test, on > 0 && on <= APELINK_BAR_SWITCHES);
    KUNIT_EXPECT_EQ(test, *misses, misses0 + 1);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address + PAGE_SIZE, 8, &inner), 0L);
    KUNIT_EXPECT_EQ(test, *misses, misses0 + 1);
    KUNIT_EXPECT_EQ(test, *hits, hits0 + 1);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 8L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, inner), 0L);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 1U); /* the other is there */
    KUNIT_EXPECT_EQ(test, apelink_switches(&fixture->card)->on[0][on - 1], 1U);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, outer), 0L);
    KUNIT_EXPECT_EQ(test, apelink_switches(&fixture->card)->on[0][on - 1], 0U);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 1U);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 8L);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8 * PAGE_SIZE, &outer), 0L);
    KUNIT_EXPECT_EQ(test, apelink_switches(&fixture->card)->on[0][on - 1], 1U);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_REGISTER], 2U);
    KUNIT_EXPECT_EQ(test, *unasked, unasked0 + 1);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, outer), 0L);
    /* One that overlaps it becomes one with it, and it is dormant no more. */
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address + 4 * PAGE_SIZE, 8 * PAGE_SIZE, &outer),
                    0L);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 12L);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 2U);
}

/* A card that has no room gets it from those that are dormant. */
static void room(struct kunit *test)
{
    unsigned long address;
    struct fixture *fixture = begin(test, &address);
    u32 handle, i;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8, &handle), 0L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), 0L);
    for (i = 0; i < FIXTURE_BUFFERS; i++) {
        KUNIT_EXPECT_EQ(test, fixture_register(fixture, address + 64 + 16 * i, 8, &handle), 0L);
    }
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_REGISTER], FIXTURE_BUFFERS + 2U);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 1U);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 8, &handle), (long)-ENOSPC);
}

static void unmapped(struct kunit *test)
{
    unsigned long address;
    struct fixture *fixture = begin(test, &address);
    u32 handle, other;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 4 * PAGE_SIZE, &handle), 0L);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address + 8 * PAGE_SIZE, 8, &other), 0L);
    KUNIT_EXPECT_EQ(test, vm_munmap(address + PAGE_SIZE, PAGE_SIZE), 0);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 1U);
    KUNIT_EXPECT_EQ(test, fixture->last[APELINK_BAR_DEREGISTER].handle, 0U);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 1L);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 4 * PAGE_SIZE, 3, 0), (long)-EFAULT);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), 0L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), (long)-ENOENT);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 1U);
}

/* MADV_DONTNEED: a buffer keeps its pages, and the next gets those that are there now. */
static void given_back(struct kunit *test)
{
    unsigned long address;
    struct fixture *fixture = begin(test, &address);
    struct vm_area_struct *area;
    u32 before, after;
    u64 page;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, PAGE_SIZE, &before), 0L);
    page = fixture->list[0];
    mmap_read_lock(fixture->mm);
    area = find_vma(fixture->mm, address);
    zap_page_range(area, address, PAGE_SIZE);
    mmap_read_unlock(fixture->mm);
    KUNIT_EXPECT_EQ(test, fixture->asked[APELINK_BAR_DEREGISTER], 0U);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, PAGE_SIZE, &after), 0L);
    KUNIT_EXPECT_NE(test, fixture->list[0], page);
    check_pages(test, address, 1);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 2L);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, before), 0L);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 1L);
}

static void limits(struct kunit *test)
{
    unsigned long *pages = fixture_parameter("apelink.pin_cache_pages"), usual = *pages;
    unsigned long address, more;
    struct fixture *fixture = begin(test, &address);
    const struct cred *may = current_cred();
    struct cred *may_not = prepare_creds();
    u32 handle;

    KUNIT_ASSERT_PTR_NE(test, may_not, NULL);
    more = address + 8 * PAGE_SIZE;
    cap_lower(may_not->cap_effective, CAP_IPC_LOCK);
    current->signal->rlim[RLIMIT_MEMLOCK].rlim_cur = 4 * PAGE_SIZE;
    may = override_creds(may_not);
    KUNIT_EXPECT_EQ(test, try(fixture, address, 5 * PAGE_SIZE, 3, 0), (long)-ENOMEM);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, 4 * PAGE_SIZE, &handle), 0L);
    KUNIT_EXPECT_EQ(test, try(fixture, more, 8, 3, 0), (long)-ENOMEM);
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), 0L);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 4L);
    KUNIT_EXPECT_EQ(test, fixture_register(fixture, more, 8, &handle), 0L); /* the cache goes */
    KUNIT_EXPECT_EQ(test, pinned(fixture), 1L);
    *pages = 0;
    KUNIT_EXPECT_EQ(test, fixture_deregister(fixture, handle), 0L);
    KUNIT_EXPECT_EQ(test, pinned(fixture), 0L);
    *pages = usual;
    revert_creds(may);
    put_cred(may_not);
}

static void process_ends(struct kunit *test)
{
    unsigned long address;
    struct fixture *fixture = begin(test, &address);
    struct page *page;
    u32 handle;

    KUNIT_EXPECT_EQ(test, fixture_register(fixture, address, PAGE_SIZE, &handle), 0L);
    page = page_of(fixture, 0);
    get_page(page);
    KUNIT_EXPECT_TRUE(test, page_maybe_dma_pinned(page));
    fixture_end_process(fixture);
    flush_work(&fixture_file(fixture)->undo);
    KUNIT_EXPECT_FALSE(test, page_maybe_dma_pinned(page));
    put_page(page);
}

static struct kunit_case cases[] = {
    KUNIT_CASE(told),
    KUNIT_CASE(refused),
    KUNIT_CASE(read_only),
    KUNIT_CASE(other_process),
    KUNIT_CASE(cache),
    KUNIT_CASE(room),
    KUNIT_CASE(unmapped),
    KUNIT_CASE(given_back),
    KUNIT_CASE(limits),
    KUNIT_CASE(process_ends),
    {},
};

static struct kunit_suite suite = {
    .name = "apelink-buffers", .init = fixture_init, .exit = fixture_exit, .test_cases = cases};
kunit_test_suite(suite);
