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
#include "base/clock.h"

enum { SEEN_NS = 1000000 }; /* until a process is looked for again */

void board_device_init(struct board_device *device, struct dnp_card *card)
{
    *device = (struct board_device){.card = card};
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

/* Whether a process of which memory is mapped here is there, as of a moment ago: one that has ended
 * or executes another program has given it up. */
static bool is_there(struct board_file *file)
{
    uint64_t now = ni_now_ns();

    if (now - file->seen_ns > SEEN_NS) {
        if (!board_process_there(&file->process)) {
            return false;
        }
        file->seen_ns = now;
    }
    return true;
}

/* A segment in memory that we share, or in that of the process. */
static bool copy(struct board_file *file, bool shared, bool write, uint64_t address, uint32_t len,
                 uint8_t *data)
{
    uint64_t at = address & ~BOARD_READ_ONLY;

    if (!shared && (address & BOARD_MAPPED) != 0) {
        return len == 0 ||
               (is_there(file) && board_maps_copy(&file->maps, write, address, data, len));
    }
    if (!shared) {
        return board_process_copy(&file->process, write, address, data, len);
    }
    if (!ni_range_within(at, len, file->memory_bytes) || (write && at != address)) {
        return false;
    }
    memcpy(write ? file->memory + at : data, write ? data : file->memory + at, len);
    return true;
}

/* Pages of a process that follow each other are one: each copy is a system call. */
static void join(struct dnp_dma *dma)
{
    if (dma->segment[0].address + dma->segment[0].len == dma->segment[1].address) {
        dma->segment[0].len += dma->segment[1].len;
        dma->segment[1].len = 0;
    }
}

ni_status board_device_dma(void *arg, const struct dnp_dma *dma)
{
    const struct board_device *device = arg;
    struct board_file *file = device->channel[dma->port];
    struct dnp_dma parts = *dma;
    uint8_t *data = dma->data;
    bool shared;

    if (file == NULL || (file->master != NULL && load(file->master) == 0)) {
        return NI_ERR_PEER_CLOSED;
    }
    shared = file->physical || dma->channel == DNP_DMA_FETCH || dma->channel == DNP_DMA_EVENT;
    if (!shared) {
        join(&parts);
    }
    for (unsigned i = 0; i < DNP_SEGMENTS; i++) {
        if (!copy(file, shared, dma->write, parts.segment[i].address, parts.segment[i].len, data)) {
            return NI_ERR_BOUNDS;
        }
        data += parts.segment[i].len;
    }
    return NI_OK;
}

void board_device_moves(struct board_device *device, bool begins)
{
    if (device->moving == NULL) {
        return;
    }
    /* The driver sees by it that we read a switch later, or have ended; pairs with its acquire. */
    store(device->moving, ++device->moves);
    if (begins) {
        /* Against the driver's, between a switch and moving: one of us sees the other. */
        atomic_thread_fence(memory_order_seq_cst);
    }
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
        wr_ptr = load(&file->doorbell->wr_ptr);
        event_rd_ptr = load(&file->doorbell->event_rd_ptr);
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
        store(&file->doorbell->event_lost, dnp_get(registers, DNP_REG_event_lost, port));
        store(&file->doorbell->tx_refused, dnp_get(registers, DNP_REG_tx_refused, port));
        store(&file->doorbell->rd_ptr, dnp_get(registers, DNP_REG_rd_ptr, port));
        store(&file->doorbell->event_wr_ptr, event_wr_ptr);
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
    file->memory_bytes = BOARD_MEMORY;
    file->doorbell = (struct apelink_doorbell *)(file->memory + BOARD_DOORBELL_KEY);
    return 0;

failed:
    error = errno;
    if (file->memory_fd >= 0) {
        close(file->memory_fd);
    }
    return -error;
}

int board_device_free_port(const struct board_device *device)
{
    for (uint8_t port = 0; port < DNP_CHANNELS; port++) {
        if (device->channel[port] == NULL && dnp_channel_idle(device->card, port)) {
            return port;
        }
    }
    return -EBUSY;
}

bool board_ring_makes_sense(uint32_t entries)
{
    return ni_is_pow2(entries) && entries <= DNP_RING_MAX;
}

void board_file_take(struct board_file *file, int port, const struct dnp_rings *rings)
{
    memset(file->doorbell, 0, sizeof *file->doorbell);
    dnp_channel_open(file->device->card, (uint8_t)port, rings);
    file->device->channel[port] = file;
    file->port = port;
}

void board_file_leave(struct board_file *file)
{
    if (file->port >= 0) {
        file->device->channel[file->port] = NULL;
        dnp_channel_close(file->device->card, (uint8_t)file->port);
    }
    file->port = -1;
    file->event_wr_ptr = 0;
    board_maps_clear(&file->maps);
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
    return file->port >= 0 && file->event_wr_ptr != load(&file->doorbell->event_rd_ptr);
}

bool board_file_waited(const struct board_file *file, struct apelink_wait *wait)
{
    wait->event_wr_ptr = file->event_wr_ptr;
    return wait->event_wr_ptr != wait->seen;
}
