/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_REGISTERS_H
#define DNP_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <apeni/status.h>

/*
 * The registers of a card: a table of them, made from registers.def, and a register file.
 *
 *   offset of BAR 5    0x400 ........................ 0xbff
 *   word of the file       0 ........................ 511      no register: reads are refused
 *
 * The card reads and writes words with dnp_get and dnp_set, of which it knows that they are there.
 * What a host asks for goes through dnp_registers_read and dnp_registers_write, which judge it. No
 * register has an effect at the moment that it is written: the card looks when it works.
 * Not thread-safe.
 */

enum dnp_access {
    DNP_READ,
    DNP_WRITE,
    DNP_CLEAR,
};

/* Offsets: DNP_REG_wr_ptr and so on, of the first if there are several. */
enum dnp_offset {
#define DNP_REGISTER(name, offset, width, count, access, reset, source, meaning) \
    DNP_REG_##name = (offset),
#define DNP_FIELD(reg, name, high, low, meaning)
#include "dnp/registers.def"
#undef DNP_REGISTER
#undef DNP_FIELD
};

/* The lowest bits of fields and their masks before they are shifted: DNP_LOW_link_credit_idle. */
enum dnp_bits {
#define DNP_REGISTER(name, offset, width, count, access, reset, source, meaning)
#define DNP_FIELD(reg, name, high, low, meaning) \
    DNP_LOW_##reg##_##name = (low),              \
    DNP_MAX_##reg##_##name = (int)(((uint64_t)2 << ((high) - (low))) - 1),
#include "dnp/registers.def"
#undef DNP_REGISTER
#undef DNP_FIELD
};

struct dnp_register {
    const char *name;
    uint32_t offset;
    uint8_t width; /* bits, 32 or 64 */
    uint8_t count;
    enum dnp_access access;
    uint32_t reset; /* of a register of 64 bits the less significant half */
    const char *source;
    const char *meaning;
};

struct dnp_field {
    const char *reg;
    const char *name;
    uint8_t high;
    uint8_t low;
    const char *meaning;
};

extern const struct dnp_register dnp_registers[];
extern const size_t dnp_register_count;
extern const struct dnp_field dnp_fields[];
extern const size_t dnp_field_count;

enum { DNP_REGISTERS_BEGIN = 0x400, DNP_REGISTERS_END = 0xc00 };

struct dnp_register_file {
    uint32_t word[(DNP_REGISTERS_END - DNP_REGISTERS_BEGIN) / 4];
};

/* The value of a field in a register's word, and a word with this field changed. */
#define DNP_FIELD_GET(word, field) ((uint32_t)(word) >> DNP_LOW_##field & (uint32_t)DNP_MAX_##field)
#define DNP_FIELD_PUT(word, field, value)                                   \
    (((uint32_t)(word) & ~((uint32_t)DNP_MAX_##field << DNP_LOW_##field)) | \
     ((uint32_t)(value) & (uint32_t)DNP_MAX_##field) << DNP_LOW_##field)

/* For the card: the word at an offset, with index counting registers of 32 bits. */
static inline uint32_t dnp_get(const struct dnp_register_file *file, enum dnp_offset offset,
                               unsigned index)
{
    return file->word[((unsigned)offset - DNP_REGISTERS_BEGIN) / 4 + index];
}

static inline void dnp_set(struct dnp_register_file *file, enum dnp_offset offset, unsigned index,
                           uint32_t value)
{
    file->word[((unsigned)offset - DNP_REGISTERS_BEGIN) / 4 + index] = value;
}

/* The same for those of 64 bits, with index counting these. */
static inline uint64_t dnp_get64(const struct dnp_register_file *file, enum dnp_offset offset,
                                 unsigned index)
{
    return dnp_get(file, offset, 2 * index) | (uint64_t)dnp_get(file, offset, 2 * index + 1) << 32;
}

static inline void dnp_set64(struct dnp_register_file *file, enum dnp_offset offset, unsigned index,
                             uint64_t value)
{
    dnp_set(file, offset, 2 * index, (uint32_t)value);
    dnp_set(file, offset, 2 * index + 1, (uint32_t)(value >> 32));
}

static inline void dnp_add(struct dnp_register_file *file, enum dnp_offset offset, unsigned index,
                           uint32_t more)
{
    dnp_set(file, offset, index, dnp_get(file, offset, index) + more);
}

static inline void dnp_add64(struct dnp_register_file *file, enum dnp_offset offset, unsigned index,
                             uint64_t more)
{
    dnp_set64(file, offset, index, dnp_get64(file, offset, index) + more);
}

/* All registers as they are when a card is switched on. */
void dnp_registers_reset(struct dnp_register_file *file);

/* The register to which the word at this offset belongs, or NULL. */
const struct dnp_register *dnp_register_at(uint32_t offset);

/* The bits of the word at this offset that its fields name; all if it has none; 0 if no register is
 * there. */
uint32_t dnp_register_bits(uint32_t offset);

/* What a host reads. NI_ERR_ALIGN: the offset is no multiple of 4. NI_ERR_NOTFOUND: no register is
 * there. */
ni_status dnp_registers_read(const struct dnp_register_file *file, uint32_t offset,
                             uint32_t *value);

/*
 * What a host writes; of a CLEAR register the bits that are 0. Also: NI_ERR_ACCESS: the host may
 * only read it. NI_ERR_INVALID: a bit is set that no field of a WRITE register names, or the value
 * is one with which the card cannot work:
 *   link_thresholds    T_YELLOW is 0, or a longest packet has no room below T_RED while fewer than
 *                      T_YELLOW words are there, or T_RED is beyond DNP_RED_MAX
 *   link_credit        a field is 0
 *   tx_ring_size, event_ring_size   not 0 and no power of two, or beyond 65536
 *   board_torus        no nodes, or more than NI_TORUS_NODES_MAX
 *   host_watchdog, fault_emulation   a status of two bits is 3
 *   fault_timer        both periods are set, and write_ms is not below read_ms
 *   fault_thresholds, fault_cold, fault_core   an alarm, or broken, before the warning, or sick
 *   link_sick          kibibytes is 0
 * On failure nothing has changed.
 */
ni_status dnp_registers_write(struct dnp_register_file *file, uint32_t offset, uint32_t value);

/* Whether the host's administrator may write the word at this offset while programs use the card:
 * that of a register of fault awareness, of what decides when a link or a GET has failed, or of the
 * table of the router. */
bool dnp_register_administered(uint32_t offset);

/* "READ", "WRITE", "CLEAR". */
const char *dnp_access_name(enum dnp_access access);

/* Print docs/registers.md. */
void dnp_registers_print(FILE *out);

#endif
