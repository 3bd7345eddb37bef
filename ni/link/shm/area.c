/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "link/shm/segment.h"

/*
 * Areas: the memory of a lane, as both sides map it.
 *
 *   in the file   | lane page | first | ring | bulk |
 *   mapped        | lane page | first | first | ring | ring | bulk |
 *
 * A ring is mapped twice in a row. Where the first is as large as a ring may be there is no other.
 * Page and first ring are allocated with the lane, the larger ring when the lane goes on in that,
 * and of the bulk area as much as is used: the sender has more of it when nothing of what there is
 * is free, and the receiver when a packet refers to more. What was never allocated is reserved, not
 * mapped: few pairs need it. What was given back is mapped, and touched by nobody.
 *
 * The sender allocates the area, but the reader polls it: on a machine with several memory nodes
 * the file says that it shall lie near the reader, if that is bound to one of them (file.c).
 */

/* The next bytes of a mapping; flags besides those that all have. false: not now. */
static bool piece(uint8_t **next, size_t size, int flags, int fd, uint64_t at)
{
    uint8_t *to = *next;

    *next += size;
    return size == 0 || mmap(to, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | flags, fd,
                             (off_t)at) != MAP_FAILED;
}

static ni_status map_area(struct ni_shm_segment *segment, uint32_t number, bool with_bulk,
                          struct ni_shm_area *area)
{
    const struct ni_shm_geometry *geometry = &segment->geometry;
    size_t page = geometry->counts.page, first = geometry->counts.first;
    size_t ring = ni_shm_larger_ring(geometry);
    size_t bulk = with_bulk ? geometry->counts.bulk : 0;
    size_t size = page + 2 * first + 2 * ring + bulk;
    uint64_t at = ni_shm_area_at(geometry, number);
    uint8_t *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *next = base;
    int fd = segment->fd;

    if (base == MAP_FAILED) {
        return NI_ERR_NOMEM;
    }
    /* Page and first ring are allocated: their page faults, taken now, are one walk for many. */
    if (!piece(&next, page + first, MAP_POPULATE, fd, at) ||
        !piece(&next, first, MAP_POPULATE, fd, at + page)) {
        munmap(base, size);
        return NI_ERR_NOMEM;
    }
    area->page = (struct ni_lane_page *)(void *)base;
    area->first = base + page;
    area->ring = ring == 0 ? area->first : area->first + 2 * first;
    area->bulk = bulk == 0 ? NULL : base + size - bulk;
    area->mapped = size;
    return NI_OK;
}

/* The registry is locked. */
static struct ni_shm_area *find_area(struct ni_shm_segment *segment, uint32_t number)
{
    for (NI_LIST_EACH(node, &segment->areas)) {
        struct ni_shm_area *area = ni_container_of(node, struct ni_shm_area, list);

        if (area->number == number) {
            return area;
        }
    }
    return NULL;
}

static ni_status make_area(struct ni_shm_segment *segment, uint32_t number, bool *with_bulk,
                           struct ni_shm_area **result)
{
    struct ni_shm_area *area = ni_calloc(1, sizeof(*area));
    const struct ni_shm_geometry *geometry = &segment->geometry;
    ni_status status = area == NULL ? NI_ERR_NOMEM
                                    : ni_shm_allocate(segment, ni_shm_area_at(geometry, number),
                                                      ni_shm_area_least(geometry));

    *with_bulk = *with_bulk && geometry->counts.bulk != 0;
    if (status == NI_OK) {
        status = map_area(segment, number, *with_bulk, area);
    }
    if (status == NI_ERR_NOMEM && area != NULL && *with_bulk) {
        *with_bulk = false; /* where memory is short, a ring is better than none */
        status = map_area(segment, number, false, area);
    }
    if (status != NI_OK) {
        ni_free(area);
        return status;
    }
    area->number = number;
    area->references = 1;
    ni_list_init(&area->list);
    ni_list_push_front(&segment->areas, &area->list);
    *result = area;
    return NI_OK;
}

ni_status ni_shm_area_get(struct ni_shm_segment *segment, uint32_t number, bool *with_bulk,
                          struct ni_shm_area **result)
{
    struct ni_shm_area *area;
    ni_status status = NI_OK;

    ni_shm_registry_lock();
    area = find_area(segment, number);
    if (area != NULL) { /* both ends in this process */
        area->references++;
        *with_bulk = *with_bulk && area->bulk != NULL;
        *result = area;
    } else {
        status = make_area(segment, number, with_bulk, result);
    }
    ni_shm_registry_unlock();
    return status;
}

void ni_shm_area_put(struct ni_shm_area *area)
{
    ni_shm_registry_lock();
    if (--area->references == 0) {
        ni_list_remove(&area->list);
        munmap(area->page, area->mapped);
        ni_free(area);
    }
    ni_shm_registry_unlock();
}

/* Have bytes of the area from an offset in the file on, which are mapped at from, as often in a row
 * as times says, and touched by nobody yet. With all pages at once: otherwise each first touch
 * takes its own fault. */
static ni_status have(struct ni_shm_segment *segment, const struct ni_shm_area *area,
                      uint64_t offset, uint8_t *from, uint32_t len, unsigned times)
{
    uint64_t at = ni_shm_area_at(&segment->geometry, area->number) + offset;
    ni_status status = ni_shm_allocate(segment, at, len);
    uint8_t *next = from;

    for (unsigned i = 0; i < times && status == NI_OK; i++) {
        status = piece(&next, len, MAP_POPULATE, segment->fd, at) ? NI_OK : NI_ERR_NOMEM;
    }
    if (status != NI_OK && next != from) {
        /* The kernel may have unmapped the last: nobody else shall map something there. */
        (void)mmap(next - len, len, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    return status;
}

ni_status ni_shm_area_widen(struct ni_shm_segment *segment, struct ni_shm_area *area)
{
    uint32_t ring = ni_shm_larger_ring(&segment->geometry);
    ni_status status = NI_OK;

    ni_shm_registry_lock();
    if (ring != 0 && !area->ring_held) { /* it is, where both ends are in this process */
        status = have(segment, area, ni_shm_area_least(&segment->geometry), area->ring, ring, 2);
        area->ring_held = status == NI_OK;
    }
    ni_shm_registry_unlock();
    return status;
}

ni_status ni_shm_area_grow(struct ni_shm_segment *segment, struct ni_shm_area *area, uint32_t size)
{
    uint32_t held;
    ni_status status = NI_OK;

    ni_shm_registry_lock();
    held = area->bulk_held;
    if (size > held) { /* it is not, where both ends are in this process */
        status = have(segment, area, ni_shm_area_rings(&segment->geometry) + held,
                      area->bulk + held, size - held, 1);
        area->bulk_held = status == NI_OK ? size : held;
    }
    ni_shm_registry_unlock();
    return status;
}

/* Give bytes of the area from an offset in the file on back to the kernel. They read as zero from
 * now on; false: they are what they were. */
static bool give_bytes_back(const struct ni_shm_segment *segment, const struct ni_shm_area *area,
                            uint64_t offset, uint32_t len)
{
    uint64_t at = ni_shm_area_at(&segment->geometry, area->number) + offset;

    return fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
                     (off_t)len) == 0;
}

void ni_shm_area_narrow(struct ni_shm_segment *segment, struct ni_shm_area *area)
{
    uint32_t ring = ni_shm_larger_ring(&segment->geometry);

    ni_shm_registry_lock();
    if (ring != 0 && !give_bytes_back(segment, area, ni_shm_area_least(&segment->geometry), ring)) {
        memset(area->ring, 0, ring);
    }
    area->ring_held = false;
    ni_shm_registry_unlock();
}

void ni_shm_area_shrink(struct ni_shm_segment *segment, struct ni_shm_area *area)
{
    ni_shm_registry_lock();
    (void)give_bytes_back(segment, area, ni_shm_area_rings(&segment->geometry),
                          segment->geometry.counts.bulk);
    area->bulk_held = 0;
    ni_shm_registry_unlock();
}

void ni_shm_area_forget_ring(struct ni_shm_area *area)
{
    ni_shm_registry_lock();
    area->ring_held = false;
    ni_shm_registry_unlock();
}

void ni_shm_area_forget_bulk(struct ni_shm_area *area)
{
    ni_shm_registry_lock();
    area->bulk_held = 0;
    ni_shm_registry_unlock();
}

bool ni_shm_areas_may_have(const struct ni_shm_segment *segment, uint64_t more)
{
    uint64_t most = segment->header->lanes_size;

    return most == 0 || ni_shm_file_held(segment) + more <= segment->geometry.blobs + most;
}

static void punch(const struct ni_shm_segment *segment, uint32_t number, uint32_t count)
{
    const struct ni_shm_geometry *geometry = &segment->geometry;

    (void)fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    (off_t)ni_shm_area_at(geometry, number), (off_t)(count * geometry->area_size));
}

void ni_shm_areas_empty(struct ni_shm_segment *segment, uint32_t seat)
{
    const struct ni_shm_geometry *geometry = &segment->geometry;
    uint32_t rails = ni_shm_rails(geometry);

    punch(segment, seat, 1);
    if (rails > 1) {
        punch(segment, ni_shm_area_of(geometry, seat, 1), rails - 1);
    }
}
