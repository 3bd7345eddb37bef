/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_KERNEL_H
#define TESTS_MODEL_KERNEL_H

/*
 * As much of Linux as driver/linux/buffer.c, dormant.c and pin.c use, for one thread. All headers
 * of the kernel that they name are this one (driver.mk). What depends on the model's state is in
 * pins_linux.c and pins_card.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define static_assert(condition) _Static_assert(condition, #condition)
#define __iomem
#define PAGE_SHIFT 12
#define PAGE_SIZE  (1UL << PAGE_SHIFT)
#define PAGE_MASK  (~(PAGE_SIZE - 1))
#define TASK_SIZE  (1UL << 47)
#ifndef __LITTLE_ENDIAN
#define __LITTLE_ENDIAN 1234
#endif

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t u8;
typedef uint64_t phys_addr_t;

#define READ_ONCE(x)                (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value)        (*(volatile typeof(x) *)&(x) = (value))
#define smp_load_acquire(p)         READ_ONCE(*(p))
#define smp_store_release(p, value) WRITE_ONCE(*(p), value)
#define min(a, b)                   ((a) < (b) ? (a) : (b))
#define max(a, b)                   ((a) > (b) ? (a) : (b))
#define min_t(type, a, b)           min((type)(a), (type)(b))
#define container_of(at, type, member) \
    ((type *)(void *)((char *)(uintptr_t)(at)-offsetof(type, member)))

/* ---- what is only there to be part of a structure -------------------------------------------- */

struct kref {
    int count;
};
struct miscdevice {
    int minor;
};
struct rw_semaphore {
    int count;
};
struct delayed_work {
    int pending;
};
struct mmu_notifier {
    int used;
};
struct mmu_interval_notifier {
    int used;
};
typedef struct {
    int waiting;
} wait_queue_head_t;
struct file;
struct file_operations;
struct pci_dev;
struct address_space;

/* ---- errors in pointers ---------------------------------------------------------------------- */

#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error)
{
    return (void *)error;
}

static inline long PTR_ERR(const void *at)
{
    return (long)at;
}

static inline bool IS_ERR(const void *at)
{
    return (uintptr_t)at >= (uintptr_t)-MAX_ERRNO;
}

static inline int PTR_ERR_OR_ZERO(const void *at)
{
    return IS_ERR(at) ? (int)PTR_ERR(at) : 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct list_head {
    struct list_head *next, *prev;
};

#define LIST_HEAD(name) struct list_head name = {&(name), &(name)}

static inline void INIT_LIST_HEAD(struct list_head *list)
{
    list->next = list->prev = list;
}

static inline void list_add(struct list_head *one, struct list_head *head)
{
    one->next = head->next;
    one->prev = head;
    head->next->prev = one;
    head->next = one;
}

static inline void list_add_tail(struct list_head *one, struct list_head *head)
{
    list_add(one, head->prev);
}

static inline void list_del(struct list_head *one)
{
    one->next->prev = one->prev;
    one->prev->next = one->next;
    one->next = one->prev = NULL;
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
    while (from->next != from) {
        struct list_head *one = from->prev;

        list_del(one);
        list_add(one, to);
    }
}

#define list_first_entry(head, type, member) container_of((head)->next, type, member)
#define list_for_each_entry(at, head, member)                                         \
    for (at = container_of((head)->next, typeof(*at), member); &at->member != (head); \
         at = container_of(at->member.next, typeof(*at), member))
#define list_for_each_entry_safe(at, after, head, member)           \
    for (at = container_of((head)->next, typeof(*at), member),      \
        after = container_of(at->member.next, typeof(*at), member); \
         &at->member != (head);                                     \
         at = after, after = container_of(at->member.next, typeof(*at), member))

/* ---- interval trees, which are lists here ---------------------------------------------------- */

struct interval_tree_node {
    unsigned long start, last;
    struct interval_tree_node *next;
};

struct rb_root_cached {
    struct interval_tree_node *first;
};

static inline void interval_tree_insert(struct interval_tree_node *node,
                                        struct rb_root_cached *root)
{
    struct interval_tree_node **at = &root->first;

    while (*at != NULL && (*at)->start < node->start) {
        at = &(*at)->next;
    }
    node->next = *at;
    *at = node;
}

static inline void interval_tree_remove(struct interval_tree_node *node,
                                        struct rb_root_cached *root)
{
    struct interval_tree_node **at = &root->first;

    while (*at != node) {
        at = &(*at)->next;
    }
    *at = node->next;
}

static inline struct interval_tree_node *interval_tree_from(struct interval_tree_node *node,
                                                            unsigned long first, unsigned long last)
{
    while (node != NULL && (node->start > last || node->last < first)) {
        node = node->next;
    }
    return node;
}

#define interval_tree_iter_first(root, first, last) interval_tree_from((root)->first, first, last)
#define interval_tree_iter_next(node, first, last)  interval_tree_from((node)->next, first, last)

/* ---- locks and work -------------------------------------------------------------------------- */

struct mutex {
    bool held;
};

struct work_struct {
    void (*run)(struct work_struct *work);
    bool pending;
};

void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);
void schedule_work(struct work_struct *work);
void flush_work(struct work_struct *work);
void smp_mb(void);
void cpu_relax(void);
#define cond_resched() ((void)0)

/* ---- memory of the kernel: it fails at times ------------------------------------------------- */

enum { GFP_KERNEL, GFP_NOWAIT, GFP_KERNEL_ACCOUNT, __GFP_NOWARN = 0 };

void *kernel_alloc(size_t size);
#define kzalloc(size, flags)               kernel_alloc(size)
#define kvmalloc_array(count, size, flags) kernel_alloc((count) * (size))
#define kfree                              free
#define kvfree                             free
#define get_zeroed_page(flags)             ((unsigned long)kernel_alloc(PAGE_SIZE))
#define free_page(page)                    free((void *)(page))
#define virt_to_phys(at)                   ((phys_addr_t)(uintptr_t)(at))
#define phys_to_virt(at)                   ((void *)(uintptr_t)(at))

/* ---- arrays by handle ------------------------------------------------------------------------ */

enum { XA_ENTRIES = 64 };

struct xarray {
    void *entry[XA_ENTRIES];
    bool taken[XA_ENTRIES];
};

#define xa_limit_31b 0

int xa_alloc(struct xarray *array, u32 *handle, void *entry, int limit, int flags);
void xa_release(struct xarray *array, u32 handle);
void *xa_load(struct xarray *array, unsigned long handle);
void *xa_store(struct xarray *array, u32 handle, void *entry, int flags);
void xa_erase(struct xarray *array, u32 handle);

/* ---- the process ----------------------------------------------------------------------------- */

typedef struct {
    int64_t counter;
} atomic64_t;

struct mm_struct {
    atomic64_t pinned_vm;
};

struct vm_area_struct {
    unsigned long vm_start, vm_end, vm_flags;
};

struct page {
    unsigned pins;
    bool mapped;
};

struct task {
    struct mm_struct *mm;
};

enum { VM_READ = 1, VM_WRITE = 2, FOLL_WRITE = 1, FOLL_LONGTERM = 2, CAP_IPC_LOCK = 14 };

extern struct task *current;

static inline int64_t atomic64_add_return(unsigned long count, atomic64_t *to)
{
    return to->counter += (int64_t)count;
}

static inline void atomic64_sub(unsigned long count, atomic64_t *from)
{
    from->counter -= (int64_t)count;
}

unsigned long rlimit(int which);
bool capable(int what);
bool fatal_signal_pending(const struct task *task);
void mmap_read_lock(struct mm_struct *mm);
void mmap_read_unlock(struct mm_struct *mm);
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long address);
int pin_user_pages_fast(unsigned long start, unsigned long count, unsigned int flags,
                        struct page **pages);
void unpin_user_pages_dirty_lock(struct page **pages, unsigned long count, bool dirty);
unsigned long mmu_interval_read_begin(struct mmu_interval_notifier *memory);
#define page_to_phys(page) ((phys_addr_t)(uintptr_t)(page))

/* ---- parameters of the module ---------------------------------------------------------------- */

#define module_param(name, type, mode) unsigned long *param_##name = &name
#define MODULE_PARM_DESC(name, text)   struct kernel_unused

#endif
