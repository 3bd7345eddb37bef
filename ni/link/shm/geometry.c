/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/bits.h"
#include "link/shm/layout.h"

static bool counts_possible(const struct ni_shm_counts *counts)
{
    return ni_is_pow2(counts->page) && counts->page >= 4096 && counts->page <= 1 << 20 &&
           counts->page >= sizeof(struct ni_shm_header) &&
           counts->page >= sizeof(struct ni_lane_page) && counts->seats >= 1 &&
           counts->seats <= NI_SHM_SEATS_MAX && counts->slots >= 1 &&
           counts->slots <= NI_SHM_SLOTS_MAX && counts->exports <= NI_SHM_EXPORT_MAX &&
           ni_is_pow2(counts->ring) && counts->ring >= NI_SHM_RING_MIN &&
           counts->ring <= NI_SHM_RING_MAX && counts->ring % counts->page == 0 &&
           ni_is_pow2(counts->first) && counts->first >= NI_SHM_RING_MIN &&
           counts->first <= counts->ring && counts->first % counts->page == 0 &&
           counts->bulk <= NI_SHM_BULK_MAX && counts->bulk % counts->page == 0 &&
           counts->rails <= NI_RAILS_MAX;
}

bool ni_shm_geometry_make(const struct ni_shm_counts *counts, struct ni_shm_geometry *geometry)
{
    struct ni_shm_geometry g = {.counts = *counts};
    uint64_t page = counts->page;

    /* No sum below can overflow: 2^14 seats of 8 rails of 65 MiB are 2^43. */
    if (!counts_possible(counts)) {
        return false;
    }
    g.seat_words = page;
    g.slot_words = g.seat_words + ni_align_up(counts->seats * UINT64_C(8), page);
    g.exports = g.slot_words + ni_align_up(counts->slots * UINT64_C(8), page);
    g.slots = g.exports + ni_align_up(counts->exports * (uint64_t)NI_SHM_EXPORT_ENTRY, page);
    g.blobs = g.slots + ni_align_up(counts->slots * (uint64_t)NI_SHM_SLOT_SIZE, page);
    g.areas = g.blobs + ni_align_up(counts->seats * (uint64_t)NI_SHM_BLOB_STRIDE, page);
    g.area_size = ni_shm_area_rings(&g) + counts->bulk;
    g.size = g.areas + counts->seats * ni_shm_rails(&g) * g.area_size;
    *geometry = g;
    return true;
}

uint32_t ni_shm_seats_within(const struct ni_shm_counts *counts, uint64_t size)
{
    struct ni_shm_counts some = *counts;
    struct ni_shm_geometry geometry;
    uint32_t fits = 0, beyond = counts->seats + 1;

    while (beyond - fits > 1) {
        some.seats = fits + (beyond - fits) / 2;
        if (ni_shm_geometry_make(&some, &geometry) && geometry.size <= size) {
            fits = some.seats;
        } else {
            beyond = some.seats;
        }
    }
    return fits;
}
