/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRESTO_H
#define PRESTO_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A static English text for an error; never NULL, also for values out of range. Thread-safe. */
const char *pr_error_string(int error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
