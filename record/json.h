/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Write a record, a copy of a mapped file of `size` bytes that begins with a complete head, to a
 * stream: one object. */
void record_json_record(FILE *out, const char *memory, size_t size);

#endif
