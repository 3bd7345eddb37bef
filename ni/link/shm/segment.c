/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "base/random.h"

/* A descriptor that must not be closed yet. */
struct spare {
    struct ni_list list;
    int fd;
};

static pthread_mutex_t registry_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t registry_once = PTHREAD_ONCE_INIT;
static struct ni_list registry = {&registry, &registry};

/* A child that is forked while another thread is in here gets the registry whole and unlocked. */
static void watch_fork(void)
{
    (void)pthread_atfork(ni_shm_registry_lock, ni_shm_registry_unlock, ni_shm_registry_unlock);
}

void ni_shm_registry_lock(void)
{
    pthread_mutex_lock(&registry_mutex);
}

void ni_shm_registry_unlock(void)
{
    pthread_mutex_unlock(&registry_mutex);
}

/* ---- making one ------------------------------------------------------------------------------ */

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

static struct ni_shm_segment *segment_alloc(const struct ni_shm_geometry *geometry, bool own)
{
    struct ni_shm_segment *segment = ni_calloc(1, sizeof(*segment));

    if (segment == NULL) {
        return NULL;
    }
    segment->references = 1;
    segment->own = own;
    segment->pid = getpid();
    segment->fd = -1;
    segment->geometry = *geometry;
    ni_list_init(&segment->list);
    ni_list_init(&segment->areas);
    ni_list_init(&segment->spares);
    segment->local = own ? ni_calloc(geometry->counts.seats, 1) : NULL;
    segment->blobs_made = ni_calloc((geometry->areas - geometry->blobs) / geometry->counts.page, 1);
    if ((own && segment->local == NULL) || segment->blobs_made == NULL) {
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
    segment = segment_alloc(&geometry, true);
    if (segment == NULL) {
        ni_log(NI_LOG_ERROR, "out of memory");
        return NI_ERR_NOMEM;
    }
    pthread_once(&registry_once, watch_fork);
    segment->key = ni_random_key();
    status = ni_shm_file_make(segment);
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
    ni_shm_registry_lock();
    registry_add(segment);
    ni_shm_registry_unlock();
    *result = segment;
    return NI_OK;
}

/* ---- those of others ------------------------------------------------------------------------- */

/* The registry is locked. What a fork child has inherited is not its own. */
static struct ni_shm_segment *find_registered(uint64_t key)
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
    segment = find_registered(key);
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

/* The registry is locked. */
static ni_status adopt(int fd, const struct ni_shm_blob *blob, struct ni_shm_segment **result)
{
    struct ni_shm_geometry geometry;
    struct ni_shm_segment *segment = find_registered(blob->key);
    ni_status status;

    if (segment != NULL) { /* another NI of this process was faster */
        discard(fd);
        segment->references++;
        *result = segment;
        return NI_OK;
    }
    status = ni_shm_file_check(fd, blob, &geometry);
    if (status == NI_OK) {
        fd = ni_descriptor_keep(fd); /* not one of our files, whose locks a close would end */
        status = fd < 0 ? NI_ERR_SYSTEM : NI_OK;
    }
    segment = status == NI_OK ? segment_alloc(&geometry, false) : NULL;
    if (segment == NULL) {
        discard(fd);
        return status == NI_OK ? NI_ERR_NOMEM : status;
    }
    segment->key = blob->key;
    segment->socket = blob->socket;
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
