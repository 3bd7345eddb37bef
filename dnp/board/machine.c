/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers the driver of a virtual machine. */
#include "dnp/board/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/bits.h"
#include "dnp/board/machine_memory.h"

_Static_assert(APELINK_BAR_CHANNELS == DNP_CHANNELS, "channels of the BAR");
_Static_assert(APELINK_BAR_RING_MAX == DNP_RING_MAX, "entries of a ring");
_Static_assert(APELINK_BAR_PAGE == DNP_PAGE, "pages");
_Static_assert(sizeof(struct apelink_bar) <= APELINK_BAR_PAGE, "page 0");
_Static_assert(sizeof(struct apelink_bar_list) == APELINK_BAR_PAGE, "a list is a page");
_Static_assert(sizeof(struct apelink_bar_switches) <= APELINK_BAR_PAGE, "the page of switches");

static _Atomic(uint32_t) *word(__u32 *shared)
{
    return (_Atomic(uint32_t) *)shared;
}

static void leave(struct board_machine *machine, unsigned port)
{
    board_file_leave(&machine->file[port]);
    while (machine->buffers[port] != NULL) {
        struct board_buffer *buffer = machine->buffers[port];

        machine->buffers[port] = buffer->next;
        board_buffer_free(machine, buffer);
    }
}

static void leave_all(struct board_machine *machine)
{
    for (unsigned port = 0; port < APELINK_BAR_CHANNELS; port++) {
        leave(machine, port);
    }
}

/* Is it our memory in which the driver has written? */
static int do_reset(struct board_machine *machine, const struct apelink_bar_request *request)
{
    const uint64_t *probe;
    int status;

    leave_all(machine);
    board_machine_unmap(machine);
    status = board_machine_map(machine);
    if (status != 0) {
        return status;
    }
    probe = board_machine_at(machine, request->address, sizeof *probe);
    if (request->address % sizeof *probe != 0 || probe == NULL || *probe != request->probe) {
        ni_log(NI_LOG_ERROR,
               "apelink-board: %s is not the memory of the virtual machine, or not in one piece: "
               "QEMU needs -object memory-backend-file,share=on,mem-path=%s and at most 2 GiB",
               machine->memory_path, machine->memory_path);
        board_machine_unmap(machine);
        return -ENXIO;
    }
    return 0;
}

static bool rings_make_sense(const struct board_machine *machine,
                             const struct apelink_bar_request *request)
{
    return board_ring_makes_sense(request->tx_entries) &&
           board_ring_makes_sense(request->event_entries) &&
           board_machine_at(machine, request->tx_base,
                            (uint64_t)request->tx_entries * APELINK_COMMAND_SIZE) &&
           board_machine_at(machine, request->event_base,
                            (uint64_t)request->event_entries * APELINK_EVENT_SIZE);
}

static int do_open(struct board_machine *machine, struct apelink_bar_request *request)
{
    struct dnp_rings rings = {request->tx_base, request->event_base, request->tx_entries,
                              request->event_entries};
    struct board_file *file;
    int port;

    if (!rings_make_sense(machine, request)) {
        return -EINVAL;
    }
    port = board_device_free_port(machine->device);
    if (port < 0) {
        return port;
    }
    file = &machine->file[port];
    file->memory = machine->memory;
    file->memory_bytes = machine->memory_bytes;
    board_file_take(file, port, &rings);
    request->port = (uint32_t)port;
    return 0;
}

/* Whether a channel is open, and this machine's. */
static bool is_open(const struct board_machine *machine, uint32_t port)
{
    return port < APELINK_BAR_CHANNELS && machine->file[port].port >= 0;
}

static int do_close(struct board_machine *machine, const struct apelink_bar_request *request)
{
    if (!is_open(machine, request->port)) {
        return -ENXIO;
    }
    leave(machine, request->port);
    return 0;
}

static struct apelink_bar_switches *switches(const struct board_machine *machine)
{
    return (void *)((uint8_t *)machine->bar + (1 + APELINK_BAR_CHANNELS) * DNP_PAGE);
}

/* The card knows it by these pages. */
static ni_status add_buffer(struct board_machine *machine,
                            const struct apelink_bar_request *request, struct board_buffer *buffer)
{
    unsigned access = ((request->access & APELINK_ACCESS_READ) != 0 ? NI_ACCESS_READ : 0) |
                      ((request->access & APELINK_ACCESS_WRITE) != 0 ? NI_ACCESS_WRITE : 0);
    const uint32_t *on = request->switched == 0
                             ? NULL
                             : &switches(machine)->on[request->port][request->switched - 1];

    return dnp_buffers_add_switched(&machine->device->card->buffers, (uint8_t)request->port,
                                    request->address, request->len, access, buffer->page, on,
                                    &buffer->handle);
}

static int do_register(struct board_machine *machine, struct apelink_bar_request *request)
{
    uint32_t all = APELINK_ACCESS_READ | APELINK_ACCESS_WRITE, access = request->access;
    struct board_buffer *buffer;
    uint64_t count;
    int status;

    if (!is_open(machine, request->port)) {
        return -ENXIO;
    }
    if (request->len == 0 || !ni_range_within(request->address, request->len, INT64_MAX) ||
        (access & ~all) != 0 || request->switched > APELINK_BAR_SWITCHES) {
        return -EINVAL;
    }
    count = (request->address + request->len - 1) / DNP_PAGE - request->address / DNP_PAGE + 1;
    buffer = board_buffer_new(machine, count, &status);
    if (buffer == NULL) {
        return status;
    }
    status = board_buffer_read(machine, request->list, buffer);
    if (status == 0 && add_buffer(machine, request, buffer) != NI_OK) {
        status = -ENOSPC;
    }
    if (status != 0) {
        board_buffer_free(machine, buffer);
        return status;
    }
    buffer->next = machine->buffers[request->port];
    machine->buffers[request->port] = buffer;
    request->handle = buffer->handle;
    return 0;
}

static int do_deregister(struct board_machine *machine, const struct apelink_bar_request *request)
{
    struct board_buffer **link, *buffer;

    if (!is_open(machine, request->port)) {
        return -ENXIO;
    }
    link = &machine->buffers[request->port];
    while (*link != NULL && (*link)->handle != request->handle) {
        link = &(*link)->next;
    }
    buffer = *link;
    if (buffer == NULL) {
        return -ENOENT;
    }
    *link = buffer->next;
    (void)dnp_buffers_remove(&machine->device->card->buffers, (uint8_t)request->port,
                             buffer->handle);
    board_buffer_free(machine, buffer);
    return 0;
}

static int answer(struct board_machine *machine, struct apelink_bar_request *request)
{
    switch (request->operation) {
    case APELINK_BAR_RESET:
        return do_reset(machine, request);
    case APELINK_BAR_FEATURES:
        board_device_features(machine->device, &request->features);
        return 0;
    case APELINK_BAR_OPEN:
        return do_open(machine, request);
    case APELINK_BAR_CLOSE:
        return do_close(machine, request);
    case APELINK_BAR_REGISTER:
        return do_register(machine, request);
    case APELINK_BAR_DEREGISTER:
        return do_deregister(machine, request);
    case APELINK_BAR_READ:
        return board_device_read(machine->device, request->offset, &request->value);
    case APELINK_BAR_WRITE:
        return board_device_write(machine->device, request->offset, request->value);
    default:
        return -EOPNOTSUPP;
    }
}

bool board_machine_rung(struct board_machine *machine)
{
    struct apelink_bar *bar = machine->bar;
    struct apelink_bar_request request;
    /* Pairs with the driver's release: the request is there. */
    uint32_t posted = atomic_load_explicit(word(&bar->posted), memory_order_acquire);

    if (atomic_load_explicit(word(&bar->master), memory_order_acquire) == 0) {
        leave_all(machine);
    }
    if (posted == bar->answered) {
        return false;
    }
    memcpy(&request, &bar->request, sizeof request); /* once: the driver may change it */
    request.status = answer(machine, &request);
    memcpy(&bar->request, &request, sizeof request);
    /* Pairs with the driver's acquire: the answer is there. */
    atomic_store_explicit(word(&bar->answered), posted, memory_order_release);
    return true;
}

unsigned board_machine_wanted(struct board_machine *machine, unsigned news)
{
    unsigned wanted = 0;

    /* Pairs with the driver's, between wanted and event_wr_ptr: one of us sees the other. */
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned port = 0; port < APELINK_BAR_CHANNELS; port++) {
        _Atomic(uint32_t) *want = word(&machine->bar->wanted[port]);

        if ((news & 1U << port) != 0 && is_open(machine, port) &&
            atomic_load_explicit(want, memory_order_relaxed) != 0) {
            atomic_store_explicit(want, 0, memory_order_relaxed);
            wanted |= 1U << port;
        }
    }
    return wanted;
}

void board_machine_beat(struct board_machine *machine)
{
    _Atomic(uint32_t) *beat = word(&machine->bar->beat);

    atomic_fetch_add_explicit(beat, 1, memory_order_relaxed);
}

void board_machine_reset(struct board_machine *machine)
{
    struct apelink_bar *bar = machine->bar;

    leave_all(machine);
    board_machine_unmap(machine);
    memset(bar, 0, sizeof *bar);
    bar->version = APELINK_BAR_VERSION;
    bar->channels = APELINK_BAR_CHANNELS;
    bar->there = 1;
    /* Pairs with the driver's acquire: the rest is there. */
    atomic_store_explicit((_Atomic(uint64_t) *)&bar->magic, APELINK_BAR_MAGIC,
                          memory_order_release);
}

int board_machine_open(struct board_machine *machine, struct board_device *device,
                       const char *memory_path)
{
    void *bar;

    *machine = (struct board_machine){.device = device, .memory_path = memory_path};
    machine->bar_fd = memfd_create("apelink-bar", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (machine->bar_fd < 0 || ftruncate(machine->bar_fd, APELINK_BAR_BYTES) != 0 ||
        fcntl(machine->bar_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        return -errno;
    }
    bar = mmap(NULL, APELINK_BAR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, machine->bar_fd, 0);
    if (bar == MAP_FAILED) {
        return -errno;
    }
    machine->bar = bar;
    device->moving = &switches(machine)->moving;
    for (unsigned port = 0; port < APELINK_BAR_CHANNELS; port++) {
        machine->file[port] = (struct board_file){
            .device = device,
            .doorbell = (struct apelink_doorbell *)((uint8_t *)bar + (1 + port) * DNP_PAGE),
            .memory_fd = -1,
            .port = -1,
            .writable = true,
            .physical = true,
            .master = &machine->bar->master,
            .process.memory = -1,
        };
    }
    board_machine_reset(machine);
    return 0;
}

void board_machine_close(struct board_machine *machine)
{
    if (machine->bar != NULL) {
        leave_all(machine);
        board_machine_unmap(machine);
        atomic_store_explicit(word(&machine->bar->there), 0, memory_order_release);
        machine->device->moving = NULL;
        munmap(machine->bar, APELINK_BAR_BYTES);
    }
    if (machine->bar_fd >= 0) {
        close(machine->bar_fd);
    }
    machine->bar = NULL;
    machine->bar_fd = -1;
}
