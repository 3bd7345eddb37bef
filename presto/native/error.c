/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/core.h"
#include "presto.h"

const char *pr_error_string(int error)
{
    return pri_error_text(error);
}
