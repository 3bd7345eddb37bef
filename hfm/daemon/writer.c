/* SPDX-License-Identifier: BSD-3-Clause */
/* Log and record on a thread of their own. */
#include "hfm/daemon/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/log.h"
#include "hfm/daemon/realtime.h"

enum { ROOM = 512 << 10 };
enum { LINE = -1, REOPEN = -2 }; /* of the record; others are levels of the log */

/* Before each text, which ends with a zero. */
struct item {
    int kind;
    uint32_t bytes;
};

int hfm_writer_open(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

/* false: there is nobody any more who would write it. */
static bool put(struct hfm_writer *writer, int kind, const char *text)
{
    struct item item = {kind, (uint32_t)strlen(text) + 1};
    uint64_t one = 1;
    bool ends;

    pthread_mutex_lock(&writer->lock);
    ends = writer->ends;
    if (ends || ROOM - writer->filled < sizeof item + item.bytes) {
        writer->lost += !ends;
    } else {
        memcpy(writer->filling + writer->filled, &item, sizeof item);
        memcpy(writer->filling + writer->filled + sizeof item, text, item.bytes);
        writer->filled += sizeof item + item.bytes;
    }
    pthread_mutex_unlock(&writer->lock);
    if (!ends) {
        (void)!write(writer->wake, &one, sizeof one);
    }
    return !ends;
}

static void on_log(enum ni_log_level level, const char *text, void *arg)
{
    if (!put(arg, (int)level, text)) {
        ni_log_write(level, text);
    }
}

static void open_anew(struct hfm_writer *writer)
{
    const struct hfm_config *config = writer->config;
    int record = hfm_writer_open(config->record);

    if (record < 0) {
        ni_log(NI_LOG_ERROR,
               "apelink-hfm: record %s cannot be opened anew: %s; the old file is written on; its "
               "folder has to be %s's",
               config->record, strerror(errno), config->user[0] != '\0' ? config->user : "root");
        return;
    }
    close(writer->record);
    writer->record = record;
}

static void write_record(const struct hfm_writer *writer, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t n = write(writer->record, text, left);

        if (n <= 0 && errno != EINTR) {
            return; /* there is no room for it */
        }
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

static void write_all(struct hfm_writer *writer, size_t bytes)
{
    struct item item;

    for (size_t at = 0; at < bytes; at += sizeof item + item.bytes) {
        const char *text = writer->writing + at + sizeof item;

        memcpy(&item, writer->writing + at, sizeof item);
        if (item.kind == LINE) {
            write_record(writer, text);
        } else if (item.kind == REOPEN) {
            open_anew(writer);
        } else {
            ni_log_write((enum ni_log_level)item.kind, text);
        }
    }
}

static void *run(void *arg)
{
    struct hfm_writer *writer = arg;
    bool ends = false;

    while (!ends) {
        char *swap;
        uint64_t count;
        size_t bytes;
        unsigned lost;

        (void)!read(writer->wake, &count, sizeof count);
        pthread_mutex_lock(&writer->lock);
        swap = writer->filling;
        writer->filling = writer->writing;
        writer->writing = swap;
        bytes = writer->filled;
        lost = writer->lost;
        ends = writer->ends;
        writer->filled = writer->lost = 0;
        pthread_mutex_unlock(&writer->lock);
        write_all(writer, bytes);
        if (lost > 0) {
            ni_log(NI_LOG_WARN, "apelink-hfm: %u lines of the %s are lost: too many came at once",
                   lost, writer->record < 0 ? "log" : "record");
        }
    }
    return NULL;
}

bool hfm_writer_start(struct hfm_writer *writer, const struct hfm_config *config, int record)
{
    int error = ENOMEM;

    memset(writer, 0, sizeof *writer);
    writer->config = config;
    writer->record = record;
    writer->filling = ni_calloc(1, ROOM);
    writer->writing = ni_calloc(1, ROOM);
    writer->wake = eventfd(0, EFD_CLOEXEC);
    hfm_realtime_lock(&writer->lock);
    if (writer->filling != NULL && writer->writing != NULL) {
        error = writer->wake < 0 ? errno : hfm_thread_start(&writer->thread, run, writer, true);
    }
    writer->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: no thread for the %s: %s", record < 0 ? "log" : "record",
               strerror(error));
        if (writer->wake >= 0) {
            close(writer->wake);
        }
        ni_free(writer->filling);
        ni_free(writer->writing);
        return false;
    }
    if (record < 0) {
        ni_log_set_sink(on_log, writer);
    }
    return true;
}

void hfm_writer_record(struct hfm_writer *writer, const char *line)
{
    if (writer->started) {
        (void)put(writer, LINE, line);
    }
}

void hfm_writer_reopen(struct hfm_writer *writer)
{
    (void)put(writer, REOPEN, "");
}

bool hfm_writer_stop(struct hfm_writer *writer)
{
    uint64_t one = 1;

    if (!writer->started) {
        return true;
    }
    pthread_mutex_lock(&writer->lock);
    writer->ends = true;
    pthread_mutex_unlock(&writer->lock);
    (void)!write(writer->wake, &one, sizeof one);
    if (!hfm_thread_end(writer->thread)) {
        return false;
    }
    writer->started = false;
    close(writer->wake);
    if (writer->record >= 0) {
        close(writer->record);
    }
    ni_free(writer->filling);
    ni_free(writer->writing);
    return true;
}
