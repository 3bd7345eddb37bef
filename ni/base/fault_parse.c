/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form of fault plans: POINT:KEY=NUMBER,KEY=NUMBER;POINT:... */
#include "base/fault_inl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"

/* In the order of enum ni_fault_point. */
static const char *const point_names[] = {"alloc",    "drop", "delay",   "dup",
                                          "truncate", "full", "syscall", "corrupt"};

_Static_assert(NI_ARRAY_LENGTH(point_names) == NI_FAULT_POINTS, "one name per point");

#define ACCEPTED                                                                                 \
    "accepted: POINT:nth=N,every=M or POINT:ppm=P,seed=S, joined by semicolons, with POINT one " \
    "of alloc, drop, delay, dup, truncate, full, syscall, corrupt"

enum fault_key { KEY_NTH, KEY_EVERY, KEY_PPM, KEY_SEED, KEYS };

static const struct {
    const char *name;
    uint64_t min, max;
} keys[] = {
    [KEY_NTH] = {"nth", 1, UINT64_MAX},
    [KEY_EVERY] = {"every", 0, UINT64_MAX},
    [KEY_PPM] = {"ppm", 0, 1000000},
    [KEY_SEED] = {"seed", 0, UINT64_MAX},
};

struct fault_plan {
    bool planned;
    bool given[KEYS];
    uint64_t value[KEYS];
};

/* A part of the text; the parser never copies. */
struct piece {
    const char *text;
    size_t length;
};

struct parse {
    struct fault_plan plans[NI_FAULT_POINTS];
    char *error;
    size_t error_size;
};

const char *ni_fault_name(enum ni_fault_point point)
{
    return (unsigned)point < NI_FAULT_POINTS ? point_names[point] : "unknown";
}

/* Take the text up to the separator, or all of it, off the front of rest. */
static struct piece take_piece(struct piece *rest, char separator)
{
    const char *end = memchr(rest->text, separator, rest->length);
    struct piece first = *rest;

    if (end == NULL) {
        rest->text += rest->length;
        rest->length = 0;
        return first;
    }
    first.length = (size_t)(end - first.text);
    rest->text = end + 1;
    rest->length -= first.length + 1;
    return first;
}

static bool equals(struct piece piece, const char *name)
{
    return strlen(name) == piece.length && memcmp(name, piece.text, piece.length) == 0;
}

__attribute__((format(printf, 3, 4))) static ni_status refuse(const struct parse *parse,
                                                              struct piece piece,
                                                              const char *format, ...)
{
    char wrong[128];
    va_list args;

    va_start(args, format);
    vsnprintf(wrong, sizeof wrong, format, args);
    va_end(args);
    snprintf(parse->error, parse->error_size, "\"%.*s\": %s; " ACCEPTED, (int)piece.length,
             piece.text, wrong);
    return NI_ERR_PARAM;
}

/* KEY=NUMBER */
static ni_status parse_setting(struct parse *parse, struct fault_plan *plan, struct piece setting)
{
    struct piece value = setting;
    struct piece name = take_piece(&value, '=');
    unsigned key = 0;

    while (key < KEYS && !equals(name, keys[key].name)) {
        key++;
    }
    if (key == KEYS) {
        return refuse(parse, setting, "this is none of nth, every, ppm and seed");
    }
    if (plan->given[key]) {
        return refuse(parse, setting, "%s is given twice", keys[key].name);
    }

    const char *wrong = ni_number_parse(value.text, value.length, false, &plan->value[key]);

    if (wrong != NULL) {
        return refuse(parse, setting, "%s", wrong);
    }
    if (plan->value[key] < keys[key].min || plan->value[key] > keys[key].max) {
        return refuse(parse, setting, "it is out of range");
    }
    plan->given[key] = true;
    return NI_OK;
}

/* nth with or without every, or ppm with or without seed */
static ni_status check_settings(struct parse *parse, const struct fault_plan *plan,
                                struct piece point)
{
    bool counted = plan->given[KEY_NTH] || plan->given[KEY_EVERY];
    bool random = plan->given[KEY_PPM] || plan->given[KEY_SEED];

    if (counted && random) {
        return refuse(parse, point, "nth and every do not go with ppm and seed");
    }
    if (!plan->given[KEY_NTH] && !plan->given[KEY_PPM]) {
        return refuse(parse, point, "either nth or ppm is needed");
    }
    return NI_OK;
}

/* POINT:SETTING,SETTING */
static ni_status parse_point(struct parse *parse, struct piece text)
{
    struct piece settings = text;
    struct piece name = take_piece(&settings, ':');
    unsigned point = 0;

    while (point < NI_FAULT_POINTS && !equals(name, point_names[point])) {
        point++;
    }
    if (point == NI_FAULT_POINTS) {
        return refuse(parse, name, "there is no such point");
    }

    struct fault_plan *plan = &parse->plans[point];

    if (plan->planned) {
        return refuse(parse, name, "this point is named twice");
    }
    plan->planned = true;
    while (settings.length > 0) {
        ni_status status = parse_setting(parse, plan, take_piece(&settings, ','));

        if (status != NI_OK) {
            return status;
        }
    }
    return check_settings(parse, plan, text);
}

static ni_status parse_text(struct parse *parse, const char *text)
{
    struct piece rest = {text, strlen(text)};

    while (rest.length > 0) {
        ni_status status = parse_point(parse, take_piece(&rest, ';'));

        if (status != NI_OK) {
            return status;
        }
    }
    return NI_OK;
}

ni_status ni_fault_check(const char *text, char *error, size_t error_size)
{
    struct parse parse = {.error = error, .error_size = error_size};

    return parse_text(&parse, text);
}

ni_status ni_fault_parse(const char *text, char *error, size_t error_size)
{
    struct parse parse = {.error = error, .error_size = error_size};
    ni_status status = parse_text(&parse, text);

    for (unsigned i = 0; status == NI_OK && i < NI_FAULT_POINTS; i++) {
        const struct fault_plan *plan = &parse.plans[i];

        if (plan->given[KEY_NTH]) {
            ni_fault_arm((enum ni_fault_point)i, plan->value[KEY_NTH], plan->value[KEY_EVERY]);
        } else if (plan->given[KEY_PPM]) {
            ni_fault_arm_random((enum ni_fault_point)i, (uint32_t)plan->value[KEY_PPM],
                                plan->value[KEY_SEED]);
        }
    }
    return status;
}
