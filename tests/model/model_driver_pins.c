/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: driver/linux/buffer.c, driver/linux/dormant.c, driver/linux/pin.c. */
#include <inttypes.h>

#include "kernel.h"
#include "driver/linux/apelink.h"

#include "base/random.h"
#include "rounds.h"

/*
 * Buffers of the kernel module and its pin-down cache, while the memory of the process changes at
 * any moment: between the calls, while pages are pinned, while the card is told, and in two steps,
 * as in Linux: those who listen hear of a change before it is there. What the card has is compared
 * with what the process has. What is dormant the card does not reach, and finds no other buffer
 * behind.
 *
 *   model_driver_pins [SEED]   repeats one seed
 */

enum { SEEDS = 30, STEPS = 2000, PAGES = 24, POOL = 4096, BUFFERS = 128, BEFORE = 4, NOBODY = -1 };
#define BASE  0x7f0000000000UL
#define LIMIT 40

struct card_buffer {
    bool used;
    u64 address, len;
    u32 access;
    const u32 *on; /* its switch, or NULL */
    struct page *page[PAGES];
};

static struct model {
    struct ni_rng rng;
    uint64_t seed;
    struct apelink_file file;
    struct apelink_card card;
    _Alignas(PAGE_SIZE) u8 bar[APELINK_BAR_BYTES];
    struct mm_struct mm, other_mm;
    struct page pool[POOL], *at[PAGES]; /* NULL: nobody has touched it */
    unsigned long allowed[PAGES];       /* VM_ flags */
    struct vm_area_struct area[PAGES];
    bool there[PAGES];
    unsigned changed[PAGES], unmapped[PAGES]; /* how often */
    int first, last;                          /* of a change of which only was told */
    bool unmaps;
    struct card_buffer buffer[BUFFERS];
    u32 handle[XA_ENTRIES];
    struct apelink_register before[BEFORE]; /* that were tried */
    unsigned handles, registered, found, pinned, asked, unasked;
    u32 moving;     /* of the card, when a switch was turned off last */
    bool no_memory; /* allocations fail at times */
    bool calm;      /* nothing happens meanwhile */
} m;

extern unsigned long *param_pin_cache_pages, *param_pin_cache_hits, *param_pin_cache_misses;
extern unsigned long *param_pin_cache_unasked;
static struct task task;
struct task *current = &task;

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_driver_pins: %s. Repeat with: model_driver_pins %" PRIu64 "\n", what,
                m.seed);
        exit(1);
    }
}

static unsigned below(unsigned n)
{
    return (unsigned)ni_rng_below(&m.rng, n);
}

/* ---- Linux ----------------------------------------------------------------------------------- */

void mutex_lock(struct mutex *mutex)
{
    must(!mutex->held, "a lock is taken twice");
    mutex->held = true;
}

void mutex_unlock(struct mutex *mutex)
{
    must(mutex->held, "a lock is given back that nobody has");
    mutex->held = false;
}

void schedule_work(struct work_struct *work)
{
    work->pending = true;
}

void flush_work(struct work_struct *work)
{
    if (work->pending) {
        work->pending = false;
        work->run(work);
    }
}

/* The card moves bytes at times, and not always for long. */
void smp_mb(void)
{
    apelink_switches(&m.card)->moving += below(2);
    m.moving = apelink_switches(&m.card)->moving;
}

void cpu_relax(void)
{
    apelink_switches(&m.card)->moving += below(20000) == 0;
}

void *kernel_alloc(size_t size)
{
    must(!m.file.lock.held, "memory is allocated while the notifier's lock is held");
    return m.no_memory && below(30) == 0 ? NULL : calloc(1, size);
}

int xa_alloc(struct xarray *array, u32 *handle, void *entry, int limit, int flags)
{
    (void)limit;
    (void)flags;
    for (u32 i = 1; i < XA_ENTRIES; i++) {
        if (!array->taken[i]) {
            array->taken[i] = true;
            array->entry[i] = entry;
            *handle = i;
            return 0;
        }
    }
    return -EBUSY;
}

void xa_release(struct xarray *array, u32 handle)
{
    must(array->taken[handle] && array->entry[handle] == NULL, "not a reserved handle");
    array->taken[handle] = false;
}

void *xa_load(struct xarray *array, unsigned long handle)
{
    return handle < XA_ENTRIES ? array->entry[handle] : NULL;
}

void *xa_store(struct xarray *array, u32 handle, void *entry, int flags)
{
    (void)flags;
    must(array->taken[handle], "a handle that is not reserved");
    array->entry[handle] = entry;
    return NULL;
}

void xa_erase(struct xarray *array, u32 handle)
{
    array->entry[handle] = NULL;
    array->taken[handle] = false;
}

unsigned long rlimit(int which)
{
    (void)which;
    return LIMIT * PAGE_SIZE;
}

bool capable(int what)
{
    (void)what;
    return false;
}

bool fatal_signal_pending(const struct task *of)
{
    (void)of;
    return below(200) == 0;
}

void mmap_read_lock(struct mm_struct *mm)
{
    must(mm == &m.mm && !m.file.lock.held, "the lock of memory is taken after the notifier's");
}

void mmap_read_unlock(struct mm_struct *mm)
{
    (void)mm;
}

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long address)
{
    (void)mm;
    for (unsigned i = 0; i < PAGES; i++) {
        if (m.there[i] && BASE + (i + 1) * PAGE_SIZE > address) {
            m.area[i] = (struct vm_area_struct){BASE + i * PAGE_SIZE, BASE + (i + 1) * PAGE_SIZE,
                                                m.allowed[i]};
            return &m.area[i];
        }
    }
    return NULL;
}

/* ---- memory that changes --------------------------------------------------------------------- */

static struct page *new_page(void)
{
    unsigned i = 0;

    while (i < POOL && (m.pool[i].mapped || m.pool[i].pins > 0)) {
        i++;
    }
    must(i < POOL, "pages stay pinned");
    m.pool[i].mapped = true;
    return &m.pool[i];
}

/* What was told happens. */
static void end_change(void)
{
    for (int i = m.first; i != NOBODY && i <= m.last; i++) {
        if (m.at[i] != NULL) {
            m.at[i]->mapped = false;
        }
        m.at[i] = NULL;
        m.there[i] = m.there[i] && !m.unmaps;
        m.changed[i]++;
    }
    m.first = NOBODY;
}

/* Whether the card reaches it. */
static bool reaches(const struct card_buffer *buffer)
{
    return buffer->used && (buffer->on == NULL || *buffer->on != 0);
}

/* Some pages are unmapped or given back; listeners are told before. */
static void change(void)
{
    unsigned long first, last;

    end_change();
    m.first = (int)below(PAGES);
    m.last = m.first + (int)below(3);
    m.last = m.last < PAGES ? m.last : PAGES - 1;
    m.unmaps = below(2) == 0;
    first = BASE + (unsigned)m.first * PAGE_SIZE;
    last = BASE + (unsigned)(m.last + 1) * PAGE_SIZE - 1;
    mutex_lock(&m.file.lock);
    apelink_pins_changed_locked(&m.file, first, last);
    if (m.unmaps) {
        apelink_buffers_unmapped_locked(&m.file, first, last);
        for (unsigned i = 0; i < BUFFERS; i++) {
            const struct card_buffer *buffer = &m.buffer[i];

            must(!reaches(buffer) || buffer->address > last ||
                     buffer->address + buffer->len <= first || m.file.coming.next != &m.file.coming,
                 "the card has unmapped memory");
        }
    }
    mutex_unlock(&m.file.lock);
    for (int i = m.first; i <= m.last; i++) {
        m.unmapped[i] += m.unmaps;
    }
    if (below(2) == 0) {
        end_change();
    }
}

/* What other threads may do in between. */
static void meanwhile(void)
{
    if (m.calm) {
        return;
    }
    if (below(8) == 0) {
        change();
    }
    if (below(4) == 0) {
        flush_work(&m.file.undo);
    }
}

unsigned long mmu_interval_read_begin(struct mmu_interval_notifier *memory)
{
    must(memory == &m.file.memory && !m.file.lock.held, "a wait with the notifier's lock");
    end_change();
    return 2;
}

int pin_user_pages_fast(unsigned long start, unsigned long count, unsigned int flags,
                        struct page **pages)
{
    unsigned long wanted = (flags & FOLL_WRITE) != 0 ? VM_WRITE : VM_READ, i = 0;
    unsigned some = 1 + below((unsigned)count); /* not all at once */

    m.pinned++;
    for (; i < some; i++) {
        unsigned long n = (start - BASE) / PAGE_SIZE + i;

        meanwhile();
        must(n < PAGES, "pages that nobody wants");
        if (!m.there[n] || (m.allowed[n] & wanted) == 0) {
            break;
        }
        if (m.at[n] == NULL) {
            m.at[n] = new_page();
        }
        pages[i] = m.at[n];
        pages[i]->pins++;
    }
    return i > 0 ? (int)i : -EFAULT;
}

void unpin_user_pages_dirty_lock(struct page **pages, unsigned long count, bool dirty)
{
    (void)dirty;
    must(!m.file.lock.held, "pages are unpinned while the notifier's lock is held");
    for (unsigned long i = 0; i < count; i++) {
        must(pages[i]->pins > 0, "a page is unpinned too often");
        pages[i]->pins--;
    }
}

/* ---- the card -------------------------------------------------------------------------------- */

static int card_register(struct apelink_bar_request *request)
{
    const struct apelink_bar_list *list = phys_to_virt(request->list);
    unsigned i = 0, n = 0;
    u64 pages =
        (request->address + request->len - 1) / PAGE_SIZE - request->address / PAGE_SIZE + 1;

    while (i < BUFFERS && m.buffer[i].used) {
        i++;
    }
    if (i == BUFFERS || below(50) == 0) {
        return -ENOSPC;
    }
    must(request->switched <= APELINK_BAR_SWITCHES, "the card has no such switch");
    m.buffer[i] = (struct card_buffer){
        .used = true,
        .address = request->address,
        .len = request->len,
        .access = request->access,
        .on = request->switched == 0
                  ? NULL
                  : &apelink_switches(&m.card)->on[request->port][request->switched - 1]};
    for (; n < pages; n++) {
        m.buffer[i].page[n] = phys_to_virt(list->page[n] & ~(u64)APELINK_BAR_READ_ONLY);
        must(m.buffer[i].page[n]->pins > 0, "the card is told of a page that is not pinned");
    }
    request->handle = i;
    return 0;
}

static struct card_buffer *on_card(u32 handle)
{
    const struct apelink_buffer *buffer = xa_load(&m.file.buffers, handle);

    return buffer != NULL && buffer->pin != NULL ? &m.buffer[buffer->card_handle] : NULL;
}

static void do_deregister(unsigned which)
{
    u32 handle = m.handle[which];
    struct card_buffer *buffer = on_card(handle);

    must(apelink_buffer_deregister(&m.file, handle) == 0, "deregister");
    must(buffer == NULL || !reaches(buffer), "the card still has it");
    must(buffer == NULL || !buffer->used || m.moving % 2 == 0 ||
             apelink_switches(&m.card)->moving != m.moving,
         "the card may still move its bytes");
    must(apelink_buffer_deregister(&m.file, handle) == -ENOENT, "deregister twice");
    m.handle[which] = m.handle[--m.handles];
}

int apelink_ask(struct apelink_card *card, struct apelink_bar_request *request)
{
    int status = 0;

    must(card == &m.card && request->port == 3, "the channel");
    if (request->operation == APELINK_BAR_REGISTER) {
        m.asked++;
        meanwhile();
        status = card_register(request);
        meanwhile();
        if (below(4) == 0 && m.handles > 0) {
            do_deregister(below(m.handles)); /* by another thread */
        }
    } else {
        must(request->operation == APELINK_BAR_DEREGISTER && m.buffer[request->handle].used,
             "the card is to forget what it does not know");
        m.buffer[request->handle].used = false;
    }
    return status;
}

/* What is dormant has a pin that is found. */
static void check_dormant(void)
{
    const struct apelink_buffer *buffer;

    list_for_each_entry(buffer, &m.file.dormant, link) {
        const struct interval_tree_node *node = m.file.pins.first;

        while (node != NULL && node != &buffer->pin->node) {
            node = node->next;
        }
        must(node != NULL, "the pin of what is dormant is not in the cache");
    }
}

/* The card would not find what is behind one that it does not reach; nor do two have one switch. */
static void check_hidden(const struct card_buffer *one)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        const struct card_buffer *other = &m.buffer[i];

        if (other == one || !other->used) {
            continue;
        }
        must(one->on == NULL || other->on != one->on, "two buffers have one switch");
        must(reaches(one) || !reaches(other) || one->address >= other->address + other->len ||
                 other->address >= one->address + one->len,
             "a buffer is hidden by one that is dormant");
    }
}

/* What the card may reach stays pinned. */
static void check_card(void)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        const struct card_buffer *buffer = &m.buffer[i];

        for (unsigned n = 0; reaches(buffer) && n < PAGES && buffer->page[n] != NULL; n++) {
            must(buffer->page[n]->pins > 0, "the card has a page that is not pinned");
        }
        if (buffer->used) {
            check_hidden(buffer);
        }
    }
    check_dormant();
    must(m.mm.pinned_vm.counter <= LIMIT, "more is pinned than RLIMIT_MEMLOCK says");
    must(m.file.idle_pages <= *param_pin_cache_pages, "the cache has too many pages");
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool may(unsigned first, unsigned last, unsigned long flag)
{
    while (first <= last && m.there[first] && (m.allowed[first] & flag) != 0) {
        first++;
    }
    return first > last;
}

/* The card has what the process has, but for what has changed since the registration began. */
static void compare(u32 handle, u32 access, unsigned first, unsigned last, const unsigned *changed,
                    const unsigned *unmapped)
{
    const struct card_buffer *buffer = on_card(handle);

    must(buffer != NULL && reaches(buffer) && buffer->access == access,
         "the card has no such buffer");
    for (unsigned i = first; i <= last; i++) {
        must(unmapped[i] == m.unmapped[i], "a buffer of memory that was unmapped meanwhile");
        must(changed[i] != m.changed[i] || buffer->page[i - first] == m.at[i],
             "the card has a page that the process has no longer");
    }
}

/* Something to register: often the same again, as programs do. */
static struct apelink_register choose(void)
{
    unsigned first = below(PAGES), last = first + below(PAGES - first < 6 ? PAGES - first : 6);
    struct apelink_register *wanted = &m.before[below(BEFORE)];

    if (wanted->len == 0 || below(3) == 0) {
        *wanted = (struct apelink_register){.address = BASE + first * PAGE_SIZE + below(8),
                                            .len = (last - first) * PAGE_SIZE + 1 + below(4000),
                                            .access = below(2) == 0 ? APELINK_ACCESS_WRITE
                                                                    : APELINK_ACCESS_READ};
    }
    wanted->access = below(4) == 0 ? APELINK_ACCESS_READ : wanted->access;
    return *wanted;
}

static void do_register(void)
{
    struct apelink_register wanted = choose();
    unsigned first = (unsigned)((wanted.address - BASE) / PAGE_SIZE);
    unsigned last = (unsigned)((wanted.address + wanted.len - 1 - BASE) / PAGE_SIZE);
    bool write = wanted.access == APELINK_ACCESS_WRITE;
    unsigned changed[PAGES], unmapped[PAGES], pinned = m.pinned, asked = m.asked;
    unsigned long hits = *param_pin_cache_hits, misses = *param_pin_cache_misses;
    unsigned long unasked = *param_pin_cache_unasked;
    bool good = may(first, last, write ? VM_WRITE : VM_READ), before = m.first != NOBODY;
    int status;

    memcpy(changed, m.changed, sizeof changed);
    memcpy(unmapped, m.unmapped, sizeof unmapped);
    status = apelink_buffer_register(&m.file, &wanted);
    if (status == 0) {
        must(good, "a buffer that is not allowed");
        compare(wanted.handle, wanted.access, first, last, changed, unmapped);
        m.handle[m.handles++] = wanted.handle;
        m.registered++;
        m.found += m.pinned == pinned;
        must(*param_pin_cache_hits == hits + (m.pinned == pinned) &&
                 *param_pin_cache_misses == misses + (m.pinned != pinned),
             "hits and misses of the cache are not what was found in it");
        must(*param_pin_cache_unasked == unasked || m.asked == asked,
             "the card was asked of what is dormant");
        must(m.asked != asked || *param_pin_cache_unasked == unasked + 1,
             "the card was not asked of what is not dormant");
        m.unasked += m.asked == asked;
    } else if (status == -EFAULT && good && !before) {
        must(memcmp(unmapped, m.unmapped, sizeof unmapped) != 0, "a good buffer is refused");
    } else {
        must(status == -EFAULT || status == -ENOMEM || status == -ENOSPC || status == -EINTR ||
                 status == -EBUSY,
             "another error");
    }
}

static void step(void)
{
    unsigned page = below(PAGES);

    switch (below(8)) {
    case 0:
        change();
        break;
    case 1: /* map again, or protect */
        end_change();
        for (unsigned i = page; i < PAGES && i < page + 6; i++) {
            m.there[i] = true;
            m.allowed[i] = below(8) == 0 ? VM_READ : below(24) == 0 ? 0 : VM_READ | VM_WRITE;
        }
        break;
    case 2:
    case 3:
        if (m.handles > 0) {
            do_deregister(below(m.handles));
        }
        break;
    case 4:
        flush_work(&m.file.undo);
        break;
    default:
        if (m.handles < XA_ENTRIES - 2) {
            do_register();
        }
    }
    check_card();
}

static void refused(void)
{
    struct apelink_register wanted = {
        .address = BASE, .len = UINT64_MAX, .access = APELINK_ACCESS_READ};

    must(apelink_buffer_register(&m.file, &wanted) == -EFAULT, "more than everything");
    wanted.address = TASK_SIZE - 1;
    wanted.len = 2;
    must(apelink_buffer_register(&m.file, &wanted) == -EFAULT, "beyond the process");
    task.mm = &m.other_mm;
    must(apelink_buffer_register(&m.file, &wanted) == -EPERM, "of another process");
    task.mm = &m.mm;
    m.file.port = -1;
    must(apelink_buffer_register(&m.file, &wanted) == -ENXIO, "without a channel");
    must(apelink_buffer_deregister(&m.file, 1) == -ENXIO, "without a channel");
    m.file.port = 3;
}

/* More that are dormant, or would be, than there are switches. */
static void many(void)
{
    m.calm = true;
    for (unsigned i = 0; i < APELINK_BAR_SWITCHES + APELINK_BAR_SWITCHES / 2; i++) {
        struct apelink_register wanted = {
            .address = BASE + i % 4 * PAGE_SIZE + i * 8, .len = 8, .access = APELINK_ACCESS_READ};

        if (apelink_buffer_register(&m.file, &wanted) == 0) {
            must(apelink_buffer_deregister(&m.file, wanted.handle) == 0, "deregister");
        }
        check_card();
    }
    m.calm = false;
}

/* As leave of channel.c does it, and the end of the file. */
static void finish(void)
{
    mutex_lock(&m.file.lock);
    apelink_buffers_clear_locked(&m.file);
    apelink_pins_clear_locked(&m.file);
    mutex_unlock(&m.file.lock);
    flush_work(&m.file.undo);
    must(m.mm.pinned_vm.counter == 0 && m.file.idle_pages == 0, "pages are still counted");
    for (unsigned i = 0; i < POOL; i++) {
        must(m.pool[i].pins == 0, "a page stays pinned");
    }
    must(m.file.pins.first == NULL && m.file.on_card.first == NULL &&
             m.file.dormant.next == &m.file.dormant && m.file.stale.next == &m.file.stale,
         "something is left");
    for (unsigned i = 0; i < XA_ENTRIES; i++) {
        free(m.file.buffers.entry[i]);
    }
}

static void run(uint64_t seed, unsigned *registered, unsigned *found, unsigned *unasked)
{
    memset(&m, 0, sizeof m);
    m.seed = seed;
    ni_rng_seed(&m.rng, seed);
    m.first = NOBODY;
    m.no_memory = seed % 2 == 0;
    m.file = (struct apelink_file){.card = &m.card, .mm = &m.mm, .port = 3};
    m.card.bar = (struct apelink_bar *)m.bar;
    m.file.undo.run = apelink_pins_undo;
    INIT_LIST_HEAD(&m.file.coming);
    INIT_LIST_HEAD(&m.file.dormant);
    INIT_LIST_HEAD(&m.file.stale);
    INIT_LIST_HEAD(&m.file.idle);
    INIT_LIST_HEAD(&m.file.dead);
    *param_pin_cache_pages = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 8 : 16384;
    task.mm = &m.mm;
    for (unsigned i = 0; i < PAGES; i++) {
        m.there[i] = true;
        m.allowed[i] = VM_READ | VM_WRITE;
    }
    refused();
    many();
    for (unsigned i = 0; i < STEPS; i++) {
        step();
    }
    finish();
    *registered += m.registered;
    *found += m.found;
    *unasked += m.unasked;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t last = argc > 1 ? first : SEEDS;
    unsigned registered = 0, found = 0, unasked = 0;

    for (uint64_t seed = first; seed <= last; seed += test_rounds(1, 5)) {
        run(seed, &registered, &found, &unasked);
    }
    printf("%u buffers, of which %u were found pinned, and %u on the card\n", registered, found,
           unasked);
    return 0;
}
