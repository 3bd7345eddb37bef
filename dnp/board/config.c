/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the configuration of a board. */
#include "dnp/board/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "dnp/lines.h"

static bool take_faults(struct board_cable *cable, const struct dnp_line *line,
                        struct dnp_complaint *complaint)
{
    for (unsigned i = cable->tcp ? 5 : 4; i < line->words; i++) {
        if (strcmp(line->word[i], "broken") == 0) {
            cable->faults.broken = true;
        } else if (strcmp(line->word[i], "lose") == 0) {
            if (!dnp_line_number(line, ++i, 0, 1000000, &cable->faults.lose_ppm, complaint)) {
                return false;
            }
        } else if (strcmp(line->word[i], "corrupt") == 0) {
            if (!dnp_line_number(line, ++i, 0, 1000000, &cable->faults.corrupt_ppm, complaint)) {
                return false;
            }
        } else if (strcmp(line->word[i], "delay") == 0) {
            if (!dnp_line_number(line, ++i, 0, 1000000, &cable->delay_us, complaint)) {
                return false;
            }
        } else {
            return dnp_line_wrong(complaint, "is none of lose, corrupt, delay and broken",
                                  line->word[i]);
        }
    }
    return true;
}

/* Where the other end of a cable is. */
static bool take_way(struct board_cable *cable, const struct dnp_line *line,
                     struct dnp_complaint *complaint)
{
    if (strcmp(line->word[2], "memory") != 0) {
        return dnp_line_address(line->word[2 + cable->tcp], &cable->here, complaint) &&
               dnp_line_address(line->word[3 + cable->tcp], &cable->there, complaint);
    }
    if (strlen(line->word[3]) >= BOARD_PATH_MAX) {
        return dnp_line_wrong(complaint, "needs a path of at most 99 characters", "memory");
    }
    strcpy(cable->memory, line->word[3]);
    return true;
}

static bool take_cable(struct board_config *config, const struct dnp_line *line,
                       struct dnp_complaint *complaint)
{
    unsigned link = line->words > 1 ? dnp_line_direction(line->word[1]) : NI_TORUS_DIRECTIONS;
    struct board_cable *cable;

    if (link == NI_TORUS_DIRECTIONS) {
        return dnp_line_wrong(complaint, "names no link; links are X+, X-, Y+, Y-, Z+ and Z-",
                              line->word[line->words > 1]);
    }
    cable = &config->cable[link];
    if (cable->used) {
        return dnp_line_wrong(complaint, "has a cable already", line->word[1]);
    }
    cable->tcp = line->words > 2 && strcmp(line->word[2], "tcp") == 0;
    if (line->words < (cable->tcp ? 5 : 4)) {
        return dnp_line_wrong(complaint,
                              "needs two addresses, that of this end and that of the other, which "
                              "may have tcp before them, or memory and a file",
                              line->word[1]);
    }
    cable->used = true;
    return take_way(cable, line, complaint) && take_faults(cable, line, complaint);
}

static bool take_path(char *path, const struct dnp_line *line, struct dnp_complaint *complaint)
{
    return dnp_line_word(line, path, BOARD_PATH_MAX, complaint);
}

static bool take_device(struct board_config *config, struct dnp_line *line,
                        struct dnp_complaint *complaint)
{
    const char *mode = line->words > 2 ? line->word[2] : "666";

    if (line->words > 3) {
        return dnp_line_wrong(complaint, "is one word too many", line->word[3]);
    }
    if (strlen(mode) != 3 || strspn(mode, "01234567") != 3) {
        return dnp_line_wrong(complaint, "is no mode of three octal digits such as 660", mode);
    }
    config->device_mode = (uint32_t)strtoul(mode, NULL, 8);
    line->words = line->words > 2 ? 2 : line->words;
    return take_path(config->device, line, complaint);
}

static bool take_machine(struct board_config *config, const struct dnp_line *line,
                         struct dnp_complaint *complaint)
{
    if (line->words != 3 || strlen(line->word[1]) >= BOARD_PATH_MAX ||
        strlen(line->word[2]) >= BOARD_PATH_MAX) {
        return dnp_line_wrong(
            complaint,
            "needs two paths of at most 99 characters, a socket and the file of the "
            "machine's memory",
            line->word[0]);
    }
    strcpy(config->machine, line->word[1]);
    strcpy(config->machine_memory, line->word[2]);
    return true;
}

static bool take_torus(struct board_config *config, const struct dnp_line *line,
                       struct dnp_complaint *complaint)
{
    if (line->words != 2) {
        return dnp_line_wrong(complaint, "needs a shape such as 4x2x2", line->word[0]);
    }
    if (ni_torus_parse(line->word[1], &config->torus, complaint->text, sizeof complaint->text) !=
        NI_OK) {
        return false;
    }
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if (config->torus.size[i] > 1023) {
            return dnp_line_wrong(complaint, "has more than 1023 nodes along an axis",
                                  line->word[1]);
        }
    }
    return true;
}

static bool take_place(struct board_config *config, const struct dnp_line *line,
                       struct dnp_complaint *complaint)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if (!dnp_line_number(line, 1 + i, 0, 1022, &config->place.at[i], complaint)) {
            return false;
        }
    }
    return line->words == 4 ||
           dnp_line_wrong(complaint, "is one coordinate too many", line->word[4]);
}

static bool take_fifo(struct board_config *config, const struct dnp_line *line,
                      struct dnp_complaint *complaint)
{
    if (!dnp_line_number(line, 1, DNP_FIFO_MIN, DNP_FIFO_MAX, &config->fifo, complaint)) {
        return false;
    }
    return ni_is_pow2(config->fifo) ||
           dnp_line_wrong(complaint, "is no power of two", line->word[1]);
}

static bool take_set(struct board_config *config, const struct dnp_line *line,
                     struct dnp_complaint *complaint)
{
    struct board_set *set = &config->set[config->sets];

    if (config->sets == BOARD_SETS_MAX) {
        return dnp_line_wrong(complaint, "is one register too many", line->word[0]);
    }
    config->sets++;
    return dnp_line_set(line, &set->offset, &set->value, complaint);
}

static bool take_sensor(struct board_config *config, const struct dnp_line *line,
                        struct dnp_complaint *complaint)
{
    const char *name = line->words > 1 ? line->word[1] : "";
    struct board_sensor *sensor = &config->sensor[config->sensor_count];

    if (config->sensor_count == BOARD_SENSORS_MAX) {
        return dnp_line_wrong(complaint, "is one sensor too many", name);
    }
    sensor->sensor = dnp_sensor_find(name, strlen(name));
    if (sensor->sensor == NULL) {
        return dnp_line_wrong(complaint, "is no sensor; one is board_temperature", name);
    }
    if (line->words != 3 || strlen(line->word[2]) >= sizeof sensor->path) {
        return dnp_line_wrong(complaint, "needs a path of at most 99 characters", name);
    }
    strcpy(sensor->path, line->word[2]);
    config->sensor_count++;
    return true;
}

static bool take_realtime(struct board_config *config, const struct dnp_line *line,
                          struct dnp_complaint *complaint)
{
    if (line->words > 2) {
        return dnp_line_wrong(complaint, "is one word too many; one priority is wanted, 0 for none",
                              line->word[2]);
    }
    return dnp_line_number(line, 1, 0, 99, &config->realtime, complaint);
}

static bool take(void *arg, struct dnp_line *line, struct dnp_complaint *complaint)
{
    struct board_config *config = arg;
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
    if (strcmp(name, "sensor") == 0) {
        return take_sensor(config, line, complaint);
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
        return dnp_line_number(line, 1, 1, 1000000, &config->cycle_ns, complaint);
    }
    if (strcmp(name, "realtime") == 0) {
        return take_realtime(config, line, complaint);
    }
    return dnp_line_wrong(complaint,
                          "is no setting; settings are torus, place, key, cable, control, sensors, "
                          "sensor, device, machine, fifo, cycle, realtime and set",
                          name);
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
    struct dnp_complaint complaint;
    unsigned line;

    *config = (struct board_config){.fifo = DNP_FIFO_MAX, .cycle_ns = 1000};
    config->place.at[0] = UINT32_MAX;
    line = dnp_lines_each(text, take, config, &complaint);
    if (line != 0) {
        snprintf(error, error_size, "line %u: %s", line, complaint.text);
        return NI_ERR_PARAM;
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
