/* SPDX-License-Identifier: BSD-3-Clause */
/* Log and record on a thread of their own. */
#include "dnp/board/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/log.h"
#include "dnp/board/realtime.h"

enum { ROOM = 512 << 10 };
enum { LINE = -1, REOPEN = -2 }; /* of the record; others are levels of the log */

/* Before each text, which ends with a zero. */
struct item {
    int kind;
    uint32_t bytes;
};

int board_writer_open(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

/* false: there is nobody any more who would write it. */
static bool put(struct board_writer *writer, int kind, const char *text)
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

static void open_anew(struct board_writer *writer)
{
    int file = board_writer_open(writer->record.path);

    if (file < 0) {
        ni_log(NI_LOG_ERROR,
               "%s: record %s cannot be opened anew: %s; the old file is written on; its folder "
               "has to be %s's",
               writer->program, writer->record.path, strerror(errno), writer->record.owner);
        return;
    }
    close(writer->record.file);
    writer->record.file = file;
}

static void write_record(const struct board_writer *writer, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t n = write(writer->record.file, text, left);

        if (n <= 0 && errno != EINTR) {
            return; /* there is no room for it */
        }
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

static void write_all(struct board_writer *writer, size_t bytes)
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
    struct board_writer *writer = arg;
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
            ni_log(NI_LOG_WARN, "%s: %u lines of the %s are lost: too many came at once",
                   writer->program, lost, writer->record.file < 0 ? "log" : "record");
        }
    }
    return NULL;
}

bool board_writer_start(struct board_writer *writer, const char *program,
                        const struct board_record *record)
{
    int error = ENOMEM;

    memset(writer, 0, sizeof *writer);
    writer->program = program;
    writer->record = record != NULL ? *record : (struct board_record){.file = -1};
    writer->filling = ni_calloc(1, ROOM);
    writer->writing = ni_calloc(1, ROOM);
    writer->wake = eventfd(0, EFD_CLOEXEC);
    board_realtime_lock(&writer->lock);
    if (writer->filling != NULL && writer->writing != NULL) {
        error = writer->wake < 0 ? errno : board_thread_start(&writer->thread, run, writer, true);
    }
    writer->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "%s: no thread for the %s: %s", program,
               record == NULL ? "log" : "record", strerror(error));
        if (writer->wake >= 0) {
            close(writer->wake);
        }
        ni_free(writer->filling);
        ni_free(writer->writing);
        return false;
    }
    if (record == NULL) {
        ni_log_set_sink(on_log, writer);
    }
    return true;
}

void board_writer_record(struct board_writer *writer, const char *line)
{
    if (writer->started) {
        (void)put(writer, LINE, line);
    }
}

void board_writer_reopen(struct board_writer *writer)
{
    (void)put(writer, REOPEN, "");
}

bool board_writer_stop(struct board_writer *writer)
{
    uint64_t one = 1;

    if (!writer->started) {
        return true;
    }
    pthread_mutex_lock(&writer->lock);
    writer->ends = true;
    pthread_mutex_unlock(&writer->lock);
    (void)!write(writer->wake, &one, sizeof one);
    if (!board_thread_end(writer->thread)) {
        return false;
    }
    writer->started = false;
    close(writer->wake);
    if (writer->record.file >= 0) {
        close(writer->record.file);
    }
    ni_free(writer->filling);
    ni_free(writer->writing);
    return true;
}
