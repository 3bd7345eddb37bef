/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/fault_inl.h"
#include "base/log.h"
#include "base/memory_node.h"
#include "base/remedy.h"
#include "link/shm/segment.h"

/*
 * The file of a segment: a memfd, which has no name in any file system and vanishes with the last
 * process that has it.
 */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

ni_status ni_shm_allocate(struct ni_shm_segment *segment, uint64_t offset, uint64_t len)
{
    int rc;

    if (ni_fault(NI_FAULT_ALLOC)) {
        errno = ENOSPC;
        return NI_ERR_NOMEM;
    }
    /* A signal interrupts it before it is done; what it has allocated by then it gives back. */
    do {
        rc = fallocate(segment->fd, 0, (off_t)offset, (off_t)len);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? NI_OK : NI_ERR_NOMEM;
}

int ni_shm_file_begin(const char *name)
{
    /* Kernels that know MFD_NOEXEC_SEAL may insist on it. */
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    return ni_descriptor_keep(fd);
}

bool ni_shm_file_named(const char *path, const char *name)
{
    char expected[64], target[64];
    int want = snprintf(expected, sizeof(expected), "/memfd:%s ", name);
    ssize_t len = readlink(path, target, sizeof(target));

    return len >= (ssize_t)want && memcmp(target, expected, (size_t)want) == 0;
}

/* Log that a system call has failed; its status. */
static ni_status file_call_failed(const char *call, uint64_t size)
{
    int error = errno;

    ni_log(NI_LOG_ERROR, "shared memory of %llu KiB to receive in: %s: %s%s",
           (unsigned long long)(size >> 10), call, strerror(error), ni_remedy(error));
    return error == ENOSPC || error == ENOMEM ? NI_ERR_NOMEM : NI_ERR_SYSTEM;
}

/* Growing a file beyond the limit raises a signal that ends the process: ask first. */
uint64_t ni_shm_file_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
                                                                                   : limit.rlim_cur;
}

/* Senders allocate the areas, but we poll them: they shall lie near us. */
static void place_areas(const struct ni_shm_segment *segment)
{
    int node = ni_memory_node_near();
    int error = node < 0 ? 0
                         : ni_memory_node_prefer(segment->fd, segment->geometry.areas,
                                                 segment->geometry.size, node);

    if (error != 0) {
        ni_log(NI_LOG_DEBUG, "shared memory is not put on memory node %d: %s", node,
               strerror(error));
    }
}

ni_status ni_shm_file_make(struct ni_shm_segment *segment)
{
    uint64_t size = segment->geometry.size;
    uint64_t base = segment->geometry.blobs;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    if (size > ni_shm_file_limit()) {
        ni_log(NI_LOG_ERROR,
               "shared memory to receive in from %u processes needs a (sparse) file of %llu MiB, "
               "which the file size limit forbids; raise it (ulimit -f)",
               segment->geometry.counts.seats, (unsigned long long)(size >> 20) + 1);
        return NI_ERR_LIMIT;
    }
    segment->fd = ni_shm_file_begin(NI_SHM_FILE_NAME);
    if (segment->fd < 0) {
        return file_call_failed("memfd_create", base);
    }
    if (fchmod(segment->fd, 0600) != 0) {
        return file_call_failed("fchmod", base);
    }
    if (ftruncate(segment->fd, (off_t)size) != 0) {
        return file_call_failed("ftruncate", base);
    }
    if (ni_shm_allocate(segment, 0, base) != NI_OK) {
        return file_call_failed("fallocate", base);
    }
    place_areas(segment);
    if (fcntl(segment->fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0 ||
        fcntl(segment->fd, F_SETLK, &lock) != 0) {
        return file_call_failed("fcntl, to seal and lock it", base);
    }
    return NI_OK;
}

uint64_t ni_shm_file_held(const struct ni_shm_segment *segment)
{
    struct stat st;

    return fstat(segment->fd, &st) != 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

ni_status ni_shm_file_check(int fd, const struct ni_shm_blob *blob,
                            struct ni_shm_geometry *geometry)
{
    struct ni_shm_header header;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);

    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) != 0 ||
        pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header)) {
        return NI_ERR_UNREACHABLE;
    }
    if (header.magic != NI_SHM_MAGIC || header.version != NI_SHM_VERSION ||
        header.key != blob->key || header.address != blob->address) {
        return NI_ERR_UNREACHABLE;
    }
    if (!ni_shm_geometry_make(&header.counts, geometry) || st.st_size < 0 ||
        (uint64_t)st.st_size != geometry->size ||
        header.counts.page != (uint32_t)sysconf(_SC_PAGESIZE)) {
        return NI_ERR_PROTOCOL;
    }
    return atomic_load_explicit(&header.state, memory_order_acquire) == NI_SHM_OPEN
               ? NI_OK
               : NI_ERR_PEER_CLOSED;
}
