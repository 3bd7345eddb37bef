/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/logic_iomem.h>
#include <linux/mman.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "fixture.h"

extern const struct kernel_param __start___param[], __stop___param[];

static struct resource ring_resource = {
    .name = "apelink ring", .start = 0xe0000000, .end = 0xe0000fff, .flags = IORESOURCE_MEM};
static struct fixture *current_fixture; /* suites run one after the other */

/* ---- the card -------------------------------------------------------------------------------- */

static int open_port(struct fixture *fixture, struct apelink_bar_request *request)
{
    u32 port = 0;

    while (port < APELINK_BAR_CHANNELS && fixture->port[port]) {
        port++;
    }
    if (fixture->gives_port >= 0) {
        request->port = fixture->gives_port;
    } else if (port == APELINK_BAR_CHANNELS) {
        return -EBUSY;
    } else {
        fixture->port[port] = true;
        request->port = port;
    }
    return 0;
}

static int close_port(struct fixture *fixture, const struct apelink_bar_request *request)
{
    if (request->port >= APELINK_BAR_CHANNELS || !fixture->port[request->port]) {
        return -ENXIO;
    }
    fixture->port[request->port] = false;
    memset(fixture->buffer, 0, sizeof fixture->buffer);
    return 0;
}

static int know_buffer(struct fixture *fixture, struct apelink_bar_request *request)
{
    const struct apelink_bar_list *list = phys_to_virt(request->list);
    u64 first = request->address / PAGE_SIZE;
    u64 count = (request->address + request->len - 1) / PAGE_SIZE - first + 1, i;
    u32 handle = 0;

    while (handle < FIXTURE_BUFFERS && fixture->buffer[handle]) {
        handle++;
    }
    if (handle == FIXTURE_BUFFERS || count > FIXTURE_LIST) {
        return -ENOSPC;
    }
    for (i = 0; i < count; i++) {
        if (i > 0 && i % APELINK_BAR_LIST == 0) {
            list = phys_to_virt(list->next);
        }
        fixture->list[i] = list->page[i % APELINK_BAR_LIST];
    }
    fixture->pages = list->next == 0 ? count : 0;
    fixture->buffer[handle] = true;
    request->handle = handle;
    return 0;
}

static int forget_buffer(struct fixture *fixture, const struct apelink_bar_request *request)
{
    if (request->handle >= FIXTURE_BUFFERS || !fixture->buffer[request->handle]) {
        return -ENOENT;
    }
    fixture->buffer[request->handle] = false;
    return 0;
}

static int serve(struct fixture *fixture, struct apelink_bar_request *request)
{
    if (fixture->refuses != 0) {
        return fixture->refuses;
    }
    switch (request->operation) {
    case APELINK_BAR_OPEN:
        return open_port(fixture, request);
    case APELINK_BAR_CLOSE:
        return close_port(fixture, request);
    case APELINK_BAR_REGISTER:
        return know_buffer(fixture, request);
    case APELINK_BAR_DEREGISTER:
        return forget_buffer(fixture, request);
    default:
        return 0;
    }
}

static void answer(struct fixture *fixture)
{
    struct apelink_bar *bar = fixture->card.bar;
    /* Pairs with the driver's release: the request is there. */
    u32 posted = smp_load_acquire(&bar->posted), operation = bar->request.operation;

    if (posted == bar->answered || operation > APELINK_BAR_WRITE) {
        return;
    }
    fixture->asked[operation]++;
    fixture->last[operation] = bar->request;
    bar->request.status = serve(fixture, &bar->request);
    /* Pairs with the driver's acquire: the answer is there. */
    smp_store_release(&bar->answered, posted);
    wake_up_all(&fixture->card.answered);
}

static void answer_later(struct work_struct *work)
{
    answer(container_of(work, struct fixture, later.work));
}

static unsigned long ring_read(void *priv, unsigned int offset, int size)
{
    return ~0UL;
}

static void ring_write(void *priv, unsigned int offset, int size, unsigned long value)
{
    struct fixture *fixture = current_fixture;

    if (fixture->answers == FIXTURE_AT_ONCE) {
        answer(fixture);
    } else if (fixture->answers == FIXTURE_LATER) {
        schedule_delayed_work(&fixture->later, 2);
    }
}

static const struct logic_iomem_ops ring_operations = {.read = ring_read, .write = ring_write};

static long ring_map(unsigned long offset, size_t size, const struct logic_iomem_ops **operations,
                     void **priv)
{
    *operations = &ring_operations;
    *priv = NULL;
    return 0;
}

static const struct logic_iomem_region_ops ring_region = {.map = ring_map};

static void make_card(struct fixture *fixture)
{
    struct apelink_card *card = &fixture->card;
    static void __iomem *ring;
    unsigned int port;

    if (ring == NULL && logic_iomem_add_region(&ring_resource, &ring_region) == 0) {
        ring = ioremap(ring_resource.start, PAGE_SIZE);
    }
    KUNIT_ASSERT_PTR_NE(fixture->test, (void *)ring, NULL);
    card->bar = alloc_pages_exact(APELINK_BAR_BYTES, GFP_KERNEL | __GFP_ZERO);
    KUNIT_ASSERT_PTR_NE(fixture->test, (void *)card->bar, NULL);
    kref_init(&card->kref); /* never given back: it is part of the fixture */
    fixture->pci.dev.init_name = "kunit";
    card->pci = &fixture->pci;
    card->ring = ring + APELINK_BAR_RING;
    card->bar_start = virt_to_phys(card->bar);
    card->bar->there = card->bar->master = 1;
    strscpy(card->name, "apelink0", sizeof card->name);
    mutex_init(&card->mailbox);
    init_waitqueue_head(&card->answered);
    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        init_waitqueue_head(&card->events[port]);
    }
    init_rwsem(&card->maps);
    mutex_init(&card->files_lock);
    INIT_LIST_HEAD(&card->files);
}

/* ---- the process ----------------------------------------------------------------------------- */

void fixture_new_process(struct fixture *fixture)
{
    struct mm_struct *mm = mm_alloc();

    KUNIT_ASSERT_PTR_NE(fixture->test, mm, NULL);
    mm->task_size = TASK_SIZE;
    arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
    kthread_use_mm(mm);
    fixture->mm = mm;
    fixture->page = fixture_memory(fixture, PAGE_SIZE);
    KUNIT_ASSERT_NE(fixture->test, fixture->page, 0UL);
}

void fixture_end_process(struct fixture *fixture)
{
    if (fixture->mm != NULL) {
        kthread_unuse_mm(fixture->mm);
        mmput(fixture->mm);
        fixture->mm = NULL;
    }
}

void fixture_open(struct fixture *fixture)
{
    struct file *opened =
        anon_inode_getfile("[apelink]", &apelink_file_operations, &fixture->card.misc, O_RDWR);

    KUNIT_ASSERT_FALSE(fixture->test, IS_ERR(opened));
    KUNIT_ASSERT_EQ(fixture->test, opened->f_op->open(file_inode(opened), opened), 0);
    fixture->opened = opened;
}

void fixture_close(struct fixture *fixture)
{
    if (fixture->opened != NULL) {
        fput(fixture->opened);
        flush_delayed_fput();
        fixture->opened = NULL;
    }
}

int fixture_init(struct kunit *test)
{
    struct fixture *fixture = kunit_kzalloc(test, sizeof *fixture, GFP_KERNEL);

    KUNIT_ASSERT_PTR_NE(test, fixture, NULL);
    test->priv = current_fixture = fixture;
    fixture->test = test;
    fixture->gives_port = -1;
    INIT_DELAYED_WORK(&fixture->later, answer_later);
    make_card(fixture);
    fixture_new_process(fixture);
    fixture_open(fixture);
    return 0;
}

void fixture_exit(struct kunit *test)
{
    struct fixture *fixture = test->priv;

    fixture->answers = FIXTURE_AT_ONCE;
    fixture->refuses = 0;
    fixture_end_process(fixture);
    fixture_close(fixture);
    cancel_delayed_work_sync(&fixture->later);
    free_pages_exact(fixture->card.bar, APELINK_BAR_BYTES);
}

/* ---- what the program does ------------------------------------------------------------------- */

unsigned long fixture_memory(struct fixture *fixture, size_t len)
{
    unsigned long address =
        vm_mmap(NULL, 0, len, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, 0);

    return IS_ERR_VALUE(address) ? 0 : address;
}

unsigned long fixture_map(struct fixture *fixture, u64 key, size_t len)
{
    unsigned long address =
        vm_mmap(fixture->opened, 0, len, PROT_READ | PROT_WRITE, MAP_SHARED, key);

    return IS_ERR_VALUE(address) ? 0 : address;
}

u32 fixture_load(struct fixture *fixture, unsigned long address)
{
    u32 value = 0;

    KUNIT_EXPECT_EQ(fixture->test, copy_from_user(&value, (void __user *)address, 4), 0UL);
    return value;
}

void fixture_store(struct fixture *fixture, unsigned long address, u32 value)
{
    KUNIT_EXPECT_EQ(fixture->test, copy_to_user((void __user *)address, &value, 4), 0UL);
}

long fixture_ioctl(struct fixture *fixture, unsigned int command, void *structure)
{
    size_t size = _IOC_SIZE(command);
    void __user *program = (void __user *)fixture->page;
    long status;

    *(u64 *)structure = size;
    KUNIT_ASSERT_EQ(fixture->test, copy_to_user(program, structure, size), 0UL);
    status = fixture->opened->f_op->unlocked_ioctl(fixture->opened, command, fixture->page);
    KUNIT_ASSERT_EQ(fixture->test, copy_from_user(structure, program, size), 0UL);
    return status;
}

long fixture_open_channel(struct fixture *fixture, u32 tx_entries, u32 event_entries,
                          struct apelink_channel *channel)
{
    *channel = (struct apelink_channel){.tx_entries = tx_entries, .event_entries = event_entries};
    return fixture_ioctl(fixture, APELINK_OPEN_CHANNEL, channel);
}

long fixture_register(struct fixture *fixture, unsigned long address, size_t len, u32 *handle)
{
    struct apelink_register buffer = {
        .address = address, .len = len, .access = APELINK_ACCESS_READ | APELINK_ACCESS_WRITE};
    long status = fixture_ioctl(fixture, APELINK_REGISTER, &buffer);

    *handle = buffer.handle;
    return status;
}

long fixture_deregister(struct fixture *fixture, u32 handle)
{
    struct apelink_deregister buffer = {.handle = handle};

    return fixture_ioctl(fixture, APELINK_DEREGISTER, &buffer);
}

unsigned long *fixture_parameter(const char *name)
{
    const struct kernel_param *one;

    for (one = __start___param; one < __stop___param; one++) {
        if (strcmp(one->name, name) == 0) {
            return one->arg;
        }
    }
    return NULL;
}
