/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a rank, from the environment to the file: see recorder.h. */
#include "core/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/launch.h"
#include "core/wire_up.h"
#include "record/account.h"
#include "record/output.h"
#include "record/start.h"
#include "record/watch.h"

enum {
    PEERS = 16384, /* the most that have an entry of their own */
    HANG_S = 60,
    MOST_HANG_S = 1000000,
    TAG_SIZE = 3, /* of records, in the core's own context, where pri_meet has powers of two */
    TAG_RECORD = 5,
};

static long hang_s, hang_abort; /* what PRESTO_REPORT_HANG_S and PRESTO_REPORT_HANG_ABORT say */

/* What the environment says, or what stands for it. */
static const char *text_of(const char *name, const char *otherwise)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? text : otherwise;
}

/* A variable that may be there; false: it makes no sense, which has been said. */
static bool read_number(const char *name, long most, long *value)
{
    return getenv(name) == NULL || pri_environment(name, 0, most, value);
}

bool pri_recorder_read(struct pri_rank *self)
{
    if (text_of("PRESTO_REPORT", NULL) == NULL) {
        return true;
    }
    hang_s = HANG_S;
    hang_abort = 0;
    if (!read_number("PRESTO_REPORT_HANG_S", MOST_HANG_S, &hang_s) ||
        !read_number("PRESTO_REPORT_HANG_ABORT", 1, &hang_abort)) {
        return false;
    }
    if (self->launch != PRI_LAUNCH_THREADS) {
        self->recorded = true;
    } else if (self->rank == self->first) {
        fprintf(stderr,
                "presto: PRESTO_REPORT is ignored: the ranks are threads, and only processes "
                "have records\n");
    }
    return true;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* A message of or to a rank of the job. */
static struct pri_where at(const struct pri_rank *self, int rank, int tag)
{
    return (struct pri_where){.peer = self->first + rank,
                              .as = self->rank - self->first,
                              .tag = tag,
                              .context = pri_context_core(self)};
}

/* To rank 0. False: it has died, and the record stays where it is. */
static bool send_record(struct pri_rank *self)
{
    uint64_t size = record_used();

    return pri_send(self, &size, sizeof(size), at(self, 0, TAG_SIZE), PRI_STANDARD) == PRI_OK &&
           pri_send(self, record_own.head, size, at(self, 0, TAG_RECORD), PRI_STANDARD) == PRI_OK;
}

/* Of a rank that has died the record is still in memory, if it was on this host. */
static void write_other(struct pri_rank *self, struct record_output *output, int rank)
{
    uint64_t size = 0;
    char *memory;

    if (pri_recv(self, &size, sizeof(size), at(self, rank, TAG_SIZE), NULL) != PRI_OK) {
        record_output_add_file(output, (uint32_t)rank);
        return;
    }
    memory = malloc(size);
    if (memory == NULL ||
        pri_recv(self, memory, size, at(self, rank, TAG_RECORD), NULL) != PRI_OK) {
        record_output_spoil(output);
    } else {
        record_output_add(output, memory, size);
    }
    free(memory);
}

static void write_all(struct pri_rank *self)
{
    struct record_output output;

    if (!record_output_begin(&output, getenv("PRESTO_REPORT"))) {
        fprintf(stderr,
                "presto: PRESTO_REPORT: cannot write %s: %s; the record of this job is lost\n",
                output.beside, strerror(errno));
    }
    for (int rank = 1; rank < self->size; rank++) {
        write_other(self, &output, rank);
    }
    if (!record_output_end(&output)) {
        fprintf(stderr, "presto: PRESTO_REPORT: cannot write all of %s: %s\n", output.name,
                strerror(errno));
    }
}

/* By pri_stop. */
static void gather(struct pri_rank *self, void *arg)
{
    (void)arg;
    if (self->rank == self->first) {
        write_all(self);
        record_stop();
    } else if (send_record(self)) {
        record_stop();
    }
}

void pri_recorder_leave(struct pri_rank *self)
{
    if (self->recorded) {
        pri_recorder_wait_over();
        pri_recorder_hosts_finish(self);
        record_watch_end();
        record_finish();
        /* Messages go the short ways again; what comes of those that were recorded is not. */
        self->recorded = false;
        pri_direct_choose(self);
        atomic_fetch_sub_explicit(&self->rare, 1, memory_order_relaxed);
        self->relax = pri_relax_plain;
    }
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* The reason why nothing moves has been printed. */
static void end_hanging(void)
{
    if (hang_abort != 0) {
        fprintf(stderr, "presto: the job is ended (PRESTO_REPORT_HANG_ABORT)\n");
        pri_abort(pri_self(), 1);
    }
}

static void watch(void)
{
    record_watch_begin(&(struct record_watch){
        .hang_s = (unsigned)hang_s,
        .who = "presto",
        .hang_name = "PRESTO_REPORT_HANG_S",
        .report = (char *)text_of("PRESTO_REPORT_PROGRAM", PRI_REPORT),
        .report_name = "PRESTO_REPORT_PROGRAM",
        .spoken = end_hanging,
        .each = pri_recorder_look,
    });
}

static size_t posted_stat, unexpected_stat; /* which statistics of the interface they are */

/* record_look_at_queues. */
static void look_at_queues(void)
{
    const struct pri_rank *self = pri_self();

    if (self != NULL && self->ni != NULL) {
        record_depths(ni_stat_read(self->ni, posted_stat), ni_stat_read(self->ni, unexpected_stat));
    }
}

static size_t stat_of(const char *name)
{
    size_t i = 0;

    while (strcmp(ni_stat_infos[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void find_queues(void)
{
    posted_stat = stat_of("match_posted");
    unexpected_stat = stat_of("match_unexpected");
    record_look_at_queues = look_at_queues;
}

static const char *begin(const struct pri_rank *self, uint64_t job_key)
{
    char host[64] = "";

    (void)gethostname(host, sizeof(host) - 1);
    return record_start(&(struct record_process){
        .directory = text_of("PRESTO_REPORT_DIRECTORY", "/dev/shm"),
        .job = job_key != 0 ? pri_job_number(job_key, self->job) : (uint32_t)getpid(),
        .rank = (uint32_t)(self->rank - self->first),
        .size = (uint32_t)self->size,
        .peers = PEERS,
        .threads = self->threads,
        .host = host,
        .below = "presto",
    });
}

void pri_recorder_start(struct pri_rank *self, uint64_t job_key)
{
    const char *error;

    if (!self->recorded) {
        return;
    }
    find_queues();
    error = begin(self, job_key);
    pri_recorder_peers(self, job_key);
    if (error != NULL || pri_at_stop(self, gather, NULL) != PRI_OK) {
        fprintf(stderr, "presto: PRESTO_REPORT: %s; nothing of rank %d is recorded\n",
                error != NULL ? error : pri_error_text(PRI_ERR_NOMEM), self->rank);
        self->recorded = false;
        return;
    }
    atomic_fetch_add_explicit(&self->rare, 1, memory_order_relaxed);
    self->relax = pri_recorder_relax;
    watch();
}
