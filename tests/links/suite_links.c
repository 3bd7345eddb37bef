/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/links.c. */
#include "apelink_config.h"

#include "base/bits.h"
#include "link/inproc/hooks.h"
#include "suite.h"

/*
 * The links, and the ways to use them, over which every case of the suite runs. What a case needs
 * and a row cannot do follows from mode and inproc (suite.c, can_run).
 */

/* ThreadSanitizer does not see an order that comes about through another process: that an answer,
 * which the engine thread takes, is later than the question, which the program asked. */
#ifdef __SANITIZE_THREAD__
#define ENGINE_MODE SUITE_THREADS
#define FAR_MODE    SUITE_PROCESSES /* what comes through the network is not seen either */
#else
#define ENGINE_MODE SUITE_PROCESSES
#define FAR_MODE    SUITE_THREADS
#endif

#define UCX_LINK       \
    {                  \
        "links", "ucx" \
    }
#define DEV_LINK       \
    {                  \
        "links", "dev" \
    }
#define DEV_EARLY          \
    {                      \
        "dev_early", "yes" \
    }
#define UCX_EARLY          \
    {                      \
        "ucx_early", "yes" \
    }

const struct suite_link suite_links[] = {
    {.name = "inproc", .mode = SUITE_HERE, .inproc = true},
    {.name = "inproc-seeded", .mode = SUITE_HERE, .inproc = true, .seeded = true, .again = true},
    /* Transfers go through packets, as where the kernel refuses. */
    {.name = "inproc-packets",
     .mode = SUITE_HERE,
     .inproc = true,
     .copy = NI_FABRIC_BY_PACKETS,
     .params = {{"segment_size", "2K"}}},
    /* Both sides copy. */
    {.name = "inproc-call", .mode = SUITE_HERE, .inproc = true, .copy = NI_FABRIC_BY_CALL},
    /* The target never sees a request to help. */
    {.name = "inproc-call-seeded",
     .mode = SUITE_HERE,
     .inproc = true,
     .seeded = true,
     .copy = NI_FABRIC_BY_CALL},
    {.name = "inproc-packets-seeded",
     .mode = SUITE_HERE,
     .inproc = true,
     .seeded = true,
     .again = true,
     .copy = NI_FABRIC_BY_PACKETS},
    {.name = "inproc-threads", .mode = SUITE_THREADS, .inproc = true, .again = true},
    {.name = "inproc-threads-call",
     .mode = SUITE_THREADS,
     .inproc = true,
     .copy = NI_FABRIC_BY_CALL},
    {.name = "shm", .mode = SUITE_HERE},
    /* With the locks of NIs that any thread may call. */
    {.name = "shm-locked", .mode = SUITE_HERE, .again = true, .flags = NI_THREADS},
    {.name = "shm-threads", .mode = SUITE_THREADS, .again = true},
    {.name = "shm-processes", .mode = SUITE_PROCESSES, .again = true},
    /* The kernel is not asked, rings are small, and made late. */
    {.name = "shm-copy",
     .mode = SUITE_PROCESSES,
     .params = {{"shm_copy", "copy"}, {"shm_ring_size", "4K"}, {"shm_ring_after", "20"}}},
#ifdef NI_HAVE_UCX
    /* Between hosts, over the loopback interface of this one. */
    {.name = "ucx",
     .far = true,
     .mode = SUITE_HERE,
     .params = {UCX_LINK, UCX_EARLY, {"ucx_segment_size", "16K"}}},
    {.name = "ucx-threads",
     .far = true,
     .asks = true,
     .again = true,
     .mode = FAR_MODE,
     .flags = NI_THREADS,
     .params = {UCX_LINK, UCX_EARLY}},
    /* Some peers by shared memory, the others as if they were on other hosts. */
    {.name = "mixed",
     .far = true,
     .asks = true,
     .mode = SUITE_HERE,
     .hosts = 2,
     .params = {UCX_EARLY}},
    {.name = "mixed-threads",
     .far = true,
     .again = true,
     .mode = FAR_MODE,
     .flags = NI_THREADS,
     .hosts = 4,
     .params = {UCX_EARLY}},
#ifndef __SANITIZE_THREAD__
    {.name = "mixed-processes",
     .far = true,
     .again = true,
     .mode = SUITE_PROCESSES,
     .hosts = 2,
     .params = {UCX_EARLY}},
    {.name = "ucx-processes",
     .far = true,
     .again = true,
     .mode = SUITE_PROCESSES,
     .params = {UCX_LINK, UCX_EARLY, {"ucx_lane_size", "4K"}}},
    /* Messages overtake each other, by more than the lane is long, and come twice. */
    {.name = "ucx-late",
     .far = true,
     .mode = SUITE_PROCESSES,
     .params = {UCX_LINK,
                UCX_EARLY,
                {"ucx_lane_size", "4K"},
                {"fault", "delay:ppm=50000,seed=1;dup:ppm=50000,seed=2"}}},
#endif
#endif
    /* Over the card, each NI as if on a host of its own. */
    {.name = "dev",
     .far = true,
     .card = true,
     .mode = SUITE_HERE,
     .hosts = SUITE_NIS,
     .params = {DEV_LINK, DEV_EARLY}},
    {.name = "dev-threads",
     .far = true,
     .card = true,
     .mode = FAR_MODE,
     .flags = NI_THREADS,
     .hosts = SUITE_NIS,
     .params = {DEV_LINK, DEV_EARLY, {"dev_segment_size", "16K"}}},
    {.name = "dev-processes",
     .far = true,
     .card = true,
     .mode = SUITE_PROCESSES,
     .hosts = SUITE_NIS,
     .params = {DEV_LINK, DEV_EARLY, {"dev_lane_size", "8K"}}},
    /* Some peers by shared memory. */
    {.name = "dev-mixed",
     .far = true,
     .card = true,
     .mode = SUITE_PROCESSES,
     .hosts = 2,
     .params = {DEV_LINK, DEV_EARLY}},
    /* Engine threads: with callbacks that are the caller's, and with callbacks of any thread. */
    {.name = "inproc-edge",
     .mode = SUITE_THREADS,
     .inproc = true,
     .copy = NI_FABRIC_BY_PACKETS,
     .placement = NI_PLACEMENT_EDGE},
    {.name = "inproc-split",
     .mode = SUITE_THREADS,
     .inproc = true,
     .copy = NI_FABRIC_BY_CALL,
     .flags = NI_THREADS,
     .placement = NI_PLACEMENT_SPLIT},
    {.name = "shm-edge", .mode = ENGINE_MODE, .flags = NI_THREADS, .placement = NI_PLACEMENT_EDGE},
    {.name = "shm-split", .mode = ENGINE_MODE, .placement = NI_PLACEMENT_SPLIT},
};

const size_t suite_link_count = NI_ARRAY_LENGTH(suite_links);
