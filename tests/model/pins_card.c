/* SPDX-License-Identifier: BSD-3-Clause */
#include "pins_model.h"

/* The card moves bytes at times, and not always for long. */
void smp_mb(void)
{
    apelink_switches(&pins.card)->moving += pins_below(2);
    pins.moving = apelink_switches(&pins.card)->moving;
}

void cpu_relax(void)
{
    apelink_switches(&pins.card)->moving += pins_below(20000) == 0;
}

/* ---- what it is asked ------------------------------------------------------------------------ */

static void take_pages(struct pins_buffer *buffer, const struct apelink_bar_list *list)
{
    u64 pages = (buffer->address + buffer->len - 1) / PAGE_SIZE - buffer->address / PAGE_SIZE + 1;

    for (unsigned n = 0; n < pages; n++) {
        buffer->page[n] = phys_to_virt(list->page[n] & ~(u64)APELINK_BAR_READ_ONLY);
        pins_must(buffer->page[n]->pins > 0, "the card is told of a page that is not pinned");
    }
}

static int do_register(struct apelink_bar_request *request)
{
    unsigned i = 0;

    while (i < PINS_BUFFERS && pins.buffer[i].used) {
        i++;
    }
    if (i == PINS_BUFFERS || pins_below(50) == 0) {
        return -ENOSPC;
    }
    pins_must(request->switched <= APELINK_BAR_SWITCHES, "the card has no such switch");
    pins.buffer[i] = (struct pins_buffer){
        .used = true,
        .address = request->address,
        .len = request->len,
        .access = request->access,
        .on = request->switched == 0
                  ? NULL
                  : &apelink_switches(&pins.card)->on[request->port][request->switched - 1]};
    take_pages(&pins.buffer[i], phys_to_virt(request->list));
    request->handle = i;
    return 0;
}

int apelink_ask(struct apelink_card *card, struct apelink_bar_request *request)
{
    int status = 0;

    pins_must(card == &pins.card && request->port == PINS_PORT, "the channel");
    if (request->operation == APELINK_BAR_REGISTER) {
        pins.asked++;
        pins_meanwhile();
        status = do_register(request);
        pins_meanwhile();
        if (pins_below(4) == 0) {
            pins_deregister_any(); /* by another thread */
        }
    } else {
        pins_must(request->operation == APELINK_BAR_DEREGISTER && pins.buffer[request->handle].used,
                  "the card is to forget what it does not know");
        pins.buffer[request->handle].used = false;
    }
    return status;
}

/* ---- what it knows --------------------------------------------------------------------------- */

const struct pins_buffer *pins_on_card(u32 handle)
{
    const struct apelink_buffer *buffer = xa_load(&pins.file.buffers, handle);

    return buffer != NULL && buffer->pin != NULL ? &pins.buffer[buffer->card_handle] : NULL;
}

bool pins_reaches(const struct pins_buffer *buffer)
{
    return buffer->used && (buffer->on == NULL || *buffer->on != 0);
}

void pins_card_unmapped(unsigned long first, unsigned long last)
{
    for (unsigned i = 0; i < PINS_BUFFERS; i++) {
        const struct pins_buffer *buffer = &pins.buffer[i];

        pins_must(!pins_reaches(buffer) || buffer->address > last ||
                      buffer->address + buffer->len <= first ||
                      pins.file.coming.next != &pins.file.coming,
                  "the card has unmapped memory");
    }
}

/* The card would not find what is behind one that it does not reach; nor do two have one switch. */
static void check_hidden(const struct pins_buffer *one)
{
    for (unsigned i = 0; i < PINS_BUFFERS; i++) {
        const struct pins_buffer *other = &pins.buffer[i];

        if (other == one || !other->used) {
            continue;
        }
        pins_must(one->on == NULL || other->on != one->on, "two buffers have one switch");
        pins_must(pins_reaches(one) || !pins_reaches(other) ||
                      one->address >= other->address + other->len ||
                      other->address >= one->address + one->len,
                  "a buffer is hidden by one that is dormant");
    }
}

void pins_check_card(void)
{
    for (unsigned i = 0; i < PINS_BUFFERS; i++) {
        const struct pins_buffer *buffer = &pins.buffer[i];

        for (unsigned n = 0; pins_reaches(buffer) && n < PINS_PAGES && buffer->page[n] != NULL;
             n++) {
            pins_must(buffer->page[n]->pins > 0, "the card has a page that is not pinned");
        }
        if (buffer->used) {
            check_hidden(buffer);
        }
    }
}
