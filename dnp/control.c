/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that are announced by Magic. */
#include "dnp/control.h"

#include "dnp/crc.h"

#define CHECK_BITS 0xffffff00U

static struct apelink_word checked(struct apelink_word word)
{
    word.lo &= ~(uint64_t)CHECK_BITS;
    word.lo |= dnp_crc(0, &word, 1) & CHECK_BITS;
    return word;
}

struct apelink_word dnp_control_pack(const struct dnp_control *control)
{
    struct apelink_word word = {(uint64_t)control->kind, 0};

    switch (control->kind) {
    case DNP_START:
        word.lo |= (uint64_t)control->words << 32 | (uint64_t)control->vc << 48;
        word.hi = control->sent[control->vc];
        break;
    case DNP_CREDIT:
        word.lo |= (uint64_t)control->taken[0] << 32 | (uint64_t)control->taken[1] << 48;
        word.hi =
            control->sent[0] | (uint64_t)control->sent[1] << 16 | (uint64_t)control->spare << 32;
        break;
    case DNP_LITERAL:
        break;
    }
    return checked(word);
}

bool dnp_control_unpack(struct apelink_word word, struct dnp_control *control)
{
    *control = (struct dnp_control){.kind = (enum dnp_control_kind)(word.lo & 0xff)};
    switch (control->kind) {
    case DNP_START:
        control->words = (uint16_t)(word.lo >> 32 & 0x1ff);
        control->vc = (uint8_t)(word.lo >> 48 & 1);
        control->sent[control->vc] = (uint16_t)word.hi;
        if (control->words < 2 || control->words > DNP_PACKET_WORDS) {
            return false;
        }
        break;
    case DNP_CREDIT:
        control->taken[0] = (uint16_t)(word.lo >> 32);
        control->taken[1] = (uint16_t)(word.lo >> 48);
        control->sent[0] = (uint16_t)word.hi;
        control->sent[1] = (uint16_t)(word.hi >> 16);
        control->spare = (uint32_t)(word.hi >> 32);
        break;
    case DNP_LITERAL:
        break;
    default:
        return false;
    }
    return apelink_word_equal(word, dnp_control_pack(control));
}
