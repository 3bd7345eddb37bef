/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_LOG_H
#define APENI_LOG_H

/*
 * Messages for people. One line each on standard error, "[apelink host:pid] level: text", written
 * with one write(2) so that lines of many processes do not mix. Nothing on a data path logs.
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

enum ni_log_level {
    NI_LOG_ERROR = 0, /* the user must act, the text says how */
    NI_LOG_WARN = 1,  /* works, but worse than the user may expect */
    NI_LOG_INFO = 2,  /* choices made, once each */
    NI_LOG_DEBUG = 3,
};

/* Receives each message instead of standard error; text has no newline. Called from any thread. */
typedef void (*ni_log_sink)(enum ni_log_level level, const char *text, void *arg);

/* Print when level is at or below the parameter log_level (default warn). errno is preserved.
 * Thread-safe. */
void ni_log(enum ni_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replace the sink, which is given arg; NULL restores standard error. Not thread-safe against
 * running ni_log calls. */
void ni_log_set_sink(ni_log_sink sink, void *arg);

/* Set the level, overriding the parameter. Thread-safe. */
void ni_log_set_level(enum ni_log_level level);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
