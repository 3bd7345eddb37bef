/* SPDX-License-Identifier: BSD-3-Clause */
/* The DNP fault manager. */
#include "dnp/lofamo/manager.h"

#include "base/bits.h"

/* A period of fault_timer in cycles; 0: none. */
static uint64_t write_period(const struct dnp_lofamo *lofamo)
{
    uint32_t timer = dnp_get(lofamo->registers, DNP_REG_fault_timer, 0);

    return dnp_cycles_of_ms(lofamo->registers, DNP_FIELD_GET(timer, fault_timer_write_ms));
}

static uint64_t read_period(const struct dnp_lofamo *lofamo)
{
    uint32_t timer = dnp_get(lofamo->registers, DNP_REG_fault_timer, 0);

    return dnp_cycles_of_ms(lofamo->registers, DNP_FIELD_GET(timer, fault_timer_read_ms));
}

static bool wanted(const struct dnp_lofamo *lofamo)
{
    uint32_t mask = dnp_get(lofamo->registers, DNP_REG_fault_mask, 0);

    return DNP_FIELD_GET(mask, fault_mask_enable) != 0;
}

void dnp_lofamo_init(struct dnp_lofamo *lofamo, struct dnp_register_file *registers,
                     struct dnp_link *links)
{
    *lofamo = (struct dnp_lofamo){.registers = registers, .link = links};
}

/* When something is due that was done at a time and is done each period. */
static uint64_t due_after(uint64_t at, uint64_t period)
{
    return period == 0 ? UINT64_MAX : at + period;
}

uint64_t dnp_lofamo_due(const struct dnp_lofamo *lofamo)
{
    if (wanted(lofamo) != lofamo->enabled) {
        return 0;
    }
    if (!lofamo->enabled) {
        return UINT64_MAX;
    }
    return ni_min_u64(due_after(lofamo->written_at, write_period(lofamo)),
                      due_after(lofamo->read_at, read_period(lofamo)));
}

uint32_t dnp_lofamo_message(const struct dnp_lofamo *lofamo)
{
    uint32_t service = lofamo->host >> DNP_LOW_remote_fault_service_network &
                       (uint32_t)DNP_MAX_remote_fault_service_network;

    return service != DNP_NORMAL || lofamo->send ? DNP_FAULT_VALID | lofamo->host | lofamo->card
                                                 : 0;
}

static void read_host(struct dnp_lofamo *lofamo, uint64_t now)
{
    uint32_t word = dnp_get(lofamo->registers, DNP_REG_host_watchdog, 0);
    bool valid = DNP_FIELD_GET(word, host_watchdog_valid) != 0;
    uint64_t late = now - lofamo->read_at - read_period(lofamo);

    dnp_watch_read(&lofamo->watch, valid, late >= read_period(lofamo) - write_period(lofamo));
    if (valid) {
        lofamo->host = dnp_fault_of_host(word);
        lofamo->send = DNP_FIELD_GET(word, host_watchdog_send) != 0;
        dnp_set(lofamo->registers, DNP_REG_host_watchdog, 0,
                DNP_FIELD_PUT(word, host_watchdog_valid, 0));
    } else if (lofamo->watch.lost) {
        lofamo->host = DNP_FAULT_HOST_LOST;
    }
    lofamo->read_at = now;
    lofamo->put_off = false;
}

void dnp_lofamo_away(struct dnp_lofamo *lofamo, uint64_t now)
{
    uint64_t write = write_period(lofamo), read = read_period(lofamo);

    if (!lofamo->enabled) {
        return;
    }
    if (now < due_after(lofamo->written_at, write)) {
        lofamo->written_at = now - write;
    }
    if (!lofamo->put_off && due_after(lofamo->read_at, read) < now + write) {
        lofamo->read_at = now + write - read;
        lofamo->put_off = true;
    }
}

/* The card's own status as a fault word. */
static uint32_t look(struct dnp_lofamo *lofamo, const struct dnp_core_work *work, uint64_t now)
{
    const struct dnp_register_file *file = lofamo->registers;
    uint32_t mask = dnp_get(file, DNP_REG_fault_mask, 0), fault = dnp_sensors_look(file);

    for (unsigned i = 0; i < DNP_LINKS; i++) {
        bool down = dnp_link_down(&lofamo->link[i], now);

        fault |= (uint32_t)dnp_link_health_look(&lofamo->health[i], file, i, down)
                 << dnp_fault_link_low(i);
    }
    fault |= (uint32_t)dnp_core_health_look(&lofamo->core, file, work, now)
             << DNP_LOW_remote_fault_core;
    fault = dnp_fault_worst(fault, dnp_fault_of_card(dnp_get(file, DNP_REG_fault_emulation, 0)));
    return fault & ~dnp_fault_of_card(mask);
}

/* Show the host what a neighbour tells, and what it told in between. */
static void show_neighbour(struct dnp_lofamo *lofamo, unsigned link)
{
    uint32_t word = dnp_get(lofamo->registers, DNP_REG_remote_fault, link);
    uint32_t heard = dnp_lifama_heard(&lofamo->link[link]) & ~DNP_FAULT_VALID;

    if (DNP_FIELD_GET(word, remote_fault_valid) != 0) {
        heard = dnp_fault_worst(heard, lofamo->shown[link]);
    }
    if (heard != lofamo->shown[link]) {
        lofamo->shown[link] = heard;
        dnp_set(lofamo->registers, DNP_REG_remote_fault, link, DNP_FAULT_VALID | heard);
    }
}

/* The bits of dnp_watchdog that say which neighbours fail: remote_fault has how. */
static uint32_t neighbours(const struct dnp_lofamo *lofamo)
{
    uint32_t emulated = dnp_get(lofamo->registers, DNP_REG_fault_emulation, 0);
    uint32_t mask = dnp_get(lofamo->registers, DNP_REG_fault_mask, 0), bits = 0;

    for (unsigned i = 0; i < DNP_LINKS; i++) {
        bits |= (lofamo->shown[i] != 0 ? UINT32_MAX : emulated) & dnp_fault_neighbour(i);
    }
    return bits & ~mask;
}

/* Whether a message has not left yet, of the links on which it can. */
static bool busy(const struct dnp_lofamo *lofamo)
{
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        if (dnp_get(lofamo->registers, DNP_REG_link_up, i) != 0 &&
            dnp_lifama_busy(&lofamo->link[i])) {
            return true;
        }
    }
    return false;
}

static void write_watchdog(struct dnp_lofamo *lofamo, uint64_t now)
{
    uint32_t before = dnp_get(lofamo->registers, DNP_REG_dnp_watchdog, 0);
    uint32_t fault = lofamo->card, word;

    for (unsigned i = 0; i < DNP_LINKS; i++) {
        show_neighbour(lofamo, i);
    }
    word = neighbours(lofamo);
    if (DNP_FIELD_GET(before, dnp_watchdog_valid) != 0) {
        fault = dnp_fault_worst(fault, dnp_fault_of_card(before));
        for (unsigned i = 0; i < DNP_LINKS; i++) {
            word |= before & dnp_fault_neighbour(i);
        }
    }
    word = DNP_FIELD_PUT(word | fault << 1, dnp_watchdog_valid, 1);
    word = DNP_FIELD_PUT(word, dnp_watchdog_busy, busy(lofamo));
    dnp_set(lofamo->registers, DNP_REG_dnp_watchdog, 0, word);
    lofamo->written_at = now;
}

static void enable(struct dnp_lofamo *lofamo, const struct dnp_core_work *work, uint64_t now)
{
    dnp_lofamo_init(lofamo, lofamo->registers, lofamo->link);
    lofamo->enabled = true;
    lofamo->read_at = now;
    lofamo->written_at = now - write_period(lofamo);
    lofamo->core = (struct dnp_core_health){work->progress, now};
    dnp_set(lofamo->registers, DNP_REG_dnp_watchdog, 0, 0);
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        dnp_link_health_begin(&lofamo->health[i], lofamo->registers, i);
        lofamo->link[i].rx.spare_worst = lofamo->link[i].rx.spare;
        dnp_set(lofamo->registers, DNP_REG_remote_fault, i, 0);
    }
}

/* What is not enabled says nothing: neither to the host nor to neighbours. */
static void disable(struct dnp_lofamo *lofamo)
{
    uint32_t word = dnp_get(lofamo->registers, DNP_REG_dnp_watchdog, 0);

    lofamo->enabled = false;
    dnp_set(lofamo->registers, DNP_REG_dnp_watchdog, 0, DNP_FIELD_PUT(word, dnp_watchdog_valid, 0));
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        lofamo->link[i].tx.spare = 0;
    }
}

void dnp_lofamo_step(struct dnp_lofamo *lofamo, const struct dnp_core_work *work, uint64_t now)
{
    uint64_t soon = 0;

    if (wanted(lofamo) != lofamo->enabled) {
        if (lofamo->enabled) {
            disable(lofamo);
        } else {
            enable(lofamo, work, now);
        }
    }
    if (!lofamo->enabled) {
        return;
    }
    if (now >= due_after(lofamo->read_at, read_period(lofamo))) {
        read_host(lofamo, now);
        soon = write_period(lofamo) / 4; /* one wake-up for both */
    }
    if (now + soon >= due_after(lofamo->written_at, write_period(lofamo))) {
        lofamo->card = look(lofamo, work, now);
        write_watchdog(lofamo, now);
    }
    for (unsigned i = 0; i < DNP_LINKS; i++) {
        dnp_lifama_tell(&lofamo->lifama[i], &lofamo->link[i], dnp_lofamo_message(lofamo));
    }
}
