/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MODEL_PINS_MODEL_H
#define TESTS_MODEL_PINS_MODEL_H

#include <inttypes.h>

#include "kernel.h"
#include "driver/linux/apelink.h"

#include "base/random.h"

/*
 * A process whose memory changes at any moment, and a card that has buffers of it. The kernel
 * module's buffer.c, dormant.c and pin.c work between them, and the model has what kernel.h
 * declares: pins_linux.c is Linux, pins_card.c the card. All are one thread; what others do is done
 * where it may happen.
 */

enum { PINS_PAGES = 24, PINS_POOL = 4096, PINS_BUFFERS = 128, PINS_PORT = 3 };
#define PINS_BASE 0x7f0000000000UL

/* What the card knows. */
struct pins_buffer {
    bool used;
    u64 address, len;
    u32 access;
    const u32 *on; /* its switch, or NULL */
    struct page *page[PINS_PAGES];
};

struct pins_model {
    struct ni_rng rng;
    uint64_t seed;
    struct apelink_file file;
    bool calm; /* nothing happens meanwhile */

    struct mm_struct mm;
    struct page pool[PINS_POOL], *at[PINS_PAGES]; /* NULL: nobody has touched it */
    unsigned long allowed[PINS_PAGES];            /* VM_ flags */
    struct vm_area_struct area[PINS_PAGES];
    bool there[PINS_PAGES];
    unsigned changed[PINS_PAGES], unmapped[PINS_PAGES]; /* how often */
    unsigned first, end; /* of a change of which only was told; end is 0: there is none */
    bool unmaps;         /* that change */
    unsigned pinned;     /* how often pages were asked for */

    struct apelink_card card;
    _Alignas(PAGE_SIZE) u8 bar[APELINK_BAR_BYTES];
    struct pins_buffer buffer[PINS_BUFFERS];
    u32 moving;     /* of the card, when a switch was turned off last */
    unsigned asked; /* how often it was to register */
};

extern struct pins_model pins;

/* Parameters of the module. */
extern unsigned long *param_pin_cache_pages, *param_pin_cache_hits, *param_pin_cache_misses;
extern unsigned long *param_pin_cache_unasked;

/* Ends the program with `what` and the seed unless this holds. */
void pins_must(bool condition, const char *what);

/* Random, less than n. */
unsigned pins_below(unsigned n);

/* A process with all its pages, and a file with a channel. */
void pins_start(uint64_t seed);

/* pins_linux.c: some pages are unmapped or given back, in two steps: those who listen hear of the
 * change before it is there. */
void pins_change(void);
void pins_end_change(void);

/* What other threads may do in between. */
void pins_meanwhile(void);

/* pins_card.c: what the card knows as this handle; NULL: nothing. */
const struct pins_buffer *pins_on_card(u32 handle);

/* Whether the card reaches it. */
bool pins_reaches(const struct pins_buffer *buffer);

/* The card reaches nothing there, when all have heard that it is unmapped. */
void pins_card_unmapped(unsigned long first, unsigned long last);

/* What the card may reach stays pinned, and is found. */
void pins_check_card(void);

/* model_driver_pins.c: the program deregisters one of its buffers, if it has one. */
void pins_deregister_any(void);

#endif
