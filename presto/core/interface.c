/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's network interface, from its opening to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/launch.h"
#include "core/recorder.h"

static int open_portal(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;
    uint32_t index;
    int result = ni_portals_open(self->ni, NULL, NULL);

    if (result == NI_OK) {
        result = ni_eq_alloc_handler(self->ni, self->recorded ? pri_recorder_on_sent : pri_on_sent,
                                     self, &cold->sent);
    }
    if (result == NI_OK) {
        result = ni_eq_alloc_handler(self->ni,
                                     self->recorded ? pri_recorder_on_received : pri_on_received,
                                     self, &cold->received);
    }
    if (result == NI_OK) {
        result = ni_pt_alloc(self->ni, NI_PT_UNEXPECTED, cold->received, PRI_PT, &index);
    }
    if (result == NI_OK) {
        result = pri_control_open(self);
    }
    self->sends =
        (struct ni_md){.length = SIZE_MAX, .options = NI_MD_SENT_BY_RESULT, .eq = cold->sent};
    self->syncs =
        (struct ni_md){.length = SIZE_MAX, .options = NI_MD_EVENT_SEND_DISABLE, .eq = cold->sent};
    return result;
}

void pri_crowd(struct pri_rank *self, bool crowded)
{
    self->crowded = crowded;
    self->spins = crowded ? 1 : 20000;
    self->looks = crowded ? 1 : 400;
}

/* So few that each will most likely talk to all, as soon as the program begins. */
enum { FEW_PROCESSES = 4 };

int pri_interface_open(struct pri_rank *self)
{
    struct ni_open_attr attr = {.flags = self->threads ? NI_THREADS : 0};
    unsigned cores;
    ni_status status;

    self->cold->launcher->describe(self, &attr);
    cores = attr.host_cores != 0 ? attr.host_cores : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (attr.host_processes != 0 && attr.host_processes <= FEW_PROCESSES) {
        attr.flags |= NI_LANES_EARLY;
    }
    status = ni_open(&attr, &self->ni);
    if (status != NI_OK) {
        self->ni = NULL;
        fprintf(stderr, "presto: rank %d has no network interface: %s\n", self->rank,
                pri_status_text(status));
        return PRI_ERR_START;
    }
    /* More ranks on this host than cores; or other hosts, towards which a poll takes as long as
     * giving the core to others, who may be more than the ranks: hosts can be parts of a
     * machine. */
    self->cold->cores = cores;
    self->cold->neighbours = attr.host_processes;
    pri_crowd(self, attr.host_processes > cores || ni_reaches_hosts(self->ni));
    self->relax = pri_relax_plain;
    ni_on_peer_down(self->ni, pri_peer_down, self);
    pri_recorder_start(self, attr.job_key);
    return pri_error_of(open_portal(self));
}

int pri_interface_connect(struct pri_rank *self)
{
    struct pri_blob mine = {0}, *all = calloc((size_t)self->size, sizeof(*all));
    int error = PRI_ERR_NOMEM;

    if (all != NULL && pri_peers_open(self) == PRI_OK) {
        mine.length = (uint32_t)ni_address(self->ni, mine.bytes, sizeof(mine.bytes));
        error = self->cold->launcher->exchange(self, &mine, all);
    }
    if (error == PRI_OK) {
        error = pri_peers_connect(self, all);
    }
    if (error == PRI_OK) {
        error = pri_context_members(self, pri_context_core(self), NULL, self->size);
    }
    if (error == PRI_OK) {
        pri_recorder_hosts_begin(self);
        pri_map_print(self);
    }
    free(all);
    return error;
}

void pri_interface_close(struct pri_rank *self, bool shared)
{
    self->cold->closing = true;
    pri_stats_close(self, shared);
    pri_peers_free(self);
    pri_buffers_free(self);
    pri_members_free(self);
    pri_meetings_free(self);
    free(self->cold->contexts);
    self->cold->contexts = NULL;
}
