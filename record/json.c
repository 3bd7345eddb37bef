/* SPDX-License-Identifier: BSD-3-Clause */
/* A record as JSON: an object of the head's fields, and an array for each other part. */
#include "record/json.h"

#include <inttypes.h>
#include <string.h>

#include "record/record.h"

/* What converts ticks of a record. */
struct clock {
    double seconds_per_tick;
    uint64_t start;
};

static void write_text(FILE *out, const char *text, size_t room)
{
    fputc('"', out);
    for (size_t i = 0; i < room && text[i] != '\0'; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\') {
            fputc('\\', out);
        }
        if (c < ' ') {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void write_number(FILE *out, enum record_type type, const char *at,
                         const struct clock *clock)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;

    if (type == RECORD_TYPE_U32 || type == RECORD_TYPE_I32) {
        memcpy(&narrow, at, sizeof(narrow));
    } else {
        memcpy(&wide, at, sizeof(wide));
    }
    switch (type) {
    case RECORD_TYPE_U32:
        fprintf(out, "%" PRIu32, narrow);
        break;
    case RECORD_TYPE_I32:
        fprintf(out, "%" PRId32, (int32_t)narrow);
        break;
    case RECORD_TYPE_TICKS:
        fprintf(out, "%.9f", (double)wide * clock->seconds_per_tick);
        break;
    case RECORD_TYPE_STAMP:
        if (wide == 0) {
            fputs("null", out);
        } else {
            fprintf(out, "%.9f", (double)(int64_t)(wide - clock->start) * clock->seconds_per_tick);
        }
        break;
    default:
        fprintf(out, "%" PRIu64, wide);
    }
}

static void write_field(FILE *out, const struct record_field *field, const char *entry,
                        const struct clock *clock)
{
    size_t width = field->type == RECORD_TYPE_U32 || field->type == RECORD_TYPE_I32 ? 4 : 8;

    fprintf(out, "\"%s\": ", field->name);
    if (field->type == RECORD_TYPE_TEXT) {
        write_text(out, entry + field->offset, field->count);
        return;
    }
    if (field->count > 1) {
        fputc('[', out);
    }
    for (size_t i = 0; i < field->count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_number(out, field->type, entry + field->offset + i * width, clock);
    }
    if (field->count > 1) {
        fputc(']', out);
    }
}

static void write_entry(FILE *out, const struct record_part *part, const char *entry,
                        const struct clock *clock)
{
    const char *separator = "";

    for (const struct record_field *field = part->fields; field->name != NULL; field++) {
        fputs(separator, out);
        write_field(out, field, entry, clock);
        separator = ", ";
    }
}

/* The entries of a part that are in use, and within the memory. */
static size_t entries(const struct record_head *head, const struct record_part *part, size_t size)
{
    size_t room = part->offset < size ? (size - part->offset) / part->stride : 0;
    size_t count = record_part_count(head, part);

    return count < room ? count : room;
}

void record_json_record(FILE *out, const char *memory, size_t size)
{
    const struct record_part *part = record_parts();
    struct record_head head;
    struct clock clock;

    memcpy(&head, memory, sizeof(head));
    clock.start = head.stamp_start;
    clock.seconds_per_tick = head.stamp_last > head.stamp_start
                                 ? (double)(head.clock_last - head.clock_start) * 1e-9 /
                                       (double)(head.stamp_last - head.stamp_start)
                                 : 0;
    fputc('{', out);
    write_entry(out, part, memory, &clock);
    for (part++; part->name != NULL; part++) {
        size_t count = entries(&head, part, size);

        fprintf(out, ",\n \"%s\": [", part->plural);
        for (size_t i = 0; i < count; i++) {
            fputs(i > 0 ? ",\n  {" : "\n  {", out);
            write_entry(out, part, memory + part->offset + i * part->stride, &clock);
            fputc('}', out);
        }
        fputc(']', out);
    }
    fputc('}', out);
}
