/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
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

/* ---- until when it may change ---------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool settled; /* under the lock */

void pri_parameters_settle(void)
{
    pthread_mutex_lock(&lock);
    settled = true;
    pthread_mutex_unlock(&lock);
}

bool pri_parameters_hold(void)
{
    bool held;

    pthread_mutex_lock(&lock);
    held = !settled;
    if (!held) {
        pthread_mutex_unlock(&lock);
    }
    return held;
}

void pri_parameters_release(void)
{
    pthread_mutex_unlock(&lock);
}
