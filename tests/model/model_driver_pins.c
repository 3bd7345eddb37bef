/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: driver/linux/buffer.c, driver/linux/dormant.c, driver/linux/pin.c. */
#include "pins_model.h"
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

enum { SEEDS = 30, STEPS = 2000, BEFORE = 4 };

static struct {
    u32 handle[XA_ENTRIES];
    unsigned handles;
    struct apelink_register before[BEFORE]; /* that were tried */
} program;

static struct {
    unsigned registered, found, unasked;
} total; /* of all seeds */

/* ---- checks ---------------------------------------------------------------------------------- */

/* What is dormant has a pin that is found. */
static void check_dormant(void)
{
    const struct apelink_buffer *buffer;

    list_for_each_entry(buffer, &pins.file.dormant, link) {
        const struct interval_tree_node *node = pins.file.pins.first;

        while (node != NULL && node != &buffer->pin->node) {
            node = node->next;
        }
        pins_must(node != NULL, "the pin of what is dormant is not in the cache");
    }
}

static void check(void)
{
    pins_check_card();
    check_dormant();
    pins_must((unsigned long)pins.mm.pinned_vm.counter * PAGE_SIZE <= rlimit(RLIMIT_MEMLOCK),
              "more is pinned than RLIMIT_MEMLOCK says");
    pins_must(pins.file.idle_pages <= *param_pin_cache_pages, "the cache has too many pages");
}

/* What there was before a registration. */
struct seen {
    unsigned changed[PINS_PAGES], unmapped[PINS_PAGES], pinned, asked;
    unsigned long hits, misses, unasked;
};

static struct seen look(void)
{
    struct seen seen = {.pinned = pins.pinned,
                        .asked = pins.asked,
                        .hits = *param_pin_cache_hits,
                        .misses = *param_pin_cache_misses,
                        .unasked = *param_pin_cache_unasked};

    memcpy(seen.changed, pins.changed, sizeof seen.changed);
    memcpy(seen.unmapped, pins.unmapped, sizeof seen.unmapped);
    return seen;
}

static unsigned page_of(u64 address)
{
    return (unsigned)((address - PINS_BASE) / PAGE_SIZE);
}

/* The card has what the process has, but for what has changed since the registration began. */
static void compare(const struct apelink_register *made, const struct seen *before)
{
    const struct pins_buffer *buffer = pins_on_card(made->handle);
    unsigned first = page_of(made->address), last = page_of(made->address + made->len - 1);

    pins_must(buffer != NULL && pins_reaches(buffer) && buffer->access == made->access,
              "the card has no such buffer");
    for (unsigned i = first; i <= last; i++) {
        pins_must(before->unmapped[i] == pins.unmapped[i],
                  "a buffer of memory that was unmapped meanwhile");
        pins_must(before->changed[i] != pins.changed[i] || buffer->page[i - first] == pins.at[i],
                  "the card has a page that the process has no longer");
    }
}

static void count(const struct seen *before)
{
    bool found = pins.pinned == before->pinned, unasked = pins.asked == before->asked;

    pins_must(*param_pin_cache_hits == before->hits + found &&
                  *param_pin_cache_misses == before->misses + !found,
              "hits and misses of the cache are not what was found in it");
    pins_must(*param_pin_cache_unasked == before->unasked || unasked,
              "the card was asked of what is dormant");
    pins_must(!unasked || *param_pin_cache_unasked == before->unasked + 1,
              "the card was not asked of what is not dormant");
    total.registered++;
    total.found += found;
    total.unasked += unasked;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void do_deregister(unsigned which)
{
    u32 handle = program.handle[which];
    const struct pins_buffer *buffer = pins_on_card(handle);

    pins_must(apelink_buffer_deregister(&pins.file, handle) == 0, "deregister");
    pins_must(buffer == NULL || !pins_reaches(buffer), "the card still has it");
    pins_must(buffer == NULL || !buffer->used || pins.moving % 2 == 0 ||
                  apelink_switches(&pins.card)->moving != pins.moving,
              "the card may still move its bytes");
    pins_must(apelink_buffer_deregister(&pins.file, handle) == -ENOENT, "deregister twice");
    program.handle[which] = program.handle[--program.handles];
}

void pins_deregister_any(void)
{
    if (program.handles > 0) {
        do_deregister(pins_below(program.handles));
    }
}

/* Something to register: often the same again, as programs do. */
static struct apelink_register choose(void)
{
    unsigned first = pins_below(PINS_PAGES);
    unsigned last = first + pins_below(PINS_PAGES - first < 6 ? PINS_PAGES - first : 6);
    struct apelink_register *wanted = &program.before[pins_below(BEFORE)];

    if (wanted->len == 0 || pins_below(3) == 0) {
        *wanted = (struct apelink_register){
            .address = PINS_BASE + first * PAGE_SIZE + pins_below(8),
            .len = (last - first) * PAGE_SIZE + 1 + pins_below(4000),
            .access = pins_below(2) == 0 ? APELINK_ACCESS_WRITE : APELINK_ACCESS_READ};
    }
    wanted->access = pins_below(4) == 0 ? APELINK_ACCESS_READ : wanted->access;
    return *wanted;
}

static bool may(const struct apelink_register *wanted)
{
    unsigned i = page_of(wanted->address), last = page_of(wanted->address + wanted->len - 1);
    unsigned long flag = wanted->access == APELINK_ACCESS_WRITE ? VM_WRITE : VM_READ;

    while (i <= last && pins.there[i] && (pins.allowed[i] & flag) != 0) {
        i++;
    }
    return i > last;
}

static void do_register(void)
{
    struct apelink_register wanted = choose();
    bool good = may(&wanted), told = pins.end != 0;
    struct seen before = look();
    int status = apelink_buffer_register(&pins.file, &wanted);

    if (status == 0) {
        pins_must(good, "a buffer that is not allowed");
        compare(&wanted, &before);
        count(&before);
        program.handle[program.handles++] = wanted.handle;
    } else if (status == -EFAULT && good && !told) {
        pins_must(memcmp(before.unmapped, pins.unmapped, sizeof before.unmapped) != 0,
                  "a good buffer is refused");
    } else {
        pins_must(status == -EFAULT || status == -ENOMEM || status == -ENOSPC || status == -EINTR ||
                      status == -EBUSY,
                  "another error");
    }
}

/* Memory is mapped again, or protected. */
static void allow(unsigned page)
{
    pins_end_change();
    for (unsigned i = page; i < PINS_PAGES && i < page + 6; i++) {
        pins.there[i] = true;
        pins.allowed[i] = pins_below(8) == 0    ? VM_READ
                          : pins_below(24) == 0 ? 0
                                                : VM_READ | VM_WRITE;
    }
}

static void step(void)
{
    unsigned page = pins_below(PINS_PAGES);

    switch (pins_below(8)) {
    case 0:
        pins_change();
        break;
    case 1:
        allow(page);
        break;
    case 2:
    case 3:
        pins_deregister_any();
        break;
    case 4:
        flush_work(&pins.file.undo);
        break;
    default:
        if (program.handles < XA_ENTRIES - 2) {
            do_register();
        }
    }
    check();
}

static void refused(void)
{
    struct mm_struct other_mm = {0};
    struct apelink_register wanted = {
        .address = PINS_BASE, .len = UINT64_MAX, .access = APELINK_ACCESS_READ};

    pins_must(apelink_buffer_register(&pins.file, &wanted) == -EFAULT, "more than everything");
    wanted.address = TASK_SIZE - 1;
    wanted.len = 2;
    pins_must(apelink_buffer_register(&pins.file, &wanted) == -EFAULT, "beyond the process");
    current->mm = &other_mm;
    pins_must(apelink_buffer_register(&pins.file, &wanted) == -EPERM, "of another process");
    current->mm = &pins.mm;
    pins.file.port = -1;
    pins_must(apelink_buffer_register(&pins.file, &wanted) == -ENXIO, "without a channel");
    pins_must(apelink_buffer_deregister(&pins.file, 1) == -ENXIO, "without a channel");
    pins.file.port = PINS_PORT;
}

/* More that are dormant, or would be, than there are switches. */
static void many(void)
{
    pins.calm = true;
    for (unsigned i = 0; i < APELINK_BAR_SWITCHES + APELINK_BAR_SWITCHES / 2; i++) {
        struct apelink_register wanted = {.address = PINS_BASE + i % 4 * PAGE_SIZE + i * 8,
                                          .len = 8,
                                          .access = APELINK_ACCESS_READ};

        if (apelink_buffer_register(&pins.file, &wanted) == 0) {
            pins_must(apelink_buffer_deregister(&pins.file, wanted.handle) == 0, "deregister");
        }
        check();
    }
    pins.calm = false;
}

/* As leave of channel.c does it, and the end of the file. */
static void finish(void)
{
    mutex_lock(&pins.file.lock);
    apelink_buffers_clear_locked(&pins.file);
    apelink_pins_clear_locked(&pins.file);
    mutex_unlock(&pins.file.lock);
    flush_work(&pins.file.undo);
    pins_must(pins.mm.pinned_vm.counter == 0 && pins.file.idle_pages == 0,
              "pages are still counted");
    for (unsigned i = 0; i < PINS_POOL; i++) {
        pins_must(pins.pool[i].pins == 0, "a page stays pinned");
    }
    pins_must(pins.file.pins.first == NULL && pins.file.on_card.first == NULL &&
                  pins.file.dormant.next == &pins.file.dormant &&
                  pins.file.stale.next == &pins.file.stale,
              "something is left");
    for (unsigned i = 0; i < XA_ENTRIES; i++) {
        free(pins.file.buffers.entry[i]);
    }
}

static void run(uint64_t seed)
{
    pins_start(seed);
    memset(&program, 0, sizeof program);
    *param_pin_cache_pages = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 8 : 16384;
    refused();
    many();
    for (unsigned i = 0; i < STEPS; i++) {
        step();
    }
    finish();
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t last = argc > 1 ? first : SEEDS;

    for (uint64_t seed = first; seed <= last; seed += test_rounds(1, 5)) {
        run(seed);
    }
    printf("%u buffers, of which %u were found pinned, and %u on the card\n", total.registered,
           total.found, total.unasked);
    return 0;
}
