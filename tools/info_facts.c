/* SPDX-License-Identifier: BSD-3-Clause */
#include "info.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

static struct info_fact *add(struct info_facts *facts, const char *key, enum info_kind kind)
{
    struct info_fact *fact = &facts->fact[facts->count];

    assert(facts->count < NI_ARRAY_LENGTH(facts->fact));
    facts->count++;
    fact->key = key;
    fact->kind = kind;
    fact->flag = false;
    fact->value[0] = '\0';
    return fact;
}

void info_add_text(struct info_facts *facts, const char *key, const char *format, ...)
{
    struct info_fact *fact = add(facts, key, INFO_TEXT);
    va_list args;

    va_start(args, format);
    vsnprintf(fact->value, sizeof fact->value, format, args);
    va_end(args);
}

void info_add_number(struct info_facts *facts, const char *key, uint64_t value)
{
    struct info_fact *fact = add(facts, key, INFO_NUMBER);

    snprintf(fact->value, sizeof fact->value, "%" PRIu64, value);
}

void info_add_flag(struct info_facts *facts, const char *key, bool flag, const char *detail)
{
    struct info_fact *fact = add(facts, key, INFO_FLAG);

    fact->flag = flag;
    snprintf(fact->value, sizeof fact->value, "%s", detail != NULL ? detail : "");
}

void info_print_text(const struct info_facts *facts)
{
    printf("%s\n", facts->title);
    for (size_t i = 0; i < facts->count; i++) {
        const struct info_fact *fact = &facts->fact[i];
        char label[32];

        snprintf(label, sizeof label, "%s", fact->key);
        for (char *c = strchr(label, '_'); c != NULL; c = strchr(c, '_')) {
            *c = ' ';
        }
        printf("  %-22s ", label);
        if (fact->kind == INFO_FLAG) {
            printf("%s%s", fact->flag ? "yes" : "no", fact->value[0] != '\0' ? ": " : "");
        }
        printf("%s\n", fact->value);
    }
}

void info_print_json_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < ' ') {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

/* A flag becomes true or false, and its detail, if any, a member of its own: "key_detail". */
static void print_json_fact(const struct info_fact *fact)
{
    printf("\"%s\": ", fact->key);
    switch (fact->kind) {
    case INFO_TEXT:
        info_print_json_string(fact->value);
        break;
    case INFO_NUMBER:
        printf("%s", fact->value);
        break;
    case INFO_FLAG:
        printf("%s", fact->flag ? "true" : "false");
        if (fact->value[0] != '\0') {
            printf(",\n    \"%s_detail\": ", fact->key);
            info_print_json_string(fact->value);
        }
        break;
    }
}

void info_print_json(const struct info_facts *facts)
{
    printf("  \"%s\": {", facts->key);
    for (size_t i = 0; i < facts->count; i++) {
        printf("%s\n    ", i > 0 ? "," : "");
        print_json_fact(&facts->fact[i]);
    }
    printf("\n  }");
}

void info_print_wrapped(const char *text, unsigned indent)
{
    const unsigned width = 78;
    unsigned column = 0;

    while (*text != '\0') {
        unsigned length = (unsigned)strcspn(text, " ");

        if (column > 0 && column + 1 + length > width) {
            putchar('\n');
            column = 0;
        }
        column += (unsigned)(column == 0 ? printf("%*s", (int)indent, "") : printf(" "));
        column += (unsigned)printf("%.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}
