/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "link/dev/dev.h"

/* The channel of a card: command packets out, events in, and the end of the card. */

enum {
    TX_ENTRIES = 1024,
    EVENT_ENTRIES = 32768,
    OPEN_TRIES = 100, /* a channel is free again some time after its process has ended */
    OPEN_PAUSE_NS = 10000000,
};

/* ---- open ------------------------------------------------------------------------------------ */

static const char *remedy(int error)
{
    switch (error) {
    case -ENOENT:
    case -ENOTDIR:
        return "see whether apelink-board serves a device there, or the module apelink.ko is "
               "loaded, and whether the parameter names it";
    case -EACCES:
        return "have the board give its device a mode that lets this user in";
    case -EBUSY:
        return "all channels of the card are in use, by as many interfaces; run fewer processes on "
               "this host, or give others of them another card";
    case -ENOTCONN:
    case -ECONNABORTED:
    case -ENODEV:
        return "the card has gone; start apelink-board again";
    default:
        return "see docs/board.md";
    }
}

static ni_status fail(const struct ni_dev_link *link, int error)
{
    char parameter[96];

    ni_config_name("dev_device", parameter, sizeof(parameter));
    ni_log(NI_LOG_ERROR, "no link over the card of %s, as %s has it: %s: %s",
           link->config->dev_device, parameter, strerror(-error), remedy(error));
    return NI_ERR_UNSUPPORTED;
}

static int try_to_open(struct ni_dev_link *link)
{
    const struct timespec pause = {.tv_nsec = OPEN_PAUSE_NS};
    int error = -EBUSY;

    for (int i = 0; error == -EBUSY && i < OPEN_TRIES; i++) {
        if (i > 0) {
            apelink_client_close(&link->client);
            (void)nanosleep(&pause, NULL);
        }
        error =
            apelink_client_open(&link->client, link->config->dev_device, TX_ENTRIES, EVENT_ENTRIES);
    }
    return error;
}

ni_status ni_dev_card_open(struct ni_dev_link *link)
{
    int error = try_to_open(link);

    if (error != 0) {
        apelink_client_close(&link->client);
        return fail(link, error);
    }
    for (unsigned i = 0; i < 3; i++) {
        link->size[i] = (uint32_t)(link->client.features.torus >> 10 * i & 0x3ff);
        link->size[i] += link->size[i] == 0;
    }
    link->nodes = link->size[0] * link->size[1] * link->size[2];
    return NI_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void gone(struct ni_dev_link *link)
{
    ni_log(NI_LOG_ERROR,
           "the card of %s has gone: all peers that are reached by it are lost. See what became of "
           "apelink-board, and begin the job anew",
           link->config->dev_device);
    atomic_store_explicit(&link->gone, true, memory_order_relaxed);
    (void)dup2(link->rouse_fd, link->client.fd); /* nobody sleeps on what is always readable */
    for (NI_LIST_EACH(node, &link->far.peers)) {
        ni_dev_end(ni_container_of(node, struct ni_dev_peer, far.list), NI_ERR_CARD);
    }
}

bool ni_dev_card_there(struct ni_dev_link *link)
{
    struct pollfd fd = {.fd = link->client.fd, .events = POLLIN};

    if (atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        return false;
    }
    if (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
        gone(link);
        return false;
    }
    return true;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool post(struct ni_dev_peer *peer, struct apelink_command *command)
{
    struct ni_dev_link *link = peer->link;
    uint32_t place = peer->blob.place;
    uint8_t bytes[APELINK_COMMAND_SIZE];

    if (atomic_load_explicit(&link->gone, memory_order_relaxed)) {
        return false;
    }
    command->header.to =
        (struct apelink_place){(uint16_t)(place & 0x3ff), (uint16_t)(place >> 10 & 0x3ff),
                               (uint16_t)(place >> 20 & 0x3ff)};
    command->header.port = (uint8_t)peer->blob.port;
    command->port = (uint8_t)link->client.port;
    apelink_command_pack(command, bytes);
    return apelink_client_post(&link->client, bytes);
}

bool ni_dev_put(struct ni_dev_peer *peer, const struct ni_dev_put *put)
{
    struct apelink_command command = {
        .header = {.operation = APELINK_PUT,
                   .address = put->to,
                   .len = (uint16_t)put->len,
                   .last = put->answer},
        .footer = {.tag = put->tag},
        .address = (uintptr_t)put->from,
        .len = put->len,
        .tag = APELINK_COMP_NONE,
    };

    return post(peer, &command);
}

bool ni_dev_get(struct ni_dev_peer *peer, void *to, uint64_t from, uint32_t len, uint32_t number)
{
    struct apelink_command command = {
        .header = {.operation = APELINK_GET, .address = from},
        .address = (uintptr_t)to,
        .len = len,
        .tag = APELINK_COMP_EQ,
        .data = number,
    };

    return post(peer, &command);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool is(struct apelink_word word, struct apelink_word magic)
{
    return apelink_word_equal(word, magic);
}

static void on_put(struct ni_dev_link *link, struct apelink_word first, struct apelink_word second)
{
    struct apelink_footer footer = apelink_footer_unpack((struct apelink_word){second.lo, 0});
    uint32_t place =
        (uint32_t)footer.from.x | (uint32_t)footer.from.y << 10 | (uint32_t)footer.from.z << 20;
    uint32_t index = ni_dev_index(link, place, footer.port);
    struct apelink_header header;
    struct ni_dev_peer *peer;

    if (index == UINT32_MAX || !apelink_header_unpack(first, &header)) {
        ni_dev_stranger(link, "it comes from no place of the torus");
        return;
    }
    if (header.address == (uintptr_t)link->mailbox + (uint64_t)index * NI_DEV_MAIL) {
        ni_dev_on_mail(link, index, header.len);
        return;
    }
    for (peer = link->at[index]; peer != NULL; peer = peer->next_at) {
        if (ni_dev_is_in(peer, header.address)) {
            ni_dev_on_put(peer, &header, footer.tag);
            return;
        }
    }
    if (!link->met[index]) { /* else it may be for one that was given up meanwhile */
        ni_dev_stranger(link, "what was written is not for its sender to write");
    }
}

/* What a command packet came to that the card could not read, of a peer that was given up. */
static void on_tx(struct apelink_word first)
{
    unsigned code = apelink_cmd1_unpack(first).code;

    if (code != 0) {
        ni_log(NI_LOG_DEBUG, "dev: the card has refused a command packet: %s",
               ni_status_text((ni_status) - (int)code));
    }
}

unsigned ni_dev_events(struct ni_dev_link *link, unsigned most)
{
    uint8_t bytes[APELINK_EVENT_SIZE];
    unsigned count = 0;

    while (count < most && apelink_client_event(&link->client, bytes)) {
        struct apelink_word first = apelink_word_from(bytes);
        struct apelink_word second = apelink_word_from(bytes + APELINK_WORD);

        count++;
        if (is(second, APELINK_NIOS_MAGIC)) {
            struct apelink_command command = apelink_cmd1_unpack(first);

            ni_dev_on_get(link, command.data, command.code);
        } else if (is(second, APELINK_TX0_MAGIC) || is(second, APELINK_TX1_MAGIC)) {
            on_tx(first);
        } else {
            on_put(link, first, second);
        }
    }
    return count;
}
