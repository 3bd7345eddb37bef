/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "link/shm/shm.h"

/*
 * A word that the kernel changes when a process loses its memory. It is that of a robust mutex,
 * which the first thread of the process locks and never unlocks: when that thread ends or executes
 * a program, the kernel says so in the word before it takes the memory away, and so before the
 * process's number can mean another. (A thread that is not the first may be gone while the process
 * lives, and has another number after exec, by which the kernel does not find its locks.)
 *
 * The mutex is in a page of its own, which others map and cannot write to: a peer that wrote there
 * could lead the C library to write anywhere. It is never taken away, since only the thread that
 * has a robust mutex can take it off its list.
 *
 * Who finds the word unchanged after a copy knows that the process was still there when the kernel
 * looked its memory up. Who finds it changed, or has no such page, knows nothing: identity.c.
 */

#define LIFE_NAME  "apelink-life"
#define LIFE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)

#ifdef __GLIBC__

/* Tried, as it is held for ever: to a checker of the order of locks all others come behind it. */
static bool life_lock(struct ni_shm_life *life)
{
    pthread_mutexattr_t attr;
    bool locked;

    if (pthread_mutexattr_init(&attr) != 0) {
        return false;
    }
    locked = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0 &&
             pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0 &&
             pthread_mutex_init(&life->mutex, &attr) == 0 &&
             pthread_mutex_trylock(&life->mutex) == 0;
    (void)pthread_mutexattr_destroy(&attr);
    return locked;
}

/* The word of a mutex is the first of glibc's struct. */
static bool is_life_held(const struct ni_shm_life *life)
{
    uint32_t word = atomic_load_explicit(&life->holder, memory_order_relaxed);

    return (word & FUTEX_TID_MASK) != 0 && (word & FUTEX_OWNER_DIED) == 0;
}

#else

static bool life_lock(struct ni_shm_life *life)
{
    (void)life;
    return false;
}

static bool is_life_held(const struct ni_shm_life *life)
{
    (void)life;
    return false;
}

#endif

static bool life_fill(struct ni_shm_life *life, size_t page, uint64_t word)
{
    (void)madvise(life, page, MADV_DONTFORK);
    life->word = word;
    return life_lock(life) && is_life_held(life);
}

int ni_shm_life_begin(uint64_t word)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct ni_shm_life *life;
    int fd;

    if (syscall(SYS_gettid) != getpid()) {
        return -1;
    }
    fd = ni_shm_file_begin(LIFE_NAME);
    if (fd < 0) {
        return -1;
    }
    life = fchmod(fd, 0400) == 0 && page <= ni_shm_file_limit() &&
                   fallocate(fd, 0, 0, (off_t)page) == 0
               ? mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
               : MAP_FAILED;
    if (life == MAP_FAILED || !life_fill(life, page, word) ||
        fcntl(fd, F_ADD_SEALS, LIFE_SEALS) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

const struct ni_shm_life *ni_shm_life_map(const struct ni_shm_blob *blob, pid_t pid)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const struct ni_shm_life *life;
    char path[64];
    int fd, seals;

    if (blob->life == 0 || blob->life > INT_MAX) {
        return NULL;
    }
    snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)pid, blob->life - 1);
    fd = ni_shm_file_named(path, LIFE_NAME)
             ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
             : -1;
    if (fd < 0) {
        return NULL;
    }
    /* One that can be made smaller would have us die of SIGBUS. */
    seals = fcntl(fd, F_GET_SEALS);
    life = seals >= 0 && (seals & LIFE_SEALS) == LIFE_SEALS && lseek(fd, 0, SEEK_END) >= (off_t)page
               ? mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0)
               : MAP_FAILED;
    close(fd);
    if (life == MAP_FAILED) {
        return NULL;
    }
    if (life->word != blob->identity) {
        ni_shm_life_unmap(life);
        return NULL;
    }
    return life;
}

const struct ni_shm_life ni_shm_no_life;

void ni_shm_life_unmap(const struct ni_shm_life *life)
{
    if (life != NULL && life != &ni_shm_no_life) {
        (void)munmap((void *)(uintptr_t)life, (size_t)sysconf(_SC_PAGESIZE));
    }
}

bool ni_shm_life_lasts(const struct ni_shm_life *life)
{
    if (life == NULL) {
        return false;
    }
    /* What the kernel has copied was read before the word is: pairs with the kernel's change of the
     * word, which is before the end of the memory. */
    atomic_thread_fence(memory_order_acquire);
    return is_life_held(life);
}
