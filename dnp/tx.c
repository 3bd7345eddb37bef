/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes packets of command packets and answers. */
#include "dnp/tx.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "dnp/crc.h"

void dnp_tx_answer(struct dnp_tx *tx, const struct dnp_answer *answer)
{
    NI_ASSERT(dnp_tx_answer_room(tx));
    tx->answer[tx->answers_filled++ % DNP_TX_ANSWERS] = *answer;
}

/* The DMA channel of a page; channels take turns, and so do pages. */
static enum dnp_dma_channel channel_of(uint32_t page)
{
    return page % 2 == 0 ? DNP_DMA_TX0 : DNP_DMA_TX1;
}

/* The page for the next packet, or NULL: it is not free, or the other page of its channel loads. */
static struct dnp_page *free_page(struct dnp_tx *tx)
{
    struct dnp_page *page = &tx->page[tx->pages_filled % DNP_TX_PAGES];
    struct dnp_page *other = &tx->page[(tx->pages_filled + 2) % DNP_TX_PAGES];

    return page->state == DNP_PAGE_FREE && other->state != DNP_PAGE_LOADING ? page : NULL;
}

/* Report a command packet from which no packet is made. */
static void refuse(struct dnp_tx *tx, struct apelink_command *command, ni_status status)
{
    dnp_add(tx->registers, DNP_REG_tx_refused, command->port, 1);
    command->code = (uint16_t)-status;
    dnp_events_put(tx->events, apelink_cmd1_pack(command), APELINK_TX0_MAGIC, command->port);
}

/* The packet comes from here, whatever the host has written. */
static void stamp(struct dnp_tx *tx, struct dnp_page *page, uint8_t port, uint64_t now)
{
    uint32_t place = dnp_get(tx->registers, DNP_REG_board_place, 0);

    page->footer.from = (struct apelink_place){(uint16_t)DNP_FIELD_GET(place, board_place_x),
                                               (uint16_t)DNP_FIELD_GET(place, board_place_y),
                                               (uint16_t)DNP_FIELD_GET(place, board_place_z)};
    page->footer.port = port;
    page->footer.stamp = (uint32_t)now;
    page->footer.crc = 0;
}

/* Read the payload of a packet into its page. */
static ni_status load(struct dnp_tx *tx, struct dnp_page *page, uint8_t port, uint64_t address,
                      unsigned access)
{
    uint32_t len = page->header.len;
    struct dnp_dma dma = {
        .channel = channel_of(tx->pages_filled), .port = port, .data = page->data};
    ni_status status = dnp_buffers_translate(tx->buffers, &dma, address, len, access);

    if (status != NI_OK) {
        return status;
    }
    memset(page->data + len, 0, ni_align_up(len, APELINK_WORD) - len);
    page->state = DNP_PAGE_LOADING;
    tx->pages_filled++;
    if (len > 0) {
        dnp_dma_start(tx->dma, &dma);
    } else {
        tx->dma->status[dma.channel] = NI_OK;
    }
    return NI_OK;
}

/* A GET's payload is its request, which is in the command. */
static ni_status load_request(struct dnp_tx *tx, struct dnp_page *page, uint64_t now)
{
    const struct apelink_command *command = &page->command;
    struct apelink_request request = {command->address, command->len};
    ni_status status =
        dnp_buffers_check(tx->buffers, command->port, command->address, command->len, 0);

    if (status != NI_OK) {
        return status;
    }
    if (!dnp_gets_begin(tx->gets, command, now, &page->footer.tag)) {
        return NI_ERR_LIMIT;
    }
    apelink_word_to(apelink_request_pack(&request), page->data);
    page->command.tag = APELINK_COMP_NONE; /* its event is the end of the GET */
    page->state = DNP_PAGE_LOADED;
    tx->pages_filled++;
    return NI_OK;
}

/* Begin the next command packet. There is one, and room for an event. */
static void begin_command(struct dnp_tx *tx, struct dnp_page *page, uint64_t now)
{
    struct apelink_command command;
    bool good = apelink_command_unpack(tx->fetched[tx->fetch_next], &command);
    ni_status status = NI_ERR_INVALID;

    command.port = tx->fetch_port;
    if (++tx->fetch_next == tx->fetch_count) {
        tx->fetch_count = 0;
    }
    if (good) {
        page->answer = false;
        page->command = command;
        page->header = command.header;
        page->footer = command.footer;
        stamp(tx, page, command.port, now);
        status = command.header.operation == APELINK_GET
                     ? load_request(tx, page, now)
                     : load(tx, page, command.port, command.address, 0);
    }
    if (status != NI_OK) {
        refuse(tx, &command, status);
    }
}

/* Make the next packet of the first answer. */
static void begin_answer(struct dnp_tx *tx, struct dnp_page *page, uint64_t now)
{
    struct dnp_answer *answer = &tx->answer[tx->answers_taken % DNP_TX_ANSWERS];
    uint16_t len = (uint16_t)ni_min_u64(answer->left, APELINK_PAYLOAD_MAX);

    page->answer = true;
    page->header = answer->header;
    page->header.len = len;
    page->header.last = len == answer->left;
    page->footer = (struct apelink_footer){.tag = answer->tag};
    page->command = (struct apelink_command){.tag = APELINK_COMP_NONE, .port = answer->port};
    stamp(tx, page, answer->port, now);
    if (load(tx, page, answer->port, answer->address, NI_ACCESS_READ) != NI_OK) {
        /* The buffer has been deregistered since: the other side hears that there is no more. */
        answer->header.operation = APELINK_REFUSE;
        answer->left = 0;
        return;
    }
    answer->header.address += len;
    answer->address += len;
    answer->left -= len;
    if (answer->left == 0) {
        tx->answers_taken++;
    }
}

static bool begin(struct dnp_tx *tx, uint64_t now)
{
    bool commands = tx->fetch_count > 0 && tx->fetch_there;
    bool answers = tx->answers_taken != tx->answers_filled;
    struct dnp_page *page = free_page(tx);

    if (page == NULL || !dnp_events_room(tx->events)) {
        return commands || answers;
    }
    if (answers && (tx->answer_turn || !commands)) {
        begin_answer(tx, page, now);
        tx->answer_turn = false;
    } else if (commands) {
        begin_command(tx, page, now);
        tx->answer_turn = true;
    }
    return commands || answers;
}

/* What a page that was read becomes, and the event of its command. */
static void loaded(struct dnp_tx *tx, uint32_t index)
{
    struct dnp_page *page = &tx->page[index];
    enum dnp_dma_channel channel = channel_of(index);
    ni_status status = tx->dma->status[channel];

    if (status != NI_OK && page->answer) {
        page->header.operation = APELINK_REFUSE;
        page->header.len = 0;
    } else if (status != NI_OK) {
        /* The order of pages stays; this one leaves as nothing. */
        page->header.operation = APELINK_OPERATIONS;
        refuse(tx, &page->command, status);
    } else if (page->command.tag == APELINK_COMP_EQ) {
        dnp_events_put(tx->events, apelink_cmd1_pack(&page->command),
                       channel == DNP_DMA_TX0 ? APELINK_TX0_MAGIC : APELINK_TX1_MAGIC,
                       page->command.port);
    }
    page->state = DNP_PAGE_LOADED;
}

/* The next words of a page, up to n: header, payload, footer. Returns how many. */
static uint32_t words_of(struct dnp_tx *tx, const struct dnp_page *page, struct apelink_word *words,
                         uint32_t n)
{
    uint32_t at = tx->words_sent, footer = apelink_packet_words(page->header.len) - 1;

    if (at == 0) {
        tx->crc = 0;
        words[0] = apelink_header_pack(&page->header);
        return 1;
    }
    if (at == footer) {
        words[0] = dnp_footer_seal(apelink_footer_pack(&page->footer), tx->crc);
        return 1;
    }
    n = (uint32_t)ni_min_u64(n, footer - at);
    apelink_words_from(page->data + (size_t)(at - 1) * APELINK_WORD, words, n);
    return n;
}

/* Send words of the first page, up to n, once the router's FIFO has room for all of them. Returns
 * how many, 0 if none can follow. A page that is nothing leaves as if it were a word. */
static uint32_t send_words(struct dnp_tx *tx, uint32_t n)
{
    struct dnp_page *page = &tx->page[tx->pages_sent % DNP_TX_PAGES];
    uint32_t all = apelink_packet_words(page->header.len);
    struct apelink_word *words;

    if (page->state != DNP_PAGE_LOADED) {
        return 0;
    }
    if (page->header.operation == APELINK_OPERATIONS) {
        page->state = DNP_PAGE_FREE;
        tx->pages_sent++;
        return 1;
    }
    if (tx->words_sent == 0 && dnp_fifo_room(tx->out) < all) {
        return 0;
    }
    n = dnp_fifo_space(tx->out, n, &words);
    n = words_of(tx, page, words, n);
    tx->crc = dnp_crc(tx->crc, words, n);
    dnp_fifo_added(tx->out, n);
    tx->words_sent += n;
    if (tx->words_sent == all) {
        dnp_fifo_commit(tx->out);
        tx->words_sent = 0;
        tx->pages_sent++;
        page->state = DNP_PAGE_FREE;
    }
    return n;
}

bool dnp_tx_step(struct dnp_tx *tx, uint64_t now)
{
    uint32_t left = tx->burst, sent;
    bool active = dnp_tx_fetch(tx);

    for (uint32_t i = 0; i < DNP_TX_PAGES; i++) {
        if (tx->page[i].state == DNP_PAGE_LOADING && !tx->dma->busy[channel_of(i)] &&
            dnp_events_room(tx->events)) {
            loaded(tx, i);
        }
    }
    active = begin(tx, now) || active;
    do {
        sent = send_words(tx, left);
        left -= sent;
    } while (sent > 0 && left > 0);
    return active || tx->pages_sent != tx->pages_filled;
}
