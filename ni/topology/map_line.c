/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology/map_line.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static ni_status take_host(const char *word, struct ni_torus_line *line, char *error,
                           size_t error_size)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
    size_t length = strlen(word);

    if (length > NI_TORUS_HOST_MAX || strspn(word, allowed) != length) {
        snprintf(error, error_size,
                 "\"%.80s\" is no name of a host: letters, digits and . - _ : are wanted, up to %d",
                 word, NI_TORUS_HOST_MAX);
        return NI_ERR_PARAM;
    }
    memcpy(line->host, word, length + 1);
    return NI_OK;
}

/* What mpirun's host files have behind a name. */
static bool is_slots(const char *word)
{
    return strncmp(word, "slots=", 6) == 0 || strncmp(word, "max_slots=", 10) == 0 ||
           strncmp(word, "max-slots=", 10) == 0;
}

static ni_status take_coordinate(const char *word, unsigned dimension, struct ni_torus_line *line,
                                 char *error, size_t error_size)
{
    uint64_t value = 0;
    const char *wrong = ni_number_parse(word, strlen(word), false, &value);

    if (wrong == NULL && dimension == NI_TORUS_DIMENSIONS) {
        wrong = "there are three coordinates before it";
    }
    if (wrong == NULL && value >= NI_TORUS_NODES_MAX) {
        wrong = "it is too large";
    }
    if (wrong != NULL) {
        snprintf(error, error_size, "host %s, \"%.80s\": %s; three coordinates are wanted, or none",
                 line->host, word, wrong);
        return NI_ERR_PARAM;
    }
    line->at.at[dimension] = (uint32_t)value;
    return NI_OK;
}

ni_status ni_torus_line_parse(char *text, struct ni_torus_line *line, char *error,
                              size_t error_size)
{
    static const char blanks[] = " \t\r\n";
    char *state = NULL;
    unsigned coordinates = 0;

    text[strcspn(text, "#")] = '\0';

    char *word = strtok_r(text, blanks, &state);
    ni_status status = word == NULL ? NI_ERR_NOTFOUND : take_host(word, line, error, error_size);

    while (status == NI_OK && (word = strtok_r(NULL, blanks, &state)) != NULL) {
        if (!is_slots(word)) {
            status = take_coordinate(word, coordinates++, line, error, error_size);
        }
    }
    if (status == NI_OK && coordinates != 0 && coordinates != NI_TORUS_DIMENSIONS) {
        snprintf(error, error_size, "host %s has %u of three coordinates", line->host, coordinates);
        return NI_ERR_PARAM;
    }
    line->placed = coordinates != 0;
    return status;
}
