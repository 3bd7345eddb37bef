/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of defaults. */
#include "common/options.h"

#include <string.h>

void osu_set_size_range(struct osu_options *options, size_t first, size_t last)
{
    int count = 0;
    for (size_t size = first; size <= last && count < OSU_MAX_SIZES; size = size ? size * 2 : 1) {
        options->sizes[count++] = size;
    }
    options->size_count = count;
}

static void defaults_common(struct osu_options *options)
{
    memset(options, 0, sizeof(*options));
    osu_set_size_range(options, 1, (size_t)4 << 20);
    options->window = 64;
    options->print_rate = true;
    options->send_threads = 1;
    options->recv_threads = 2;
    options->window_kind = OSU_WINDOW_ALLOCATE;
    options->sync_kind = OSU_SYNC_FLUSH;
    options->memory_limit = (size_t)512 << 20;
    options->digits = 2;
}

void osu_defaults_latency(struct osu_options *options)
{
    defaults_common(options);
    options->iterations = (struct osu_counts){10000, 1000};
    options->warmup = (struct osu_counts){100, 10};
}

void osu_defaults_bandwidth(struct osu_options *options)
{
    defaults_common(options);
    options->iterations = (struct osu_counts){100, 20};
    options->warmup = (struct osu_counts){10, 2};
}

void osu_defaults_collective(struct osu_options *options)
{
    defaults_common(options);
    osu_set_size_range(options, 1, (size_t)1 << 20);
    options->iterations = (struct osu_counts){1000, 100};
    options->warmup = (struct osu_counts){100, 10};
}

void osu_defaults_depth(struct osu_options *options)
{
    static const size_t depths[] = {0, 1, 10, 100, 1000, 10000};

    osu_defaults_latency(options);
    osu_set_size_range(options, 8, 8);
    memcpy(options->depths, depths, sizeof(depths));
    options->depth_count = (int)(sizeof(depths) / sizeof(depths[0]));
    options->queue = OSU_QUEUE_POSTED;
    options->order = OSU_ORDER_RANDOM;
}

void osu_defaults_peers(struct osu_options *options)
{
    osu_defaults_latency(options);
    osu_set_size_range(options, 8, 8);
    options->depths[0] = 0;
    options->depths[1] = 2;
    options->depth_count = 2;
}
