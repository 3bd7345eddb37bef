/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of configurations. */
#include "dnp/lines.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <apeni/torus.h>

#include "base/number.h"
#include "dnp/registers.h"

bool dnp_line_wrong(struct dnp_complaint *complaint, const char *what, const char *word)
{
    snprintf(complaint->text, sizeof complaint->text, "\"%.60s\" %s", word, what);
    return false;
}

bool dnp_line_number(const struct dnp_line *line, unsigned index, uint64_t least, uint64_t most,
                     uint32_t *value, struct dnp_complaint *complaint)
{
    uint64_t parsed;
    char wanted[80];

    snprintf(wanted, sizeof wanted, "is no number from %llu to %llu", (unsigned long long)least,
             (unsigned long long)most);
    if (index >= line->words) {
        return dnp_line_wrong(complaint, "needs a number behind it", line->word[line->words - 1]);
    }
    if (ni_number_parse(line->word[index], strlen(line->word[index]), false, &parsed) != NULL ||
        parsed < least || parsed > most) {
        return dnp_line_wrong(complaint, wanted, line->word[index]);
    }
    *value = (uint32_t)parsed;
    return true;
}

bool dnp_line_address(const char *text, struct sockaddr_in *result, struct dnp_complaint *complaint)
{
    const char *colon = strrchr(text, ':');
    char host[16] = "";
    uint64_t port = 0;

    *result = (struct sockaddr_in){.sin_family = AF_INET};
    if (colon != NULL && (size_t)(colon - text) < sizeof host) {
        memcpy(host, text, (size_t)(colon - text));
        (void)ni_number_parse(colon + 1, strlen(colon + 1), false, &port);
    }
    if (inet_pton(AF_INET, host, &result->sin_addr) != 1 || port == 0 || port > 65535) {
        return dnp_line_wrong(complaint, "is no address such as 10.0.0.1:7000", text);
    }
    result->sin_port = htons((uint16_t)port);
    return true;
}

unsigned dnp_line_direction(const char *name)
{
    unsigned link = 0;

    while (link < NI_TORUS_DIRECTIONS &&
           strcmp(name, ni_torus_direction_name((enum ni_torus_direction)link)) != 0) {
        link++;
    }
    return link;
}

bool dnp_line_word(const struct dnp_line *line, char *word, size_t size,
                   struct dnp_complaint *complaint)
{
    char wanted[60];

    snprintf(wanted, sizeof wanted, "needs one word of at most %zu characters", size - 1);
    if (line->words != 2 || strlen(line->word[1]) >= size) {
        return dnp_line_wrong(complaint, wanted, line->word[0]);
    }
    strcpy(word, line->word[1]);
    return true;
}

bool dnp_line_set(const struct dnp_line *line, uint32_t *offset, uint32_t *value,
                  struct dnp_complaint *complaint)
{
    const char *name = line->words > 1 ? line->word[1] : "";
    struct dnp_register_file file;
    size_t i = 0;

    while (i < dnp_register_count && strcmp(dnp_registers[i].name, name) != 0) {
        i++;
    }
    if (i == dnp_register_count || dnp_registers[i].count > 1 ||
        !dnp_register_administered(dnp_registers[i].offset)) {
        return dnp_line_wrong(complaint,
                              "is no register that can be set, such as fault_mask, fault_timer, "
                              "link_sick or link_timeout",
                              name);
    }
    if (!dnp_line_number(line, 2, 0, UINT32_MAX, value, complaint)) {
        return false;
    }
    if (line->words > 3) {
        return dnp_line_wrong(complaint, "is one word too many", line->word[3]);
    }
    *offset = dnp_registers[i].offset;
    dnp_registers_reset(&file);
    if (dnp_registers_write(&file, *offset, *value) != NI_OK) {
        return dnp_line_wrong(complaint,
                              "is a value that this register cannot have: see its fields in "
                              "docs/registers.md",
                              line->word[2]);
    }
    return true;
}

/* Cut a line of so many characters, without its comment. */
static bool cut(struct dnp_line *line, const char *text, size_t length,
                struct dnp_complaint *complaint)
{
    char *rest;

    line->words = 0;
    if (length >= DNP_LINE_MAX) {
        return dnp_line_wrong(complaint, "is too long a line", "");
    }
    memcpy(line->text, text, length);
    line->text[length] = '\0';
    for (char *word = strtok_r(line->text, " \t\r", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r", &rest)) {
        if (line->words == DNP_LINE_WORDS) {
            return dnp_line_wrong(complaint, "is one word too many", word);
        }
        line->word[line->words++] = word;
    }
    return true;
}

unsigned dnp_lines_each(const char *text, dnp_line_taker take, void *arg,
                        struct dnp_complaint *complaint)
{
    unsigned count = 1;

    for (const char *at = text; *at != '\0'; count++) {
        size_t length = strcspn(at, "\n");
        struct dnp_line line;

        if (!cut(&line, at, strcspn(at, "#\n"), complaint) ||
            (line.words > 0 && !take(arg, &line, complaint))) {
            return count;
        }
        at += length + (at[length] == '\n');
    }
    return 0;
}
