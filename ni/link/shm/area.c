/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "link/shm/segment.h"

/*
 * Areas: the memory of a lane, as both sides map it.
 *
 *   in the file   | lane page | ring | bulk |
 *   mapped        | lane page | ring | ring | bulk |
 *                 ^ first mapping    ^ second mapping
 *
 * Two mappings, because the second ring and the bulk area follow each other in the file as well.
 * Of the bulk area only as much is allocated as is used: the sender has more of it when nothing of
 * what there is is free, and the receiver when a packet refers to more. What lies behind that is
 * mapped, and touched by nobody.
 *
 * The sender allocates the area, but the reader polls it: on a machine with several memory nodes
 * the file says that it shall lie near the reader, if that is bound to one of them (file.c).
 */

static ni_status map(struct ni_shm_segment *segment, uint32_t number, bool with_bulk,
                     struct ni_shm_area *area)
{
    const struct ni_shm_geometry *geometry = &segment->geometry;
    size_t page = geometry->counts.page;
    size_t ring = geometry->counts.ring;
    size_t bulk = with_bulk ? geometry->counts.bulk : 0;
    size_t size = page + ring + ring + bulk;
    off_t at = (off_t)ni_shm_area_at(geometry, number);
    int prot = PROT_READ | PROT_WRITE;
    uint8_t *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED) {
        return NI_ERR_NOMEM;
    }
    /* Page and ring are allocated: their page faults, taken now, are one walk for many pages. */
    if (mmap(base, page + ring, prot, MAP_SHARED | MAP_FIXED | MAP_POPULATE, segment->fd, at) ==
            MAP_FAILED ||
        mmap(base + page + ring, ring, prot, MAP_SHARED | MAP_FIXED | MAP_POPULATE, segment->fd,
             at + (off_t)page) == MAP_FAILED ||
        (bulk != 0 && mmap(base + page + 2 * ring, bulk, prot, MAP_SHARED | MAP_FIXED, segment->fd,
                           at + (off_t)(page + ring)) == MAP_FAILED)) {
        munmap(base, size);
        return NI_ERR_NOMEM;
    }
    area->page = (struct ni_lane_page *)(void *)base;
    area->ring = base + page;
    area->bulk = bulk == 0 ? NULL : base + page + 2 * ring;
    area->mapped = size;
    return NI_OK;
}

/* The registry is locked. */
static struct ni_shm_area *find(struct ni_shm_segment *segment, uint32_t number)
{
    for (NI_LIST_EACH(node, &segment->areas)) {
        struct ni_shm_area *area = ni_container_of(node, struct ni_shm_area, list);

        if (area->number == number) {
            return area;
        }
    }
    return NULL;
}

static ni_status make(struct ni_shm_segment *segment, uint32_t number, bool *with_bulk,
                      struct ni_shm_area **result)
{
    struct ni_shm_area *area = ni_calloc(1, sizeof(*area));
    const struct ni_shm_geometry *geometry = &segment->geometry;
    ni_status status = area == NULL ? NI_ERR_NOMEM
                                    : ni_shm_allocate(segment, ni_shm_area_at(geometry, number),
                                                      ni_shm_area_lane_only(geometry));

    *with_bulk = *with_bulk && geometry->counts.bulk != 0;
    if (status == NI_OK) {
        status = map(segment, number, *with_bulk, area);
    }
    if (status == NI_ERR_NOMEM && area != NULL && *with_bulk) {
        *with_bulk = false; /* where memory is short, a ring is better than none */
        status = map(segment, number, false, area);
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
    area = find(segment, number);
    if (area != NULL) { /* both ends in this process */
        area->references++;
        *with_bulk = *with_bulk && area->bulk != NULL;
        *result = area;
    } else {
        status = make(segment, number, with_bulk, result);
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

/* Where the kernel does not know how, each first touch of a page takes its own fault. */
static void populate(uint8_t *from, size_t len)
{
#ifdef MADV_POPULATE_WRITE
    (void)madvise(from, len, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)len;
#endif
}

ni_status ni_shm_area_grow(struct ni_shm_segment *segment, struct ni_shm_area *area, uint32_t size)
{
    uint64_t at = ni_shm_area_at(&segment->geometry, area->number) +
                  ni_shm_area_lane_only(&segment->geometry);
    ni_status status = NI_OK;

    ni_shm_registry_lock();
    if (size > area->bulk_held) { /* it is not, where both ends are in this process */
        uint32_t more = size - area->bulk_held;

        status = ni_shm_allocate(segment, at + area->bulk_held, more);
        if (status == NI_OK) {
            populate(area->bulk + area->bulk_held, more);
            area->bulk_held = size;
        }
    }
    ni_shm_registry_unlock();
    return status;
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
