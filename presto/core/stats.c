/* SPDX-License-Identifier: BSD-3-Clause */
/* How rank 0 reaches the others, told at the start and, when it has done so, at the end, and what a
 * rank's interface has counted, when it leaves. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/launch.h"

/* Over the interface of the rank that the process is: threads keep the rank's address, and may read
 * its statistics when it has left. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

uint64_t pri_stat(const struct pri_rank *self, size_t index)
{
    uint64_t value = 0;

    pthread_mutex_lock(&reading);
    if (self->ni != NULL) {
        value = ni_stat_read(self->ni, index);
    }
    pthread_mutex_unlock(&reading);
    return value;
}

void pri_stats_close(struct pri_rank *self, bool shared)
{
    if (shared) {
        pthread_mutex_lock(&reading);
    }
    ni_close(self->ni);
    self->ni = NULL;
    if (shared) {
        pthread_mutex_unlock(&reading);
    }
}

static void map_print(const struct pri_rank *self, const char *verb)
{
    struct ni_peer **peers;
    char text[1024]; /* more is cut */

    peers = calloc((size_t)self->size, sizeof(struct ni_peer *));
    for (int rank = 0; peers != NULL && rank < self->size; rank++) {
        peers[rank] = self->peers[self->first + rank].ni;
    }
    if (peers != NULL && ni_map_describe(peers, (size_t)self->size, text, sizeof(text)) > 0) {
        fprintf(stderr, "presto: rank 0 %s others by %s\n", verb, text);
    }
    free(peers);
}

void pri_map_print(const struct pri_rank *self)
{
    long wanted = 0;

    if (self->rank == 0 && pri_environment("PRESTO_STATS", 0, 1, &wanted) && wanted != 0) {
        map_print(self, "reaches");
    }
}

/* One line, written at once, so that those of several ranks do not mix; what is 0 is left out. Last
 * whether the rank gives the core to others whenever it waits. */
void pri_stats_print(const struct pri_rank *self)
{
    char line[4096];
    size_t used;
    long wanted = 0;

    /* Of a value that is none rank 0 has told, once for all. */
    if (!pri_environment_silent("PRESTO_STATS", 0, 1, &wanted) || wanted == 0) {
        return;
    }
    if (self->rank == 0) {
        map_print(self, "reached");
    }
    used = (size_t)snprintf(line, sizeof(line), "presto: rank %d of %d:", self->rank, self->size);
    for (size_t i = 0; i < ni_stat_count && used < sizeof(line); i++) {
        uint64_t value = ni_stat_read(self->ni, i);

        if (value != 0) {
            used += (size_t)snprintf(line + used, sizeof(line) - used, " %s %llu",
                                     ni_stat_infos[i].name, (unsigned long long)value);
        }
    }
    fprintf(stderr, "%s%s\n", line, self->crowded ? " crowded 1" : "");
}
