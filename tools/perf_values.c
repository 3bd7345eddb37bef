/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options, and what each mode takes. */
#include "perf_options.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"

const char *const perf_mode_names[PERF_MODES] = {
    [PERF_LATENCY] = "latency", [PERF_BW] = "bw",       [PERF_BIBW] = "bibw",
    [PERF_RATE] = "rate",       [PERF_MBW] = "mbw",     [PERF_SEARCH] = "search",
    [PERF_TUNE] = "tune",       [PERF_BOARD] = "board",
};
const char *const perf_op_names[PERF_OPS] = {
    [PERF_MESSAGE] = "message", [PERF_INLINE] = "inline",     [PERF_WRITE] = "write",
    [PERF_READ] = "read",       [PERF_FETCH_OP] = "fetch_op",
};
const char *const perf_link_names[PERF_LINKS] = {
    [PERF_SHM] = "shm", [PERF_INPROC] = "inproc", [PERF_UCX] = "ucx", [PERF_DEV] = "dev"};

#define EACH_OP(op) (1U << (op))
#define STREAM_OPS \
    (EACH_OP(PERF_MESSAGE) | EACH_OP(PERF_INLINE) | EACH_OP(PERF_WRITE) | EACH_OP(PERF_READ))

const struct perf_mode_row perf_mode_rows[PERF_MODES] = {
    [PERF_LATENCY] = {"mixcrlDCRjsodS",
                      1,
                      4 << 20,
                      STREAM_OPS | EACH_OP(PERF_FETCH_OP),
                      {PERF_MESSAGE, PERF_INLINE, PERF_WRITE, PERF_READ, PERF_FETCH_OP},
                      5,
                      1},
    [PERF_BW] =
        {"mixWclDCRjsod", 1, 4 << 20, STREAM_OPS, {PERF_WRITE, PERF_READ, PERF_MESSAGE}, 3, 64},
    [PERF_BIBW] =
        {"mixWclDCRjsod", 1, 4 << 20, STREAM_OPS, {PERF_WRITE, PERF_READ, PERF_MESSAGE}, 3, 64},
    [PERF_RATE] = {"mixWclDCRjsod", 8, 8, STREAM_OPS, {PERF_MESSAGE, PERF_INLINE}, 2, 64},
    [PERF_MBW] = {"mixWcplDCRjsod", 1, 1 << 20, STREAM_OPS, {PERF_MESSAGE}, 1, 64},
    [PERF_SEARCH] = {"mixCRjsd", 1, 1 << 12, 0, {PERF_MESSAGE}, 0, 1},
    [PERF_TUNE] = {"Cqw", 1, 1, 0, {PERF_MESSAGE}, 0, 64},
    [PERF_BOARD] = {"miWRD", 8, 1 << 20, 0, {PERF_MESSAGE}, 0, 64},
};

uint64_t perf_parse_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    const char *wrong = ni_number_parse(text, strlen(text), false, &value);

    if (wrong != NULL || value < least || value > most) {
        perf_bad_use("%s \"%s\": wanted is a whole number from %llu to %llu", option, text,
                     (unsigned long long)least, (unsigned long long)most);
    }
    return value;
}

static uint64_t parse_size(const char *text, const char *from, size_t len)
{
    uint64_t value = 0;

    if (ni_number_parse(from, len, true, &value) != NULL || value < 1 || value > PERF_SIZE_MAX) {
        perf_bad_use("-m \"%s\": wanted is MAX, MIN:MAX (powers of two times MIN) or a list such "
                     "as 8,256,4K; sizes are 1 to 1G",
                     text);
    }
    return value;
}

void perf_size_range(struct perf_options *options, uint64_t first, uint64_t last)
{
    options->size_count = 0;
    for (uint64_t size = first; size <= last; size *= 2) {
        options->sizes[options->size_count++] = size;
    }
}

static void size_list(struct perf_options *options, const char *text)
{
    const char *from = text;

    options->size_count = 0;
    for (;;) {
        size_t len = strcspn(from, ",");

        if (options->size_count == PERF_SIZES_MAX) {
            perf_bad_use("-m \"%s\": more than %d sizes", text, PERF_SIZES_MAX);
        }
        options->sizes[options->size_count++] = parse_size(text, from, len);
        if (from[len] == '\0') {
            return;
        }
        from += len + 1;
    }
}

/* [MIN:]MAX, MIN: or a list, as the OSU programs take them. */
void perf_parse_sizes(struct perf_options *options, const char *text)
{
    const char *colon = strchr(text, ':');
    uint64_t first = options->sizes[0], last = options->sizes[options->size_count - 1];

    if (colon == NULL && strchr(text, ',') != NULL) {
        size_list(options, text);
        return;
    }
    if (colon != NULL && colon != text) {
        first = parse_size(text, text, (size_t)(colon - text));
    }
    if (colon == NULL || colon[1] != '\0') {
        const char *from = colon == NULL ? text : colon + 1;

        last = parse_size(text, from, strlen(from));
    }
    if (colon == NULL && last < first) {
        first = last;
    }
    if (first > last) {
        perf_bad_use("-m \"%s\": the smallest size is above the largest", text);
    }
    perf_size_range(options, first, last);
}

void perf_parse_cores(struct perf_options *options, const char *text)
{
    const char *from = text;

    options->core_count = 0;
    for (;;) {
        size_t len = strcspn(from, ",");
        uint64_t core = 0;

        if (ni_number_parse(from, len, false, &core) != NULL || core >= CPU_SETSIZE ||
            options->core_count == PERF_CORES_MAX) {
            perf_bad_use("--cores \"%s\": wanted are numbers of cores, such as 0,1; at most %d",
                         text, PERF_CORES_MAX);
        }
        options->cores[options->core_count++] = (int)core;
        if (from[len] == '\0') {
            break;
        }
        from += len + 1;
    }
    if (options->core_count < 2) {
        perf_bad_use("--cores \"%s\": wanted are two cores or more, such as 0,1; one core twice "
                     "(0,0) is allowed",
                     text);
    }
}

static void names(char *text, size_t size, const char *const *list, int count, unsigned allowed)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        if ((allowed & EACH_OP(i)) != 0) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", list[i]);
        }
    }
}

/* The index of the word of so many letters, or -1. */
int perf_find(const char *const *list, int count, const char *word, size_t len)
{
    for (int i = 0; i < count; i++) {
        if (strlen(list[i]) == len && strncmp(list[i], word, len) == 0) {
            return i;
        }
    }
    return -1;
}

void perf_parse_ops(struct perf_options *options, const char *text)
{
    unsigned allowed = perf_mode_rows[options->mode].ops;
    const char *from = text;
    char wanted[128];

    options->op_count = 0;
    names(wanted, sizeof(wanted), perf_op_names, PERF_OPS, allowed);
    for (;;) {
        size_t len = strcspn(from, ",");
        int op = perf_find(perf_op_names, PERF_OPS, from, len);

        if (op < 0 || (allowed & EACH_OP(op)) == 0 || options->op_count == PERF_OPS ||
            (options->mode == PERF_MBW && from[len] != '\0')) {
            perf_bad_use("--ops \"%s\": %s measures %s of %s", text, perf_mode_names[options->mode],
                         options->mode == PERF_MBW ? "one" : "any", wanted);
        }
        options->ops[options->op_count++] = (enum perf_op)op;
        if (from[len] == '\0') {
            return;
        }
        from += len + 1;
    }
}

void perf_only_messages(struct perf_options *options)
{
    int kept = 0;

    for (int i = 0; i < options->op_count; i++) {
        if (options->ops[i] == PERF_MESSAGE || options->ops[i] == PERF_INLINE) {
            options->ops[kept++] = options->ops[i];
        }
    }
    if (kept == 0) {
        perf_bad_use("--stamps: of message and inline, none of which is among --ops");
    }
    options->op_count = kept;
}

void perf_parse_link(struct perf_options *options, const char *text)
{
    int link = perf_find(perf_link_names, PERF_LINKS, text, strlen(text));

    if (link < 0) {
        perf_bad_use("--link \"%s\": the links are shm, inproc, ucx and dev", text);
    }
    options->link = (enum perf_link)link;
}
