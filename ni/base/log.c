/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"

/* A line of at most PIPE_BUF bytes reaches a pipe, which is what a launcher makes of standard
 * error, in one piece. */
#define LINE_SIZE PIPE_BUF

#define LEVEL_UNSET -1

/* Relaxed everywhere: a level orders nothing, and a thread may see a new one a little later. */
static _Atomic int level_set = LEVEL_UNSET;        /* by ni_log_set_level */
static _Atomic int level_configured = LEVEL_UNSET; /* by the parameter */

static ni_log_sink log_sink;
static void *log_sink_arg;

static const char *const level_names[] = {"error", "warning", "info", "debug"};

void ni_log_set_sink(ni_log_sink sink, void *arg)
{
    log_sink_arg = arg;
    log_sink = sink;
}

void ni_log_set_level(enum ni_log_level level)
{
    atomic_store_explicit(&level_set, (int)level, memory_order_relaxed);
}

void ni_log_configure(enum ni_log_level level)
{
    atomic_store_explicit(&level_configured, (int)level, memory_order_relaxed);
}

bool ni_log_enabled(enum ni_log_level level)
{
    int most = atomic_load_explicit(&level_set, memory_order_relaxed);

    if (most == LEVEL_UNSET) {
        (void)ni_config_get(); /* the first call of it ends in ni_log_configure */
        most = atomic_load_explicit(&level_configured, memory_order_relaxed);
    }
    return (int)level <= most;
}

static void write_all(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(STDERR_FILENO, text, length);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return; /* there is nobody left to tell */
        }
        text += n;
        length -= (size_t)n;
    }
}

/* "[apelink host:pid] level: ". Made anew for each message, because after a fork or in another UTS
 * namespace yesterday's prefix is wrong, and messages are rare. */
static size_t write_prefix(char *line, size_t size, enum ni_log_level level)
{
    char host[HOST_NAME_MAX + 1];
    const char *name = (unsigned)level <= NI_LOG_DEBUG ? level_names[level] : "debug";

    if (gethostname(host, sizeof host) != 0) {
        strcpy(host, "?");
    }
    host[sizeof host - 1] = '\0';
    host[strcspn(host, ".")] = '\0';
    return (size_t)snprintf(line, size, "[apelink %s:%d] %s: ", host, (int)getpid(), name);
}

/* One message is one line, whatever the values that it quotes. */
static void blank_control_characters(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f') {
            *text = ' ';
        }
    }
}

/* The end of a message that is too long, or that is the last of its kind. */
static void append_note(char *text, size_t size, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    if (length + end_length + 1 > size) {
        length = size - end_length - 1;
    }
    memcpy(text + length, end, end_length + 1);
}

__attribute__((format(printf, 3, 0))) static void log_line(enum ni_log_level level, const char *end,
                                                           const char *format, va_list args)
{
    int saved = errno;
    char line[LINE_SIZE];
    size_t prefix = log_sink != NULL ? 0 : write_prefix(line, sizeof line, level);
    size_t room = sizeof line - 1 - prefix; /* the newline takes the place of the last character */
    int length = vsnprintf(line + prefix, room, format, args);

    if (length < 0) {
        snprintf(line + prefix, room, "(message \"%s\" cannot be formatted)", format);
    } else if ((size_t)length >= room) {
        append_note(line + prefix, room, "...");
    }
    append_note(line + prefix, room, end);
    blank_control_characters(line + prefix);
    if (log_sink != NULL) {
        log_sink(level, line, log_sink_arg);
    } else {
        size_t total = strlen(line);

        line[total] = '\n';
        write_all(line, total + 1);
    }
    errno = saved;
}

void ni_log_write(enum ni_log_level level, const char *text)
{
    char line[LINE_SIZE];
    size_t prefix = write_prefix(line, sizeof line, level), total;
    size_t room = sizeof line - 1 - prefix; /* the newline takes the place of the last character */

    if ((size_t)snprintf(line + prefix, room, "%s", text) >= room) {
        append_note(line + prefix, room, "...");
    }
    total = strlen(line);
    line[total] = '\n';
    write_all(line, total + 1);
}

void ni_log(enum ni_log_level level, const char *format, ...)
{
    va_list args;

    if (!ni_log_enabled(level)) {
        return;
    }
    va_start(args, format);
    log_line(level, "", format, args);
    va_end(args);
}

void ni_log_limited(struct ni_log_limit *limit, enum ni_log_level level, const char *format, ...)
{
    uint32_t seen = atomic_load_explicit(&limit->seen, memory_order_relaxed);
    va_list args;

    if (!ni_log_enabled(level)) {
        return;
    }
    do {
        if (seen >= limit->max) {
            return;
        }
    } while (!atomic_compare_exchange_weak_explicit(&limit->seen, &seen, seen + 1,
                                                    memory_order_relaxed, memory_order_relaxed));

    bool last = seen + 1 == limit->max && limit->max > 1;

    va_start(args, format);
    log_line(level, last ? " (further messages like this are not shown)" : "", format, args);
    va_end(args);
}
