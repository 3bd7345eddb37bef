/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* A descriptor that must not be closed yet. */
struct spare {
    struct ni_list list;
    int fd;
};

static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ni_list registry = {&registry, &registry};

void ni_shm_registry_lock(void)
{
    pthread_mutex_lock(&registry_mutex);
}

void ni_shm_registry_unlock(void)
{
    pthread_mutex_unlock(&registry_mutex);
}

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

/* ---- making one ------------------------------------------------------------------------------ */

static int make_memfd(void)
{
    /* Kernels that know MFD_NOEXEC_SEAL may insist on it. */
    int fd = memfd_create("apelink", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create("apelink", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    return fd;
}

/* Growing a file beyond the limit raises a signal that ends the process: ask first. */
static bool size_allowed(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= size;
}

static ni_status make_file(struct ni_shm_segment *segment)
{
    uint64_t size = segment->geometry.size;
    uint64_t base = segment->geometry.blobs;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    if (!size_allowed(size)) {
        ni_log(NI_LOG_ERROR,
               "shared memory needs a (sparse) file of %llu MiB, which the file size limit "
               "forbids; raise it (ulimit -f) or lower APENI_SHM_MAX_PEERS",
               (unsigned long long)(size >> 20) + 1);
        return NI_ERR_LIMIT;
    }
    segment->fd = make_memfd();
    if (segment->fd < 0) {
        ni_log(NI_LOG_ERROR, "memfd_create: %s%s", strerror(errno),
               errno == EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
        return NI_ERR_SYSTEM;
    }
    if (fchmod(segment->fd, 0600) != 0 || ftruncate(segment->fd, (off_t)size) != 0) {
        ni_log(NI_LOG_ERROR, "shared memory of %llu MiB: %s", (unsigned long long)(size >> 20) + 1,
               strerror(errno));
        return NI_ERR_SYSTEM;
    }
    if (ni_shm_allocate(segment, 0, base) != NI_OK) {
        ni_log(NI_LOG_ERROR,
               "cannot allocate %llu KiB of shared memory to receive in: %s; free memory or raise "
               "the memory limit of this container or user",
               (unsigned long long)(base >> 10), strerror(errno));
        return NI_ERR_NOMEM;
    }
    if (fcntl(segment->fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) != 0 ||
        fcntl(segment->fd, F_SETLK, &lock) != 0) {
        ni_log(NI_LOG_ERROR, "cannot seal and lock shared memory: %s", strerror(errno));
        return NI_ERR_SYSTEM;
    }
    return NI_OK;
}

static ni_status map_base(struct ni_shm_segment *segment)
{
    const struct ni_shm_geometry *geometry = &segment->geometry;
    uint8_t *base = mmap(NULL, geometry->areas, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd, 0);

    if (base == MAP_FAILED) {
        ni_log(NI_LOG_ERROR, "cannot map %llu KiB of shared memory: %s",
               (unsigned long long)(geometry->areas >> 10), strerror(errno));
        return NI_ERR_NOMEM;
    }
    segment->header = (struct ni_shm_header *)(void *)base;
    segment->seat_words = (_Atomic uint64_t *)(void *)(base + geometry->seat_words);
    segment->slot_words = (_Atomic uint64_t *)(void *)(base + geometry->slot_words);
    segment->slots = base + geometry->slots;
    segment->exports = base + geometry->exports;
    segment->blobs = (struct ni_shm_seat_blob *)(void *)(base + geometry->blobs);
    return NI_OK;
}

static void segment_free(struct ni_shm_segment *segment)
{
    if (segment->header != NULL) {
        munmap(segment->header, segment->geometry.areas);
    }
    while (!ni_list_empty(&segment->spares)) {
        struct spare *spare =
            ni_container_of(ni_list_pop_front(&segment->spares), struct spare, list);

        close(spare->fd);
        ni_free(spare);
    }
    if (segment->fd >= 0) {
        close(segment->fd);
    }
    ni_free(segment->local);
    ni_free(segment->blobs_made);
    ni_free(segment);
}

static struct ni_shm_segment *segment_alloc(const struct ni_shm_geometry *geometry)
{
    struct ni_shm_segment *segment = ni_calloc(1, sizeof(*segment));

    if (segment == NULL) {
        return NULL;
    }
    segment->references = 1;
    segment->pid = getpid();
    segment->fd = -1;
    segment->geometry = *geometry;
    ni_list_init(&segment->list);
    ni_list_init(&segment->areas);
    ni_list_init(&segment->spares);
    segment->local = ni_calloc(geometry->counts.seats, 1);
    segment->blobs_made = ni_calloc((geometry->areas - geometry->blobs) / geometry->counts.page, 1);
    if (segment->local == NULL || segment->blobs_made == NULL) {
        segment_free(segment);
        return NULL;
    }
    return segment;
}

static void note_file(struct ni_shm_segment *segment)
{
    struct stat st;

    if (fstat(segment->fd, &st) == 0) {
        segment->dev = st.st_dev;
        segment->ino = st.st_ino;
    }
}

static void registry_add(struct ni_shm_segment *segment)
{
    note_file(segment);
    ni_list_push_front(&registry, &segment->list);
}

ni_status ni_shm_segment_create(const struct ni_shm_counts *counts, uint64_t address,
                                struct ni_shm_segment **result)
{
    struct ni_shm_geometry geometry;
    struct ni_shm_segment *segment;
    struct ni_shm_header *header;
    ni_status status;

    if (!ni_shm_geometry_make(counts, &geometry)) {
        ni_log(NI_LOG_ERROR,
               "shared memory of %u seats, %u slots, rings of %u and bulk areas of %u bytes is not "
               "possible",
               counts->seats, counts->slots, counts->ring, counts->bulk);
        return NI_ERR_INVALID;
    }
    segment = segment_alloc(&geometry);
    if (segment == NULL) {
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    segment->own = true;
    segment->key = ni_random_key();
    status = make_file(segment);
    if (status == NI_OK) {
        status = map_base(segment);
    }
    if (status != NI_OK) {
        segment_free(segment);
        return status;
    }
    header = segment->header;
    header->magic = NI_SHM_MAGIC;
    header->version = NI_SHM_VERSION;
    header->pid = (uint32_t)segment->pid;
    header->key = segment->key;
    header->address = address;
    header->counts = *counts;
    header->probe_address = (uint64_t)(uintptr_t)&header->probe;
    atomic_store_explicit(&header->probe, ni_random_key(), memory_order_relaxed);
    ni_shm_registry_lock();
    registry_add(segment);
    ni_shm_registry_unlock();
    *result = segment;
    return NI_OK;
}

/* ---- those of others ------------------------------------------------------------------------- */

/* The registry is locked. What a fork child has inherited is not its own. */
static struct ni_shm_segment *find(uint64_t key)
{
    pid_t pid = getpid();

    for (NI_LIST_EACH(node, &registry)) {
        struct ni_shm_segment *segment = ni_container_of(node, struct ni_shm_segment, list);

        if (segment->key == key && segment->pid == pid) {
            return segment;
        }
    }
    return NULL;
}

static struct ni_shm_segment *find_file(dev_t dev, ino_t ino)
{
    pid_t pid = getpid();

    for (NI_LIST_EACH(node, &registry)) {
        struct ni_shm_segment *segment = ni_container_of(node, struct ni_shm_segment, list);

        if (segment->dev == dev && segment->ino == ino && segment->pid == pid) {
            return segment;
        }
    }
    return NULL;
}

struct ni_shm_segment *ni_shm_segment_find(uint64_t key)
{
    struct ni_shm_segment *segment;

    ni_shm_registry_lock();
    segment = find(key);
    if (segment != NULL) {
        segment->references++;
    }
    ni_shm_registry_unlock();
    return segment;
}

bool ni_shm_file_known(dev_t dev, ino_t ino)
{
    bool known;

    ni_shm_registry_lock();
    known = find_file(dev, ino) != NULL;
    ni_shm_registry_unlock();
    return known;
}

/* The registry is locked. */
static void discard(int fd)
{
    struct stat st;
    struct ni_shm_segment *segment = fstat(fd, &st) == 0 ? find_file(st.st_dev, st.st_ino) : NULL;

    if (segment == NULL) {
        close(fd);
        return;
    }

    struct spare *spare = malloc(sizeof(*spare));

    /* Out of memory: better to lose a descriptor than to seem dead. */
    if (spare != NULL) {
        spare->fd = fd;
        ni_list_init(&spare->list);
        ni_list_push_back(&segment->spares, &spare->list);
    }
}

void ni_shm_discard(int fd)
{
    ni_shm_registry_lock();
    discard(fd);
    ni_shm_registry_unlock();
}

/* Whether the file can be trusted not to shrink, and is what the blob says. */
static ni_status check_file(int fd, const struct ni_shm_blob *blob,
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

/* The registry is locked. */
static ni_status adopt(int fd, const struct ni_shm_blob *blob, struct ni_shm_segment **result)
{
    struct ni_shm_geometry geometry;
    struct ni_shm_segment *segment = find(blob->key);
    ni_status status;

    if (segment != NULL) { /* another NI of this process was faster */
        discard(fd);
        segment->references++;
        *result = segment;
        return NI_OK;
    }
    status = check_file(fd, blob, &geometry);
    segment = status == NI_OK ? segment_alloc(&geometry) : NULL;
    if (segment == NULL) {
        discard(fd);
        return status == NI_OK ? NI_ERR_NOMEM : status;
    }
    segment->key = blob->key;
    segment->fd = fd;
    status = map_base(segment);
    if (status != NI_OK) {
        segment_free(segment);
        return status;
    }
    registry_add(segment);
    *result = segment;
    return NI_OK;
}

ni_status ni_shm_segment_adopt(int fd, const struct ni_shm_blob *blob,
                               struct ni_shm_segment **segment)
{
    ni_status status;

    ni_shm_registry_lock();
    status = adopt(fd, blob, segment);
    ni_shm_registry_unlock();
    return status;
}

void ni_shm_segment_put(struct ni_shm_segment *segment)
{
    ni_shm_registry_lock();
    if (--segment->references == 0) {
        ni_list_remove(&segment->list);
        segment_free(segment);
    }
    ni_shm_registry_unlock();
}

void ni_shm_segment_unlock(struct ni_shm_segment *segment)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    (void)fcntl(segment->fd, F_SETLK, &lock);
}
