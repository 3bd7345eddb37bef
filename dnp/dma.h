/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_DMA_H
#define DNP_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * How a card reaches the memory of its host. The card asks, the one who has the card does it, at
 * once or later. A channel does one transfer at a time. The numbers are those of APEnet+ 3.1.1.3.
 */

enum dnp_dma_channel {
    DNP_DMA_TX0 = 0,
    DNP_DMA_TX1 = 1,
    DNP_DMA_FETCH = 2, /* command packets; ours, the paper gives it no number */
    DNP_DMA_RX = 6,
    DNP_DMA_EVENT = 7,
    DNP_DMA_CHANNELS = 8,
};

enum { DNP_PAGE = 4096, DNP_SEGMENTS = 2 }; /* a payload touches two pages at most */

struct dnp_dma {
    enum dnp_dma_channel channel;
    uint8_t port; /* the process whose memory it is */
    bool write;   /* into host memory */
    struct {
        uint64_t address; /* physical */
        uint32_t len;     /* bytes; 0: there is no such segment */
    } segment[DNP_SEGMENTS];
    uint8_t *data; /* of the card; stays until the transfer has ended */
};

/* start: NI_OK: it is done. NI_INPROGRESS: dnp_dma_end will be called, not from within start. Any
 * other: it failed, and bytes may have moved. */
struct dnp_host {
    ni_status (*start)(void *arg, const struct dnp_dma *dma);
    void *arg;
};

/* The channels of a card. */
struct dnp_dma_engine {
    const struct dnp_host *host;
    bool busy[DNP_DMA_CHANNELS];
    ni_status status[DNP_DMA_CHANNELS]; /* of the last transfer that has ended */
};

/* The channel must not be busy. */
static inline void dnp_dma_start(struct dnp_dma_engine *engine, const struct dnp_dma *dma)
{
    ni_status status = engine->host->start(engine->host->arg, dma);

    engine->busy[dma->channel] = status == NI_INPROGRESS;
    engine->status[dma->channel] = status;
}

/* A transfer that was NI_INPROGRESS has ended. One that nobody waits for is ignored. */
static inline void dnp_dma_end(struct dnp_dma_engine *engine, enum dnp_dma_channel channel,
                               ni_status status)
{
    if (engine->busy[channel]) {
        engine->busy[channel] = false;
        engine->status[channel] = status;
    }
}

#endif
