/* SPDX-License-Identifier: BSD-3-Clause */
/* What --tune tries. The first values and probes are those that say most: --quick stops there. */
#include "perf_tune.h"

#include "base/bits.h"

#define K 1024
#define M (1024 * 1024)

const struct perf_sweep perf_sweeps[] = {
    {
        .param = "far_ns",
        .values = {"1", "1000000"},
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 16 * K, PERF_REWRITE},
                   {PERF_BW, PERF_MESSAGE, 16 * K, 0},
                   {PERF_LATENCY, PERF_MESSAGE, 8 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_MESSAGE, 32 * K, 0}},
        .probe_count = 4,
        .quick_values = 2,
        .quick_probes = 2,
    },
    {
        .param = "shm_copy",
        .values = {"copy"},
        .probes = {{PERF_LATENCY, PERF_READ, 64 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, M, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, 16 * K, 0},
                   {PERF_LATENCY, PERF_WRITE, 256 * K, 0},
                   {PERF_BW, PERF_READ, M, 0}},
        .probe_count = 5,
        .quick_values = 1,
        .quick_probes = 2,
    },
    {
        .param = "segment_size",
        .values = {"16K", "32K", "4K", "64K"},
        .fixed = {"shm_copy", "copy"},
        .probes = {{PERF_LATENCY, PERF_READ, 64 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_WRITE, M, 0},
                   {PERF_BW, PERF_WRITE, 256 * K, 0},
                   {PERF_LATENCY, PERF_READ, M, PERF_REWRITE}},
        .probe_count = 4,
        .quick_values = 2,
        .quick_probes = 2,
    },
    {
        .param = "bulk_both",
        .values = {"no"},
        .probes = {{PERF_LATENCY, PERF_READ, 256 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, M, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, 64 * K, 0},
                   {PERF_LATENCY, PERF_WRITE, M, 0},
                   {PERF_BW, PERF_READ, M, 0}},
        .probe_count = 5,
        .quick_values = 1,
        .quick_probes = 2,
    },
    {
        .param = "bulk_chunk",
        .values = {"128K", "512K", "64K", "256K", "32K", "1M"},
        .probes = {{PERF_LATENCY, PERF_READ, 256 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, M, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, 64 * K, 0},
                   {PERF_LATENCY, PERF_READ, 4 * M, 0}},
        .probe_count = 4,
        .quick_values = 2,
        .quick_probes = 2,
    },
    {
        .param = "shm_ring_size",
        .values = {"64K", "16K", "128K", "8K"},
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 8, 0},
                   {PERF_RATE, PERF_MESSAGE, 8, 0},
                   {PERF_LATENCY, PERF_MESSAGE, K, 0}},
        .probe_count = 3,
        .quick_values = 2,
        .quick_probes = 2,
    },
    {
        .param = "shm_bulk_size",
        .values = {"1M", "128K", "256K", "512K", "2M", "4M"},
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 16 * K, PERF_REWRITE},
                   {PERF_BW, PERF_MESSAGE, 16 * K, 0},
                   {PERF_LATENCY, PERF_MESSAGE, 4 * K, 0},
                   {PERF_BW, PERF_MESSAGE, 4 * K, 0}},
        .probe_count = 4,
        .quick_values = 2,
        .quick_probes = 2,
    },
    {
        .param = "patience_us",
        .values = {"0", "100", "3", "30"},
        .probes = {{PERF_LATENCY, PERF_READ, 64 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, 256 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_READ, 16 * K, PERF_REWRITE},
                   {PERF_BW, PERF_READ, 256 * K, 0}},
        .probe_count = 4,
        .quick_values = 2,
        .quick_probes = 2,
    },
    /* As it is for many senders, of which none gets a ring. */
    {
        .param = "shm_queue_slots",
        .values = {"16", "256", "1024"},
        .fixed = {"shm_ring_after", "1048576"},
        .probes = {{PERF_RATE, PERF_MESSAGE, 8, 0}, {PERF_LATENCY, PERF_MESSAGE, 8, 0}},
        .probe_count = 2,
    },
    /* Waiting: what helps two processes on one core must not harm them on two. */
    {
        .param = "spin",
        .values = {"10", "100", "1000", "10000"},
        .waits = true,
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 8, 0},
                   {PERF_LATENCY, PERF_MESSAGE, 16 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_MESSAGE, 8, PERF_TOGETHER}},
        .probe_count = 3,
    },
    {
        .param = "yield",
        .values = {"0", "10", "1000"},
        .waits = true,
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 8, 0},
                   {PERF_LATENCY, PERF_MESSAGE, 16 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_MESSAGE, 8, PERF_TOGETHER}},
        .probe_count = 3,
    },
    {
        .param = "block_us",
        .values = {"0", "50", "5000"},
        .waits = true,
        .probes = {{PERF_LATENCY, PERF_MESSAGE, 8, 0},
                   {PERF_LATENCY, PERF_MESSAGE, 16 * K, PERF_REWRITE},
                   {PERF_LATENCY, PERF_MESSAGE, 8, PERF_TOGETHER}},
        .probe_count = 3,
    },
};
const size_t perf_sweep_count = NI_ARRAY_LENGTH(perf_sweeps);

/* match_eager is in perf_tune_eager.c. */
const struct perf_untried perf_untried[] = {
    {"log_level", "what is printed"},
    {"fault", "for tests"},
    {"shm_max_peers", "a limit"},
    {"shm_peers_wait_ms", "how long to wait at that limit"},
    {"shm_ring_after", "it counts for the first packets to a peer only"},
    {"shm_exports", "a limit"},
    {"peer_check_ms", "how soon the end of a peer is noticed"},
    {"placement", "it is for programs that compute meanwhile; osu_bench/ni_placement measures it"},
    {"simd", "auto takes the widest instructions; apeni-perf search shows what others are worth"},
    {"match_unexpected", "a limit of memory"},
};
const size_t perf_untried_count = NI_ARRAY_LENGTH(perf_untried);
