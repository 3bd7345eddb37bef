/* SPDX-License-Identifier: BSD-3-Clause */
#include "pins_model.h"

#define LIMIT 40 /* pages */

struct pins_model pins;
static struct task task;
struct task *current = &task;

void pins_must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "model_driver_pins: %s. Repeat with: model_driver_pins %" PRIu64 "\n", what,
                pins.seed);
        exit(1);
    }
}

unsigned pins_below(unsigned n)
{
    return (unsigned)ni_rng_below(&pins.rng, n);
}

void pins_start(uint64_t seed)
{
    memset(&pins, 0, sizeof pins);
    pins.seed = seed;
    ni_rng_seed(&pins.rng, seed);
    pins.file = (struct apelink_file){.card = &pins.card, .mm = &pins.mm, .port = PINS_PORT};
    pins.file.undo.run = apelink_pins_undo;
    INIT_LIST_HEAD(&pins.file.coming);
    INIT_LIST_HEAD(&pins.file.dormant);
    INIT_LIST_HEAD(&pins.file.stale);
    INIT_LIST_HEAD(&pins.file.idle);
    INIT_LIST_HEAD(&pins.file.dead);
    pins.card.bar = (struct apelink_bar *)pins.bar;
    task.mm = &pins.mm;
    for (unsigned i = 0; i < PINS_PAGES; i++) {
        pins.there[i] = true;
        pins.allowed[i] = VM_READ | VM_WRITE;
    }
}

/* ---- locks, work, memory of the kernel ------------------------------------------------------- */

void mutex_lock(struct mutex *mutex)
{
    pins_must(!mutex->held, "a lock is taken twice");
    mutex->held = true;
}

void mutex_unlock(struct mutex *mutex)
{
    pins_must(mutex->held, "a lock is given back that nobody has");
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

/* There is less than is asked for at times, with every other seed. */
void *kernel_alloc(size_t size)
{
    pins_must(!pins.file.lock.held, "memory is allocated while the notifier's lock is held");
    return pins.seed % 2 == 0 && pins_below(30) == 0 ? NULL : calloc(1, size);
}

/* ---- arrays by handle ------------------------------------------------------------------------ */

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
    pins_must(array->taken[handle] && array->entry[handle] == NULL, "not a reserved handle");
    array->taken[handle] = false;
}

void *xa_load(struct xarray *array, unsigned long handle)
{
    return handle < XA_ENTRIES ? array->entry[handle] : NULL;
}

void *xa_store(struct xarray *array, u32 handle, void *entry, int flags)
{
    (void)flags;
    pins_must(array->taken[handle], "a handle that is not reserved");
    array->entry[handle] = entry;
    return NULL;
}

void xa_erase(struct xarray *array, u32 handle)
{
    array->entry[handle] = NULL;
    array->taken[handle] = false;
}

/* ---- the process ----------------------------------------------------------------------------- */

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
    return pins_below(200) == 0;
}

void mmap_read_lock(struct mm_struct *mm)
{
    pins_must(mm == &pins.mm && !pins.file.lock.held,
              "the lock of memory is taken after the notifier's");
}

void mmap_read_unlock(struct mm_struct *mm)
{
    (void)mm;
}

struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long address)
{
    (void)mm;
    for (unsigned i = 0; i < PINS_PAGES; i++) {
        if (pins.there[i] && PINS_BASE + (i + 1) * PAGE_SIZE > address) {
            pins.area[i] = (struct vm_area_struct){
                PINS_BASE + i * PAGE_SIZE, PINS_BASE + (i + 1) * PAGE_SIZE, pins.allowed[i]};
            return &pins.area[i];
        }
    }
    return NULL;
}

/* ---- its memory, which changes --------------------------------------------------------------- */

static struct page *new_page(void)
{
    unsigned i = 0;

    while (i < PINS_POOL && (pins.pool[i].mapped || pins.pool[i].pins > 0)) {
        i++;
    }
    pins_must(i < PINS_POOL, "pages stay pinned");
    pins.pool[i].mapped = true;
    return &pins.pool[i];
}

/* What was told happens. */
void pins_end_change(void)
{
    for (unsigned i = pins.first; i < pins.end; i++) {
        if (pins.at[i] != NULL) {
            pins.at[i]->mapped = false;
        }
        pins.at[i] = NULL;
        pins.there[i] = pins.there[i] && !pins.unmaps;
        pins.changed[i]++;
    }
    pins.end = 0;
}

static void tell_change(void)
{
    unsigned long first = PINS_BASE + pins.first * PAGE_SIZE;
    unsigned long last = PINS_BASE + pins.end * PAGE_SIZE - 1;

    mutex_lock(&pins.file.lock);
    apelink_pins_changed_locked(&pins.file, first, last);
    if (pins.unmaps) {
        apelink_buffers_unmapped_locked(&pins.file, first, last);
        pins_card_unmapped(first, last);
    }
    mutex_unlock(&pins.file.lock);
}

void pins_change(void)
{
    pins_end_change();
    pins.first = pins_below(PINS_PAGES);
    pins.end = pins.first + 1 + pins_below(3);
    pins.end = min(pins.end, PINS_PAGES);
    pins.unmaps = pins_below(2) == 0;
    tell_change();
    for (unsigned i = pins.first; i < pins.end; i++) {
        pins.unmapped[i] += pins.unmaps;
    }
    if (pins_below(2) == 0) {
        pins_end_change();
    }
}

void pins_meanwhile(void)
{
    if (pins.calm) {
        return;
    }
    if (pins_below(8) == 0) {
        pins_change();
    }
    if (pins_below(4) == 0) {
        flush_work(&pins.file.undo);
    }
}

unsigned long mmu_interval_read_begin(struct mmu_interval_notifier *memory)
{
    pins_must(memory == &pins.file.memory && !pins.file.lock.held,
              "a wait with the notifier's lock");
    pins_end_change();
    return 2;
}

int pin_user_pages_fast(unsigned long start, unsigned long count, unsigned int flags,
                        struct page **pages)
{
    unsigned long wanted = (flags & FOLL_WRITE) != 0 ? VM_WRITE : VM_READ, i = 0;
    unsigned some = 1 + pins_below((unsigned)count); /* not all at once */

    pins.pinned++;
    for (; i < some; i++) {
        unsigned long n = (start - PINS_BASE) / PAGE_SIZE + i;

        pins_meanwhile();
        pins_must(n < PINS_PAGES, "pages that nobody wants");
        if (!pins.there[n] || (pins.allowed[n] & wanted) == 0) {
            break;
        }
        if (pins.at[n] == NULL) {
            pins.at[n] = new_page();
        }
        pages[i] = pins.at[n];
        pages[i]->pins++;
    }
    return i > 0 ? (int)i : -EFAULT;
}

void unpin_user_pages_dirty_lock(struct page **pages, unsigned long count, bool dirty)
{
    (void)dirty;
    pins_must(!pins.file.lock.held, "pages are unpinned while the notifier's lock is held");
    for (unsigned long i = 0; i < count; i++) {
        pins_must(pages[i]->pins > 0, "a page is unpinned too often");
        pages[i]->pins--;
    }
}
