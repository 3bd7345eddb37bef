/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin and the end of a record. */
#include "record/start.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/account.h"
#include "record/clock.h"
#include "record/names.h"
#include "record/process.h"

enum { FIRST_SLICE = 24 }; /* 2^24 ticks: some milliseconds */
#define NOT_KNOWN UINT64_MAX

static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = from != NULL ? strnlen(from, size - 1) : 0;

    memcpy(to, from, length);
    to[length] = '\0';
}

/* When this code was loaded, so that the rate of stamps is known when the record begins. */
static uint64_t loaded_clock, loaded_stamp;

static __attribute__((constructor)) void note_clocks(void)
{
    record_read_clocks(&loaded_clock, &loaded_stamp);
}

static uint64_t ticks_per_second(const struct record_head *head)
{
    uint64_t passed = head->clock_start - loaded_clock;

    return passed == 0
               ? 0
               : (uint64_t)((double)(head->stamp_start - loaded_stamp) * 1e9 / (double)passed);
}

static void fill_head(const struct record_process *process)
{
    struct record_head *head = record_own.head;
    const char *slash = strrchr(program_invocation_name, '/');
    struct timespec now;

    head->version = RECORD_VERSION;
    head->threads = process->threads;
    head->enabled = 1;
    head->state = RECORD_RUNNING;
    head->job = process->job;
    head->rank = process->rank;
    head->size = process->size;
    head->pid = (uint32_t)getpid();
    (void)record_process_state(head->pid, &head->process_start);
    head->process_space = record_process_space();
    (void)clock_gettime(CLOCK_REALTIME, &now);
    head->start_seconds = (uint64_t)now.tv_sec;
    head->start_nanoseconds = (uint64_t)now.tv_nsec;
    record_read_clocks(&head->clock_start, &head->stamp_start);
    head->ticks_per_second = ticks_per_second(head);
    head->clock_last = head->clock_start;
    head->stamp_last = head->stamp_start;
    head->last_event = head->stamp_start;
    head->posted_queue_now = head->posted_queue_greatest = NOT_KNOWN;
    head->unexpected_queue_now = head->unexpected_queue_greatest = NOT_KNOWN;
    head->call_count = process->threads ? 0 : 1;
    head->class_count = RECORD_CLASSES;
    record_own.calls[0].thread = process->threads ? 0 : head->pid;
    copy_text(head->host, sizeof(head->host), process->host);
    copy_text(head->program, sizeof(head->program),
              slash != NULL ? slash + 1 : program_invocation_name);
    copy_text(head->pml, sizeof(head->pml), process->below);
    /* Readers take the record for complete from here. */
    __atomic_store_n(&head->magic, RECORD_MAGIC, __ATOMIC_RELEASE);
}

const char *record_start(const struct record_process *process)
{
    const char *error =
        record_open(process->directory, process->job, process->rank, process->peers);

    if (error != NULL) {
        return error;
    }
    record_threads = process->threads;
    fill_head(process);
    record_slices_begin(FIRST_SLICE);
    return NULL;
}

void record_finish(void)
{
    struct record_head *head = record_own.head;

    head->end_stamp = record_stamp();
    head->state = RECORD_FINALIZING;
    record_read_clocks(&head->clock_last, &head->stamp_last);
    record_slice_next(head->stamp_last);
}

void record_stop(void)
{
    record_own.head->state = RECORD_FINALIZED;
    record_peers_close();
    (void)unlink(record_own.path);
}
