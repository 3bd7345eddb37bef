/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/random.h"
#include "link/shm/shm.h"

/*
 * Who a process is. Its number is no answer: a program that is executed keeps it, and that of a
 * dead process is given to another. What a process loses in both cases is its memory. So each has a
 * page there that says who it is, and each copy by the kernel has that page as the first part of
 * what it reads or writes. The kernel looks up the memory once for a call and copies the parts in
 * their order: either all of them are of the process that gave out the blob, or the call fails.
 *
 * A copy from the process reads a random word, and the process that reads it compares. A copy to it
 * cannot compare; it writes beside that word, and goes on only if there is memory. So the address
 * is random, too, far from where the kernel places anything by itself. A child that is forked does
 * not get the page: it may have its parent's number one day.
 *
 * To look up a page more takes a third of a microsecond. So a copy goes without it where the kernel
 * tells what becomes of a process (life.c), which is looked at before and after. What was read is
 * as certain then. What is written could reach another program only if the process becomes that
 * between the look and the kernel's own, a few instructions later, and has memory at the same
 * address.
 */

/* From here on, so many bytes: between the program and the libraries of 64-bit systems. A system
 * with less address space chooses by itself. */
#define PLACES      UINT64_C(0x110000000000)
#define PLACES_SIZE UINT64_C(0x300000000000)

/* Of this process. The registry is locked. */
static struct {
    pid_t pid; /* that has it; another's after fork */
    uint64_t address;
    uint64_t word;
    int life; /* descriptor, or -1 */
} self;

static bool make_identity(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t place = PLACES + ni_random_key() % PLACES_SIZE / page * page;
    struct ni_shm_identity *identity = mmap((void *)(uintptr_t)place, page, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (identity == MAP_FAILED) {
        return false;
    }
    (void)madvise(identity, page, MADV_DONTFORK);
    identity->word = ni_random_key();
    self.pid = getpid();
    self.address = (uintptr_t)identity;
    self.word = identity->word;
    self.life = ni_shm_life_begin(self.word);
    return true;
}

ni_status ni_shm_identity_tell(struct ni_shm_blob *blob)
{
    bool made;

    ni_shm_registry_lock();
    made = self.pid == getpid() || make_identity();
    blob->identity_address = self.address;
    blob->identity = self.word;
    blob->life = made ? (uint32_t)(self.life + 1) : 0;
    ni_shm_registry_unlock();
    if (!made) {
        ni_log(NI_LOG_ERROR, "out of memory");
    }
    return made ? NI_OK : NI_ERR_NOMEM;
}

/* The bytes and nothing else. */
static ssize_t copy_alone(pid_t pid, enum ni_copy_direction direction, void *local, uint64_t remote,
                          size_t len)
{
    const struct iovec here = {.iov_base = local, .iov_len = len};
    const struct iovec there = {.iov_base = (void *)(uintptr_t)remote, .iov_len = len};

    return direction == NI_COPY_FROM_PEER ? process_vm_readv(pid, &here, 1, &there, 1, 0)
                                          : process_vm_writev(pid, &here, 1, &there, 1, 0);
}

static ssize_t copy_beside_page(const struct ni_shm_blob *blob, pid_t pid,
                                enum ni_copy_direction direction, void *local, uint64_t remote,
                                size_t len)
{
    bool reads = direction == NI_COPY_FROM_PEER;
    uint64_t word = 0;
    uint64_t part = blob->identity_address + (reads ? offsetof(struct ni_shm_identity, word)
                                                    : offsetof(struct ni_shm_identity, scratch));
    const struct iovec here[2] = {{.iov_base = &word, .iov_len = sizeof(word)},
                                  {.iov_base = local, .iov_len = len}};
    const struct iovec there[2] = {{.iov_base = (void *)(uintptr_t)part, .iov_len = sizeof(word)},
                                   {.iov_base = (void *)(uintptr_t)remote, .iov_len = len}};
    ssize_t n = reads ? process_vm_readv(pid, here, 2, there, 2, 0)
                      : process_vm_writev(pid, here, 2, there, 2, 0);

    if (n < 0) {
        /* A process whose first thread has ended has no memory for the kernel, either. */
        errno = errno == EFAULT || errno == ESRCH ? ENXIO : errno;
        return -1;
    }
    if (n < (ssize_t)sizeof(word) || (reads && word != blob->identity)) {
        errno = ESRCH;
        return -1;
    }
    return n - (ssize_t)sizeof(word);
}

ssize_t ni_shm_identity_copy(const struct ni_shm_blob *blob, const struct ni_shm_life *life,
                             pid_t pid, enum ni_copy_direction direction, void *local,
                             uint64_t remote, size_t len)
{
    if (len != 0 && ni_shm_life_lasts(life)) {
        ssize_t n = copy_alone(pid, direction, local, remote, len);

        if (ni_shm_life_lasts(life)) {
            return n;
        }
    }
    return copy_beside_page(blob, pid, direction, local, remote, len);
}

bool ni_shm_identity_lost(const struct ni_shm_blob *blob)
{
    return copy_beside_page(blob, (pid_t)blob->pid, NI_COPY_FROM_PEER, NULL, 0, 0) < 0 &&
           (errno == ESRCH || errno == ENXIO);
}
