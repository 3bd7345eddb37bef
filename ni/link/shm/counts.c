/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "base/bits.h"
#include "base/config.h"
#include "base/log.h"
#include "link/shm/segment.h"

/*
 * Sizes. With P processes on the host, all sending much to all, each has P - 1 areas of a page, two
 * rings and a bulk area, beside the base of its segment: at most a page, 8 KiB, 4 KiB, 128 KiB of
 * slots, 128 KiB of exports, 128 KiB of blobs, together 400 KiB. The bulk area is the power of two
 * from 64 KiB to 1 MiB of which P fit into 8 MiB:
 *
 *   P = 2..8     1024 KiB  at most   7 * (4 + 8 + 32 + 1024) KiB =  7.3 MiB
 *   P = 9..16     512 KiB  at most  15 * (4 + 8 + 32 +  512) KiB =  8.1 MiB
 *   P = 17..32    256 KiB  at most  31 * (4 + 8 + 32 +  256) KiB =  9.1 MiB
 *   P = 33..64    128 KiB  at most  63 * (4 + 8 + 32 +  128) KiB = 10.6 MiB
 *   P = 128        64 KiB  at most 127 * (4 + 8 + 32 +   64) KiB = 13.4 MiB
 *   P = 512        64 KiB  at most 511 * (4 + 8 + 32 +   64) KiB = 53.9 MiB
 *
 * With rails, each sender that spreads packets over them has as many areas.
 *
 * That is what they may come to, up to shm_lanes_size. A pair that exchanges little has 12 KiB:
 * page and first ring. The larger ring is allocated, which means zeroed, when the lane is busy, and
 * the bulk area as far as it is used (grow.c). More than 1 MiB would be of little use: at most 64
 * bulk payloads of a lane are under way at a time. Pairs that do not talk cost nothing.
 */

enum {
    BULK_BUDGET = 8 << 20,
    BULK_AUTO_MIN = 64 << 10,
    BULK_AUTO_MAX = 1 << 20,
    PROCESSES_UNKNOWN = 32, /* taken for a host of which nobody said how many processes it has */
    SEATS_UNKNOWN = 16,     /* least there */
};

static uint32_t choose_bulk(const struct ni_config *config, unsigned processes, uint32_t page)
{
    uint64_t size = config->shm_bulk_size;

    if (size == 0) {
        uint64_t part = BULK_BUDGET / (processes == 0 ? PROCESSES_UNKNOWN : processes);

        size = part == 0 ? 0 : UINT64_C(1) << ni_ilog2(part);
        size = ni_max_u64(BULK_AUTO_MIN, ni_min_u64(size, BULK_AUTO_MAX));
    }
    return (uint32_t)ni_align_up(size, page);
}

/* Whether all processes that are expected on this host can send to this one. If not, those that
 * find no seat would wait for one for ever. */
static ni_status check_seats(const struct ni_config *config, unsigned processes)
{
    char name[96];

    if (processes == 0 || processes - 1 <= config->shm_max_peers) {
        return NI_OK;
    }
    ni_config_name("shm_max_peers", name, sizeof(name));
    ni_log(NI_LOG_ERROR,
           "%u processes on this host, of which %u may send to each, are more than %s = %llu "
           "allows; set it to at least %u",
           processes, processes - 1, name, (unsigned long long)config->shm_max_peers,
           processes - 1);
    return NI_ERR_LIMIT;
}

ni_status ni_shm_counts_choose(const struct ni_config *config, unsigned processes, unsigned rails,
                               struct ni_shm_counts *counts)
{
    uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
    uint32_t ring = (uint32_t)ni_max_u64(page, ni_round_up_pow2(config->shm_ring_size));

    *counts = (struct ni_shm_counts){
        .page = page,
        .seats = (uint32_t)config->shm_max_peers,
        .slots = (uint32_t)config->shm_queue_slots,
        .exports = (uint32_t)config->shm_exports,
        .ring = ring,
        .first = (uint32_t)ni_min_u64(ring, ni_max_u64(page, NI_SHM_RING_FIRST)),
        .bulk = choose_bulk(config, processes, page),
        .rails = rails,
    };
    return check_seats(config, processes);
}

void ni_shm_counts_fit(struct ni_shm_counts *counts, unsigned processes)
{
    uint64_t limit = ni_shm_file_limit();
    uint32_t fits = ni_shm_seats_within(counts, limit);
    uint32_t least = processes == 0 ? SEATS_UNKNOWN : processes - 1;

    if (fits < counts->seats) {
        counts->seats = (uint32_t)ni_min_u64(counts->seats, ni_max_u64(ni_max_u64(fits, least), 1));
        ni_log(NI_LOG_INFO,
               "the file size limit of %llu MiB (ulimit -f) leaves room for %u processes that send "
               "to this one",
               (unsigned long long)(limit >> 20), counts->seats);
    }
}
