/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/assert.h"

#include <stdlib.h>

#include <apeni/log.h>

void ni_assert_failed(const char *condition, const char *file, int line)
{
    ni_log(NI_LOG_ERROR, "%s:%d: this must hold but does not: %s", file, line, condition);
    abort();
}
