/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_FUZZ_FUZZ_INPUT_H
#define TESTS_FUZZ_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/log.h>

/* What fuzzers of whole interfaces share: their input as a stream of bytes, and checks. */

struct input {
    const uint8_t *data;
    size_t left;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Which of them it is, is in the stack that the sanitizer prints. */
static inline void must(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzzer: %s\n", what);
        abort();
    }
}

/* The next bytes; zeros behind the end. */
static inline void take(struct input *in, void *to, size_t len)
{
    size_t have = len < in->left ? len : in->left;

    memset(to, 0, len);
    memcpy(to, in->data, have);
    in->data += have;
    in->left -= have;
}

/* A log for an NI that has much to complain about. */
static inline void quiet(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
}

#endif
