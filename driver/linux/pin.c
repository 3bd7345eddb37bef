/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* Pinned pages of a process, and the cache of those that nobody uses at the moment. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "apelink.h"

enum { AT_ONCE = 1 << 14, TRIES = 3 };

static unsigned long pin_cache_pages = 16384;
module_param(pin_cache_pages, ulong, 0644);
MODULE_PARM_DESC(pin_cache_pages, "pages that a file keeps pinned after their last buffer");

/* Statistics: of two files at the same moment one may not be counted. */
static unsigned long pin_cache_hits, pin_cache_misses;
module_param(pin_cache_hits, ulong, 0444);
MODULE_PARM_DESC(pin_cache_hits, "registrations whose pages were pinned already");
module_param(pin_cache_misses, ulong, 0444);
MODULE_PARM_DESC(pin_cache_misses, "registrations for which pages had to be pinned");

static struct apelink_pin *pin_of(struct interval_tree_node *node)
{
    return node == NULL ? NULL : container_of(node, struct apelink_pin, node);
}

static struct apelink_pin *first_pin(struct apelink_file *file, unsigned long first,
                                     unsigned long last)
{
    return pin_of(interval_tree_iter_first(&file->pins, first, last));
}

static struct apelink_pin *next_pin(struct apelink_pin *pin, unsigned long first,
                                    unsigned long last)
{
    return pin_of(interval_tree_iter_next(&pin->node, first, last));
}

static void unpin(struct apelink_pin *pin, unsigned long count)
{
    unpin_user_pages_dirty_lock(pin->pages, count, pin->writable);
}

static void free_pin(struct mm_struct *mm, struct apelink_pin *pin)
{
    atomic64_sub(pin->count, &mm->pinned_vm);
    kvfree(pin->pages);
    kfree(pin);
}

/* Pages may be locked by who calls a notifier, so they are given back later. */
void apelink_pins_undo(struct work_struct *work)
{
    struct apelink_file *file = container_of(work, struct apelink_file, undo);
    struct apelink_pin *pin, *next;
    LIST_HEAD(dead);

    mutex_lock(&file->lock);
    apelink_dormant_forget_locked(file);
    list_splice_init(&file->dead, &dead);
    mutex_unlock(&file->lock);
    list_for_each_entry_safe(pin, next, &dead, link) {
        unpin(pin, pin->count);
        free_pin(file->mm, pin);
    }
}

static void hide_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    if (pin->listed) {
        interval_tree_remove(&pin->node, &file->pins);
        pin->listed = false;
        apelink_dormant_changed_locked(file, pin);
    }
}

static void kill_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    list_add(&pin->link, &file->dead);
    schedule_work(&file->undo);
}

static void use_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    if (pin->users++ == 0) {
        list_del(&pin->link);
        file->idle_pages -= pin->count;
    }
}

/* No new buffer gets it. */
static void retire_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    hide_locked(file, pin);
    if (pin->users == 0) {
        list_del(&pin->link);
        file->idle_pages -= pin->count;
        kill_locked(file, pin);
    }
}

static void shrink_locked(struct apelink_file *file, unsigned long pages)
{
    while (file->idle_pages > pages) {
        retire_locked(file, list_first_entry(&file->idle, struct apelink_pin, link));
    }
}

void apelink_pin_put_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    if (--pin->users > 0) {
        return;
    }
    if (!pin->listed) {
        kill_locked(file, pin);
        return;
    }
    list_add_tail(&pin->link, &file->idle);
    file->idle_pages += pin->count;
    shrink_locked(file, READ_ONCE(pin_cache_pages));
}

void apelink_pins_changed_locked(struct apelink_file *file, unsigned long first, unsigned long last)
{
    struct apelink_pin *pin, *next;

    for (pin = first_pin(file, first, last); pin != NULL; pin = next) {
        next = next_pin(pin, first, last);
        pin->stale = true;
        if (pin->ready) {
            retire_locked(file, pin);
        }
    }
}

void apelink_pins_clear_locked(struct apelink_file *file)
{
    shrink_locked(file, 0);
}

static int charge(struct apelink_file *file, unsigned long count)
{
    struct mm_struct *mm = file->mm;
    unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

    if ((u64)atomic64_add_return(count, &mm->pinned_vm) <= limit || capable(CAP_IPC_LOCK)) {
        return 0;
    }
    atomic64_sub(count, &mm->pinned_vm);
    return -ENOMEM;
}

/* The same, for which the cache may have to go. */
static int charge_hard(struct apelink_file *file, unsigned long count)
{
    if (charge(file, count) == 0) {
        return 0;
    }
    mutex_lock(&file->lock);
    shrink_locked(file, 0);
    mutex_unlock(&file->lock);
    flush_work(&file->undo);
    return charge(file, count);
}

/* All pages, or none. */
static int pin_all(struct apelink_pin *pin)
{
    unsigned int flags = FOLL_LONGTERM | (pin->writable ? FOLL_WRITE : 0);
    unsigned long done = 0;

    while (done < pin->count) {
        unsigned long some = min_t(unsigned long, pin->count - done, AT_ONCE);
        int got = -EINTR;

        cond_resched();
        if (!fatal_signal_pending(current)) {
            got = pin_user_pages_fast(pin->node.start + done * PAGE_SIZE, some, flags,
                                      pin->pages + done);
        }
        if (got <= 0) {
            unpin(pin, done);
            return got < 0 ? got : -EFAULT;
        }
        done += got;
    }
    return 0;
}

/* Our own page faults change memory, too: the second time there are none. */
static int fill(struct apelink_file *file, struct apelink_pin *pin)
{
    int status = 0, tries;

    for (tries = 0; tries < TRIES; tries++) {
        mutex_lock(&file->lock);
        pin->stale = false;
        mutex_unlock(&file->lock);
        /* What changes from now on makes it stale; what had begun to change before has ended. */
        mmu_interval_read_begin(&file->memory);
        status = pin_all(pin);
        if (status != 0 || !READ_ONCE(pin->stale) || tries == TRIES - 1) {
            break;
        }
        unpin(pin, pin->count);
    }
    return status;
}

/* Those that a new one has made superfluous. */
static void merge_locked(struct apelink_file *file, struct apelink_pin *pin)
{
    unsigned long first = pin->node.start, last = pin->node.last;
    struct apelink_pin *other, *next;

    for (other = first_pin(file, first, last); other != NULL; other = next) {
        next = next_pin(other, first, last);
        if (other != pin && other->ready && other->node.start >= first &&
            other->node.last <= last && other->writable <= pin->writable) {
            retire_locked(file, other);
        }
    }
}

/* One without pages, which are paid for before room is made for their list. */
static struct apelink_pin *new_pin(struct apelink_file *file, unsigned long first,
                                   unsigned long last, bool writable)
{
    unsigned long count = (last - first) / PAGE_SIZE + 1;
    int status = charge_hard(file, count);
    struct apelink_pin *pin;

    if (status != 0) {
        return ERR_PTR(status);
    }
    pin = kzalloc(sizeof *pin, GFP_KERNEL_ACCOUNT);
    if (pin != NULL) {
        pin->pages = kvmalloc_array(count, sizeof *pin->pages, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
    }
    if (pin == NULL || pin->pages == NULL) {
        atomic64_sub(count, &file->mm->pinned_vm);
        kfree(pin);
        return ERR_PTR(-ENOMEM);
    }
    pin->node.start = first;
    pin->node.last = last;
    pin->count = count;
    pin->writable = writable;
    pin->users = 1;
    return pin;
}

static struct apelink_pin *make(struct apelink_file *file, unsigned long first, unsigned long last,
                                bool writable)
{
    struct apelink_pin *pin = new_pin(file, first, last, writable);
    int status;

    if (IS_ERR(pin)) {
        return pin;
    }
    mutex_lock(&file->lock);
    interval_tree_insert(&pin->node, &file->pins);
    pin->listed = true;
    mutex_unlock(&file->lock);
    status = fill(file, pin);
    mutex_lock(&file->lock);
    if (status == 0 && !pin->stale) {
        pin->ready = true;
        merge_locked(file, pin);
    } else {
        hide_locked(file, pin);
    }
    mutex_unlock(&file->lock);
    if (status != 0) {
        free_pin(file->mm, pin);
        return ERR_PTR(status);
    }
    return pin;
}

/* One that has all these bytes; *low and *high become those of all that have some of them. */
static struct apelink_pin *find_locked(struct apelink_file *file, unsigned long *low,
                                       unsigned long *high, bool write)
{
    unsigned long first = *low, last = *high;
    struct apelink_pin *pin;

    for (pin = first_pin(file, first, last); pin != NULL; pin = next_pin(pin, first, last)) {
        if (!pin->ready) {
            continue;
        }
        if (pin->node.start <= first && pin->node.last >= last && (pin->writable || !write)) {
            return pin;
        }
        *low = min(*low, pin->node.start);
        *high = max(*high, pin->node.last);
    }
    return NULL;
}

/* Whether the process may do that there. Pages of before, which are still pinned, do not say it. */
static bool is_allowed(struct mm_struct *mm, unsigned long first, unsigned long last, bool write)
{
    unsigned long wanted = write ? VM_WRITE : VM_READ, at = first;

    mmap_read_lock(mm);
    while (at <= last) {
        const struct vm_area_struct *area = find_vma(mm, at);

        if (area == NULL || area->vm_start > at || (area->vm_flags & wanted) == 0) {
            break;
        }
        at = area->vm_end;
    }
    mmap_read_unlock(mm);
    return at > last;
}

struct apelink_pin *apelink_pin_get(struct apelink_file *file, unsigned long first,
                                    unsigned long last, bool write)
{
    unsigned long low = first, high = last;
    struct apelink_pin *pin;

    if (!is_allowed(file->mm, first, last, write)) {
        return ERR_PTR(-EFAULT);
    }
    mutex_lock(&file->lock);
    pin = find_locked(file, &low, &high, write);
    if (pin != NULL) {
        use_locked(file, pin);
        pin_cache_hits++;
    } else {
        pin_cache_misses++;
    }
    mutex_unlock(&file->lock);
    if (pin != NULL) {
        return pin;
    }
    pin = make(file, low, high, true);
    if (IS_ERR(pin) && (low < first || high > last)) {
        pin = make(file, first, last, true);
    }
    if (IS_ERR(pin) && !write) {
        pin = make(file, first, last, false);
    }
    return pin;
}
