/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_LINES_H
#define DNP_LINES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Configurations as the card's programs have them: one setting a line, words between blanks, "#"
 * begins a comment. What is wrong becomes a sentence that names the word. Pure functions.
 */

enum { DNP_LINE_WORDS = 12, DNP_LINE_MAX = 400 };

/* A line cut into words. */
struct dnp_line {
    char text[DNP_LINE_MAX];
    const char *word[DNP_LINE_WORDS];
    unsigned words;
};

/* What is wrong, for the sentence. */
struct dnp_complaint {
    char text[240];
};

/* Who takes the lines of a configuration. */
typedef bool (*dnp_line_taker)(void *arg, struct dnp_line *line, struct dnp_complaint *complaint);

/* Give all lines that are not empty to take, in order. Returns the number of the line that it
 * refused, or that cannot be cut, with the complaint; 0: none. */
unsigned dnp_lines_each(const char *text, dnp_line_taker take, void *arg,
                        struct dnp_complaint *complaint);

/* These complain if they return false. wrong always does. */
bool dnp_line_wrong(struct dnp_complaint *complaint, const char *what, const char *word);
bool dnp_line_number(const struct dnp_line *line, unsigned index, uint64_t least, uint64_t most,
                     uint32_t *value, struct dnp_complaint *complaint);
/* A line of one setting and one word, shorter than size. */
bool dnp_line_word(const struct dnp_line *line, char *word, size_t size,
                   struct dnp_complaint *complaint);
/* An address such as 10.0.0.1:7000. */
bool dnp_line_address(const char *text, struct sockaddr_in *result,
                      struct dnp_complaint *complaint);
/* A line "set REGISTER VALUE" of a register that an administrator may write. */
bool dnp_line_set(const struct dnp_line *line, uint32_t *offset, uint32_t *value,
                  struct dnp_complaint *complaint);

/* The link of a name such as X+; NI_TORUS_DIRECTIONS: none. */
unsigned dnp_line_direction(const char *name);

#endif
