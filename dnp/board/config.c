/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the configuration of a board. */
#include "dnp/board/config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"

enum { WORDS = 12, LINE = 400 };

/* A line cut into words. */
struct line {
    char text[LINE];
    const char *word[WORDS];
    unsigned words;
};

/* What is wrong, for the sentence. */
struct complaint {
    char text[200];
};

static bool wrong(struct complaint *complaint, const char *what, const char *word)
{
    snprintf(complaint->text, sizeof complaint->text, "\"%.60s\" %s", word, what);
    return false;
}

static bool number(const struct line *line, unsigned index, uint64_t least, uint64_t most,
                   uint32_t *value, struct complaint *complaint)
{
    uint64_t parsed;
    char wanted[80];

    snprintf(wanted, sizeof wanted, "is no number from %llu to %llu", (unsigned long long)least,
             (unsigned long long)most);
    if (index >= line->words) {
        return wrong(complaint, "needs a number behind it", line->word[line->words - 1]);
    }
    if (ni_number_parse(line->word[index], strlen(line->word[index]), false, &parsed) != NULL ||
        parsed < least || parsed > most) {
        return wrong(complaint, wanted, line->word[index]);
    }
    *value = (uint32_t)parsed;
    return true;
}

/* An address such as 10.0.0.1:7000. */
static bool address(const char *text, struct sockaddr_in *result, struct complaint *complaint)
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
        return wrong(complaint, "is no address such as 10.0.0.1:7000", text);
    }
    result->sin_port = htons((uint16_t)port);
    return true;
}

static unsigned direction(const char *name)
{
    unsigned link = 0;

    while (link < NI_TORUS_DIRECTIONS &&
           strcmp(name, ni_torus_direction_name((enum ni_torus_direction)link)) != 0) {
        link++;
    }
    return link;
}

static bool take_faults(struct board_cable *cable, const struct line *line,
                        struct complaint *complaint)
{
    for (unsigned i = 4; i < line->words; i++) {
        if (strcmp(line->word[i], "broken") == 0) {
            cable->faults.broken = true;
        } else if (strcmp(line->word[i], "lose") == 0) {
            if (!number(line, ++i, 0, 1000000, &cable->faults.lose_ppm, complaint)) {
                return false;
            }
        } else if (strcmp(line->word[i], "corrupt") == 0) {
            if (!number(line, ++i, 0, 1000000, &cable->faults.corrupt_ppm, complaint)) {
                return false;
            }
        } else {
            return wrong(complaint, "is none of lose, corrupt and broken", line->word[i]);
        }
    }
    return true;
}

static bool take_cable(struct board_config *config, const struct line *line,
                       struct complaint *complaint)
{
    unsigned link = line->words > 1 ? direction(line->word[1]) : NI_TORUS_DIRECTIONS;
    struct board_cable *cable;

    if (link == NI_TORUS_DIRECTIONS) {
        return wrong(complaint, "names no link; links are X+, X-, Y+, Y-, Z+ and Z-",
                     line->word[line->words > 1]);
    }
    cable = &config->cable[link];
    if (cable->used) {
        return wrong(complaint, "has a cable already", line->word[1]);
    }
    if (line->words < 4) {
        return wrong(complaint, "needs two addresses, that of this end and that of the other",
                     line->word[1]);
    }
    cable->used = true;
    return address(line->word[2], &cable->here, complaint) &&
           address(line->word[3], &cable->there, complaint) && take_faults(cable, line, complaint);
}

static bool take_path(char *path, const struct line *line, struct complaint *complaint)
{
    if (line->words != 2 || strlen(line->word[1]) >= BOARD_PATH_MAX) {
        return wrong(complaint, "needs one path of at most 99 characters", line->word[0]);
    }
    strcpy(path, line->word[1]);
    return true;
}

static bool take_device(struct board_config *config, struct line *line, struct complaint *complaint)
{
    const char *mode = line->words > 2 ? line->word[2] : "666";

    if (line->words > 3) {
        return wrong(complaint, "is one word too many", line->word[3]);
    }
    if (strlen(mode) != 3 || strspn(mode, "01234567") != 3) {
        return wrong(complaint, "is no mode of three octal digits such as 660", mode);
    }
    config->device_mode = (uint32_t)strtoul(mode, NULL, 8);
    line->words = line->words > 2 ? 2 : line->words;
    return take_path(config->device, line, complaint);
}

static bool take_machine(struct board_config *config, const struct line *line,
                         struct complaint *complaint)
{
    if (line->words != 3 || strlen(line->word[1]) >= BOARD_PATH_MAX ||
        strlen(line->word[2]) >= BOARD_PATH_MAX) {
        return wrong(complaint,
                     "needs two paths of at most 99 characters, a socket and the file of the "
                     "machine's memory",
                     line->word[0]);
    }
    strcpy(config->machine, line->word[1]);
    strcpy(config->machine_memory, line->word[2]);
    return true;
}

static bool take_torus(struct board_config *config, const struct line *line,
                       struct complaint *complaint)
{
    if (line->words != 2) {
        return wrong(complaint, "needs a shape such as 4x2x2", line->word[0]);
    }
    if (ni_torus_parse(line->word[1], &config->torus, complaint->text, sizeof complaint->text) !=
        NI_OK) {
        return false;
    }
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if (config->torus.size[i] > 1023) {
            return wrong(complaint, "has more than 1023 nodes along an axis", line->word[1]);
        }
    }
    return true;
}

static bool take_place(struct board_config *config, const struct line *line,
                       struct complaint *complaint)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if (!number(line, 1 + i, 0, 1022, &config->place.at[i], complaint)) {
            return false;
        }
    }
    return line->words == 4 || wrong(complaint, "is one coordinate too many", line->word[4]);
}

static bool take_fifo(struct board_config *config, const struct line *line,
                      struct complaint *complaint)
{
    if (!number(line, 1, DNP_FIFO_MIN, DNP_FIFO_MAX, &config->fifo, complaint)) {
        return false;
    }
    return ni_is_pow2(config->fifo) || wrong(complaint, "is no power of two", line->word[1]);
}

static bool take_set(struct board_config *config, const struct line *line,
                     struct complaint *complaint)
{
    const char *name = line->words > 1 ? line->word[1] : "";
    struct board_set *set = &config->set[config->sets];
    struct dnp_register_file file;
    size_t i = 0;

    while (i < dnp_register_count && strcmp(dnp_registers[i].name, name) != 0) {
        i++;
    }
    if (i == dnp_register_count || dnp_registers[i].count > 1 ||
        !dnp_register_administered(dnp_registers[i].offset)) {
        return wrong(complaint,
                     "is no register that can be set, such as fault_mask, fault_timer, link_sick "
                     "or link_timeout",
                     name);
    }
    if (config->sets == BOARD_SETS_MAX) {
        return wrong(complaint, "is one register too many", name);
    }
    if (!number(line, 2, 0, UINT32_MAX, &set->value, complaint)) {
        return false;
    }
    if (line->words > 3) {
        return wrong(complaint, "is one word too many", line->word[3]);
    }
    set->offset = dnp_registers[i].offset;
    dnp_registers_reset(&file);
    if (dnp_registers_write(&file, set->offset, set->value) != NI_OK) {
        return wrong(complaint,
                     "is a value that this register cannot have: see its fields in "
                     "docs/registers.md",
                     line->word[2]);
    }
    config->sets++;
    return true;
}

static bool take(struct board_config *config, struct line *line, struct complaint *complaint)
{
    const char *name = line->word[0];

    if (strcmp(name, "cable") == 0) {
        return take_cable(config, line, complaint);
    }
    if (strcmp(name, "torus") == 0) {
        return take_torus(config, line, complaint);
    }
    if (strcmp(name, "place") == 0) {
        return take_place(config, line, complaint);
    }
    if (strcmp(name, "key") == 0) {
        return take_path(config->key, line, complaint);
    }
    if (strcmp(name, "control") == 0) {
        return take_path(config->control, line, complaint);
    }
    if (strcmp(name, "sensors") == 0) {
        return take_path(config->sensors, line, complaint);
    }
    if (strcmp(name, "device") == 0) {
        return take_device(config, line, complaint);
    }
    if (strcmp(name, "machine") == 0) {
        return take_machine(config, line, complaint);
    }
    if (strcmp(name, "fifo") == 0) {
        return take_fifo(config, line, complaint);
    }
    if (strcmp(name, "set") == 0) {
        return take_set(config, line, complaint);
    }
    if (strcmp(name, "cycle") == 0) {
        return number(line, 1, 1, 1000000, &config->cycle_ns, complaint);
    }
    return wrong(complaint,
                 "is no setting; settings are torus, place, key, cable, control, sensors, "
                 "device, machine, fifo, cycle and set",
                 name);
}

/* Cut a line of so many characters, without its comment. */
static bool cut(struct line *line, const char *text, size_t length, struct complaint *complaint)
{
    char *rest;

    line->words = 0;
    if (length >= LINE) {
        return wrong(complaint, "is too long a line", "");
    }
    memcpy(line->text, text, length);
    line->text[length] = '\0';
    for (char *word = strtok_r(line->text, " \t\r", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r", &rest)) {
        if (line->words == WORDS) {
            return wrong(complaint, "is one word too many", word);
        }
        line->word[line->words++] = word;
    }
    return true;
}

/* What the whole lacks, or NULL. */
static const char *lacks(const struct board_config *config)
{
    if (config->torus.size[0] == 0) {
        return "there is no line \"torus\", such as torus 4x2x1";
    }
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if (config->place.at[i] >= config->torus.size[i]) {
            return "the place is not in the torus, or there is no line \"place\", such as place 1 "
                   "0 "
                   "0";
        }
    }
    return config->key[0] == '\0' ? "there is no line \"key\" with the file of the cluster's key"
                                  : NULL;
}

ni_status board_config_parse(struct board_config *config, const char *text, char *error,
                             size_t error_size)
{
    struct complaint complaint;
    unsigned count = 1;

    *config = (struct board_config){.fifo = 1024, .cycle_ns = 1000};
    config->place.at[0] = UINT32_MAX;
    for (const char *at = text; *at != '\0'; count++) {
        size_t length = strcspn(at, "\n");
        struct line line;

        if (!cut(&line, at, strcspn(at, "#\n"), &complaint) ||
            (line.words > 0 && !take(config, &line, &complaint))) {
            snprintf(error, error_size, "line %u: %s", count, complaint.text);
            return NI_ERR_PARAM;
        }
        at += length + (at[length] == '\n');
    }
    if (lacks(config) != NULL) {
        snprintf(error, error_size, "%s", lacks(config));
        return NI_ERR_PARAM;
    }
    return NI_OK;
}

bool board_key_parse(const char *text, struct dnp_key *key)
{
    *key = (struct dnp_key){{0, 0}};
    for (unsigned i = 0; i < 32; i++) {
        int c = tolower((unsigned char)text[i]);

        if (!isxdigit(c)) {
            return false;
        }
        key->half[i / 16] =
            key->half[i / 16] << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return text[32 + strspn(text + 32, " \t\r\n")] == '\0';
}
