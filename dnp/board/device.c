/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and doorbells of a device. */
#include "dnp/board/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "dnp/channel.h"

void board_device_init(struct board_device *device, struct dnp_card *card)
{
    *device = (struct board_device){.card = card};
}

/* Rings are in the memory that we share with the program: its offsets are physical addresses. */
static ni_status copy_ring(const struct board_file *file, const struct dnp_dma *dma)
{
    uint64_t at = dma->segment[0].address;
    uint32_t len = dma->segment[0].len;

    if (!ni_range_within(at, len, BOARD_MEMORY)) {
        return NI_ERR_BOUNDS;
    }
    memcpy(dma->write ? file->memory + at : dma->data, dma->write ? dma->data : file->memory + at,
           len);
    return NI_OK;
}

ni_status board_device_dma(void *arg, const struct dnp_dma *dma)
{
    const struct board_device *device = arg;
    const struct board_file *file = device->channel[dma->port];
    uint8_t *data = dma->data;

    if (file == NULL) {
        return NI_ERR_PEER_CLOSED;
    }
    if (dma->channel == DNP_DMA_FETCH || dma->channel == DNP_DMA_EVENT) {
        return copy_ring(file, dma);
    }
    for (unsigned i = 0; i < DNP_SEGMENTS; i++) {
        if (!board_process_copy(&file->process, dma->write, dma->segment[i].address, data,
                                dma->segment[i].len)) {
            return NI_ERR_BOUNDS;
        }
        data += dma->segment[i].len;
    }
    return NI_OK;
}

static struct apelink_doorbell *doorbell(const struct board_file *file)
{
    return (struct apelink_doorbell *)(file->memory + BOARD_DOORBELL_KEY);
}

/* Pairs with the program's release of wr_ptr: command packets lie in the ring. */
static uint32_t load(const __u32 *word)
{
    return atomic_load_explicit((const _Atomic(uint32_t) *)word, memory_order_acquire);
}

/* Pairs with the program's acquire of event_wr_ptr and rd_ptr. */
static void store(__u32 *word, uint32_t value)
{
    atomic_store_explicit((_Atomic(uint32_t) *)word, value, memory_order_release);
}

bool board_device_look(struct board_device *device)
{
    struct dnp_register_file *registers = &device->card->registers;
    bool rung = false;

    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        const struct board_file *file = device->channel[port];
        uint32_t wr_ptr, event_rd_ptr;

        if (file == NULL) {
            continue;
        }
        wr_ptr = load(&doorbell(file)->wr_ptr);
        event_rd_ptr = load(&doorbell(file)->event_rd_ptr);
        rung = rung || wr_ptr != dnp_get(registers, DNP_REG_wr_ptr, port) ||
               event_rd_ptr != dnp_get(registers, DNP_REG_event_rd_ptr, port);
        dnp_set(registers, DNP_REG_wr_ptr, port, wr_ptr);
        dnp_set(registers, DNP_REG_event_rd_ptr, port, event_rd_ptr);
    }
    return rung;
}

unsigned board_device_tell(struct board_device *device)
{
    const struct dnp_register_file *registers = &device->card->registers;
    unsigned news = 0;

    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        struct board_file *file = device->channel[port];
        uint32_t event_wr_ptr;

        if (file == NULL) {
            continue;
        }
        event_wr_ptr = dnp_get(registers, DNP_REG_event_wr_ptr, port);
        news |= event_wr_ptr != file->event_wr_ptr ? 1U << port : 0;
        file->event_wr_ptr = event_wr_ptr;
        store(&doorbell(file)->event_lost, dnp_get(registers, DNP_REG_event_lost, port));
        store(&doorbell(file)->tx_refused, dnp_get(registers, DNP_REG_tx_refused, port));
        store(&doorbell(file)->rd_ptr, dnp_get(registers, DNP_REG_rd_ptr, port));
        store(&doorbell(file)->event_wr_ptr, event_wr_ptr);
    }
    return news;
}

bool board_device_used(const struct board_device *device)
{
    for (unsigned port = 0; port < DNP_CHANNELS; port++) {
        if (device->channel[port] != NULL) {
            return true;
        }
    }
    return false;
}

int board_file_open(struct board_device *device, struct board_file *file, bool writable)
{
    void *memory;
    int error;

    *file = (struct board_file){
        .device = device, .port = -1, .writable = writable, .process.memory = -1};
    file->memory_fd = memfd_create("apelink", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file->memory_fd < 0 || ftruncate(file->memory_fd, BOARD_MEMORY) != 0 ||
        fcntl(file->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        goto failed;
    }
    memory = mmap(NULL, BOARD_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, file->memory_fd, 0);
    if (memory == MAP_FAILED) {
        goto failed;
    }
    file->memory = memory;
    return 0;

failed:
    error = errno;
    if (file->memory_fd >= 0) {
        close(file->memory_fd);
    }
    return -error;
}

void board_file_leave(struct board_file *file)
{
    if (file->port >= 0) {
        file->device->channel[file->port] = NULL;
        dnp_channel_close(file->device->card, (uint8_t)file->port);
    }
    file->port = -1;
    file->event_wr_ptr = 0;
    board_process_close(&file->process);
}

void board_file_close(struct board_file *file)
{
    board_file_leave(file);
    munmap(file->memory, BOARD_MEMORY);
    close(file->memory_fd);
}

bool board_file_has_events(const struct board_file *file)
{
    return file->port >= 0 && file->event_wr_ptr != load(&doorbell(file)->event_rd_ptr);
}

bool board_file_waited(const struct board_file *file, struct apelink_wait *wait)
{
    wait->event_wr_ptr = file->event_wr_ptr;
    return wait->event_wr_ptr != wait->seen;
}
