/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables through memory. */
#include "dnp/board/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { RINGS = 2 };

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

/* 0, or what is wrong with the file. */
static int judge(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode) ||
        (status.st_size != 0 &&
         status.st_size != (off_t)(RINGS * sizeof(struct board_memory_ring)))) {
        return EINVAL;
    }
    return status.st_uid != geteuid() || (status.st_mode & 077) != 0 ? EACCES : 0;
}

/* An end belongs to who has locked its byte, until that board has ended. */
static int lock_end(int file, unsigned end)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = end, .l_len = 1};

    if (fcntl(file, F_OFD_SETLK, &lock) == 0) {
        return 0;
    }
    return errno == EAGAIN ? EBUSY : errno;
}

static int map(struct board_memory *memory, unsigned end, const char *path)
{
    void *at;
    int error;

    memory->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    error = memory->file < 0 ? errno : judge(memory->file);
    if (error == 0) {
        error = lock_end(memory->file, end);
    }
    if (error == 0 && ftruncate(memory->file, RINGS * sizeof *memory->map) != 0) {
        error = errno;
    }
    if (error != 0) {
        return error;
    }
    at = mmap(NULL, RINGS * sizeof *memory->map, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file,
              0);
    if (at == MAP_FAILED) {
        return errno;
    }
    memory->map = at;
    memory->out = memory->map + end;
    memory->in = memory->map + !end;
    memory->filled = atomic_load_explicit(&memory->out->filled, memory_order_relaxed);
    memory->taken = atomic_load_explicit(&memory->in->taken, memory_order_relaxed);
    return 0;
}

static int open_bell(struct board_memory *memory)
{
    struct sockaddr_un address = address_of(memory->here);

    memory->bell = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    unlink(memory->here); /* left behind: the end is ours */
    return memory->bell < 0 ||
                   bind(memory->bell, (const struct sockaddr *)&address, sizeof address) != 0
               ? errno
               : 0;
}

ni_status board_memory_open(struct board_memory *memory, unsigned link, const char *path)
{
    unsigned end = link % 2;
    int error;

    *memory = (struct board_memory){.file = -1, .bell = -1};
    error = map(memory, end, path);
    if (error == 0) {
        snprintf(memory->here, sizeof memory->here, "%s%c", path, "+-"[end]);
        snprintf(memory->there, sizeof memory->there, "%s%c", path, "-+"[end]);
        error = open_bell(memory);
    }
    if (error != 0) {
        board_memory_close(memory);
        errno = error;
        return NI_ERR_SYSTEM;
    }
    return NI_OK;
}

void board_memory_close(struct board_memory *memory)
{
    if (memory->map == NULL) {
        if (memory->file >= 0) {
            close(memory->file);
        }
        memory->file = -1;
        return;
    }
    if (memory->bell >= 0) {
        close(memory->bell);
        unlink(memory->here);
    }
    munmap(memory->map, RINGS * sizeof *memory->map);
    close(memory->file);
    *memory = (struct board_memory){.file = -1, .bell = -1};
}

struct board_memory_frame *board_memory_room(struct board_memory *memory)
{
    /* Pairs with the release of board_memory_done: nobody reads the frame any more. */
    uint32_t taken = atomic_load_explicit(&memory->out->taken, memory_order_acquire);
    uint32_t held = memory->filled - taken;

    return held < BOARD_MEMORY_FRAMES ? &memory->out->frame[memory->filled % BOARD_MEMORY_FRAMES]
                                      : NULL;
}

/* A datagram that finds no room finds another that wakes. */
static void wake(const struct board_memory *memory)
{
    struct sockaddr_un address = address_of(memory->there);

    (void)!sendto(memory->bell, "", 1, 0, (const struct sockaddr *)&address, sizeof address);
}

void board_memory_send(struct board_memory *memory)
{
    atomic_store_explicit(&memory->out->filled, ++memory->filled, memory_order_release);
    /* Against board_memory_sleep: it sees the frame, or we see that it sleeps. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&memory->out->sleeps, memory_order_relaxed) != 0) {
        atomic_store_explicit(&memory->out->sleeps, 0, memory_order_relaxed);
        wake(memory);
    }
}

const struct board_memory_frame *board_memory_next(struct board_memory *memory)
{
    /* Pairs with the release of board_memory_send: the frame is filled. */
    uint32_t filled = atomic_load_explicit(&memory->in->filled, memory_order_acquire);
    uint32_t there = filled - memory->taken;

    if (there > BOARD_MEMORY_FRAMES) { /* no board writes that */
        memory->taken = filled;
        atomic_store_explicit(&memory->in->taken, filled, memory_order_release);
        return NULL;
    }
    return there > 0 ? &memory->in->frame[memory->taken % BOARD_MEMORY_FRAMES] : NULL;
}

void board_memory_done(struct board_memory *memory)
{
    atomic_store_explicit(&memory->in->taken, ++memory->taken, memory_order_release);
}

bool board_memory_sleep(struct board_memory *memory)
{
    atomic_store_explicit(&memory->in->sleeps, 1, memory_order_relaxed);
    /* Against board_memory_send. */
    atomic_thread_fence(memory_order_seq_cst);
    return board_memory_next(memory) == NULL;
}

void board_memory_hear(struct board_memory *memory)
{
    char byte;

    while (recv(memory->bell, &byte, 1, 0) >= 0) {
    }
}

void board_memory_awake(struct board_memory *memory)
{
    atomic_store_explicit(&memory->in->sleeps, 0, memory_order_relaxed);
}
