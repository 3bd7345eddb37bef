/* SPDX-License-Identifier: BSD-3-Clause */
/* Outstanding GETs. */
#include "dnp/get.h"

#include "base/bits.h"

static struct dnp_get_entry *entry_of(struct dnp_gets *gets, uint32_t tag)
{
    struct dnp_get_entry *entry = &gets->entry[tag % DNP_GETS];

    return entry->used && entry->tag == tag ? entry : NULL;
}

bool dnp_gets_begin(struct dnp_gets *gets, const struct apelink_command *command, uint64_t now,
                    uint32_t *tag)
{
    for (uint32_t i = 0; i < DNP_GETS && gets->count < DNP_GETS; i++) {
        struct dnp_get_entry *entry = &gets->entry[i];

        if (!entry->used) {
            *tag = gets->serial++ * DNP_GETS + i;
            *entry = (struct dnp_get_entry){
                .command = *command, .tag = *tag, .left = command->len, .used = true, .since = now};
            gets->count++;
            return true;
        }
    }
    return false;
}

bool dnp_gets_expect(struct dnp_gets *gets, const struct apelink_header *header,
                     const struct apelink_footer *footer)
{
    struct dnp_get_entry *entry = &gets->entry[footer->tag % DNP_GETS];
    const struct apelink_command *command = &entry->command;

    entry->writing = entry->used && entry->tag == footer->tag && command->port == header->port &&
                     command->header.to.x == footer->from.x &&
                     command->header.to.y == footer->from.y &&
                     command->header.to.z == footer->from.z &&
                     command->header.port == footer->port && header->len <= entry->left &&
                     ni_range_within(header->address - command->address, header->len, command->len);
    return entry->writing;
}

static void end(struct dnp_gets *gets, struct dnp_get_entry *entry, ni_status status)
{
    entry->used = false;
    gets->count--;
    entry->command.code = (uint16_t)-status;
    if (status != NI_OK || entry->command.tag == APELINK_COMP_EQ) {
        dnp_events_put(gets->events, apelink_cmd1_pack(&entry->command), APELINK_NIOS_MAGIC,
                       entry->command.port);
    }
}

void dnp_gets_came(struct dnp_gets *gets, uint32_t tag, uint32_t len, ni_status status)
{
    struct dnp_get_entry *entry = entry_of(gets, tag);

    if (entry == NULL) {
        return;
    }
    entry->writing = false;
    if (len > 0) {
        entry->since = gets->now; /* with answers of no bytes it would never end */
    }
    entry->left -= len;
    if (status != NI_OK || entry->left == 0) {
        end(gets, entry, status);
    }
}

void dnp_gets_forget(struct dnp_gets *gets, uint8_t port)
{
    for (uint32_t i = 0; gets->count > 0 && i < DNP_GETS; i++) {
        if (gets->entry[i].used && gets->entry[i].command.port == port) {
            gets->entry[i].used = false;
            gets->count--;
        }
    }
}

bool dnp_gets_has(const struct dnp_gets *gets, uint8_t port)
{
    for (uint32_t i = 0; gets->count > 0 && i < DNP_GETS; i++) {
        if (gets->entry[i].used && gets->entry[i].command.port == port) {
            return true;
        }
    }
    return false;
}

void dnp_gets_step(struct dnp_gets *gets, uint64_t now)
{
    uint32_t timeout = dnp_get(gets->registers, DNP_REG_get_timeout, 0);

    gets->now = now;
    if (gets->count == 0 || timeout == 0 || now == gets->looked_at) {
        return;
    }
    gets->looked_at = now;
    for (uint32_t i = 0; i < DNP_GETS; i++) {
        struct dnp_get_entry *entry = &gets->entry[i];

        if (entry->used && !entry->writing && now - entry->since > timeout &&
            dnp_events_room(gets->events)) {
            end(gets, entry, NI_ERR_TIMEOUT);
        }
    }
}
