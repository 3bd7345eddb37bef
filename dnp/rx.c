/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes packets from the router. */
#include "dnp/rx.h"

#include "base/bits.h"

static void refuse(struct dnp_rx *rx)
{
    dnp_add(rx->registers, DNP_REG_rx_refused, 0, 1);
}

/* Where the payload goes, as things are now; fills rx->write. */
static ni_status translate(struct dnp_rx *rx)
{
    return dnp_buffers_translate(rx->buffers, &rx->write, rx->header.address, rx->header.len,
                                 rx->header.operation == APELINK_PUT ? NI_ACCESS_WRITE : 0);
}

/* Whether the payload of a PUT may be written. */
static bool accept_put(struct dnp_rx *rx)
{
    if (!dnp_events_ring_room(rx->events, rx->header.port)) {
        dnp_add(rx->registers, DNP_REG_event_lost, rx->header.port, 1);
        return false;
    }
    if (translate(rx) != NI_OK) {
        refuse(rx);
        return false;
    }
    return true;
}

/* The same of what we have asked for. */
static bool accept_answer(struct dnp_rx *rx, const struct apelink_footer *footer)
{
    ni_status status;

    if (!dnp_gets_expect(rx->gets, &rx->header, footer)) {
        refuse(rx);
        return false;
    }
    status = rx->header.operation == APELINK_REFUSE ? NI_ERR_ACCESS : translate(rx);
    if (status != NI_OK) {
        dnp_gets_came(rx->gets, footer->tag, 0, status);
    }
    return status == NI_OK;
}

/* Another card asks for bytes. */
static void take_get(struct dnp_rx *rx, const struct apelink_footer *footer)
{
    struct apelink_request request;
    struct dnp_answer answer = {
        .tag = footer->tag, .port = rx->header.port, .address = rx->header.address};

    if (!apelink_request_unpack(dnp_fifo_peek(rx->in, 1), &request) || request.len == 0) {
        refuse(rx);
        return;
    }
    if (!dnp_tx_answer_room(rx->tx)) {
        dnp_add(rx->registers, DNP_REG_get_dropped, 0, 1);
        return;
    }
    answer.header = (struct apelink_header){.address = request.address,
                                            .to = footer->from,
                                            .port = footer->port,
                                            .operation = APELINK_ANSWER};
    answer.left = request.len;
    if (dnp_buffers_check(rx->buffers, answer.port, answer.address, request.len, NI_ACCESS_READ) !=
        NI_OK) {
        refuse(rx);
        answer.header.operation = APELINK_REFUSE;
        answer.left = 0;
    }
    dnp_tx_answer(rx->tx, &answer);
}

/* Judge a packet. Returns whether its payload is to be written. */
static bool accept(struct dnp_rx *rx, const struct apelink_footer *footer)
{
    rx->write = (struct dnp_dma){.channel = DNP_DMA_RX, .port = rx->header.port, .write = true};
    rx->write.data = rx->data;
    if (rx->header.physical || rx->header.gpu || rx->header.gpu_id != 0) {
        refuse(rx);
        return false;
    }
    switch (rx->header.operation) {
    case APELINK_PUT:
        return accept_put(rx);
    case APELINK_GET:
        take_get(rx, footer);
        return false;
    default:
        return accept_answer(rx, footer);
    }
}

/* Look at the next packet, all of which is there. */
static void begin(struct dnp_rx *rx)
{
    uint32_t words;
    struct apelink_footer footer;

    (void)apelink_header_unpack(dnp_fifo_peek(rx->in, 0), &rx->header);
    words = apelink_packet_words(rx->header.len);
    rx->footer = dnp_fifo_peek(rx->in, words - 1);
    footer = apelink_footer_unpack(rx->footer);
    dnp_add64(rx->registers, DNP_REG_rx_packets, 0, 1);
    if (accept(rx, &footer)) {
        rx->state = DNP_RX_PAYLOAD;
        rx->words = 0;
        dnp_fifo_skip(rx->in, 1);
    } else {
        dnp_fifo_skip(rx->in, words);
    }
}

/* The buffer may have been deregistered while the payload came. */
static void write_payload(struct dnp_rx *rx)
{
    ni_status status = translate(rx);

    rx->state = DNP_RX_WRITING;
    if (status == NI_OK && rx->header.len > 0) {
        dnp_dma_start(rx->dma, &rx->write);
    } else {
        rx->dma->status[DNP_DMA_RX] = status;
    }
}

/* Take words of the payload, or the footer, behind which it is written. Returns how many. */
static uint32_t take_words(struct dnp_rx *rx, uint32_t most)
{
    uint32_t left = apelink_packet_words(rx->header.len) - 2 - rx->words, run;
    const struct apelink_word *words;

    if (left == 0) {
        dnp_fifo_skip(rx->in, 1);
        write_payload(rx);
        return 1;
    }
    run = dnp_fifo_run(rx->in, (uint32_t)ni_min_u64(most, left), &words);
    apelink_words_to(words, rx->data + (size_t)rx->words * APELINK_WORD, run);
    rx->words += run;
    dnp_fifo_skip(rx->in, run);
    return run;
}

/* The payload is in host memory, or cannot be written. */
static void end(struct dnp_rx *rx)
{
    struct apelink_footer footer = apelink_footer_unpack(rx->footer);
    ni_status status = rx->dma->status[DNP_DMA_RX];

    if (status == NI_OK) {
        dnp_add64(rx->registers, DNP_REG_rx_bytes, 0, rx->header.len);
    } else {
        refuse(rx);
    }
    if (rx->header.operation == APELINK_ANSWER) {
        dnp_gets_came(rx->gets, footer.tag, rx->header.len, status);
    } else if (status == NI_OK) {
        struct apelink_word second = {rx->footer.lo, rx->write.segment[0].address};

        dnp_events_put(rx->events, apelink_header_pack(&rx->header), second, rx->header.port);
    }
    rx->state = DNP_RX_IDLE;
}

bool dnp_rx_step(struct dnp_rx *rx)
{
    if (rx->state == DNP_RX_WRITING && !rx->dma->busy[DNP_DMA_RX] && dnp_events_room(rx->events)) {
        end(rx);
    }
    if (rx->state == DNP_RX_IDLE && dnp_fifo_ready(rx->in) > 0 && dnp_events_room(rx->events)) {
        begin(rx);
    }
    for (uint32_t i = 0; i < rx->burst && rx->state == DNP_RX_PAYLOAD;) {
        i += take_words(rx, rx->burst - i);
    }
    return rx->state != DNP_RX_IDLE || dnp_fifo_ready(rx->in) > 0;
}
