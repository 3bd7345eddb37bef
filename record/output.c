/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/output.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/json.h"
#include "record/names.h"
#include "record/record.h"

/* The name of the file, with what %j and %p stand for. */
static void make_name(char *name, size_t size, const char *pattern)
{
    size_t used = 0;

    for (const char *at = pattern; *at != '\0' && used + 1 < size; at++) {
        uint32_t value = at[0] == '%' && at[1] == 'j' ? record_own.head->job : (uint32_t)getpid();

        if (at[0] == '%' && (at[1] == 'j' || at[1] == 'p')) {
            used += (size_t)snprintf(name + used, size - used, "%" PRIu32, value);
            at++;
        } else {
            name[used++] = *at;
        }
    }
    name[used < size ? used : size - 1] = '\0';
}

/* Names that numbers in the records stand for. */
static void write_names(FILE *file, const char *key, const char *(*name)(uint32_t), uint32_t count)
{
    fprintf(file, "\"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s\"%s\"", i > 0 ? ", " : "", name(i));
    }
    fputs("],\n", file);
}

bool record_output_begin(struct record_output *output, const char *name)
{
    const struct record_head *head = record_own.head;

    output->good = true;
    make_name(output->name, sizeof(output->name), name);
    (void)snprintf(output->beside, sizeof(output->beside), "%s.part", output->name);
    output->file = fopen(output->beside, "we");
    if (output->file == NULL) {
        return false;
    }
    fprintf(output->file,
            "{\"format\": \"apelink-hooks\", \"version\": %d, \"job\": %" PRIu32
            ", \"size\": %" PRIu32 ",\n",
            RECORD_VERSION, head->job, head->size);
    write_names(output->file, "call_kinds", record_call_name, RECORD_CALL_KINDS);
    write_names(output->file, "tag_classes", record_class_name, RECORD_CLASSES);
    write_names(output->file, "fault_kinds", record_fault_name, RECORD_FAULT_KINDS);
    fputs("\"ranks\": [\n", output->file);
    record_json_record(output->file, (const char *)head, record_used());
    return true;
}

void record_output_add(struct record_output *output, const char *memory, size_t size)
{
    if (output->file != NULL) {
        fputs(",\n", output->file);
        record_json_record(output->file, memory, size);
    }
}

void record_output_add_file(struct record_output *output, uint32_t rank)
{
    size_t size;
    const struct record_head *head = record_map(record_own.head->job, rank, &size);

    if (head != NULL) {
        record_output_add(output, (const char *)head, size);
        (void)munmap((void *)(uintptr_t)head, size);
    }
}

void record_output_spoil(struct record_output *output)
{
    output->good = false;
}

bool record_output_end(struct record_output *output)
{
    if (output->file == NULL) {
        return true;
    }
    fputs("\n]}\n", output->file);
    output->good = !ferror(output->file) && output->good;
    if (fclose(output->file) != 0 || !output->good || rename(output->beside, output->name) != 0) {
        int error = errno;

        (void)unlink(output->beside);
        output->good = false;
        errno = error;
    }
    return output->good;
}
