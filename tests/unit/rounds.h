/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_ROUNDS_H
#define TESTS_UNIT_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/*
 * A sanitizer makes everything several times as slow, and what it sees in the last of many random
 * traces it has mostly seen in the first: it has fewer of them. The same run of tools/test takes
 * all in a build without one; with APELINK_TEST_ALL=yes the sanitizers do so, too.
 */
static inline bool test_time_is_short(void)
{
    const char *all = getenv("APELINK_TEST_ALL");

    return (NI_ASAN || NI_TSAN) && (all == NULL || strcmp(all, "yes") != 0);
}

static inline uint64_t test_rounds(uint64_t all, uint64_t fewer)
{
    return test_time_is_short() ? fewer : all;
}

#endif
