/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/launch.h"

bool pri_environment_silent(const char *name, long min, long max, long *value)
{
    const char *text = getenv(name);
    char *end;
    long number;

    if (text == NULL) {
        return false;
    }
    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < min || number > max) {
        return false;
    }
    *value = number;
    return true;
}

bool pri_environment(const char *name, long min, long max, long *value)
{
    bool is_number = pri_environment_silent(name, min, max, value);

    if (!is_number && getenv(name) != NULL) {
        fprintf(stderr, "presto: %s=%s: it has to be a number from %ld to %ld\n", name,
                getenv(name), min, max);
    }
    return is_number;
}
