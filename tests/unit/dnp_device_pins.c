/* SPDX-License-Identifier: BSD-3-Clause */
/* Of dnp_device_memory: what may be registered, how much of it is pinned, and what that costs. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <apeni/status.h>

#include "dnp_device_memory.h"

enum { TURNS = 300 };
#define HUGE_SIZE (1ULL << 39) /* the list of its pages alone would be 1 GiB */

/* It fails, with this negative errno. */
static void fails(const void *address, size_t len, uint32_t access, int error, const char *what)
{
    uint32_t handle;
    int got = apelink_client_register(&device, address, len, access, &handle);

    errno = -got;
    check(got == error, what);
}

static bool is_kernel(void)
{
    return (device.features.features & APELINK_FEATURE_KERNEL) != 0;
}

/* What was allowed when it was pinned says nothing of now. */
void protected(void)
{
    uint8_t *here = map_at(NULL, 4 * PAGE);
    uint32_t handle = reg(here, 4 * PAGE, APELINK_ACCESS_WRITE);

    dereg(handle);
    check(mprotect(here + PAGE, PAGE, PROT_READ) == 0, "mprotect");
    fails(here, 4 * PAGE, APELINK_ACCESS_WRITE, -EFAULT, "what can only be read may be written");
    handle = reg(here, 4 * PAGE, APELINK_ACCESS_READ);
    check(sees(here, 4 * PAGE), "not the bytes of what can only be read");
    dereg(handle);
    check(mprotect(here + PAGE, PAGE, PROT_NONE) == 0, "mprotect");
    fails(here, 4 * PAGE, APELINK_ACCESS_READ, -EFAULT, "what cannot be read may be read");
    check(mprotect(here + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
    dereg(reg(here, 4 * PAGE, APELINK_ACCESS_WRITE));
    munmap(here, 4 * PAGE);
}

/* Memory with a hole, which is filled later. */
void holed(void)
{
    uint8_t *here = map_at(NULL, 4 * PAGE);

    check(munmap(here + 2 * PAGE, PAGE) == 0, "munmap");
    fails(here, 4 * PAGE, APELINK_ACCESS_READ, -EFAULT, "a hole may be read");
    fails(here + PAGE, PAGE + 1, APELINK_ACCESS_WRITE, -EFAULT, "a hole may be written");
    check(get(here, 8) == -NI_ERR_ACCESS, "what was refused can be read");
    map_at(here + 2 * PAGE, PAGE);
    fill(here, 4 * PAGE, 5);
    dereg(reg(here, 4 * PAGE, APELINK_ACCESS_WRITE));
    munmap(here, 4 * PAGE);
}

static _Atomic(bool) ended;

static void *gives_back(void *page)
{
    for (unsigned i = 0; !atomic_load_explicit(&ended, memory_order_relaxed); i++) {
        *(volatile uint8_t *)page = (uint8_t)i;
        (void)madvise(page, PAGE, MADV_DONTNEED);
    }
    return NULL;
}

/* Memory that is given back while it is registered: afterwards nothing of it is found. */
void raced(void)
{
    uint8_t *here = map_at(NULL, PAGE);
    pthread_t thread;

    atomic_store_explicit(&ended, false, memory_order_relaxed);
    check(pthread_create(&thread, NULL, gives_back, here) == 0, "a thread");
    for (unsigned i = 0; i < TURNS; i++) {
        dereg(reg(here, PAGE, APELINK_ACCESS_WRITE));
    }
    atomic_store_explicit(&ended, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    fill(here, PAGE, 7);
    dereg(reg(here, PAGE, APELINK_ACCESS_READ));
    (void)reg(here, PAGE, APELINK_ACCESS_READ);
    check(sees(here, PAGE), "not the bytes of memory that was given back meanwhile");
    munmap(here, PAGE);
}

/* An answer that the program cannot get: nothing is left. A process that serves the device never
 * hears of that. */
void unheard(void)
{
    struct apelink_register *buffer = map_at(NULL, PAGE);

    *buffer = (struct apelink_register){.size = sizeof *buffer,
                                        .address = (uintptr_t)memory,
                                        .len = PAGE,
                                        .access = APELINK_ACCESS_READ};
    check(mprotect(buffer, PAGE, PROT_READ) == 0, "mprotect");
    check(ioctl(device.fd, APELINK_REGISTER, buffer) < 0 && errno == EFAULT, "an answer");
    check(!is_kernel() || get(memory, 8) == -NI_ERR_ACCESS, "a buffer is left");
    munmap(buffer, PAGE);
}

/* Before any page is pinned, and with less memory than a list of the pages would take. */
static void too_much(void)
{
    void *huge = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (huge != MAP_FAILED && is_kernel()) {
        fails(huge, HUGE_SIZE, APELINK_ACCESS_WRITE, -ENOMEM, "all memory is pinned");
    }
    if (huge != MAP_FAILED) {
        munmap(huge, HUGE_SIZE);
    }
}

/* A mapped file that ends before its map: what was pinned until then is not. */
static void beyond(void)
{
    int fd = memfd_create("beyond", MFD_CLOEXEC);
    void *here;

    check(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0, "a file");
    here = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(here != MAP_FAILED, "a map");
    if (is_kernel()) {
        fails(here, 4 * PAGE, APELINK_ACCESS_WRITE, -EFAULT, "pages that a file does not have");
    }
    munmap(here, 4 * PAGE);
    close(fd);
}

/* Besides four pages of the window each buffer is one page; those in use count, and none in the
 * cache stands in the way. */
void limited(void)
{
    struct rlimit limit = {20 * PAGE, 20 * PAGE};
    uint32_t handle[20];
    unsigned n = 0;

    (void)reg(window, 4 * PAGE, APELINK_ACCESS_WRITE);
    check(setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && setuid(1000) == 0, "a limit");
    too_much();
    beyond();
    holed();
    protected();
    for (unsigned turn = 0; turn < 2; turn++) {
        int error = 0;

        for (n = 0; n < 20 && error == 0; n += error == 0) {
            error = apelink_client_register(&device, memory + 2 * n * PAGE, PAGE,
                                            APELINK_ACCESS_READ, &handle[n]);
        }
        check(is_kernel() ? n == 16 && error == -ENOMEM : n == 20,
              "not as many pages as the limit says");
        while (n > 0) {
            dereg(handle[--n]);
        }
        memory += PAGE;
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The least time of registering 1 MiB and giving it back, when it is found and when it is not: what
 * MADV_DONTNEED has taken is not found, and is touched before. */
static uint64_t cost(bool found)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < 16; i++) {
        uint64_t begin, took;

        if (!found) {
            check(madvise(memory, 1 << 20, MADV_DONTNEED) == 0, "madvise");
        }
        memset(memory, 1, 1 << 20);
        begin = now_ns();
        dereg(reg(memory, 1 << 20, APELINK_ACCESS_WRITE));
        took = now_ns() - begin;
        least = took < least ? took : least;
    }
    return least;
}

void costs(void)
{
    uint64_t other = cost(false), found = cost(true);

    printf("to register 1 MiB: %llu ns, found: %llu ns\n", (unsigned long long)other,
           (unsigned long long)found);
}
