/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_LOG_H
#define NI_BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <apeni/log.h>

/*
 * What the core adds to apeni/log.h: messages that could repeat without end.
 */

/* One per place that logs, static: static struct ni_log_limit limit = NI_LOG_LIMIT(1); */
struct ni_log_limit {
    uint32_t max;          /* messages to print */
    _Atomic uint32_t seen; /* messages so far, stops counting behind max */
};

#define NI_LOG_LIMIT(count)       \
    {                             \
        .max = (count), .seen = 0 \
    }

/* Print the first limit->max messages; the last of them says that no more follow, unless there is
 * only one. Thread-safe. */
void ni_log_limited(struct ni_log_limit *limit, enum ni_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a message of this level would go anywhere: asked before composing an expensive one.
 * Thread-safe. */
bool ni_log_enabled(enum ni_log_level level);

/* What ni_log does with a message for which there is no sink: for sinks that only pass it on to
 * another thread. Thread-safe. */
void ni_log_write(enum ni_log_level level, const char *text);

/* Tell the log the value of the parameter log_level; config.c calls it. */
void ni_log_configure(enum ni_log_level level);

#endif
