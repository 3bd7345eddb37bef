/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of registers, and what a host may do with them. */
#include "dnp/registers.h"

#include <stdbool.h>
#include <string.h>

#include <apeni/torus.h>

#include "base/bits.h"
#include "dnp/limits.h"
#include "dnp/lofamo/fault.h"

const struct dnp_register dnp_registers[] = {
#define DNP_REGISTER(name, offset, width, count, access, reset, source, meaning) \
    {#name, offset, width, count, DNP_##access, reset, source, meaning},
#define DNP_FIELD(reg, name, high, low, meaning)
#include "dnp/registers.def"
#undef DNP_REGISTER
#undef DNP_FIELD
};
const size_t dnp_register_count = NI_ARRAY_LENGTH(dnp_registers);

const struct dnp_field dnp_fields[] = {
#define DNP_REGISTER(name, offset, width, count, access, reset, source, meaning)
#define DNP_FIELD(reg, name, high, low, meaning) {#reg, #name, high, low, meaning},
#include "dnp/registers.def"
#undef DNP_REGISTER
#undef DNP_FIELD
};
const size_t dnp_field_count = NI_ARRAY_LENGTH(dnp_fields);

/* Bytes that a register and those of its kind take. */
static uint32_t extent(const struct dnp_register *reg)
{
    return (uint32_t)reg->width / 8 * reg->count;
}

void dnp_registers_reset(struct dnp_register_file *file)
{
    memset(file, 0, sizeof *file);
    for (size_t i = 0; i < dnp_register_count; i++) {
        const struct dnp_register *reg = &dnp_registers[i];

        for (uint32_t at = reg->offset; at < reg->offset + extent(reg); at += reg->width / 8U) {
            file->word[(at - DNP_REGISTERS_BEGIN) / 4] = reg->reset;
        }
    }
}

const struct dnp_register *dnp_register_at(uint32_t offset)
{
    for (size_t i = 0; i < dnp_register_count; i++) {
        if (offset - dnp_registers[i].offset < extent(&dnp_registers[i])) {
            return &dnp_registers[i];
        }
    }
    return NULL;
}

uint32_t dnp_register_bits(uint32_t offset)
{
    const struct dnp_register *reg = dnp_register_at(offset);
    uint32_t bits = 0;

    if (reg == NULL) {
        return 0;
    }
    for (size_t i = 0; i < dnp_field_count; i++) {
        if (strcmp(dnp_fields[i].reg, reg->name) == 0) {
            bits |= (uint32_t)(((uint64_t)2 << dnp_fields[i].high) -
                               ((uint64_t)1 << dnp_fields[i].low));
        }
    }
    return bits == 0 ? UINT32_MAX : bits;
}

ni_status dnp_registers_read(const struct dnp_register_file *file, uint32_t offset, uint32_t *value)
{
    if (offset % 4 != 0) {
        return NI_ERR_ALIGN;
    }
    if (dnp_register_at(offset) == NULL) {
        return NI_ERR_NOTFOUND;
    }
    *value = file->word[(offset - DNP_REGISTERS_BEGIN) / 4];
    return NI_OK;
}

static bool torus_makes_sense(uint32_t value)
{
    uint64_t nodes = (uint64_t)DNP_FIELD_GET(value, board_torus_x) *
                     DNP_FIELD_GET(value, board_torus_y) * DNP_FIELD_GET(value, board_torus_z);

    return nodes > 0 && nodes <= NI_TORUS_NODES_MAX;
}

/* Whether fault awareness can work with this value of one of its registers. */
static bool fault_makes_sense(uint32_t reg, uint32_t value)
{
    uint32_t write = DNP_FIELD_GET(value, fault_timer_write_ms);
    uint32_t read = DNP_FIELD_GET(value, fault_timer_read_ms);
    uint32_t broken = DNP_FIELD_GET(value, fault_core_broken_ms);

    switch (reg) {
    case DNP_REG_host_watchdog:
        return dnp_fault_makes_sense(dnp_fault_of_host(value));
    case DNP_REG_fault_emulation:
        return dnp_fault_makes_sense(dnp_fault_of_card(value));
    case DNP_REG_fault_timer:
        return write == 0 || read == 0 || write < read;
    case DNP_REG_fault_thresholds:
        return DNP_FIELD_GET(value, fault_thresholds_temperature_warning) <=
                   DNP_FIELD_GET(value, fault_thresholds_temperature_alarm) &&
               DNP_FIELD_GET(value, fault_thresholds_supply_warning) <=
                   DNP_FIELD_GET(value, fault_thresholds_supply_alarm);
    case DNP_REG_fault_cold:
        return (int8_t)DNP_FIELD_GET(value, fault_cold_temperature_warning) >=
               (int8_t)DNP_FIELD_GET(value, fault_cold_temperature_alarm);
    case DNP_REG_fault_core:
        return broken == 0 || DNP_FIELD_GET(value, fault_core_sick_ms) <= broken;
    case DNP_REG_link_sick:
        return DNP_FIELD_GET(value, link_sick_kibibytes) > 0;
    default:
        return true;
    }
}

/* Whether the card can work with this value of a register. */
static bool makes_sense(uint32_t reg, uint32_t value)
{
    uint32_t red = DNP_FIELD_GET(value, link_thresholds_red);
    uint32_t yellow = DNP_FIELD_GET(value, link_thresholds_yellow);

    switch (reg) {
    case DNP_REG_link_thresholds:
        return yellow > 0 && red <= DNP_RED_MAX && yellow - 1 + DNP_PACKET_WORDS <= red;
    case DNP_REG_link_credit:
        return DNP_FIELD_GET(value, link_credit_busy) > 0 &&
               DNP_FIELD_GET(value, link_credit_idle) > 0;
    case DNP_REG_tx_ring_size:
    case DNP_REG_event_ring_size:
        return value == 0 || (ni_is_pow2(value) && value <= DNP_RING_MAX);
    case DNP_REG_board_torus:
        return torus_makes_sense(value);
    default:
        return fault_makes_sense(reg, value);
    }
}

ni_status dnp_registers_write(struct dnp_register_file *file, uint32_t offset, uint32_t value)
{
    const struct dnp_register *reg = dnp_register_at(offset);
    uint32_t *word;

    if (offset % 4 != 0) {
        return NI_ERR_ALIGN;
    }
    if (reg == NULL) {
        return NI_ERR_NOTFOUND;
    }
    word = &file->word[(offset - DNP_REGISTERS_BEGIN) / 4];
    switch (reg->access) {
    case DNP_CLEAR:
        *word &= value;
        return NI_OK;
    case DNP_WRITE:
        if ((value & ~dnp_register_bits(offset)) != 0 || !makes_sense(reg->offset, value)) {
            return NI_ERR_INVALID;
        }
        *word = value;
        return NI_OK;
    default:
        return NI_ERR_ACCESS;
    }
}

bool dnp_register_administered(uint32_t offset)
{
    switch (offset) {
    case DNP_REG_link_credit:
    case DNP_REG_link_timeout:
    case DNP_REG_link_sick:
    case DNP_REG_get_timeout:
        return true;
    default:
        return offset <= DNP_REG_fault_core ||
               (offset >= DNP_REG_route_reach &&
                offset < DNP_REG_route_reach + 4 * NI_TORUS_DIMENSIONS);
    }
}
