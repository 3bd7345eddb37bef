/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages as bytes. */
#include "hfm/message.h"

#include <string.h>

#include "dnp/lofamo/fault.h"
#include "driver/word.h"
#include "hfm/watchdog.h"

enum { VERSION = 2, SEALED = HFM_MESSAGE_SIZE - 8 };
static const uint8_t MAGIC[4] = {'H', 'F', 'M', 'M'};

void hfm_message_pack(const struct hfm_message *message, const struct dnp_key *key,
                      uint8_t bytes[HFM_MESSAGE_SIZE])
{
    memset(bytes, 0, HFM_MESSAGE_SIZE);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    bytes[4] = VERSION;
    bytes[5] = (uint8_t)message->kind;
    bytes[6] = message->subject;
    bytes[7] = message->flags;
    apelink_bytes_put64(bytes + 8, message->session);
    apelink_bytes_put64(bytes + 16, message->answers);
    apelink_bytes_put64(bytes + 24, message->number);
    apelink_bytes_put64(bytes + 32, message->from | (uint64_t)message->about << 32);
    apelink_bytes_put64(bytes + 40, message->fault | (uint64_t)message->worst << 32);
    apelink_bytes_put64(bytes + 48, message->term);
    apelink_bytes_put64(bytes + 56, message->have);
    apelink_bytes_put64(bytes + 64, message->via | (uint64_t)message->age_us << 32);
    apelink_bytes_put64(bytes + SEALED, dnp_mac(key, bytes, SEALED));
}

_Static_assert((DNP_FAULT_HOST | DNP_FAULT_CARD | HFM_FAULT_OURS) == UINT32_MAX,
               "each bit of a fault means something");

bool hfm_message_unpack(struct hfm_message *message, const struct dnp_key *key,
                        const uint8_t *bytes, size_t len)
{
    if (len != HFM_MESSAGE_SIZE || memcmp(bytes, MAGIC, sizeof MAGIC) != 0 || bytes[4] != VERSION ||
        bytes[5] == 0 || bytes[5] >= HFM_KINDS || bytes[6] > HFM_SILENCE ||
        (bytes[7] & ~HFM_FLAGS) != 0 ||
        dnp_mac(key, bytes, SEALED) != apelink_bytes_get64(bytes + SEALED)) {
        return false;
    }
    *message = (struct hfm_message){
        .kind = (enum hfm_kind)bytes[5],
        .subject = bytes[6],
        .session = apelink_bytes_get64(bytes + 8),
        .answers = apelink_bytes_get64(bytes + 16),
        .number = apelink_bytes_get64(bytes + 24),
        .from = (uint32_t)apelink_bytes_get64(bytes + 32),
        .about = (uint32_t)(apelink_bytes_get64(bytes + 32) >> 32),
        .fault = (uint32_t)apelink_bytes_get64(bytes + 40),
        .worst = (uint32_t)(apelink_bytes_get64(bytes + 40) >> 32),
        .flags = bytes[7],
        .term = apelink_bytes_get64(bytes + 48),
        .have = apelink_bytes_get64(bytes + 56),
        .via = (uint32_t)apelink_bytes_get64(bytes + 64),
        .age_us = (uint32_t)(apelink_bytes_get64(bytes + 64) >> 32),
    };
    return message->session != 0 && message->number != 0 && dnp_fault_makes_sense(message->fault) &&
           dnp_fault_makes_sense(message->worst);
}
