/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_DNP_HOST_H
#define TESTS_UNIT_DNP_HOST_H

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "dnp/card.h"

/*
 * The host of a card in tests: physical memory, a ring of command packets and one of events for
 * each process, and pages of each process that lie in any order. DMA is done at once, or some
 * cycles later.
 *
 *   page   0 - 63    16 of each process, at HOST_BASE in its virtual memory
 *         64 - 67    ring of command packets of each process
 *         68 - 71    ring of events
 */

enum {
    HOST_PAGES = 16, /* of each process */
    HOST_SIZE = HOST_PAGES * DNP_PAGE,
    HOST_PHYSICAL = (HOST_PAGES + 2) * DNP_CHANNELS * DNP_PAGE,
    HOST_BASE = 0x7000000,
    HOST_COMMANDS = 16,
    HOST_EVENTS = 64,
};

struct test_host {
    struct dnp_host host;
    struct dnp_card *card;
    struct ni_rng *rng;
    uint8_t *memory;
    uint64_t pages[DNP_CHANNELS][HOST_PAGES];
    uint64_t now;
    uint32_t latest;                /* DMA takes up to so many cycles; 0: it is done at once */
    uint32_t failing;               /* one DMA in so many fails; 0: none */
    uint64_t due[DNP_DMA_CHANNELS]; /* 0: nothing under way */
    struct dnp_dma dma[DNP_DMA_CHANNELS];
};

static inline ni_status test_host_copy(struct test_host *host, const struct dnp_dma *dma)
{
    uint8_t *data = dma->data;

    if (host->failing != 0 && ni_rng_below(host->rng, host->failing) == 0) {
        return NI_ERR_SYSTEM;
    }
    for (unsigned i = 0; i < DNP_SEGMENTS; i++) {
        uint64_t address = dma->segment[i].address;
        uint32_t len = dma->segment[i].len;

        if (len == 0) {
            continue;
        }
        if (!ni_range_within(address, len, HOST_PHYSICAL)) {
            return NI_ERR_BOUNDS;
        }
        memcpy(dma->write ? host->memory + address : data,
               dma->write ? data : host->memory + address, len);
        data += len;
    }
    return NI_OK;
}

static inline ni_status test_host_start(void *arg, const struct dnp_dma *dma)
{
    struct test_host *host = arg;

    if (host->due[dma->channel] != 0) {
        abort(); /* a channel does one at a time */
    }
    if (host->latest == 0) {
        return test_host_copy(host, dma);
    }
    host->due[dma->channel] = host->now + 1 + ni_rng_below(host->rng, host->latest);
    host->dma[dma->channel] = *dma;
    return NI_INPROGRESS;
}

static inline void test_host_cycle(struct test_host *host, uint64_t now)
{
    host->now = now;
    for (unsigned channel = 0; channel < DNP_DMA_CHANNELS; channel++) {
        if (host->due[channel] != 0 && host->due[channel] <= now) {
            host->due[channel] = 0;
            dnp_dma_end(&host->card->dma, (enum dnp_dma_channel)channel,
                        test_host_copy(host, &host->dma[channel]));
        }
    }
}

static inline void test_host_init(struct test_host *host, struct dnp_card *card, struct ni_rng *rng)
{
    uint64_t order[HOST_PAGES * DNP_CHANNELS];

    *host = (struct test_host){.card = card, .rng = rng, .memory = calloc(1, HOST_PHYSICAL)};
    host->host = (struct dnp_host){test_host_start, host};
    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(order); i++) {
        uint64_t other = ni_rng_below(rng, i + 1);

        order[i] = order[other];
        order[other] = i * DNP_PAGE;
    }
    memcpy(host->pages, order, sizeof order);
}

static inline void test_host_fini(struct test_host *host)
{
    free(host->memory);
}

/* Tell the card where the rings are. */
static inline void test_host_open(struct test_host *host)
{
    struct dnp_register_file *registers = &host->card->registers;
    uint64_t rings = HOST_PAGES * DNP_CHANNELS * DNP_PAGE;

    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        dnp_set64(registers, DNP_REG_tx_ring_base, port, rings + (uint64_t)port * DNP_PAGE);
        dnp_set(registers, DNP_REG_tx_ring_size, port, HOST_COMMANDS);
        dnp_set64(registers, DNP_REG_event_ring_base, port,
                  rings + (uint64_t)(DNP_CHANNELS + port) * DNP_PAGE);
        dnp_set(registers, DNP_REG_event_ring_size, port, HOST_EVENTS);
    }
}

/* A byte of a process. */
static inline uint8_t *test_host_byte(struct test_host *host, uint8_t port, uint64_t address)
{
    uint64_t offset = address - HOST_BASE;

    return host->memory + host->pages[port][offset / DNP_PAGE] + offset % DNP_PAGE;
}

/* Register part of a process's memory. */
static inline ni_handle test_host_register(struct test_host *host, uint8_t port, uint64_t address,
                                           uint64_t len, unsigned access)
{
    ni_handle handle = 0;

    if (dnp_buffers_add(&host->card->buffers, port, address, len, access,
                        &host->pages[port][(address - HOST_BASE) / DNP_PAGE], &handle) != NI_OK) {
        abort();
    }
    return handle;
}

/* Write 64 bytes into a ring of command packets; false: it is full. */
static inline bool test_host_post_bytes(struct test_host *host, uint8_t port, const uint8_t *bytes)
{
    struct dnp_register_file *registers = &host->card->registers;
    uint32_t end = dnp_get(registers, DNP_REG_wr_ptr, port);

    if (end - dnp_get(registers, DNP_REG_rd_ptr, port) == HOST_COMMANDS) {
        return false;
    }
    memcpy(host->memory + dnp_get64(registers, DNP_REG_tx_ring_base, port) +
               (size_t)(end % HOST_COMMANDS) * APELINK_COMMAND_SIZE,
           bytes, APELINK_COMMAND_SIZE);
    dnp_set(registers, DNP_REG_wr_ptr, port, end + 1);
    return true;
}

static inline bool test_host_post(struct test_host *host, uint8_t port,
                                  const struct apelink_command *command)
{
    uint8_t bytes[APELINK_COMMAND_SIZE];

    apelink_command_pack(command, bytes);
    return test_host_post_bytes(host, port, bytes);
}

/* The next event of a process; false: there is none. */
static inline bool test_host_event(struct test_host *host, uint8_t port, struct dnp_event *event)
{
    struct dnp_register_file *registers = &host->card->registers;
    uint32_t begin = dnp_get(registers, DNP_REG_event_rd_ptr, port);
    const uint8_t *bytes = host->memory + dnp_get64(registers, DNP_REG_event_ring_base, port) +
                           (size_t)(begin % HOST_EVENTS) * APELINK_EVENT_SIZE;

    if (begin == dnp_get(registers, DNP_REG_event_wr_ptr, port)) {
        return false;
    }
    *event =
        (struct dnp_event){apelink_word_from(bytes), apelink_word_from(bytes + APELINK_WORD), port};
    dnp_set(registers, DNP_REG_event_rd_ptr, port, begin + 1);
    return true;
}

#endif
