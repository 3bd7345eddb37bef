/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The parts of apeni-info. Facts are gathered first and printed after, so that text and JSON
 * cannot say different things.
 */

enum info_kind { INFO_TEXT, INFO_NUMBER, INFO_FLAG };

struct info_fact {
    const char
        *key; /* a literal: JSON name, and with blanks for underscores the label of the text */
    enum info_kind kind;
    char value[192]; /* as printed; of a FLAG the detail behind yes or no, often empty */
    bool flag;       /* FLAG only */
};

/* A titled list of facts; the capacity is checked. */
struct info_facts {
    const char *key;   /* JSON name */
    const char *title; /* heading of the text */
    size_t count;
    struct info_fact fact[32];
};

void info_add_text(struct info_facts *facts, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void info_add_number(struct info_facts *facts, const char *key, uint64_t value);

/* detail may be NULL; it says how, or why not. */
void info_add_flag(struct info_facts *facts, const char *key, bool flag, const char *detail);

void info_print_text(const struct info_facts *facts);

/* As a member "key": {...}; the caller prints commas between members. */
void info_print_json(const struct info_facts *facts);

/* A JSON string with its quotes. */
void info_print_json_string(const char *text);

/* Paragraphs wrapped at 78 columns. */
void info_print_wrapped(const char *text, unsigned indent);

/* What there is to know: how this library was built, the processor, what this host allows. */
void info_gather_build(struct info_facts *facts);
void info_gather_cpu(struct info_facts *facts);
void info_gather_host(struct info_facts *facts);

/* Opens interfaces: errors go to standard error. */
void info_gather_links(struct info_facts *facts);

enum info_format { INFO_FORMAT_TEXT, INFO_FORMAT_JSON, INFO_FORMAT_MARKDOWN };

/* The parameters with their values, or for MARKDOWN the table of docs/parameters.md, which is the
 * same on every machine. */
void info_print_params(enum info_format format);
void info_print_stats(enum info_format format);

/* What this host's fault manager knows; path: of its page, NULL for the usual one. false: there is
 * none, which is said. */
bool info_print_faults(const char *path, enum info_format format);

/* What the card of a device says: registers, links, channels; device: NULL for that of the
 * parameter dev_device. false: there is none, which is said. */
bool info_print_board(const char *device, enum info_format format);

#endif
