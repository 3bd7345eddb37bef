/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_GET_H
#define DNP_GET_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/command.h"
#include "dnp/event.h"

/*
 * GETs that this card has asked for (ours; the paper only says that there are GETs). Each is named
 * by the tag of its request, which comes back in the footers of the answers: index in the low 6
 * bits, a number of its own above. A GET ends, with an event if it was asked for or failed, when
 * all of its bytes have come, when it is refused, or when time is up.
 */
enum { DNP_GETS = 64 };

struct dnp_get_entry {
    struct apelink_command command;
    uint32_t tag;
    uint32_t left; /* bytes to come */
    bool used;
    bool writing;   /* an answer of it goes into memory: its time is not up before that has ended */
    uint64_t since; /* when it began, or an answer came */
};

struct dnp_gets {
    struct dnp_register_file *registers;
    struct dnp_events *events;
    struct dnp_get_entry entry[DNP_GETS];
    uint32_t count;
    uint32_t serial;
    uint64_t now;       /* as of the last step */
    uint64_t looked_at; /* for those whose time is up; once a cycle is enough */
};

/* Begin one; false: all are in use. On success tag is that of its request. */
bool dnp_gets_begin(struct dnp_gets *gets, const struct apelink_command *command, uint64_t now,
                    uint32_t *tag);

/* Whether an answer with this tag, header and place of origin is one of a GET of this port, and
 * writes where that wanted it. It is expected to come until dnp_gets_came. */
bool dnp_gets_expect(struct dnp_gets *gets, const struct apelink_header *header,
                     const struct apelink_footer *footer);

/* So many bytes of the answer have come, or it failed. events must have room. */
void dnp_gets_came(struct dnp_gets *gets, uint32_t tag, uint32_t len, ni_status status);

/* A process has gone: its GETs end without an event, and what is still answered is refused. */
void dnp_gets_forget(struct dnp_gets *gets, uint8_t port);

/* Whether a process has any. */
bool dnp_gets_has(const struct dnp_gets *gets, uint8_t port);

/* Ends one whose time is up, if there is one and events has room. */
void dnp_gets_step(struct dnp_gets *gets, uint64_t now);

#endif
