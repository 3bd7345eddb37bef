/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/*
 * What the unit tests share: cmocka with the headers that it wants included first, and a log sink
 * that keeps what was said, so that a test can compare it and no message goes unnoticed.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <apeni/log.h>

struct unit_log {
    unsigned count;          /* messages since unit_log_start */
    enum ni_log_level level; /* of the last one */
    char text[4096];         /* of the last one */
    char all[16384];         /* of all, each ended by a newline */
};

static inline void unit_log_keep(enum ni_log_level level, const char *text, void *arg)
{
    struct unit_log *log = arg;
    size_t used = strlen(log->all);

    log->count++;
    log->level = level;
    snprintf(log->text, sizeof log->text, "%s", text);
    snprintf(log->all + used, sizeof log->all - used, "%s\n", text);
}

/* From now on messages are kept in log instead of being printed. */
static inline void unit_log_start(struct unit_log *log)
{
    memset(log, 0, sizeof *log);
    ni_log_set_sink(unit_log_keep, log);
}

static inline void unit_log_stop(void)
{
    ni_log_set_sink(NULL, NULL);
}

/* The text must contain the part; on failure both are shown. */
static inline void unit_assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

#endif
